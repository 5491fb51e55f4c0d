"""One question about memory, and what the model answers: a layout, its parts by phase, and a verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from suanli.errors import InputError
from suanli.estimation.evaluate import Evaluator
from suanli.estimation.memory import RESERVE_SHARE, memory_use, phases, stage_memory, usable_memory
from suanli.estimation.pins import check_pins
from suanli.estimation.problem import pose
from suanli.estimation.results import Infeasible
from suanli.estimation.search import Limits, Search, search
from suanli.estimation.space import Depth
from suanli.fitting.devices import with_cards
from suanli.fitting.recipes import recipe_of

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture
    from suanli.domain.workload import LayoutPins, Workload
    from suanli.estimation.arrays import LayoutArrays
    from suanli.estimation.problem import Problem
    from suanli.estimation.results import Layout, MemoryUse, Range
    from suanli.fitting.devices import Card

__all__ = ["FitVerdict", "PhaseTerms", "Placed", "Trial", "holds", "place"]

_ALL: Final = -1e9
"""Reserve under which every layout is within memory, for the one that needs least."""
_SLACK: Final = 1e-9


class FitVerdict(StrEnum):
    """Whether it fits."""

    FITS = "fits"
    WARNING = "fits-with-warning"
    """It is within usable memory, and not within the reserve that fragmentation and longer batches need."""
    DOES_NOT_FIT = "does-not-fit"


@dataclass(frozen=True, slots=True)
class Trial:
    """What is asked of memory."""

    card: Card
    architecture: Architecture
    workload: Workload
    pins: LayoutPins
    cards: int
    batch_given: bool = False
    """Whether the global batch was stated; where it was not, it never stands in the way."""
    recipe: str = ""
    """Name of a memory recipe; empty for that of the stack."""

    @property
    def job(self) -> Workload:
        """Return the workload with a batch that every card gets a part of."""
        least = self.cards * self.card.device.accelerator.dies * (self.pins.micro_batch_size or 1)
        if self.batch_given or least <= self.workload.global_batch_size:
            return self.workload
        return replace(self.workload, global_batch_size=least)

    @property
    def usable_bytes(self) -> float:
        """Return what software can allocate on one device as it sees it."""
        return usable_memory(self.card.device.accelerator)[0]


@dataclass(frozen=True, slots=True)
class PhaseTerms:
    """Bytes of every part on the fullest device, at the peak of one phase."""

    weights: float
    gradients: float
    optimizer: float
    activations: float
    logits: float
    buffers: float

    @property
    def total(self) -> float:
        """Return the sum of the parts."""
        states = self.weights + self.gradients + self.optimizer
        return states + self.activations + self.logits + self.buffers


@dataclass(frozen=True, slots=True)
class Placed:
    """A trial with the layout that was found for it, or the leanest there is where none fits."""

    trial: Trial
    verdict: FitVerdict
    problem: Problem | None
    """None where the device cannot take the job at all."""
    layout: Layout | None
    """None where no layout can be launched."""
    memory: MemoryUse | None
    phases: dict[str, PhaseTerms]
    """By ``load``, ``step``, ``save``."""
    candidates: int
    binding: str = ""
    """What stands in the way: ``memory``, ``host-memory``, ``layout`` or a constraint of the estimate."""
    rate: Range | None = None
    """Tokens per second of one card; None where it cannot be told."""

    @property
    def peak_bytes(self) -> float:
        """Return the largest of all phases; infinite where there is no layout."""
        return max((terms.total for terms in self.phases.values()), default=math.inf)

    @property
    def fits(self) -> bool:
        """Tell whether the reserve is kept."""
        return self.verdict is FitVerdict.FITS

    @property
    def fits_somehow(self) -> bool:
        """Tell whether it fits, with the reserve or without."""
        return self.verdict is not FitVerdict.DOES_NOT_FIT

    @property
    def host_bytes(self) -> float:
        """Return the host memory that one server needs; 0 where nothing is offloaded."""
        if self.memory is None or self.problem is None:
            return 0.0
        return self.memory.host_bytes * self.problem.devices_per_node


def _searched(trial: Trial, reserve: float, depth: Depth, *, unlimited: bool = False) -> Search | Infeasible:
    device = with_cards(trial.card, trial.cards, unlimited=unlimited)
    recipe = recipe_of(trial.workload.task, device.stack.sharding, trial.recipe)
    problem = pose(device, trial.architecture, trial.job, recipe)
    if isinstance(problem, Infeasible):
        return problem
    # What the user asks for is not refused for its speed.
    limits = Limits(trial.pins, reserve_share=reserve)
    return search(problem, trial.cards * problem.dies, limits, depth)


def holds(trial: Trial, depth: Depth = Depth.COARSE) -> bool:
    """Tell whether some layout keeps the reserve; pins that nothing can follow hold nothing."""
    try:
        check_pins(trial.architecture, trial.pins, trial.job.global_batch_size)
    except InputError:
        return False
    found = _searched(trial, RESERVE_SHARE, depth)
    return not isinstance(found, Infeasible) and _keeps(trial, found)


def _keeps(trial: Trial, found: Search) -> bool:
    """Tell whether a layout was found whose loading and saving keep the reserve as its step does."""
    if found.layouts is None:
        return False
    peaks = phases(found.problem, found.layouts)
    allowed = trial.usable_bytes * (1 - RESERVE_SHARE)
    return all(float(peak.ravel()[0]) <= allowed for peak in (peaks.load, peaks.step, peaks.save))


def place(trial: Trial) -> Placed:
    """Return the fastest layout that keeps the reserve; else the leanest there is.

    The usual layouts come first. Only where none of them does are all looked at, since many of those trade
    memory for a little time.

    Raises:
        InputError: the pins contradict the model or each other.
    """
    check_pins(trial.architecture, trial.pins, trial.job.global_batch_size)
    found = _first(trial, unlimited=False)
    if isinstance(found, Infeasible):
        return _nowhere(trial, None, found.constraint.value)
    if found.layouts is not None:
        return _placed(trial, found, found.layouts, FitVerdict.FITS, "")
    richer = _first(trial, unlimited=True)
    if isinstance(richer, Search) and richer.layouts is not None:
        return _placed(trial, richer, richer.layouts, FitVerdict.DOES_NOT_FIT, "host-memory")
    return _leanest(trial, found) if math.isfinite(found.least_bytes) else _nowhere(trial, found, "layout")


def _first(trial: Trial, *, unlimited: bool) -> Search | Infeasible:
    """Return the first search, from the usual layouts to all, that finds one which keeps the reserve."""
    found = _searched(trial, RESERVE_SHARE, Depth.COARSE, unlimited=unlimited)
    if isinstance(found, Infeasible) or _keeps(trial, found):
        return found
    return _searched(trial, RESERVE_SHARE, Depth.FULL, unlimited=unlimited)


def _nowhere(trial: Trial, found: Search | None, binding: str) -> Placed:
    """Return that there is no layout at all."""
    problem, candidates = (None, 0) if found is None else (found.problem, found.candidates)
    return Placed(trial, FitVerdict.DOES_NOT_FIT, problem, None, None, {}, candidates, binding)


def _leanest(trial: Trial, first: Search) -> Placed:
    """Return the layout that needs least: within usable memory without its reserve, or beyond it."""
    reserve = 1 - first.least_bytes * (1 + _SLACK) / trial.usable_bytes
    found = first
    for share in (reserve, _ALL):
        again = _searched(trial, share, Depth.FULL, unlimited=True)
        if not isinstance(again, Infeasible) and again.layouts is not None:
            found = again
            break
    if found.layouts is None:
        return _nowhere(trial, first, "memory")
    placed = _placed(trial, found, found.layouts, FitVerdict.WARNING, "")
    have = trial.card.host_memory_bytes
    if placed.fits_somehow and have is not None and placed.host_bytes > have:
        return replace(placed, verdict=FitVerdict.DOES_NOT_FIT, binding="host-memory", rate=None)
    return placed


def _placed(trial: Trial, found: Search, layouts: LayoutArrays, verdict: FitVerdict, binding: str) -> Placed:
    problem = found.problem
    use = memory_use(problem, layouts, RESERVE_SHARE)
    phases = _phases(problem, layouts, use)
    peak = max(terms.total for terms in phases.values())
    # Loading and saving are not in the search's bound, so they may turn its verdict.
    if verdict is not FitVerdict.DOES_NOT_FIT and peak > use.usable_bytes:
        verdict, binding = FitVerdict.DOES_NOT_FIT, "memory"
    elif verdict is FitVerdict.FITS and peak > use.usable_bytes * (1 - use.reserve_share):
        verdict = FitVerdict.WARNING
    return Placed(
        trial,
        verdict,
        problem,
        layouts.layout(0),
        use,
        phases,
        found.candidates,
        binding,
        _rate(trial, found, layouts) if verdict is not FitVerdict.DOES_NOT_FIT else None,
    )


def _phases(problem: Problem, layouts: LayoutArrays, use: MemoryUse) -> dict[str, PhaseTerms]:
    """Return the parts of each phase: of loading and saving, states and what is whole for a moment."""
    step = PhaseTerms(
        use.weights_bytes,
        use.gradients_bytes,
        use.optimizer_bytes,
        use.activations_bytes,
        use.logits_bytes,
        use.buffers_bytes,
    )
    if use.phases is None:
        return {"step": step}
    stages = [stage_memory(problem, layouts, last=last) for last in (False, True)]
    states = [
        tuple(float(part.ravel()[0]) for part in (one.weights, one.gradients, one.optimizer))
        for one in stages
    ]
    weights, gradients, optimizer = max(states, key=sum)

    def phase(total: float) -> PhaseTerms:
        rest = max(total - weights - gradients - optimizer, 0.0)
        return PhaseTerms(weights, gradients, optimizer, 0.0, 0.0, rest)

    return {"load": phase(use.phases.load_bytes), "step": step, "save": phase(use.phases.save_bytes)}


def _rate(trial: Trial, found: Search, layouts: LayoutArrays) -> Range | None:
    """Return tokens per second of one card; without a known server that of a single card alone."""
    card, problem = trial.card, found.problem
    if not card.timed or (not card.server_known and trial.cards > 1):
        return None
    working = math.ceil(float(layouts.devices[0]) / problem.dies)
    predicted = found.tokens_factor * problem.workload.sequence_length / working
    return Evaluator(problem, Limits(trial.pins), 1.0).ratio.scaled(predicted)
