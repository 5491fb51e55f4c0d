"""The space of layouts that a search looks at: which values of every dimension, at three depths.

The coarse space serves while a sizing looks for the size of the cluster. The regular one serves once the size
is known: every value that frameworks run as they are and that published runs stand for. The full one holds
every value of every dimension. All are evaluated by the same formulas, and each is a part of the next.
Policies of all, each of which a pin overrides:

* tp divides the attention heads, fits the key-value heads and the feed-forward width, and stays inside the
  scale-up domain;
* pp and virtual stages may leave the fullest stage at most 10 % above the mean (126 layers on 16 stages count
  as 128);
* cp is a power of two and keeps at least 2,048 tokens on a rank, 512 beyond the coarse space; ep divides the
  experts and the data-parallel side and is at most 64;
* the global batch is met within 5 %, because it is rounded to whole micro-batches on every rank;
* dp is the most that the devices give, and the most that meets the batch and its tolerance;
* stacks that shard weights without a pipeline use data parallelism alone; ZeRO-2 and 3 exclude a pipeline
  otherwise;
* states are offloaded to the host only where that is allowed and nothing fits without;
* the loss works on whole logits, since not every stack can do it in pieces: that takes a pin.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.domain.workload import Offload
from suanli.estimation.arrays import OFFLOAD_CODES, RECOMPUTE_CODES
from suanli.estimation.pins import divisors

if TYPE_CHECKING:
    from suanli.domain.workload import LayoutPins
    from suanli.estimation.arrays import BoolArray, FloatArray, IndexArray
    from suanli.estimation.problem import Problem

__all__ = [
    "BATCH_TOLERANCE",
    "COARSE",
    "FULL",
    "LOSS_CHUNKS",
    "ONE_DOMAIN",
    "REGULAR",
    "SPACES",
    "Depth",
    "Levels",
    "Space",
    "StateOption",
    "balanced",
    "chunk_options",
    "level_counts",
    "levels",
    "micro_options",
    "sharded_alone",
    "spans",
    "stage_options",
    "state_options",
]

BATCH_TOLERANCE: Final = 0.05
"""How far the global batch may be rounded to whole micro-batches on every rank."""
_IMBALANCE = 1.10
_MOST_STAGES = 64
_MOST_TOKENS = 131072
"""Tokens of one micro-batch above which only a micro-batch of one sequence is tried."""
_ZERO3 = 3
_FULL, _SELECTIVE, _NONE = 2, 1, 0
LOSS_CHUNKS: Final = 8
"""Pieces in which a loss works through the logits where it does so at all (the default of torchtune)."""
ONE_DOMAIN: Final = 0
"""Stands for the copies that leave one group of shards in every scale-up domain."""


class Depth(StrEnum):
    """How much of the space a search looks at."""

    COARSE = "coarse"
    REGULAR = "regular"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Space:
    """Values of the dimensions that are not split by divisibility alone."""

    micro_batches: tuple[int, ...]
    chunks: tuple[int, ...] | None
    """Virtual stages per device; None: every number."""
    every_stage_count: bool
    """Every number of pipeline stages, rather than divisors of the layers and powers of two."""
    recomputed: tuple[float, ...] | None
    """Shares of a stage's layers that are recomputed; None: every number of layers."""
    zero_stages: dict[str, tuple[int, ...]]
    """ZeRO stages by what the stack shards, its usual one first."""
    copies: dict[str, tuple[int, ...]]
    """Copies of the sharded states by what the stack shards."""
    least_context_tokens: int
    """Fewest tokens of a sequence on a context-parallel rank."""
    without_sequence_parallel: bool
    """Whether tensor parallelism is also tried without sequence parallelism, which always needs more."""
    even_chunks: bool = False
    """Whether virtual stages must divide the layers, as launchers ask that are not told layer by layer."""


_POWERS = tuple(1 << k for k in range(13))
COARSE: Final = Space(
    micro_batches=(1, 2, 4, 8, 16, 32),
    chunks=(1, 2, 3, 4, 5, 6, 8),
    every_stage_count=False,
    recomputed=(0.25, 0.5, 0.75),
    zero_stages={"distributed-optimizer": (1,), "fsdp": (3,), "zero": (1, 2, 3), "none": (0,)},
    copies={"fsdp": (1, ONE_DOMAIN)},
    least_context_tokens=2048,
    without_sequence_parallel=False,
)
FULL: Final = Space(
    micro_batches=tuple(range(1, 65)),
    chunks=None,
    every_stage_count=True,
    recomputed=None,
    zero_stages={"distributed-optimizer": (1, 0), "fsdp": (3, 2), "zero": (1, 2, 3, 0), "none": (0,)},
    copies={
        "distributed-optimizer": _POWERS,
        "fsdp": (1, ONE_DOMAIN, *_POWERS[1:]),
        "zero": _POWERS,
        "none": (1,),
    },
    least_context_tokens=512,
    without_sequence_parallel=True,
)
REGULAR: Final = replace(
    FULL,
    # Seventeen stages for eighty layers gain 2 or 3 % on paper; stacks want them spelt out layer by layer.
    every_stage_count=False,
    zero_stages={**FULL.zero_stages, "distributed-optimizer": (1,), "fsdp": (3,), "zero": (1, 2, 3)},
    # Copies of sharded states within a domain are common; other numbers have not been measured.
    copies={"fsdp": (1, ONE_DOMAIN)},
    without_sequence_parallel=False,
)
SPACES: Final = {Depth.COARSE: COARSE, Depth.REGULAR: REGULAR, Depth.FULL: FULL}


