"""Needed features against the feature matrix of a framework, and what the matrix bars from a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from suanli.domain.software import StackFeature, StackFeatures
from suanli.domain.workload import Offload, Recompute
from suanli.planning.software.needs import layout_needs
from suanli.planning.software.results import FeatureFinding, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.software import Exclusion
    from suanli.domain.vendor import SoftwareStack
    from suanli.estimation.results import Layout
    from suanli.planning.software.results import Need

__all__ = ["Barred", "barred_dimensions", "conflicts", "judge", "matrix_of"]


def matrix_of(stack: SoftwareStack, catalogue: Catalogue) -> StackFeatures | None:
    """Return the newest feature matrix that names a stack, or None where no plugin has one."""
    found = [one for one in catalogue.all(StackFeatures) if stack.id in one.stacks]
    return max(found, key=lambda one: (one.as_of, one.id), default=None)


def judge(needs: Iterable[Need], matrix: StackFeatures | None) -> tuple[FeatureFinding, ...]:
    """Return each needed feature with its status; what a matrix does not name is unknown."""
    return tuple(_finding(need, matrix) for need in needs)


def _finding(need: Need, matrix: StackFeatures | None) -> FeatureFinding:
    support = None if matrix is None else matrix.support(need.feature)
    if support is None or support.supported is None:
        return FeatureFinding(need, Status.UNKNOWN, support)
    return FeatureFinding(need, Status.SUPPORTED if support.supported else Status.UNSUPPORTED, support)


def conflicts(needs: Iterable[Need], matrix: StackFeatures | None) -> tuple[Exclusion, ...]:
    """Return the exclusions of a framework all of whose features are needed."""
    if matrix is None:
        return ()
    needed = {need.feature for need in needs}
    return tuple(one for one in matrix.exclusions if needed.issuperset(one.features))


@dataclass(frozen=True, slots=True)
class Barred:
    """What a framework is known not to run: values that a search of layouts leaves out.

    Unknown features bar nothing. ``allows`` says it of one layout; the fields say it of whole dimensions, so
    that a search need not look at them.
    """

    features: frozenset[StackFeature] = frozenset()
    combinations: tuple[frozenset[StackFeature], ...] = ()

    def allows(self, layout: Layout) -> bool:
        """Tell whether a layout needs nothing that is barred."""
        needed = {need.feature for need in layout_needs(layout)}
        return not needed & self.features and not any(needed >= one for one in self.combinations)

    @property
    def single(self) -> frozenset[str]:
        """Return the dimensions of a layout that must stay at one: tp, pp, cp, ep, virtual_pipeline."""
        return frozenset(name for feature, name in _DIMENSIONS.items() if feature in self.features)

    @property
    def zero_stages(self) -> frozenset[int]:
        """Return the ZeRO stages that are left out."""
        return frozenset(stage for feature, stage in _ZERO_STAGES.items() if feature in self.features)

    @property
    def recompute(self) -> frozenset[Recompute]:
        """Return the modes of recomputation that are left out, for all layers of a stage."""
        return frozenset(mode for feature, mode in _RECOMPUTE.items() if feature in self.features)

    @property
    def offload(self) -> frozenset[Offload]:
        """Return the modes of offload that are left out."""
        return frozenset(mode for feature, mode in _OFFLOAD.items() if feature in self.features)

    @property
    def partial_recompute(self) -> bool:
        """Tell whether recomputation of some layers of a stage is left out."""
        return StackFeature.PARTIAL_RECOMPUTE in self.features

    @property
    def sequence_parallel(self) -> bool:
        """Tell whether sequence parallelism is left out."""
        return StackFeature.SEQUENCE_PARALLEL in self.features

    @property
    def shard_groups(self) -> bool:
        """Tell whether copies of sharded states (HSDP) are left out."""
        return StackFeature.HSDP in self.features


_DIMENSIONS: Final = {
    StackFeature.TENSOR_PARALLEL: "tp",
    StackFeature.PIPELINE_PARALLEL: "pp",
    StackFeature.CONTEXT_PARALLEL: "cp",
    StackFeature.EXPERT_PARALLEL: "ep",
    StackFeature.INTERLEAVED_PIPELINE: "virtual_pipeline",
}
_ZERO_STAGES: Final = {StackFeature.ZERO_1: 1, StackFeature.ZERO_2: 2, StackFeature.ZERO_3: 3}
_RECOMPUTE: Final = {
    StackFeature.SELECTIVE_RECOMPUTE: Recompute.SELECTIVE,
    StackFeature.FULL_RECOMPUTE: Recompute.FULL,
}
_OFFLOAD: Final = {
    StackFeature.OPTIMIZER_OFFLOAD: Offload.OPTIMIZER,
    StackFeature.WEIGHTS_OFFLOAD: Offload.WEIGHTS,
}


def barred_dimensions(matrix: StackFeatures | None) -> Barred:
    """Return what a search of layouts must leave out for a framework; nothing where no matrix is known."""
    if matrix is None:
        return Barred()
    return Barred(
        features=frozenset(
            feature for feature, support in matrix.features.items() if support.supported is False
        ),
        combinations=tuple(frozenset(one.features) for one in matrix.exclusions),
    )
