"""What a reader must know beside the figures: units of the layout, runs that do not fit, pilot runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.domain.units import HOURS_PER_YEAR, S_PER_HOUR, W_PER_KW
from suanli.estimation.evaluate import quantile_s
from suanli.estimation.pilot import concerns
from suanli.proposal.software_notices import software_notices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from suanli.domain.workload import Requirement
    from suanli.planning.results import ClusterPlan

__all__ = ["plan_notices"]

_SEEN_SHARE = 0.01
"""Longer step over a non-blocking network's from which it is said."""


def plan_notices(plans: Mapping[str, ClusterPlan], requirement: Requirement) -> tuple[Text, ...]:
    """Return the notices on the options, each with its key, in the order of the document.

    Args:
        plans: clusters by option key.
        requirement: the project, whose runs a year count.
    """
    of_options = (
        notice
        for key, plan in plans.items()
        for notice in (
            *_dies(key, plan),
            *_runs(key, plan, requirement),
            *_pilot(key, plan),
            *_narrow(key, plan),
            *_waiting(key, plan, requirement),
            *_spares(key, plan),
            *_racks(key, plan),
            *software_notices(key, plan.software),
        )
    )
    return (*of_options, *_unused_runs(plans, requirement))


def _dies(key: str, plan: ClusterPlan) -> Iterator[Text]:
    """Yield that the layout counts dies where the package holds several devices."""
    sizing = plan.sizing
    accelerator, layout = sizing.device.accelerator, sizing.layout
    if accelerator.dies == 1:
        return
    yield Text(
        zh=f"方案 {key}：{accelerator.name.zh} 每个封装含 {accelerator.dies} 个裸片，软件各视为一个设备。"
        f"卡数、价格与吞吐按封装计；并行布局（共 {layout.devices} 个设备）与显存按裸片计。",
        en=f"Option {key}: {accelerator.name.en} holds {accelerator.dies} dies that software sees as "
        "devices. "
        f"Accelerators, prices and rates count packages; the layout ({layout.devices} devices) and memory "
        "count dies.",
    )


def _narrow(key: str, plan: ClusterPlan) -> Iterator[Text]:
    """Yield by how much an oversubscribed network lengthens the step, where that can be seen in the days."""
    rows = () if plan.network is None else plan.network.subscription
    built, free = (
        next((row.step_s for row in rows if row.chosen), 0.0),
        next((row.step_s for row in rows if row.ratio <= 1), 0.0),
    )
    if not free or built < free * (1 + _SEEN_SHARE):
        return
    ratio = next(row.ratio for row in rows if row.chosen)
    yield Text(
        zh=f"方案 {key}：网络收敛比 {ratio:.2g} : 1 使步时比无收敛网络长 {built / free - 1:.0%}，"
        "工期、能耗与成本已计入。",
        en=f"Option {key}: the network's oversubscription of {ratio:.2g} : 1 lengthens the step by "
        f"{built / free - 1:.0%} over a non-blocking one; days, energy and costs count it.",
    )


def _pilot(key: str, plan: ClusterPlan) -> Iterator[Text]:
    """Yield that the rates of an option were moved to what the client measured."""
    ratio = plan.sizing.pilot_ratio
    if ratio is None:
        return
    yield Text(
        zh=f"方案 {key}：吞吐与工期已按试跑实测校准，实测为模型预测的 {ratio:.2f} 倍；区间宽度不变。",
        en=f"Option {key}: rates and durations are moved to the pilot runs, which reached {ratio:.2f} of the "
        "predicted rate; the width of the range stays.",
    )


def _unused_runs(plans: Mapping[str, ClusterPlan], requirement: Requirement) -> Iterator[Text]:
    """Yield every pilot run that no option was moved by."""
    moved = [plan.sizing.device for plan in plans.values() if plan.sizing.pilot_ratio is not None]
    for number, run in enumerate(requirement.measured):
        if any(concerns(run, device) for device in moved):
            continue
        yield Text(
            zh=f"试跑 measured.{number}（{run.accelerator}）未用于校准：没有同型号、同软件栈的可行方案。",
            en=f"Pilot run measured.{number} ({run.accelerator}) moved no option: none that is feasible has "
            "its accelerator and stack.",
        )


