"""Layouts as a structure of arrays: one array per dimension, of shapes that broadcast against each other.

A list of layouts has one axis. A grid has an axis for every group of dimensions that vary together, so that
a term of the estimate is computed only over the dimensions it depends on and spreads over the others by
broadcasting; the formulas are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from suanli.domain.workload import Offload, Recompute
from suanli.estimation.results import Layout

__all__ = ["OFFLOAD_CODES", "RECOMPUTE_CODES", "BoolArray", "FloatArray", "IndexArray", "LayoutArrays"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

RECOMPUTE_CODES: Final = (Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL)
"""Recompute modes by the number that stands for them in an array, in order of falling memory."""

OFFLOAD_CODES: Final = (Offload.NONE, Offload.OPTIMIZER, Offload.WEIGHTS)
"""Offload modes by the number that stands for them in an array."""


@dataclass(frozen=True, slots=True)
class LayoutArrays:
    """Candidate layouts, in arrays that broadcast; whole numbers are kept as floats for speed."""

    tp: FloatArray
    pp: FloatArray
    cp: FloatArray
    dp: FloatArray
    ep: FloatArray
    micro_batch_size: FloatArray
    micro_batches: FloatArray
    virtual_pipeline: FloatArray
    recompute: FloatArray
    """Index into `RECOMPUTE_CODES`."""
    recompute_layers: FloatArray
    """Layers of a stage that full recomputation covers; infinite means all."""
    zero_stage: FloatArray
    shard_group: FloatArray
    """Ranks over which ZeRO spreads states; infinite means all that hold the same data."""
    sequence_parallel: FloatArray
    """1 or 0."""
    offload: FloatArray
    """Index into `OFFLOAD_CODES`."""
    loss_chunks: FloatArray
    """Pieces in which the loss works through the logits of a micro-batch."""

    def __len__(self) -> int:
        """Return the number of layouts."""
        size = 1
        for length in self.shape:
            size *= length
        return size

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the whole grid."""
        return np.broadcast_shapes(*(getattr(self, one.name).shape for one in fields(self)))

    @property
    def devices(self) -> FloatArray:
        """Return the devices of each layout, as software sees them."""
        return self.tp * self.pp * self.cp * self.dp

    @property
    def batch_size(self) -> FloatArray:
        """Return the sequences of one optimizer step."""
        return self.micro_batch_size * self.dp * self.micro_batches

    @property
    def replicas(self) -> FloatArray:
        """Return the ranks that hold the same parameters: data and context parallel together."""
        return self.dp * self.cp

    @property
    def shards(self) -> FloatArray:
        """Return the ranks over which states are sharded."""
        return np.minimum(self.replicas, self.shard_group)

    @property
    def norm_split(self) -> FloatArray:
        """Return what divides the activations around norms: tp under sequence parallelism, else 1."""
        return np.where(self.sequence_parallel > 0, self.tp, 1.0)

    @property
    def expert_tp(self) -> FloatArray:
        """Return the tensor parallelism of routed experts: 1 where experts are spread, else tp."""
        return np.where(self.ep > 1, 1.0, self.tp)

    @property
    def expert_replicas(self) -> FloatArray:
        """Return the ranks that hold the same experts."""
        return np.maximum(self.tp * self.cp * self.dp / (self.ep * self.expert_tp), 1.0)

    @property
    def expert_shards(self) -> FloatArray:
        """Return the ranks over which the states of experts are sharded."""
        return np.minimum(self.expert_replicas, self.shard_group)

    def take(self, chosen: IndexArray | BoolArray | slice) -> LayoutArrays:
        """Return the chosen layouts of a list."""
        return LayoutArrays(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def at(self, index: int) -> LayoutArrays:
        """Return one layout of a grid as a list of one, by its index in the flattened grid."""
        where = np.unravel_index(index, self.shape)
        columns = (np.broadcast_to(getattr(self, field.name), self.shape)[where] for field in fields(self))
        return LayoutArrays(*(np.array([column]) for column in columns))

    def layout(self, index: int) -> Layout:
        """Return one layout of a list as a record."""
        group, layers = float(self.shard_group[index]), float(self.recompute_layers[index])
        return Layout(
            tp=int(self.tp[index]),
            pp=int(self.pp[index]),
            cp=int(self.cp[index]),
            dp=int(self.dp[index]),
            ep=int(self.ep[index]),
            micro_batch_size=int(self.micro_batch_size[index]),
            micro_batches=int(self.micro_batches[index]),
            virtual_pipeline=int(self.virtual_pipeline[index]),
            recompute=RECOMPUTE_CODES[int(self.recompute[index])],
            zero_stage=int(self.zero_stage[index]),
            sequence_parallel=bool(self.sequence_parallel[index]),
            recompute_layers=int(layers) if np.isfinite(layers) else None,
            shard_group=int(group) if np.isfinite(group) else None,
            offload=OFFLOAD_CODES[int(self.offload[index])],
            loss_chunks=int(self.loss_chunks[index]),
        )

    @classmethod
    def of(cls, *layouts: Layout) -> LayoutArrays:
        """Gather single layouts."""
        rows = [
            (
                layout.tp,
                layout.pp,
                layout.cp,
                layout.dp,
                layout.ep,
                layout.micro_batch_size,
                layout.micro_batches,
                layout.virtual_pipeline,
                RECOMPUTE_CODES.index(layout.recompute),
                np.inf if layout.recompute_layers is None else layout.recompute_layers,
                layout.zero_stage,
                np.inf if layout.shard_group is None else layout.shard_group,
                layout.sequence_parallel,
                OFFLOAD_CODES.index(layout.offload),
                layout.loss_chunks,
            )
            for layout in layouts
        ]
        return cls(*np.array(rows, dtype=np.float64).T)
