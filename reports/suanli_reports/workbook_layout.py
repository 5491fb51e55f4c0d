"""What a cost sheet looks like: the records that the layout template of the workbook is validated by.

The template is YAML behind Jinja, so that a theme may change sheets, columns, words and colours without code.
It lays out and labels and never computes: cells hold ids of ledger entries, or figures and texts of the
proposal.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, Field, model_validator

from suanli.domain.record import Part, Text
from suanli_reports.workbook_blocks import Block, Column, Shade, WorkingsBlock

__all__ = ["Layout", "Message", "Palette", "Sheet", "is_defined_name"]


def _sheet_name(name: Text) -> Text:
    for text in (name.zh, name.en):
        if re.search(r"[\[\]:*?/\\]", text) or text.startswith("'") or text.endswith("'"):
            raise ValueError(f'sheet name "{text}" has a character that spreadsheets refuse')
    return name


class Sheet(Part):
    """One sheet; all its blocks share its columns."""

    id: str
    name: Annotated[Text, AfterValidator(_sheet_name)]
    title: Text
    notes: tuple[Text, ...] = ()
    columns: tuple[Column, ...] = Field(min_length=1)
    blocks: tuple[Block, ...]
    header: bool = True
    """Whether the column names stand above the first block, frozen and repeated on every printed page."""
    frozen_columns: int = Field(default=1, ge=0)
    one_page: bool = False
    """True to print on one page, whatever its length."""
    first: bool = False
    """Whether an entry that this sheet shows lives here, even where an earlier sheet shows it too."""
    colour: str = Field(default="", pattern=r"^(?:#[0-9a-fA-F]{6})?$")
    """Colour of the tab."""
    about: Text | None = None
    """What the sheet holds, for the list of contents."""
    filtered: bool = False
    """Whether the column names carry filters."""
    annotated: bool = False
    """Whether figures that have a note carry it here too, and not only where they live."""
    pages_across: bool = False
    """True for a table too wide for one page: it runs over several, the frozen columns on each.

    They end before each column with `new_page`; without any, where the page is full.
    """
    bare: bool = False
    """True where amounts stand without the sign of their currency, which the title then names."""
    shades: tuple[Shade, ...] = ()

    @model_validator(mode="after")
    def _distinct_columns(self) -> Self:
        keys = [column.key for column in self.columns]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise ValueError(f'sheet "{self.id}" has column {", ".join(twice)} twice')
        unknown = sorted({shade.column for shade in self.shades} - set(keys))
        if unknown:
            raise ValueError(f'sheet "{self.id}" has no column {", ".join(unknown)} to shade')
        return self


_Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]


class Palette(Part):
    """Colours of the workbook."""

    ink: _Colour
    soft: _Colour
    hair: _Colour
    accent: _Colour
    tint: _Colour
    """Fill of totals."""
    band: _Colour
    """Fill of headings."""
    input_ink: _Colour
    input_fill: _Colour
    link_ink: _Colour
    warning: _Colour
    alarm: _Colour
    """Fill of what needs a look: a failed check, a changed input."""
    series: tuple[_Colour, ...] = Field(min_length=4)
    """Colours of the series of charts, told apart in grey too."""


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,60}")
_LIKE_A_CELL = re.compile(r"[A-Za-z]{1,3}\d+|[Rr]\d*(?:[Cc]\d*)?")


def is_defined_name(name: str) -> bool:
    """Tell whether spreadsheets accept a name: letters, digits, underscores; no address such as ``FX1``.

    >>> is_defined_name("vat_goods"), is_defined_name("FX1"), is_defined_name("r2c3")
    (True, False, False)
    """
    return bool(_NAME.fullmatch(name)) and not _LIKE_A_CELL.fullmatch(name)


Message = Literal[
    "incomplete",
    "stale",
    "changed",
    "home",
    "share",
    "some_share",
    "span",
    "at_least",
    "more_than",
    "whole",
    "reads",
]
"""Keys of `Layout.messages`; ``share`` to ``whole`` say what may be typed into an input, ``reads`` stands
before the cells that the formula of a figure with a note reads.
"""


class Layout(Part):
    """The whole workbook."""

    font: str
    size: float = Field(default=10, ge=6, le=16)
    palette: Palette
    formats: dict[str, str]
    """Number format by unit.

    Required: ``money``, ``incomplete`` (money that misses a part), ``rate`` (money per something), ``pair``
    (exchange rates), and for units without a format ``whole`` and ``default``. ``{symbol}`` stands for the
    currency's sign.
    """
    words: dict[str, dict[str, Text]]
    """Vocabularies: keys of the ledger and their words."""
    names: dict[str, str] = Field(default={})
    """Defined name of the global inputs: name to ledger entry."""
    footer: Text
    """Page number of pages, in the spreadsheet's own codes."""
    messages: dict[Message, Text]
    """What the workbook says by itself; ``{minimum}`` and ``{maximum}`` are the ends of what may be typed."""
    smallest: float = Field(default=7.5, ge=5, le=12)
    """Points of print below which a sheet goes on A3 in place of A4."""
    comments: dict[str, Text] = Field(default={})
    """Note by ledger entry: what the figure is, and its equation in words."""
    sheets: tuple[Sheet, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        missing = sorted({"money", "rate", "pair", "default", "whole", "incomplete"} - set(self.formats))
        if missing:
            raise ValueError(f"formats lacks {', '.join(missing)}")
        unsaid = sorted(set(get_args(Message)) - set(self.messages))
        if unsaid:
            raise ValueError(f"messages lacks {', '.join(unsaid)}")
        bad = [name for name in self.names if not is_defined_name(name)]
        if bad:
            raise ValueError(f"not usable as defined names: {', '.join(bad)}")
        workings = [
            block for sheet in self.sheets for block in sheet.blocks if isinstance(block, WorkingsBlock)
        ]
        if len(workings) != 1:
            raise ValueError(f'exactly one block of kind "workings" is needed, not {len(workings)}')
        return self
