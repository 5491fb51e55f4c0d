"""Candidate layouts as index arrays: frames that divisibility leaves, and the grid over each frame's options.

A frame fixes what splits the model and the batch: tp, pp, cp, dp, ep, micro-batch and virtual stages. Every
frame is combined with every placement of states, with and without sequence parallelism, and with every level
of recomputation; these have axes of their own, so that a term is computed only over the dimensions it depends
on.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.pins import divisors
from suanli.estimation.space import (
    BATCH_TOLERANCE,
    ONE_DOMAIN,
    balanced,
    chunk_options,
    micro_options,
    sharded_alone,
    stage_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from suanli.domain.workload import LayoutPins
    from suanli.estimation.arrays import BoolArray, FloatArray, IndexArray
    from suanli.estimation.problem import Problem
    from suanli.estimation.space import Levels, Space, StateOption

__all__ = ["Family", "Frames", "Grid", "States", "families", "frames", "grid_of", "joined", "states_of"]

_MOST_CONTEXT_RANKS = 64
_MOST_EXPERT_RANKS = 64
"""Widest expert parallelism among the calibrated runs; beyond it the exposed share of the all-to-all is
unknown."""
_GRADIENTS_SHARDED = 2
_LEAST_GROUP: Final = 2
"""Ranks of the smallest group of shards: one alone shards nothing."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Frames:
    """What splits the model and the batch, one entry a frame; whole numbers as floats."""

    tp: FloatArray
    pp: FloatArray
    cp: FloatArray
    ep: FloatArray
    dp: FloatArray
    micro_batch_size: FloatArray
    micro_batches: FloatArray
    virtual_pipeline: FloatArray
    stage_layers: FloatArray
    """Layers of the fullest stage."""

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.tp)

    def take(self, chosen: IndexArray | BoolArray | slice) -> Frames:
        """Return the chosen frames."""
        return Frames(*(getattr(self, one.name)[chosen] for one in fields(self)))


@dataclass(frozen=True, slots=True)
class _Splits:
    """Grid over what splits the model, before the batch."""

    tp: FloatArray
    pp: FloatArray
    cp: FloatArray
    ep: FloatArray

    def __len__(self) -> int:
        return len(self.tp)

    @property
    def group(self) -> FloatArray:
        """Return the devices of one model replica."""
        return self.tp * self.pp * self.cp

    @property
    def step(self) -> FloatArray:
        """Return the steps in which dp moves: expert ranks are context- and data-parallel ranks."""
        return self.ep / np.gcd(self.ep.astype(np.int64), self.cp.astype(np.int64))


def _options(pin: int | None, values: Sequence[int]) -> FloatArray:
    return np.array(values if pin is None else (pin,), dtype=np.float64)


def _drop(splits: _Splits, keep: BoolArray, reason: str, rejected: dict[str, int]) -> _Splits:
    dropped = len(splits) - int(np.count_nonzero(keep))
    if dropped:
        rejected[reason] = rejected.get(reason, 0) + dropped
    return _Splits(*(getattr(splits, one.name)[keep] for one in fields(_Splits)))


