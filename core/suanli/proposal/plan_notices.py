"""What a reader must know of the clusters beside their figures: units of the layout, runs that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.planning.defaults import HOURS_PER_YEAR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from suanli.domain.workload import Requirement
    from suanli.planning.results import ClusterPlan

__all__ = ["plan_notices"]

_S_PER_H = 3600.0


def plan_notices(plans: Mapping[str, ClusterPlan], requirement: Requirement) -> tuple[Text, ...]:
    """Return the notices on the options, each with its key, in the order of the document.

    Args:
        plans: clusters by option key.
        requirement: the project, whose runs a year count.
    """
    return tuple(
        notice
        for key, plan in plans.items()
        for notice in (*_dies(key, plan), *_runs(key, plan, requirement))
    )


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


def _runs(key: str, plan: ClusterPlan, requirement: Requirement) -> Iterator[Text]:
    """Yield that not all runs of a year fit into it."""
    hours, wanted = plan.sizing.duration_s.p50 / _S_PER_H, requirement.workload.runs_per_year
    possible = HOURS_PER_YEAR / hours
    if wanted <= possible:
        return
    yield Text(
        zh=f"方案 {key}：一年只能完成 {possible:.1f} 次训练，少于要求的 {wanted:g} 次；"
        "年度费用按可完成次数计。",
        en=f"Option {key}: {possible:.1f} of the {wanted:g} runs a year fit into it; "
        "yearly costs count these.",
    )
