"""Rows of quote sheets turned into price records; every row that cannot be is named, and all at once."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeVar

from suanli.domain.figure import Check, Confidence, Source
from suanli.domain.market import Price, VatTreatment
from suanli.domain.record import Text
from suanli.errors import Fault, InputError
from suanli.prices.cells import read_amount, read_currency, read_day, read_rate, read_yes, split_vat_mark
from suanli.prices.columns import COLUMNS
from suanli.prices.things import thing_of
from suanli.prices.units import read_unit, unit_name
from suanli.project.quantities import QuantityError, normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import date

    from suanli.domain.catalogue import Catalogue
    from suanli.prices.cells import Cell
    from suanli.prices.grids import Row
    from suanli.prices.things import Thing

__all__ = ["Quotation", "Quotations", "read_quotations"]

T = TypeVar("T")

_NEEDED: Final = tuple(column.name for column in COLUMNS if column.needed)
_FILLED: Final = tuple(column.name for column in COLUMNS if column.filled)
_OPEN: Final = {
    "vat_included": (
        "a price whose VAT is unknown is taken neither as net nor as gross",
        "write yes (含税), with the rate, or no (不含税)",
    )
}
"""Why a column is needed and what to do, where there is more to say than that it is."""
_NET_DIGITS: Final = Decimal("0.000001")
"""Places that the net part of a price with tax keeps; sheets round to the cent only after conversion."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """One row that was taken."""

    row: Row
    price: Price
    source: Source


@dataclass(slots=True)
class Quotations:
    """What was read: the rows taken, those left blank, and what is wrong with the others."""

    taken: list[Quotation] = field(default_factory=list[Quotation])
    blank: int = 0
    refused: int = 0
    """Rows."""
    unread: int = 0
    """Files that could not be read at all."""
    faults: list[Fault] = field(default_factory=list[Fault])
    """At least one for each refused row and unread file."""

    @property
    def prices(self) -> tuple[Price, ...]:
        """Return the price records."""
        return tuple(one.price for one in self.taken)

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the quotations as sources, each once."""
        return tuple({one.source.id: one.source for one in self.taken}.values())


def read_quotations(
    rows: Iterable[Row], catalogue: Catalogue, day: date, *, expired: bool = False
) -> Quotations:
    """Return the price records of rows.

    Args:
        rows: of one or several sheets.
        catalogue: what keys may name.
        day: on which the quotations are read; none may be dated after it.
        expired: take quotations whose validity has ended as well; they are then marked where they are used.
    """
    found = Quotations()
    seen: dict[tuple[str, str, str], Row] = {}
    for row in rows:
        if row.cells.get("unit_price") is None and "unit_price" not in row.uncomputed:
            # Not offered, though supplier and date may have been copied down; without a key it is a remark.
            found.blank += row.cells.get("key") is not None
            continue
        reader = _Reader(row, catalogue, day, expired=expired)
        taken = reader.read()
        if taken is not None:
            same = (str(row.cells.get("key")), taken.source.publisher, taken.source.ref)
            earlier = seen.setdefault(same, row)
            if earlier is not row:
                what = f'"{same[0]}" is quoted twice by {same[1]}'
                reader.faults.append(
                    row.fault("key", what, f"first in {earlier.where}", "keep one of the rows")
                )
                taken = None
        if taken is not None:
            found.taken.append(taken)
        else:
            found.refused += 1
            found.faults += reader.faults
    return found


