"""What a cost sheet looks like: the records that the layout template of the workbook is validated by.

The template is YAML behind Jinja, so that a theme may change sheets, columns, words and colours without code.
It lays out and labels and never computes: cells hold ids of ledger entries, or figures and texts of the
proposal.
"""

from __future__ import annotations

import re
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, Field, model_validator

from suanli.domain.record import Part, Text

__all__ = [
    "Block",
    "Column",
    "InlineRow",
    "Issued",
    "Layout",
    "LedgerBlock",
    "Look",
    "Message",
    "Meta",
    "Palette",
    "Quantity",
    "RowStyle",
    "RowsBlock",
    "Sheet",
    "WorkingsBlock",
    "is_defined_name",
]


class RowStyle(StrEnum):
    """Weight of a row."""

    ROW = "row"
    SUBTOTAL = "subtotal"
    TOTAL = "total"
    HEAD = "head"
    """A heading inside a table."""
    TITLE = "title"
    """Name of the sheet, at its top."""
    HEADER = "header"
    """Column names."""
    NOTE = "note"
    """A sentence that runs over the whole width."""


class Look(StrEnum):
    """What kind of content a cell has, told by colour; the legend explains each."""

    TEXT = "text"
    INPUT = "input"
    FORMULA = "formula"
    """A formula over its own sheet."""
    LINK = "link"
    """A formula that reads another sheet."""
    FIGURE = "figure"
    """A result of the sizing, printed for reading and not computed in the workbook."""
    WARNING = "warning"


class Meta(StrEnum):
    """What a column may say of the input that a row shows."""

    ENTRY = "entry"
    """The value of the entry itself."""
    UNIT = "unit"
    SOURCE = "source"
    DATED = "dated"
    GRADE = "grade"
    NOTE = "note"
    VALID_TO = "valid_to"
    LOW = "low"
    HIGH = "high"


class Quantity(Part):
    """A figure of the proposal that is no ledger entry."""

    value: Decimal
    unit: str


class Issued(Part):
    """A text that holds only while an amount is what it was when the workbook was issued."""

    entry: str
    """Ledger entry whose live value is compared."""
    number: str
    """Column of the same row that holds the amount as issued."""
    text: Text | str
    """Shown while the two agree; else the layout's message ``changed`` stands in its place."""


class Column(Part):
    """One column of a sheet."""

    key: str
    label: Text
    width: float = Field(gt=0, le=120)
    """Characters of the default font; a column of numbers grows beyond it when a number needs more."""
    align: Literal["left", "center", "right"] = "left"
    empty: Text | None = None
    """Shown in ordinary rows that have neither an entry nor a text here."""
    empty_unless: str = ""
    """Column that keeps `empty` away where it has an entry."""
    incomplete: Text | None = None
    """Shown in place of sums that miss an unpriced part, where such a sum would only mislead."""
    finds: str = ""
    """Id of the sheet to whose row of the same key the texts of this column lead by a link."""
    of: tuple[str, ...] = ()
    """Columns whose first entry `meta` speaks of."""
    meta: Meta | None = None
    behind: str = ""
    """Beginning of an id: `meta` speaks of the first such entry that the formula of the entry reads."""
    format: str = ""
    """Key of `Layout.formats` used in place of the entries' units."""
    words: str = ""
    """Vocabulary of `Layout.words` in which plain texts are looked up."""

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if bool(self.of) is not (self.meta is not None):
            raise ValueError(f'column "{self.key}" needs both "of" and "meta", or neither')
        return self


class InlineRow(Part):
    """A row that the template writes itself."""

    label: Text | str = ""
    cells: dict[str, str] = Field(default={})
    """Ledger entry by column key."""
    texts: dict[str, Text | str] = Field(default={})
    numbers: dict[str, Quantity] = Field(default={})
    looks: dict[str, Look] = Field(default={})
    formats: dict[str, str] = Field(default={})
    """Key of `Layout.formats` by column key, in place of the unit."""
    issued: dict[str, Issued] = Field(default={})
    spans: bool = False
    """Whether the text of the last filled column runs over the empty ones to its right."""
    links: dict[str, str] = Field(default={})
    """Id of the sheet that the text of a column leads to, by column key."""
    style: RowStyle = RowStyle.ROW


class LedgerBlock(Part):
    """A table of the ledger."""

    kind: Literal["ledger"]
    table: str
    titled: bool = True
    """Whether the table's title stands above its rows."""
    links: bool = False
    """True where the rows show entries that live on other sheets."""


class RowsBlock(Part):
    """Rows that the template writes itself; their entries live elsewhere."""

    kind: Literal["rows"]
    title: Text | None = None
    rows: tuple[InlineRow, ...]


class WorkingsBlock(Part):
    """The ledger entries that no table shows, so that no formula refers to nothing."""

    kind: Literal["workings"]


Block = Annotated[LedgerBlock | RowsBlock | WorkingsBlock, Field(discriminator="kind")]


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

    @model_validator(mode="after")
    def _distinct_columns(self) -> Self:
        keys = [column.key for column in self.columns]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise ValueError(f'sheet "{self.id}" has column {", ".join(twice)} twice')
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
]
"""Keys of `Layout.messages`; the last four say what may be typed into an input."""


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
