"""The table as CSV: UTF-8, a line of column names, an empty cell for what is unknown."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from suanli.sweep.columns import Cell
    from suanli.sweep.table import Table

__all__ = ["write_csv"]


def write_csv(table: Table, stream: BinaryIO) -> None:
    """Write the rows one by one."""
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    for row in table.rows():
        writer.writerow([_spell(cell) for cell in row])
    text.flush()
    # The stream is its giver's to close.
    text.detach()


def _spell(cell: Cell) -> str:
    """Return a cell as text, numbers so that reading them gives the same number.

    >>> _spell(None), _spell(True), _spell(0.1), _spell(64.0)
    ('', 'true', '0.1', '64')
    """
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)