def _waiting(key: str, plan: ClusterPlan, requirement: Requirement) -> Iterator[Text]:
    """Yield that waiting for repairs breaks a deadline that failures and checkpoints alone would keep."""
    job, availability = requirement.workload, plan.availability
    if availability is None or job.deadline_s is None:
        return
    kept = quantile_s(availability.duration_s, job.deadline_confidence) <= job.deadline_s
    if not kept or quantile_s(availability.adjusted_s, job.deadline_confidence) <= job.deadline_s:
        return
    spares, share = availability.spares.count, availability.waiting_share
    yield Text(
        zh=f"方案 {key}：仅有 {spares} 个备件单元时，等待维修约占日历时间的 {share:.1%}，计入后不能按期完成；"
        "应增加备机或缩短维修时间，见可用性一章。",
        en=f"Option {key}: with {spares} spares, waiting for repairs takes about {share:.1%} of the "
        "wall-clock time and breaks the deadline; add spares or shorten repairs, as the chapter on "
        "availability shows.",
    )


def _spares(key: str, plan: ClusterPlan) -> Iterator[Text]:
    """Yield that over half as many units stand by as are at work; a single spare is the least there is."""
    if plan.availability is None:
        return
    spares, mtbf_s = plan.availability.spares, plan.availability.mtbf_s
    if spares.count <= max(1, spares.units / 2):
        return
    hours, repair = mtbf_s / S_PER_HOUR, plan.availability.repair_s / S_PER_HOUR
    yield Text(
        zh=f"方案 {key}：{spares.units:,} 个在用单元配了 {spares.count:,} 个备件单元，超过在用数量的一半。"
        f"平均每 {hours:.2g} 小时中断一次、每次维修 {repair:.3g} 小时；"
        "请核对 reliability 与 cluster.spare_nodes 的输入。",
        en=f"Option {key}: {spares.count:,} spares stand by for {spares.units:,} units at work, more than "
        f"half as many. An interruption every {hours:.2g} h on average and repairs of {repair:.3g} h lead to "
        "this; check what reliability and cluster.spare_nodes say.",
    )


def _racks(key: str, plan: ClusterPlan) -> Iterator[Text]:
    """Yield that one server alone draws more than a rack may."""
    power, facility = plan.power, plan.facility
    if power is None or facility is None or not power.over_rack_limit or power.rack_part_w is None:
        return
    over = [rack for rack in facility.racks if rack.peak_w > facility.rack_limit_w]
    count = sum(rack.count for rack in over)
    peak, limit = (f"{watts / W_PER_KW:.3g}" for watts in (power.rack_part_w, facility.rack_limit_w))
    # Rounded up: a rack of less would not do.
    need = f"{math.ceil(max(rack.peak_w for rack in over) / W_PER_KW * 10 - 1e-6) / 10:g}"
    yield Text(
        zh=f"方案 {key}：一台服务器在一柜内的峰值功率为 {peak} kW，单柜上限为 {limit} kW，不能上架。"
        f"须有 {count:,} 个供电与散热不低于 {need} kW 的机柜；见机房、供电与制冷一章。",
        en=f"Option {key}: one server puts a peak of {peak} kW into a rack that may draw {limit} kW and "
        f"cannot be installed. It takes {count:,} racks with supply and cooling of at least {need} kW, as "
        "the chapter on racks and power shows.",
    )


def _runs(key: str, plan: ClusterPlan, requirement: Requirement) -> Iterator[Text]:
    """Yield that not all runs of a year fit into it."""
    hours, wanted = plan.sizing.duration_s.p50 / S_PER_HOUR, requirement.workload.runs_per_year
    possible = HOURS_PER_YEAR / hours
    if wanted <= possible:
        return
    yield Text(
        zh=f"方案 {key}：一年只能完成 {possible:.1f} 次训练，少于要求的 {wanted:g} 次；"
        "年度费用按可完成次数计。",
        en=f"Option {key}: {possible:.1f} of the {wanted:g} runs a year fit into it; "
        "yearly costs count these.",
    )
