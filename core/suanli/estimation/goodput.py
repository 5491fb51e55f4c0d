"""Share of wall-clock time that makes progress: failures, checkpoints, restarts."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Final

from suanli.domain.units import S_PER_DAY
from suanli.estimation.results import Goodput

if TYPE_CHECKING:
    from suanli.domain.figure import Number, Seconds
    from suanli.domain.market import Reliability

__all__ = [
    "DEFAULT_FAILURES",
    "FailureModel",
    "checkpoint_bytes",
    "failure_model",
    "failure_rate",
    "goodput",
    "young_interval_s",
]

_CHECKPOINT_BYTES_PER_PARAMETER = 14.0
"""16-bit weights, 32-bit master copy and both moments."""
_RATE_KEY = "per_1000_device_days"


@dataclass(frozen=True, slots=True)
class FailureModel:
    """How often a device interrupts the job, and what an interruption costs."""

    failures_per_1000_device_days: float
    source: str
    checkpoint_write_s: float = 30.0
    """Time that training stands still for one checkpoint."""
    restart_s: float = 300.0
    """From the failure to the first new step: detection, replacement by a spare, loading."""


DEFAULT_FAILURES: Final = FailureModel(0.474, "common-llama-3-paper")
"""419 unexpected interruptions of 16,384 devices in 54 days (Llama Team, "The Llama 3 Herd of Models", 2024,
section 3.3.4). The write and restart times are assumptions; with them the model gives 91 % for that run,
which reports "above 90 %"."""


def failure_rate(record: Reliability) -> Number | Seconds | None:
    """Return failures per 1,000 device-days of a published run, or None where the record holds no rate."""
    return record.figures.get(_RATE_KEY)


def failure_model(record: Reliability) -> FailureModel | None:
    """Return the failure model of a published run, or None where the record holds no rate."""
    figure = failure_rate(record)
    return None if figure is None else FailureModel(figure.si, figure.source)


def young_interval_s(write_s: float, mtbf_s: float) -> float:
    """Return the checkpoint interval that loses least time.

    Equation: τ = √(2 · C · M). C: time of one checkpoint in s; M: mean time between interruptions in s.

    Range of validity: C well below M.

    Raises:
        ValueError: a time is not positive.

    Source: Young, "A First Order Approximation to the Optimum Checkpoint Interval", 1974.

    >>> young_interval_s(50.0, 10_000.0)
    1000.0
    """
    if write_s <= 0 or mtbf_s <= 0:
        raise ValueError("the checkpoint time and the mean time between interruptions must be positive")
    return sqrt(2 * write_s * mtbf_s)


def checkpoint_bytes(trainable_parameters: float) -> float:
    """Return the size of one checkpoint: 14 bytes for each trained parameter.

    >>> checkpoint_bytes(70e9) / 1e9
    980.0
    """
    return _CHECKPOINT_BYTES_PER_PARAMETER * trainable_parameters


def goodput(
    accelerators: int, ideal_s: float, trainable_parameters: float, failures: FailureModel = DEFAULT_FAILURES
) -> Goodput:
    """Return the effective share of a run and why the rest is lost.

    With τ = √(2CM), the losses per unit of progress are C/τ (checkpoints), τ/2M (work since the last one) and
    R/M (restarts); each is shown as its share of wall-clock time, so that the effective share is 1/(1 + Σ)
    and stays between 0 and 1 for any cluster.

    Source: Young, 1974; Daly, "A higher order estimate of the optimum checkpoint interval", 2006, section 2.

    >>> round(goodput(16384, 54 * 86400.0, 405e9).share, 2)
    0.91
    """
    mtbf_s = 1000.0 * S_PER_DAY / (failures.failures_per_1000_device_days * accelerators)
    interval_s = young_interval_s(failures.checkpoint_write_s, mtbf_s)
    losses = (
        failures.checkpoint_write_s / interval_s,
        interval_s / (2 * mtbf_s),
        failures.restart_s / mtbf_s,
    )
    # Losses are per unit of progress. Adding them to 1, instead of taking them from it, keeps the share
    # positive for clusters that fail more often than they restart.
    wall = 1.0 + sum(losses)
    return Goodput(
        interruptions=ideal_s * wall / mtbf_s,
        mtbf_s=mtbf_s,
        checkpoint_bytes=checkpoint_bytes(trainable_parameters),
        checkpoint_interval_s=interval_s,
        checkpoint_write_s=failures.checkpoint_write_s,
        restart_s=failures.restart_s,
        checkpoint_share=losses[0] / wall,
        lost_work_share=losses[1] / wall,
        restart_share=losses[2] / wall,
        failure_source=failures.source,
    )
