"""Why nothing can be written: which option is infeasible, what binds it, and the ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from suanli.cli.summary import figure
from suanli.proposal.model import Verdict

if TYPE_CHECKING:
    from suanli.cli.texts import Voice
    from suanli.proposal.model import Option, Proposal

__all__ = ["nothing_feasible", "print_infeasible"]

_WITHOUT_CLUSTER = frozenset({Verdict.INFEASIBLE, Verdict.NOT_COMPUTABLE})


def nothing_feasible(proposal: Proposal) -> bool:
    """Tell whether no option has a cluster."""
    return all(option.verdict in _WITHOUT_CLUSTER for option in proposal.options)


def print_infeasible(proposal: Proposal, voice: Voice) -> None:
    """Say on stderr of every option without a cluster what binds it; an infeasible sizing is a result."""
    for option in proposal.options:
        if option.verdict in _WITHOUT_CLUSTER:
            click.echo(_reason(option, voice), err=True)


def _reason(option: Option, voice: Voice) -> str:
    name = voice.name(option.accelerator_name.zh, option.accelerator_name.en)
    parts = [f"{voice('binding')} {voice.word(option.binding)}"]
    if option.shortfall is not None:
        need, have = (figure(end, voice) for end in option.shortfall)
        parts.append(f"{voice('shortfall')} {need} / {have}")
    remedies = [
        " ".join(
            part
            for part in (voice.word(one.kind), figure(one.value, voice) if one.value else "", one.detail)
            if part
        )
        for one in option.remedies
    ]
    if remedies:
        parts.append(f"{voice('remedies')} {'; '.join(remedies)}")
    return f"  {option.key} {name}: {voice.word(option.verdict)}; {'; '.join(parts)}"
