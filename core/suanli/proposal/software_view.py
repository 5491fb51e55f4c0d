"""The software of an option as it is shown, with the sources of every statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.figure import Confidence, Source
from suanli.domain.record import Text
from suanli.planning.software.results import Status
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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.software import StackFeatures
    from suanli.domain.vendor import SoftwareVersions
    from suanli.planning.software.results import FeatureFinding, Launch, SoftwarePlan
    from suanli.proposal.references import References

__all__ = ["launch_view", "software_view"]

_COMPONENTS: Final = {
    "cann": "CANN",
    "cuda": "CUDA",
    "mindspeed_core": "MindSpeed Core",
    "nccl": "NCCL",
    "pytorch": "PyTorch",
    "rocm": "ROCm",
}
"""Keys of the vendors' version records as their makers write the names."""
_MATRIX: Final = "matrix "
"""Stands before a version whose companions a record lists."""


def software_view(plan: SoftwarePlan, references: References) -> SoftwareView:
    """Return versions, needed features, rules and launch arguments with their reference keys."""
    matrix = plan.matrix
    return SoftwareView(
        framework=None if matrix is None else matrix.name,
        release="" if matrix is None else matrix.release,
        versions=(*_framework_versions(matrix, references), *_platform_versions(plan.versions, references)),
        features=tuple(_feature_row(one, matrix, references) for one in plan.findings),
        conflicts=tuple(
            ConflictView(
                features=one.features,
                names=tuple(feature_name(feature) for feature in one.features),
                reason=one.reason,
                refs=references.cited(one.source, one.check, Confidence.OFFICIAL_SOFTWARE),
            )
            for one in plan.conflicts
        ),
        rules=tuple(
            RuleRow(
                key=one.key,
                name=rule_name(one.key),
                outcome=one.outcome,
                numbers=dict(one.numbers),
                refs=references.source(one.source),
            )
            for one in plan.rules
        ),
        launch=None if plan.launch is None else launch_view(plan.launch, references),
        refused=plan.refused,
        unsupported=len(plan.of(Status.UNSUPPORTED)) + len(plan.conflicts),
        unknown=len(plan.of(Status.UNKNOWN)),
        broken=len(plan.broken),
    )


def launch_view(launch: Launch, references: References) -> LaunchView:
    """Return launch arguments with their files."""
    return LaunchView(
        launcher=launch.launcher,
        release=launch.release,
        files=tuple(LaunchFileView(name=one.name, text=one.text) for one in launch.files),
        placeholders=launch.placeholders,
        notes=launch.notes,
        refs=references.source(launch.source),
    )


def _framework_versions(matrix: StackFeatures | None, references: References) -> Iterator[VersionRow]:
    """Yield the framework's own release and what it asks for."""
    if matrix is None:
        return
    refs, dated = references.source(matrix.source), matrix.as_of.isoformat()
    names = [(matrix.name, matrix.release)]
    names += [(_same(component), version) for component, version in matrix.requires.items()]
    for name, version in names:
        yield VersionRow(of=VersionOf.FRAMEWORK, component=name, version=version, dated=dated, refs=refs)


def _platform_versions(
    platforms: tuple[SoftwareVersions, ...], references: References
) -> Iterator[VersionRow]:
    for platform in platforms:
        for component, version in platform.versions.items():
            source = platform.version_source.get(component, "")
            yield VersionRow(
                of=VersionOf.PLATFORM,
                component=_same(_COMPONENTS.get(component, component.removeprefix(_MATRIX))),
                version=version,
                dated=_dated(source, references),
                refs=references.source(source),
            )


def _same(name: str) -> Text:
    """Return the name of a product, which both languages write alike."""
    return Text(zh=name, en=name)


def _dated(source_id: str, references: References) -> str:
    """Return the edition of a source, or the day on which it was read."""
    source = references.catalogue.find(Source, source_id) if source_id else None
    return "" if source is None else source.published or source.retrieved.isoformat()


def _feature_row(finding: FeatureFinding, matrix: StackFeatures | None, references: References) -> FeatureRow:
    need, support = finding.need, finding.support
    return FeatureRow(
        feature=need.feature,
        name=feature_name(need.feature),
        dimension=need.dimension,
        value=need.value,
        status=finding.status,
        since=support.since if support else "",
        constraint=support.constraint if support else None,
        as_of=(support.as_of or matrix.as_of) if support and matrix else None,
        refs=(
            references.cited(support.source, support.check, Confidence.OFFICIAL_SOFTWARE) if support else ()
        ),
    )
