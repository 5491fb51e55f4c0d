"""Which row of an edited sheet is which of the sheet as written, and which rows or columns moved."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli_reports.workbook_cells import Content

__all__ = ["Alignment", "align"]

_NAMED_BY = 2
"""Texts at the beginning of a row that name it: a number and a label, or a label and a unit."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """How an edited sheet lies over the sheet as written; rows and columns count from 0."""

    rows: Mapping[int, int]
    """Row of the edited sheet by row as written."""
    added_rows: tuple[int, ...]
    """Rows of the edited sheet that push others down."""
    lost_rows: tuple[int, ...]
    """Rows as written that are no longer there."""
    added_columns: tuple[int, ...]
    lost_columns: tuple[int, ...]

    @property
    def shifted(self) -> bool:
        """Tell whether any cell stands elsewhere than it was written."""
        return bool(self.added_rows or self.lost_rows or self.added_columns or self.lost_columns)


def align(written: Mapping[tuple[int, int], Content], edited: Mapping[tuple[int, int], Content]) -> Alignment:
    """Return the alignment of two states of one sheet, by the texts in their rows and columns."""
    rows, added, lost = _matched(_rows(written), _rows(edited))
    _, added_columns, lost_columns = _matched(_columns(written), _columns(edited))
    return Alignment(rows, added, lost, added_columns, lost_columns)


def _rows(cells: Mapping[tuple[int, int], Content]) -> list[tuple[str, ...]]:
    texts: dict[int, list[str]] = {}
    for (row, _), content in sorted(cells.items()):
        if isinstance(content, str):
            texts.setdefault(row, []).append(content)
    last = max((row for row, _ in cells), default=-1)
    return [tuple(texts.get(row, [])[:_NAMED_BY]) for row in range(last + 1)]


def _columns(cells: Mapping[tuple[int, int], Content]) -> list[tuple[str, ...]]:
    texts: dict[int, list[str]] = {}
    for (_, column), content in sorted(cells.items()):
        if isinstance(content, str):
            texts.setdefault(column, []).append(content)
    last = max((column for _, column in cells), default=-1)
    return [tuple(texts.get(column, [])) for column in range(last + 1)]


def _matched(
    written: Sequence[tuple[str, ...]], edited: Sequence[tuple[str, ...]]
) -> tuple[dict[int, int], tuple[int, ...], tuple[int, ...]]:
    """Return pairs, and what was put in and taken out; what follows the last as written moves nothing."""
    pairs: dict[int, int] = {}
    added: list[int] = []
    lost: list[int] = []
    if len(edited) >= len(written) and list(edited[: len(written)]) == list(written):
        return {place: place for place in range(len(written))}, (), ()
    for _, one, one_end, two, two_end in SequenceMatcher(None, written, edited, autojunk=False).get_opcodes():
        both = min(one_end - one, two_end - two)
        pairs |= {one + step: two + step for step in range(both)}
        lost += range(one + both, one_end)
        added += range(two + both, two_end) if one_end < len(written) else ()
    return pairs, tuple(added), tuple(lost)
