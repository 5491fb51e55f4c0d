"""Checks of prices, tariffs, sites and models."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

from babel.numbers import list_currencies

from suanli.domain.architecture import ModelRecord
from suanli.domain.hardware import Accelerator, Link, Server, Switch
from suanli.domain.market import GridCarbon, Price, PueDefault, Tariff
from suanli.domain.transformer import count_parameters
from suanli.errors import Fault, nearest
from suanli.host.checks import RATES
from suanli.testing.subject import Check, Subject, between, place

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CHECKS", "is_region"]

_REGION: Final = re.compile(r"[A-Z]{2}(?:-[A-Z0-9]{1,3})?")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_COUNT_TOLERANCE: Final = 0.005
"""Published totals are often rounded to the last digit that a model's name shows."""


@cache
def _currencies() -> frozenset[str]:
    return frozenset(list_currencies())


def is_region(code: str) -> bool:
    """Tell whether a code has the form of ISO 3166-1 or 3166-2.

    >>> is_region("CN-GZ"), is_region("Guizhou")
    (True, False)
    """
    return _REGION.fullmatch(code) is not None


def prices_are_dated(subject: Subject) -> Iterator[Fault]:
    """Yield every price without a year in its date, or whose period ends before it begins."""
    for price in subject.records(Price):
        if _YEAR.search(price.dated) is None:
            yield Fault(
                f'"{price.dated}" is no date', key=place(price, "dated"), why="such as 2026-10 or 2025-H2"
            )
        if price.valid_from > price.valid_to:
            yield Fault(f"{price.valid_from} is after {price.valid_to}", key=place(price, "valid_from"))


def currencies_are_of_iso_4217(subject: Subject) -> Iterator[Fault]:
    """Yield every price and tariff in a currency that does not exist."""
    items: tuple[Price | Tariff, ...] = (*subject.records(Price), *subject.records(Tariff))
    for item in items:
        if item.currency not in RATES and item.currency not in _currencies():
            yield Fault(f'"{item.currency}" is no currency', key=place(item, "currency"))


def prices_are_within_their_range(subject: Subject) -> Iterator[Fault]:
    """Yield every price that is outside its stated range; the host refuses those that are not positive."""
    for price in subject.records(Price):
        low, high = price.low, price.high
        if (low is not None and low > price.amount) or (high is not None and high < price.amount):
            yield Fault(f"{price.amount} is outside {low}–{high}", key=place(price, "amount"))


def prices_say_what_they_price(subject: Subject) -> Iterator[Fault]:
    """Yield every price of nothing, and every price of a record that does not exist."""
    kinds = (Accelerator, Server, Link, Switch)
    known = {record.id for kind in kinds for record in subject.host.catalogue.all(kind)}
    for price in subject.records(Price):
        if not price.prices and not price.basis:
            yield Fault("prices neither a record nor a class", key=place(price), cure="give prices or basis")
        for name in price.prices:
            if name not in known:
                cure = nearest(name, known)
                yield Fault(
                    f'"{name}" is no record that can be bought', key=place(price, "prices"), cure=cure
                )


def one_price_of_a_thing_is_preferred_at_most(subject: Subject) -> Iterator[Fault]:
    """Yield every thing for which several prices of one unit and region are marked as the one to use."""
    preferred = Counter(
        (thing, price.what, price.per, price.region)
        for price in subject.records(Price)
        if price.preferred
        for thing in (*price.prices, *([price.basis] if price.basis else []))
    )
    for (thing, what, per, region), count in preferred.items():
        if count > 1:
            where = f" in {region}" if region else ""
            yield Fault(f"{count} prices per {per} are preferred{where}", key=f"prices: {what} of {thing}")


def regions_are_codes_of_iso_3166(subject: Subject) -> Iterator[Fault]:
    """Yield every region of a price, tariff, grid or PUE that is no code."""
    items: tuple[Price | Tariff | GridCarbon | PueDefault, ...] = (
        *subject.records(Price),
        *subject.records(Tariff),
        *subject.records(GridCarbon),
        *subject.records(PueDefault),
    )
    for item in items:
        if item.region and not is_region(item.region):
            yield Fault(f'region "{item.region}"', key=place(item, "region"), why="such as CN or CN-GZ")


def tariffs_are_positive(subject: Subject) -> Iterator[Fault]:
    """Yield every electricity price that is not above zero."""
    for tariff in subject.records(Tariff):
        if tariff.amount <= 0:
            yield Fault(f"{tariff.amount} is not positive", key=place(tariff, "amount"))


def grid_carbon_is_plausible(subject: Subject) -> Iterator[Fault]:
    """Yield every grid outside 0 to 1.5 kg/kWh, and every second preferred row of a region."""
    for grid in subject.records(GridCarbon):
        yield from between(grid.intensity.si, 0.0, 1.5, grid, "intensity")
    preferred = Counter(grid.region for grid in subject.records(GridCarbon) if grid.preferred)
    for region, count in preferred.items():
        if count > 1:
            yield Fault(f"{count} rows are preferred for {region}", key=GridCarbon.kind)


def pue_is_1_or_more(subject: Subject) -> Iterator[Fault]:
    """Yield every PUE outside 1 to 3."""
    for site in subject.records(PueDefault):
        yield from between(site.pue.si, 1.0, 3.0, site, "pue")


def the_shape_of_a_model_gives_its_published_size(subject: Subject) -> Iterator[Fault]:
    """Yield every model whose counted parameters differ from the published total."""
    for model in subject.records(ModelRecord):
        published = model.published_total_parameters
        counted = count_parameters(model.architecture).total
        if published is not None and abs(counted - published) > _COUNT_TOLERANCE * published:
            what = f"the shape has {counted:,} parameters, {published:,} were published"
            yield Fault(what, key=place(model, "architecture"))


CHECKS = (
    Check(prices_are_dated, Price),
    Check(currencies_are_of_iso_4217),
    Check(prices_are_within_their_range, Price),
    Check(prices_say_what_they_price, Price),
    Check(one_price_of_a_thing_is_preferred_at_most, Price),
    Check(regions_are_codes_of_iso_3166),
    Check(tariffs_are_positive, Tariff),
    Check(grid_carbon_is_plausible, GridCarbon),
    Check(pue_is_1_or_more, PueDefault),
    Check(the_shape_of_a_model_gives_its_published_size, ModelRecord),
)
