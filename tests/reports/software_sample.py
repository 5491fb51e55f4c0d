"""Software of the sample proposal, built by hand."""

from __future__ import annotations

from datetime import date

from suanli.domain.record import Text
from suanli.domain.software import Launcher, StackFeature
from suanli.planning.software.results import Outcome, Status
from suanli.proposal.model.software import (
    ConflictView,
    FeatureRow,
    LaunchFileView,
    LaunchView,
    RuleRow,
    SoftwareView,
    VersionOf,
    VersionRow,
)
from suanli.proposal.software_names import feature_name, rule_name

__all__ = ["sample_software"]


def text(zh: str, en: str = "") -> Text:
    return Text(zh=zh, en=en or zh)


def _versions() -> tuple[VersionRow, ...]:
    rows = (
        (VersionOf.FRAMEWORK, "MindSpeed-LLM", "26.0.0", "2026-07-21"),
        (VersionOf.FRAMEWORK, "PyTorch", "2.7.1", "2026-07-21"),
        (VersionOf.PLATFORM, "CANN", "9.1.0", "2026-08-21"),
    )
    return tuple(
        VersionRow(of=kind, component=text(name), version=version, dated=dated, refs=("R1",))
        for kind, name, version, dated in rows
    )


def _features() -> tuple[FeatureRow, ...]:
    day = date(2026, 7, 21)
    return (
        FeatureRow(
            feature=StackFeature.TENSOR_PARALLEL,
            name=feature_name(StackFeature.TENSOR_PARALLEL),
            dimension="tp",
            value=8,
            status=Status.SUPPORTED,
            since="23.0",
            constraint=text("注意力头数须能整除。", "Heads must divide."),
            as_of=day,
            refs=("R1",),
        ),
        FeatureRow(
            feature=StackFeature.ZERO_3,
            name=feature_name(StackFeature.ZERO_3),
            dimension="zero",
            value=3,
            status=Status.UNSUPPORTED,
            as_of=day,
            refs=("R1",),
        ),
        FeatureRow(
            feature=StackFeature.CHUNKED_LOSS,
            name=feature_name(StackFeature.CHUNKED_LOSS),
            status=Status.UNKNOWN,
        ),
    )


def sample_software() -> SoftwareView:
    """Return a framework with a feature of each status, a conflict, rules of each outcome and a launch."""
    return SoftwareView(
        framework=text("MindSpeed-LLM"),
        release="26.0.0",
        versions=_versions(),
        features=_features(),
        conflicts=(
            ConflictView(
                features=(StackFeature.ZERO_3, StackFeature.PIPELINE_PARALLEL),
                names=tuple(
                    feature_name(one) for one in (StackFeature.ZERO_3, StackFeature.PIPELINE_PARALLEL)
                ),
                reason=text("流水线引擎不接受权重切分。", "The pipeline engine refuses sharded weights."),
                refs=("R1",),
            ),
        ),
        rules=(
            RuleRow(
                key="heads-by-tp",
                name=rule_name("heads-by-tp"),
                outcome=Outcome.HOLDS,
                numbers={"heads": 64, "tp": 8},
                refs=("R1",),
            ),
            RuleRow(
                key="layers-by-stages",
                name=rule_name("layers-by-stages"),
                outcome=Outcome.ADAPTED,
                numbers={"layers": 80, "pp": 3, "v": 1},
                refs=("R1",),
            ),
            RuleRow(
                key="micro-batches-by-pp",
                name=rule_name("micro-batches-by-pp"),
                outcome=Outcome.BROKEN,
                numbers={"micro_batches": 7, "pp": 3},
                refs=("R1",),
            ),
        ),
        launch=LaunchView(
            launcher=Launcher.MINDSPEED_LLM,
            release="26.0.0",
            files=(LaunchFileView(name="launch.sh", text="torchrun \\\n  --lr <learning-rate>\n"),),
            placeholders=("learning-rate",),
            notes=("biases",),
            refs=("R1",),
        ),
        refused=True,
        unsupported=2,
        unknown=1,
        broken=1,
    )
