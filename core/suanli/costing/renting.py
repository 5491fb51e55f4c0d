"""Buying against renting the same accelerator-hours: worth today, return, and where the two meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.calendar import MONTHS_PER_YEAR, month_key, operating_months, year_key
from suanli.costing.expressions import Choose, Expression, InternalRate, Round
from suanli.costing.formulas import breakeven_months, constant, months_of
from suanli.costing.inputs import OFFER_SOURCE
from suanli.costing.lines import Costed, line, price_id, ref, sum_of, text, vat_rate_id
from suanli.costing.operating import operating_kinds
from suanli.costing.tco import comparable, incomplete
from suanli.costing.unit_costs import UNIT_PLACES, working_devices
from suanli.domain.market import Price, VatTreatment
from suanli.domain.units import HOURS_PER_YEAR
from suanli.planning.results import VatClass

if TYPE_CHECKING:
    from suanli.costing.ledger import Line
    from suanli.domain.record import Text

__all__ = ["breakeven_line", "rent_lines", "return_line"]


def rent_lines(option: Costed, rent: Price | None) -> tuple[Line, ...]:
    """Return what the same accelerator-hours cost rented, and how buying compares.

    The tenant starts on the same day and works the same months. None where no rent is known.
    """
    if rent is None or not comparable(option) or not option.convertible(rent.currency):
        return ()
    return (*_rents(option, rent), *_schedule(option), *_worth(option))


def _hourly(option: Costed, rent: Price) -> Expression:
    """Return the net rent of an accelerator-hour in the project's currency."""
    rate = option.rate_of(rent.currency) if rent.currency != option.currency else None
    price: Expression = ref(price_id(rent.id))
    if rate is not None:
        price = price / ref(rate[0]) if rate[1] else price * ref(rate[0])
    if rent.vat is VatTreatment.INCLUDED:
        price = price / (constant(1) + ref(vat_rate_id(VatClass.SERVICES)))
    return Round(price, UNIT_PLACES)


def _rents(option: Costed, rent: Price) -> tuple[Line, ...]:
    """Return the rent of an hour, a year and the horizon, and the use at which buying costs as much."""
    devices = working_devices(option)
    hourly, yearly, total = (ref(option.id("rent", key)) for key in ("hour", "year", "total"))
    # A commitment is paid around the clock, used or not.
    offer = option.requirement.commercial.rent
    committed = offer is not None and offer.commitment_s is not None and rent.source == OFFER_SOURCE
    paid: Expression = constant(HOURS_PER_YEAR) if committed else ref(option.id("energy", "busy_hours"))
    whole = devices * constant(HOURS_PER_YEAR) * ref("general.years") * hourly
    rows: tuple[tuple[str, Text, Expression, str, bool], ...] = (
        (
            "hour",
            text("租用单价（每卡小时）", "Rent of an accelerator-hour"),
            _hourly(option, rent),
            option.currency,
            False,
        ),
        (
            "year",
            text("年租用费", "Rent of a year"),
            Round(devices * paid * hourly),
            option.currency,
            False,
        ),
        (
            "total",
            text("测算期租用费", "Rent over the horizon"),
            yearly * ref("general.years"),
            option.currency,
            False,
        ),
        (
            "breakeven_utilisation",
            text("购租平衡利用率", "Utilisation at which buying equals renting"),
            ref(option.id("tco", "net")) / whole,
            "fraction",
            incomplete(option),
        ),
        (
            "saving",
            text("购买较租用节省（未折现）", "Saved by buying, nominal"),
            total - ref(option.id("tco", "net")),
            option.currency,
            incomplete(option),
        ),
    )
    return tuple(
        line(option.id("rent", key), label, expression, unit, incomplete=missing)
        for key, label, expression, unit, missing in rows
    )


