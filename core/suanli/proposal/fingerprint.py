"""The mark by which an edited cost sheet is known to belong to a proposal."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from suanli.costing.expressions import formula
from suanli.costing.ledger import Input

if TYPE_CHECKING:
    from suanli.costing.ledger import Entry
    from suanli.proposal.model import Proposal

__all__ = ["fingerprint"]

_GROUPS, _LETTERS = 4, 4


def fingerprint(proposal: Proposal) -> str:
    """Return four groups of hexadecimal digits over title page, inputs and formulas.

    Two proposals with the same mark have cost sheets that compute the same, whatever their language: another
    project file, catalogue or version of the program has another mark where it changes a figure or a formula.
    """
    project = proposal.project
    digest = hashlib.sha256()
    names = (project.name.zh, project.name.en, project.client.zh, project.client.en)
    for part in (*names, project.day.isoformat(), proposal.ledger.currency):
        digest.update(f"{part}\n".encode())
    for entry in proposal.ledger.entries:
        digest.update(f"{entry.id}\t{entry.unit}\t{_content(entry)}\n".encode())
    letters = digest.hexdigest()
    return "-".join(letters[at : at + _LETTERS] for at in range(0, _GROUPS * _LETTERS, _LETTERS))


def _content(entry: Entry) -> str:
    return f"{entry.value.normalize():f}" if isinstance(entry, Input) else formula(entry.expression, str)
