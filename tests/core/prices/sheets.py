"""Quote sheets of examples, filled in as a supplier would."""

from __future__ import annotations

import io
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

import openpyxl
from tests.core.built_in import EXAMPLES, SMALL, host

from suanli.pipeline import decide
from suanli.prices.asked import asked_of_keys, asked_of_plans
from suanli.prices.columns import COLUMNS, find_columns
from suanli.prices.grids import Row
from suanli.prices.sheet import Heading, write_xlsx
from suanli.project.load import load_project, parse_project

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from suanli.prices.asked import Asked
    from suanli.proposal.build import Decided

LIBRARY: Any = openpyxl
DAY = date(2026, 11, 30)
"""Of all examples."""
TOP = Heading(DAY, "CNY", "=HYPERLINK(1)", "@client")

OFFER: dict[str, Any] = {
    "unit_price": 1250.5,
    "currency": "CNY",
    "vat_included": "否",
    "dated": date(2026, 11, 20),
    "valid_until": date(2027, 1, 31),
    "supplier": "某供应商",
    "number": "Q-1",
}
"""A good answer to a row."""


@cache
def decided(name: str, *settings: str) -> Decided:
    """Return an example, or the small project, worked out."""
    if name == "small":
        return decide(parse_project(SMALL, "small.yaml", settings), host())
    return decide(load_project(EXAMPLES / f"{name}.yaml", settings), host())


@cache
def asked(name: str, *settings: str) -> tuple[Asked, ...]:
    """Return the rows of an example's quote sheet."""
    return asked_of_plans(decided(name, *settings).plans, host().catalogue)


def one(key: str) -> tuple[Asked, ...]:
    """Return the row of a thing."""
    return asked_of_keys([key], host().catalogue)


def sheet(rows: tuple[Asked, ...], language: str = "zh") -> bytes:
    """Return a sheet as it is sent."""
    return write_xlsx(rows, host().catalogue, TOP, language)


def filled(content: bytes, answer: Callable[[int], Mapping[str, Any]]) -> bytes:
    """Return a sheet with the cells that an answer gives for each row, counted from 0."""
    book = LIBRARY.load_workbook(io.BytesIO(content))
    page = book.active
    rows = list(page.iter_rows())
    heads = ((at, find_columns(tuple(cell.value for cell in row))) for at, row in enumerate(rows))
    top, columns = next((at, found) for at, found in heads if found)
    for number, row in enumerate(rows[top + 1 :]):
        for name, value in answer(number).items():
            row[columns[name]].value = value
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def answered(path: Path, rows: tuple[Asked, ...], **changes: object) -> Path:
    """Write a sheet with the same offer in every row."""
    path.write_bytes(filled(sheet(rows), lambda _: {**OFFER, **changes}))
    return path


def row(key: str | None = "class:optic-400g", **changes: object) -> Row:
    """Return a row as it is read, with a good answer that is changed."""
    names = [column.name for column in COLUMNS]
    cells: dict[str, Any] = {**dict.fromkeys(names), "key": key, **OFFER, **changes}
    letters = {name: chr(ord("A") + at) for at, name in enumerate(names)}
    return Row("quote.xlsx", "报价表", 12, cells, letters)
