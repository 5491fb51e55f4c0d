"""The acceptance kit of one option: plan in each language, pass values as data, scripts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from suanli.acceptance.plan_text import plan_text
from suanli.acceptance.scripts_filled import filled_scripts
from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.proposal.model import Option, Proposal, Shown, TestView

__all__ = ["accepted_option", "kit_files", "pass_values"]


def accepted_option(proposal: Proposal) -> Option:
    """Return the option whose acceptance is planned: the recommended one, else the first with a cluster.

    Raises:
        InputError: no option has a cluster that could be accepted.
    """
    if proposal.recommended is not None and proposal.recommended.acceptance:
        return proposal.recommended
    for option in proposal.options:
        if option.acceptance:
            return option
    why = "no option of the project is feasible, or no plugin has tests for its vendor"
    raise InputError(
        Fault("there is nothing to accept", key="PROJECT", why=why, cure="suanli estimate says more")
    )


def kit_files(option: Option, proposal: Proposal, languages: Iterable[str]) -> dict[str, bytes]:
    """Return the files of the kit by their names below the output folder.

    Args:
        option: the cluster that is accepted.
        proposal: the project and its sources.
        languages: ``zh``, ``en`` or both.

    Raises:
        PluginError: a script of a plugin cannot be read.
    """
    texts = {f"acceptance.{language}.md": plan_text(option, proposal, language) for language in languages}
    texts["acceptance.json"] = json.dumps(pass_values(option, proposal), ensure_ascii=False, indent=2) + "\n"
    texts |= {f"scripts/{name}": text for name, text in filled_scripts(option.acceptance).items()}
    return {name: text.encode() for name, text in texts.items()}


def pass_values(option: Option, proposal: Proposal) -> dict[str, Any]:
    """Return the pass values of an option as a JSON document."""
    return {
        "project": proposal.project.model_dump(mode="json")["name"],
        "day": proposal.project.day.isoformat(),
        "option": option.key,
        "accelerator": option.accelerator,
        "server": option.server,
        "servers": option.servers,
        "deliverability": option.compliance.deliverability.value,
        "tests": [_test(test) for test in option.acceptance],
    }


def _test(test: TestView) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": test.id,
        "phase": test.phase.value,
        "basis": test.bound.value,
        "command": test.command,
        "script": f"scripts/{test.script.rpartition('/')[2]}" if test.script else None,
        "pass": _pass(test.threshold, at_most=test.at_most),
    }
    if test.rungs:
        found["by_nodes"] = {rung.nodes: float(rung.threshold.value) for rung in test.rungs}
    if test.allowance is not None:
        found["interruptions_allowed"] = test.allowance.allowed
        found["hours"] = float(test.allowance.hours.value)
    return found


def _pass(threshold: Shown | None, *, at_most: bool) -> dict[str, Any] | None:
    if threshold is None:
        return None
    return {"at_most" if at_most else "at_least": float(threshold.value), "unit": threshold.unit}