@dataclass(slots=True)
class _Reader:
    """Reads one row and notes everything that is wrong with it."""

    row: Row
    catalogue: Catalogue
    day: date
    expired: bool
    faults: list[Fault] = field(default_factory=list[Fault])

    def read(self) -> Quotation | None:
        """Return the row as a price and its source, or None where it is refused."""
        thing = self._thing()
        self._missing()
        amount = self._cell("unit_price", lambda cell: read_amount(split_vat_mark(cell)[0]))
        currency = self._cell("currency", read_currency)
        included, rate = self._cell("vat_included", read_yes), self._cell("vat_rate", read_rate)
        self._check_vat(included=included, rate=rate)
        dated, until = self._cell("dated", read_day), self._cell("valid_until", read_day)
        if amount is not None:
            self._check_amount(amount, currency)
        self._check_days(dated, until)
        per = self._unit(thing) if thing is not None else ""
        if (
            self.faults
            or thing is None
            or amount is None
            or currency is None
            or dated is None
            or until is None
        ):
            return None
        source = self._source(dated)
        net = amount[0]
        if included and rate is not None:
            net = (net / (1 + rate)).quantize(_NET_DIGITS)
        price = Price(
            id=_price_id(source.id, thing.key),
            item=self._name(thing),
            what=thing.what,
            prices=thing.prices,
            basis=thing.basis,
            amount=net,
            currency=currency,
            per=per,
            dated=dated.isoformat(),
            valid_from=dated,
            valid_to=dated,
            validity_days=(until - dated).days,
            vat=VatTreatment.EXCLUDED,
            provider=source.publisher,
            source=source.id,
            confidence=Confidence.QUOTE,
            check=Check.DIRECT,
            note=self._note(amount[0], rate, included=bool(included)),
        )
        return Quotation(self.row, price, source)

    def _given(self, column: str) -> Cell:
        return self.row.cells.get(column)

    def _text(self, column: str) -> str:
        cell = self._given(column)
        # An apostrophe is how CSV files keep a name that looks like a formula from being one.
        return "" if cell is None else " ".join(str(cell).removeprefix("'").split())

    def _fault(self, column: str, what: str, why: str = "", cure: str = "") -> None:
        self.faults.append(self.row.fault(column, what, why, cure))

    def _cell(self, column: str, reader: Callable[[Cell], T]) -> T | None:
        """Return a cell as read; None where it is empty or wrong, which is then noted."""
        cell = self._given(column)
        if cell is None:
            return None
        try:
            return reader(cell)
        except QuantityError as error:
            self._fault(column, error.found, f"allowed: {error.allowed}", error.suggestion)
            return None

    def _thing(self) -> Thing | None:
        key = normalise(self._text("key"))
        if not key:
            why = "the key says what the price is for"
            self._fault(
                "key", "is missing in a row that is filled in", why, "copy it from the sheet that was sent"
            )
            return None
        try:
            return thing_of(key, self.catalogue)
        except InputError as error:
            self.faults += [self.row.fault("key", one.what, one.why, one.cure) for one in error.faults]
            return None

    def _missing(self) -> None:
        for column in _FILLED:
            if column in self.row.uncomputed:
                why = "the file holds a formula without its value"
                self._fault(
                    column,
                    "cannot be read",
                    why,
                    "open and save it in a spreadsheet program, or type the value",
                )
            elif column in _NEEDED and self._given(column) is None:
                why, cure = _OPEN.get(column, ("a row with a price needs it", "fill it in, or empty the row"))
                self._fault(column, "is missing", why, cure)

    def _check_amount(self, amount: tuple[Decimal, frozenset[str]], currency: str | None) -> None:
        value, named = amount
        if value <= 0:
            what = "is zero" if value == 0 else f"is negative: {value}"
            self._fault(
                "unit_price", what, "a price is above zero", "leave the row empty where nothing is offered"
            )
        if named and currency is not None and currency not in named:
            what = f"is in {' or '.join(sorted(named))}, the currency column says {currency}"
            self._fault("unit_price", what, cure="make the two agree")

    def _check_vat(self, *, included: bool | None, rate: Decimal | None) -> None:
        """Refuse a price of which its row leaves open, or says in two ways, whether VAT is in it."""
        if included and rate is None and self._given("vat_rate") is None:
            why = "the net price follows from the rate"
            self._fault("vat_rate", "is missing while VAT is included", why, "write it, such as 13%")
        marked = split_vat_mark(self._given("unit_price"))[1]
        if marked is not None and included is not None and marked is not included:
            said = "includes VAT" if marked else "excludes VAT"
            what = (
                f'"{self._text("unit_price")}" says that the price {said}, the column of VAT says otherwise'
            )
            self._fault("unit_price", what, cure="make the two agree")

    def _check_days(self, dated: date | None, until: date | None) -> None:
        if dated is not None and dated > self.day:
            self._fault(
                "dated", f"{dated} is in the future", f"the day of reading is {self.day}", "check the date"
            )
        if dated is not None and until is not None and until < dated:
            self._fault(
                "valid_until", f"{until} is before the quotation's date {dated}", cure="check both dates"
            )
        elif until is not None and until < self.day and not self.expired:
            cure = "ask for a new quotation"
            self._fault(
                "valid_until",
                f"the quotation has expired on {until}",
                f"the day of reading is {self.day}",
                cure,
            )

    def _unit(self, thing: Thing) -> str:
        """Return the unit of the price; a sheet that names another one would price something else."""
        given = read_unit(self._text("unit"))
        if not given and not thing.per:
            self._fault("unit", "is missing", "nothing else says what one of the quantity is")
        if given and thing.per and given != thing.per:
            expected = unit_name(thing.per, "en")
            what = f'"{self._text("unit")}" is not the unit of {thing.key}'
            self._fault("unit", what, f"it is priced per {expected}", "quote by that unit")
        return thing.per or given

    def _source(self, dated: date) -> Source:
        supplier, number = self._text("supplier"), self._text("number")
        digest = hashlib.sha256(f"{supplier}\n{number}\n{dated}".encode()).hexdigest()[:10]
        title = f"报价单 {number}" if number else "报价单"
        return Source(
            id=f"quote-{digest}",
            title=f"{title} / Quotation{f' {number}' if number else ''}",
            publisher=supplier,
            published=dated.isoformat(),
            ref=number,
            retrieved=self.day,
        )

    def _name(self, thing: Thing) -> Text:
        zh, en = self._text("item_zh"), self._text("item_en")
        if thing.name is not None:
            return thing.name
        return Text(zh=zh or en or thing.key, en=en or zh or thing.key)

    def _note(self, quoted: Decimal, rate: Decimal | None, *, included: bool) -> str:
        parts = [self._text("note")]
        if included and rate is not None:
            parts.insert(0, f"quoted {quoted} with {rate * 100:f} % VAT")
        quantity = self._text("quantity")
        if quantity:
            parts.append(f"quoted for a quantity of {quantity}")
        return "; ".join(part for part in parts if part)


def _price_id(source: str, key: str) -> str:
    """Return the id of a price: its quotation, and what it prices."""
    digest = hashlib.sha256(key.encode()).hexdigest()[:8]
    name = re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")[:50].strip("-")
    return f"{source}-{name}-{digest}"
