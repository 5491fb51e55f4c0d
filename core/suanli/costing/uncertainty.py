"""The distribution of costs: correlated draws of the uncertain inputs, sent through the ledger's own lines.

Each input is two half log-normals through its P10, its value and its P90. Inputs that one cause moves share a
part of their normal scores: z = √ρ·shared + √(1 − ρ)·own. All options see the same draws, so that what is
said of their order holds for draws in which prices and use are the same for both.

Source: D. Vose, Risk Analysis, 3rd edition, 2008, chapter 13 (correlated sampling).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.costing.expressions import references
from suanli.costing.sampling import lines_behind, sampled
from suanli.costing.spreads import SHARED_SHARE, Factor, spreads
from suanli.estimation.results import Range

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from suanli.costing.ledger import Ledger, Line
    from suanli.costing.sampling import Draws
    from suanli.costing.spreads import Spread

__all__ = ["DRAWS", "SEED", "Driver", "Uncertainty", "normal_scores", "split_log_normal", "uncertainty"]

DRAWS: Final = 100_000
SEED: Final = 20_260_101
"""Fixed, so that the same ledger gives the same distribution."""

_BLOCK: Final = 1 << 15
"""Draws at a time: arrays that fit the cache."""
_P10_TO_P50: Final = NormalDist().inv_cdf(0.9)
_ENDS: Final = (10.0, 50.0, 90.0)


@dataclass(frozen=True, slots=True)
class Driver:
    """An input with what a cost is at its P10 and at its P90, all other inputs at their values."""

    spread: Spread
    low: float
    high: float

    @property
    def swing(self) -> float:
        """Return how far the cost moves between the two ends."""
        return abs(self.high - self.low)


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Distributions of ledger lines."""

    ranges: Mapping[str, Range]
    """P10, P50 and P90 by line."""
    drivers: Mapping[str, tuple[Driver, ...]]
    """What spreads a line, the most first."""
    cheapest: Mapping[str, float]
    """Share of draws in which a line is the smallest of those compared."""
    draws: int
    seed: int


def split_log_normal(spread: Spread, scores: Draws) -> Draws:
    """Return draws of an input: v · (end/v)^(|z|/z₁₀), with the end on the side of the score z.

    >>> from suanli.costing.spreads import Factor
    >>> from suanli.domain.record import Text
    >>> one = Spread("x", Text(zh="x", en="x"), Factor.MARKET, 10.0, 8.0, 15.0, "source")
    >>> split_log_normal(one, np.array([-1.2815515655446004, 0.0, 1.2815515655446004])).round(6).tolist()
    [8.0, 10.0, 15.0]
    """
    low, high = (math.log(end / spread.value) for end in (spread.p10, spread.p90))
    return spread.value * np.exp(np.abs(scores) / _P10_TO_P50 * np.where(scores < 0, low, high))


def normal_scores(found: Sequence[Spread], draws: int, generator: np.random.Generator) -> dict[str, Draws]:
    """Return standard normal scores of every input, those of one factor correlated by `SHARED_SHARE`."""
    shared = {factor: generator.standard_normal(draws) for factor in Factor}
    near, own = math.sqrt(SHARED_SHARE), math.sqrt(1 - SHARED_SHARE)
    return {one.id: near * shared[one.factor] + own * generator.standard_normal(draws) for one in found}


def _behind(ledger: Ledger, lines: Sequence[Line]) -> tuple[tuple[Spread, ...], dict[str, Draws]]:
    """Return the uncertain inputs of some lines, and the values of all inputs."""
    used = {name for line in lines for name in references(line.expression)}
    fixed: dict[str, Draws] = {entry.id: np.array(float(entry.value)) for entry in ledger.inputs}
    return spreads([entry for entry in ledger.inputs if entry.id in used]), fixed


def uncertainty(  # noqa: PLR0913 - what is asked of one set of draws
    ledger: Ledger,
    targets: Sequence[str],
    compared: Sequence[str] = (),
    drivers: Sequence[str] = (),
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Uncertainty:
    """Return the distributions of some lines.

    Args:
        ledger: the ledger.
        targets: ids of lines.
        compared: ids of lines, among the targets, of which the smallest is counted.
        drivers: ids of lines whose drivers are asked for.
        draws: how many.
        seed: of the generator.

    Raises:
        KeyError: a target is no entry of the ledger.
    """
    lines = lines_behind(targets, ledger)
    found, fixed = _behind(ledger, lines)
    generator = np.random.default_rng(seed)
    values: dict[str, list[Draws]] = {target: [] for target in targets}
    for start in range(0, draws, _BLOCK):
        size = min(_BLOCK, draws - start)
        block = normal_scores(found, size, generator)
        drawn = {one.id: split_log_normal(one, block[one.id]) for one in found}
        results = sampled(lines, {**fixed, **drawn}, targets)
        for target in targets:
            values[target].append(np.broadcast_to(results[target], (size,)))
    whole = {target: np.concatenate(parts) for target, parts in values.items()}
    return Uncertainty(
        ranges={target: _range(sample) for target, sample in whole.items()},
        drivers={target: _drivers(target, ledger, found, fixed) for target in drivers},
        cheapest=_cheapest({target: whole[target] for target in compared}),
        draws=draws,
        seed=seed,
    )


def _range(sample: Draws) -> Range:
    low, middle, high = (float(np.percentile(sample, end)) for end in _ENDS)
    return Range(low, middle, high)


def _drivers(
    target: str, ledger: Ledger, found: Sequence[Spread], fixed: Mapping[str, Draws]
) -> tuple[Driver, ...]:
    """Return what moves a line, the most first: one draw an end, in which one input alone is at that end."""
    lines = lines_behind([target], ledger)
    used = {name for line in lines for name in references(line.expression)}
    moving = [one for one in found if one.id in used]
    scenarios = dict(fixed)
    for place, one in enumerate(moving):
        ends = np.full(2 * len(moving), one.value)
        ends[2 * place], ends[2 * place + 1] = one.p10, one.p90
        scenarios[one.id] = ends
    values = np.broadcast_to(sampled(lines, scenarios, (target,))[target], (2 * len(moving),))
    drivers = (
        Driver(one, float(values[2 * place]), float(values[2 * place + 1]))
        for place, one in enumerate(moving)
    )
    return tuple(sorted((one for one in drivers if one.swing), key=lambda one: (-one.swing, one.spread.id)))


def _cheapest(samples: Mapping[str, Draws]) -> dict[str, float]:
    """Return how often each sample is the smallest; a tie counts for the first."""
    if not samples:
        return {}
    winners: NDArray[np.intp] = np.argmin(np.stack(list(samples.values())), axis=0)
    counts = np.bincount(winners, minlength=len(samples))
    return {name: int(counts[place]) / len(winners) for place, name in enumerate(samples)}
