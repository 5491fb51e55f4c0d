"""Reads figures out of texts of either language, so that two renderings of a proposal can be compared.

A figure is what stands written: its value, and how far rounding may have moved it. Amounts are brought to one
unit (元, 万元, 亿元 and millions), dates to one form. Columns of large amounts have their unit in the head,
so that a number without one may stand for 万元 in Chinese and for millions in English.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suanli_reports.office_tree import Element

BLOCKS = frozenset(
    "body div h1 h2 h3 li nav ol p pre section svg table tbody td th thead tr ul".split()  # noqa: SIM905
)
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
DRAWN = re.compile(r"<text[^>]*>([^<]*)</text>")
_MONTHS: list[str] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DATE_ZH = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日")
_DATE_EN = re.compile(rf"(\d{{1,2}}) ({'|'.join(_MONTHS)}) (\d{{4}})")
_SCALE = re.compile(r"^(?:[–\d.,°◇†]*)\s?(亿|万|million|billion)")
_SCALES = {"亿": Decimal(10**8), "万": Decimal(10**4), "million": Decimal(10**6), "billion": Decimal(10**9)}
_COLUMNS = Decimal(100)
"""Millions over 万: what a column of amounts is divided by in English."""


@dataclass(frozen=True)
class Figure:
    """A written number."""

    value: Decimal
    half: Decimal
    """Half a unit of its last digit."""
    scaled: bool

    def matches(self, other: Figure) -> bool:
        """Tell whether both may be the same figure, this one Chinese and the other English."""
        factors = [Decimal(1)]
        if not self.scaled and not other.scaled:
            factors.append(_COLUMNS)
        return any(
            abs(self.value / factor - other.value) <= (self.half / factor + other.half) for factor in factors
        )


def plain(text: str) -> str:
    """Return a text with one kind of space and dates in one form."""
    text = re.sub(r"\s", " ", text).replace("每千", "每 1,000 ")
    # Document numbers are given in one language or the other.
    text = re.sub(r"〔\d{4}〕\d+号|\[\d{4}\] No\. \d+", "", text)
    text = _DATE_ZH.sub(lambda found: f" {found[1]}-{found[2]}-{found[3]} ", text)
    return _DATE_EN.sub(
        lambda found: f" {found[3]}-{_MONTHS.index(str(found[2])) + 1}-{found[1]} ",
        text,
    )


def figures(text: str) -> list[Figure]:
    """Return the figures of a text in order."""
    found: list[Figure] = []
    line = plain(text)
    for match in NUMBER.finditer(line):
        value = Decimal(match[0].replace(",", ""))
        half = Decimal(5).scaleb(int(value.as_tuple().exponent) - 1) if "." in match[0] else Decimal(0)
        scale = _SCALE.match(line[match.end() :])
        factor = _SCALES[scale[1]] if scale else Decimal(1)
        half = Decimal("0.5") if scale and not half else half
        found.append(Figure(value * factor, half * factor, scaled=scale is not None))
    return found


def differences(chinese: str, english: str) -> tuple[list[Figure], list[Figure]]:
    """Return the figures of each text that the other lacks."""
    left, right = figures(chinese), figures(english)
    for figure in list(left):
        twin = next((other for other in right if figure.matches(other)), None)
        if twin is not None:
            left.remove(figure)
            right.remove(twin)
    return left, right


def numbers(texts: Iterator[str] | Sequence[str]) -> list[str]:
    """Return the numbers of texts as they are written."""
    return [number for text in texts for number in NUMBER.findall(text)]


def blocks(element: Element) -> Iterator[str]:
    """Yield the texts of an element's blocks and drawings; the contents are left out."""
    line = ""
    for child in element.children:
        if isinstance(child, str):
            line += child
        elif child.tag == "svg":
            yield from DRAWN.findall(str(child.children[0]))
        elif child.tag in BLOCKS:
            yield line
            line = ""
            if child.tag != "nav":
                yield from blocks(child)
        else:
            line += child.text
    yield line


def digits(figure: Figure) -> int:
    """Return how many digits of a figure say something; a sentence may spell a figure of few of them out."""
    return len("".join(map(str, figure.value.as_tuple().digits)).strip("0"))
