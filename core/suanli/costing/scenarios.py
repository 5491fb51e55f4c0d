"""Base, optimistic and pessimistic side by side: factors that a reviewer sets, on the costs of the base.

Every scenario multiplies the base's own lines, so that the three stay live together. A cost that is
proportional to what a factor moves is exact to the cent's rounding; a test holds the scenarios against whole
ledgers with the inputs themselves moved.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.capital import hardware
from suanli.costing.expressions import Expression, Minimum, Round
from suanli.costing.formulas import constant
from suanli.costing.ledger import Input, Line, Table, TableRow
from suanli.costing.lines import Costed, line, ref, sum_of, text
from suanli.costing.operating import OPERATING_NAMES, operating_kinds
from suanli.costing.tco import comparable, incomplete, removed
from suanli.costing.unit_costs import UNIT_PLACES, working_devices
from suanli.domain.units import HOURS_PER_YEAR
from suanli.planning.results import VatClass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.record import Text
    from suanli.domain.workload import Requirement
    from suanli.planning.results import BillItem

__all__ = ["SCENARIOS", "base_factors", "scenario_inputs", "scenario_lines", "scenario_table"]

SCENARIOS = {
    "optimistic": text("乐观", "Optimistic"),
    "base": text("基准", "Base"),
    "pessimistic": text("悲观", "Pessimistic"),
}
_FACTORS = {
    "price": text("清单价格倍数", "Prices of the bill"),
    "exchange": text("外币价格倍数", "Price of foreign currency"),
    "electricity": text("电价与托管价倍数", "Electricity and rack space"),
    "staff": text("人工成本倍数", "Cost of staff"),
    "use": text("年训练次数倍数", "Runs a year"),
    "residual": text("残值倍数", "Residual value"),
}
_RUN_TIME = text("训练时长倍数", "Time of a run")
_PLACES = 4
_OF_GOODS = frozenset({"maintenance", "spare_parts", "insurance"})
"""Kinds of yearly cost that are shares of the goods."""


def base_factors(options: Iterable[Costed]) -> tuple[Line, ...]:
    """Return the factors of the base, which are one and no inputs: the base is moved by its own inputs."""
    name = SCENARIOS["base"]
    rows = [(f"scenario.base.{key}", label) for key, label in _FACTORS.items()]
    rows += [(option.id("run_time", "base"), _of_option(option)) for option in options]
    return tuple(
        line(key, text(f"{name.zh}：{label.zh}", f"{name.en}: {label.en}"), constant(1), "factor")
        for key, label in rows
    )


def _of_option(option: Costed) -> Text:
    return text(f"方案 {option.key} {_RUN_TIME.zh}", f"Option {option.key}, {_RUN_TIME.en.lower()}")


def scenario_inputs(requirement: Requirement, options: Iterable[Costed]) -> tuple[Input, ...]:
    """Return the factors of every scenario, and of every option the time of a run against its base."""
    found: list[Input] = []
    rules = requirement.commercial
    for scenario, factors in (("optimistic", rules.optimistic), ("pessimistic", rules.pessimistic)):
        name = SCENARIOS[scenario]
        for key, label in _FACTORS.items():
            value: Decimal = getattr(factors, key)
            found.append(_input(f"scenario.{scenario}.{key}", name, label, value))
        for option in options:
            own = _of_option(option)
            value = factors.run_time or _run_time(option, scenario)
            found.append(_input(option.id("run_time", scenario), name, own, value))
    return tuple(found)


def _input(entry: str, name: Text, label: Text, value: Decimal) -> Input:
    return Input(
        entry, text(f"{name.zh}：{label.zh}", f"{name.en}: {label.en}"), value, "factor", "scenarios"
    )


def _run_time(option: Costed, scenario: str) -> Decimal:
    """Return the P10 or the P90 of the time of a run over its P50."""
    duration = option.plan.sizing.duration_s
    end = duration.p10 if scenario == "optimistic" else duration.p90
    return round(Decimal(repr(end / duration.p50)), _PLACES)


def scenario_lines(option: Costed) -> tuple[Line, ...]:
    """Return the costs of an option in every scenario; none where its servers are not priced whole."""
    if not comparable(option) or not option.bought:
        return ()
    return (
        *_foreign(option),
        *(entry for scenario in SCENARIOS for entry in _scenario(option, scenario)),
    )


def _foreign(option: Costed) -> tuple[Line, ...]:
    """Return what of the purchase, of its goods and of yearly software is priced in foreign currency."""

    def abroad(items: Iterable[BillItem]) -> list[BillItem]:
        return [item for item in items if item.price is not None and item.price.currency != option.currency]

    bought = abroad(option.bought)
    goods = [item for item in bought if item.vat is VatClass.GOODS]
    rows = (
        ("capex", text("外币计价的采购额", "Purchase priced in foreign currency"), "bill", bought),
        ("goods", text("外币计价的货物", "Goods priced in foreign currency"), "bill", goods),
        (
            "software",
            text("外币计价的软件年费", "Yearly software priced in foreign currency"),
            "subscription",
            abroad(option.subscribed),
        ),
    )
    found: list[Line] = []
    for key, label, row, items in rows:
        ids = [option.id(row, item.id, "net") for item in items]
        amount: Expression = sum_of(ids) if ids else constant(0)
        found.append(line(option.id("foreign", key), label, amount, option.currency))
    return tuple(found)


def _scenario(option: Costed, scenario: str) -> tuple[Line, ...]:
    name = SCENARIOS[scenario]

    def entry(key: str, label: Text, expression: Expression, unit: str = "") -> Line:
        return line(
            option.id("scenario", scenario, key),
            text(f"{name.zh}：{label.zh}", f"{name.en}: {label.en}"),
            expression,
            unit or option.currency,
            incomplete=not unit and incomplete(option),
        )

    return tuple(
        entry(key, label, expression, unit) for key, label, expression, unit in _rows(option, scenario)
    )


_ROW_NAMES = {
    "capex": text("资本性支出（不含税）", "Capital expenditure, net"),
    "busy_hours": text("年训练小时数", "Training hours per year"),
    "kwh_year": text("年用电（含 PUE）", "Energy of a year, with PUE"),
    **OPERATING_NAMES,
    "residual": text("残值回收", "Residual value received"),
    "decommissioning": text("拆除处置", "Removal"),
    "tco": text("总拥有成本（不含税，未折现）", "Total cost of ownership, net, nominal"),
    "busy_accelerator_hour": text("每卡小时成本（按训练时间）", "Cost of an accelerator-hour, as used"),
    "billion_tokens": text("每十亿训练词元成本", "Cost of a billion trained tokens"),
}


def _rows(option: Costed, scenario: str) -> tuple[tuple[str, Text, Expression, str], ...]:
    """Return key, name, expression and unit of the rows, in the order of the sheet; unit empty for money."""
    whole = ref(option.id("capex", "net")) * _moved(option, scenario, "capex", option.id("capex", "net"))
    found: list[tuple[str, Expression, str]] = [("capex", Round(whole), "")]
    hours, kwh = _work(option, scenario)
    found.append(("busy_hours", hours, "h"))
    if kwh is not None:
        found.append(("kwh_year", kwh, "kWh"))
    costs = ["capex"]
    for kind in operating_kinds(option):
        found.append((kind, Round(_running(option, scenario, kind)), ""))
        costs.append(kind)
    if hardware(option):
        worth = ref(option.id("residual", "total")) * _goods(option, scenario)
        found.append(("residual", Round(worth * _factor(scenario, "residual")), ""))
        costs.append("residual")
    if removed(option):
        amount = ref(option.id("decommissioning", "total")) * _goods(option, scenario)
        found.append(("decommissioning", Round(amount), ""))
        costs.append("decommissioning")
    found.append(("tco", sum_of(option.id("scenario", scenario, cost) for cost in costs), ""))
    found += _units(option, scenario)
    return tuple((key, _ROW_NAMES[key], expression, unit) for key, expression, unit in found)


def _factor(scenario: str, key: str) -> Expression:
    return ref(f"scenario.{scenario}.{key}")


def _moved(option: Costed, scenario: str, part: str, whole: str) -> Expression:
    """Return (domestic + foreign · exchange) · price / whole: how a part of the bill moves."""
    foreign = ref(option.id("foreign", part))
    abroad = constant(1) + foreign / ref(whole) * (_factor(scenario, "exchange") - constant(1))
    return abroad * _factor(scenario, "price")


def _goods(option: Costed, scenario: str) -> Expression:
    """Return how the goods move, which what is a share of them follows."""
    return _moved(option, scenario, "goods", option.id("vat", "goods", "net"))


def _work(option: Costed, scenario: str) -> tuple[Expression, Expression | None]:
    """Return training hours and energy of a year."""
    runs = ref("general.runs_per_year") * _factor(scenario, "use")
    length = ref(option.id("energy", "hours_run")) * ref(option.id("run_time", scenario))
    down = ref("site.planned_downtime")
    hours = Minimum((constant(HOURS_PER_YEAR) - down, runs * length))
    if option.plan.energy is None:
        return hours, None
    kw_run, kw_rest = (ref(option.id("energy", key)) for key in ("kw_run", "kw_rest"))
    busy = ref(option.id("scenario", scenario, "busy_hours"))
    kwh = (busy * kw_run + (constant(HOURS_PER_YEAR) - busy) * kw_rest) * ref("site.pue")
    return hours, kwh


def _running(option: Costed, scenario: str, kind: str) -> Expression:
    """Return a kind of running cost over the horizon."""
    total = ref(option.id(kind, "total"))
    if kind in _OF_GOODS:
        return total * _goods(option, scenario)
    if kind == "software":
        return total * _moved(option, scenario, "software", option.id("software"))
    if kind == "staff":
        return total * _factor(scenario, "staff")
    if kind == "electricity":
        used = ref(option.id("scenario", scenario, "kwh_year")) / ref(option.id("energy", "kwh_year"))
        return total * used * _factor(scenario, "electricity")
    return total * _factor(scenario, "electricity")


def _units(option: Costed, scenario: str) -> list[tuple[str, Expression, str]]:
    tco, busy = (ref(option.id("scenario", scenario, key)) for key in ("tco", "busy_hours"))
    years, devices = ref("general.years"), working_devices(option)
    length = ref(option.id("energy", "hours_run")) * ref(option.id("run_time", scenario))
    tokens = ref(option.id("quantity", "billion_tokens_run")) * (busy / length)
    return [
        ("busy_accelerator_hour", Round(tco / (devices * busy * years), UNIT_PLACES), ""),
        ("billion_tokens", Round(tco / (tokens * years), UNIT_PLACES), ""),
    ]


def scenario_table(option: Costed, known: frozenset[str]) -> Table:
    """Return the scenarios side by side, the factors above the costs; without rows where there are none."""
    title = text(f"方案 {option.key} 情景分析", f"Option {option.key}: scenarios")
    table = f"scenarios:{option.key}"
    if option.id("scenario", "base", "tco") not in known:
        return Table(table, title, (), (), option.key)
    factors = [
        TableRow(f"scenario.{key}", label, {name: f"scenario.{name}.{key}" for name in SCENARIOS})
        for key, label in _FACTORS.items()
    ]
    factors.append(
        TableRow(
            option.id("scenario", "run_time"),
            _RUN_TIME,
            {name: option.id("run_time", name) for name in SCENARIOS},
        )
    )
    costs = [
        TableRow(
            option.id("scenario", key),
            label,
            {name: option.id("scenario", name, key) for name in SCENARIOS},
            style="total" if key == "tco" else "row",
        )
        for key, label in _ROW_NAMES.items()
        if option.id("scenario", "base", key) in known
    ]
    return Table(table, title, tuple(SCENARIOS), (*factors, *costs), option.key)
