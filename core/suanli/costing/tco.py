"""Total cost of ownership: the cash view, its present value, the accounting view beside it, and unit costs.

Capital expenditure and depreciation are never in one sum: the cash view has the purchase, the accounting view
its depreciation, and a check reconciles the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.capital import hardware
from suanli.costing.expressions import Expression, Round, Sum
from suanli.costing.formulas import (
    breakeven_months,
    constant,
    discount_factor,
    months_of,
    straight_line_up_to,
)
from suanli.costing.inputs import OFFER_SOURCE
from suanli.costing.lines import Costed, line, price_id, ref, sum_of, text, vat_rate_id
from suanli.costing.operating import operating_kinds
from suanli.costing.payments import purchase_of_year
from suanli.domain.market import Price, VatTreatment
from suanli.domain.units import HOURS_PER_YEAR
from suanli.planning.results import BillCategory, VatClass

if TYPE_CHECKING:
    from suanli.costing.ledger import Line
    from suanli.domain.record import Text

__all__ = [
    "breakeven_line",
    "cash_lines",
    "comparable",
    "discount_lines",
    "owned",
    "rent_lines",
    "unit_cost_lines",
]

_UNIT_PLACES = 4


def owned(option: Costed) -> bool:
    """Tell whether there is a purchase to sum up."""
    return bool(option.bought)


def comparable(option: Costed) -> bool:
    """Tell whether the servers, which make most of the cost, are priced whole in a currency that converts."""
    compute = [item for item in option.plan.bill if item.category is BillCategory.COMPUTE]
    return all(option.payable(item) for item in compute)


def discount_lines(years: range) -> tuple[Line, ...]:
    """Return the discount factors, today's included."""
    rate = ref("general.discount_rate")
    return tuple(
        line(
            f"general.discount_factor.year{year}",
            text(f"第 {year} 年折现系数", f"Discount factor, year {year}"),
            discount_factor(rate, year),
            "factor",
        )
        for year in (0, *years)
    )


def cash_lines(option: Costed) -> tuple[Line, ...]:
    """Return residual, cash by year, TCO and the accounting view; none without a purchase."""
    if not owned(option):
        return ()
    return (*_residual(option), *_cash(option), *_accounting(option))


def _incomplete(option: Costed) -> bool:
    return option.capital_incomplete or option.operation_incomplete


def _residual(option: Costed) -> tuple[Line, ...]:
    """Return the residual value of the goods and its receipt in the last year, as a negative cost."""
    if not hardware(option):
        return ()
    value = option.id("residual", "value")
    worth = line(
        value,
        text("期末残值", "Residual value"),
        Round(ref(option.id("vat", "goods", "net")) * ref("general.residual_share")),
        option.currency,
    )
    years = tuple(
        line(
            option.id("residual", f"year{year}"),
            text(f"残值回收：第 {year} 年", f"Residual value received, year {year}"),
            constant(0) - ref(value) * ref(f"general.final.year{year}"),
            option.currency,
        )
        for year in option.years
    )
    label = text("残值回收合计", "Residual value received, total")
    total = line(option.id("residual", "total"), label, sum_of(entry.id for entry in years), option.currency)
    return (worth, *years, total)


def _year_cash(option: Costed, year: int) -> Expression:
    """Return what is paid of the purchase in a year, operation and residual value."""
    parts: list[Expression] = []
    purchase = purchase_of_year(option, year)
    if purchase is not None:
        parts.append(purchase)
    if year and operating_kinds(option):
        parts.append(ref(option.id("opex", f"year{year}")))
    if year and hardware(option):
        parts.append(ref(option.id("residual", f"year{year}")))
    if not parts:
        return constant(0)
    return parts[0] if len(parts) == 1 else Sum(tuple(parts))


