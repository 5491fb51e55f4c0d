"""The columns of a quote sheet: their headings, and how they are found again in a sheet that comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from suanli.domain.record import Text
from suanli.project.quantities import normalise

__all__ = ["COLUMNS", "REFERENCE", "Column", "find_columns", "heading", "in_language"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column."""

    name: str
    """For programs; a heading of this name is read too."""
    heading: Text
    width: float
    filled: bool = False
    """True for what the supplier fills in."""
    needed: bool = False
    """True where a row that has a price must fill it in."""
    former: tuple[str, ...] = ()
    """Headings of sheets that were sent earlier and may still come back."""


COLUMNS: Final = (
    Column("key", Text(zh="编码（勿改）", en="Key (do not change)"), 30),
    Column("item_zh", Text(zh="名称（中文）", en="Item in Chinese"), 34),
    Column("item_en", Text(zh="名称（英文）", en="Item in English"), 34),
    Column("specification", Text(zh="技术要求", en="Specification"), 38),
    Column("unit", Text(zh="单位", en="Unit"), 10),
    Column("quantity", Text(zh="数量", en="Quantity"), 11),
    Column("options", Text(zh="各方案数量", en="Quantity by option"), 20),
    Column("unit_price", Text(zh="单价", en="Unit price"), 16, filled=True, needed=True),
    Column("currency", Text(zh="币种", en="Currency"), 9, filled=True, needed=True),
    Column(
        "vat_included",
        Text(zh="单价是否含增值税", en="Unit price includes VAT"),
        12,
        filled=True,
        needed=True,
        former=("是否含税", "VAT included", "是否含税 / VAT included"),
    ),
    Column(
        "vat_rate",
        Text(zh="增值税税率", en="VAT rate"),
        9,
        filled=True,
        former=("税率", "税率 / VAT rate"),
    ),
    Column("dated", Text(zh="报价日期", en="Quotation date"), 13, filled=True, needed=True),
    Column("valid_until", Text(zh="有效期至", en="Valid until"), 13, filled=True, needed=True),
    Column("supplier", Text(zh="供应商", en="Supplier"), 24, filled=True, needed=True),
    Column("number", Text(zh="报价单号", en="Quotation number"), 18, filled=True),
    Column("note", Text(zh="备注", en="Note"), 28, filled=True),
)
"""All columns, in order; those to be filled in come last."""

REFERENCE: Final = (
    Column("reference_price", Text(zh="参考单价", en="Reference price"), 16),
    Column("reference_dated", Text(zh="参考价日期", en="Reference date"), 13),
    Column("reference_source", Text(zh="参考价来源", en="Reference source"), 34),
    Column("reference_grade", Text(zh="参考价可信度", en="Reference confidence"), 15),
)
"""Columns that only the buyer's own copy has."""


def in_language(text: Text, language: str) -> str:
    """Return a text in one language, or in both."""
    if language == "bilingual":
        return f"{text.zh} / {text.en}"
    return text.zh if language == "zh" else text.en


def heading(column: Column, language: str) -> str:
    """Return the heading of a column."""
    return in_language(column.heading, language)


def _plain(text: object) -> str:
    return normalise(str(text)).casefold().rstrip(" *")


_NAMES: Final = {
    _plain(name): column.name
    for column in (*COLUMNS, *REFERENCE)
    for name in (
        column.name,
        *column.former,
        *(heading(column, language) for language in ("zh", "en", "bilingual")),
    )
}


def find_columns(row: tuple[object, ...]) -> dict[str, int] | None:
    """Return the place of each column that a row heads, or None where the row is no heading of a quote sheet.

    Headings are found in any of the languages, in any order; other columns are the supplier's own.
    """
    found: dict[str, int] = {}
    for place, cell in enumerate(row):
        name = _NAMES.get(_plain(cell)) if cell is not None else None
        if name is not None:
            found.setdefault(name, place)
    return found if {"key", "unit_price"} <= found.keys() else None
