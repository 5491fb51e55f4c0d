"""Share of wall-clock time that makes progress: failures, checkpoints, restarts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, expm1, sqrt
from typing import TYPE_CHECKING, Final

from suanli.domain.units import S_PER_DAY
from suanli.estimation.results import Goodput

if TYPE_CHECKING:
    from suanli.domain.figure import Number, Seconds
    from suanli.domain.market import Reliability
    from suanli.domain.workload import ReliabilityWish, StorageWish

__all__ = [
    "ASYNCHRONOUS_STALL_S",
    "BACKGROUND_WRITE_S",
    "DEFAULT_FAILURES",
    "FailureModel",
    "as_stated",
    "checkpoint_bytes",
    "checkpoint_parts",
    "daly_interval_s",
    "failure_model",
    "failure_rate",
    "goodput",
    "mean_time_between_s",
    "wall_per_progress",
    "young_interval_s",
]

_WEIGHT_BYTES, _MASTER_BYTES, _MOMENT_BYTES = 2.0, 4.0, 8.0
"""Per trained parameter: 16-bit weight, 32-bit master copy, both moments. Gradients are not kept."""
_RATE_KEY = "per_1000_device_days"
ASYNCHRONOUS_STALL_S: Final = 5.0
"""Stall of an asynchronous checkpoint: states are copied to host memory, then training goes on."""
BACKGROUND_WRITE_S: Final = 300.0
"""Time in which an asynchronous checkpoint is written from host memory to the storage."""


@dataclass(frozen=True, slots=True)
class FailureModel:
    """How often a device interrupts the job, and what an interruption costs."""

    failures_per_1000_device_days: float
    source: str
    checkpoint_write_s: float = 30.0
    """Time that training stands still for one checkpoint."""
    restart_s: float = 300.0
    """From the failure to the first new step: detection, replacement by a spare, loading."""
    background_write_s: float = 0.0
    """Time until a checkpoint is safe after training went on; 0 where training waits for the whole write."""


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


def as_stated(failures: FailureModel, storage: StorageWish, reliability: ReliabilityWish) -> FailureModel:
    """Return a failure model with what the project states about checkpoints and failures in its place."""
    stall_s, background_s = failures.checkpoint_write_s, failures.background_write_s
    if storage.asynchronous:
        stall_s, background_s = ASYNCHRONOUS_STALL_S, storage.checkpoint_write_s or BACKGROUND_WRITE_S
    rate = reliability.interruptions_per_1000_device_days
    return replace(
        failures,
        failures_per_1000_device_days=failures.failures_per_1000_device_days if rate is None else rate,
        source=failures.source if rate is None else "",
        checkpoint_write_s=storage.checkpoint_stall_s or stall_s,
        restart_s=reliability.restart_s or failures.restart_s,
        background_write_s=background_s,
    )


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


def daly_interval_s(write_s: float, mtbf_s: float) -> float:
    """Return Daly's estimate of the interval that loses least time, good up to large write times.

    Equation: τ = √(2CM)·[1 + √(C/2M)/3 + (C/2M)/9] − C for C < 2M, else M. τ is the time of work between two
    checkpoints; symbols as in `young_interval_s`.

    Range of validity: any C and M; failures at random (exponential).

    Raises:
        ValueError: a time is not positive.

    Source: Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", 2006,
    equation 37.

    >>> round(daly_interval_s(50.0, 10_000.0), 1)
    966.9
    """
    if write_s <= 0 or mtbf_s <= 0:
        raise ValueError("the checkpoint time and the mean time between interruptions must be positive")
    if write_s >= 2 * mtbf_s:
        return mtbf_s
    ratio = write_s / (2 * mtbf_s)
    return sqrt(2 * write_s * mtbf_s) * (1 + sqrt(ratio) / 3 + ratio / 9) - write_s


def wall_per_progress(interval_s: float, write_s: float, restart_s: float, mtbf_s: float) -> float:
    """Return wall-clock time per unit of progress, failures during writes and restarts included.

    Equation: W = M·e^(R/M)·(e^((τ + C)/M) − 1)/τ. τ: work between two checkpoints, C: write, R: restart,
    M: mean time between interruptions, all in s. The cost that `young_interval_s` and `daly_interval_s` make
    small; exact for failures at random.

    Range of validity: times positive, R and τ + C not far above M.

    Raises:
        ValueError: the interval or the mean time between interruptions is not positive.

    Source: Daly, 2006, section 3, the complete cost function.

    >>> round(wall_per_progress(1000.0, 50.0, 300.0, 10_000.0), 4)
    1.1408
    """
    if interval_s <= 0 or mtbf_s <= 0:
        raise ValueError("the interval and the mean time between interruptions must be positive")
    return mtbf_s * exp(restart_s / mtbf_s) * expm1((interval_s + write_s) / mtbf_s) / interval_s


def mean_time_between_s(failures_per_1000_device_days: float, accelerators: int) -> float:
    """Return the mean time between interruptions of a job, M = 1000 days/(φ·n).

    >>> round(mean_time_between_s(0.474, 16384))
    11125
    """
    return 1000.0 * S_PER_DAY / (failures_per_1000_device_days * accelerators)


def checkpoint_parts(trainable_parameters: float) -> tuple[tuple[str, float], ...]:
    """Return the bytes of one checkpoint by what they hold: weights, master copy, both moments.

    >>> checkpoint_parts(1e9)
    (('weights', 2000000000.0), ('master', 4000000000.0), ('moments', 8000000000.0))
    """
    return (
        ("weights", _WEIGHT_BYTES * trainable_parameters),
        ("master", _MASTER_BYTES * trainable_parameters),
        ("moments", _MOMENT_BYTES * trainable_parameters),
    )


def checkpoint_bytes(trainable_parameters: float) -> float:
    """Return the size of one checkpoint: 14 bytes for each trained parameter.

    Adapters are all that LoRA trains, so that their checkpoint is that of the adapters alone.

    >>> checkpoint_bytes(70e9) / 1e9
    980.0
    """
    return (_WEIGHT_BYTES + _MASTER_BYTES + _MOMENT_BYTES) * trainable_parameters


def goodput(
    accelerators: int, ideal_s: float, trainable_parameters: float, failures: FailureModel = DEFAULT_FAILURES
) -> Goodput:
    """Return the effective share of a run and why the rest is lost.

    With τ = √(2CM), the losses per unit of progress are C/τ (checkpoints), (τ/2 + B)/M (work since the last
    safe one) and R/M (restarts); each is shown as its share of wall-clock time, so that the effective share
    is 1/(1 + Σ) and stays between 0 and 1 for any cluster. B is the background write of an asynchronous
    checkpoint, which τ never falls below: the next one starts when the last is safe.

    Source: Young, 1974; Daly, "A higher order estimate of the optimum checkpoint interval", 2006, section 2.

    >>> round(goodput(16384, 54 * 86400.0, 405e9).share, 2)
    0.91
    """
    mtbf_s = mean_time_between_s(failures.failures_per_1000_device_days, accelerators)
    background_s = failures.background_write_s
    interval_s = max(young_interval_s(failures.checkpoint_write_s, mtbf_s), background_s)
    losses = (
        failures.checkpoint_write_s / interval_s,
        (interval_s / 2 + background_s) / mtbf_s,
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
        background_write_s=background_s,
    )
