"""Layouts as a structure of arrays: one 1-D array per dimension, the layouts on the only axis."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from suanli.domain.workload import Recompute
from suanli.estimation.results import Layout

__all__ = ["RECOMPUTE_CODES", "BoolArray", "FloatArray", "IndexArray", "LayoutArrays"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

RECOMPUTE_CODES: Final = (Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL)
"""Recompute modes by the number that stands for them in an array, in order of falling memory."""


@dataclass(frozen=True, slots=True)
class LayoutArrays:
    """Candidate layouts. All arrays have the same length; whole numbers are kept as floats for speed."""

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
    zero_stage: FloatArray
    sequence_parallel: FloatArray
    """1 or 0."""

    def __len__(self) -> int:
        """Return the number of layouts."""
        return len(self.tp)

    @property
    def devices(self) -> FloatArray:
        """Return the devices of each layout, as software sees them."""
        return self.tp * self.pp * self.cp * self.dp

    @property
    def batch_size(self) -> FloatArray:
        """Return the sequences of one optimizer step."""
        return self.micro_batch_size * self.dp * self.micro_batches

    @property
    def shards(self) -> FloatArray:
        """Return the ranks over which states are sharded: data and context parallel together."""
        return self.dp * self.cp

    @property
    def norm_split(self) -> FloatArray:
        """Return what divides the activations around norms: tp under sequence parallelism, else 1."""
        return np.where(self.sequence_parallel > 0, self.tp, 1.0)

    @property
    def expert_tp(self) -> FloatArray:
        """Return the tensor parallelism of routed experts: 1 where experts are spread, else tp."""
        return np.where(self.ep > 1, 1.0, self.tp)

    @property
    def expert_shards(self) -> FloatArray:
        """Return the ranks that hold the same experts, over which their states are sharded."""
        return self.tp * self.cp * self.dp / (self.ep * self.expert_tp)

    def take(self, chosen: IndexArray | BoolArray | slice) -> LayoutArrays:
        """Return the chosen layouts."""
        return LayoutArrays(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def layout(self, index: int) -> Layout:
        """Return one layout as a record."""
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
                layout.zero_stage,
                layout.sequence_parallel,
            )
            for layout in layouts
        ]
        return cls(*np.array(rows, dtype=np.float64).T)
