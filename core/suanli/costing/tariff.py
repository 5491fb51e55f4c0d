"""A time-of-use tariff: its bands as inputs, and the mean price that the cluster pays around the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.expressions import Round, Sum
from suanli.costing.ledger import Input, Line
from suanli.costing.lines import line, ref, sum_of, text
from suanli.domain.workload import TARIFF_PLACES

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement

__all__ = ["tariff_inputs", "tariff_lines"]


def _id(number: int, key: str) -> str:
    return f"site.tariff.{number}.{key}"


def tariff_inputs(requirement: Requirement) -> tuple[Input, ...]:
    """Return hours and price of every band; none for one price around the clock."""
    found: list[Input] = []
    for number, band in enumerate(requirement.site.tariff, start=1):
        hours = text(f"分时电价时长：{band.name}", f"Hours of the tariff: {band.name}")
        price = text(f"分时电价：{band.name}", f"Tariff: {band.name}")
        unit = f"{band.price.currency}/kWh"
        found.append(Input(_id(number, "hours"), hours, band.hours, "h", "site"))
        found.append(Input(_id(number, "price"), price, band.price.amount, unit, "site"))
    return tuple(found)


def tariff_lines(requirement: Requirement) -> tuple[Line, ...]:
    """Return the mean price, Σ hours · price / Σ hours, under the id of a single price.

    A cluster in training draws the same power day and night, so that hours alone weigh the bands.
    """
    bands = range(1, len(requirement.site.tariff) + 1)
    if not bands:
        return ()
    paid = Sum(tuple(ref(_id(number, "hours")) * ref(_id(number, "price")) for number in bands))
    whole = sum_of(_id(number, "hours") for number in bands)
    label = text("电价（分时电价按时长加权）", "Electricity price, mean of the tariff by hours")
    unit = f"{requirement.site.electricity.currency}/kWh"
    return (line("site.electricity", label, Round(paid / whole, TARIFF_PLACES), unit),)
