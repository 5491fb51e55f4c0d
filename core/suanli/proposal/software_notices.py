"""Notices on layouts that a framework is known not to run, or on which its documents are silent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.planning.software.results import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from suanli.planning.software.results import FeatureFinding, SoftwarePlan

__all__ = ["software_notices"]


def software_notices(key: str, plan: SoftwarePlan | None) -> Iterator[Text]:
    """Yield what an option's framework is known not to do, and what is not known of it.

    Args:
        key: key of the option.
        plan: its software; None where it was not planned.
    """
    if plan is None:
        return
    yield from _refused(key, plan)
    yield from _unknown(key, plan)


def _refused(key: str, plan: SoftwarePlan) -> Iterator[Text]:
    names = [
        *_features(plan.of(Status.UNSUPPORTED)),
        *("+".join(one.features) for one in plan.conflicts),
        *(one.key for one in plan.broken),
    ]
    if names and plan.matrix is not None:
        listed = ", ".join(names)
        yield Text(
            zh=f"方案 {key}：{plan.matrix.name.zh} 不能按此布局启动（{listed}），见软件栈一章。",
            en=f"Option {key}: {plan.matrix.name.en} does not run this layout ({listed}); see the chapter on "
            "the software stack.",
        )


def _unknown(key: str, plan: SoftwarePlan) -> Iterator[Text]:
    unknown = plan.of(Status.UNKNOWN)
    if plan.matrix is None:
        yield Text(
            zh=f"方案 {key}：没有该训练框架的功能清单，布局所需功能均未确认。",
            en=f"Option {key}: no feature list of its training framework is known; none of the features that "
            "the layout needs is confirmed.",
        )
    elif unknown:
        listed = ", ".join(_features(unknown))
        yield Text(
            zh=f"方案 {key}：{plan.matrix.name.zh} 的文件未写明是否支持：{listed}。",
            en=f"Option {key}: the documents of {plan.matrix.name.en} do not say whether it supports: "
            f"{listed}.",
        )


def _features(findings: Iterable[FeatureFinding]) -> list[str]:
    return [str(one.need.feature) for one in findings]
