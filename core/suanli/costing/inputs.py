"""The inputs of the ledger: every figure that a reviewer may change, with unit, source, date and grade."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.emissions import embodied_inputs
from suanli.costing.ledger import Input
from suanli.costing.lines import Costed, decimal_of, fx_id, price_id, text, vat_rate_id
from suanli.costing.schedule import delivery_input
from suanli.costing.tariff import tariff_inputs
from suanli.domain.figure import Check, Confidence, Grade
from suanli.domain.market import Price, PriceKind, VatTreatment
from suanli.domain.units import S_PER_HOUR, W_PER_KW
from suanli.domain.workload import Hall
from suanli.planning.prices import ORIGIN_NAMES, class_price, item_price, last_day, origin_of, stale
from suanli.planning.results import BillItem, VatClass
from suanli.planning.rules import quantity_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.finance import Escalation
    from suanli.domain.record import Text
    from suanli.domain.workload import Commercial, ExchangeRate, RentOffer, Requirement

__all__ = [
    "GROUP_TITLES",
    "OFFER_SOURCE",
    "colocation_price",
    "general_inputs",
    "option_inputs",
    "price_inputs",
    "rent_price",
    "serving_inputs",
    "site_inputs",
    "staff",
]

GROUP_TITLES = {
    "general": text("通用参数", "General parameters"),
    "rates": text("税率与汇率", "Tax and exchange rates"),
    "site": text("场地参数", "Site parameters"),
    "prices": text("单价", "Unit prices"),
    "quantities": text("数量", "Quantities"),
    "schedule": text("工期", "Delivery"),
    "energy": text("用电参数", "Power and run time"),
    "scenarios": text("情景系数", "Factors of the scenarios"),
}
"""Groups of inputs in the order of the sheet."""

_MOST_DOWNTIME_H = Decimal(8_000)
"""Hours of planned downtime after which nothing worth planning is left of a year."""
_TOKENS_PER_BILLION = 1e9
_FLOPS_UNIT = 1e23


_GENERAL_NOTES = {
    "horizon": text(
        "在成本测算表中只可缩短：年度列按签发时的测算期编制",
        "may only be shortened in the cost sheet: its columns stand for the years as issued",
    ),
    "depreciation_years": text(
        "年限平均法；测算期末尚未提足的部分，扣除残值后计入处置损失",
        "straight line; what is left at the end of the horizon, less the residual, is a loss on disposal",
    ),
    "residual_share": text(
        "按货物原值计；工程与服务无残值", "share of the goods; works and services leave none"
    ),
    "warranty_years": text("质保期满后的次年起计维保费", "maintenance is paid from the year after it ends"),
}


def general_inputs(requirement: Requirement) -> tuple[Input, ...]:
    """Return the money rules of the project."""
    rules = requirement.commercial
    rows = (
        ("horizon", text("测算期", "Horizon"), Decimal(rules.horizon_years), "year"),
        ("discount_rate", text("折现率", "Discount rate"), rules.discount_rate, "fraction"),
        (
            "depreciation_years",
            text("折旧年限", "Depreciation period"),
            Decimal(rules.depreciation_years),
            "year",
        ),
        ("residual_share", text("残值率", "Residual rate"), rules.residual_share, "fraction"),
        ("warranty_years", text("质保期", "Warranty period"), Decimal(rules.warranty_years), "year"),
        (
            "maintenance_share",
            text("质保期后年维保费率", "Yearly maintenance after warranty, share of hardware"),
            rules.maintenance_share,
            "fraction",
        ),
        (
            "spare_parts_share",
            text("年备件费率", "Yearly spare parts, share of hardware"),
            rules.spare_parts_share,
            "fraction",
        ),
        *_optional_shares(rules),
        (
            "runs_per_year",
            text("每年训练次数", "Runs per year"),
            Decimal(repr(requirement.workload.runs_per_year)),
            "count",
        ),
    )
    own = tuple(
        Input(f"general.{key}", label, value, unit, "general", note=_GENERAL_NOTES.get(key))
        for key, label, value, unit in rows
    )
    return (*own, *_rises(rules.escalation), *_rates(requirement))


def _optional_shares(rules: Commercial) -> tuple[tuple[str, Text, Decimal, str], ...]:
    """Return insurance and removal, where the project counts them."""
    rows = (
        ("insurance_share", text("年保险费率", "Yearly insurance, share of hardware"), rules.insurance_share),
        (
            "decommissioning_share",
            text("期末拆除处置费率", "Removal at the end, share of hardware"),
            rules.decommissioning_share,
        ),
    )
    return tuple((key, label, share, "fraction") for key, label, share in rows if share)


def _rises(rise: Escalation) -> tuple[Input, ...]:
    """Return the yearly rises of running costs."""
    note = text("自投运第 2 年起逐年递增", "from the second year of operation on")
    rows = (
        ("electricity", text("电费年涨幅", "Yearly rise of electricity"), rise.electricity),
        ("staff", text("人工年涨幅", "Yearly rise of staff"), rise.staff),
        (
            "services",
            text("托管、维保、备件、软件与保险年涨幅", "Yearly rise of other running costs"),
            rise.services,
        ),
    )
    return tuple(
        Input(f"general.escalation.{key}", label, share, "fraction", "general", note=note)
        for key, label, share in rows
    )


def serving_inputs(requirement: Requirement) -> tuple[Input, ...]:
    """Return rate and use of the cluster when it serves; none where the project has not measured them."""
    serving = requirement.commercial.serving
    if serving is None:
        return ()
    rate = text("推理吞吐（每卡输出词元/秒）", "Served output tokens per second and accelerator")
    share = text("推理利用率", "Utilisation in serving")
    return (
        Input("general.served_tokens_per_s", rate, serving.tokens_per_s_per_accelerator, "1/s", "general"),
        Input("general.served_utilisation", share, serving.utilisation, "fraction", "general"),
    )


def _rates(requirement: Requirement) -> tuple[Input, ...]:
    rules = requirement.commercial
    vat = (
        (VatClass.GOODS, text("增值税税率：货物", "VAT rate, goods"), rules.vat_goods),
        (VatClass.WORKS, text("增值税税率：工程", "VAT rate, works"), rules.vat_works),
        (VatClass.SERVICES, text("增值税税率：服务", "VAT rate, services"), rules.vat_services),
    )
    taxes = tuple(Input(vat_rate_id(kind), label, rate, "fraction", "rates") for kind, label, rate in vat)
    return (*taxes, *(_exchange_rate(rate) for rate in rules.exchange_rates))


def _exchange_rate(rate: ExchangeRate) -> Input:
    label = text(f"汇率：1 {rate.base} 折合 {rate.quote}", f"Exchange rate, {rate.quote} for 1 {rate.base}")
    unit = f"{rate.quote}/{rate.base}"
    return Input(
        fx_id(rate.base, rate.quote),
        label,
        rate.rate,
        unit,
        "rates",
        source=rate.source,
        dated=rate.day.isoformat(),
    )


def staff(
    requirement: Requirement, catalogue: Catalogue
) -> tuple[Decimal, Decimal, str, Price | None] | None:
    """Return number of posts, cost of one, its currency and the price row behind it, or None if unknown."""
    rules = requirement.commercial
    if rules.staff_fte is None:
        return None
    if rules.staff_cost is not None:
        return rules.staff_fte, rules.staff_cost.amount, rules.staff_cost.currency, None
    price = class_price(catalogue, "staff-fte-year", requirement.site.region)
    return None if price is None else (rules.staff_fte, price.amount, price.currency, price)


def colocation_price(requirement: Requirement, catalogue: Catalogue) -> Price | None:
    """Return the price of rack space for a kW and month without electricity, or None; none in an own hall."""
    if requirement.site.hall is Hall.BUILD:
        return None
    return class_price(catalogue, "colocation-kw-month", requirement.site.region)


def rent_price(accelerator: str, requirement: Requirement, catalogue: Catalogue) -> Price | None:
    """Return the price of renting a device for an hour: of the project's offer, else of the catalogue."""
    offer = requirement.commercial.rent
    if offer is not None and offer.accelerator in {"", accelerator}:
        return _offered(offer, requirement.project.day)
    price = item_price(catalogue, accelerator, PriceKind.CLOUD, requirement.site.region)
    return price if price is not None and price.per == "device-hour" else None


