"""The acceptance plan of one option: the tests that apply, in order, with pass values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from suanli.domain.figure import BytesPerSecond
from suanli.domain.hardware import NicRole
from suanli.domain.units import BYTES_PER_GB, BYTES_PER_S_PER_GBIT, S_PER_HOUR
from suanli.domain.vendor import ANY_VENDOR, AcceptanceBasis, AcceptancePhase, AcceptanceTest
from suanli.planning.acceptance.bounds import bound_of, rungs
from suanli.planning.acceptance.burn_in import allowance
from suanli.planning.acceptance.results import Bound, BoundKind, PlannedTest
from suanli.planning.defaults import HARDWARE_FAULT_SHARE

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.figure import Number
    from suanli.domain.workload import Requirement
    from suanli.planning.acceptance.results import Allowance
    from suanli.planning.results import ClusterPlan

__all__ = ["plan_acceptance"]

_PHASES: Final = tuple(AcceptancePhase)
_OF_A_PORT: Final = frozenset({AcceptanceBasis.PORT_RATE})


def plan_acceptance(
    plan: ClusterPlan, requirement: Requirement, catalogue: Catalogue
) -> tuple[PlannedTest, ...]:
    """Return the tests of an option's vendor and those of every vendor, in order of phase.

    Args:
        plan: the cluster.
        requirement: the project.
        catalogue: the tests.
    """
    device = plan.sizing.device.accelerator
    tests = [
        test
        for test in catalogue.all(AcceptanceTest)
        if test.vendor in {device.vendor, ANY_VENDOR}
        and (not test.accelerators or device.id in test.accelerators)
        and plan.sizing.nodes >= test.least_nodes
    ]
    ordered = sorted(tests, key=lambda test: (_PHASES.index(test.phase), test.order, test.id))
    return tuple(_planned(test, plan, requirement) for test in ordered)


def _planned(test: AcceptanceTest, plan: ClusterPlan, requirement: Requirement) -> PlannedTest:
    ladder = rungs(plan) if test.basis is AcceptanceBasis.INTER_NODE else ()
    return PlannedTest(test, _bound(test, plan, requirement), ladder, _allowance(test, plan))


def _bound(test: AcceptanceTest, plan: ClusterPlan, requirement: Requirement) -> Bound:
    """Return the published value where there is one for this cluster, else that of the plan."""
    computed = None if test.basis is None else bound_of(test.basis, plan, requirement)
    figure = test.published.get(plan.sizing.device.accelerator.id) or test.threshold
    if figure is not None and _same_port(test, plan):
        published = _published(figure, of_port=test.basis in _OF_A_PORT)
        same = computed is not None and computed.unit == published.unit
        return replace(published, high=computed.high if computed is not None and same else None)
    if computed is not None:
        return computed
    return Bound(BoundKind.PASS_FAIL)


def _published(figure: BytesPerSecond | Number, *, of_port: bool) -> Bound:
    """Return a published value as a bound: ports in Gbit/s, collectives in GB/s, others as they are given."""
    if isinstance(figure, BytesPerSecond):
        unit, scale = ("Gbit/s", BYTES_PER_S_PER_GBIT) if of_port else ("GB/s", BYTES_PER_GB)
        return Bound(BoundKind.PUBLISHED, unit, threshold=figure.si / scale)
    return Bound(BoundKind.PUBLISHED, figure.unit, threshold=figure.value)


def _same_port(test: AcceptanceTest, plan: ClusterPlan) -> bool:
    """Tell whether a published value is for ports as fast as the server's; true where it names none."""
    if test.port_rate is None:
        return True
    rates = {nic.rate.si for nic in plan.sizing.device.server.nics if nic.role is NicRole.COMPUTE}
    return test.port_rate.si in rates


def _allowance(test: AcceptanceTest, plan: ClusterPlan) -> Allowance | None:
    if test.basis is not AcceptanceBasis.BURN_IN or test.duration_h is None:
        return None
    mtbf_s = plan.sizing.goodput.mtbf_s
    if test.phase is AcceptancePhase.BURN_IN:
        # Burn-in counts the servers that hardware takes out; the stability run every unplanned interruption.
        mtbf_s /= HARDWARE_FAULT_SHARE
    return allowance(test.duration_h, mtbf_s / S_PER_HOUR)
