"""Reads the layout of a published run by the habits of its stack; what stays unknown is None."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from suanli.domain.workload import LayoutPins, Recompute
from suanli.estimation.pins import divisors
from suanli.validation.stacks import Habits, Schedule, habits_of

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture
    from suanli.domain.vendor import SoftwareStack
    from suanli.validation.schema import RunRecord

__all__ = ["Evidence", "Options", "World", "options_of", "recompute_of", "sharding_of"]

_NO_RECOMPUTE: Final = frozenset({"none", "no", "off", "false", "disabled"})
_NOT_SHARDED: Final = frozenset({"no_shard", "none", "no", "false", "0", "1"})
_COUNTED: Final = re.compile(r"(?:layers|first)\s*:?\s*(\d+)|(\d+)\s*(?:layers|blocks)")


class Evidence(StrEnum):
    """How much of the layout a record states: the classes that ranges are drawn from."""

    LAYOUT_KNOWN = "layout-known"
    """Tensor and pipeline parallelism, micro-batch and recomputation."""
    OPTIONS_UNKNOWN = "options-unknown"
    """Tensor and pipeline parallelism, not micro-batch or recomputation."""
    LAYOUT_UNKNOWN = "layout-unknown"


@dataclass(frozen=True, slots=True)
class World:
    """The devices of a run, as software sees them, and its batch."""

    devices: int
    per_node: int
    batch: int
    """Sequences of a step."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a record says of the layout."""

    pins: LayoutPins
    micro_batches: int | None
    """Micro-batches per step and pipeline; None where batch or micro-batch are unknown."""
    evidence: Evidence
    assumed: tuple[str, ...]
    """Fields that follow from the habits of the stack."""


def recompute_of(text: str | None, virtual_pipeline: int = 1) -> tuple[Recompute, int | None] | None:
    """Return the mode that a text means and the layers of a stage it covers; None where it means nothing.

    Where only some layers are recomputed in full it is the number of the fullest stage. The block method
    counts the layers of one chunk, of which a stage has as many as virtual stages. The uniform method names
    the size of the groups that all layers are recomputed in.

    >>> recompute_of("partial [8, 8, 7, 2]")
    (<Recompute.FULL: 'full'>, 8)
    >>> recompute_of("full, method uniform, layers 1"), recompute_of("on Tuesdays")
    ((<Recompute.FULL: 'full'>, None), None)
    """
    words = (text or "").strip().casefold()
    if words in _NO_RECOMPUTE:
        return Recompute.NONE, None
    if words.startswith("selective"):
        return Recompute.SELECTIVE, None
    if words.startswith("partial"):
        most = max((int(number) for number in re.findall(r"\d+", words)), default=0)
        return (Recompute.FULL, most) if most else None
    if not words.startswith("full"):
        return None
    counted = None if "uniform" in words else _COUNTED.search(words)
    if counted is None:
        return Recompute.FULL, None
    layers_of_chunk = int(counted[1] or counted[2])
    return Recompute.FULL, layers_of_chunk * (virtual_pipeline if "block" in words else 1)


def sharding_of(fsdp: str | None, zero_stage: int | None, per_node: int) -> tuple[int | None, int | None]:
    """Return the ZeRO stage and the shard group that a record states; None where it does not.

    A number under ``fsdp`` is the size of the group over which weights are sharded, and a hybrid spreads
    them over a node. Any other word that is not a refusal shards weights over all ranks.

    >>> sharding_of("FULL_SHARD", None, 8), sharding_of("64", None, 8), sharding_of(None, 1, 8)
    ((3, None), (3, 64), (1, None))
    >>> sharding_of("HYBRID_SHARD", None, 8), sharding_of("SHARD_GRAD_OP", None, 8)
    ((3, 8), (2, None))
    """
    word = (fsdp or "").strip().casefold()
    stage = zero_stage if zero_stage in range(4) else None
    if not word:
        return stage, None
    if word in _NOT_SHARDED:
        return stage or 0, None
    group = int(word) if word.isdecimal() else per_node if word.startswith("hybrid") else None
    return (2 if "grad" in word else 3), group


