"""How far an input may lie from its value: P10 and P90, by what its source says or by how well it is known.

Where the source of a price gives both ends, they are taken. Else the accuracy follows the class of estimate
that the price is of: AACE International, Recommended Practice 18R-97, states ranges at 80 % confidence for
five classes of maturity (as quoted by public guides). The middle of each range is used: class 2 for a price
read directly, class 3 for one read second hand, class 4 for press, community and estimates; a stale price is
taken one class lower. Other inputs move by the tenth that appraisals vary them by.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from suanli.costing.lines import fx_id
from suanli.domain.figure import Grade
from suanli.domain.record import Text
from suanli.domain.workload import Assumption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.costing.ledger import Input

__all__ = ["ACCURACY", "SHARED_SHARE", "Factor", "Spread", "spread_assumptions", "spread_of", "spreads"]

ACCURACY: Final = (
    ("2", Decimal("0.90"), Decimal("1.125")),
    ("3", Decimal("0.85"), Decimal("1.20")),
    ("4", Decimal("0.775"), Decimal("1.35")),
    ("5", Decimal("0.65"), Decimal("1.65")),
)
"""Class of estimate with P10 and P90 over the value: the middles of the published ranges."""
_CLASS: Final = {Grade.DIRECT: 0, Grade.SECONDARY: 1, Grade.WEAK: 2, Grade.SIBLING: 2}

_TENTH: Final = (Decimal("0.9"), Decimal("1.1"))
"""P10 and P90 of inputs without a source for their spread: the step of a sensitivity analysis."""

_EXCHANGE: Final = fx_id("", "").rstrip(".")
SHARED_SHARE: Final = 0.5
"""Correlation of two inputs that one cause moves: prices with each other, run times of devices."""


class Factor(StrEnum):
    """What moves several inputs at once."""

    MARKET = "market"
    """Prices of hardware and services."""
    EXCHANGE = "exchange"
    POWER = "power"
    """Price of electricity."""
    RATE = "rate"
    """Rates of the devices, and with them the time of a run."""
    USE = "use"
    """How much the cluster is used."""
    STAFF = "staff"
    DELIVERY = "delivery"
    """How long deliveries take."""
    DRAW = "draw"
    """Electric power of the machines."""


@dataclass(frozen=True, slots=True)
class Spread:
    """An input that is uncertain."""

    id: str
    label: Text
    factor: Factor
    value: float
    p10: float
    p90: float
    basis: str
    """``source``, ``class 2`` to ``class 5``, ``run-time`` or ``tenth``."""


def _factor(entry: Input) -> Factor | None:  # noqa: PLR0911 - a return a kind of input
    """Return what moves an input, or None for a rule or a count that is certain here."""
    if entry.group == "prices" or entry.id == "site.colocation":
        return Factor.MARKET
    if entry.id.startswith(_EXCHANGE):
        return Factor.EXCHANGE
    named = {
        "site.electricity": Factor.POWER,
        "general.runs_per_year": Factor.USE,
        "general.staff_cost": Factor.STAFF,
    }
    if entry.id in named:
        return named[entry.id]
    if entry.id.startswith("site.tariff."):
        return Factor.POWER if entry.id.endswith(".price") else None
    if entry.group == "schedule":
        # Without a range of its own nothing says how late a delivery may be.
        return Factor.DELIVERY if entry.low is not None else None
    if entry.group == "energy":
        return Factor.RATE if entry.id.endswith(".hours_run") else Factor.DRAW
    return None


def _ends(entry: Input, factor: Factor) -> tuple[Decimal, Decimal, str]:
    if entry.low is not None and entry.high is not None and entry.low < entry.value < entry.high:
        return entry.low, entry.high, "run-time" if factor is Factor.RATE else "source"
    if factor is Factor.MARKET:
        place = min(_CLASS.get(entry.grade, 2) + entry.stale, len(ACCURACY) - 1)
        name, low, high = ACCURACY[place]
        return entry.value * low, entry.value * high, f"class {name}"
    return entry.value * _TENTH[0], entry.value * _TENTH[1], "tenth"


def spread_of(entry: Input) -> Spread | None:
    """Return the spread of an input, or None where it is taken as it is."""
    factor = _factor(entry)
    if factor is None or entry.value <= 0:
        return None
    low, high, basis = _ends(entry, factor)
    if low <= 0:
        return None
    return Spread(entry.id, entry.label, factor, float(entry.value), float(low), float(high), basis)


def spreads(inputs: Sequence[Input]) -> tuple[Spread, ...]:
    """Return the uncertain ones of some inputs, in their order."""
    found = (spread_of(entry) for entry in inputs)
    return tuple(one for one in found if one is not None)


def spread_assumptions() -> tuple[Assumption, ...]:
    """Return what the distribution of costs assumes, for the register of assumptions."""
    classes = "; ".join(f"{name}: {low:g}-{high:g}" for name, low, high in ACCURACY)
    rows = (
        (
            "price-accuracy",
            classes,
            (
                "来源未给上下限的价格按估算等级取 P10–P90（AACE 18R-97，80% 置信）："
                "直接来源为 2 级，转引为 3 级，新闻与估计为 4 级，过期再降一级。"
            ),
            (
                "Prices without ends of their own take P10 and P90 of their class of estimate (AACE 18R-97, "
                "80 % confidence): read directly class 2, second hand class 3, press and estimates class 4, "
                "one class lower when stale."
            ),
        ),
        (
            "other-spread",
            f"{_TENTH[0]:g}-{_TENTH[1]:g}",
            "电价、汇率、人工、使用率等无来源给出离散度的投入按 ±10% 计，与敏感性分析的变动幅度一致。",
            (
                "Tariff, exchange rate, staff and use move by a tenth, as in a sensitivity analysis, since "
                "no source gives their spread."
            ),
        ),
        (
            "correlation",
            f"{SHARED_SHARE:g}",
            "同一成因的投入（各项价格、各设备的训练时长）两两相关系数取 0.5，不同成因互相独立。",
            (
                "Inputs that one cause moves (prices, run times) correlate by one half; different causes are "
                "independent."
            ),
        ),
    )
    return tuple(Assumption(f"costing.{key}", value, Text(zh=zh, en=en)) for key, value, zh, en in rows)
