"""The fit: the most probable constants given measured rates and where they start.

Minimises the sum over runs of w·ρ(ln(predicted/measured)/σ) plus that over parameters of ((x − x₀)/width)²/2,
by Gauss-Newton with a numerical Jacobian. ρ is Huber's, so that a run that no constant explains cannot pull
them; w = 1/√(runs of the group), so that a table with many rows of one model counts less than as many models.

Source: Huber, "Robust Estimation of a Location Parameter", 1964; Nocedal and Wright, "Numerical
Optimization", 2006, section 10.3.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.calibration.parameters import PAIR, Parameter, Scope, parameters
from suanli.calibration.runs import joined
from suanli.estimation.constants import Constants, SharedConstants
from suanli.estimation.problem import Batch
from suanli.estimation.step_time import step_arrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.calibration.runs import Run
    from suanli.estimation.arrays import BoolArray, FloatArray, LayoutArrays
    from suanli.estimation.problem import Problem

__all__ = ["Fitting", "Solution"]

_RESIDUAL: Final = 0.04
"""Scale of ln(predicted/measured) that the fit expects."""
_KNEE: Final = 0.75
"""Residuals beyond so many scales count linearly."""
_STEP: Final = 1e-3
_LONGEST_STEP: Final = 0.5
_ITERATIONS: Final = 10
_CONVERGED: Final = 1e-4
_LEFT_OUT_STEPS: Final = 8
"""Steps without a class of runs: enough to forget it, to within 0.2 points of a fit from scratch."""


@dataclass(frozen=True, slots=True)
class Solution:
    """Where a fit ended, in coordinates of the parameters."""

    coordinates: FloatArray
    deviations: FloatArray
    """Standard deviations, from the curvature at the solution."""


@dataclass(frozen=True)
class Fitting:
    """Runs with the parameters that they depend on, evaluated all at once."""

    runs: tuple[Run, ...]
    only: str | None = None
    """The one device family whose constants may move; None: all constants."""

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters."""
        return parameters(self.runs, self.only)

    @cached_property
    def batch(self) -> Batch:
        """Return the problems stacked."""
        return Batch.of([run.problem for run in self.runs])

    @cached_property
    def start(self) -> FloatArray:
        """Return the coordinates that the parameters start from."""
        return np.array([one.encode(one.start) for one in self.parameters])

    @cached_property
    def widths(self) -> FloatArray:
        """Return the widths of the priors."""
        return np.array([one.width for one in self.parameters])

    @cached_property
    def clean(self) -> BoolArray:
        """Tell which runs count in a fit."""
        return np.array([run.trap is None for run in self.runs], dtype=np.bool_)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Return the group of each run."""
        return tuple(run.group for run in self.runs)

    @cached_property
    def weights(self) -> FloatArray:
        """Return 1/√(runs of the group)."""
        return np.array([self.groups.count(group) ** -0.5 for group in self.groups])

    @cached_property
    def _tokens(self) -> tuple[LayoutArrays, FloatArray]:
        layouts = joined(self.runs)
        per_device = layouts.batch_size * self.batch.model.sequence_length / layouts.devices
        measured = np.array([run.measured for run in self.runs])
        return layouts, np.log(per_device) - np.log(measured)

    def constants(self, coordinates: FloatArray) -> tuple[Constants, SharedConstants]:
        """Return the constants of every run at some coordinates."""
        own = {one.name: getattr(self.batch.constants, one.name) for one in fields(Constants)}
        shared = {one.name: getattr(self.batch.shared, one.name) for one in fields(SharedConstants)}
        for parameter, coordinate in zip(self.parameters, coordinates, strict=True):
            _apply(parameter, parameter.decode(float(coordinate)), own, shared)
        return Constants(**own), SharedConstants(**shared)

    def residuals(self, coordinates: FloatArray) -> FloatArray:
        """Return ln(predicted/measured) of every run."""
        constants, shared = self.constants(coordinates)
        layouts, logs = self._tokens
        batch = replace(self.batch, constants=constants, shared=shared)
        return logs - np.log(step_arrays(batch, layouts).total_s)

    def jacobian(self, coordinates: FloatArray) -> FloatArray:
        """Return the derivative of every residual by every coordinate, by forward differences."""
        base = self.residuals(coordinates)
        columns: list[FloatArray] = []
        for index in range(len(coordinates)):
            moved = coordinates.copy()
            moved[index] += _STEP
            columns.append((self.residuals(moved) - base) / _STEP)
        return np.stack(columns, axis=1)

    def step(
        self, coordinates: FloatArray, residuals: FloatArray, jacobian: FloatArray, counted: BoolArray
    ) -> FloatArray:
        """Return the coordinates after one Gauss-Newton step on the counted runs."""
        curvature, slope = self._curvature(coordinates, residuals, jacobian, counted)
        change = np.clip(np.linalg.solve(curvature, slope), -_LONGEST_STEP, _LONGEST_STEP)
        moved: FloatArray = coordinates - change
        return moved

    def _curvature(
        self, coordinates: FloatArray, residuals: FloatArray, jacobian: FloatArray, counted: BoolArray
    ) -> tuple[FloatArray, FloatArray]:
        far = np.maximum(np.abs(residuals) / _RESIDUAL, 1e-9)
        huber = np.minimum(1.0, _KNEE / far)
        weights = self.weights * counted * huber / _RESIDUAL**2
        weighted = jacobian.T * weights
        prior = 1 / self.widths**2
        return weighted @ jacobian + np.diag(prior), weighted @ residuals + (coordinates - self.start) * prior

    def solve(self, start: FloatArray | None = None) -> Solution:
        """Return the fit on all clean runs."""
        coordinates = self.start.copy() if start is None else start.copy()
        for _ in range(_ITERATIONS):
            residuals, jacobian = self.residuals(coordinates), self.jacobian(coordinates)
            moved = self.step(coordinates, residuals, jacobian, self.clean)
            done = float(np.max(np.abs(moved - coordinates))) < _CONVERGED
            coordinates = moved
            if done:
                break
        curvature, _ = self._curvature(
            coordinates, self.residuals(coordinates), self.jacobian(coordinates), self.clean
        )
        return Solution(coordinates, np.sqrt(np.diag(np.linalg.inv(curvature))))

    def problems(self, coordinates: FloatArray) -> list[Problem]:
        """Return the problem of every run with the constants at some coordinates."""
        constants, shared = self.constants(coordinates)
        return [
            replace(run.problem, constants=_row(constants, index), shared=shared)
            for index, run in enumerate(self.runs)
        ]

    def left_out(self, solution: Solution, by: Sequence[str], steps: int = _LEFT_OUT_STEPS) -> FloatArray:
        """Return the residual of every run by constants fitted without the runs of its class.

        Each class takes a few Gauss-Newton steps from the solution with the Jacobian there.

        Args:
            solution: fit on all clean runs.
            by: class of each run, for instance its group.
            steps: Gauss-Newton steps of each class.
        """
        base, jacobian = self.residuals(solution.coordinates), self.jacobian(solution.coordinates)
        found = np.empty(len(self.runs))
        labels = np.array(by)
        for label in sorted(set(by)):
            inside = labels == label
            coordinates, residuals = solution.coordinates, base
            for _ in range(steps):
                coordinates = self.step(coordinates, residuals, jacobian, self.clean & ~inside)
                residuals = self.residuals(coordinates)
            found[inside] = residuals[inside]
        return found


def _row(constants: Constants, index: int) -> Constants:
    values = {one.name: getattr(constants, one.name) for one in fields(Constants)}
    return Constants(**{name: np.array(value[index]) for name, value in values.items()})


def _apply(
    parameter: Parameter, value: float, own: dict[str, FloatArray], shared: dict[str, FloatArray]
) -> None:
    """Put one parameter's value into the constants of the runs that it acts on."""
    name, rows = parameter.name, parameter.rows
    if name in shared:
        shared[name] = np.array(value)
    elif parameter.scope is Scope.PAIR or name == PAIR:
        # The constants that a fit starts from hold the factor that is loaded already.
        own["compute_factor"] = own["compute_factor"] * np.where(rows, value / parameter.start, 1.0)
    elif parameter.scope is Scope.PRECISION:
        # Narrow formats multiply at a share of the 16-bit efficiency on their own peak.
        own[name] = np.where(rows, own["gemm16_efficiency"] * value, own[name])
    elif name == "narrow_factor":
        own["gemm_efficiency"] = own["gemm_efficiency"] * np.where(rows, value, 1.0)
    elif name == "gemm_efficiency":
        # A narrow format keeps its factor, whether or not the fit moves that.
        narrow = own[name] / own["gemm16_efficiency"]
        own["gemm16_efficiency"] = np.where(rows, value, own["gemm16_efficiency"])
        own[name] = np.where(rows, value * narrow, own[name])
    elif name in {"hbm_efficiency", "nic_efficiency"}:
        field = name.replace("efficiency", "bytes_per_s")
        own[field] = own[field] * (value / parameter.start)
    else:
        own[name] = np.where(rows, value, own[name])
