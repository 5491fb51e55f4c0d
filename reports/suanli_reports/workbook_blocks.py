"""What a sheet is made of: columns, rows and blocks, as the layout template of the workbook names them."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from suanli.domain.record import Part, Text

__all__ = [
    "Block",
    "Chart",
    "ChartBlock",
    "Column",
    "ContentsBlock",
    "InlineRow",
    "Issued",
    "LedgerBlock",
    "Look",
    "Meta",
    "Quantity",
    "RowStyle",
    "RowsBlock",
    "SeriesBlock",
    "Shade",
    "WorkingsBlock",
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
    CHART = "chart"
    """Room that a chart stands in; it holds no cell."""


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
    ALARM = "alarm"
    """A failed check, or an input that is no longer as issued; filled as well as coloured."""
    OPEN = "open"
    """A cell without content that a reader fills in; it is not locked."""


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
    new_page: bool = False
    """True where a printed page begins with this column, on a sheet that runs over several pages across."""

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if bool(self.of) is not (self.meta is not None):
            raise ValueError(f'column "{self.key}" needs both "of" and "meta", or neither')
        return self


class InlineRow(Part):
    """A row that the template writes itself."""

    id: str = ""
    """Name by which a chart finds the row."""
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
    open: tuple[str, ...] = ()
    """Columns whose cells are left to the reader to fill in."""
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
    id: str = ""
    """Name by which a chart finds the block."""
    title: Text | None = None
    rows: tuple[InlineRow, ...]


class WorkingsBlock(Part):
    """The ledger entries that no table shows, so that no formula refers to nothing."""

    kind: Literal["workings"]


class SeriesBlock(Part):
    """The ledger entries that no table shows and that run over the columns of the sheet, a row each.

    An entry belongs here where its id is a name, a dot and the key of a column, such as
    ``general.active.year1``. So every formula of a row reads the column it stands in.
    """

    kind: Literal["series"]
    title: Text | None = None
    prefix: str = ""
    """Beginning of the ids; empty for all."""
    labels: dict[str, Text] = Field(default={})
    """Label by name; without one the row has the label of its first entry."""


class ContentsBlock(Part):
    """The list of all other sheets, each a link, with what it holds beside it."""

    kind: Literal["contents"]
    title: Text | None = None
    name: str
    """Column of the sheets' names."""
    about: str
    """Column of what they hold."""


class Chart(Part):
    """A chart over neighbouring cells of a block; values, names and categories are read from the cells."""

    title: Text
    shape: Literal["column", "bar", "line"] = "column"
    """Upright bars, lying bars with the first category on top, or lines."""
    stacked: bool = False
    table: str
    """Ledger table, or id of a block of rows."""
    rows: tuple[str, ...] = Field(min_length=1)
    """Ids of rows of the table; neighbours of each other where a row is a category."""
    columns: tuple[str, ...] = Field(min_length=1)
    """Keys of columns; neighbours of each other where a column is a category."""
    series: Literal["rows", "columns"] = "rows"
    """What a colour stands for: a row over the columns, or a column over the rows."""
    values: Text
    """Title of the axis of values, with their unit."""
    categories: Text | None = None
    """Title of the axis of categories."""
    format: str
    """Key of `Layout.formats` for the axis of values."""
    labelled: bool = False
    """Whether each bar carries its value."""


class ChartBlock(Part):
    """Charts side by side in rows kept free for them, so that they cover no cell."""

    kind: Literal["chart"]
    charts: tuple[Chart, ...] = Field(min_length=1, max_length=4)
    lines: int = Field(default=18, ge=8, le=40)
    """Height in lines of text."""


Block = Annotated[
    LedgerBlock | RowsBlock | WorkingsBlock | SeriesBlock | ContentsBlock | ChartBlock,
    Field(discriminator="kind"),
]


class Shade(Part):
    """A conditional format of a column: how cells look while a condition holds."""

    column: str
    when: Literal["contains", "nonzero", "edited"]
    """A text stands in the cell, a number is not 0, or an input is no longer as issued."""
    text: Text | None = None
    """What `contains` looks for."""
    look: Look = Look.WARNING

    @model_validator(mode="after")
    def _with_its_text(self) -> Self:
        if (self.when == "contains") is not (self.text is not None):
            raise ValueError(f'shade of "{self.column}": a text is for "contains", and only for it')
        return self
