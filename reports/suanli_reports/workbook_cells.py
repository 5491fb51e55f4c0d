"""Cells of a workbook that some spreadsheet program saved, as plain values; and formulas made comparable."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from openpyxl import load_workbook
from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token
from openpyxl.formula.translate import Translator
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from openpyxl.worksheet.worksheet import Worksheet

__all__ = ["Book", "Content", "Formula", "address", "decimal", "open_book", "same_number", "shift"]

_MOST_BYTES: Final = 100_000_000
"""Of one file, and of what its parts unpack to, ten times as much; no cost sheet comes near."""
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DIGITS: Final = 15
"""Significant digits that every spreadsheet program keeps."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as the file writes it, with its ``=``."""

    text: str

    @property
    def plain(self) -> str:
        """Return the formula without what programs write differently: spaces, quotes, ``$``, zeros, case."""
        return "".join(_plain(token) for token in Tokenizer(self.text).items)


Content: TypeAlias = "float | str | bool | Formula | object"
"""What a cell holds: a number, a text, a truth value, a formula, or something else such as a date."""


@dataclass(frozen=True, slots=True)
class Book:
    """A workbook as it was saved."""

    sheets: Mapping[str, Mapping[tuple[int, int], Content]]
    """Filled cells by sheet; row and column count from 0."""
    names: Mapping[str, str]
    """What each defined name of the workbook stands for, made comparable."""
    saved: date | None


def address(row: int, column: int) -> str:
    """Return the address of a cell.

    >>> address(6, 1)
    'B7'
    """
    return f"{get_column_letter(column + 1)}{row + 1}"


def decimal(value: float) -> Decimal:
    """Return a number of a cell as a decimal, without the noise of binary fractions.

    >>> decimal(0.1 + 0.2), decimal(41.0)
    (Decimal('0.3'), Decimal('41'))
    """
    return Decimal(f"{value:.{_DIGITS}g}")


def same_number(one: float, other: float) -> bool:
    """Tell whether two numbers are the same to all digits that spreadsheet programs keep."""
    return decimal(one) == decimal(other)


def shift(formula: Formula, from_cell: tuple[int, int], to_cell: tuple[int, int]) -> Formula:
    """Return a formula as it reads after its cell was moved."""
    if from_cell == to_cell:
        return formula
    translator: Any = Translator(formula.text, origin=address(*from_cell))
    return Formula(str(translator.translate_formula(address(*to_cell))))


_PREFIX: Final = re.compile(r"_XLFN\.|_XLWS\.")


def _plain(token: Token) -> str:
    value = str(token.value)
    match token.type, token.subtype:
        case Token.WSPACE, _:
            return ""
        case Token.OPERAND, Token.NUMBER:
            return _plain_number(value)
        case Token.OPERAND, Token.RANGE:
            sheet, mark, cells = value.rpartition("!")
            name = sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet.removeprefix("$")
            return f"{name}{mark}{cells.replace('$', '').upper()}"
        case Token.FUNC, _:
            return _PREFIX.sub("", value.upper())
        case _:
            return value


def _plain_number(text: str) -> str:
    try:
        return str(Decimal(text).normalize())
    except InvalidOperation:
        return text


def open_book(content: bytes, name: str) -> Book:
    """Return the cells of a file.

    Raises:
        InputError: it is no workbook that can be read.
    """
    _refuse_other_files(content, name)
    try:
        with warnings.catch_warnings():
            # What openpyxl does not know of a file, such as charts, is not read here.
            warnings.simplefilter("ignore")
            book: Any = load_workbook(io.BytesIO(content), keep_links=False)
    except Exception as error:
        # A damaged file fails anywhere in the reader, with whatever the damage leads to.
        why = f"{type(error).__name__}: {error}"
        raise InputError(_fault("is damaged, or no workbook at all", name, why)) from error
    modified = book.properties.modified
    return Book(
        {sheet.title: _cells(sheet) for sheet in book.worksheets},
        {key: Formula(f"={one.attr_text}").plain for key, one in book.defined_names.items()},
        modified.date() if modified is not None else None,
    )


def _fault(what: str, name: str, why: str = "", cure: str = "save the cost sheet as .xlsx") -> Fault:
    return Fault(what, where=name, why=why, cure=cure)


def _refuse_other_files(content: bytes, name: str) -> None:
    """Refuse what is no zip archive with a workbook in it, and say what it is where that can be told.

    Raises:
        InputError: it is such a file.
    """
    if content.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in content:
            cure = "open it, remove the password, and save it as .xlsx"
            raise InputError(_fault("is protected by a password", name, "nothing in it can be read", cure))
        raise InputError(_fault("is a workbook of the old format .xls", name))
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise InputError(_fault("is no .xlsx workbook", name, "empty" if not content else ""))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = archive.namelist()
        size = sum(part.file_size for part in archive.infolist())
    if "xl/workbook.xml" not in parts:
        other = "an OpenDocument file" if "mimetype" in parts else "another kind of file"
        raise InputError(_fault("is no .xlsx workbook", name, f"it is {other}"))
    if len(content) > _MOST_BYTES or size > 10 * _MOST_BYTES:
        raise InputError(_fault("is far larger than any cost sheet", name))


def _cells(sheet: Worksheet) -> dict[tuple[int, int], Content]:
    return {
        (row, column): found
        for row, cells in enumerate(sheet.iter_rows(min_row=1, min_col=1))
        for column, cell in enumerate(cells)
        if (found := _content(cell)) is not None
    }


def _content(cell: Any) -> Content | None:  # noqa: ANN401 - a cell, or a part of a merged one
    value = cell.value
    if isinstance(value, ArrayFormula | DataTableFormula):
        return Formula(str(getattr(value, "text", "") or "="))
    if isinstance(value, str):
        if cell.data_type == "f":
            return Formula(value)
        text = value.replace("\r\n", "\n").strip()
        # A blank cell that leads somewhere reads as the address that it leads to.
        link = cell.hyperlink
        leads = link is not None and text in {link.location, link.target}
        return None if leads or not text else text
    if isinstance(value, bool) or value is None:
        return value
    return float(value) if isinstance(value, int | float | Decimal) else value
