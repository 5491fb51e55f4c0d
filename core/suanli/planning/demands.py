"""What asks the storage for bandwidth: checkpoints, restarts, data loading, evaluation, moving data about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.planning import defaults
from suanli.planning import defaults_storage as rules
from suanli.planning.storage_results import Demand, DemandKind, TierKind, VolumeKind
from suanli.planning.volumes import token_id_bytes, weight_bytes

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Sizing
    from suanli.planning.storage_results import Volume

__all__ = ["checkpoint_write_bytes_per_s", "demands_of", "write_time_s"]


def checkpoint_write_bytes_per_s(checkpoint: float, time_s: float) -> float:
    """Return the bandwidth that writes one checkpoint within a time.

    >>> checkpoint_write_bytes_per_s(1.2e12, 60) / 1e9
    20.0
    """
    return checkpoint / time_s


def write_time_s(sizing: Sizing) -> float:
    """Return the time in which one checkpoint must be written: the background write, else the stall."""
    goodput = sizing.goodput
    return goodput.background_write_s or goodput.checkpoint_write_s or defaults.CHECKPOINT_STALL_S


def demands_of(sizing: Sizing, requirement: Requirement, volumes: tuple[Volume, ...]) -> tuple[Demand, ...]:
    """Return the demands of a cluster on its tiers, those that are shown for comparison included."""
    tiers = {volume.kind: volume.tier for volume in volumes}
    return (*_training(sizing, requirement), *_moving(sizing, volumes, tiers))


def _timed(  # noqa: PLR0913 - the parts of a demand
    kind: DemandKind,
    size: float,
    time_s: float,
    *,
    write: bool,
    tier: TierKind = TierKind.PERFORMANCE,
    sizing: bool = True,
) -> Demand:
    rate = checkpoint_write_bytes_per_s(size, time_s)
    return Demand(kind, tier, size, time_s, rate, write, sizing)


def _training(sizing: Sizing, requirement: Requirement) -> tuple[Demand, ...]:
    goodput, layout, profile = sizing.goodput, sizing.layout, sizing.profile
    size, write_s = goodput.checkpoint_bytes, write_time_s(sizing)
    restart_s = goodput.restart_s * defaults.RESTART_READ_SHARE or write_s
    weights = weight_bytes(profile.total_parameters)
    # Frozen weights are not in the checkpoint, but are read with it.
    frozen = weight_bytes(profile.total_parameters - profile.trainable_parameters)
    copies = layout.dp if layout.zero_stage < 3 else 1  # noqa: PLR2004 - ZeRO-3 shards the weights
    bytes_each = token_id_bytes(requirement.model.architecture.vocab_size)
    # The fast end of the estimate: a data loader that limits the run would spoil the rest.
    loading = sizing.tokens_per_s_per_accelerator.p90 * sizing.accelerators * bytes_each
    read_once = size + frozen
    everyone = read_once + (copies - 1) * weights
    demands = (
        _timed(DemandKind.CHECKPOINT, size, write_s, write=True),
        _timed(DemandKind.RESTART, read_once, restart_s, write=False),
        _timed(DemandKind.REPLICAS, everyone, restart_s, write=False, sizing=False),
        Demand(DemandKind.LOADING, TierKind.PERFORMANCE, None, None, loading, write=False),
        _timed(DemandKind.EVALUATION, weights, rules.EVALUATION_LOAD_S, write=False),
    )
    return tuple(one for one in demands if one.kind is not DemandKind.REPLICAS or copies > 1)


def _moving(
    sizing: Sizing, volumes: tuple[Volume, ...], tiers: dict[VolumeKind, TierKind]
) -> tuple[Demand, ...]:
    """Return what arrives from outside and what is moved off the flash."""
    source = sum(volume.stored_bytes for volume in volumes if volume.kind is VolumeKind.SOURCE)
    moves: list[Demand] = []
    if source:
        tier = tiers[VolumeKind.SOURCE]
        moves.append(_timed(DemandKind.INGEST, source, rules.INGEST_S, write=True, tier=tier))
        moves.append(_timed(DemandKind.TOKENISING, source, rules.INGEST_S, write=False, tier=tier))
    if tiers.get(VolumeKind.MILESTONES) is TierKind.CAPACITY:
        size, copy_s = sizing.goodput.checkpoint_bytes, rules.MILESTONE_COPY_S
        moves.append(_timed(DemandKind.MILESTONE, size, copy_s, write=True, tier=TierKind.CAPACITY))
    return tuple(moves)
