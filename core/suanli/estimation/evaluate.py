"""One cluster size: the best layout, its step time, its duration with goodput and range."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from suanli.domain.vendor import Tuning
from suanli.estimation.crosscheck import peak_bound_s
from suanli.estimation.goodput import DEFAULT_FAILURES, FailureModel, goodput
from suanli.estimation.memory import memory_use, peak_bytes, usable_memory
from suanli.estimation.pilot import recentred
from suanli.estimation.ranges import UNTUNED_FACTOR, loses_tuning, rate_ratio
from suanli.estimation.ranking import unbeaten_points
from suanli.estimation.results import Constraint, ParetoPoint, Range, Sizing
from suanli.estimation.search import Limits, Search, search
from suanli.estimation.space import Depth

if TYPE_CHECKING:
    from suanli.estimation.problem import Problem
    from suanli.estimation.results import Goodput, Layout, StepTime

__all__ = ["MOST_ACCELERATORS", "Evaluator", "Outcome", "canonical_nodes", "quantile_s"]

MOST_ACCELERATORS: Final = 262144
"""Largest cluster that is looked at."""
_EVERY_NODE_UP_TO = 32
_LOWER_COUNTS = 2
_APART = 1.2
"""Least ratio of two cluster sizes that are shown as alternatives."""
_P10_TO_P50 = NormalDist().inv_cdf(0.9)


def canonical_nodes(nodes: int) -> int:
    """Return the largest node count that is tried at or below a count: all up to 32, then 32 per doubling.

    >>> [canonical_nodes(n) for n in (31, 33, 65, 1000)]
    [31, 33, 64, 992]
    """
    if nodes <= _EVERY_NODE_UP_TO:
        return nodes
    # 32 counts per doubling are at most 3 % apart, far less than the range of any estimate.
    step = 1 << max(0, nodes.bit_length() - 1 - _EVERY_NODE_UP_TO.bit_length() + 1)
    return nodes // step * step


def quantile_s(duration_s: Range, probability: float) -> float:
    """Return the time within which a run ends with a probability.

    The distribution is two half log-normals through P10, P50 and P90.

    >>> round(quantile_s(Range(80.0, 100.0, 130.0), 0.9), 6)
    130.0
    """
    # Certainty would take for ever; the ends are kept finite.
    z = NormalDist().inv_cdf(min(max(probability, 1e-6), 1 - 1e-6)) / _P10_TO_P50
    end = duration_s.p90 if z >= 0 else duration_s.p10
    ratio: float = (end / duration_s.p50) ** abs(z)
    return duration_s.p50 * ratio


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one cluster size gives. Without a layout it does not fit."""

    devices: int
    """Accelerators as sold; software may see several devices in each."""
    search: Search
    tokens_per_s: float
    """P50 of the whole cluster while stepping; 0 where nothing fits."""
    goodput: Goodput | None
    duration_s: Range | None

    @property
    def feasible(self) -> bool:
        """Tell whether some layout fits."""
        return self.search.layouts is not None


