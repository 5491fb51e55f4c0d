"""Shortens finished formulas: sums of neighbouring cells become sums of ranges, as a reviewer writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xlsxwriter.utility import xl_cell_to_rowcol  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["with_ranges"]

_MOST_ARGUMENTS = 250
"""Arguments that spreadsheets take in one function, with a margin; sums of sums above that stay."""

_SHEET = r"(?:'(?:[^']|'')*'!|[\w.]+!)?"
_ADDRESS = r"\$?[A-Z]{1,3}\$?[0-9]+"
_TOKEN = re.compile(
    rf'"(?:[^"]|"")*"|{_SHEET}{_ADDRESS}(?::{_ADDRESS})?(?![\w(])|[\w.]+\(|{_SHEET}[\w.]+|.', re.DOTALL
)
_CELL = re.compile(rf"({_SHEET})({_ADDRESS})")


@dataclass(frozen=True, slots=True)
class _Cell:
    sheet: str
    address: str

    @property
    def place(self) -> tuple[int, int]:
        """Row and column."""
        row, column = xl_cell_to_rowcol(self.address.replace("$", ""))
        return int(row), int(column)

    def follows(self, other: _Cell, step: tuple[int, int]) -> bool:
        """Tell whether this cell lies one step from another on the same sheet."""
        (row, column), (before, beside) = self.place, other.place
        return self.sheet == other.sheet and (row - before, column - beside) == step


def with_ranges(formula: str) -> str:
    """Return a formula whose sums name runs of neighbouring cells by their ends and hold no other sum.

    Texts, names of sheets and everything outside of ``SUM`` stay as they are; the value does too.

    >>> with_ranges("SUM(D5,D6,D7,F9)*2")
    'SUM(D5:D7,F9)*2'
    >>> with_ranges("SUM(SUM('Line items'!$B$2,'Line items'!$B$3),B4)")
    "SUM('Line items'!$B$2:$B$3,B4)"
    """
    return "".join(_shorten(_TOKEN.findall(formula)))


def _shorten(tokens: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(tokens):
        if tokens[at] != "SUM(":
            yield tokens[at]
            at += 1
            continue
        end = _closing(tokens, at)
        yield f"SUM({','.join(_arguments(tokens[at + 1 : end]))})"
        at = end + 1


def _closing(tokens: Sequence[str], start: int) -> int:
    """Return the place of the bracket that closes the one in a token."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += tokens[at].endswith("(")
        depth -= tokens[at] == ")"
        if not depth:
            return at
    raise ValueError("a bracket of the formula is never closed")


def _arguments(tokens: Sequence[str]) -> list[str]:
    """Return the arguments of a sum, those of a sum inside it in its place, runs of cells as ranges."""
    parts = _split(tokens)
    flat = [argument for part in parts for argument in (_inner(part) or [part])]
    short = list(_ranges(["".join(_shorten(part)) for part in flat]))
    return (
        short if len(short) <= _MOST_ARGUMENTS else list(_ranges(["".join(_shorten(part)) for part in parts]))
    )


def _inner(part: Sequence[str]) -> list[list[str]] | None:
    """Return the arguments of a part that is a sum and nothing else, however deep."""
    if not part or part[0] != "SUM(" or _closing(part, 0) != len(part) - 1:
        return None
    return [argument for inner in _split(part[1:-1]) for argument in (_inner(inner) or [inner])]


def _split(tokens: Sequence[str]) -> list[list[str]]:
    """Return the parts between the commas outside of all brackets."""
    parts: list[list[str]] = [[]]
    depth = 0
    for word in tokens:
        depth += word.endswith("(")
        depth -= word == ")"
        if word == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _ranges(arguments: Sequence[str]) -> Iterator[str]:
    run: list[_Cell] = []
    step = (0, 0)
    for argument in arguments:
        found = _CELL.fullmatch(argument)
        cell = _Cell(found[1], found[2]) if found else None
        if cell and len(run) == 1:
            step = next((way for way in ((1, 0), (0, 1)) if cell.follows(run[0], way)), (0, 0))
        if cell and run and step != (0, 0) and cell.follows(run[-1], step):
            run.append(cell)
            continue
        yield from _written(run)
        run, step = ([cell] if cell else []), (0, 0)
        if not cell:
            yield argument
    yield from _written(run)


def _written(run: Sequence[_Cell]) -> Iterator[str]:
    if run:
        end = f":{run[-1].address}" if len(run) > 1 else ""
        yield f"{run[0].sheet}{run[0].address}{end}"
