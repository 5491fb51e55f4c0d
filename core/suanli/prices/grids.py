"""Files of quotations as rows of cells: XLSX workbooks and CSV files in the encodings of their countries."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import openpyxl
from openpyxl.utils import get_column_letter

from suanli.errors import Fault, InputError, nearest
from suanli.prices.columns import find_columns

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from suanli.prices.cells import Cell

__all__ = ["FORMATS", "Row", "read_rows"]

FORMATS: Final = (".xlsx", ".csv")
"""Suffixes of the files that quotations are read from."""

_LARGEST: Final = 20_000_000
"""Bytes beyond which a file is no quote sheet."""
_UNPACKED: Final = 200_000_000
_HEAD_ROWS: Final = 50
"""Rows among which the headings must be."""
_MOST_ROWS: Final = 100_000
_LIBRARY: Any = openpyxl
"""The library, which has no types of its own."""
_ENCODINGS: Final = ("utf-8-sig", "gb18030")


@dataclass(frozen=True, slots=True)
class Row:
    """One row under the headings, by the names of columns."""

    file: str
    sheet: str
    """Empty for a file without sheets."""
    number: int
    """As the spreadsheet program counts."""
    cells: dict[str, Cell]
    letters: dict[str, str]
    """Letter of each column."""
    uncomputed: frozenset[str] = frozenset()
    """Columns that hold a formula whose value the file does not have."""

    @property
    def where(self) -> str:
        """Return file, sheet and row."""
        return ", ".join(
            part for part in (self.file, self.sheet and f'sheet "{self.sheet}"', f"row {self.number}") if part
        )

    def fault(self, column: str, what: str, why: str = "", cure: str = "") -> Fault:
        """Return a fault in a cell of the row."""
        letter = self.letters.get(column, "")
        key = f"column {letter} ({column})" if letter else column
        return Fault(what, where=self.where, key=key, why=why, cure=cure)


def read_rows(path: Path, content: bytes, name: str = "") -> list[Row]:
    """Return the rows under the headings of a file, in order.

    Args:
        path: the file, whose suffix says what it is.
        content: its bytes.
        name: what the file is called in messages.

    Raises:
        InputError: it is of another kind, damaged, or has no headings of a quote sheet.
    """
    name = name or str(path)
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        cure = (
            "save it as .xlsx"
            if suffix in {".xls", ".xlsm", ".xlsb", ".et", ".ods"}
            else nearest(suffix, FORMATS)
        )
        raise InputError(
            Fault(
                f'"{suffix}" is no format of a quote sheet',
                where=name,
                why=f"known: {', '.join(FORMATS)}",
                cure=cure,
            )
        )
    if len(content) > _LARGEST:
        raise InputError(
            Fault("is too large for a quote sheet", where=name, why=f"at most {_LARGEST:,} bytes")
        )
    rows = list(_xlsx(name, content) if suffix == ".xlsx" else _csv(name, content))
    if not rows:
        cure = "suanli prices template writes a sheet; keep its row of headings"
        why = f"a row among the first {_HEAD_ROWS} must head the columns key and unit price"
        raise InputError(Fault("has no quote sheet in it", where=name, why=why, cure=cure))
    return rows


def _csv(name: str, content: bytes) -> Iterator[Row]:
    text = _decoded(name, content)
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    try:
        grid = [
            tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        ]
    except csv.Error as error:
        raise InputError(Fault(f"is not readable as CSV: {error}", where=name)) from error
    yield from _under_headings(name, "", [tuple(cell or None for cell in row) for row in grid], [])


def _decoded(name: str, content: bytes) -> str:
    for encoding in _ENCODINGS:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    why = "a CSV file is read as UTF-8 or GB18030"
    raise InputError(
        Fault("is in an unknown encoding", where=name, why=why, cure="save it as UTF-8 or as .xlsx")
    )


def _xlsx(name: str, content: bytes) -> Iterator[Row]:
    values, formulas = _book(name, content, values=True), _book(name, content, values=False)
    for title in values.sheetnames:
        sheet = values[title]
        # Charts stand on sheets that have no rows.
        if not hasattr(sheet, "iter_rows"):
            continue
        last = min(sheet.max_row or 0, _MOST_ROWS)
        grids = [
            [tuple(row) for row in book[title].iter_rows(values_only=True, max_row=last)] if last else []
            for book in (values, formulas)
        ]
        yield from _under_headings(name, title, *grids)


def _book(name: str, content: bytes, *, values: bool) -> Any:  # noqa: ANN401 - a workbook of openpyxl
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        small = unpacked <= _UNPACKED
        book = (
            _LIBRARY.load_workbook(io.BytesIO(content), data_only=values, keep_links=False) if small else None
        )
    except Exception as error:  # noqa: BLE001 - the library raises whatever a damaged file leads it to
        cure = "open it in a spreadsheet program and save it as .xlsx without a password"
        raise InputError(
            Fault("is damaged or no workbook", where=name, why=str(error) or type(error).__name__, cure=cure)
        ) from None
    if book is None:
        why = f"it unpacks to {unpacked:,} bytes"
        raise InputError(Fault("is too large for a quote sheet", where=name, why=why))
    return book


def _under_headings(
    name: str, sheet: str, grid: list[tuple[Any, ...]], formulas: list[tuple[Any, ...]]
) -> Iterator[Row]:
    """Yield the rows below the headings of a sheet; none where it has no headings."""
    heads = ((number, find_columns(row)) for number, row in enumerate(grid[:_HEAD_ROWS]))
    top, columns = next(((number, found) for number, found in heads if found is not None), (0, None))
    if columns is None:
        return
    letters = {column: get_column_letter(place + 1) for column, place in columns.items()}
    for down in range(top + 1, len(grid)):
        row = grid[down]
        cells = {column: _cell(row, place) for column, place in columns.items()}
        typed = formulas[down] if down < len(formulas) else ()
        uncomputed = frozenset(
            column
            for column, place in columns.items()
            if cells[column] is None and _is_formula(_cell(typed, place))
        )
        yield Row(name, sheet, down + 1, cells, letters, uncomputed)


def _cell(row: tuple[Any, ...], place: int) -> Cell:
    cell = row[place] if place < len(row) else None
    if isinstance(cell, str):
        cell = cell.strip()
    return None if cell == "" else cast("Cell", cell)


def _is_formula(cell: object) -> bool:
    return cell is not None and (not isinstance(cell, str) or cell.startswith("="))