OFFER_SOURCE = "project-file"
"""Source id of a price that the project file gives; no document stands behind it."""


def _offered(offer: RentOffer, day: date) -> Price:
    """Return the offer of a project file as a price: net of VAT, in the words of the project."""
    name = offer.accelerator or "any"
    return Price(
        id=f"offer-{name}",
        item=text("项目给出的租赁报价（每卡时）", "Rental offer of the project, per accelerator-hour"),
        what=PriceKind.CLOUD,
        amount=offer.price.amount,
        currency=offer.price.currency,
        per="device-hour",
        dated=day.isoformat(),
        valid_from=day,
        valid_to=day,
        vat=VatTreatment.EXCLUDED,
        source=OFFER_SOURCE,
        confidence=Confidence.QUOTE,
        check=Check.DIRECT,
    )


def site_inputs(requirement: Requirement, catalogue: Catalogue) -> tuple[Input, ...]:
    """Return electricity, PUE, grid factor, rack space and staff."""
    site = requirement.site
    price = (
        Input(
            "site.electricity",
            text("电价", "Electricity price"),
            site.electricity.amount,
            f"{site.electricity.currency}/kWh",
            "site",
            source=site.electricity_source,
            note=text(
                "按不含税计；含税电价请先换算为不含税",
                "taken as net of VAT; convert a price that includes it",
            ),
        ),
    )
    entries = [
        *(tariff_inputs(requirement) or price),
        Input(
            "site.pue", text("PUE（电能利用效率）", "PUE"), site.pue, "PUE", "site", source=site.pue_source
        ),
        Input(
            "site.planned_downtime",
            text("每年计划停机", "Planned downtime a year"),
            site.planned_downtime_h,
            "h",
            "site",
            note=text("停机期间按空闲功率计", "at idle power"),
            most=_MOST_DOWNTIME_H,
        ),
    ]
    if site.grid_carbon_kg_per_kwh is not None:
        label = text("电网排放因子", "Grid emission factor")
        entries.append(
            Input(
                "site.grid_carbon",
                label,
                site.grid_carbon_kg_per_kwh,
                "kg/kWh",
                "site",
                source=site.grid_carbon_source,
            )
        )
    colocation = colocation_price(requirement, catalogue)
    if colocation is not None:
        unit = f"{colocation.currency}/(kW·month)"
        entries.append(_priced("site.colocation", colocation, unit, "site", requirement))
    return (*entries, *_staff_inputs(requirement, catalogue))