@dataclass
class Evaluator:
    """Evaluates cluster sizes of one problem and remembers them."""

    problem: Problem
    limits: Limits
    tokens: float
    """Tokens of one run; 1 where they are the unknown, durations are then per token."""
    failures: FailureModel = DEFAULT_FAILURES
    pilot: float | None = None
    """Measured over predicted rate of the client's own runs; None without any."""
    known: dict[int, Outcome] = field(default_factory=dict[int, Outcome])
    """Outcomes by accelerators: at coarse depth, or at full depth once refined."""
    refined_at: set[int] = field(default_factory=set[int])

    @property
    def ratio(self) -> Range:
        """Return P10, P50 and P90 of measured over predicted rate."""
        pins = self.limits.pins
        fixed = (pins.tp, pins.pp, pins.micro_batch_size, pins.recompute)
        known = all(pin is not None for pin in fixed)
        band = rate_ratio(self.problem, evidence="layout-known" if known else "layout-unknown")
        return recentred(band, self.pilot)

    @property
    def untuned_factor(self) -> float:
        """Return the rate of a team that starts with the stack over the rate of the sizing.

        A stack or a pilot run that was measured untuned holds the loss already.
        """
        problem = self.problem
        inherent = loses_tuning(problem) or problem.device.stack.tuned is Tuning.UNTUNED
        return 1.0 if inherent or self.pilot is not None else UNTUNED_FACTOR

    @property
    def per_node(self) -> int:
        """Return the accelerators of one server."""
        return self.problem.device.server.accelerator_count

    @property
    def candidates(self) -> int:
        """Return the layouts looked at so far."""
        return sum(outcome.search.candidates for outcome in self.known.values())

    def devices(self, devices: int) -> Outcome:
        """Return the outcome of exactly this number of accelerators."""
        if devices not in self.known:
            self.known[devices] = self._evaluate(devices)
        return self.known[devices]

    def nodes(self, nodes: int) -> Outcome:
        """Return the outcome of this number of whole servers, never slower than that of fewer."""
        return self.at_most(nodes * self.per_node)

    def at_most(self, devices: int) -> Outcome:
        """Return the fastest outcome of this number of accelerators or somewhat fewer: the envelope."""
        best, nodes = self.devices(devices), canonical_nodes(devices // self.per_node)
        for _ in range(_LOWER_COUNTS):
            if nodes < 1 or 2 * nodes * self.per_node <= devices:
                break
            trial = self.devices(nodes * self.per_node)
            best = trial if _faster(trial, best) else best
            nodes = canonical_nodes(nodes - 1)
        return best

    def refined(self, outcome: Outcome) -> Outcome:
        """Return the outcome of the same accelerators with every layout looked at, never slower."""
        devices = outcome.devices
        if devices not in self.refined_at:
            self.refined_at.add(devices)
            self.known[devices] = self._evaluate(devices, Depth.REGULAR)
        return self.known[devices]

    def working(self, found: Search) -> int:
        """Return the accelerators that a search's layout puts to work; 0 where nothing fits."""
        layouts = found.layouts
        return 0 if layouts is None else math.ceil(float(layouts.devices[0]) / self.problem.dies)

    def _evaluate(self, devices: int, depth: Depth = Depth.COARSE) -> Outcome:
        found = search(self.problem, devices * self.problem.dies, self.limits, depth)
        if found.layouts is None:
            return Outcome(devices, found, 0.0, None, None)
        sequences_per_s = found.tokens_factor * self.ratio.p50
        rate = sequences_per_s * self.problem.workload.sequence_length
        working = self.working(found)
        ideal_s = self._steps(found) * float(found.layouts.batch_size[0]) / sequences_per_s
        lost = goodput(working, ideal_s, self.problem.profile.trainable_parameters, self.failures)
        middle = ideal_s / lost.share
        band = self.ratio
        # A rate at its P90 gives the P10 of the duration.
        spread = Range(middle * band.p50 / band.p90, middle, middle * band.p50 / band.p10)
        return Outcome(devices, found, rate, lost, spread)

    def _steps(self, found: Search) -> float:
        """Return the optimizer steps of one run, whole unless the tokens are the unknown."""
        if found.layouts is None:
            return 0.0
        per_step = float(found.layouts.batch_size[0]) * self.problem.workload.sequence_length
        steps = self.tokens / per_step
        return math.ceil(steps) if steps > 1 else steps

    def sizing(
        self,
        outcome: Outcome,
        nodes: int,
        binding: Constraint,
        alternatives: tuple[tuple[int, float], ...] = (),
    ) -> Sizing:
        """Return the whole record of a feasible outcome.

        Step and rates are the predicted ones times the median of measured over predicted rates.

        Raises:
            ValueError: the outcome has no layout.
        """
        found, lost, duration = outcome.search, outcome.goodput, outcome.duration_s
        if found.layouts is None or found.step is None or lost is None or duration is None:
            raise ValueError("an outcome without a layout cannot be a sizing")
        problem, layout, working = self.problem, found.layouts.layout(0), self.working(found)
        profile, peak = problem.profile, float(problem.constants.peak_flops_per_s) * problem.dies
        step = found.step.step(0, 1 / self.ratio.p50)
        steps = self._whole_steps(layout)
        rates = self._rates(outcome.tokens_per_s / working)
        mfu = rates.scaled(profile.flops_per_token / peak)
        return Sizing(
            device=problem.device,
            profile=profile,
            precision=problem.workload.precision,
            layout=layout,
            nodes=nodes,
            memory=memory_use(problem, found.layouts, self.limits.reserve_share),
            step=step,
            goodput=lost,
            tokens=self.tokens,
            steps=steps,
            tokens_per_s_per_accelerator=rates,
            mfu=mfu,
            hfu=mfu.p50 * _hardware_work(step),
            ideal_s=steps * step.total_s,
            duration_s=duration,
            untuned_duration_s=duration.p50 / self.untuned_factor,
            peak_bound_s=peak_bound_s(profile, self.tokens, working, peak),
            binding=binding,
            candidates=self.candidates,
            rejected=dict(sorted(found.rejected.items())),
            alternatives=alternatives,
            pareto=self._pareto(found, working),
            pilot_ratio=self.pilot,
        )

    def _pareto(self, found: Search, working: int) -> tuple[ParetoPoint, ...]:
        """Return what none beats: layouts of this size, and the best of sizes from half to twice of it."""
        usable, _ = usable_memory(self.problem.device.accelerator)
        others: list[ParetoPoint] = []
        for one, accelerators in self._apart(working):
            if one.layouts is None:
                continue
            peak = float(peak_bytes(self.problem, one.layouts)[0])
            point = ParetoPoint(
                layout=one.layouts.layout(0),
                accelerators=accelerators,
                step_s=float(one.layouts.batch_size[0]) / one.tokens_factor,
                tokens_per_s=one.tokens_factor * self.problem.workload.sequence_length,
                memory_bytes=peak,
                headroom_share=1 - peak / usable,
            )
            others.append(point)
        band = self.ratio.p50
        return tuple(
            replace(one, step_s=one.step_s / band, tokens_per_s=one.tokens_per_s * band)
            for one in unbeaten_points([*found.pareto, *others])
        )

    def _apart(self, working: int) -> list[tuple[Search, int]]:
        """Return the searches of other sizes, from half to twice of one, and well apart from each other."""
        sizes = sorted((self.working(one.search), one.devices) for one in self.known.values() if one.feasible)
        kept, taken = list[tuple[Search, int]](), [working]
        for size, devices in sizes:
            near = any(max(size, one) < _APART * min(size, one) for one in taken)
            if not near and working <= 2 * size <= 4 * working:
                taken.append(size)
                kept.append((self.known[devices].search, size))
        return kept

    def _rates(self, per_device: float) -> Range:
        """Return the range of a rate around its median."""
        band = self.ratio
        return Range(per_device * band.p10 / band.p50, per_device, per_device * band.p90 / band.p50)

    def _whole_steps(self, layout: Layout) -> int:
        sequences = layout.micro_batch_size * layout.dp * layout.micro_batches
        return math.ceil(self.tokens / (sequences * self.problem.workload.sequence_length))


def _hardware_work(step: StepTime) -> float:
    """Return hardware over model FLOPs: recomputation repeats forward work, by the share of time it takes."""
    return 1 + (step.recompute_s / step.compute_s if step.compute_s else 0.0)


def _faster(one: Outcome, other: Outcome) -> bool:
    if one.duration_s is None or other.duration_s is None:
        return one.feasible and not other.feasible
    return one.duration_s.p50 < other.duration_s.p50
