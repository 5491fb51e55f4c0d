"""The table as Parquet; needs the optional extra ``parquet``."""

from __future__ import annotations

from decimal import Decimal
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from suanli.errors import Fault, RenderError
from suanli.sweep.columns import Cell, Column, Kind

if TYPE_CHECKING:
    from suanli.sweep.table import Table

__all__ = ["require_parquet", "write_parquet"]

_ROWS = 10_000
"""Rows that are held in memory, and of one row group."""
_MONEY_DIGITS = 38
_CENT = 2


def require_parquet() -> Any:  # noqa: ANN401 - the library has no types of its own
    """Return the library.

    Raises:
        RenderError: it is not installed.
    """
    try:
        return import_module("pyarrow")
    except ImportError:
        cure = "install the extra: pip install 'suanli[parquet]', or write .csv or .xlsx"
        raise RenderError(
            Fault("pyarrow is not installed, which Parquet needs", key="-o", cure=cure)
        ) from None


def write_parquet(table: Table, stream: BinaryIO) -> None:
    """Write the rows in groups, money as exact decimals.

    Raises:
        RenderError: the library is not installed.
    """
    arrow = require_parquet()
    parquet: Any = import_module("pyarrow.parquet")
    schema = arrow.schema([(column.name, _type(arrow, column)) for column in table.columns])
    rows = table.rows()
    with parquet.ParquetWriter(stream, schema) as writer:
        while group := list(islice(rows, _ROWS)):
            columns = [
                [_value(column, row[number]) for row in group] for number, column in enumerate(table.columns)
            ]
            arrays = [
                arrow.array(cells, type=field.type) for cells, field in zip(columns, schema, strict=True)
            ]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema), row_group_size=_ROWS)


def _type(arrow: Any, column: Column) -> Any:  # noqa: ANN401 - the library has no types of its own
    return {
        Kind.TEXT: arrow.string(),
        Kind.WHOLE: arrow.int64(),
        Kind.REAL: arrow.float64(),
        Kind.MONEY: arrow.decimal128(_MONEY_DIGITS, _CENT),
        Kind.FLAG: arrow.bool_(),
    }[column.kind]


def _value(column: Column, cell: Cell) -> Cell | Decimal:
    return Decimal(str(cell)) if column.kind is Kind.MONEY and cell is not None else cell
