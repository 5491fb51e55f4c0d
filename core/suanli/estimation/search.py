"""The search: every layout on a number of devices, pruned by divisibility and memory, ranked by time.

Candidates are grids of NumPy arrays in blocks of bounded size, never a Python loop over layouts; memory and
step time are those of the estimate itself. `suanli.estimation.space` states what is tried at which depth.

The full depth decides every layout of its space, but evaluates only those that can matter. Each frame is held
against bounds that no layout of it can pass: the least memory over all placements of states and levels of
recomputation, and for every span of recomputed layers the time at its lower end with the memory at its upper
end. A frame whose bounds are beaten by layouts that are known cannot be chosen or shown. `exhaustive` leaves
the bounds out, and finds the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from suanli.domain.workload import LayoutPins
from suanli.estimation.grid import Frames, families, frames, grid_of, joined, states_of
from suanli.estimation.memory import RESERVE_SHARE, host_bytes, peak_bytes, usable_memory
from suanli.estimation.ranking import SHOWN_RATE, TIE, Pool, choose, pareto
from suanli.estimation.space import COARSE, SPACES, Depth, Levels, level_counts, levels, spans, state_options
from suanli.estimation.step_time import step_arrays

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.estimation.arrays import BoolArray, FloatArray, IndexArray, LayoutArrays
    from suanli.estimation.grid import Grid
    from suanli.estimation.problem import Problem
    from suanli.estimation.results import ParetoPoint
    from suanli.estimation.space import Space, StateOption
    from suanli.estimation.step_time import StepArrays

__all__ = ["Limits", "Search", "search"]

_BLOCK = 1 << 17
"""Layouts of a block: large enough for NumPy, small enough for the cache."""
_FRAMES = 4096
"""Frames of a block of bounds."""
_PADDING = 1.25
"""Most layers of a stage in a block over the least, since every frame has as many levels as the longest."""
_SMALL_BLOCK = 1 << 15
"""Layouts up to which padding costs less than another block."""
_GRADIENTS_SHARDED, _ZERO3 = 2, 3


@dataclass(frozen=True, slots=True)
class Limits:
    """What the search has to keep to, beside memory."""

    pins: LayoutPins = field(default_factory=LayoutPins)
    exposed_communication_max: float | None = None
    reserve_share: float = RESERVE_SHARE
    even_chunks: bool = False
    offload: bool = False
    """Whether states may go to host memory where nothing fits without; a pinned offload always may."""


@dataclass(frozen=True)
class Search:
    """What came of one search."""

    problem: Problem
    layouts: LayoutArrays | None
    """The chosen layout, alone; None where nothing fits."""
    tokens_factor: float
    """Sequences per second of the chosen layout; 0 where nothing fits."""
    candidates: int
    """Layouts of the space that divisibility leaves."""
    rejected: dict[str, int]
    """What fell, by reason: combinations of what is tested for divisibility; layouts for memory and
    communication."""
    least_bytes: float
    """Smallest peak memory of any candidate; infinite where divisibility left none."""
    allowed_bytes: float = math.inf
    """Usable memory less the reserve."""
    evaluated: int = 0
    """Layouts of which memory and time were computed; the others are beaten or too large by their bounds."""
    pareto: tuple[ParetoPoint, ...] = ()
    """Layouts that none beats in rate and memory; beyond the coarse depth only."""

    @cached_property
    def step(self) -> StepArrays | None:
        """Return the step time of the chosen layout by cause."""
        return None if self.layouts is None else step_arrays(self.problem, self.layouts)

    @property
    def missing_bytes(self) -> float:
        """Return by how much the leanest candidate exceeds memory; 0 where it does not."""
        return max(0.0, self.least_bytes - self.allowed_bytes)


@dataclass
class _Run:
    """One search under way."""

    problem: Problem
    devices: int
    limits: Limits
    depth: Depth
    pool: Pool = field(default_factory=Pool.empty)
    rejected: dict[str, int] = field(default_factory=dict[str, int])
    candidates: int = 0
    evaluated: int = 0
    least: float = math.inf
    bound: float = math.inf
    """Bound on the least memory, where no layout was computed."""
    reached: float = 0.0
    """Rate of the choice at coarse depth, which the full depth does not fall below."""

    @property
    def allowed(self) -> float:
        usable, _ = usable_memory(self.problem.device.accelerator)
        return usable * (1 - self.limits.reserve_share)

    def space(self, depth: Depth) -> Space:
        """Return the space of a depth under the limits."""
        return replace(SPACES[depth], even_chunks=self.limits.even_chunks)

    def reject(self, reason: str, count: int) -> None:
        if count:
            self.rejected[reason] = self.rejected.get(reason, 0) + count

    def evaluate(self, grid: Grid, *, known: bool = False) -> None:
        """Compute memory and time of a block, and keep what may be chosen or shown.

        `known` blocks are a part of the space that is counted elsewhere.
        """
        peak = np.broadcast_to(peak_bytes(self.problem, grid.layouts), grid.shape)
        fits = grid.valid & (peak <= self.allowed)
        if np.any(grid.layouts.offload):
            fits &= _host_holds(self.problem, grid.layouts)
        exist, fitting = int(np.count_nonzero(grid.valid)), int(np.count_nonzero(fits))
        self.least = min(self.least, float(np.min(peak, where=grid.valid, initial=math.inf)))
        if not known:
            self.evaluated += exist
            self.reject("memory", exist - fitting)
        if fitting:
            self._time(grid.layouts, fits, peak)

    def _time(self, layouts: LayoutArrays, fits: BoolArray, peak: FloatArray) -> None:
        alive = _of_frames(fits)
        if not alive.all():
            layouts, fits, peak = _frames_of(layouts, alive), fits[..., alive], peak[..., alive]
        step = step_arrays(self.problem, layouts)
        rate = np.broadcast_to(layouts.batch_size / step.total_s, fits.shape)
        limit = self.limits.exposed_communication_max
        if limit is not None:
            quiet = step.communication_share <= limit
            self.reject("exposed-communication", int(np.count_nonzero(fits & ~quiet)))
            fits = fits & quiet
        rate = np.where(fits, rate, -np.inf)
        best = max(self.pool.best, float(rate.max(initial=0.0)))
        if best > 0:
            self._keep(layouts, rate, peak, best)

    def _keep(self, layouts: LayoutArrays, rate: FloatArray, peak: FloatArray, best: float) -> None:
        floor = SHOWN_RATE if self.depth is not Depth.COARSE else 1 - TIE
        flat = np.flatnonzero(rate >= floor * best)
        if self.depth is not Depth.COARSE and len(flat):
            rates, peaks = rate.ravel()[flat], peak.reshape(-1)[flat]
            beaten = self.pool.front.beats(rates, peaks)
            flat = flat[(rates >= (1 - TIE) * best) | ~beaten]
        if len(flat):
            self.pool = self.pool.with_(Pool.of(layouts, flat, rate, peak))

    def _chosen(self) -> int:
        batch = self.problem.workload.global_batch_size
        return choose(self.pool, self.devices, batch, self.allowed, self.reached)

    def chosen_rate(self) -> float:
        """Return the rate of the layout that would be chosen now; 0 for none."""
        return float(self.pool.rate[self._chosen()]) if len(self.pool) else 0.0

    def result(self) -> Search:
        """Return what came of the search."""
        found = Search(
            self.problem,
            None,
            0.0,
            self.candidates,
            self.rejected,
            self.least if math.isfinite(self.least) else self.bound,
            self.allowed,
            self.evaluated,
        )
        if not len(self.pool):
            return found
        index = self._chosen()
        one, rate = self.pool.layouts.take(np.array([index])), float(self.pool.rate[index])
        if not self.depth is not Depth.COARSE:
            return replace(found, layouts=one, tokens_factor=rate)
        usable, _ = usable_memory(self.problem.device.accelerator)
        shown = pareto(
            self.pool,
            dies=self.problem.dies,
            usable_bytes=usable,
            sequence_length=self.problem.workload.sequence_length,
        )
        return replace(found, layouts=one, tokens_factor=rate, pareto=shown)


def _frames_of(layouts: LayoutArrays, alive: BoolArray) -> LayoutArrays:
    """Return a grid without some of its frames."""

    def kept(column: FloatArray) -> FloatArray:
        return column[..., alive] if column.shape[-1] == len(alive) else column

    return replace(layouts, **{name: kept(getattr(layouts, name)) for name in layouts.__dataclass_fields__})


def _host_holds(problem: Problem, layouts: LayoutArrays) -> BoolArray:
    """Tell where the server's memory holds what its devices offload; unknown memory holds nothing."""
    have = problem.device.server.host_memory
    need = host_bytes(problem, layouts) * problem.devices_per_node
    return need <= (0.0 if have is None else have.si)


