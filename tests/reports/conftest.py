"""A realistic proposal built by hand, so that the renderers are tested apart from the pipeline that fills
them.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from string import Formatter

import pytest
from tests.reports.compliance_sample import (
    sample_acceptance,
    sample_barred,
    sample_domestic,
    sample_supply,
)
from tests.reports.decision_sample import decision_sample
from tests.reports.facility_sample import sample_facility
from tests.reports.growth_sample import sample_expansion, sample_topology
from tests.reports.network_sample import sample_network
from tests.reports.software_sample import sample_software
from tests.reports.storage_sample import sample_availability, sample_lead_time, sample_storage
from tests.reports.worked_sample import sample_calculation, sample_shortfall

from suanli.costing.ledger import Ledger
from suanli.domain.architecture import Architecture
from suanli.domain.figure import Grade
from suanli.domain.hardware import Cooling, Precision
from suanli.domain.money import Money, round_half_up
from suanli.domain.record import Text
from suanli.domain.vendor import Deliverability
from suanli.domain.workload import (
    ClusterWish,
    Commercial,
    LayoutPins,
    ModelChoice,
    Objective,
    ProjectInfo,
    ProposalType,
    Recompute,
    Requirement,
    Rounding,
    Site,
    SolveFor,
    Task,
    Track,
    VendorChoice,
    Workload,
)
from suanli.estimation.results import Constraint, RemedyKind
from suanli.planning.prices import PriceOrigin
from suanli.planning.results import BillCategory, Rule, VatClass
from suanli.planning.rules import RULES, rule_text
from suanli.proposal.dossier_view import dossier_view
from suanli.proposal.model import (
    AssumptionView,
    BillRow,
    CategoryTotal,
    ClaimVerdict,
    ClaimView,
    ComplianceView,
    EnergyView,
    FabricView,
    FormulaView,
    GoodputView,
    LayoutView,
    LeadTimeView,
    MoneyView,
    NoticeView,
    Option,
    PowerView,
    ProfileView,
    ProjectView,
    Proposal,
    RemedyView,
    RiskLevel,
    RiskView,
    SensitivityView,
    Share,
    Shown,
    SourceView,
    SummaryView,
    TcoRow,
    Verdict,
    WorkloadView,
    YearView,
)
from suanli.proposal.waterfall_view import waterfall_steps

D = Decimal
VAT = {VatClass.GOODS: D("0.13"), VatClass.WORKS: D("0.09"), VatClass.SERVICES: D("0.06")}


def shown(  # noqa: PLR0913 - the parts of a figure
    value: str, unit: str, low: str = "", high: str = "", refs: str = "", *, grade: Grade | None = None
) -> Shown:
    """Return a shown figure from strings."""
    return Shown(
        value=D(value),
        unit=unit,
        low=D(low) if low else None,
        high=D(high) if high else None,
        refs=tuple(refs.split()),
        grade=grade,
    )


def text(zh: str, en: str = "") -> Text:
    """Return a paired text; names that are equal in both languages are given once."""
    return Text(zh=zh, en=en or zh)


def bill_row(  # noqa: PLR0913, PLR0917 - a table row has that many cells
    number: str,
    category: BillCategory,
    name: Text,
    quantity: int,
    unit: str,
    rule: str,
    numbers: dict[str, str],
    *,
    price: str,
    vat: VatClass = VatClass.GOODS,
    grade: Grade = Grade.DIRECT,
    stale: bool = False,
    refs: str = "S3",
    lead_time: LeadTimeView | None = None,
) -> BillRow:
    """Return a row of the bill with its money; an empty price is an unpriced line."""
    # The planner's rules may ask for more numbers than a sample needs to be realistic.
    asked = [name for _, name, _, _ in Formatter().parse(RULES[rule].zh + RULES[rule].en) if name]
    numbers = {name: numbers.get(name, "2") for name in asked}
    net = round_half_up(D(price) * quantity) if price else None
    tax = round_half_up(net * VAT[vat]) if net is not None else None
    return BillRow(
        number=number,
        id=f"line-{number}",
        category=category,
        name=name,
        quantity=quantity,
        unit=unit,
        rule=rule,
        rule_numbers=numbers,
        rule_text=rule_text(Rule(rule, tuple(numbers.items()))),
        vat_class=vat,
        price=Shown(value=D(price), unit="CNY", refs=tuple(refs.split()), grade=grade) if price else None,
        unit_price=round_half_up(D(price)) if price else None,
        net=net,
        vat_rate=VAT[vat],
        vat=tax,
        gross=net + tax if net is not None and tax is not None else None,
        stale=stale,
        refs=tuple(refs.split()) if price else (),
        lead_time=lead_time,
    )


def sample_bill() -> tuple[BillRow, ...]:
    """Return the bill of the recommended option."""
    works, services = VatClass.WORKS, VatClass.SERVICES
    return (
        bill_row(
            "A1",
            BillCategory.COMPUTE,
            text(
                "Atlas 800T A2 训练服务器（8 卡昇腾 910B2）",
                "Atlas 800T A2 training server (8 × Ascend 910B2)",
            ),
            88,
            "set",
            "servers",
            {"accelerators": "704", "per_server": "8"},
            price="1250000.00",
            grade=Grade.WEAK,
            stale=True,
            refs="S3 S4",
        ),
        bill_row(
            "A2",
            BillCategory.NETWORK,
            text("400G 叶交换机", "400G leaf switch"),
            24,
            "set",
            "leaf-switches",
            {"tiers": "2", "endpoints": "720", "down": "32"},
            price="182000.00",
            grade=Grade.SECONDARY,
            refs="S5",
        ),
        bill_row(
            "A3",
            BillCategory.NETWORK,
            text("400G 脊交换机", "400G spine switch"),
            12,
            "set",
            "spine-switches",
            {"leaf": "24", "up": "32", "radix": "64"},
            price="182000.00",
            grade=Grade.SECONDARY,
            refs="S5",
        ),
        bill_row(
            "A4",
            BillCategory.NETWORK,
            text("400G 光模块", "400G optical transceiver"),
            2880,
            "piece",
            "switch-modules",
            {"count": "2880"},
            price="4850.00",
            grade=Grade.WEAK,
            stale=True,
            refs="S5",
        ),
        bill_row(
            "A5",
            BillCategory.STORAGE,
            text("全闪并行存储，可用容量", "All-flash parallel storage, usable capacity"),
            640,
            "TB",
            "storage-flash",
            {"stored": "361", "fill": "0.8", "usable": "0.8"},
            price="5200.00",
            refs="S6",
            lead_time=sample_lead_time(),
        ),
        bill_row(
            "A6",
            BillCategory.MANAGEMENT,
            text("管理与登录节点", "Management and login node"),
            6,
            "set",
            "management-servers",
            {"servers": "90", "per_server": "100"},
            price="98000.00",
            refs="S6",
        ),
        bill_row(
            "A7",
            BillCategory.FACILITY,
            text("液冷机柜与配电改造", "Liquid-cooled racks and power distribution works"),
            45,
            "rack",
            "racks",
            {"servers": "90", "per_rack": "2", "support": "3"},
            price="168000.00",
            vat=works,
            grade=Grade.WEAK,
            refs="S7",
        ),
        bill_row(
            "A8",
            BillCategory.SOFTWARE,
            text("集群调度与监控平台许可", "Cluster scheduling and monitoring licence"),
            704,
            "licence",
            "software-devices",
            {"accelerators": "704"},
            price="",
        ),
        bill_row(
            "A9",
            BillCategory.SERVICES,
            text("安装、调试与培训", "Installation, commissioning and user training"),
            1,
            "item",
            "once",
            {},
            price="2400000.00",
            vat=services,
            refs="S6",
        ),
        bill_row(
            "A10",
            BillCategory.SPARES,
            text("备用服务器", "Spare server"),
            2,
            "set",
            "spare-units",
            {"mean": "0.70", "confidence": "0.95"},
            price="1250000.00",
            grade=Grade.WEAK,
            stale=True,
            refs="S3 S4",
        ),
    )


def _amount(value: Decimal | None) -> Decimal:
    return value if value is not None else D(0)


def sample_money(bill: tuple[BillRow, ...]) -> MoneyView:
    """Return the money of a bill, over five years."""
    net = sum((_amount(row.net) for row in bill), D(0))
    vat = sum((_amount(row.vat) for row in bill), D(0))
    blocks = tuple(
        CategoryTotal(
            category=category,
            net=sum((_amount(row.net) for row in bill if row.category is category), D(0)),
            vat=sum((_amount(row.vat) for row in bill if row.category is category), D(0)),
            gross=sum((_amount(row.gross) for row in bill if row.category is category), D(0)),
            incomplete=any(row.net is None for row in bill if row.category is category),
        )
        for category in BillCategory
    )
    years = range(6)
    power = D("2140320.00")
    care = round_half_up(net * D("0.05"))
    staff = D("2700000.00")
    rows = {
        "capex": [net, *[D(0)] * 5],
        "electricity": [D(0), *[power] * 5],
        "maintenance": [D(0), D(0), D(0), D(0), care, care],
        "staff": [D(0), *[staff] * 5],
        "residual": [*[D(0)] * 5, -round_half_up(net * D("0.05"))],
    }
    labels = {
        "capex": text("一次性投资（不含税）", "Capital expenditure, net"),
        "electricity": text("电费", "Electricity"),
        "maintenance": text("维保", "Maintenance"),
        "staff": text("运维人员", "Operations staff"),
        "residual": text("残值", "Residual value"),
    }
    flow = [sum((values[year] for values in rows.values()), D(0)) for year in years]
    factor = [D(1) / (D("1.06") ** year) for year in years]
    discounted = [round_half_up(amount * share) for amount, share in zip(flow, factor, strict=True)]
    cash = [
        TcoRow(key=key, label=labels[key], years=tuple(values), total=sum(values, D(0)))
        for key, values in rows.items()
    ]
    cash.append(
        TcoRow(
            key="total",
            label=text("现金流合计", "Cash flow"),
            years=tuple(flow),
            total=sum(flow, D(0)),
            style="total",
        )
    )
    cash.append(
        TcoRow(
            key="discounted",
            label=text("折现值（6%）", "Discounted at 6%"),
            years=tuple(discounted),
            total=sum(discounted, D(0)),
            style="subtotal",
        )
    )
    book = net
    accounting: list[YearView] = []
    depreciation = round_half_up(net * D("0.95") / 5)
    for year in range(1, 6):
        book -= depreciation
        accounting.append(YearView(year=year, depreciation=depreciation, book_value=book))
    return MoneyView(
        capex_net=Shown(value=net, unit="CNY", refs=("S3", "F9"), incomplete=True),
        capex_vat=Shown(value=vat, unit="CNY", incomplete=True),
        capex_gross=Shown(
            value=net + vat,
            unit="CNY",
            low=round_half_up((net + vat) * D("0.92")),
            high=round_half_up((net + vat) * D("1.11")),
            refs=("F9",),
            grade=Grade.WEAK,
            incomplete=True,
        ),
        capex_in_words="人民币壹亿陆仟伍佰肆拾玖万捌仟壹佰贰拾元整",
        opex_first_year=Shown(value=power + staff, unit="CNY", refs=("F10",)),
        tco_net=Shown(
            value=sum(flow, D(0)),
            unit="CNY",
            low=round_half_up(sum(flow, D(0)) * D("0.93")),
            high=round_half_up(sum(flow, D(0)) * D("1.10")),
            refs=("F10",),
            incomplete=True,
        ),
        tco_discounted=Shown(value=sum(discounted, D(0)), unit="CNY", refs=("F10",), incomplete=True),
        per_accelerator_hour=shown("5.87", "CNY", "5.41", "6.43", "F10"),
        per_billion_tokens=shown("8412.55", "CNY", "7760.10", "9260.80", "F10"),
        blocks=tuple(block for block in blocks if block.gross or block.incomplete),
        cash=tuple(cash),
        waterfall=waterfall_steps(blocks, cash),
        accounting=tuple(accounting),
        unpriced=(text("集群调度与监控平台许可", "Cluster scheduling and monitoring licence"),),
        stale_prices=3,
        weak_prices=4,
        price_origins={
            PriceOrigin.QUOTE: 1,
            PriceOrigin.LIST: 2,
            PriceOrigin.PRESS: 3,
            PriceOrigin.ESTIMATE: 0,
        },
        electricity_share=D("0.064"),
        **decision_sample(),
    )


def recommended_option() -> Option:
    """Return a full option: sized, planned and costed."""
    bill = sample_bill()
    return Option(
        key="A",
        accelerator="ascend-910b2",
        accelerator_name=text("昇腾 910B2", "Ascend 910B2"),
        maker=text("华为", "Huawei"),
        vendor="ascend",
        server="atlas-800t-a2",
        server_name=text("Atlas 800T A2"),
        stack_name=text("MindSpeed-LLM"),
        verdict=Verdict.RECOMMENDED,
        binding=Constraint.DEADLINE,
        deadline_met=True,
        peak=shown("353.9", "TFLOPS", refs="S2", grade=Grade.SECONDARY),
        memory_nominal=shown("64", "GB", refs="S2"),
        accelerators=704,
        servers=88,
        spare_servers=2,
        layout=LayoutView(
            tp=8,
            pp=4,
            cp=1,
            dp=22,
            ep=1,
            micro_batch_size=1,
            micro_batches=44,
            virtual_pipeline=2,
            recompute=Recompute.SELECTIVE,
            zero_stage=1,
            sequence_parallel=True,
        ),
        days=shown("109", "day", "99", "120", "F7"),
        ideal_days=shown("102", "day", refs="F2"),
        untuned_days=shown("158", "day", refs="F7"),
        bound_days=shown("41.8", "day", refs="F2"),
        mfu=shown("0.41", "share", "0.37", "0.45", "R1 F3"),
        hfu=D("0.43"),
        tokens_per_s_per_accelerator=shown("323", "tokens/s", "291", "355", "R1"),
        memory=(
            Share(key="weights", value=D("10.7")),
            Share(key="gradients", value=D("5.4")),
            Share(key="optimizer", value=D("16.1")),
            Share(key="activations", value=D("12.6")),
            Share(key="logits", value=D("0.9")),
            Share(key="buffers", value=D("3.9")),
        ),
        memory_usable=shown("60.9", "GB", refs="S2"),
        memory_total=shown("49.6", "GB", refs="F4"),
        memory_headroom=D("0.19"),
        step=(
            Share(key="compute", value=D("6.10")),
            Share(key="recompute", value=D("0.31")),
            Share(key="tp", value=D("0.82")),
            Share(key="pp", value=D("0.08")),
            Share(key="bubble", value=D("0.49")),
            Share(key="dp", value=D("0.27")),
            Share(key="optimizer", value=D("0.22")),
            Share(key="other", value=D("0.12")),
        ),
        step_total=shown("8.41", "s", refs="F5"),
        communication_share=D("0.139"),
        goodput=GoodputView(
            share=shown("0.94", "share", refs="F6"),
            mtbf_h=shown("21.3", "h", refs="S8", grade=Grade.SECONDARY),
            interruptions=shown("123", "count", refs="S8"),
            checkpoint=shown("1.02", "TB", refs="F6"),
            interval_min=shown("25.4", "min", refs="F6"),
            write_s=shown("15.1", "s"),
            restart_min=shown("18", "min", refs="A4"),
            checkpoint_share=D("0.010"),
            lost_work_share=D("0.010"),
            restart_share=D("0.014"),
        ),
        calculation=sample_calculation(),
        step_losses=(
            Share(key="checkpoint", value=D("0.09")),
            Share(key="lost-work", value=D("0.09")),
            Share(key="restart", value=D("0.13")),
        ),
        scaling=((352, D(214)), (512, D(149)), (640, D(120)), (704, D(109)), (1024, D(76)), (1408, D(57))),
        throughput=(
            (352, D(108200)),
            (512, D(155400)),
            (640, D(192900)),
            (704, D(212400)),
            (1024, D(304600)),
            (1408, D(406100)),
        ),
        candidates=18432,
        rejected={"memory": 9120, "batch": 1800},
        fabric=FabricView(
            link=text("RoCEv2 200 Gb/s"),
            switch=text("64 口 400G 以太网交换机", "64-port 400G Ethernet switch"),
            per_port_gbit_s=D(200),
            endpoints=720,
            tiers=2,
            leaf_switches=24,
            spine_switches=12,
            core_switches=0,
            host_cables=720,
            fabric_cables=720,
            transceivers=2880,
            oversubscription=D(1),
            bisection=shown("9", "TB/s", refs="F9"),
            refs=("S5",),
        ),
        network=sample_network(),
        storage=sample_storage(),
        availability=sample_availability(),
        power=PowerView(
            server_peak=shown("5.6", "kW", refs="S2"),
            server_training=shown("4.8", "kW", "4.3", "5.2", "R1"),
            it_peak=shown("558", "kW"),
            it_training=shown("474", "kW", "428", "517"),
            facility_peak=shown("698", "kW", refs="A6"),
            racks=45,
            servers_per_rack=2,
            rack_power=shown("35", "kW", refs="A7"),
            cooling="liquid",
            estimated=False,
        ),
        facility=sample_facility(),
        energy=EnergyView(
            per_run=shown("1.55", "GWh", "1.40", "1.69", "F12"),
            per_year=shown("3.62", "GWh", "3.29", "3.95", "F12"),
            carbon_per_run=shown("822", "t", "742", "896", "S9"),
            carbon_per_year=shown("1919", "t", "1744", "2094", "S9"),
            busy_share=D("0.597"),
            training=shown("3240", "MWh"),
            idle=shown("310", "MWh"),
            downtime=shown("70", "MWh"),
        ),
        bill=bill,
        money=sample_money(bill),
        compliance=sample_domestic(),
        acceptance=sample_acceptance(),
        topology=sample_topology(),
        expansion=sample_expansion(),
        software=sample_software(),
        refs=("S2", "R1"),
    )


def alternate_option() -> Option:
    """Return a second feasible option."""
    first = recommended_option()
    assert first.money is not None
    money = first.money.model_copy(
        update={
            "capex_net": shown("181400000.00", "CNY", refs="S3", grade=Grade.WEAK),
            "capex_vat": shown("22870000.00", "CNY"),
            "capex_gross": shown("204270000.00", "CNY", "186000000.00", "229000000.00", "F9"),
            "tco_net": shown("233100000.00", "CNY", "213000000.00", "259000000.00", "F10"),
            "tco_discounted": shown("221000000.00", "CNY", refs="F10"),
            "unpriced": (),
        }
    )
    return first.model_copy(
        update={
            "key": "B",
            "accelerator": "ascend-910c",
            "accelerator_name": text("昇腾 910C", "Ascend 910C"),
            "server_name": text("Atlas 900 A3 超节点", "Atlas 900 A3 SuperPoD"),
            "verdict": Verdict.ALTERNATE,
            "accelerators": 368,
            "servers": 46,
            "days": shown("109", "day", "97", "123", "F7"),
            "mfu": shown("0.39", "share", "0.34", "0.44", "R1"),
            "peak": shown("752", "TFLOPS", refs="S2", grade=Grade.SECONDARY),
            "memory_nominal": shown("128", "GB", refs="S2"),
            "money": money,
            "borrowed": ("calibration",),
            "energy": EnergyView(
                per_run=shown("1.49", "GWh", "1.31", "1.68", "F12"),
                per_year=shown("3.48", "GWh", "3.06", "3.92", "F12"),
                carbon_per_run=shown("790", "t", refs="S9"),
                carbon_per_year=shown("1843", "t", refs="S9"),
                busy_share=D("0.597"),
            ),
            "deadline_met": True,
            "untuned_days": None,
        }
    )


def barred_option() -> Option:
    """Return an option that may not be delivered."""
    first = recommended_option()
    return first.model_copy(
        update={
            "key": "C",
            "accelerator": "h100-sxm",
            "accelerator_name": text("H100 SXM"),
            "maker": text("英伟达", "NVIDIA"),
            "vendor": "nvidia",
            "server": "dgx-h100",
            "server_name": text("DGX H100"),
            "stack_name": text("Megatron-LM"),
            "verdict": Verdict.BARRED,
            "accelerators": 248,
            "servers": 31,
            "days": shown("108", "day", "100", "117", "F7"),
            "mfu": shown("0.42", "share", "0.39", "0.45", "R1"),
            "peak": shown("989.4", "TFLOPS", refs="S10"),
            "memory_nominal": shown("80", "GB", refs="S10"),
            "money": None,
            "bill": (),
            "compliance": sample_barred(),
        }
    )


def infeasible_option() -> Option:
    """Return an option that does not fit."""
    return Option(
        key="D",
        accelerator="mi210",
        accelerator_name=text("Instinct MI210"),
        maker=text("超威", "AMD"),
        vendor="amd",
        server="mi210-8",
        server_name=text("8 卡 MI210 服务器", "8-way MI210 server"),
        stack_name=None,
        verdict=Verdict.INFEASIBLE,
        binding=Constraint.MEMORY,
        peak=shown("181", "TFLOPS", refs="S11"),
        memory_nominal=shown("64", "GB", refs="S11"),
        compliance=ComplianceView(
            region="CN", deliverability=Deliverability.UNKNOWN, summary=None, as_of=None, refs=()
        ),
        remedies=(
            RemedyView(kind=RemedyKind.RECOMPUTE, value=None, detail="full"),
            RemedyView(kind=RemedyKind.LARGER_MEMORY, value=shown("96", "GB")),
            RemedyView(kind=RemedyKind.MORE_ACCELERATORS, value=shown("1536", "device")),
        ),
        shortfall=(shown("71.2", "GB"), shown("57.6", "GB")),
        calculation=sample_shortfall(),
        fails_at="memory",
        refs=("S11",),
    )


def sample_claims() -> tuple[ClaimView, ...]:
    """Return three audited claims."""
    return (
        ClaimView(
            by=text("供应商 X"),
            says=text("32 张卡 5 天完成 <b>72B</b> 预训练"),
            accelerator_name=text("昇腾 910B2", "Ascend 910B2"),
            accelerators=32,
            days=shown("5", "day"),
            implied_mfu=shown("184.7", "share"),
            implied_rate=shown("65400", "TFLOPS"),
            peak=shown("353.9", "TFLOPS", refs="S2"),
            fits=False,
            static_memory=shown("36.4", "GB", refs="F4"),
            right_days=shown("2396", "day", "2180", "2640", "F7"),
            right_accelerators=15328,
            factor=shown("479", "times"),
            verdict=ClaimVerdict.IMPOSSIBLE,
            refs=("S12",),
        ),
        ClaimView(
            by=text("技术文章 Y"),
            says=text("256 × H100 finish 70B in 8.9 days"),
            accelerator_name=text("H100 SXM"),
            accelerators=256,
            days=shown("8.9", "day"),
            implied_mfu=shown("4.64", "share"),
            implied_rate=shown("4592", "TFLOPS"),
            peak=shown("989.4", "TFLOPS", refs="S10"),
            fits=True,
            static_memory=shown("4.5", "GB", refs="F4"),
            right_days=shown("104", "day", "97", "113", "F7"),
            right_accelerators=3016,
            factor=shown("11.7", "times"),
            verdict=ClaimVerdict.IMPOSSIBLE,
            refs=("S12",),
        ),
        ClaimView(
            by=text("供应商 Z"),
            says=text("自研芯片 512 卡 60 天"),
            accelerator_name=text("自研芯片 Z1", "Z1"),
            accelerators=512,
            days=shown("60", "day"),
            implied_mfu=None,
            implied_rate=shown("340", "TFLOPS"),
            peak=None,
            fits=None,
            static_memory=None,
            right_days=None,
            right_accelerators=None,
            factor=None,
            verdict=ClaimVerdict.NOT_COMPUTABLE,
        ),
    )


def _sources() -> tuple[SourceView, ...]:
    day = date(2026, 11, 20)
    rows = (
        (
            "S2",
            "昇腾 910B 产品规格与实测汇编",
            "华为 / Huawei",
            "2025-06",
            "https://example.com/ascend-910b",
            False,
        ),
        (
            "S3",
            "省级智算中心设备采购中标公告",
            "中国招标投标公共服务平台",
            "2025-03",
            "招标编号 GZ-2025-0312",
            True,
        ),
        ("S4", "AI server price survey", "Industry press", "2025-02", "", True),
        ("S5", "400G Ethernet switch data sheet", "Vendor", "2025", "https://example.com/switch", False),
        ("S6", "运营商集采结果公示", "中国移动", "2025-09", "", False),
        ("S7", "Data-centre construction cost guide", "Turner & Townsend", "2025", "", True),
        ("S8", "The Llama 3 Herd of Models", "Meta", "2024-07", "arXiv:2407.21783", False),
        ("S9", "全国电力平均二氧化碳排放因子", "生态环境部", "2024-12", "公告 2024 年第 33 号", False),
        (
            "S10",
            "NVIDIA H100 Tensor Core GPU data sheet",
            "NVIDIA",
            "2024",
            "https://example.com/h100",
            False,
        ),
        ("S11", "AMD Instinct MI210 data sheet", "AMD", "2022", "https://example.com/mi210", False),
        ("S12", "算力规划入门", "技术文章", "2025", "", True),
        (
            "R1",
            "MindSpeed-LLM published runs, 72B",
            "Ascend community",
            "2025-08",
            "https://example.com/runs",
            False,
        ),
        ("C1", "出口管制状态核对", "本项目", "2026-11", "", False),
        (
            "C2",
            "15 CFR Part 742/744, advanced computing rule",
            "BIS",
            "2023-10, amended 2025",
            "88 FR 73458",
            False,
        ),
    )
    return tuple(
        SourceView(
            key=key,
            id=key.lower(),
            title=title,
            publisher=publisher,
            published=published,
            ref=ref,
            retrieved=day,
            weak=weak,
        )
        for key, title, publisher, published, ref, weak in rows
    )


def sample_requirement() -> Requirement:
    """Return the completed requirement behind the sample."""
    architecture = Architecture(
        layers=80,
        hidden_size=8192,
        ffn_hidden_size=29568,
        attention_heads=64,
        kv_heads=8,
        head_dim=128,
        vocab_size=152064,
    )
    return Requirement(
        project=ProjectInfo(
            name=text("某行业大模型预训练集群"),
            client=text("示例集团"),
            type=ProposalType.INTERNAL_APPROVAL,
            track=Track.ENTERPRISE,
            languages=("zh", "en"),
            day=date(2026, 11, 30),
        ),
        scenario="pretrain-34b-70b",
        model=ModelChoice(name=text("Qwen2.5-72B"), architecture=architecture, origin="catalogue"),
        workload=Workload(
            task=Task.PRETRAIN,
            sequence_length=4096,
            global_batch_size=968,
            precision=Precision.BF16,
            tokens=2e12,
            runs_per_year=2,
        ),
        solve_for=SolveFor.ACCELERATORS,
        objective=Objective.COST,
        pins=LayoutPins(),
        cluster=ClusterWish(),
        site=Site(
            region="CN-GZ",
            pue=D("1.25"),
            electricity=Money(D("0.42"), "CNY"),
            grid_carbon_kg_per_kwh=D("0.53"),
            rack_power_w=35000,
            cooling=Cooling.LIQUID,
        ),
        vendors=VendorChoice(consider=("ascend", "nvidia", "amd"), prefer="domestic", delivery_region="CN"),
        commercial=Commercial(
            currency="CNY",
            budget=Money(D(200000000), "CNY"),
            horizon_years=5,
            discount_rate=D("0.06"),
            vat_goods=VAT[VatClass.GOODS],
            vat_works=VAT[VatClass.WORKS],
            vat_services=VAT[VatClass.SERVICES],
            exchange_rates=(),
            rounding=Rounding.LINE,
            price_validity_days=90,
            depreciation_years=5,
            residual_share=D("0.05"),
            maintenance_share=D("0.05"),
            warranty_years=3,
            spare_parts_share=D("0.02"),
        ),
    )


def _assumptions() -> tuple[AssumptionView, ...]:
    rows = (
        (
            "A1",
            "workload.precision",
            "bf16",
            "项目文件未给出；按训练常用格式取 BF16。",
            "Not given; BF16 is the common training format.",
        ),
        (
            "A2",
            "workload.epochs",
            "1",
            "未给出；预训练语料通常只过一遍。",
            "Not given; pre-training passes over the corpus once.",
        ),
        (
            "A3",
            "cluster.oversubscription",
            "1.0",
            "未给出；按无阻塞组网。",
            "Not given; the fabric is planned non-blocking.",
        ),
        ("A4", "planning.restart", "18 min", "取公开训练日志中位数。", "Median of published training logs."),
        (
            "A5",
            "planning.storage.bytes_per_token",
            "4 B",
            "语料按每词元 4 字节存放。",
            "The corpus is stored at 4 bytes a token.",
        ),
        (
            "A6",
            "site.pue",
            "1.25",
            "由项目文件给出，按年均值使用一次。",
            "From the project file, an annual mean, applied once.",
        ),
        ("A7", "site.rack_power", "35 kW", "由项目文件给出。", "From the project file."),
    )
    return tuple(
        AssumptionView(
            key=key, setting=setting, value=value, reason=text(zh, en), refs=("S8",) if key == "A4" else ()
        )
        for key, setting, value, zh, en in rows
    )


def _formulas() -> tuple[FormulaView, ...]:
    ids = (
        "training-work",
        "duration",
        "effective-rate",
        "memory",
        "step-time",
        "goodput",
        "all-reduce",
        "optimal-tokens",
        "nodes",
        "tco",
        "depreciation",
        "energy",
        "carbon",
    )
    sources = {
        "goodput": "Young, 1974",
        "training-work": "Kaplan et al., 2020, section 2.1",
        "memory": "Rajbhandari et al., 2020, section 3",
    }
    return tuple(
        FormulaView(key=f"F{number}", id=name, source=sources.get(name, ""))
        for number, name in enumerate(ids, start=1)
    )


def _risks() -> tuple[RiskView, ...]:
    days = shown("109", "day", "99", "120", "F7")
    return (
        RiskView(
            key="duration-range", level=RiskLevel.MEDIUM, option="A", numbers={"days": days}, refs=("R1",)
        ),
        RiskView(
            key="untuned-team",
            level=RiskLevel.HIGH,
            option="A",
            numbers={"days": days, "untuned": shown("158", "day", refs="F7")},
        ),
        RiskView(
            key="stale-prices", level=RiskLevel.HIGH, option="A", numbers={"count": shown("3", "count")}
        ),
        RiskView(
            key="unpriced-lines", level=RiskLevel.HIGH, option="A", numbers={"count": shown("1", "count")}
        ),
        RiskView(
            key="interruptions",
            level=RiskLevel.MEDIUM,
            option="A",
            numbers={"interruptions": shown("123", "count"), "mtbf": shown("21.3", "h")},
            refs=("S8",),
        ),
        RiskView(
            key="delivery-barred",
            level=RiskLevel.HIGH,
            option="C",
            texts={"accelerator": text("H100 SXM")},
            refs=("C2",),
        ),
        RiskView(
            key="delivery-unknown",
            level=RiskLevel.MEDIUM,
            option="D",
            texts={"accelerator": text("Instinct MI210")},
        ),
    )


def sample_proposal(options: tuple[Option, ...] | None = None, recommended: str = "A") -> Proposal:
    """Return the whole proposal."""
    shape = sample_requirement().model.architecture
    found = Proposal(
        project=ProjectView(
            name=text("某行业大模型预训练集群"),
            client=text("示例集团 <script>alert(1)</script>"),
            type=ProposalType.INTERNAL_APPROVAL,
            track=Track.ENTERPRISE,
            day=date(2026, 11, 30),
            languages=("zh", "en"),
            version="0.1.0",
            region="CN-GZ",
            region_name=text("贵州", "Guizhou"),
            currency="CNY",
            horizon_years=5,
            price_validity_days=90,
        ),
        profile=ProfileView(
            name=text("Qwen2.5-72B"),
            origin="catalogue",
            reference="qwen2.5-72b",
            total_parameters=72706203648,
            active_parameters=72706203648,
            matmul_parameters=71460495360,
            trainable_parameters=72706203648,
            layers=shape.layers,
            hidden_size=shape.hidden_size,
            ffn_hidden_size=shape.ffn_hidden_size,
            attention_heads=shape.attention_heads,
            kv_heads=shape.kv_heads,
            head_dim=shape.head_dim,
            vocab_size=shape.vocab_size,
            flops_per_token=shown("4.52E+11", "FLOPs", refs="F1"),
            matmul_flops_per_token=shown("4.29E+11", "FLOPs", refs="F1"),
            attention_flops_per_token=shown("1.61E+10", "FLOPs", refs="F1"),
            six_n_flops_per_token=shown("4.36E+11", "FLOPs", refs="F8"),
            refs=("S2",),
        ),
        workload=WorkloadView(
            task=Task.PRETRAIN,
            tokens=shown("2E+12", "token"),
            sequence_length=4096,
            global_batch_size=968,
            global_batch_tokens=3964928,
            precision="bf16",
            deadline=shown("120", "day"),
            deadline_confidence=D("0.9"),
            runs_per_year=D(2),
            epochs=D(1),
            solve_for=SolveFor.ACCELERATORS,
            objective=Objective.COST,
            total_flops=shown("9.04E+23", "FLOPs", refs="F1"),
            steps=504423,
            optimal_tokens=shown("1.45E+12", "token", refs="S8"),
        ),
        summary=SummaryView(
            recommended=recommended,
            feasible=2 if recommended else 0,
            barred=1,
            stale_prices=3,
            weak_figures=6,
            sensitivities=(
                SensitivityView(
                    label=text("训练服务器单价", "Unit price of the training server"),
                    change=D("0.10"),
                    low=D("169400000.00"),
                    high=D("192000000.00"),
                    spread=D("0.1250"),
                ),
                SensitivityView(
                    label=text("电价", "Electricity price"),
                    change=D("0.10"),
                    low=D("179600000.00"),
                    high=D("181800000.00"),
                    spread=D("0.0118"),
                ),
            ),
        ),
        options=options
        if options is not None
        else (recommended_option(), alternate_option(), barred_option(), infeasible_option()),
        claims=sample_claims(),
        risks=_risks(),
        assumptions=_assumptions(),
        formulas=_formulas(),
        sources=_sources(),
        rules=(
            SourceView(
                key="C3",
                id="mof-2021-22",
                title="《政府采购需求管理办法》",
                publisher="财政部",
                published="2021-04-30",
                ref="财库〔2021〕22号",
                retrieved=date(2026, 11, 20),
            ),
        ),
        supply=sample_supply(),
        notices=(
            NoticeView(
                text=text(
                    "插件“示例”未能载入，其加速卡未参与比选。",
                    'Plugin "sample" failed to load; its devices were not compared.',
                )
            ),
        ),
        ledger=Ledger(currency="CNY", entries=()),
        requirement=sample_requirement(),
        site_pue=shown("1.25", "PUE", refs="A6"),
        site_electricity=shown("0.42", "CNY/kWh", refs="A6"),
        site_carbon=shown("0.53", "kg/kWh", refs="S9"),
        exchange_rates=(shown("7.10", "USD/CNY"),),
    )
    return found.model_copy(update={"dossier": dossier_view(found)})


@pytest.fixture(scope="session")
def proposal() -> Proposal:
    """Return the sample with a recommended option."""
    return sample_proposal()


@pytest.fixture(scope="session")
def infeasible_proposal() -> Proposal:
    """Return the sample where nothing can be recommended."""
    return sample_proposal((infeasible_option(),), recommended="")
