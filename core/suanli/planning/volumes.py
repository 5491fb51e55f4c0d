"""What a cluster has to store: data, checkpoints, milestones, weights, logs, the users' own files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_TB
from suanli.domain.workload import Task
from suanli.estimation.goodput import checkpoint_parts
from suanli.planning import defaults
from suanli.planning import defaults_storage as rules
from suanli.planning.storage_results import TierKind, Volume, VolumeKind

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Sizing

__all__ = [
    "placed",
    "recovery_checkpoints",
    "source_bytes",
    "token_id_bytes",
    "tokenised_bytes",
    "volumes_of",
    "weight_bytes",
]

_COLD = frozenset({VolumeKind.SOURCE, VolumeKind.MILESTONES, VolumeKind.RELEASED, VolumeKind.LOGS})
"""Kinds that are written once and read seldom."""
_WEIGHT_BYTES = 2.0
"""Bytes of one weight as it is released and loaded: 16 bit."""


def token_id_bytes(vocabulary: int) -> float:
    """Return the bytes of one token id on disk: 16 bits up to 65,536 entries, 32 bits beyond.

    >>> token_id_bytes(32_000), token_id_bytes(152_064)
    (2.0, 4.0)
    """
    return 2.0 if vocabulary <= rules.NARROW_VOCABULARY else defaults.TOKEN_ID_BYTES


def tokenised_bytes(tokens: float, epochs: float, vocabulary: int) -> float:
    """Return the bytes of the token ids of every distinct token, D = T/e·b.

    Args:
        tokens: tokens of a run over all epochs.
        epochs: passes over the data, of which one is stored.
        vocabulary: entries of the vocabulary, which decide the bytes b of an id.

    >>> tokenised_bytes(2e12, 1, 152_064) / 1e12
    8.0
    """
    return tokens / max(epochs, 1.0) * token_id_bytes(vocabulary)


def source_bytes(tokens: float, epochs: float) -> float:
    """Return the bytes of the text behind the tokens, about 4 bytes a token.

    >>> source_bytes(2e12, 1) / 1e12
    8.0
    """
    return tokens / max(epochs, 1.0) * defaults.RAW_TEXT_BYTES_PER_TOKEN


def weight_bytes(parameters: float) -> float:
    """Return the bytes of a model's weights in 16 bit.

    >>> weight_bytes(70e9) / 1e9
    140.0
    """
    return _WEIGHT_BYTES * parameters


def recovery_checkpoints(requirement: Requirement) -> int:
    """Return the checkpoints kept for recovery: the project's, else the planning default."""
    kept = requirement.storage.checkpoints_kept
    return rules.CHECKPOINTS_KEPT if kept is None else kept


def volumes_of(sizing: Sizing, requirement: Requirement, servers: int) -> tuple[Volume, ...]:
    """Return every volume that holds something, all on the flash; `placed` moves the cold ones.

    Args:
        sizing: the cluster at work.
        requirement: model, data, runs a year, horizon and what the project states of storage.
        servers: training servers, spares included.
    """
    return tuple(
        volume
        for volume in (*_data(sizing, requirement), *_checkpoints(sizing, requirement), *_files(servers))
        if volume.stored_bytes > 0
    )


def placed(volumes: tuple[Volume, ...]) -> tuple[Volume, ...]:
    """Return the volumes, the cold ones on disks where there is enough of them for a second tier."""
    cold = sum(volume.stored_bytes for volume in volumes if volume.kind in _COLD)
    if cold < rules.CAPACITY_TIER_FROM_TB * BYTES_PER_TB:
        return volumes
    return tuple(
        Volume(volume.kind, TierKind.CAPACITY, volume.stored_bytes, volume.count)
        if volume.kind in _COLD
        else volume
        for volume in volumes
    )


def _on_flash(kind: VolumeKind, stored: float, count: int = 1) -> Volume:
    return Volume(kind, TierKind.PERFORMANCE, stored, count)


def _data(sizing: Sizing, requirement: Requirement) -> tuple[Volume, ...]:
    job, wish = requirement.workload, requirement.storage
    text = source_bytes(sizing.tokens, job.epochs)
    source = text if wish.source_data_bytes is None else wish.source_data_bytes
    # Cleaning and tokenising write the text once more before it is thrown away.
    scratch = text if wish.scratch_bytes is None else wish.scratch_bytes
    vocabulary = requirement.model.architecture.vocab_size
    return (
        _on_flash(VolumeKind.TOKENISED, tokenised_bytes(sizing.tokens, job.epochs, vocabulary)),
        _on_flash(VolumeKind.SOURCE, source),
        _on_flash(VolumeKind.SCRATCH, scratch),
    )


def _checkpoints(sizing: Sizing, requirement: Requirement) -> tuple[Volume, ...]:
    wish, one = requirement.storage, sizing.goodput.checkpoint_bytes
    # One more than is kept: the last is deleted only when the next is whole.
    recovery = recovery_checkpoints(requirement) + 1
    milestones = rules.MILESTONES if wish.milestones is None else wish.milestones
    profile, task = sizing.profile, requirement.workload.task
    runs = max(1, round(requirement.workload.runs_per_year * requirement.commercial.horizon_years))
    # Adapters are released as adapters; everything else as a whole model.
    released = min(
        weight_bytes(profile.total_parameters),
        dict(checkpoint_parts(profile.trainable_parameters))["weights"],
    )
    base = 0.0 if task is Task.PRETRAIN else weight_bytes(profile.total_parameters)
    return (
        _on_flash(VolumeKind.RECOVERY, recovery * one, recovery),
        _on_flash(VolumeKind.MILESTONES, milestones * one, milestones),
        _on_flash(VolumeKind.BASE_MODEL, base),
        _on_flash(VolumeKind.RELEASED, runs * released, runs),
    )


def _files(servers: int) -> tuple[Volume, ...]:
    logs = servers * rules.LOG_DAYS * rules.LOG_BYTES_PER_SERVER_DAY
    return (
        _on_flash(VolumeKind.LOGS, logs),
        _on_flash(VolumeKind.HOMES, servers * rules.HOME_BYTES_PER_SERVER, servers),
    )