@dataclass(frozen=True, slots=True)
class StateOption:
    """Where weights, gradients and optimizer live: ZeRO stage, copies of the shards, offload."""

    zero_stage: int
    copies: int
    group: int | None
    """Pinned ranks of one group of shards; None: by the copies."""
    offload: int
    loss_chunks: int = 1


@dataclass(frozen=True, slots=True)
class Levels:
    """Recomputation: a mode for every level, and the layers of a stage it covers for every frame."""

    mode: FloatArray
    layers: FloatArray
    """Levels by frames; infinite: all."""
    valid: BoolArray


def sharded_alone(problem: Problem) -> bool:
    """Tell whether the stack splits the model by sharding its states and in no other way."""
    stack = problem.device.stack
    return stack.sharding in {"fsdp", "zero"} and not stack.pipeline_with_zero3


def balanced(layers: int, stages: FloatArray) -> BoolArray:
    """Tell for which numbers of stages the fullest is within the tolerance of the mean."""
    return (stages <= layers) & (np.ceil(layers / stages) * stages <= _IMBALANCE * layers)


def stage_options(problem: Problem, space: Space) -> tuple[int, ...]:
    """Return the numbers of pipeline stages to try."""
    layers = problem.architecture.layers
    most = min(_MOST_STAGES, layers)
    if space.every_stage_count:
        return tuple(range(1, most + 1))
    # Uneven stages are allowed within a tolerance, since 61 or 126 layers have too few divisors.
    powers = {1 << k for k in range(7)}
    return tuple(sorted(p for p in {*divisors(layers), *powers} if p <= most))


def chunk_options(problem: Problem, space: Space) -> tuple[int, ...]:
    """Return the virtual stages per device to try."""
    return space.chunks or tuple(range(1, problem.architecture.layers + 1))


def micro_options(problem: Problem, space: Space) -> tuple[int, ...]:
    """Return the sequences of a micro-batch to try."""
    batch, s = problem.workload.global_batch_size, problem.workload.sequence_length
    return tuple(b for b in space.micro_batches if b <= batch and (b == 1 or b * s <= _MOST_TOKENS))


def state_options(problem: Problem, space: Space, pins: LayoutPins, *, offload: bool) -> list[StateOption]:
    """Return the ways to place states, the stack's usual one first.

    They are those on the device, or those that use host memory; a pinned offload is followed in both cases.
    Logits are whole unless they are pinned in pieces.
    """
    kind = problem.device.stack.sharding
    stages = space.zero_stages.get(kind, (1,)) if pins.zero_stage is None else (pins.zero_stage,)
    copies = space.copies.get(kind, (1,)) if pins.shard_group is None else (1,)
    if pins.offload is not None:
        codes: tuple[int, ...] = (OFFLOAD_CODES.index(pins.offload),)
    else:
        codes = tuple(range(1, len(OFFLOAD_CODES))) if offload else (0,)
    return [
        StateOption(stage, number, pins.shard_group, code, pins.loss_chunks or 1)
        for code in codes
        for stage in stages
        for number in (copies if stage else (1,))
        if OFFLOAD_CODES[code] is not Offload.WEIGHTS or stage == _ZERO3
    ]


def levels(shares: tuple[float, ...] | None, pins: LayoutPins, stage_layers: FloatArray) -> Levels:
    """Return the levels of recomputation for frames whose fullest stage has some layers, the fastest first.

    A share stands for that many layers, rounded up; None for every number of layers. One that comes to all
    layers, or to the same number as another, is left out. Pinned full recomputation is that of all layers,
    unless their number is pinned too.
    """
    if pins.recompute_layers is not None:
        k = np.full((1, len(stage_layers)), float(pins.recompute_layers))
        return Levels(np.array([float(_FULL)]), k, k <= stage_layers)
    every = np.full((1, len(stage_layers)), np.inf)
    always = np.ones(every.shape, dtype=np.bool_)
    if pins.recompute is not None:
        return Levels(np.array([float(RECOMPUTE_CODES.index(pins.recompute))]), every, always)
    if shares is None:
        most = int(stage_layers.max(initial=1))
        partial = np.broadcast_to(np.arange(1.0, most)[:, None], (most - 1, len(stage_layers)))
        distinct = partial < stage_layers
    else:
        partial = np.ceil(np.array(shares, dtype=np.float64)[:, None] * stage_layers)
        before = np.concatenate([np.zeros((1, len(stage_layers))), partial])[:-1]
        distinct = (partial > before) & (partial < stage_layers)
    return Levels(
        mode=np.array([_NONE, _SELECTIVE, *[_FULL] * len(partial), _FULL], dtype=np.float64),
        layers=np.concatenate([every, every, partial, every]),
        valid=np.concatenate([always, always, distinct, always]),
    )


def level_counts(pins: LayoutPins, stage_layers: FloatArray) -> IndexArray:
    """Return how many levels of recomputation each frame has where every number of layers is one."""
    if pins.recompute_layers is not None:
        return (pins.recompute_layers <= stage_layers).astype(np.int64)
    if pins.recompute is not None:
        return np.ones(len(stage_layers), dtype=np.int64)
    # None, selective, and one for each number of layers.
    return stage_layers.astype(np.int64) + 2


def spans(pins: LayoutPins, stage_layers: FloatArray) -> tuple[Levels, list[int], list[int]]:
    """Return levels that enclose all others, and the spans between them.

    A span is a pair of levels: no level of it is faster than the first, and none needs less memory than the
    second. The first span holds no recomputation, the second the selective one, the others some layers each.
    """
    if pins.recompute_layers is not None or pins.recompute is not None:
        return levels((), pins, stage_layers), [0], [0]
    found = levels(COARSE.recomputed, pins, stage_layers)
    return found, [0, 1, 0, 2, 3, 4], [0, 1, 2, 3, 4, 5]