def _cash(option: Costed) -> tuple[Line, ...]:
    entries: list[Line] = []
    missing = _incomplete(option)
    for year in (0, *option.years):
        label = text(f"现金支出：第 {year} 年", f"Cash out, year {year}")
        # Year 0 is today: what of the purchase is paid at once, not discounted.
        flow = _year_cash(option, year)
        unknown = missing if year else option.capital_incomplete
        entries.append(
            line(option.id("cash", f"year{year}"), label, flow, option.currency, incomplete=unknown)
        )
    for year in (0, *option.years):
        label = text(f"现金支出现值：第 {year} 年", f"Present value of cash out, year {year}")
        flow = Round(ref(option.id("cash", f"year{year}")) * ref(f"general.discount_factor.year{year}"))
        unknown = missing if year else option.capital_incomplete
        entries.append(
            line(option.id("discounted", f"year{year}"), label, flow, option.currency, incomplete=unknown)
        )
    totals = (
        ("net", text("总拥有成本（不含税，未折现）", "Total cost of ownership, net, nominal"), "cash"),
        (
            "discounted",
            text("总拥有成本（不含税，现值）", "Total cost of ownership, net, present value"),
            "discounted",
        ),
    )
    for key, label, row in totals:
        total = sum_of(option.id(row, f"year{year}") for year in (0, *option.years))
        entries.append(line(option.id("tco", key), label, total, option.currency, incomplete=missing))
    return tuple(entries)


def _accounting(option: Costed) -> tuple[Line, ...]:
    """Return depreciation and book value by year, the loss on disposal, and the cost over the horizon.

    Only the goods leave a residual value; works and services are depreciated whole.
    """
    capex = ref(option.id("capex", "net"))
    base = text("应计折旧额", "Depreciable amount")
    opening = text("账面净值：第 0 年", "Book value, year 0")
    return (
        _booked(option, ("depreciation", "base"), base, capex - _worth(option)),
        _booked(option, ("book", "year0"), opening, capex),
        *(entry for year in option.years for entry in _depreciation(option, year)),
        *_disposal(option),
    )


def _booked(option: Costed, key: tuple[str, str], label: Text, expression: Expression) -> Line:
    """Return a line of the books; like the purchase, it is incomplete where something has no price."""
    return line(option.id(*key), label, expression, option.currency, incomplete=option.capital_incomplete)


def _worth(option: Costed) -> Expression:
    return ref(option.id("residual", "value")) if hardware(option) else constant(0)


def _depreciation(option: Costed, year: int) -> tuple[Line, Line]:
    """Return the depreciation of a year and the book value at its end."""
    base, life = ref(option.id("depreciation", "base")), ref("general.depreciation_years")
    # The difference of two rounded sums, so that the years add up to the base to the cent.
    grown = straight_line_up_to(base, life, year) - straight_line_up_to(base, life, year - 1)
    charge = grown * ref(f"general.active.year{year}")
    left = ref(option.id("book", f"year{year - 1}")) - ref(option.id("depreciation", f"year{year}"))
    charged = text(f"折旧：第 {year} 年", f"Depreciation, year {year}")
    booked = text(f"账面净值：第 {year} 年", f"Book value, year {year}")
    return (
        _booked(option, ("depreciation", f"year{year}"), charged, charge),
        _booked(option, ("book", f"year{year}"), booked, left),
    )


def _disposal(option: Costed) -> tuple[Line, ...]:
    """Return all depreciation, the loss when the rest is sold, and the cost as the accounts see it."""
    closing = ref(option.id("book", f"year{option.years.stop - 1}"))
    operating: Expression = ref(option.id("opex", "total")) if operating_kinds(option) else constant(0)
    total, loss = option.id("depreciation", "total"), option.id("disposal", "loss")
    charged = sum_of(option.id("depreciation", f"year{year}") for year in option.years)
    lost = text("期末处置损失", "Loss on disposal at the end")
    return (
        _booked(option, ("depreciation", "total"), text("折旧合计", "Depreciation, total"), charged),
        _booked(option, ("disposal", "loss"), lost, closing - _worth(option)),
        line(
            option.id("accounting", "total"),
            text("会计口径成本合计", "Total cost, accounting view"),
            ref(total) + ref(loss) + operating,
            option.currency,
            incomplete=_incomplete(option),
        ),
    )