def options_of(record: RunRecord, stack: SoftwareStack, architecture: Architecture, world: World) -> Options:
    """Return the layout that a record states, completed by what its stack leaves unsaid."""
    devices, batch = world.devices, world.batch
    parallel, habits = record.parallel, habits_of(stack, record.source.family)
    tp, pp = parallel.tp or None, parallel.pp or None
    known = tp is not None and pp is not None
    cp = _context_ranks(record, devices, batch)
    dp = max(1, devices // (tp * pp * (cp or 1))) if tp and pp else None
    micro_batch = _micro_batch(record, habits, dp, batch)
    v = _virtual_pipeline(record, habits)
    stated = recompute_of(record.recompute, v or 1)
    mode, layers = stated or (habits.recompute, None)
    stage, group = _sharding(record, habits, world.per_node, dp, cp)
    optional = micro_batch is not None and stated is not None
    return Options(
        pins=LayoutPins(
            tp=tp,
            pp=pp,
            cp=cp,
            ep=_expert_ranks(record, architecture, optional=optional),
            micro_batch_size=micro_batch,
            virtual_pipeline=v,
            recompute=mode,
            recompute_layers=_within_stage(layers, architecture, pp),
            zero_stage=stage,
            shard_group=group,
            sequence_parallel=_sequence_parallel(record, habits),
        ),
        micro_batches=max(1, round(batch / (micro_batch * dp))) if micro_batch and dp else None,
        evidence=_evidence(known=known, optional=optional),
        assumed=("recompute",) if stated is None and mode is not None else (),
    )


def _evidence(*, known: bool, optional: bool) -> Evidence:
    if not known:
        return Evidence.LAYOUT_UNKNOWN
    return Evidence.LAYOUT_KNOWN if optional else Evidence.OPTIONS_UNKNOWN


def _context_ranks(record: RunRecord, devices: int, batch: int) -> int | None:
    """Return context parallelism: stated, else what dp leaves, else the least that the batch needs.

    A step has a sequence for each data-parallel rank at least, so that tp · pp · cp ≥ devices / batch.
    """
    parallel = record.parallel
    if parallel.cp or not parallel.tp or not parallel.pp:
        return parallel.cp or None
    replicas = max(1, devices // (parallel.tp * parallel.pp))
    # A record of packages derives dp from packages, so that dp is trusted only where it fits the batch.
    if parallel.dp and replicas % parallel.dp == 0 and record.num_accelerators == devices:
        return replicas // parallel.dp
    return next(ranks for ranks in divisors(replicas) if ranks * batch >= replicas)


def _micro_batch(record: RunRecord, habits: Habits, dp: int | None, batch: int) -> int | None:
    """Return the micro-batch: stated, or the one that the batch leaves; None where it is unknown.

    A stack that states the local batch splits it into one micro-batch for each stage. A number that would
    exceed the batch is none.
    """
    size, stages = record.micro_batch or None, record.parallel.pp or 1
    if size is not None and habits.local_batch and stages > 1:
        size = max(1, size // stages)
    if size is not None and dp is not None and size * dp > batch:
        size = None
    return 1 if size is None and dp is not None and dp == batch and record.global_batch.samples else size


def _virtual_pipeline(record: RunRecord, habits: Habits) -> int | None:
    """Return virtual stages: stated, 1 where the source would have said, None in tuned recipes."""
    stated, stages = record.parallel.virtual_pipeline or None, record.parallel.pp
    if stages == 1 or stated:
        return 1 if stages == 1 else stated
    if stages is None or habits.schedule is Schedule.TUNED:
        return None
    told = bool(record.micro_batch) and recompute_of(record.recompute) is not None
    return 1 if told or habits.schedule is Schedule.PLAIN else None


def _expert_ranks(record: RunRecord, architecture: Architecture, *, optional: bool) -> int | None:
    """Return expert parallelism: 1 for dense models and where the source tells its options but not this."""
    if architecture.moe is None:
        return 1
    told = optional and record.parallel.tp is not None
    return record.parallel.ep or (1 if told else None)


def _sequence_parallel(record: RunRecord, habits: Habits) -> bool | None:
    if record.parallel.tp == 1:
        return False
    stated = record.parallel.sequence_parallel
    return habits.sequence_parallel if stated is None and record.parallel.tp else stated


def _sharding(
    record: RunRecord, habits: Habits, per_node: int, dp: int | None, cp: int | None
) -> tuple[int | None, int | None]:
    stage, group = sharding_of(record.parallel.fsdp, record.parallel.zero_stage, per_node)
    if group is None and habits.shards_in_node and stage:
        group = per_node
    replicas = None if dp is None else dp * (cp or 1)
    # A group of all ranks is no group.
    return stage, None if group is None or (replicas is not None and group >= replicas) else group


def _within_stage(layers: int | None, architecture: Architecture, pp: int | None) -> int | None:
    """Return recomputed layers, or None where they are all that a stage has."""
    return None if layers is None or layers >= math.ceil(architecture.layers / (pp or 1)) else layers
