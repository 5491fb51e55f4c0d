"""Number formats and cell formats of the workbook."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from babel.numbers import get_currency_symbol, list_currencies

from suanli_reports.workbook_blocks import Look, RowStyle

if TYPE_CHECKING:
    from decimal import Decimal

    from suanli_reports.workbook_layout import Layout, Palette

__all__ = ["cell_format", "currency_symbol", "look_format", "number_format", "shown_width", "with_digits"]


_DIGITS = 2
"""Digits that a value keeps in a format that would show less."""
_MOST_PLACES = 8
_FEWEST = 1
"""Units of a format's last place below which a value shows as zero or as a lone digit."""


@cache
def _currencies() -> frozenset[str]:
    return frozenset(list_currencies())


def number_format(  # noqa: PLR0913 - what a format depends on
    unit: str,
    value: Decimal,
    layout: Layout,
    language: str,
    *,
    incomplete: bool = False,
    bare: bool = False,
) -> str:
    """Return the spreadsheet's number format for a unit.

    Args:
        unit: unit key of the ledger or of the layout's formats; a currency code is money, ``CNY/kWh`` a rate,
            ``CNY/USD`` an exchange rate.
        value: what the cell shows first; whole numbers of units without a format have no decimals.
        layout: holds the formats.
        language: decides the currency's sign: ``¥`` in Chinese, ``CN¥`` in English.
        incomplete: True for a sum that misses an unpriced part; it carries a mark.
        bare: leave the currency's sign out.
    """
    first, slash, second = unit.partition("/")
    currency = first if first in _currencies() else ""
    if unit in layout.formats:
        key = unit
    elif not currency:
        key = "whole" if value == value.to_integral_value() else "default"
    elif not slash:
        key = "incomplete" if incomplete else "money"
    else:
        key = "pair" if second in _currencies() else "rate"
    text = with_digits(layout.formats[key], value)
    if bare:
        return text.replace('"{symbol}"', "")
    return text.replace("{symbol}", currency_symbol(currency, language)) if currency else text


def with_digits(format_text: str, value: Decimal) -> str:
    """Return a format with more decimals where a small value would be shown as nothing but zeros.

    Two digits that count are kept, at most eight decimals; a value of 0 keeps the format.

    >>> from decimal import Decimal
    >>> with_digits("#,##0.0", Decimal("0.046")), with_digits("#,##0.0", Decimal("4.6"))
    ('#,##0.000', '#,##0.0')
    """
    section, semicolon, rest = format_text.partition(";")
    found = re.fullmatch(r"([^.]*0)(\.0+)?(%?)", section)
    if found is None or not value:
        return format_text
    places = len(found[2] or ".") - 1
    scaled = abs(value) * (100 if found[3] else 1)
    if scaled.scaleb(places) >= _FEWEST:
        return format_text
    needed = min(_MOST_PLACES, _DIGITS - 1 - scaled.adjusted())
    return f"{found[1]}.{'0' * needed}{found[3]}{semicolon}{rest}" if needed > places else format_text


@cache
def currency_symbol(currency: str, language: str) -> str:
    """Return the sign of a currency as the language writes it."""
    return get_currency_symbol(currency, "en" if language == "en" else "zh_CN")


def shown_width(value: Decimal, format_text: str) -> int:
    """Return the characters that a number takes in a format, a sign included.

    >>> from decimal import Decimal
    >>> shown_width(Decimal("1234.5"), '"¥"#,##0.00')
    10
    """
    section = format_text.partition(";")[0]
    literals = sum(len(part) for part in re.findall(r'"([^"]*)"', section))
    pattern = re.sub(r'"[^"]*"|\[[^\]]*\]', "", section)
    decimals = len(re.findall(r"[0#?]", pattern.partition(".")[2]))
    scaled = abs(value) * 100 if "%" in pattern else abs(value)
    digits = len(f"{scaled:,.{decimals}f}" if "," in pattern else f"{scaled:.{decimals}f}")
    return digits + literals + pattern.count("%") + 1


def cell_format(look: Look, style: RowStyle, align: str, number: str, layout: Layout) -> dict[str, Any]:
    """Return the properties of one cell's format, in the words of XlsxWriter.

    Args:
        look: what the cell holds.
        style: weight of its row.
        align: ``left``, ``center`` or ``right``.
        number: number format; empty for text.
        layout: font and colours.
    """
    palette = layout.palette
    properties: dict[str, Any] = {
        "font_name": layout.font,
        "font_size": layout.size,
        "font_color": _ink(look, palette),
        "align": align,
        "valign": "vcenter",
        "text_wrap": not number,
        # The legend shows the look of an input in a text.
        "locked": look is not Look.OPEN and (look is not Look.INPUT or not number),
        **_row_properties(style, layout),
    }
    if number:
        properties["num_format"] = number
    if look is Look.WARNING and style is RowStyle.NOTE:
        properties |= {"font_color": palette.warning, "bold": True}
    if look in {Look.INPUT, Look.OPEN}:
        properties |= {"bg_color": palette.input_fill, "font_color": palette.input_ink}
    return properties


def look_format(look: Look, layout: Layout) -> dict[str, Any]:
    """Return what a conditional format of a look changes, in the words of XlsxWriter."""
    properties: dict[str, Any] = {"font_color": _ink(look, layout.palette), "bold": True}
    return properties | ({"bg_color": layout.palette.alarm} if look is Look.ALARM else {})


def _ink(look: Look, palette: Palette) -> str:
    inks = {
        Look.INPUT: palette.input_ink,
        Look.LINK: palette.link_ink,
        Look.FIGURE: palette.soft,
        Look.WARNING: palette.warning,
        Look.ALARM: palette.warning,
    }
    return inks.get(look, palette.ink)


def _row_properties(style: RowStyle, layout: Layout) -> dict[str, Any]:
    palette = layout.palette
    hairline = {"bottom": 1, "bottom_color": palette.hair}
    accent = {"bold": True, "font_color": palette.accent, "text_wrap": False}
    properties: dict[RowStyle, dict[str, Any]] = {
        RowStyle.TITLE: {**accent, "font_size": layout.size + 5},
        RowStyle.NOTE: {"font_color": palette.soft, "valign": "top"},
        RowStyle.HEADER: {"bold": True, "bg_color": palette.band, "top": 1, "bottom": 1, "text_wrap": True},
        RowStyle.HEAD: {**accent, "bottom": 1, "bottom_color": palette.accent},
        RowStyle.SUBTOTAL: {"bold": True, "top": 1, "top_color": palette.hair, **hairline},
        RowStyle.TOTAL: {"bold": True, "bg_color": palette.tint, "top": 1, "bottom": 1},
        RowStyle.ROW: hairline,
        RowStyle.CHART: {},
    }
    return properties[style]
