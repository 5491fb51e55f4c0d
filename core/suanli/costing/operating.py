"""Energy, carbon and operating expenditure by year. PUE is applied once, to energy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.costing.calendar import MONTHS_PER_YEAR, month_key, months_of_year, operating_months, year_key
from suanli.costing.capital import hardware, unit_price
from suanli.costing.emissions import carbon_lines
from suanli.costing.expressions import Expression, Minimum, Round
from suanli.costing.formulas import constant, net_amount
from suanli.costing.lines import Costed, line, ref, sum_of, text
from suanli.domain.market import VatTreatment
from suanli.domain.units import HOURS_PER_YEAR

if TYPE_CHECKING:
    from suanli.costing.ledger import Line
    from suanli.domain.market import Price
    from suanli.domain.record import Text

__all__ = ["OPERATING_NAMES", "PHASES", "energy_lines", "operating_kinds", "operating_lines"]

OPERATING_NAMES = {
    "electricity": text("电费", "Electricity"),
    "colocation": text("机柜托管", "Rack space"),
    "maintenance": text("质保期后维保", "Maintenance after warranty"),
    "spare_parts": text("备件", "Spare parts"),
    "software": text("软件订阅与支持", "Software subscriptions and support"),
    "staff": text("运维人工", "Operating staff"),
    "insurance": text("财产保险", "Insurance"),
}
"""Kinds of yearly cost in the order of the document."""

_ENERGY_NAMES = {
    "run": text("单次训练用电（含 PUE）", "Energy of one run, with PUE"),
    "year": text("年用电（含 PUE）", "Energy of a year, with PUE"),
}


def energy_lines(option: Costed) -> tuple[Line, ...]:
    """Return running hours, energy and carbon of a run and a year; none where the power is unknown."""
    run, busy = option.id("energy", "hours_run"), option.id("energy", "busy_hours")
    runs = option.id("energy", "runs_year")
    # Planned downtime leaves less room for training.
    room = constant(HOURS_PER_YEAR) - ref("site.planned_downtime")
    hours = line(
        busy,
        text("年训练小时数", "Training hours per year"),
        Minimum((room, ref("general.runs_per_year") * ref(run))),
        "h",
    )
    count = line(runs, text("年可完成训练次数", "Runs that fit into a year"), ref(busy) / ref(run), "count")
    if option.plan.energy is None:
        return hours, count
    return (
        hours,
        count,
        *_powers(option),
        *_phases(option, busy),
        *_energy(option, run),
        *carbon_lines(option),
    )


def _powers(option: Costed) -> tuple[Line, ...]:
    """Return the power in training and at rest; spares idle, the network stays on."""
    working = ref(option.id("quantity", "servers"))
    spares = ref(option.id("quantity", "spare-servers")) if option.plan.spare_nodes else constant(0)
    training, idle, other = (ref(option.id("energy", key)) for key in ("kw_training", "kw_idle", "kw_other"))
    in_training = working * training + spares * idle + other
    at_rest = (working + spares) * idle + other
    return (
        line(
            option.id("energy", "kw_run"), text("训练时 IT 功率", "IT power in training"), in_training, "kW"
        ),
        line(option.id("energy", "kw_rest"), text("空闲时 IT 功率", "IT power at rest"), at_rest, "kW"),
    )


PHASES: Final = {
    "training": text("年用电：训练（含 PUE）", "Energy of a year in training, with PUE"),
    "idle": text("年用电：空闲（含 PUE）", "Energy of a year at rest, with PUE"),
    "downtime": text("年用电：计划停机（含 PUE）", "Energy of a year in planned downtime, with PUE"),
}
"""What a year of electricity goes into."""


def _phases(option: Costed, busy: str) -> tuple[Line, ...]:
    """Return the energy of a year by phase. PUE multiplies energy here and in that of a run, nowhere else."""
    kw_run, kw_rest = (ref(option.id("energy", key)) for key in ("kw_run", "kw_rest"))
    down = ref("site.planned_downtime")
    hours = {"training": ref(busy), "idle": constant(HOURS_PER_YEAR) - ref(busy) - down, "downtime": down}
    return tuple(
        line(
            option.id("energy", f"kwh_{phase}"),
            PHASES[phase],
            spent * (kw_run if phase == "training" else kw_rest) * ref("site.pue"),
            "kWh",
        )
        for phase, spent in hours.items()
    )


def _energy(option: Costed, run: str) -> tuple[Line, ...]:
    """Return the energy of a run and of a year."""
    of_run = ref(run) * ref(option.id("energy", "kw_run")) * ref("site.pue")
    of_year = sum_of(option.id("energy", f"kwh_{phase}") for phase in PHASES)
    return (
        line(option.id("energy", "kwh_run"), _ENERGY_NAMES["run"], of_run, "kWh"),
        line(option.id("energy", "kwh_year"), _ENERGY_NAMES["year"], of_year, "kWh"),
    )


def operating_kinds(option: Costed) -> tuple[str, ...]:
    """Return the kinds of yearly cost that can be computed for an option, in the order of the document."""
    power = option.plan.energy is not None
    possible = {
        "electricity": power and option.convertible(option.requirement.site.electricity.currency),
        "colocation": power and option.colocated,
        "maintenance": hardware(option),
        "spare_parts": hardware(option),
        "software": bool(option.subscribed),
        "staff": option.staffed,
        "insurance": hardware(option) and option.requirement.commercial.insurance_share > 0,
    }
    return tuple(kind for kind in OPERATING_NAMES if possible[kind])


def operating_lines(option: Costed, colocation: Price | None, staff_currency: str) -> tuple[Line, ...]:
    """Return the yearly costs of an option by kind, and their sums by year and over the horizon."""
    kinds = operating_kinds(option)
    if not kinds:
        return ()
    entries = list(_subscriptions(option))
    annual = _annual(option, colocation, staff_currency)
    for kind in kinds:
        name = OPERATING_NAMES[kind]
        label = text(f"{name.zh}（每年）", f"{name.en}, per year")
        entries.append(line(option.id(kind), label, annual[kind], option.currency))
        entries += [*_by_month(option, kind, name), *_by_year(option, kind, name)]
    return (*entries, *_sums(option, kinds))


def _annual(option: Costed, colocation: Price | None, staff_currency: str) -> dict[str, Expression]:
    """Return the yearly amount of each kind that can be computed."""
    kinds = operating_kinds(option)
    goods = option.id("vat", "goods", "net")
    found: dict[str, Expression] = {}
    if "electricity" in kinds:
        tariff = _in_currency(option, "site.electricity", option.requirement.site.electricity.currency)
        found["electricity"] = Round(ref(option.id("energy", "kwh_year")) * tariff)
    if "colocation" in kinds and colocation is not None:
        kw = ref(option.id("energy", "kw_peak"))
        rent = _in_currency(option, "site.colocation", colocation.currency)
        yearly = kw * rent * constant(MONTHS_PER_YEAR)
        if colocation.vat is VatTreatment.INCLUDED:
            yearly = yearly / (constant(1) + ref("general.vat_services"))
        found["colocation"] = Round(yearly)
    if hardware(option):
        found["maintenance"] = Round(ref(goods) * ref("general.maintenance_share"))
        found["spare_parts"] = Round(ref(goods) * ref("general.spare_parts_share"))
    if "insurance" in kinds:
        found["insurance"] = Round(ref(goods) * ref("general.insurance_share"))
    if "software" in kinds:
        found["software"] = sum_of(option.id("subscription", item.id, "net") for item in option.subscribed)
    if "staff" in kinds:
        cost = _in_currency(option, "general.staff_cost", staff_currency)
        found["staff"] = Round(ref("general.staff_fte") * cost)
    return found


def _in_currency(option: Costed, entry: str, currency: str) -> Expression:
    if currency == option.currency:
        return ref(entry)
    rate = option.rate_of(currency)
    if rate is None:
        raise ValueError(f"{entry} in {currency} has no exchange rate to {option.currency}")
    return ref(entry) / ref(rate[0]) if rate[1] else ref(entry) * ref(rate[0])


def _subscriptions(option: Costed) -> tuple[Line, ...]:
    """Return unit price and yearly net amount of what is paid every year."""
    entries: list[Line] = []
    for item in option.subscribed:
        if item.price is None:
            continue
        price, net = (option.id("subscription", item.id, key) for key in ("unit_price", "net"))
        price_label = text(f"{item.name.zh}：年单价", f"{item.name.en}: unit price per year")
        net_label = text(f"{item.name.zh}：年费", f"{item.name.en}: yearly amount")
        quantity = ref(option.quantity_of(item))
        entries += [
            line(price, price_label, unit_price(option, item.price, item.vat, None), option.currency),
            line(net, net_label, net_amount(quantity, ref(price)), option.currency),
        ]
    return tuple(entries)


_FLAGS: Final = {"maintenance": "maintained"}
"""What counts a kind in; others count while the horizon lasts."""
_RISES: Final = {"electricity": "electricity", "staff": "staff"}
"""What a kind rises with; others with services."""


def _by_month(option: Costed, kind: str, name: Text) -> tuple[Line, ...]:
    """Return a twelfth of the year in every month that counts, at the prices of that month."""
    flag, rise = _FLAGS.get(kind, "active"), _RISES.get(kind, "services")
    monthly = ref(option.id(kind)) / constant(MONTHS_PER_YEAR)
    return tuple(
        line(
            option.id(kind, key),
            text(f"{name.zh}：第 {month} 月", f"{name.en}, month {month}"),
            monthly * (ref(f"general.{flag}.{key}") * ref(f"general.rise.{rise}.{key}")),
            option.currency,
        )
        for month in operating_months(option.horizon_years)
        for key in (month_key(month),)
    )


def _by_year(option: Costed, kind: str, name: Text) -> tuple[Line, ...]:
    """Return the years of a kind, each rounded to the cent, and their sum."""
    years = tuple(
        line(
            option.id(kind, year_key(year)),
            text(f"{name.zh}：第 {year} 年", f"{name.en}, year {year}"),
            Round(sum_of(option.id(kind, month_key(month)) for month in months_of_year(year))),
            option.currency,
        )
        for year in option.years
    )
    label = text(f"{name.zh}：合计", f"{name.en}, total")
    total = line(option.id(kind, "total"), label, sum_of(entry.id for entry in years), option.currency)
    return (*years, total)


def _sums(option: Costed, kinds: tuple[str, ...]) -> tuple[Line, ...]:
    """Return all operating expenditure by month, by year and over the horizon."""
    name = text("运营支出", "Operating expenditure")
    spans = [
        (month_key(month), f"第 {month} 月", f"month {month}")
        for month in operating_months(option.horizon_years)
    ]
    spans += [(year_key(year), f"第 {year} 年", f"year {year}") for year in option.years]
    spans.append(("total", "合计", "total"))
    return tuple(
        line(
            option.id("opex", key),
            text(f"{name.zh}：{zh}", f"{name.en}, {en}"),
            sum_of(option.id(kind, key) for kind in kinds),
            option.currency,
            incomplete=option.operation_incomplete,
        )
        for key, zh, en in spans
    )
