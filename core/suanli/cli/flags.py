"""Projects made of flags alone, for commands that answer one question without a project file."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.domain.workload import Requirement
    from suanli.host.host import Host

__all__ = ["fixed_settings", "model_setting", "requirement_from_flags", "scenario_for", "today"]


_FLAGS: Final = {
    "model": "--model",
    "workload.tokens": "--tokens",
    "workload.task": "--task",
    "workload.sequence_length": "--sequence-length",
    "workload.global_batch_tokens": "--global-batch-tokens",
    "workload.precision": "--precision",
    "vendors.accelerators": "--accelerator",
    "cluster.accelerators": "--accelerators",
    "layout.tp": "--tp",
    "layout.pp": "--pp",
    "layout.cp": "--cp",
    "layout.ep": "--ep",
    "layout.micro_batch_size": "--micro-batch-size",
    "layout.recompute": "--recompute",
    "layout.zero_stage": "--zero-stage",
    "layout.offload": "--offload",
    "workload.stack": "--stack",
}
"""Flag that gave the value of a key path."""


def _by_flag(fault: Fault) -> Fault:
    """Return a fault that names the flag which the user typed in place of the key that it became."""
    section, _, name = fault.key.rpartition(".")
    flag = _FLAGS.get(fault.key) or _FLAGS.get(section)
    if section.startswith("claims."):
        flag = f"--{name.replace('_', '-')}"
    return Fault(fault.what, key=flag, why=fault.why, cure=fault.cure) if flag else fault


def today() -> str:
    """Return the day as ISO 8601; the command line is the one place that reads the clock."""
    return datetime.now().astimezone().date().isoformat()


def scenario_for(task: str, host: Host) -> str:
    """Return the first scenario that knows a task; which one does not matter to memory, work or time.

    Raises:
        InputError: no plugin has a scenario with that task.
    """
    for scenario in host.scenarios.values():
        if task in scenario.tasks:
            return scenario.id
    known = sorted({str(one) for scenario in host.scenarios.values() for one in scenario.tasks})
    raise InputError(
        Fault(f'no scenario has the task "{task}"', key="--task", why=f"known: {', '.join(known)}")
    )


def model_setting(model: str) -> str:
    """Return how a project file spells a model: a bare count such as ``70B`` is a parameter count.

    >>> model_setting("70B"), model_setting("qwen2.5-72b")
    ('{parameters: 70B}', 'qwen2.5-72b')
    """
    digits = model.rstrip("kMBGTbgt").replace(".", "", 1)
    return f"{{parameters: {model}}}" if digits.isdigit() and model[-1:].isalpha() else model


def fixed_settings(task: str, host: Host) -> dict[str, str]:
    """Return the settings that a project file must have and that do not bear on memory, work or time."""
    return {
        "project.name": "question",
        "project.client": "-",
        "project.languages": "[en]",
        "project.date": today(),
        "scenario": scenario_for(task, host),
        "site.region": "CN",
        "site.electricity": "1 CNY/kWh",
        "workload.task": task,
    }


def requirement_from_flags(
    flags: Mapping[str, object], host: Host, *, task: str, settings: Sequence[str] = ()
) -> Requirement:
    """Return the requirement of a project that consists of settings.

    Args:
        flags: values by key path of the project file; None and empty ones are left out.
        host: plugins and catalogue.
        task: kind of training, which decides the scenario.
        settings: further settings ``KEY=VALUE``.

    Raises:
        InputError: a value is wrong, or one is missing; the flag's key path is named.
    """
    from suanli.pipeline import complete  # noqa: PLC0415 - keeps --help fast
    from suanli.project.load import parse_project  # noqa: PLC0415

    values = {
        key: value
        for key, value in {**fixed_settings(task, host), **flags}.items()
        if value not in {None, ""}
    }
    try:
        project = parse_project(
            "{}", "flags", [*(f"{key}={value}" for key, value in values.items()), *settings]
        )
        return complete(project, host)
    except InputError as error:
        raise InputError(_by_flag(fault) for fault in error.faults) from None