def unit_cost_lines(option: Costed) -> tuple[Line, ...]:
    """Return the TCO by accelerator-hour installed and used, by billion trained tokens, by 1e23 FLOPs.

    None where the servers are not priced whole: a unit cost without them would only mislead.
    """
    if not comparable(option):
        return ()
    devices = _devices(option)
    years = ref("general.years")
    busy, runs = ref(option.id("energy", "busy_hours")), ref(option.id("energy", "runs_year"))
    tokens, flops = (ref(option.id("quantity", key)) for key in ("billion_tokens_run", "e23_flops_run"))
    divisors: tuple[tuple[str, Text, Expression], ...] = (
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
        (
            "billion_tokens",
            text("每十亿训练词元成本", "Cost of a billion trained tokens"),
            tokens * runs * years,
        ),
        ("e23_flops", text("每 1e23 FLOPs 成本", "Cost of 1e23 model FLOPs"), flops * runs * years),
    )
    tco = ref(option.id("tco", "net"))
    return tuple(
        line(
            option.id("cost", key),
            label,
            Round(tco / divisor, _UNIT_PLACES),
            option.currency,
            incomplete=_incomplete(option),
        )
        for key, label, divisor in divisors
    )


def _devices(option: Costed) -> Expression:
    """Return the accelerators that work; spares earn nothing."""
    return ref(option.id("quantity", "servers")) * ref(option.id("quantity", "accelerators_per_server"))


def _hourly_rent(option: Costed, rent: Price) -> Expression:
    """Return the net rent of an accelerator-hour in the project's currency."""
    rate = option.rate_of(rent.currency) if rent.currency != option.currency else None
    price: Expression = ref(price_id(rent.id))
    if rate is not None:
        price = price / ref(rate[0]) if rate[1] else price * ref(rate[0])
    if rent.vat is VatTreatment.INCLUDED:
        price = price / (constant(1) + ref(vat_rate_id(VatClass.SERVICES)))
    # An hour costs little, so the cent would be a coarse step.
    return Round(price, _UNIT_PLACES)


def rent_lines(option: Costed, rent: Price | None) -> tuple[Line, ...]:
    """Return what the same device-hours cost rented, and where buying breaks even.

    The months to break even are given only where renting costs more cash a year than operating an own
    cluster.
    """
    if rent is None or not comparable(option) or not option.convertible(rent.currency):
        return ()
    devices, currency = _devices(option), option.currency
    hourly, yearly, total, even = (
        option.id("rent", key) for key in ("hour", "year", "total", "breakeven_utilisation")
    )
    # A commitment is paid around the clock, used or not.
    offer = option.requirement.commercial.rent
    committed = offer is not None and offer.commitment_s is not None and rent.source == OFFER_SOURCE
    paid: Expression = constant(HOURS_PER_YEAR) if committed else ref(option.id("energy", "busy_hours"))
    whole = devices * constant(HOURS_PER_YEAR) * ref("general.years") * ref(hourly)
    share = ref(option.id("tco", "net")) / whole
    even_label = text("购租平衡利用率", "Utilisation at which buying equals renting")
    return (
        line(
            hourly,
            text("租用单价（每卡小时）", "Rent of an accelerator-hour"),
            _hourly_rent(option, rent),
            currency,
        ),
        line(yearly, text("年租用费", "Rent of a year"), Round(devices * paid * ref(hourly)), currency),
        line(
            total, text("测算期租用费", "Rent over the horizon"), ref(yearly) * ref("general.years"), currency
        ),
        line(even, even_label, share, "fraction", incomplete=_incomplete(option)),
    )


def breakeven_line(option: Costed) -> Line:
    """Return the months after which the purchase has paid for itself against renting, in cash."""
    running: Expression = ref(option.id("opex", "year1")) if operating_kinds(option) else constant(0)
    months = breakeven_months(
        ref(option.id("capex", "net")), months_of(ref(option.id("rent", "year"))), months_of(running)
    )
    label = text("购租平衡月数（现金口径）", "Months to break even against renting, cash")
    return line(option.id("rent", "breakeven_months"), label, months, "month", incomplete=_incomplete(option))