def _every_split(problem: Problem, pins: LayoutPins, space: Space) -> _Splits:
    experts = problem.architecture.moe.experts if problem.architecture.moe else 1
    ranks = tuple(1 << k for k in range(_MOST_CONTEXT_RANKS.bit_length()))
    axes = (
        _options(pins.tp, divisors(problem.domain)),
        _options(pins.pp, stage_options(problem, space)),
        _options(pins.cp, ranks),
        _options(pins.ep, [ep for ep in divisors(experts) if ep <= _MOST_EXPERT_RANKS]),
    )
    return _Splits(*(axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")))


def _supported(problem: Problem, splits: _Splits, pins: LayoutPins) -> BoolArray:
    """Tell which splits the stack can launch at all."""
    if not sharded_alone(problem):
        return np.ones(len(splits), dtype=np.bool_)
    free = (("tp", pins.tp), ("pp", pins.pp), ("cp", pins.cp))
    ones = [getattr(splits, name) == 1 for name, pin in free if pin is None]
    return np.asarray(np.all([np.ones(len(splits), dtype=np.bool_), *ones], axis=0), dtype=np.bool_)


def _heads_fit(problem: Problem, splits: _Splits) -> BoolArray:
    """Tell where query heads are split evenly, and key heads split or replicated evenly."""
    a, tp = problem.architecture, splits.tp
    heads: BoolArray = (a.attention_heads % tp == 0) & ((a.kv_heads % tp == 0) | (tp % a.kv_heads == 0))
    width: BoolArray = a.ffn_hidden_size % tp == 0
    return (heads | (a.mla is not None)) & width


def _splits(
    problem: Problem, devices: int, pins: LayoutPins, space: Space, rejected: dict[str, int]
) -> _Splits:
    """Return the splits of the model that the stack, the model and the devices allow."""
    a, s = problem.architecture, problem.workload.sequence_length
    found = _every_split(problem, pins, space)
    found = _drop(found, _supported(problem, found, pins), "stack", rejected)
    if pins.tp is None:
        found = _drop(found, _heads_fit(problem, found), "tp-heads", rejected)
    found = _drop(found, found.tp <= problem.domain, "tp-domain", rejected)
    if pins.pp is None:
        found = _drop(found, balanced(a.layers, found.pp), "pp-layers", rejected)
    if pins.cp is None:
        # Twice cp, because each rank holds one early and one late block of the sequence.
        even = (s % (2 * found.cp) == 0) & (s / found.cp >= space.least_context_tokens)
        found = _drop(found, (found.cp == 1) | even, "cp-sequence", rejected)
    found = _drop(found, found.group <= devices, "devices", rejected)
    return _drop(found, devices // found.group >= found.step, "ep-data-parallel", rejected)


@dataclass(frozen=True, slots=True)
class _Batches:
    """How splits meet the global batch: one entry for every split, micro-batch and schedule that does."""

    row: IndexArray
    micro: FloatArray
    dp: FloatArray
    micro_batches: FloatArray


def _data_parallel(
    devices: FloatArray, step: FloatArray, micro: FloatArray, unit: FloatArray, batch: int
) -> FloatArray:
    """Return the data-parallel degrees to try: all devices, and the most for the batch and its tolerance.

    The last makes the search monotone: whatever a smaller cluster may do with a rounded batch, a larger may.
    """
    most = devices // step * step
    tried = [np.broadcast_to(most, np.broadcast_shapes(most.shape, micro.shape))]
    for allowed in (float(batch), (1 + BATCH_TOLERANCE) * batch):
        least = unit * np.maximum(1.0, np.ceil(allowed / (micro * most * unit) - _ROUNDING))
        tried.append(np.minimum(most, np.floor(allowed / (micro * least) + _ROUNDING) // step * step))
    return np.stack(tried)


def _batches(  # noqa: PLR0913, PLR0917 - one argument a field
    problem: Problem,
    splits: _Splits,
    devices: int,
    micros: FloatArray,
    unit: FloatArray,
    rejected: dict[str, int],
) -> _Batches:
    """Return the micro-batches and data-parallel degrees that meet the batch.

    An interleaved schedule needs a multiple of `unit` micro-batches, its pipeline stages (Narayanan et al.,
    2021, section 2.2).
    """
    batch = problem.workload.global_batch_size
    if len(splits) == 0:
        none = np.zeros(0)
        return _Batches(none.astype(np.int64), none, none, none)
    unit, micro = unit[:, None], micros[None, :]
    most, step = (devices // splits.group)[:, None], splits.step[:, None]
    dp = np.maximum(_data_parallel(most, step, micro, unit, batch), 0.0)
    per_round = micro * np.maximum(dp, 1.0) * unit
    m = unit * np.maximum(1.0, np.rint(batch / per_round))
    met = (np.abs(m * micro * dp / batch - 1) <= BATCH_TOLERANCE) & (dp > 0)
    missed = met[0].size - int(np.count_nonzero(met.any(axis=0)))
    if missed:
        rejected["batch"] = rejected.get("batch", 0) + missed
    # The three candidates for dp often coincide; each is taken once.
    met[1] &= dp[1] != dp[0]
    met[2] &= (dp[2] != dp[0]) & (dp[2] != dp[1])
    which, row, column = np.nonzero(met)
    return _Batches(row, micros[column], dp[which, row, column], m[which, row, column])


def _chunks(
    problem: Problem, splits: _Splits, pins: LayoutPins, space: Space, rejected: dict[str, int]
) -> tuple[IndexArray, FloatArray]:
    """Return the split and the virtual stages of every interleaved schedule that the layers allow."""
    layers = problem.architecture.layers
    options = _options(pins.virtual_pipeline, chunk_options(problem, space))
    v = options[options > 1]
    stages = splits.pp[:, None] * v[None, :]
    spread = balanced(layers, stages) if pins.virtual_pipeline is None else stages <= layers
    if space.even_chunks and pins.virtual_pipeline is None:
        spread = spread & (layers % stages == 0)
    usable = (splits.pp[:, None] > 1) & spread
    unusable = usable.size - int(np.count_nonzero(usable))
    if unusable:
        rejected["virtual-pipeline"] = rejected.get("virtual-pipeline", 0) + unusable
    row, column = np.nonzero(usable)
    return row, v[column]


@dataclass(frozen=True, slots=True)
class Family:
    """Frames before the number of virtual stages is chosen, with the numbers that each may take."""

    layers: int
    """Layers of the model."""
    plain: Frames
    """Every frame without interleaving: it needs no more memory than with any number of virtual stages."""
    first: IndexArray
    """Where the numbers of each frame begin in `chunks`."""
    count: IndexArray
    """How many numbers each frame may take."""
    chunks: FloatArray

    @property
    def interleaved(self) -> bool:
        """Tell whether the frames take more than one virtual stage."""
        return bool(np.any(self.chunks > 1))

    def expanded(self, kept: BoolArray | None = None) -> Frames:
        """Return the kept frames with every number of virtual stages."""
        rows = np.arange(len(self.plain)) if kept is None else np.flatnonzero(kept)
        count = self.count[rows]
        index = np.repeat(rows, count)
        within = np.arange(len(index)) - np.repeat(np.cumsum(count) - count, count)
        v = self.chunks[self.first[index] + within]
        found = self.plain.take(index)
        return replace(found, virtual_pipeline=v, stage_layers=np.ceil(self.layers / (found.pp * v)) * v)

    def summed(self, of_layers: Callable[[FloatArray], IndexArray]) -> IndexArray:
        """Return, for every frame, the sum over its numbers of a function of the fullest stage's layers."""
        pp = self.plain.pp
        # Frames of the same stages have the same numbers, so few sums differ.
        key, first, where = np.unique(
            self.first * (pp.max(initial=0) + 1) + pp, return_index=True, return_inverse=True
        )[:3]
        sums = np.zeros(len(key), dtype=np.int64)
        for index, row in enumerate(first):
            v = self.chunks[self.first[row] : self.first[row] + self.count[row]]
            sums[index] = of_layers(np.ceil(self.layers / (pp[row] * v)) * v).sum()
        return sums[where]


def _family(
    problem: Problem, splits: _Splits, batches: _Batches, row: IndexArray, chunks: FloatArray
) -> Family:
    """Return every way to meet the batch with the schedules of its split; `row` is in rising order."""
    counts = np.bincount(row, minlength=len(splits)).astype(np.int64)
    starts = np.cumsum(counts) - counts
    layers, at = problem.architecture.layers, batches.row
    pp = splits.pp[at]
    plain = Frames(
        tp=splits.tp[at],
        pp=pp,
        cp=splits.cp[at],
        ep=splits.ep[at],
        dp=batches.dp,
        micro_batch_size=batches.micro,
        micro_batches=batches.micro_batches,
        virtual_pipeline=np.ones(len(at)),
        stage_layers=np.ceil(layers / pp),
    )
    return Family(layers, plain, starts[at], counts[at], chunks)


def families(
    problem: Problem, devices: int, pins: LayoutPins, space: Space, rejected: dict[str, int]
) -> list[Family]:
    """Return all frames on at most `devices` devices; what falls is counted by reason in `rejected`."""
    splits = _splits(problem, devices, pins, space, rejected)
    micros = _options(pins.micro_batch_size, micro_options(problem, space))
    ones = np.ones(len(splits))
    found: list[Family] = []
    if pins.virtual_pipeline in {None, 1}:
        plain = _batches(problem, splits, devices, micros, ones, rejected)
        found.append(_family(problem, splits, plain, np.arange(len(splits)), ones))
    row, chunks = _chunks(problem, splits, pins, space, rejected)
    if len(row):
        kept, where = np.unique(row, return_inverse=True)
        inner = _Splits(*(getattr(splits, one.name)[kept] for one in fields(_Splits)))
        interleaved = _batches(problem, inner, devices, micros, inner.pp, rejected)
        found.append(_family(problem, inner, interleaved, where, chunks))
    return found


def frames(
    problem: Problem, devices: int, pins: LayoutPins, space: Space, rejected: dict[str, int]
) -> Frames:
    """Return all frames of all families as one list."""
    return joined([one.expanded() for one in families(problem, devices, pins, space, rejected)])


def joined(parts: Sequence[Frames]) -> Frames:
    """Return lists of frames as one."""
    if not parts:
        return Frames(*(np.zeros(0) for _ in fields(Frames)))
    return Frames(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Frames)))


@dataclass(frozen=True, slots=True)
class States:
    """Placements of states for every frame: options by frames."""

    group: FloatArray
    """Ranks of one group of shards; infinite: all that hold the same parameters."""
    divides: BoolArray
    """Whether the group divides the ranks, and is another than that of any other option."""
    launches: BoolArray
    """Whether the stack combines the ZeRO stage with the pipeline."""

    @property
    def exists(self) -> BoolArray:
        """Return which placements exist."""
        return self.divides & self.launches


def states_of(problem: Problem, found: Frames, options: Sequence[StateOption]) -> States:
    """Return the ranks of one group of shards for every option and frame, and which exist.

    A group divides the ranks that hold the same parameters and has at least two.
    """
    ranks = (found.dp * found.cp)[None, :]
    copies = np.array([float(one.copies) for one in options])[:, None]
    # Ranks of one scale-up domain hold the shards together, and every domain has a copy.
    near = np.maximum(problem.domain // found.tp, 1.0)[None, :]
    group = np.where(copies == ONE_DOMAIN, near, ranks / np.maximum(copies, 1.0))
    pinned = np.array([float(one.group or 0) for one in options])[:, None]
    group = np.where(pinned > 0, pinned, group)
    # 13 ranks in two copies would leave half a rank: ranks % group alone does not see that.
    whole = (np.floor(group) == group) & (ranks % group == 0)
    proper = whole & (group >= _LEAST_GROUP) & (group < ranks)
    # Copies by domain may come to a number of copies that is tried anyway; they count once.
    apart: BoolArray = (copies != ONE_DOMAIN) | ~np.isin(ranks / group, copies)
    free: BoolArray = (copies == 1) | proper
    divides: BoolArray = np.where(pinned > 0, proper | (pinned == ranks), free) & apart
    staged = np.array([one.zero_stage >= _GRADIENTS_SHARDED for one in options])[:, None]
    together = problem.device.stack.pipeline_with_zero3
    launches = np.broadcast_to(~staged | (found.pp == 1)[None, :] | together, divides.shape)
    return States(np.where((copies == 1) & (pinned == 0), np.inf, group), divides, launches)


@dataclass(frozen=True, slots=True)
class Grid:
    """Frames with the options of each, as arrays that broadcast.

    The axes are the placements of states, sequence parallelism, recomputation and frames; the longest is the
    last.
    """

    layouts: LayoutArrays
    valid: BoolArray
    """Which combinations exist."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the grid."""
        return self.valid.shape


def grid_of(  # noqa: PLR0913 - one argument a dimension
    problem: Problem,
    found: Frames,
    options: Sequence[StateOption],
    level: Levels,
    *,
    without_sequence_parallel: bool = False,
    pinned: bool | None = None,
) -> Grid:
    """Return frames with every option.

    Sequence parallelism is on, unless it is pinned off, and also tried off where that is asked for. Without
    tensor parallelism there is nothing to split around norms, and one layout instead of two.
    """
    placed = states_of(problem, found, options)
    modes = [True, False] if without_sequence_parallel and pinned is None else [pinned is not False]
    split, on = found.tp > 1, np.array(modes).reshape(1, -1, 1, 1)
    first = (np.arange(len(modes)) == 0).reshape(1, -1, 1, 1)

    def of_states(values: list[int]) -> FloatArray:
        return np.array(values, dtype=np.float64).reshape(-1, 1, 1, 1)

    layouts = LayoutArrays(
        tp=found.tp,
        pp=found.pp,
        cp=found.cp,
        dp=found.dp,
        ep=found.ep,
        micro_batch_size=found.micro_batch_size,
        micro_batches=found.micro_batches,
        virtual_pipeline=found.virtual_pipeline,
        recompute=level.mode.reshape(1, 1, -1, 1),
        recompute_layers=level.layers[None, None],
        zero_stage=of_states([one.zero_stage for one in options]),
        shard_group=placed.group[:, None, None, :],
        sequence_parallel=(on & split).astype(np.float64),
        offload=of_states([one.offload for one in options]),
        # All options have the same number, so that the loss needs no axis for them.
        loss_chunks=of_states([options[0].loss_chunks]),
    )
    valid = placed.exists[:, None, None, :] & ((first | split) & level.valid[None, None])
    return Grid(layouts, valid)