def _staff_inputs(requirement: Requirement, catalogue: Catalogue) -> tuple[Input, ...]:
    known = staff(requirement, catalogue)
    if known is None:
        return ()
    fte, cost, currency, price = known
    cost_label = text("每岗年人工成本", "Yearly cost of one post")
    posts = Input(
        "general.staff_fte",
        text("运维人员（全时）", "Operating staff, full-time posts"),
        fte,
        "FTE",
        "general",
    )
    if price is not None:
        return posts, _priced("general.staff_cost", price, f"{currency}/year", "general", requirement)
    return posts, Input("general.staff_cost", cost_label, cost, f"{currency}/year", "general")


def price_inputs(options: Iterable[Costed], catalogue: Catalogue) -> tuple[Input, ...]:
    """Return every price that some option uses, once each, in its own currency."""
    entries: dict[str, Input] = {}
    for option in options:
        requirement = option.requirement
        used = [item.price for item in (*option.bought, *option.subscribed)]
        rent = rent_price(option.plan.sizing.device.accelerator.id, requirement, catalogue)
        for price in (*used, rent):
            if price is not None and option.convertible(price.currency):
                entries[price.id] = _priced(price_id(price.id), price, price.currency, "prices", requirement)
    return tuple(entries[key] for key in sorted(entries))


_VAT_NOTES = {
    VatTreatment.INCLUDED: text("含税价，换算为不含税", "includes VAT; taken net"),
    VatTreatment.EXCLUDED: text("不含税价", "excludes VAT"),
    VatTreatment.UNKNOWN: text(
        "来源未说明是否含税，按不含税计", "VAT not stated by the source; taken as net"
    ),
}


def _price_note(price: Price) -> Text:
    """Return where a price comes from, and what it says of tax."""
    origin, vat = ORIGIN_NAMES[origin_of(price)], _VAT_NOTES[price.vat]
    return text(f"{origin.zh}；{vat.zh}", f"{origin.en}; {vat.en}")


def _priced(entry: str, price: Price, unit: str, group: str, requirement: Requirement) -> Input:
    day, days = requirement.project.day, requirement.commercial.price_validity_days
    return Input(
        id=entry,
        label=price.item,
        value=price.amount,
        unit=unit,
        group=group,
        source=price.source,
        dated=price.dated,
        grade=price.grade,
        stale=stale(price, day, days),
        valid_to=last_day(price, days),
        note=_price_note(price),
        low=price.low,
        high=price.high,
    )


