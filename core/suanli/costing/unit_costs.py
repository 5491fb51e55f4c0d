"""What a unit of the cluster and of its work costs: accelerator-hours, tokens, FLOPs, served tokens."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.expressions import Constant, Expression, Round
from suanli.costing.formulas import constant, per_million_tokens
from suanli.costing.lines import Costed, line, ref, sum_of, text
from suanli.costing.tco import comparable, incomplete
from suanli.domain.units import HOURS_PER_YEAR

if TYPE_CHECKING:
    from suanli.costing.ledger import Line
    from suanli.domain.record import Text

__all__ = ["UNIT_PLACES", "annuity_line", "unit_cost_lines", "working_devices"]

UNIT_PLACES = 4
"""Places of a unit cost: an accelerator-hour costs little, so that the cent would be a coarse step."""

_E23_PER_PFLOP_DAY = Decimal("8.64e19") / Decimal("1e23")
"""A day at 1e15 model FLOPs per second, in 1e23 FLOPs."""


def working_devices(option: Costed) -> Expression:
    """Return the accelerators that work; spares earn nothing."""
    return ref(option.id("quantity", "servers")) * ref(option.id("quantity", "accelerators_per_server"))


def unit_cost_lines(option: Costed) -> tuple[Line, ...]:
    """Return the TCO by hour installed and used, by tokens, by FLOPs, and the cost of served tokens.

    None where the servers are not priced whole: a unit cost without them would only mislead.
    """
    if not comparable(option):
        return ()
    tco = ref(option.id("tco", "net"))
    shares = tuple(_unit(option, key, label, tco / divisor) for key, label, divisor in _divisors(option))
    per_day = ref(option.id("cost", "e23_flops")) * Constant(_E23_PER_PFLOP_DAY)
    day = _unit(option, "pflop_day", text("每有效 PFLOP·日成本", "Cost of an effective PFLOP-day"), per_day)
    return (*shares, day, *_served(option), *annuity_line(option))


def _unit(option: Costed, key: str, label: Text, amount: Expression) -> Line:
    rounded = Round(amount, UNIT_PLACES)
    return line(option.id("cost", key), label, rounded, option.currency, incomplete=incomplete(option))


def _divisors(option: Costed) -> tuple[tuple[str, Text, Expression], ...]:
    devices, years = working_devices(option), ref("general.years")
    busy, runs = ref(option.id("energy", "busy_hours")), ref(option.id("energy", "runs_year"))
    tokens, flops = (ref(option.id("quantity", key)) for key in ("billion_tokens_run", "e23_flops_run"))
    return (
        (
            "accelerator_hour",
            text("每卡小时成本（按在网时间）", "Cost of an accelerator-hour, as installed"),
            devices * constant(HOURS_PER_YEAR) * years,
        ),
        (
            "busy_accelerator_hour",
            text("每卡小时成本（按训练时间）", "Cost of an accelerator-hour, as used"),
            devices * busy * years,
        ),
        ("run", text("每次训练成本", "Cost of a run"), runs * years),
        (
            "billion_tokens",
            text("每十亿训练词元成本", "Cost of a billion trained tokens"),
            tokens * runs * years,
        ),
        ("e23_flops", text("每 1e23 FLOPs 成本", "Cost of 1e23 model FLOPs"), flops * runs * years),
    )


def _served(option: Costed) -> tuple[Line, ...]:
    """Return the cost of a million served tokens, where the project has measured a rate.

    The cluster then serves in place of training: the hour is that of an installed accelerator.
    """
    if option.requirement.commercial.serving is None:
        return ()
    amount = per_million_tokens(
        ref(option.id("cost", "accelerator_hour")),
        ref("general.served_tokens_per_s"),
        ref("general.served_utilisation"),
    )
    label = text(
        "每百万推理词元成本（专用于推理时）", "Cost of a million served tokens, cluster only serving"
    )
    return (_unit(option, "million_served_tokens", label, amount),)


def annuity_line(option: Costed) -> tuple[Line, ...]:
    """Return the equivalent annual cost: twelve times the level month whose present value is the TCO's.

    EAC = 12 · PV / Σ v_m, with the factors v_m of the months of operation.

    Source: R. A. Brealey, S. C. Myers, F. Allen, Principles of Corporate Finance, chapter 6 (equivalent
        annual cash flow).
    """
    months = range(1, 12 * option.horizon_years + 1)
    worth = sum_of(option.id("factor", f"month{month}") for month in months)
    amount = constant(12) * ref(option.id("tco", "discounted")) / worth
    label = text("等额年成本", "Equivalent annual cost")
    return (
        line(
            option.id("tco", "annuity"), label, Round(amount), option.currency, incomplete=incomplete(option)
        ),
    )
