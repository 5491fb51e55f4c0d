"""Text of the workbook in the language asked for, and how much room it takes."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.record import Text

__all__ = ["MAX_SHEET_NAME", "lines_needed", "plain", "say", "sheet_names", "width"]

MAX_SHEET_NAME = 31
"""Characters that a sheet name may have."""


def say(text: Text | str, language: str, *, between: str = " ") -> str:
    """Return a text in one language, or both with `between` where the document is bilingual.

    >>> from suanli.domain.record import Text
    >>> say(Text(zh="合计", en="Total"), "bilingual", between=" / ")
    '合计 / Total'
    >>> say("H100", "zh")
    'H100'
    """
    if isinstance(text, str):
        return text
    if language == "zh" or text.zh == text.en:
        return text.zh
    return text.en if language == "en" else f"{text.zh}{between}{text.en}"


_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]+")


def plain(text: str) -> str:
    r"""Return a text as it may stand outside of cells: one line, nothing that XML refuses, never a formula.

    >>> plain("=SUM(1)\x07\tx")
    ' =SUM(1) x'
    """
    cleaned = _UNWRITABLE.sub(" ", text)
    return f" {cleaned}" if cleaned.startswith("=") else cleaned


def width(text: str) -> int:
    """Return the columns that the longest line of a text takes; Chinese and full-width characters take two.

    >>> width("算力 kW")
    7
    """
    return max(
        sum(2 if unicodedata.east_asian_width(char) in "WFA" else 1 for char in line)
        for line in text.split("\n")
    )


def lines_needed(text: str, columns: float) -> int:
    """Return the lines that a text takes when wrapped in a column of a width.

    One column in twenty is kept free, because words do not break at the last character.

    >>> lines_needed("一二三四五六七八九十", 11)
    3
    """
    room = max(columns * 0.95 - 0.5, 2.0)
    return sum(max(1, math.ceil(width(line) / room)) for line in text.split("\n"))


def sheet_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return sheet names cut to the allowed length and made distinct, whatever the case of their letters.

    >>> sheet_names(["Bill", "bill"])
    ('Bill', 'bill (2)')
    """
    taken: dict[str, str] = {}
    for name in names:
        number, found = 1, name[:MAX_SHEET_NAME]
        while found.casefold() in taken:
            number += 1
            tail = f" ({number})"
            found = name[: MAX_SHEET_NAME - len(tail)] + tail
        taken[found.casefold()] = found
    return tuple(taken.values())
