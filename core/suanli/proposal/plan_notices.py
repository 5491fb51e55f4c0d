"""What a reader must know beside the figures: units of the layout, runs that do not fit, pilot runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.domain.units import HOURS_PER_YEAR, S_PER_HOUR
from suanli.estimation.evaluate import quantile_s
from suanli.estimation.pilot import concerns
from suanli.proposal.software_notices import software_notices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from suanli.domain.workload import Requirement
    from suanli.planning.results import ClusterPlan

__all__ = ["plan_notices"]


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
            *_waiting(key, plan, requirement),
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
