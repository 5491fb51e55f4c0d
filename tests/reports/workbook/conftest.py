"""A hand-made proposal with two costed options, an unpriced line, a stale price and hostile texts."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from tests import factories

from suanli.costing.build import build_ledger
from suanli.costing.expressions import Choose, Constant, Maximum, Power, Ref, Round, Sum
from suanli.costing.ledger import Entry, Input, Ledger, Line, Table, TableRow
from suanli.domain.figure import Grade
from suanli.domain.record import Text
from suanli.domain.vendor import Deliverability
from suanli.domain.workload import Objective, ProposalType, SolveFor, Task, Track
from suanli.estimation.results import Constraint
from suanli.planning.cluster import plan_cluster
from suanli.proposal.contributions import RenderJob
from suanli.proposal.model import (
    AssumptionView,
    ComplianceView,
    EnergyView,
    NoticeView,
    Option,
    ProfileView,
    ProjectView,
    Proposal,
    Shown,
    SourceView,
    SummaryView,
    Verdict,
    WorkloadView,
)

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTILE = '=HYPERLINK("http://example.invalid","x")'


def _text(zh: str, en: str) -> Text:
    return Text(zh=zh, en=en)


def _general() -> list[Input]:
    return [
        Input(
            "general.vat_goods", _text("货物增值税税率", "VAT on goods"), Decimal("0.13"), "fraction", "rates"
        ),
        Input(
            "general.vat_services",
            _text("服务增值税税率", "VAT on services"),
            Decimal("0.06"),
            "fraction",
            "rates",
        ),
        Input(
            "general.fx.USD.CNY",
            _text("美元汇率", "Exchange rate of the dollar"),
            Decimal("7.10"),
            "CNY/USD",
            "rates",
            "fx-page",
            "2026-11-28",
        ),
        Input(
            "general.discount_rate", _text("折现率", "Discount rate"), Decimal("0.06"), "fraction", "general"
        ),
        Input("site.pue", _text("电能利用效率", "PUE"), Decimal("1.25"), "PUE", "site"),
        Input(
            "site.electricity",
            _text("电价", "Electricity price"),
            Decimal("0.42"),
            "CNY/kWh",
            "site",
            "tariff-page",
            "2026-07",
            Grade.SECONDARY,
            low=Decimal("0.35"),
            high=Decimal("0.52"),
        ),
    ]


def _line(key: str, price: Input, fx: str, quantity: int) -> tuple[list[Entry], TableRow]:
    name, vat = price.id.removeprefix("price."), "general.vat_goods"
    own = f"{key}.bill.{name}"
    unit = Round(Ref(price.id) * Ref(fx)) if fx else Ref(price.id)
    entries: list[Entry] = [
        Input(
            f"{key}.quantity.{name}",
            _text(f"{name} 数量", f"Quantity of {name}"),
            Decimal(quantity),
            "count",
            "quantities",
        ),
        Line(f"{own}.unit_price", _text("单价", "Unit price"), unit, "CNY"),
        Line(
            f"{own}.net",
            _text("金额", "Amount"),
            Round(Ref(f"{key}.quantity.{name}") * Ref(f"{own}.unit_price")),
            "CNY",
        ),
        Line(f"{own}.vat", _text("税额", "VAT"), Round(Ref(f"{own}.net") * Ref(vat)), "CNY"),
        Line(f"{own}.gross", _text("含税", "Gross"), Ref(f"{own}.net") + Ref(f"{own}.vat"), "CNY"),
    ]
    cells = {
        "quantity": f"{key}.quantity.{name}",
        "unit_price": f"{own}.unit_price",
        "vat_rate": vat,
        "net": f"{own}.net",
        "vat": f"{own}.vat",
        "gross": f"{own}.gross",
    }
    texts: dict[str, str | Text] = {"number": "1", "unit": "set"}
    return entries, TableRow(
        own, _text(f"{name} 服务器（训练节点，液冷）", f"{name} server (training node)"), cells, texts
    )


def _sum(key: str, column: str, names: tuple[str, ...], *, incomplete: bool) -> Line:
    of = tuple(Ref(f"{key}.bill.{name}.{column}") for name in names)
    return Line(f"{key}.capex.{column}", _text("合计", "Total"), Sum(of), "CNY", incomplete)


def _option(
    key: str, prices: tuple[tuple[Input, str, int], ...], years: int
) -> tuple[list[Entry], list[Table]]:
    entries: list[Entry] = []
    rows: list[TableRow] = []
    for price, fx, quantity in prices:
        made, row = _line(key, price, fx, quantity)
        entries += made
        rows.append(row)
    names = tuple(price.id.removeprefix("price.") for price, _, _ in prices)
    entries += [_sum(key, column, names, incomplete=key == "A") for column in ("net", "vat", "gross")]
    rows.append(
        TableRow(
            f"{key}.storage",
            _text("存储扩容", "Storage extension"),
            {"vat_rate": "general.vat_goods"},
            {"number": "9", "unit": "TB", "quantity": "12"},
        ),
    )
    cells = {column: f"{key}.capex.{column}" for column in ("net", "vat", "gross")}
    rows.append(TableRow(f"{key}.total", _text("总计", "Grand total"), cells, {}, "total"))
    columns = ("number", "unit", "quantity", "unit_price", "vat_rate", "net", "vat", "gross")
    bill = Table(
        f"bill:{key}", _text(f"方案 {key} 分项报价", f"Option {key}: line items"), columns, tuple(rows), key
    )
    sums = cells | {"rate": "general.vat_goods"}
    vat = Table(
        f"vat:{key}",
        _text(f"方案 {key}", f"Option {key}"),
        ("rate", "net", "vat", "gross"),
        (TableRow(f"{key}.vat.goods", _text("货物", "Goods"), sums),),
        key,
    )
    more, tco = _tco(key, years)
    return entries + more, [bill, vat, tco]


def _tco(key: str, years: int) -> tuple[list[Entry], Table]:
    entries: list[Entry] = [
        Input(f"{key}.kwh", _text("年用电量", "Electricity per year"), Decimal(1234567), "kWh", "energy"),
        Line(
            f"{key}.idle", _text("建设期运营成本", "Operating cost of the build"), Constant(Decimal(0)), "CNY"
        ),
    ]
    power: dict[str, str] = {"year0": f"{key}.idle"}
    discounted: dict[str, str] = {"year0": f"{key}.capex.net"}
    for year in range(1, years + 1):
        energy = Round(Ref(f"{key}.kwh") * Ref("site.pue") * Ref("site.electricity"))
        factor = Constant(Decimal(1)) / Power(
            Constant(Decimal(1)) + Ref("general.discount_rate"), Constant(Decimal(year))
        )
        entries += [
            Line(
                f"{key}.power{year}", _text(f"电费第 {year} 年", f"Electricity, year {year}"), energy, "CNY"
            ),
            Line(
                f"{key}.factor{year}",
                _text(f"折现系数第 {year} 年", f"Discount factor, year {year}"),
                factor,
                "factor",
            ),
            Line(
                f"{key}.pv{year}",
                _text(f"现值第 {year} 年", f"Present value, year {year}"),
                Round(Ref(f"{key}.power{year}") * Ref(f"{key}.factor{year}")),
                "CNY",
            ),
        ]
        power[f"year{year}"], discounted[f"year{year}"] = f"{key}.power{year}", f"{key}.pv{year}"
    power_total = Sum(tuple(Ref(entry_id) for entry_id in power.values()))
    npv = Sum(tuple(Ref(entry_id) for entry_id in discounted.values()))
    entries += [
        Line(f"{key}.power", _text("电费合计", "Electricity"), power_total, "CNY"),
        Line(f"{key}.tco.net", _text("现值合计", "Present value"), npv, "CNY", key == "A"),
    ]
    columns = (*power, "total")
    rows = (
        TableRow(f"{key}.power", _text("电费", "Electricity"), power | {"total": f"{key}.power"}),
        TableRow(
            f"{key}.tco.net",
            _text("现值", "Present value"),
            discounted | {"total": f"{key}.tco.net"},
            {},
            "total",
        ),
    )
    return entries, Table(f"tco:{key}", _text(f"方案 {key}", f"Option {key}"), columns, rows, key)


def _inputs_table(group: str, title: Text, inputs: list[Input]) -> Table:
    rows = tuple(
        TableRow(entry.id, entry.label, {"value": entry.id}) for entry in inputs if entry.group == group
    )
    return Table(f"inputs:{group}", title, ("value",), rows)


def make_ledger() -> Ledger:
    general = _general()
    prices = [
        Input(
            "price.h100",
            _text("H100 服务器", "H100 server"),
            Decimal("281250.55"),
            "USD",
            "prices",
            "quote-page",
            "2025-H2",
            Grade.WEAK,
            stale=True,
            note=_text("8 卡，含税与否未说明", "8-way; VAT not stated"),
        ),
        Input(
            "price.switch",
            _text("交换机", "Switch"),
            Decimal("181500.005"),
            "CNY",
            "prices",
            "list-page",
            "2026-10",
        ),
    ]
    entries: list[Entry] = [*general, *prices]
    tables: list[Table] = []
    for key, scale in (("A", 72), ("B", 1999)):
        made, shown = _option(key, ((prices[0], "general.fx.USD.CNY", scale), (prices[1], "", 33)), 5)
        entries += made
        tables += shown
    difference = Ref("A.capex.gross") - (Ref("A.capex.net") + Ref("A.capex.vat"))
    entries += [
        Line("check.A", _text("A 含税合计", "A adds up"), Round(difference), "CNY"),
        Line(
            "check.master",
            _text("总校验", "Master check"),
            Sum((Maximum((Ref("check.A"), Constant(Decimal(0)))),)),
            "count",
        ),
        Line(
            "cheaper",
            _text("较低者", "Lower of the two"),
            Choose(Ref("A.capex.gross"), Ref("B.capex.gross"), Ref("A.capex.gross"), Ref("B.capex.gross")),
            "CNY",
        ),
    ]
    checks = (
        TableRow(
            "check.A", _text("A 含税合计等于净额加税", "A: gross equals net plus VAT"), {"value": "check.A"}
        ),
        TableRow("check.master", _text("总校验", "Master check"), {"value": "check.master"}, {}, "total"),
    )
    totals = tuple(
        TableRow(metric, label, {key: f"{key}.{metric}" for key in "AB"}, {"unit": "CNY"})
        for metric, label in (
            ("capex.gross", _text("含税投资", "Capital cost")),
            ("tco.net", _text("总拥有成本", "TCO")),
        )
    )
    inputs = [entry for entry in entries if isinstance(entry, Input)]
    groups = {
        "general": _text("通用", "General"),
        "rates": _text("税率与汇率", "Rates"),
        "site": _text("场地", "Site"),
        "prices": _text("价格", "Prices"),
        "quantities": _text("数量", "Quantities"),
        "energy": _text("能耗", "Energy"),
    }
    tables = [_inputs_table(group, title, inputs) for group, title in groups.items()] + tables
    tables += [
        Table("totals", _text("方案比选", "Options compared"), ("unit", "A", "B"), totals),
        Table("checks", _text("校验", "Checks"), ("value",), checks),
    ]
    return Ledger("CNY", tuple(entries), tuple(tables))


def _shown(value: str, unit: str) -> Shown:
    number = Decimal(value)
    return Shown(value=number, unit=unit, low=number * Decimal("0.9"), high=number * Decimal("1.1"))


def _made_option(key: str, name: str, verdict: Verdict, *, costed: bool) -> Option:
    energy = EnergyView(
        per_run=_shown("1234.5", "MWh"),
        per_year=_shown("2469", "MWh"),
        carbon_per_run=None,
        carbon_per_year=_shown("1309", "t"),
        busy_share=Decimal("0.66"),
    )
    return Option(
        key=key,
        accelerator=name.lower(),
        accelerator_name=_text(f"{name} 加速卡", f"{name} accelerator"),
        maker=_text("厂商", "Maker"),
        vendor="maker",
        server="server",
        server_name=_text("服务器", "Server"),
        stack_name=None,
        verdict=verdict,
        binding=Constraint.DEADLINE,
        accelerators=576 if costed else None,
        energy=energy if costed else None,
        compliance=ComplianceView(region="CN", deliverability=Deliverability.FREE, summary=None, as_of=None),
    )


def make_proposal(ledger: Ledger, client: str = HOSTILE) -> Proposal:
    day = date(2026, 11, 30)
    project = ProjectView(
        name=Text.same("2026 某行业大模型预训练集群 R&D"),
        client=Text.same(client),
        type=ProposalType.INTERNAL_APPROVAL,
        track=Track.ENTERPRISE,
        day=day,
        languages=("zh", "en"),
        version="0.1.0",
        region="CN-GZ",
        region_name=_text("贵州", "Guizhou"),
        currency="CNY",
        horizon_years=5,
        price_validity_days=90,
    )
    flops = _shown("4.2e11", "flops")
    profile = ProfileView(
        name=_text("模型", "Model"),
        origin="catalogue",
        reference="model",
        total_parameters=72706203648,
        active_parameters=72706203648,
        matmul_parameters=71460323328,
        trainable_parameters=72706203648,
        layers=80,
        hidden_size=8192,
        ffn_hidden_size=29568,
        attention_heads=64,
        kv_heads=8,
        head_dim=128,
        vocab_size=152064,
        flops_per_token=flops,
        matmul_flops_per_token=flops,
        attention_flops_per_token=flops,
        six_n_flops_per_token=flops,
    )
    workload = WorkloadView(
        task=Task.PRETRAIN,
        tokens=_shown("2e12", "tokens"),
        sequence_length=4096,
        global_batch_size=1024,
        global_batch_tokens=4194304,
        precision="bf16",
        deadline=_shown("120", "day"),
        deadline_confidence=Decimal("0.9"),
        runs_per_year=Decimal(2),
        epochs=Decimal(1),
        solve_for=SolveFor.ACCELERATORS,
        objective=Objective.COST,
        total_flops=None,
        steps=476837,
    )
    sources = tuple(
        SourceView(
            key=key,
            id=entry_id,
            title=title,
            publisher="+cmd|' /C calc'!A0",
            published="2026",
            ref="@SUM(1)",
            retrieved=day,
            weak=weak,
        )
        for key, entry_id, title, weak in (
            ("S1", "fx-page", "外汇牌价", False),
            ("S2", "tariff-page", "-1+1 代理购电价格", False),
            ("S3", "quote-page", "报价单", True),
            ("S4", "list-page", "目录价", False),
        )
    )
    reason = _text(
        "项目文件未写精度，取该设备最常用的格式。" * 4,
        "The project file names no precision; the usual one is taken. " * 4,
    )
    fields: dict[str, Any] = {
        "project": project,
        "profile": profile,
        "workload": workload,
        "summary": SummaryView(recommended="A", feasible=2, barred=1, stale_prices=1, weak_figures=3),
        "options": (
            _made_option("A", "910B2", Verdict.RECOMMENDED, costed=True),
            _made_option("B", "H100", Verdict.ALTERNATE, costed=True),
            _made_option("C", "H20", Verdict.INFEASIBLE, costed=False),
        ),
        "assumptions": (
            AssumptionView(key="A1", setting="workload.precision", value="bf16", reason=reason, refs=("S1",)),
        ),
        "sources": sources,
        "notices": (NoticeView(text=_text("一个插件未能加载", "One plugin could not be loaded")),),
        "ledger": ledger,
        "requirement": None,
        "site_pue": _shown("1.25", "PUE"),
        "site_electricity": _shown("0.42", "CNY/kWh"),
        "site_carbon": None,
        "source_keys": {source.id: source.key for source in sources},
    }
    return Proposal.model_construct(**fields)


@pytest.fixture(scope="session")
def costed() -> Proposal:
    """Return the hand-made proposal."""
    return make_proposal(make_ledger())


@pytest.fixture(scope="session")
def planned() -> Proposal:
    """Return a proposal over a ledger that the costing built: option A priced whole, option B with gaps."""
    requirement, catalogue = factories.requirement(), factories.catalogue(*factories.shop())
    gaps = {"p-box", "p-installation"}
    thin = factories.catalogue(*(record for record in factories.shop() if record.id not in gaps))
    plans = [
        ("A", plan_cluster(factories.sizing(40), requirement, catalogue)),
        ("B", plan_cluster(factories.sizing(72), requirement, thin)),
    ]
    return make_proposal(build_ledger(plans, requirement, catalogue))


@pytest.fixture(scope="session")
def job_for() -> Callable[[Ledger], RenderJob]:
    """Make a job for any ledger."""

    def make(ledger: Ledger) -> RenderJob:
        return RenderJob(make_proposal(ledger), "bilingual")

    return make


@pytest.fixture(scope="session", params=["zh", "en", "bilingual", "planned"])
def job(request: pytest.FixtureRequest, costed: Proposal, planned: Proposal) -> RenderJob:
    """Every language over the hand-made ledger, and the ledger that the costing built."""
    if request.param == "planned":
        return RenderJob(planned, "zh")
    return RenderJob(costed, str(request.param))


@pytest.fixture(scope="session")
def bilingual(costed: Proposal) -> RenderJob:
    """Return the hand-made proposal, both languages beside each other."""
    return RenderJob(costed, "bilingual")
