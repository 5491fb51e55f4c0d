"""Notices on layouts that a framework is known not to run, or on which its documents are silent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.planning.software.results import Status
from suanli.proposal.software_names import feature_name, listed, rule_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from suanli.domain.software import StackFeature
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
        *(_together(one.features) for one in plan.conflicts),
        *(rule_name(one.key) for one in plan.broken),
    ]
    if names and plan.matrix is not None:
        what = listed(names)
        yield Text(
            zh=f"方案 {key}，{plan.matrix.name.zh}：不能按此布局启动（未满足：{what.zh}），见软件栈一章。",
            en=f"Option {key}: {plan.matrix.name.en} does not run this layout (not met: {what.en}); "
            "see the chapter on the software stack.",
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
        what = listed(_features(unknown))
        yield Text(
            zh=f"方案 {key}，{plan.matrix.name.zh}：文件未写明是否支持：{what.zh}。",
            en=f"Option {key}: the documents of {plan.matrix.name.en} do not say whether it supports: "
            f"{what.en}.",
        )


def _features(findings: Iterable[FeatureFinding]) -> list[Text]:
    return [feature_name(one.need.feature) for one in findings]


def _together(features: Iterable[StackFeature]) -> Text:
    """Return features that do not run together as one item of a list."""
    names = [feature_name(one) for one in features]
    return Text(zh="与".join(one.zh for one in names) + "同用", en=" beside ".join(one.en for one in names))
