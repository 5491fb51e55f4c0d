"""The ledger: the one place where money is computed.

Inputs are the figures a reviewer may change; lines are expressions over inputs and earlier lines. Tables say
where each entry stands, so that a workbook can show it; they hold ids only, never a second copy of a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence  # noqa: TC003 - pydantic reads these annotations at run time
from dataclasses import dataclass, field
from datetime import date  # noqa: TC003
from decimal import Decimal  # noqa: TC003

from suanli.costing.expressions import Expression, evaluated, exact_context, references
from suanli.domain.figure import Grade
from suanli.domain.record import Text  # noqa: TC001

__all__ = ["Entry", "Input", "Ledger", "Line", "Table", "TableRow", "values_of"]


@dataclass(frozen=True, slots=True)
class Input:
    """A figure that a reviewer may change in a blue cell."""

    id: str
    label: Text
    value: Decimal
    unit: str
    """Unit key: CNY, USD, ``fraction``, ``kWh``, ``count``, ``CNY/kWh``, ``year`` ..."""
    group: str
    """Block of the inputs sheet: general, site, rates, prices, quantities, energy."""
    source: str = ""
    """Source id, or empty for a figure of the project file."""
    dated: str = ""
    grade: Grade = Grade.DIRECT
    stale: bool = False
    valid_to: date | None = None
    note: Text | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    """Range that the source gives, in `unit`."""
    least: Decimal | None = None
    most: Decimal | None = None
    """Bounds of what a reviewer may enter, where its unit alone does not set them."""


@dataclass(frozen=True, slots=True)
class Line:
    """A value computed from inputs and earlier lines."""

    id: str
    label: Text
    expression: Expression
    unit: str
    incomplete: bool = False
    """True for a sum that misses an unpriced part."""


Entry = Input | Line


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: ids of ledger entries by column key, and texts by column key."""

    id: str
    label: Text
    cells: Mapping[str, str] = field(default_factory=dict[str, str])
    texts: Mapping[str, str | Text] = field(default_factory=dict[str, "str | Text"])
    style: str = "row"
    """row, subtotal, total or head."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that stand together on a sheet."""

    id: str
    """bill, tco, totals, energy or checks; a table of one option is named ``bill:A``."""
    title: Text
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    option: str = ""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Entries in an order in which each refers only to earlier ones, and the tables that show them."""

    currency: str
    entries: tuple[Entry, ...]
    tables: tuple[Table, ...] = ()
    whole: frozenset[str] = frozenset()
    """Options whose servers are priced whole, in a currency that converts; others have no total."""

    def __post_init__(self) -> None:
        """Refuse duplicate ids and references to entries that do not stand before."""
        seen: set[str] = set()
        for entry in self.entries:
            if entry.id in seen:
                raise ValueError(f'ledger entry "{entry.id}" stands twice')
            if isinstance(entry, Line):
                # The order doubles as the order of evaluation, so a cycle cannot be written down at all.
                missing = [name for name in references(entry.expression) if name not in seen]
                if missing:
                    raise ValueError(
                        f'ledger line "{entry.id}" refers to {", ".join(missing)}, not found before it'
                    )
            seen.add(entry.id)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Return the inputs in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, Input))

    @property
    def lines(self) -> tuple[Line, ...]:
        """Return the lines in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, Line))

    def envelope(self) -> tuple[dict[str, Decimal], dict[str, Decimal]]:
        """Return all values with every input at the low and at the high end that its source gives.

        An input without a stated end keeps its value, so the two are the span of what the sources say, not a
        confidence interval.
        """
        low = {entry.id: entry.low for entry in self.inputs if entry.low is not None}
        high = {entry.id: entry.high for entry in self.inputs if entry.high is not None}
        return self.values(low), self.values(high)

    def values_of(self, wanted: Iterable[str]) -> dict[str, Decimal]:
        """Return the exact values of some entries; those that the ledger does not have are left out."""
        return values_of(self.entries, wanted)

    def values(self, changed: Mapping[str, Decimal] | None = None) -> dict[str, Decimal]:
        """Return the exact value of every entry.

        Args:
            changed: new values of inputs, by id, in place of their own.

        Raises:
            KeyError: `changed` names something that is no input.
        """
        override = dict(changed or {})
        known = {entry.id for entry in self.inputs}
        unknown = sorted(set(override) - known)
        if unknown:
            raise KeyError(f"no ledger input named {', '.join(unknown)}")
        return _evaluated(self.entries, override)


def values_of(entries: Sequence[Entry], wanted: Iterable[str]) -> dict[str, Decimal]:
    """Return the exact values of some entries, computing no others than those behind them.

    Args:
        entries: of a ledger, in its order.
        wanted: ids; those that no entry has are left out.
    """
    known = {entry.id: entry for entry in entries}
    targets = [name for name in wanted if name in known]
    needed, pending = set[str](), list(targets)
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            entry = known[name]
            pending += references(entry.expression) if isinstance(entry, Line) else ()
    values = _evaluated((entry for entry in entries if entry.id in needed), {})
    return {name: values[name] for name in targets}


def _evaluated(entries: Iterable[Entry], override: Mapping[str, Decimal]) -> dict[str, Decimal]:
    result: dict[str, Decimal] = {}
    with exact_context():
        for entry in entries:
            if isinstance(entry, Input):
                result[entry.id] = override.get(entry.id, entry.value)
            else:
                result[entry.id] = evaluated(entry.expression, result)
    return result
