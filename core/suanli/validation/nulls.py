"""Null models: what would be predicted by a constant efficiency, learnt from other runs only.

An estimator earns its keep by what it is better than these. The constant of a run is the median of the runs
of all *other* split groups, so that a run is never predicted from itself or from its siblings.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from suanli.validation.schema import RunRecord

__all__ = [
    "FloatArray",
    "constant_null",
    "efficiency_class",
    "median_null",
    "null_keys",
    "precision_class",
]

FloatArray: TypeAlias = "NDArray[np.float64]"

_PRECISION_CLASSES = {
    "bf16": "16-bit",
    "fp16": "16-bit",
    "int4-weights+fp16": "16-bit",
    "int8-weights+fp16": "16-bit",
    "fp8": "8-bit",
    "mxfp8": "8-bit",
    "fp4": "4-bit",
    "nvfp4": "4-bit",
}


def precision_class(precision: str | None) -> str:
    """Return the width of the matrix products, which decides the peak.

    >>> precision_class("mxfp8"), precision_class("int4-weights+fp16"), precision_class(None)
    ('8-bit', '16-bit', 'unknown')
    """
    return _PRECISION_CLASSES.get(precision or "", "unknown")


def efficiency_class(record: RunRecord) -> str:
    """Return ``lora``, ``moe`` or ``dense``: kinds of work whose utilisation differs on the same chip."""
    if record.task in {"lora", "qlora"}:
        return "lora"
    return "moe" if record.model.family == "moe" else "dense"


def null_keys(record: RunRecord) -> tuple[Hashable, ...]:
    """Return the keys of a run for the null model, the finest first.

    They are (chip, width, class) and everything; the coarse one is used where no other group has a run with
    the fine one. A step between, (chip, width), predicts experts from dense models and errs more.
    """
    chip, width = record.accelerator, precision_class(record.precision)
    return ((chip, width, efficiency_class(record)), ())


def median_null(
    measured: FloatArray,
    basis: FloatArray,
    groups: Sequence[str],
    keys: Sequence[Sequence[Hashable]],
) -> FloatArray:
    """Predict each run by its basis and the median ratio of the runs of other groups that are most like it.

    Equation:
        y_i = q_i · median{ x_j / q_j : g_j ≠ g_i, key_j = key_i }, with the first key of i that any j has

    Args:
        measured: x, measured values, positive.
        basis: q, a quantity that the value would be proportional to at constant efficiency, positive; NaN
            where it is unknown, which neither gives nor takes.
        groups: g, split groups.
        keys: for each run its keys, the finest first; the same number for every run.

    Returns:
        y, with NaN where the basis is unknown or no other group has a run.

    >>> x, q = np.array([40.0, 60.0, 90.0]), np.array([100.0, 100.0, 300.0])
    >>> median_null(x, q, ["a", "b", "b"], [[()]] * 3).round(6).tolist()
    [45.0, 40.0, 120.0]
    """
    ratio = measured / basis
    runs: list[int] = np.flatnonzero(np.isfinite(ratio)).tolist()
    names = np.asarray(groups, dtype=object)
    members: defaultdict[tuple[int, Hashable], list[int]] = defaultdict(list)
    for run in runs:
        for rung, key in enumerate(keys[run]):
            members[rung, key].append(run)
    predicted = np.full(len(ratio), np.nan)
    for run in runs:
        for rung, key in enumerate(keys[run]):
            like = np.asarray(members[rung, key], dtype=np.intp)
            others = like[names[like] != names[run]]
            if others.size:
                predicted[run] = basis[run] * float(np.median(ratio[others]))
                break
    return predicted


def constant_null(measured: FloatArray, basis: FloatArray, groups: Sequence[str]) -> FloatArray:
    """Predict each run by one efficiency for everything: the median over all runs of other groups."""
    return median_null(measured, basis, groups, [((),)] * len(groups))
