"""Needed features against the feature matrix of a framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.software import StackFeatures
from suanli.planning.software.results import FeatureFinding, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.software import Exclusion
    from suanli.domain.vendor import SoftwareStack
    from suanli.planning.software.results import Need

__all__ = ["conflicts", "judge", "matrix_of"]


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