def _schedule(option: Costed) -> tuple[Line, ...]:
    """Return month by month what buying has saved so far, and how many months it stays behind."""
    entries: list[Line] = []
    for month in (0, *operating_months(option.horizon_years)):
        key = month_key(month)
        cash = ref(option.id("cash", key))
        saved: Expression = constant(0) - cash
        if month:
            paid = ref(option.id("rent", "year")) / constant(MONTHS_PER_YEAR) * ref(f"general.active.{key}")
            saved = ref(option.id("saved", month_key(month - 1))) + paid - cash
        label = text(f"购买累计节省：第 {month} 月", f"Saved by buying so far, month {month}")
        entries.append(
            line(option.id("saved", key), label, saved, option.currency, incomplete=incomplete(option))
        )
    behind: list[Line] = []
    for entry in entries:
        key = entry.id.rpartition(".")[2]
        label = text(f"尚未回收：{key[5:]} 月", f"Still behind, month {key[5:]}")
        # The rounding noise of a spreadsheet must not decide: a cent ahead is ahead.
        ahead: Expression = Choose(constant(0), Round(ref(entry.id)), constant(0), constant(1))
        if key != month_key(0):
            # After a shortened horizon nothing is paid back any more.
            ahead = ahead * ref(f"general.active.{key}")
        behind.append(line(option.id("behind", key), label, ahead, "count"))
    payback = line(
        option.id("rent", "payback_months"),
        text("投运后回收月数（逐月现金）", "Months of operation until buying has paid back, month by month"),
        sum_of(entry.id for entry in behind),
        "month",
        incomplete=incomplete(option),
    )
    return (*entries, *behind, payback)


def _worth(option: Costed) -> tuple[Line, ...]:
    """Return the net present value of buying in place of renting, and the flows by year."""
    worth = sum_of(option.id("factor", month_key(month)) for month in operating_months(option.horizon_years))
    present = Round(ref(option.id("rent", "year")) / constant(MONTHS_PER_YEAR) * worth)
    missing = incomplete(option)
    flows = tuple(_flow(option, year) for year in (0, *option.years))
    return (
        line(
            option.id("rent", "discounted"),
            text("测算期租用费（现值）", "Rent over the horizon, present value"),
            present,
            option.currency,
        ),
        line(
            option.id("rent", "npv"),
            text("购买较租用的净现值", "Net present value of buying in place of renting"),
            ref(option.id("rent", "discounted")) - ref(option.id("tco", "discounted")),
            option.currency,
            incomplete=missing,
        ),
        *flows,
    )


def return_line(option: Costed) -> Line:
    """Return the internal rate of return of buying in place of renting, on the flows of whole years."""
    flows = tuple(ref(option.id("net_flow", year_key(year))) for year in (0, *option.years))
    label = text("购买较租用的内部收益率（年末现金）", "Internal rate of return of buying, year-end flows")
    return line(
        option.id("rent", "irr"), label, InternalRate(flows), "fraction", incomplete=incomplete(option)
    )


def _flow(option: Costed, year: int) -> Line:
    key = year_key(year)
    cash = ref(option.id("cash", key))
    flow: Expression = constant(0) - cash
    if year:
        flow = ref(option.id("rent", "year")) * ref(f"general.active.{key}") - cash
    label = text(
        f"购买较租用的净现金流：第 {year} 年", f"Net flow of buying in place of renting, year {year}"
    )
    return line(option.id("net_flow", key), label, flow, option.currency, incomplete=incomplete(option))


def breakeven_line(option: Costed) -> Line:
    """Return the months after which the purchase has paid for itself against renting, in first-year cash."""
    running: Expression = ref(option.id("opex", "year1")) if operating_kinds(option) else constant(0)
    months = breakeven_months(
        ref(option.id("capex", "net")), months_of(ref(option.id("rent", "year"))), months_of(running)
    )
    label = text("购租平衡月数（首年现金口径）", "Months to break even against renting, first-year cash")
    return line(option.id("rent", "breakeven_months"), label, months, "month", incomplete=incomplete(option))
