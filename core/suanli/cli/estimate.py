"""``suanli estimate``: the sizing on two screens, where it comes from, and what it depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from suanli.cli import common
from suanli.cli.common import json_option, path_argument, set_option, strict_option, vendor_option
from suanli.errors import Fault, InputError, nearest

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.cli.texts import Voice
    from suanli.domain.catalogue import Catalogue
    from suanli.proposal.build import Decided
    from suanli.proposal.model import Proposal

__all__ = ["command", "document"]


@click.command("estimate")
@path_argument("project")
@set_option
@vendor_option
@click.option(
    "--explain",
    is_flag=True,
    help="Show where the days and the memory of an option come from: each formula with the numbers put in, "
    "down to data sheets and fits.",
)
@click.option(
    "--sensitivity",
    is_flag=True,
    help="Show the scaling curve of an option, and the calibration constants that move its days most.",
)
@click.option("--option", "chosen", metavar="KEY", help="Option to explain.  [default: the recommended one]")
@strict_option
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    *,
    project: Path,
    settings: tuple[str, ...],
    vendors: tuple[str, ...],
    explain: bool,
    sensitivity: bool,
    chosen: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Size PROJECT and show verdict, options, what binds and what was assumed."""
    from suanli.cli.texts import Voice  # noqa: PLC0415 - keeps --help fast
    from suanli.pipeline import decide  # noqa: PLC0415
    from suanli.proposal.build import assemble  # noqa: PLC0415

    host = common.load_plugins(strict=strict)
    loaded = common.read_project(project, host, settings=settings, vendors=vendors)
    decided = decide(loaded, host, common.progress_to_stderr)
    proposal = assemble(decided, decided.catalogue)
    common.end_progress()
    key = _key(proposal, decided, chosen)
    if as_json:
        shown = document(proposal)
        shown |= _more(decided, decided.catalogue, key, explain=explain, sensitivity=sensitivity)
        common.echo_json(shown)
        return
    voice = Voice(proposal.project.languages[0])
    _print(proposal, voice, explain=explain)
    _print_more(decided, decided.catalogue, key, voice, explain=explain, sensitivity=sensitivity)
    _print_end(proposal, voice, explain=explain)


def _key(proposal: Proposal, decided: Decided, chosen: str | None) -> str | None:
    """Return the option that is explained: the chosen, the recommended, or the first feasible one.

    Raises:
        InputError: the chosen one is not among the feasible options.
    """
    if chosen is not None and chosen.upper() not in decided.plans:
        why = f"feasible options: {', '.join(decided.plans) or 'none'}"
        cure = nearest(chosen.upper(), decided.plans)
        raise InputError(Fault(f'"{chosen}" is no feasible option', key="--option", why=why, cure=cure))
    if chosen is not None:
        return chosen.upper()
    best = proposal.recommended
    return best.key if best is not None else next(iter(decided.plans), None)


def _more(
    decided: Decided, catalogue: Catalogue, key: str | None, *, explain: bool, sensitivity: bool
) -> dict[str, Any]:
    """Return what the flags ask for beside the sizing, as plain data."""
    if not (explain or sensitivity):
        return {}
    from suanli.cli import explain_view  # noqa: PLC0415 - keeps the plain estimate fast

    sizing = None if key is None else decided.plans[key].sizing
    found: dict[str, Any] = {}
    if explain:
        path = None if sizing is None else explain_view.path_of(sizing, decided, catalogue)
        found["explanation"] = path and explain_view.explanation_document(str(key), path)
    if sensitivity:
        found["sensitivity"] = sizing and explain_view.sensitivity_document(str(key), sizing, decided)
    return found


def _print(proposal: Proposal, voice: Voice, *, explain: bool) -> None:
    from suanli.cli import summary  # noqa: PLC0415
    from suanli.cli.layouts import print_search  # noqa: PLC0415

    summary.print_verdict(proposal, voice)
    summary.print_options(proposal, voice)
    if proposal.recommended is not None:
        print_search(proposal.recommended, voice)
    summary.print_claims(proposal.claims, voice)
    summary.print_assumptions(proposal, voice, rules=explain)
    if explain:
        summary.print_worked(proposal, voice)


def _print_more(  # noqa: PLR0913 - what is shown, of what, to whom
    decided: Decided,
    catalogue: Catalogue,
    key: str | None,
    voice: Voice,
    *,
    explain: bool,
    sensitivity: bool,
) -> None:
    if not (explain or sensitivity):
        return
    from suanli.cli import explain_view  # noqa: PLC0415 - keeps the plain estimate fast
    from suanli.cli.explain_texts import say  # noqa: PLC0415

    if key is None:
        click.echo(say(voice, "none"))
        return
    sizing = decided.plans[key].sizing
    if explain:
        explain_view.print_explanation(key, explain_view.path_of(sizing, decided, catalogue), voice)
    if sensitivity:
        explain_view.print_sensitivity(key, sizing, decided, voice)


def _print_end(proposal: Proposal, voice: Voice, *, explain: bool) -> None:
    from suanli.cli import summary  # noqa: PLC0415

    if explain:
        summary.print_sources(proposal, voice)
    summary.print_notices(proposal, voice)


_OF_DOCUMENTS = {"bill", "acceptance", "fabric", "network", "storage", "power", "software"}
"""Parts of an option that belong to the documents rather than to the sizing."""


def document(proposal: Proposal) -> dict[str, Any]:
    """Return the sizing as plain data: the proposal without what only its documents show."""
    left_out: Any = {
        "options": {"__all__": _OF_DOCUMENTS},
        "risks": True,
        "rules": True,
        # Never part of the public data: an inclusion list does not lift their own exclusion, an exclusion
        # list would.
        "ledger": True,
        "requirement": True,
        "source_keys": True,
    }
    return proposal.model_dump(mode="json", exclude=left_out)
