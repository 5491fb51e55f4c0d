"""From the order to operation: how long delivery takes, and what a month of operation is worth today."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.calendar import month_key
from suanli.costing.expressions import Power
from suanli.costing.formulas import constant
from suanli.costing.ledger import Input, Line
from suanli.costing.lines import Costed, line, ref, text
from suanli.domain.figure import Grade

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.planning.results import LeadTime

__all__ = ["delivery_input", "factor_lines"]

_S_PER_MONTH = 365.25 / 12 * 86_400
_GIVEN = text("项目给出", "as the project states it")
_BY_SERVERS = text("按服务器供货周期中值，取整月", "middle of the lead time of the servers, whole months")
_AT_LEAST = text("来源只给出下限，取整月", "the source states a lower bound only; whole months")
_UNKNOWN = text(
    "供货周期未知：按随下单即投运测算，应以供应商承诺替换",
    "no source states a delivery time: operation is taken to begin with the order; replace it",
)


def delivery_input(option: Costed) -> Input:
    """Return the months from the order to the first day of operation."""
    entry = option.id("schedule", "delivery_months")
    label = text(
        f"方案 {option.key}：下单至投运（月）", f"Option {option.key}: months from order to operation"
    )
    given = option.requirement.commercial.delivery_months
    lead = next((item.lead_time for item in option.plan.bill if item.id == "servers"), None)
    if given is not None:
        return Input(entry, label, Decimal(given), "month", "schedule", note=_GIVEN)
    if lead is None:
        return Input(entry, label, Decimal(0), "month", "schedule", grade=Grade.WEAK, note=_UNKNOWN)
    return Input(
        entry,
        label,
        Decimal(_months(lead)),
        "month",
        "schedule",
        source=lead.source,
        dated=lead.as_of,
        grade=Grade.WEAK if lead.weak else Grade.SECONDARY,
        note=_AT_LEAST if lead.open_ended else _BY_SERVERS,
        low=_tenths(lead.low_s),
        high=_tenths(lead.high_s),
    )


def _months(lead: LeadTime) -> int:
    return math.ceil((lead.low_s + lead.high_s) / 2 / _S_PER_MONTH)


def _tenths(seconds: float) -> Decimal:
    return round(Decimal(repr(seconds / _S_PER_MONTH)), 1)


def factor_lines(option: Costed, months: Iterable[int]) -> tuple[Line, ...]:
    """Return the factor that takes the end of each month of operation to the day of the order.

    v_m = a_m · (1 + r)^(-(L + m) / 12), with the yearly rate r, the months to operation L, and a_m = 0 after
    the horizon.

    Source: R. A. Brealey, S. C. Myers, F. Allen, Principles of Corporate Finance, chapter 2: flows within the
        year are discounted at the rate of their own date.
    """
    rate = constant(1) + ref("general.discount_rate")
    delivery = ref(option.id("schedule", "delivery_months"))
    found: list[Line] = []
    for month in months:
        key = month_key(month)
        elapsed = delivery + ref(f"general.number.{key}")
        worth = Power(rate, (constant(0) - elapsed) / constant(12))
        label = text(f"折现系数：第 {month} 月", f"Discount factor, month {month}")
        found.append(line(option.id("factor", key), label, worth * ref(f"general.active.{key}"), "factor"))
    return tuple(found)
