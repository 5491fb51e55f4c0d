"""How much the duration depends on each constant of the estimate, and how a run scales with the cluster.

A constant is moved to either end of its 68 % interval, one standard deviation, with layout and cluster as
they are. Constants were fitted together, so effects of single ones do not simply add up; the range of the
duration comes from residuals instead (`suanli.estimation.ranges`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from suanli.domain.vendor import FitScope
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.pilot import pilot_ratio
from suanli.estimation.problem import pose
from suanli.estimation.results import Infeasible
from suanli.estimation.step_time import step_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suanli.domain.figure import Number, Seconds
    from suanli.domain.vendor import Fit
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Device, Sizing

__all__ = ["ConstantEffect", "ScalingPoint", "constant_effects", "scaling_curve"]

STACK_FACTOR = "stack_factor"
"""Name of the multiplier of a device family under a stack."""
_SAME = 1e-9
"""Relative change of the duration below which a constant does not matter."""


@dataclass(frozen=True, slots=True)
class ConstantEffect:
    """A constant, its interval, and the P50 duration at either end."""

    name: str
    scope: FitScope
    subject: str
    """What the constant belongs to: device family, stack, or ``all``."""
    fit: str
    """Id of the fit that it comes from; empty where a plugin states it."""
    value: float
    low: float
    high: float
    unit: str
    low_s: float
    """Duration with the constant at its low end."""
    high_s: float
    duration_s: float

    @property
    def change_s(self) -> tuple[float, float]:
        """Return the change of the duration at the low and at the high end."""
        return self.low_s - self.duration_s, self.high_s - self.duration_s

    @property
    def largest_s(self) -> float:
        """Return the larger of both changes, without sign."""
        return max(abs(change) for change in self.change_s)


@dataclass(frozen=True, slots=True)
class ScalingPoint:
    """One cluster size of the curve."""

    accelerators: int
    duration_s: float
    efficiency: float
    """Rate of one accelerator over that on the smallest cluster of the curve."""


@dataclass(frozen=True, slots=True)
class _Constant:
    name: str
    scope: FitScope
    subject: str
    figure: Number | Seconds
    fit: str
    changed: Callable[[Number | Seconds], Device]


def scaling_curve(sizing: Sizing) -> tuple[ScalingPoint, ...]:
    """Return the curve of a sizing over cluster sizes.

    Equation: efficiency = (t₀ · n₀) / (t · n), the rate of one accelerator over that on the smallest cluster;
    both with the time lost to interruptions.
    """
    sizes = sorted(sizing.alternatives)
    if not sizes:
        return ()
    first = sizes[0][0] * sizes[0][1]
    return tuple(ScalingPoint(count, time_s, first / (count * time_s)) for count, time_s in sizes)


def constant_effects(sizing: Sizing, requirement: Requirement) -> tuple[ConstantEffect, ...]:
    """Return what each constant with a known interval does to the duration, the largest effect first.

    Constants that the layout does not use are left out. Where a pilot run was measured, the prediction of
    that run moves along, so that only the difference between both clusters remains.

    Raises:
        ValueError: the device of the sizing has no constants.
    """
    found: list[ConstantEffect] = []
    base = _predicted_s(sizing.device, sizing, requirement)
    for one in _constants(sizing.device):
        ends = (one.figure.low, one.figure.high)
        if ends[0] is None or ends[1] is None:
            continue
        low_s, high_s = (
            sizing.duration_s.p50
            * _predicted_s(one.changed(one.figure.model_copy(update={"value": end})), sizing, requirement)
            / base
            for end in ends
        )
        effect = ConstantEffect(
            one.name,
            one.scope,
            one.subject,
            one.fit,
            one.figure.value,
            ends[0],
            ends[1],
            one.figure.unit,
            low_s,
            high_s,
            sizing.duration_s.p50,
        )
        if effect.largest_s > _SAME * sizing.duration_s.p50:
            found.append(effect)
    return tuple(sorted(found, key=lambda one: (-one.largest_s, one.name)))


def _predicted_s(device: Device, sizing: Sizing, requirement: Requirement) -> float:
    """Return the step of a sizing's layout on a device, times what pilot runs say of such predictions."""
    job = requirement.workload
    problem = pose(device, requirement.model.architecture, job)
    if isinstance(problem, Infeasible):
        raise ValueError(f"{device.key} has no constants")  # noqa: TRY004 - a sizing has a device that has
    step = float(step_arrays(problem, LayoutArrays.of(sizing.layout)).total_s[0])
    pilot = pilot_ratio(problem, requirement.measured) if sizing.pilot_ratio is not None else None
    return step if pilot is None else step / pilot


def _constants(device: Device) -> Iterator[_Constant]:
    """Yield every constant of a device, its stack, and all devices, with the way to change it."""
    yield from _of_device(device)
    yield from _of_stack(device)
    yield from _shared(device)


def _fit_id(fit: Fit | None, name: str) -> str:
    return fit.id if fit is not None and name in fit.constants else ""


def _of_device(device: Device) -> Iterator[_Constant]:
    calibration, fit = device.calibration, device.device_fit
    subject = calibration.family or calibration.accelerator

    for name, figure in calibration.constants.items():

        def changed(other: Number | Seconds, name: str = name) -> Device:
            constants = {**calibration.constants, name: other}
            return replace(device, calibration=calibration.model_copy(update={"constants": constants}))

        yield _Constant(name, FitScope.DEVICE, subject, figure, _fit_id(fit, name), changed)
    factor = calibration.stack_factors.get(device.stack.id)
    if factor is not None:

        def refactored(other: Number | Seconds) -> Device:
            factors = {**calibration.stack_factors, device.stack.id: other}
            return replace(device, calibration=calibration.model_copy(update={"stack_factors": factors}))

        own = "" if fit is None or device.stack.id not in fit.stack_factors else fit.id
        yield _Constant(STACK_FACTOR, FitScope.DEVICE, subject, factor, own, refactored)


def _of_stack(device: Device) -> Iterator[_Constant]:
    stack = device.stack
    for name, figure in stack.constants.items():

        def changed(other: Number | Seconds, name: str = name) -> Device:
            constants = {**stack.constants, name: other}
            return replace(device, stack=stack.model_copy(update={"constants": constants}))

        yield _Constant(name, FitScope.STACK, stack.id, figure, _fit_id(device.stack_fit, name), changed)


def _shared(device: Device) -> Iterator[_Constant]:
    shared = device.shared
    if shared is None:
        return
    for name, figure in shared.constants.items():

        def changed(other: Number | Seconds, name: str = name) -> Device:
            constants = {**shared.constants, name: other}
            return replace(device, shared=shared.model_copy(update={"constants": constants}))

        yield _Constant(name, FitScope.SHARED, shared.subject, figure, shared.id, changed)
