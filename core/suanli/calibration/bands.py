"""How far measured rates lie from predicted ones, by what is known of a run: the spread behind every range.

The spread of ln(measured/predicted) is s = s₀ · Π mᵢ over the classes that a run belongs to; a class has one
multiplier. They maximise the likelihood of a Laplace distribution, each held near 1 by a prior. Residuals
over their spread then share one distribution, whose quantiles give the ends of a range: skewed, as residuals
are, and wider for a class that predicts worse.

Source: Koenker and Machado, "Goodness of Fit and Related Inference Processes for Quantile Regression", 1999
(location-scale model); quantiles are those of runs whose group was left out of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.estimation.ranges import CLASSES, classes_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.calibration.runs import Run
    from suanli.estimation.arrays import BoolArray, FloatArray

__all__ = ["Bands", "bands", "class_flags", "coverage", "widening"]

_PRIOR_WIDTH: Final = 0.5
"""Standard deviation of the logarithm of a class's multiplier before runs are seen."""
_ROUNDS: Final = 60
_LEAST: Final = 1e-4
_QUANTILES: Final = (0.1, 0.5, 0.9)
_FEW_GROUPS: Final = 15
_FEW_FACTOR: Final = 1.4
"""Widening of a class that fewer groups stand for: its spread is known less well than it seems."""


@dataclass(frozen=True, slots=True)
class Bands:
    """Spread by class, and the quantiles of residuals over their spread."""

    base: float
    multipliers: Mapping[str, float]
    quantiles: tuple[float, float, float]
    """P10, P50 and P90 of ln(measured/predicted) over the spread."""

    def spread(self, flags: FloatArray) -> FloatArray:
        """Return the spread of runs by the classes that they belong to."""
        logs = np.array([np.log(self.multipliers[name]) for name in CLASSES])
        spread: FloatArray = self.base * np.exp(flags @ logs)
        return spread


def class_flags(runs: Sequence[Run]) -> FloatArray:
    """Return which classes each run belongs to, as ones and zeros."""
    found = [classes_of(run.problem, run.posed.evidence.value) for run in runs]
    return np.array([[name in names for name in CLASSES] for names in found], dtype=np.float64)


def _weighted_quantile(values: FloatArray, weights: FloatArray, share: float) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) - 0.5 * weights[order]
    return float(np.interp(share, reached / weights.sum(), values[order]))


def _thin(flags: FloatArray, groups: Sequence[str]) -> FloatArray:
    """Return 1.4 for each class that some but few groups stand for, else 1."""
    labels = np.array(groups)
    counts = np.array([len(set(labels[column > 0])) for column in flags.T])
    return np.where((counts > 0) & (counts < _FEW_GROUPS), _FEW_FACTOR, 1.0)


def bands(logs: FloatArray, flags: FloatArray, weights: FloatArray, groups: Sequence[str]) -> Bands:
    """Return the spread by class of residuals ln(measured/predicted).

    Args:
        logs: residuals.
        flags: class of each run as ones and zeros, one column a class.
        weights: how much each run counts.
        groups: group of each run; classes of few groups are widened.
    """
    size = np.maximum(np.abs(logs), _LEAST)
    design = np.column_stack([np.ones(len(logs)), flags])
    beta = np.zeros(design.shape[1])
    beta[0] = np.log(np.average(size, weights=weights))
    prior = np.full(design.shape[1], 1 / _PRIOR_WIDTH**2)
    prior[0] = 0.0
    for _ in range(_ROUNDS):
        # Newton's method on the sum of w·(|r|/s + ln s), which is convex in ln s.
        ratio = weights * size * np.exp(-design @ beta)
        slope = design.T @ (weights - ratio) + prior * beta
        curvature = (design.T * ratio) @ design + np.diag(prior + 1e-9)
        beta = beta - np.clip(np.linalg.solve(curvature, slope), -0.5, 0.5)
    scaled = logs * np.exp(-design @ beta)
    ends = tuple(_weighted_quantile(scaled, weights, share) for share in _QUANTILES)
    widened = np.exp(beta[1:]) * _thin(flags, groups)
    multipliers: dict[str, float] = dict(zip(CLASSES, widened.tolist(), strict=True))
    return Bands(float(np.exp(beta[0])), MappingProxyType(multipliers), (ends[0], ends[1], ends[2]))


def coverage(logs: FloatArray, flags: FloatArray, weights: FloatArray, groups: Sequence[str]) -> BoolArray:
    """Tell which residuals lie between P10 and P90 of bands made without their group.

    A group beside which there is no other has no such bands, so that none of its residuals does.
    """
    labels = np.array(groups)
    inside = np.zeros(len(logs), dtype=np.bool_)
    for label in sorted(set(groups)):
        rows = labels == label
        if rows.all():
            continue
        rest = [group for group in groups if group != label]
        others = bands(logs[~rows], flags[~rows], weights[~rows], rest)
        spread = others.spread(flags[rows])
        low, _, high = others.quantiles
        inside[rows] = (logs[rows] >= low * spread) & (logs[rows] <= high * spread)
    return inside


def widening(wide: FloatArray, narrow: FloatArray, weights: FloatArray) -> float:
    """Return how much wider residuals are when more was left out: the ratio of their weighted medians."""
    medians = [_weighted_quantile(np.abs(one), weights, 0.5) for one in (wide, narrow)]
    return max(1.0, medians[0] / medians[1])
