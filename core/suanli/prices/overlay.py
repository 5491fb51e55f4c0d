"""The quotations that a project names: their prices join the catalogue for its run, and for no other."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from suanli.domain.catalogue import Catalogue, Provenance
from suanli.domain.figure import Source
from suanli.domain.market import Price, VatTreatment
from suanli.domain.record import Text
from suanli.errors import Fault, InputError, nearest
from suanli.planning.price_keys import class_key
from suanli.prices.files import RECORDS, Records, content_of, read_records
from suanli.prices.grids import FORMATS, read_rows
from suanli.prices.quotations import read_quotations
from suanli.prices.things import thing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date
    from pathlib import Path

    from suanli.domain.record import Record
    from suanli.domain.workload import Commercial
    from suanli.project.schema import Project

__all__ = ["Quoted", "check_convertible", "quote_paths", "read_quotes"]

KEY = "commercial.quotes"
_ORIGIN = Provenance("project", KEY, "")


@dataclass(frozen=True, slots=True)
class Quoted:
    """The catalogue of one run."""

    catalogue: Catalogue
    prices: Mapping[str, Price] = field(default_factory=dict[str, Price])
    """Prices of the quotations, by the place that they were read from."""
    notices: tuple[Text, ...] = ()
    """What the reader must know of them."""


def quote_paths(project: Project) -> dict[str, Path]:
    """Return the files of quotations by their names in the project file, relative to its folder."""
    return {name: project.path.parent / name for name in project.file.commercial.quotes or ()}


def read_quotes(project: Project, catalogue: Catalogue) -> Quoted:
    """Return the catalogue with the prices of a project's quotations; as it is where it names none.

    Raises:
        InputError: a file is missing, or something in it is wrong; every fault of every file.
    """
    paths = quote_paths(project)
    if not paths:
        return Quoted(catalogue)
    reading = _Reading(project, catalogue)
    for name, path in paths.items():
        reading.read(name, path)
    if reading.faults:
        raise InputError(reading.faults)
    merged = _merged(catalogue, [*reading.prices.values(), *reading.sources.values()])
    return Quoted(merged, reading.prices, tuple(_rivals(reading.prices.values())))


@dataclass(slots=True)
class _Reading:
    """Reads the files of one project and notes what is wrong with them."""

    project: Project
    catalogue: Catalogue
    prices: dict[str, Price] = field(default_factory=dict[str, Price])
    sources: dict[str, Source] = field(default_factory=dict[str, Source])
    faults: list[Fault] = field(default_factory=list[Fault])

    @property
    def day(self) -> date:
        return self.project.file.project.date

    def read(self, name: str, path: Path) -> None:
        """Read one file."""
        try:
            content = content_of(path)
            if path.suffix.lower() in RECORDS:
                self._records(path, read_records(path, content))
            elif path.suffix.lower() in FORMATS:
                self._sheet(path, content)
            else:
                why = f"known: {', '.join((*FORMATS, *RECORDS))}"
                self.faults.append(self.project.origin.fault(KEY, f'"{name}" is no file of prices', why))
        except InputError as error:
            place = self.project.origin.place(KEY)
            for fault in error.faults:
                key = KEY if not fault.key else f"{KEY} ({fault.key})"
                self.faults.append(Fault(fault.what, fault.where or place, key, fault.why, fault.cure))

    def _sheet(self, path: Path, content: bytes) -> None:
        # An offer that has expired by the project's date is used and marked, like any other stale price.
        found = read_quotations(read_rows(path, content), self.catalogue, self.day, expired=True)
        if found.faults:
            raise InputError(found.faults)
        for one in found.taken:
            self._add(one.row.where, one.price)
        self.sources |= {source.id: source for source in found.sources}

    def _records(self, path: Path, records: Records) -> None:
        own = {source.id: source for source in records.sources}
        for price in records.prices:
            place = f"{path}: prices[{price.id}]"
            self.faults += _record_faults(price, place, self.catalogue, own, self.day)
            self._add(place, price)
        self.sources |= own

    def _add(self, place: str, price: Price) -> None:
        known = {other.id: where for where, other in self.prices.items()}
        if price.id in known or self.catalogue.find(Price, price.id) is not None:
            where = known.get(price.id, "the catalogue")
            what = f"this price of {price.provider or price.source} is there already"
            self.faults.append(
                Fault(what, where=place, key=KEY, why=f"first in {where}", cure="keep one of the two")
            )
            return
        self.prices[place] = price


def _record_faults(
    price: Price, place: str, catalogue: Catalogue, own: Mapping[str, Source], day: date
) -> Iterator[Fault]:
    """Yield what is wrong with a price record that a person may have written."""
    if price.source not in own and catalogue.find(Source, price.source) is None:
        cure = nearest(price.source, [*own, *(one.id for one in catalogue.all(Source))])
        yield Fault(f'source "{price.source}" is unknown', where=place, key=KEY, cure=cure)
    if price.valid_from > day:
        why = f"the document is dated {day}"
        yield Fault(f"the quotation of {price.valid_from} is in the future", where=place, key=KEY, why=why)
    if price.amount <= 0:
        yield Fault(f"the amount is {price.amount}", where=place, key=KEY, why="a price is above zero")
    if price.vat is VatTreatment.UNKNOWN:
        why = "a price whose VAT is unknown is taken neither as net nor as gross"
        cure = "add vat: excluded, or vat: included"
        yield Fault("does not say whether VAT is in the price", where=place, key=KEY, why=why, cure=cure)
    known = {name for kind, records in catalogue.records.items() if kind != Price.kind for name in records}
    for name in price.prices:
        if name not in known:
            yield Fault(f'"{name}" is in no catalogue', where=place, key=KEY, cure=nearest(name, known))
    if not price.prices and not price.basis:
        why = "a price names records under prices, or a class under basis"
        yield Fault("prices nothing", where=place, key=KEY, why=why)
    if price.basis and not price.prices:
        yield from _class_faults(price, place, catalogue)


def _class_faults(price: Price, place: str, catalogue: Catalogue) -> Iterator[Fault]:
    try:
        thing = thing_of(class_key(price.basis), catalogue)
    except InputError as error:
        for fault in error.faults:
            yield Fault(f'basis "{price.basis}" is unknown', where=place, key=KEY, cure=fault.cure)
        return
    if thing.per != price.per:
        what = f'"{price.per}" is not the unit of {price.basis}'
        yield Fault(what, where=place, key=KEY, why=f"it is priced per {thing.per}")


def _merged(catalogue: Catalogue, added: Iterable[Record]) -> Catalogue:
    """Return a catalogue with further records."""
    records = {kind: dict(filed) for kind, filed in catalogue.records.items()}
    provenance = dict(catalogue.provenance)
    for record in added:
        records.setdefault(record.kind, {})[record.id] = record
        provenance[record.kind, record.id] = _ORIGIN
    filed = {kind: MappingProxyType(dict(sorted(records[kind].items()))) for kind in sorted(records)}
    return Catalogue(MappingProxyType(filed), MappingProxyType(provenance))


def _rivals(prices: Iterable[Price]) -> Iterator[Text]:
    """Yield a notice for each thing that several suppliers quote: the newest quotation is used."""
    offers: dict[tuple[object, ...], list[Price]] = {}
    for price in prices:
        offers.setdefault((price.what, price.prices, price.basis), []).append(price)
    for group in offers.values():
        if len(group) > 1:
            newest = min(group, key=lambda price: (-price.valid_to.toordinal(), price.id))
            names = sorted({price.provider or price.source for price in group})
            used = f"{newest.provider or newest.source}, {newest.dated}"
            item, count = newest.item, len(group)
            yield Text(
                zh=f"“{item.zh}”有 {count} 份报价（{'、'.join(names)}），采用日期最新的一份：{used}。",
                en=f"{item.en} has {count} quotations ({', '.join(names)}); the newest is used: {used}.",
            )


def check_convertible(quoted: Quoted, commercial: Commercial) -> Iterator[Fault]:
    """Yield a fault for each quotation that no exchange rate takes to the project's currency.

    It would beat a price that can be converted and leave the line without any.
    """
    currency = commercial.currency
    for place, price in quoted.prices.items():
        pair = {price.currency, currency}
        if price.currency != currency and not any(
            {rate.base, rate.quote} == pair for rate in commercial.exchange_rates
        ):
            cure = f"add commercial.fx: [{{pair: {price.currency}/{currency}, rate: …, date: …}}]"
            why = "an exchange rate is needed, and none is given"
            yield Fault(f"is in {price.currency}, totals are in {currency}", place, KEY, why, cure)
