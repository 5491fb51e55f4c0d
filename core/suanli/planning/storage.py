"""Storage: data set, checkpoints, and the bandwidth that keeps them from stalling the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.planning import defaults
from suanli.planning.results import StoragePlan

if TYPE_CHECKING:
    from suanli.domain.hardware import Server
    from suanli.domain.workload import Workload
    from suanli.estimation.results import Sizing

__all__ = [
    "capacity_bytes",
    "checkpoint_write_bytes_per_s",
    "dataset_bytes",
    "kept_locally",
    "plan_storage",
]


def dataset_bytes(tokens: float, epochs: float) -> float:
    """Return the bytes of a training set: source text and token ids of every distinct token.

    D = T / e * (b_text + b_id) with T tokens of the run over all epochs, e epochs, and the bytes a token of
    `suanli.planning.defaults`.

    >>> dataset_bytes(2e12, 1) / 1e12
    16.0
    """
    return tokens / max(epochs, 1.0) * (defaults.RAW_TEXT_BYTES_PER_TOKEN + defaults.TOKEN_ID_BYTES)


def capacity_bytes(dataset: float, checkpoint: float, kept: int, fill_share: float) -> float:
    """Return the file system's capacity, C = (D + k * c) / f.

    Args:
        dataset: data set in bytes.
        checkpoint: one checkpoint in bytes.
        kept: checkpoints on the file system at one time.
        fill_share: share of the capacity that may be filled, above 0.

    >>> capacity_bytes(16e12, 1e12, 4, 0.8) / 1e12
    25.0
    """
    return (dataset + kept * checkpoint) / fill_share


def checkpoint_write_bytes_per_s(checkpoint: float, stall_s: float) -> float:
    """Return the bandwidth that writes one checkpoint within a stall.

    >>> checkpoint_write_bytes_per_s(1.2e12, 60) / 1e9
    20.0
    """
    return checkpoint / stall_s


def kept_locally(server: Server, servers: int, capacity: float) -> tuple[bool, bool]:
    """Return whether the servers' own drives hold everything, and whether these come with the server.

    Every server of a small cluster keeps a copy, so that no parallel file system is needed.

    Args:
        server: the server, whose drives may be known.
        servers: how many, spares included.
        capacity: bytes to keep, room to work included.
    """
    own = server.local_nvme is not None and not server.local_nvme.barred
    raw = server.local_nvme.si if own and server.local_nvme is not None else defaults.LOCAL_DRIVES_BYTES
    # Beyond a few servers, copies on each cost more than a file system and go out of step.
    local = servers <= defaults.SMALL_CLUSTER_SERVERS and capacity <= raw * defaults.LOCAL_USABLE_SHARE
    return local, local and own


def plan_storage(sizing: Sizing, workload: Workload, spares: int = 0) -> StoragePlan:
    """Return the storage of a sizing and its spare servers.

    The write bandwidth is the one behind the sizing's own checkpoint time, so that duration and storage
    agree. Reading serves the restart, which may take a stated share of the restart time, and the data
    loaders, whichever asks for more.
    """
    goodput = sizing.goodput
    dataset = dataset_bytes(sizing.tokens, workload.epochs)
    stall_s = goodput.checkpoint_write_s or defaults.CHECKPOINT_STALL_S
    write = checkpoint_write_bytes_per_s(goodput.checkpoint_bytes, stall_s)
    # The fast end of the estimate: a data loader that limits the run would spoil the rest.
    loaders = sizing.tokens_per_s_per_accelerator.p90 * sizing.accelerators * defaults.TOKEN_ID_BYTES
    restart_s = goodput.restart_s * defaults.RESTART_READ_SHARE
    restart = goodput.checkpoint_bytes / restart_s if restart_s > 0 else write
    kept = defaults.CHECKPOINTS_KEPT
    capacity = capacity_bytes(dataset, goodput.checkpoint_bytes, kept, defaults.STORAGE_FILL_SHARE)
    local, included = kept_locally(sizing.device.server, sizing.nodes + spares, capacity)
    return StoragePlan(
        dataset_bytes=dataset,
        checkpoint_bytes=goodput.checkpoint_bytes,
        checkpoints_kept=kept,
        capacity_bytes=capacity,
        write_bytes_per_s=write,
        read_bytes_per_s=max(loaders, restart),
        local=local,
        drives_included=included,
    )
