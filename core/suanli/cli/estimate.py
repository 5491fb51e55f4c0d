"""``suanli estimate``: the sizing on two screens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from suanli.cli import common
from suanli.cli.common import json_option, path_argument, set_option, strict_option, vendor_option

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.cli.texts import Voice
    from suanli.proposal.model import Proposal

__all__ = ["command", "document"]


@click.command("estimate")
@path_argument("project")
@set_option
@vendor_option
@click.option("--explain", is_flag=True, help="Show formula, numbers, result and source of every step.")
@strict_option
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    *,
    project: Path,
    settings: tuple[str, ...],
    vendors: tuple[str, ...],
    explain: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Size PROJECT and show verdict, options, what binds and what was assumed."""
    from suanli.cli.texts import Voice  # noqa: PLC0415 - keeps --help fast
    from suanli.pipeline import build_proposal  # noqa: PLC0415

    host = common.load_plugins(strict=strict)
    loaded = common.read_project(project, host, settings=settings, vendors=vendors)
    proposal = build_proposal(loaded, host, common.progress_to_stderr)
    common.end_progress()
    if as_json:
        common.echo_json(document(proposal))
        return
    _print(proposal, Voice(proposal.project.languages[0]), explain=explain)


def _print(proposal: Proposal, voice: Voice, *, explain: bool) -> None:
    from suanli.cli import summary  # noqa: PLC0415

    summary.print_verdict(proposal, voice)
    summary.print_options(proposal, voice)
    summary.print_claims(proposal.claims, voice)
    summary.print_assumptions(proposal, voice, rules=explain)
    if explain:
        summary.print_worked(proposal, voice)
    summary.print_notices(proposal, voice)


_OF_DOCUMENTS = {"bill", "acceptance", "fabric", "storage", "power"}
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
