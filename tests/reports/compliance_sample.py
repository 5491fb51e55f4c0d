"""Compliance, supply and acceptance of the sample proposal, built by hand."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from suanli.domain.figure import Check
from suanli.domain.record import Text
from suanli.domain.vendor import AcceptanceBasis, AcceptancePhase, Deliverability, RuleTopic
from suanli.planning.acceptance.results import BoundKind
from suanli.planning.compliance import Timing
from suanli.proposal.model import (
    AllowanceView,
    ComplianceView,
    EventView,
    GroupView,
    NoteView,
    PerformanceView,
    RungView,
    Shown,
    SupplyView,
    TestView,
)

__all__ = ["sample_acceptance", "sample_barred", "sample_domestic", "sample_supply"]

D = Decimal


def text(zh: str, en: str) -> Text:
    return Text(zh=zh, en=en)


def shown(
    value: str, unit: str, low: str | None = None, high: str | None = None, refs: tuple[str, ...] = ()
) -> Shown:
    return Shown(
        value=D(value),
        unit=unit,
        low=None if low is None else D(low),
        high=None if high is None else D(high),
        refs=refs,
    )


def _group() -> GroupView:
    return GroupView(
        name=text("中国内地", "China (mainland)"),
        note=text("属 D:1、D:5 国家组。", "In country groups D:1 and D:5."),
        refs=("C2",),
    )


def sample_domestic() -> ComplianceView:
    """Return a device that needs no licence; its die area is unknown."""
    return ComplianceView(
        region="CN",
        deliverability=Deliverability.FREE,
        summary=text("境内交付，无出口许可要求。", "Domestic delivery; no export licence is required."),
        as_of=date(2026, 11, 1),
        refs=("C1",),
        timing=Timing.OLDER,
        days_apart=29,
        groups=(_group(),),
        performance=PerformanceView(
            precision="int8",
            peak=shown("707.8", "TFLOPS", refs=("S2",)),
            bits=8,
            tpp=shown("5662", "bit-TOPS"),
            die_area=None,
            density=None,
            memory_bandwidth=shown("1600", "GB/s"),
        ),
    )


def sample_barred() -> ComplianceView:
    """Return a device that may not be delivered, with the rule that says so."""
    return ComplianceView(
        region="CN",
        deliverability=Deliverability.BARRED,
        summary=text("受出口管制，不得交付至中国境内。", "Export-controlled; may not be delivered to China."),
        as_of=date(2026, 12, 15),
        refs=("C2",),
        control=text("3A090.a（个案审查）", "3A090.a, case-by-case review"),
        control_refs=("C2",),
        path=text("由美国出口商申请许可。", "The US exporter applies for a licence."),
        reexport=text("再出口推定拒绝。", "Re-exports are presumed to be denied."),
        groups=(_group(),),
        performance=PerformanceView(
            precision="fp8",
            peak=shown("1979", "TFLOPS", refs=("S10",)),
            bits=8,
            tpp=shown("15832", "bit-TOPS"),
            die_area=shown("814", "mm2", refs=("S10",)),
            density=shown("19.4", "bit-TOPS/mm2"),
            memory_bandwidth=shown("3350", "GB/s"),
        ),
    )


def _note(
    topic: RuleTopic, name: Text, reading: Check, *, applies: bool = True, press: bool = False
) -> NoteView:
    return NoteView(
        topic=topic,
        name=name,
        dated="in force 2026-01-01",
        content=text("本国产品给予 20% 的价格扣除。", "Domestic products get a price deduction of 20 %."),
        applies=applies,
        reading=reading,
        press=press,
        refs=("C1",),
    )


def sample_supply() -> SupplyView:
    """Return two events and rules of every topic, one of another track, one reported by the press alone."""
    return SupplyView(
        region="CN",
        day=date(2026, 11, 30),
        events=(
            EventView(
                day="2023-10-17",
                jurisdiction="US",
                title=text("规则修订", "Updated rule"),
                effect=text("取消输入输出指标。", "The I/O criterion is gone."),
                status=text("有效", "in force"),
                options=("C",),
                weak=False,
                refs=("C2",),
            ),
            EventView(
                day="2026",
                jurisdiction="CN",
                title=text("进口态度（报道）", "Position on imports (reported)"),
                effect=text("有条件批准三家企业。", "Conditional approval for three firms."),
                status=None,
                options=("C", "D"),
                weak=True,
                refs=("C1",),
            ),
        ),
        notes=(
            _note(
                RuleTopic.PROCUREMENT,
                text("本国产品标准（国办发〔2025〕34号）", "Domestic-product standard"),
                Check.SECONDARY,
            ),
            _note(
                RuleTopic.PROCUREMENT,
                text("招标投标法", "Tendering and Bidding Law"),
                Check.DIRECT,
                applies=False,
            ),
            _note(RuleTopic.SECURITY, text("网络安全法", "Cybersecurity Law"), Check.RECALL),
            _note(RuleTopic.DATA, text("数据出境（报道）", "Data export"), Check.SECONDARY, press=True),
        ),
    )


def _rungs() -> tuple[RungView, ...]:
    return tuple(
        RungView(
            nodes=nodes,
            ranks=8 * nodes,
            line=shown("196", "GB/s"),
            expected=shown(expected, "GB/s"),
            threshold=shown(threshold, "GB/s"),
            unhealthy=shown(fault, "GB/s"),
        )
        for nodes, expected, threshold, fault in (
            (2, "137", "129", "82"),
            (32, "135", "128", "80.9"),
            (43, "134", "127", "80.6"),
        )
    )


def sample_acceptance() -> tuple[TestView, ...]:
    """Return a test of each kind of pass value."""
    arrival = text("到货清点与固件一致性", "Inventory and firmware on arrival")
    return (
        TestView(
            id="arrival",
            phase=AcceptancePhase.ARRIVAL,
            name=arrival,
            tool="dmidecode, lspci, vendor inventory tool",
            procedure=text("逐台清点。", "Count every server."),
            metric=text("清单一致率", "items that match the list"),
            threshold=None,
            bound=BoundKind.PASS_FAIL,
            pass_rule=text("一致率 100%。", "All items match."),
            sample=text("全部设备", "every device"),
        ),
        TestView(
            id="gemm",
            phase=AcceptancePhase.SINGLE_NODE,
            basis=AcceptanceBasis.GEMM,
            name=text("单卡矩阵乘吞吐", "Single-card GEMM throughput"),
            tool="ascend-dmi 7.0",
            procedure=text(
                "BF16，8192×8192×8192，每卡连续运行 10 分钟，取中位数。",
                "BF16, 8192×8192×8192, ten minutes a card, median.",
            ),
            command="python gemm_torch.py --size 8192",
            metric=text("稠密 BF16 吞吐", "Dense BF16 throughput"),
            threshold=shown("250", "TFLOPS"),
            bound=BoundKind.PLAN,
            expected=shown("250", "TFLOPS", "250", "318"),
            share_of_peak=D("0.709"),
            prerequisites=(arrival,),
            script="suanli:acceptance/scripts/gemm_torch.py",
            refs=("S2",),
        ),
        TestView(
            id="ports",
            phase=AcceptancePhase.CROSS_NODE,
            name=text("逐端口 RDMA 带宽", "RDMA bandwidth of every port"),
            tool="hccn_tool",
            procedure=text("逐个网口测试。", "Every port in turn."),
            metric=text("单端口带宽", "bandwidth of one port"),
            threshold=None,
            bound=BoundKind.SUPPLIER,
            upper=shown("200", "Gbit/s"),
        ),
        TestView(
            id="nodes",
            phase=AcceptancePhase.CROSS_NODE,
            name=text("节点间 AllReduce 总线带宽", "All-reduce bus bandwidth between nodes"),
            tool="hccl_test",
            procedure=text(
                "各档规模，重复三次；低于阈值的节点更换后复测一次。",
                "Each size, three repeats; nodes below the threshold are replaced and retested.",
            ),
            metric=text("总线带宽，单卡", "Bus bandwidth per card"),
            threshold=shown("127", "GB/s"),
            bound=BoundKind.PUBLISHED,
            rungs=_rungs(),
            refs=("S5",),
        ),
        TestView(
            id="restart",
            phase=AcceptancePhase.STORAGE,
            name=text("检查点恢复", "Checkpoint restore"),
            tool="training framework",
            procedure=text("由最近检查点恢复。", "Restore the latest checkpoint."),
            metric=text("由启动到首个新步的时间", "time from start to the first new step"),
            threshold=shown("300", "s"),
            bound=BoundKind.PLAN,
            at_most=True,
        ),
        TestView(
            id="burn-in",
            phase=AcceptancePhase.BURN_IN,
            name=text("72 小时烤机", "72-hour burn-in"),
            tool="ascend-dmi stress items, hccl_test",
            procedure=text("连续运行 72 小时。", "Run for 72 hours."),
            metric=text("退出的节点次数", "nodes that leave"),
            threshold=None,
            bound=BoundKind.PASS_FAIL,
            allowance=AllowanceView(
                hours=shown("72", "h"),
                mtbf=shown("301", "h"),
                expected=shown("0.24", "count"),
                allowed=1,
                detected_factor=shown("16", "times"),
            ),
        ),
    )
