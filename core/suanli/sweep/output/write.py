"""The format of an output by its suffix, and the file written whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO, Final

from suanli.errors import Fault, InputError, RenderError, nearest
from suanli.files import write_streamed
from suanli.sweep.output.csv_file import write_csv
from suanli.sweep.output.parquet_file import require_parquet, write_parquet
from suanli.sweep.output.xlsx_file import write_xlsx

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from suanli.sweep.table import Table

__all__ = ["FORMATS", "check_output", "write_table"]

FORMATS: Final[dict[str, Callable[[Table, BinaryIO, str], None]]] = {
    ".csv": lambda table, stream, _: write_csv(table, stream),
    ".xlsx": write_xlsx,
    ".parquet": lambda table, stream, _: write_parquet(table, stream),
}
"""Writers by suffix; each takes the table, the stream and the language of headings."""


def check_output(path: Path) -> None:
    """Make sure that an output can be written, before any point is computed.

    Raises:
        InputError: no format has this suffix, or a folder has the file's name.
        RenderError: the folder is not there or may not be written to, or a library that the format needs is
            missing.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        what = f'"{path.name}" has no suffix of a known format'
        why, cure = f"known: {', '.join(FORMATS)}", nearest(suffix, FORMATS)
        raise InputError(Fault(what, where=str(path), key="-o", why=why, cure=cure))
    folder = path.absolute().parent
    if path.is_dir():
        raise InputError(Fault("is a folder", where=str(path), key="-o", why="a file is to be written here"))
    if not folder.is_dir():
        cure = "make the folder, or choose another"
        raise RenderError(Fault("there is no such folder", where=str(folder), key="-o", cure=cure))
    if not os.access(folder, os.W_OK | os.X_OK):
        cure = "choose a folder that you may write to"
        raise RenderError(Fault("may not be written to", where=str(folder), key="-o", cure=cure))
    if suffix == ".parquet":
        require_parquet()


def write_table(table: Table, path: Path, language: str = "en") -> Path:
    """Write a table in the format of the path's suffix and return the path.

    Args:
        table: the finished sweep.
        path: the file.
        language: of headings in a workbook, ``zh`` or ``en``; other formats carry the names of columns.

    Raises:
        RenderError: the file cannot be written, or a library is missing.
    """
    check_output(path)
    writer = FORMATS[path.suffix.lower()]
    return write_streamed(path, lambda stream: writer(table, stream, language))
