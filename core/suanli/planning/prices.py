"""Which of several prices is used for a thing, and what may never price it.

Quotations come first, then the row that the data mark as preferred, then the best grade, then the newest.
Refuted rows are never used. The price of a relative is never used either, save where a price row itself names
both server and device. Currency conversion is not done here: it is a line of the ledger.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from suanli.domain.figure import Confidence, Grade
from suanli.domain.market import Price, PriceKind
from suanli.domain.record import Text
from suanli.domain.regions import country

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.hardware import Accelerator, Server

__all__ = [
    "ORIGIN_NAMES",
    "PriceOrigin",
    "class_price",
    "item_price",
    "last_day",
    "line_price",
    "origin_of",
    "server_price",
    "stale",
    "subscription_price",
    "without_lump_sums",
]


class PriceOrigin(StrEnum):
    """Where a price comes from, from best to worst."""

    QUOTE = "quote"
    LIST = "list"
    """A published price: of a list, a data sheet, a price interface, a paper."""
    PRESS = "press"
    """What the press or a community says that others paid."""
    ESTIMATE = "estimate"


def origin_of(price: Price) -> PriceOrigin:
    """Return where a price comes from."""
    return _ORIGINS.get(price.confidence, PriceOrigin.LIST)


_ORIGINS = {
    Confidence.QUOTE: PriceOrigin.QUOTE,
    Confidence.PRESS: PriceOrigin.PRESS,
    Confidence.COMMUNITY: PriceOrigin.PRESS,
    Confidence.ESTIMATE: PriceOrigin.ESTIMATE,
}
ORIGIN_NAMES = {
    PriceOrigin.QUOTE: Text(zh="报价", en="quotation"),
    PriceOrigin.LIST: Text(zh="公开标价", en="list price"),
    PriceOrigin.PRESS: Text(zh="媒体或社区所称", en="press or community"),
    PriceOrigin.ESTIMATE: Text(zh="推算", en="estimate"),
}
_PLACE_BOUND = frozenset(
    {
        PriceKind.COLOCATION,
        PriceKind.STAFF,
        PriceKind.CONSTRUCTION,
        PriceKind.FACILITY,
        PriceKind.INSURANCE,
        PriceKind.CLOUD,
        # Transceivers of local makers in China cost a fraction of what branded ones do elsewhere.
        PriceKind.OPTIC,
    }
)
"""Kinds whose price of one country says nothing of another's."""
_WHOLE_SERVERS = frozenset({PriceKind.SERVER, PriceKind.CLUSTER})
"""Kinds under which servers and supernodes are sold."""
_RATES = frozenset({"%", "fraction"})
_GRADE_ORDER = tuple(Grade)


def stale(price: Price, day: date, validity_days: int | None = None) -> bool:
    """Tell whether a price has expired on a day.

    Args:
        price: the price.
        day: the project's date.
        validity_days: validity that the project states, in place of the row's own where it is shorter.
    """
    return day > last_day(price, validity_days)


def last_day(price: Price, validity_days: int | None = None) -> date:
    """Return the last day on which a price may be used without the mark "stale".

    A quotation binds its author until the day that it states, whatever the project thinks of other prices.

    Args:
        price: the price.
        validity_days: validity that the project states, in place of the row's own where it is shorter.
    """
    own = validity_days is None or price.confidence is Confidence.QUOTE
    allowed = price.validity_days if own or validity_days is None else min(price.validity_days, validity_days)
    return price.valid_to + timedelta(days=allowed)


def item_price(catalogue: Catalogue, item: str, kind: PriceKind, region: str) -> Price | None:
    """Return the price of a catalogue record, or None where it has none.

    Args:
        catalogue: all prices.
        item: id of the record that is priced.
        kind: what is paid for; a device may be priced to buy, to rent and to license.
        region: ISO 3166 code of the site.
    """
    rows = (
        price
        for price in catalogue.all(Price)
        if item in price.prices and price.what is kind and not price.basis
    )
    return _best(rows, region)


def class_price(catalogue: Catalogue, basis: str, region: str, thing: str = "") -> Price | None:
    """Return the price of a class of things such as ``optic-400g``, or None where it has none.

    Args:
        catalogue: all prices.
        basis: the class.
        region: ISO 3166 code of the site.
        thing: id of the device of the option; a price that is for certain devices only is used for no other.
    """
    rows = [price for price in catalogue.all(Price) if price.basis == basis]
    bound = _best((price for price in rows if thing in price.prices), region)
    return bound or _best((price for price in rows if not price.prices), region)


def line_price(catalogue: Catalogue, line: str, unit: str, accelerator: str, region: str) -> Price | None:
    """Return the price that a quotation gives for one line of the bill of one device, or None.

    Args:
        catalogue: all prices.
        line: id of the line.
        unit: unit of its quantity; a price by another unit is not its price.
        accelerator: id of the device.
        region: ISO 3166 code of the site.
    """
    rows = (
        price
        for price in catalogue.all(Price)
        if price.basis == line and accelerator in price.prices and price.per == unit
    )
    return _best(rows, region)


def without_lump_sums(catalogue: Catalogue) -> Catalogue:
    """Return the catalogue without the prices of lines of one cluster, which hold for its size only."""
    rows = catalogue.records.get(Price.kind, {})
    kept = {
        key: row for key, row in rows.items() if not (isinstance(row, Price) and row.basis and row.prices)
    }
    if len(kept) == len(rows):
        return catalogue
    records = MappingProxyType({**catalogue.records, Price.kind: MappingProxyType(kept)})
    return replace(catalogue, records=records)


def subscription_price(catalogue: Catalogue, vendor: str, region: str) -> Price | None:
    """Return what a vendor charges for each device and year, or None where it charges nothing that is known.

    Such rows have a basis that starts with ``software-VENDOR-`` and are per ``device-year``; only a preferred
    one is used, because the others are prices for special customers.
    """
    start = f"software-{vendor}-"
    rows = (
        price
        for price in catalogue.all(Price)
        if price.basis.startswith(start) and price.per == "device-year"
    )
    return _best((price for price in rows if price.preferred), region)


def server_price(catalogue: Catalogue, server: Server, accelerator: Accelerator, region: str) -> Price | None:
    """Return the price of a server with a device in it.

    A server that is catalogued with another device is priced only by a row that names this device beside the
    server.
    """
    rows = (
        price
        for price in catalogue.all(Price)
        if server.id in price.prices and price.what in _WHOLE_SERVERS and not price.basis
    )
    if accelerator.id != server.accelerator:
        rows = (price for price in rows if accelerator.id in price.prices)
    return _best(rows, region)


def _best(rows: Iterable[Price], region: str) -> Price | None:
    """Return the price to use; shares of other prices are no prices of things."""
    usable = [
        price for price in rows if not price.barred and price.currency not in _RATES and _fits(price, region)
    ]
    return min(usable, key=lambda price: _rank(price, region), default=None)


def _fits(price: Price, region: str) -> bool:
    return price.what not in _PLACE_BOUND or not price.region or country(price.region) == country(region)


def _rank(price: Price, region: str) -> tuple[bool, bool, int, int, int, str]:
    return (
        # A quotation binds its author; everything else is only an indication.
        price.confidence is not Confidence.QUOTE,
        not price.preferred,
        _distance(price.region, region),
        _GRADE_ORDER.index(price.grade),
        -price.valid_to.toordinal(),
        price.id,
    )


def _distance(seen: str, region: str) -> int:
    """Return 0 for the same region, 1 for the same country, 2 for a world price, 3 for another country."""
    if seen == region:
        return 0
    if not seen:
        return 2
    return 1 if country(seen) == country(region) else 3