def _coarse(run: _Run, options: list[StateOption], *, known: bool) -> None:
    """Evaluate the whole coarse space."""
    problem, pins = run.problem, run.limits.pins
    rejected: dict[str, int] = {}
    found = frames(problem, run.devices, pins, run.space(Depth.COARSE), rejected)
    if not known:
        for reason, count in rejected.items():
            run.reject(reason, count)
        _reject_states(run, found, options)
    width = max(1, _BLOCK // (len(options) * (len(COARSE.recomputed or ()) + 3)))
    for start in range(0, len(found), width):
        part = found.take(slice(start, start + width))
        level = levels(COARSE.recomputed, pins, part.stage_layers)
        grid = grid_of(problem, part, options, level, pinned=pins.sequence_parallel)
        run.candidates += 0 if known else int(np.count_nonzero(grid.valid))
        run.evaluate(grid, known=known)


def _reject_states(
    run: _Run, found: Frames, options: list[StateOption], times: IndexArray | None = None
) -> IndexArray:
    """Count the placements of states that do not exist, and return how many of each frame do.

    `times` says how many frames each stands for.
    """
    first, where = _alike(found)
    placed = states_of(run.problem, found.take(first), options)
    weight = np.bincount(where, weights=times, minlength=len(first)) if len(found) else np.zeros(0)
    apart = np.count_nonzero(~placed.launches, axis=0)
    beside = np.count_nonzero(placed.launches & ~placed.divides, axis=0)
    run.reject("zero-pipeline", int((apart * weight).sum()))
    run.reject("shard-group", int((beside * weight).sum()))
    return _counted(placed.exists)[where]


def _placements(run: _Run, found: Frames, options: list[StateOption]) -> IndexArray:
    """Return how many placements of states each frame has."""
    first, where = _alike(found)
    return _counted(states_of(run.problem, found.take(first), options).exists)[where]


def _counted(exists: BoolArray) -> IndexArray:
    return np.asarray(np.count_nonzero(exists, axis=0), dtype=np.int64)


def _of_frames(holds: BoolArray) -> BoolArray:
    """Tell for which frames of a grid something holds of any layout."""
    return np.asarray(holds.any(axis=(0, 1, 2)), dtype=np.bool_)


def _alike(found: Frames) -> tuple[IndexArray, IndexArray]:
    """Return one frame of each set with the same placements of states, and the set of every frame."""
    ranks = found.dp * found.cp
    key = (ranks * (found.tp.max(initial=0) + 1) + found.tp) * 2 + (found.pp > 1)
    _, first, where = np.unique(key, return_index=True, return_inverse=True)
    return first, where


def _full(run: _Run, options: list[StateOption], *, exhaustive: bool) -> None:
    """Decide the whole full space, by evaluation or by bounds."""
    problem, pins = run.problem, run.limits.pins
    found: list[Frames] = []
    for family in families(problem, run.devices, pins, run.space(run.depth), run.rejected):
        plain = family.plain
        # With sequence parallelism and without, where there is tensor parallelism.
        both = SPACES[run.depth].without_sequence_parallel and pins.sequence_parallel is None
        ways = 1 + (plain.tp > 1) if both else np.ones(len(plain), dtype=np.int64)
        each = _reject_states(run, plain, options, family.count) * ways
        counts = each * family.summed(lambda layers: level_counts(pins, layers))
        run.candidates += int(counts.sum())
        exists = counts > 0
        if exhaustive:
            found.append(family.expanded(exists))
            continue
        least = _least_bytes(run, plain, options)
        kept = exists & (least <= run.allowed)
        run.reject("memory", int(counts[exists & ~kept].sum()))
        leanest = float(np.min(least, where=exists, initial=math.inf))
        if family.interleaved:
            run.bound = min(run.bound, leanest)
            found.append(_within_memory(run, family.expanded(kept), options))
        else:
            run.least = min(run.least, leanest)
            found.append(plain.take(kept))
    _expand(run, _not_beaten(run, joined(found), options), options)


def _expand(run: _Run, found: Frames, options: list[StateOption]) -> None:
    """Evaluate frames with every placement of states, mode and level."""
    problem, pins = run.problem, run.limits.pins
    for part in _blocks(found, len(options)):
        level = levels(None, pins, part.stage_layers)
        grid = grid_of(
            problem,
            part,
            options,
            level,
            without_sequence_parallel=SPACES[run.depth].without_sequence_parallel and bool(part.tp[0] > 1),
            pinned=pins.sequence_parallel,
        )
        run.evaluate(grid)


def _blocks(found: Frames, options: int) -> Iterator[Frames]:
    """Yield frames in blocks of bounded size and similar numbers of levels."""
    for split in (False, True):
        same = found.take((found.tp > 1) == split)
        same = same.take(np.argsort(same.stage_layers, kind="stable"))
        each = (1 + split) * options
        start = 0
        while start < len(same):
            least = float(same.stage_layers[start])
            similar = int(np.searchsorted(same.stage_layers, _PADDING * least + 2, side="right"))
            small = start + int(_SMALL_BLOCK // (each * (same.stage_layers[-1] + 2)))
            end = min(len(same), max(similar, small, start + 1))
            width = int(_BLOCK // (each * (same.stage_layers[end - 1] + 2)))
            end = max(start + 1, min(end, start + width))
            yield same.take(slice(start, end))
            start = end


def _least_bytes(run: _Run, found: Frames, options: list[StateOption]) -> FloatArray:
    """Return the least memory of any layout of each frame; infinite where there is none.

    Levels between none and all need no less than one of these, since what is kept falls with every layer
    that is computed again.
    """
    lean, pins = _leanest(options), run.limits.pins
    least = np.full(len(found), math.inf)
    for start in range(0, len(found), _FRAMES):
        part = found.take(slice(start, start + _FRAMES))
        grid = grid_of(
            run.problem, part, lean, levels((), pins, part.stage_layers), pinned=pins.sequence_parallel
        )
        peak = np.broadcast_to(peak_bytes(run.problem, grid.layouts), grid.shape)
        least[start : start + _FRAMES] = np.min(peak, axis=(0, 1, 2), where=grid.valid, initial=math.inf)
    return least


def _within_memory(run: _Run, found: Frames, options: list[StateOption]) -> Frames:
    """Return the frames of which some layout fits; the layouts of the others are counted as too large."""
    least = _least_bytes(run, found, options)
    run.least = min(run.least, float(least.min(initial=math.inf)))
    kept = least <= run.allowed
    pins, beyond = run.limits.pins, found.take(~kept)
    ways = 1 + (beyond.tp > 1) if pins.sequence_parallel is None else np.ones(len(beyond), dtype=np.int64)
    counts = _placements(run, beyond, options) * ways * level_counts(pins, beyond.stage_layers)
    run.reject("memory", int(counts.sum()))
    return found.take(kept)


def _leanest(options: list[StateOption]) -> list[StateOption]:
    """Return the placements of which one needs least memory, whether a pipeline allows ZeRO-2 or not."""
    whole = [one for one in options if one.copies == 1]
    best = {
        (one.zero_stage >= _GRADIENTS_SHARDED, one.offload): one
        for one in sorted(whole, key=lambda one: one.zero_stage)
    }
    return list(best.values())


def _fastest(options: list[StateOption]) -> list[StateOption]:
    """Return the placements of which one is the fastest and one the leanest.

    More copies shorten a gather of weights, and nothing else: below ZeRO-3 they only cost. A sharded
    optimizer takes less memory and time than a whole one.
    """
    stages = {(one.zero_stage, one.offload) for one in options}
    return [
        one
        for one in options
        if (one.copies == 1 or one.zero_stage == _ZERO3)
        and (one.zero_stage > 0 or (1, one.offload) not in stages)
    ]


def _not_beaten(run: _Run, found: Frames, options: list[StateOption]) -> Frames:
    """Return the frames that may hold a layout to choose or show, by bounds on rate and memory."""
    if run.pool.best <= 0:
        return found
    quick = _fastest(options)
    for bound in (_fast_enough, _unbeaten):
        kept = [
            bound(run, found.take(slice(start, start + _FRAMES)), quick)
            for start in range(0, len(found), _FRAMES)
        ]
        found = found.take(np.concatenate(kept)) if kept else found
    return found


def _fast_enough(run: _Run, part: Frames, quick: list[StateOption]) -> BoolArray:
    """Tell which frames are worth showing at the least recomputation, whether it fits or not."""
    pins = run.limits.pins
    level, _, _ = spans(pins, part.stage_layers)
    least = Levels(level.mode[:1], level.layers[:1], level.valid[:1])
    grid = grid_of(run.problem, part, quick, least, pinned=pins.sequence_parallel)
    rate = grid.layouts.batch_size / step_arrays(run.problem, grid.layouts).total_s
    return _of_frames(grid.valid & (rate >= SHOWN_RATE * run.pool.best))


def _unbeaten(run: _Run, part: Frames, quick: list[StateOption]) -> BoolArray:
    """Tell which frames have a span of levels whose best rate and memory no known layout reaches."""
    pins, front = run.limits.pins, run.pool.front
    level, low, high = spans(pins, part.stage_layers)
    grid = grid_of(run.problem, part, quick, level, pinned=pins.sequence_parallel)
    peak = np.broadcast_to(peak_bytes(run.problem, grid.layouts), grid.shape)[:, :, high]
    step = step_arrays(run.problem, grid.layouts)
    rate = np.broadcast_to(grid.layouts.batch_size / step.total_s, grid.shape)[:, :, low]
    # The first level exists for every frame; a span may hold fewer layers than its ends.
    possible = grid.valid[:, :, :1] & (peak <= run.allowed)
    near = rate >= (1 - TIE) * run.pool.best
    shown = (rate >= SHOWN_RATE * run.pool.best) & ~front.beats(rate, peak)
    return _of_frames(possible & (near | shown))


def _pass(run: _Run, depth: Depth, *, offload: bool, exhaustive: bool) -> _Run:
    """Search one of the two halves of a space: states on the device, or in host memory."""
    problem, limits = run.problem, run.limits
    if depth is Depth.COARSE or not exhaustive:
        options = state_options(problem, COARSE, limits.pins, offload=offload)
        _coarse(run, options, known=depth is not Depth.COARSE)
    if depth is not Depth.COARSE:
        options = state_options(problem, SPACES[depth], limits.pins, offload=offload)
        run.reached = run.chosen_rate()
        _full(run, options, exhaustive=exhaustive)
    return run


def _merged(first: _Run, second: _Run) -> _Run:
    """Return both halves as one; the first is taken where anything of it fits."""
    taken = first if len(first.pool) else second
    # What divisibility leaves is the same for both and counted once.
    layouts = {"memory", "exposed-communication"}
    both = {
        reason: count + (second.rejected.get(reason, 0) if reason in layouts else 0)
        for reason, count in first.rejected.items()
    }
    return replace(
        taken,
        rejected=both,
        candidates=first.candidates + second.candidates,
        evaluated=first.evaluated + second.evaluated,
        least=min(first.least, second.least),
    )


def search(
    problem: Problem,
    devices: int,
    limits: Limits | None = None,
    depth: Depth = Depth.COARSE,
    *,
    exhaustive: bool = False,
) -> Search:
    """Return the fastest layout of a model on at most `devices` devices.

    A layout may leave devices idle where the batch or the layers do not divide, so that more devices never
    make a run slower.

    Args:
        problem: model, workload and device.
        devices: devices as software sees them.
        limits: pins, limit on communication, reserve, and whether host memory may be used.
        depth: how much of the space is looked at; full is never slower than coarse.
        exhaustive: evaluate every layout of the full space, without bounds.
    """
    limits = limits or Limits()

    def half(*, offload: bool) -> _Run:
        run = _Run(problem, devices, limits, depth)
        return _pass(run, depth, offload=offload, exhaustive=exhaustive)

    run = half(offload=False)
    free = limits.offload and limits.pins.offload is None
    if free and (exhaustive or not len(run.pool)):
        run = _merged(run, half(offload=True))
    return run.result()
