"""What a path explains: a sizing with its problem and layout, in the numbers that the formulas read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.evaluate import Evaluator
from suanli.estimation.problem import Problem, pose
from suanli.estimation.results import Infeasible
from suanli.estimation.search import Limits
from suanli.explaining.origins import Origins

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.estimation.goodput import FailureModel
    from suanli.estimation.results import Layout, Range, Sizing

__all__ = ["Subject", "subject_of"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A sizing and everything that its path reads."""

    sizing: Sizing
    requirement: Requirement
    problem: Problem
    layouts: LayoutArrays
    failures: FailureModel
    ratio: Range
    """Measured over predicted rate: P10, P50, P90."""
    untuned_factor: float
    origins: Origins

    @property
    def layout(self) -> Layout:
        """Return the layout of the sizing."""
        return self.sizing.layout

    def model(self, name: str) -> float:
        """Return a number of the model."""
        return float(getattr(self.problem.model, name))

    def constant(self, name: str) -> float:
        """Return a constant of device and stack."""
        return float(getattr(self.problem.constants, name))

    def shared(self, name: str) -> float:
        """Return a constant that holds for every device."""
        return float(getattr(self.problem.shared, name))

    def recipe(self, name: str) -> float:
        """Return a number of the memory recipe."""
        return float(getattr(self.problem.recipe_numbers, name))


def subject_of(
    sizing: Sizing, requirement: Requirement, catalogue: Catalogue, failures: FailureModel
) -> Subject:
    """Return the subject of a path.

    Raises:
        ValueError: the device of the sizing has no constants.
    """
    problem = pose(sizing.device, requirement.model.architecture, requirement.workload)
    if isinstance(problem, Infeasible):
        raise ValueError(f"{sizing.device.key} has no constants")  # noqa: TRY004 - a sizing has a device that has
    limits = Limits(requirement.pins, requirement.cluster.exposed_communication_max)
    evaluator = Evaluator(problem, limits, sizing.tokens, failures, sizing.pilot_ratio)
    return Subject(
        sizing,
        requirement,
        problem,
        LayoutArrays.of(sizing.layout),
        failures,
        evaluator.ratio,
        evaluator.untuned_factor,
        Origins(sizing.device, catalogue),
    )