def option_inputs(option: Costed) -> tuple[Input, ...]:
    """Return the quantities and the energy figures of one option."""
    return (
        *_quantities(option),
        delivery_input(option),
        *_work(option),
        *_energy(option),
        *embodied_inputs(option),
    )


def _quantities(option: Costed) -> tuple[Input, ...]:
    return tuple(entry for item in option.plan.bill for entry in _quantity(option, item))


def _quantity(option: Costed, item: BillItem) -> tuple[Input, ...]:
    label = _labelled(option, item.name)
    source = item.refs[0] if item.refs else ""
    entry = Input(
        option.quantity_of(item),
        label,
        Decimal(item.quantity),
        item.unit,
        "quantities",
        source=source,
        note=quantity_text(item),
    )
    own = (entry,) if entry.id == option.id("quantity", item.id) else ()
    if item.price_factor == 1 or not option.payable(item):
        return own
    factor_label = _labelled(
        option, text(f"{item.name.zh}：每套计价数量", f"{item.name.en}: priced units in one set")
    )
    return *own, Input(option.id("factor", item.id), factor_label, item.price_factor, "count", "quantities")


def _labelled(option: Costed, name: Text) -> Text:
    return text(f"方案 {option.key}：{name.zh}", f"Option {option.key}: {name.en}")


def _work(option: Costed) -> tuple[Input, ...]:
    sizing = option.plan.sizing
    flops = sizing.tokens * sizing.profile.flops_per_token
    rows = (
        (
            "accelerators_per_server",
            text("每台服务器加速卡数", "Accelerators per server"),
            Decimal(sizing.device.server.accelerator_count),
            "count",
        ),
        (
            "billion_tokens_run",
            text("单次训练词元数（十亿）", "Tokens of one run, in billions"),
            decimal_of(sizing.tokens / _TOKENS_PER_BILLION, 6),
            "1e9 tokens",
        ),
        (
            "e23_flops_run",
            text("单次训练模型计算量（1e23 FLOPs）", "Model FLOPs of one run, in 1e23"),
            decimal_of(flops / _FLOPS_UNIT, 9),
            "1e23 FLOPs",
        ),
    )
    return tuple(
        Input(option.id("quantity", key), _labelled(option, label), value, unit, "quantities")
        for key, label, value, unit in rows
    )


def _energy(option: Costed) -> tuple[Input, ...]:
    plan = option.plan
    duration = plan.sizing.duration_s
    hours = [duration.p50 / S_PER_HOUR, duration.p10 / S_PER_HOUR, duration.p90 / S_PER_HOUR]
    rows = [("hours_run", text("单次训练时长", "Hours of one run"), hours, "h")]
    if plan.power is not None:
        training = plan.power.server_training_w
        other = (plan.power.network_w or 0.0) + plan.power.auxiliary_w
        draw = [training.p50 / W_PER_KW, training.p10 / W_PER_KW, training.p90 / W_PER_KW]
        idle = (plan.power.server_idle_w or 0.0) / W_PER_KW
        rows += [
            ("kw_training", text("单台服务器训练功率", "Power of one server in training"), draw, "kW"),
            ("kw_idle", text("单台服务器空闲功率", "Power of one idle server"), [idle], "kW"),
            (
                "kw_other",
                text("网络、存储与管理功率", "Power of network, storage, management"),
                [other / W_PER_KW],
                "kW",
            ),
            (
                "kw_peak",
                text("IT 设备峰值功率", "Peak power of IT equipment"),
                [plan.power.it_peak_w / W_PER_KW],
                "kW",
            ),
        ]
    grade = Grade.WEAK if plan.power is not None and plan.power.estimated else Grade.DIRECT
    source = plan.power.refs[0] if plan.power is not None and plan.power.refs else ""
    return tuple(
        replace(
            _ranged(option.id("energy", key), _labelled(option, label), values, unit),
            source=source if unit == "kW" else "",
            grade=grade if unit == "kW" else Grade.DIRECT,
        )
        for key, label, values, unit in rows
    )


def _ranged(entry: str, label: Text, values: list[float], unit: str) -> Input:
    middle, *ends = (decimal_of(value, 4) for value in values)
    low, high = ends or (None, None)
    return Input(entry, label, middle, unit, "energy", low=low, high=high)
