"""Small complete records, built by hand: one device, one project, one catalogue."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.architecture import Architecture
from suanli.domain.catalogue import Catalogue, Provenance
from suanli.domain.figure import (
    Bytes,
    BytesPerSecond,
    Check,
    Confidence,
    FlopsPerSecond,
    Number,
    RackUnits,
    Watts,
)
from suanli.domain.hardware import (
    Accelerator,
    Cooling,
    Link,
    LinkScope,
    Nic,
    NicRole,
    Precision,
    Server,
    Switch,
)
from suanli.domain.market import Price, PriceKind, VatTreatment
from suanli.domain.money import Money
from suanli.domain.record import Text
from suanli.domain.vendor import Calibration, PowerModel, SoftwareStack
from suanli.domain.workload import (
    ClusterWish,
    Commercial,
    ExchangeRate,
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
from suanli.estimation.results import (
    Constraint,
    Device,
    Goodput,
    Layout,
    MemoryUse,
    ModelProfile,
    Range,
    Sizing,
    StepTime,
)

if TYPE_CHECKING:
    from suanli.domain.record import Record

DAY = date(2026, 11, 30)


def text(name: str) -> Text:
    return Text(zh=name, en=name)


def number(
    value: float, unit: str = "fraction", low: float | None = None, high: float | None = None
) -> Number:
    return Number(
        value=value,
        unit=unit,
        source="src",
        confidence=Confidence.DATASHEET,
        check=Check.DIRECT,
        low=low,
        high=high,
    )


def watts(value: float, low: float | None = None, high: float | None = None) -> Watts:
    return Watts(
        value=value,
        unit="W",
        source="src",
        confidence=Confidence.DATASHEET,
        check=Check.DIRECT,
        low=low,
        high=high,
    )


def gbit(value: float) -> BytesPerSecond:
    return BytesPerSecond(
        value=value, unit="Gbit/s", source="src", confidence=Confidence.DATASHEET, check=Check.DIRECT
    )


def accelerator(record_id: str = "acme-x1", vendor: str = "nvidia", tdp: Watts | None = None) -> Accelerator:
    return Accelerator(
        id=record_id,
        name=text(record_id),
        vendor=vendor,
        maker=text("Acme"),
        dense_peak={
            Precision.BF16: FlopsPerSecond(
                value=1000, unit="TFLOPS", source="src", confidence=Confidence.DATASHEET, check=Check.DIRECT
            )
        },
        memory=Bytes(value=80, unit="GB", source="src", confidence=Confidence.DATASHEET, check=Check.DIRECT),
        tdp=tdp,
    )


def server(  # noqa: PLR0913, PLR0917 - one argument a field
    record_id: str = "acme-box",
    vendor: str = "nvidia",
    max_power: Watts | None = None,
    rate_gbit: float = 400,
    units: float | None = 8,
    local_nvme: Bytes | None = None,
) -> Server:
    return Server(
        id=record_id,
        name=text(record_id),
        vendor=vendor,
        maker=text("Acme"),
        accelerator="acme-x1",
        accelerator_count=8,
        scale_up_domain=8,
        max_power=max_power,
        rack_units=None
        if units is None
        else RackUnits(
            value=units, unit="U", source="src", confidence=Confidence.DATASHEET, check=Check.DIRECT
        ),
        cooling=Cooling.AIR,
        local_nvme=local_nvme,
        nics=(Nic(role=NicRole.COMPUTE, count=8, rate=gbit(rate_gbit)),),
    )


def power_model() -> PowerModel:
    return PowerModel(
        id="power-acme",
        training_fraction=number(0.8, low=0.7, high=0.9),
        idle_fraction=number(0.35),
        host_share=number(0.5, low=0.4, high=0.8),
    )


def device(box: Server | None = None, chip: Accelerator | None = None) -> Device:
    return Device(
        accelerator=chip or accelerator(),
        server=box or server(max_power=watts(10_000)),
        calibration=Calibration(id="cal", accelerator="acme-x1", constants={"gemm_efficiency": number(0.6)}),
        stack=SoftwareStack(id="stack", name=text("stack"), vendors=("nvidia",)),
        power=power_model(),
    )


def goodput(mtbf_s: float = 1e12, checkpoint_bytes: float = 1e12) -> Goodput:
    return Goodput(
        interruptions=1.0,
        mtbf_s=mtbf_s,
        checkpoint_bytes=checkpoint_bytes,
        checkpoint_interval_s=3600,
        checkpoint_write_s=50,
        restart_s=600,
        checkpoint_share=0.01,
        lost_work_share=0.01,
        restart_share=0.01,
        failure_source="src",
    )


def sizing(nodes: int = 4, hours: float = 1000, chip: Device | None = None) -> Sizing:
    chosen = chip or device()
    seconds = hours * 3600
    return Sizing(
        device=chosen,
        profile=ModelProfile(
            7_000_000_000, 7_000_000_000, 7_000_000_000, 7_000_000_000, 4.2e10, 0.8e10, 4.2e10
        ),
        precision=Precision.BF16,
        layout=Layout(
            tp=8,
            pp=1,
            cp=1,
            dp=nodes * chosen.server.accelerator_count // 8,
            ep=1,
            micro_batch_size=1,
            micro_batches=8,
            virtual_pipeline=1,
            recompute=Recompute.SELECTIVE,
            zero_stage=1,
            sequence_parallel=True,
        ),
        nodes=nodes,
        memory=MemoryUse(1e10, 1e10, 1e10, 1e10, 1e9, 1e9, 8e10, 0.1, usable_measured=True),
        step=StepTime(1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        goodput=goodput(),
        tokens=1e12,
        steps=1000,
        tokens_per_s_per_accelerator=Range(900, 1000, 1100),
        mfu=Range(0.36, 0.4, 0.44),
        hfu=0.45,
        ideal_s=seconds * 0.97,
        duration_s=Range(seconds * 0.9, seconds, seconds * 1.2),
        untuned_duration_s=seconds * 1.5,
        peak_bound_s=seconds * 0.4,
        binding=Constraint.DEADLINE,
        candidates=10,
    )


def price(
    record_id: str,
    amount: str,
    what: PriceKind = PriceKind.SERVER,
    currency: str = "CNY",
    **fields: object,
) -> Price:
    values: dict[str, object] = {
        "id": record_id,
        "item": text(record_id),
        "what": what,
        "amount": Decimal(amount),
        "currency": currency,
        "per": "server",
        "dated": "2026-11",
        "valid_from": date(2026, 11, 1),
        "valid_to": date(2026, 11, 20),
        "vat": VatTreatment.EXCLUDED,
        "source": "src",
        "confidence": Confidence.LIST,
        "check": Check.DIRECT,
    }
    return Price.model_validate(values | fields)


def switch(record_id: str = "acme-64", vendor: str = "nvidia", ports: int = 64, rate: float = 400) -> Switch:
    return Switch(
        id=record_id,
        name=text(record_id),
        vendor=vendor,
        technology="infiniband" if vendor == "nvidia" else "ethernet",
        ports=number(ports, "ports"),
        port_rate=gbit(rate),
        rack_units=RackUnits(
            value=1, unit="U", source="src", confidence=Confidence.DATASHEET, check=Check.DIRECT
        ),
        max_power=watts(1500),
    )


def link(record_id: str = "ib-ndr", name: str = "InfiniBand NDR 400G", rate: float = 400) -> Link:
    return Link(id=record_id, name=text(name), scope=LinkScope.INTER_NODE, per_device=gbit(rate))


def catalogue(*records: Record) -> Catalogue:
    return Catalogue.of((record, Provenance("test", "test", "1")) for record in records)


def shop() -> tuple[Record, ...]:
    """Return a link, a switch and a price for everything that a bill has."""
    kinds = {
        "optic-ib-400g": (PriceKind.OPTIC, "1000", "module"),
        "cable-fibre": (PriceKind.CABLE, "200", "cable"),
        "cable-dac": (PriceKind.CABLE, "300", "cable"),
        "cable-patch": (PriceKind.CABLE, "20", "cable"),
        "nic-100g": (PriceKind.NIC, "2000", "adapter"),
        "optical-link-100g": (PriceKind.OPTIC, "900", "link"),
        "storage-flash-tb": (PriceKind.STORAGE, "2500", "TB raw"),
        "storage-server": (PriceKind.STORAGE, "80000", "server"),
        "management-server": (PriceKind.SERVER, "60000", "server"),
        "management-switch": (PriceKind.SWITCH, "9000", "switch"),
        "rack": (PriceKind.RACK, "12000", "rack"),
        "pdu": (PriceKind.FACILITY, "5000", "unit"),
        "ups-kva": (PriceKind.FACILITY, "600", "kVA"),
        "transformers-kva": (PriceKind.FACILITY, "150", "kVA"),
        "installation": (PriceKind.CONSTRUCTION, "400000", "project"),
        "commissioning": (PriceKind.SUPPORT, "300000", "project"),
        "cabling-works": (PriceKind.CONSTRUCTION, "150", "cable"),
        "operator-training": (PriceKind.SUPPORT, "2000", "person-day"),
        "cluster-software": (PriceKind.SOFTWARE, "8000", "server"),
        "storage-hdd-tb": (PriceKind.STORAGE, "200", "TB raw"),
        "capacity-server": (PriceKind.STORAGE, "90000", "server"),
        "colocation-kw-month": (PriceKind.COLOCATION, "550", "kW-month"),
    }
    rows = [
        price(f"p-{basis}", amount, kind, basis=basis, per=per)
        for basis, (kind, amount, per) in kinds.items()
    ]
    return (
        link(),
        switch(),
        accelerator(),
        price("p-box", "300000", PriceKind.SERVER, "USD", prices=("acme-box",)),
        price("p-switch", "36000", PriceKind.SWITCH, "USD", prices=("acme-64",), per="switch"),
        switch("acme-eth", rate=100).model_copy(update={"technology": "ethernet"}),
        price("p-eth", "12000", PriceKind.SWITCH, "USD", prices=("acme-eth",), per="switch"),
        *rows,
    )


def commercial(rounding: Rounding = Rounding.LINE, horizon_years: int = 5) -> Commercial:
    return Commercial(
        currency="CNY",
        budget=None,
        horizon_years=horizon_years,
        discount_rate=Decimal("0.06"),
        vat_goods=Decimal("0.13"),
        vat_works=Decimal("0.09"),
        vat_services=Decimal("0.06"),
        exchange_rates=(ExchangeRate("USD", "CNY", Decimal("7.10"), DAY, "src"),),
        rounding=rounding,
        price_validity_days=90,
        depreciation_years=5,
        residual_share=Decimal("0.05"),
        maintenance_share=Decimal("0.08"),
        warranty_years=3,
        spare_parts_share=Decimal("0.01"),
        staff_fte=Decimal(4),
        staff_cost=Money(Decimal(300_000), "CNY"),
    )


def requirement(money: Commercial | None = None, wish: ClusterWish | None = None) -> Requirement:
    return Requirement(
        project=ProjectInfo(
            Text.same("project"),
            Text.same("client"),
            ProposalType.INTERNAL_APPROVAL,
            Track.ENTERPRISE,
            ("zh", "en"),
            DAY,
        ),
        scenario="pretrain-34b-70b",
        model=ModelChoice(
            text("model"),
            Architecture(
                layers=32,
                hidden_size=4096,
                ffn_hidden_size=11008,
                attention_heads=32,
                kv_heads=32,
                head_dim=128,
                vocab_size=32000,
            ),
            "catalogue",
        ),
        workload=Workload(
            task=Task.PRETRAIN,
            sequence_length=4096,
            global_batch_size=1024,
            precision=Precision.BF16,
            tokens=1e12,
            deadline_s=120 * 86_400,
            runs_per_year=2.0,
        ),
        solve_for=SolveFor.ACCELERATORS,
        objective=Objective.COST,
        pins=LayoutPins(),
        cluster=wish or ClusterWish(spare_nodes=1),
        site=Site(
            region="CN-GZ",
            pue=Decimal("1.25"),
            electricity=Money(Decimal("0.42"), "CNY"),
            grid_carbon_kg_per_kwh=Decimal("0.5"),
            rack_power_w=35_000,
            cooling=Cooling.AIR,
        ),
        vendors=VendorChoice(consider=("nvidia",)),
        commercial=money or commercial(),
    )


def with_site(base: Requirement, pue: str = "1.25", *, grid_known: bool = True) -> Requirement:
    carbon = base.site.grid_carbon_kg_per_kwh if grid_known else None
    return replace(base, site=replace(base.site, pue=Decimal(pue), grid_carbon_kg_per_kwh=carbon))
