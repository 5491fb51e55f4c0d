"""The search: every layout on a number of devices, pruned by divisibility and memory, ranked by time.

Candidates are index grids of NumPy arrays, never a Python loop over layouts. What falls is counted by reason.
Policies of the search, each of which a pin overrides:

* tp divides the attention heads, fits the key-value heads and the feed-forward width, and stays inside the
  scale-up domain;
* pp and virtual stages may leave the fullest stage at most 10 % above the mean (126 layers on 16 stages count
  as 128);
* cp keeps at least 2,048 tokens on a rank; ep divides the experts and the data-parallel side and is at most
  64;
* the global batch is met within 5 %, because it is rounded to whole micro-batches on every rank;
* stacks that shard weights without a pipeline use data parallelism alone; ZeRO-2 and 3 exclude a pipeline
  otherwise;
* of the recomputation levels only the least that fits is timed, since every further level is slower.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.domain.workload import LayoutPins
from suanli.errors import Fault, InputError
from suanli.estimation.arrays import RECOMPUTE_CODES, BoolArray, FloatArray, IndexArray, LayoutArrays
from suanli.estimation.memory import RESERVE_SHARE, memory, usable_memory
from suanli.estimation.step_time import StepArrays, step_arrays

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture
    from suanli.estimation.problem import Problem

__all__ = ["BATCH_TOLERANCE", "Limits", "Search", "check_pins", "divisors", "search"]

BATCH_TOLERANCE: Final = 0.05
"""How far the global batch may be rounded to whole micro-batches on every rank."""
_IMBALANCE = 1.10
_MOST_STAGES = 64
_MOST_CONTEXT_RANKS = 64
_LEAST_CONTEXT_TOKENS = 2048
_MOST_EXPERT_RANKS = 64
"""Widest expert parallelism among the calibrated runs; beyond it the exposed share of the all-to-all is
unknown."""
_MICRO_BATCHES = (1, 2, 4, 8, 16, 32)
_MOST_TOKENS = 131072
"""Tokens of one micro-batch above which only a micro-batch of one sequence is tried."""
_GRADIENTS_SHARDED = 2
_CHUNKS = (1, 2, 3, 4, 5, 6, 8)
_BLOCK = 16384
"""Layouts per block: large enough for NumPy, small enough for the cache."""
_PREFERENCE = 0.999
"""Layouts that leave devices idle or round the batch must be more than 0.1 % faster to be preferred."""
_ROUNDING = 1e-9
_ZERO_STAGES: Final = {"distributed-optimizer": (1,), "fsdp": (3,), "zero": (1, 2, 3), "none": (0,)}


@dataclass(frozen=True, slots=True)
class Limits:
    """What the search has to keep to, beside memory."""

    pins: LayoutPins = field(default_factory=LayoutPins)
    exposed_communication_max: float | None = None
    reserve_share: float = RESERVE_SHARE


@dataclass(frozen=True, slots=True)
class Search:
    """What came of one search."""

    layouts: LayoutArrays | None
    """The best layout, alone; None where nothing fits."""
    step: StepArrays | None
    candidates: int
    rejected: dict[str, int]
    least_bytes: float
    """Smallest peak memory of any candidate; infinite where divisibility left none."""

    @property
    def tokens_factor(self) -> float:
        """Return sequences per second of the best layout; 0 where nothing fits."""
        if self.layouts is None or self.step is None:
            return 0.0
        return float(self.layouts.batch_size[0] / self.step.total_s[0])


@lru_cache(maxsize=1024)
def divisors(number: int) -> tuple[int, ...]:
    """Return the divisors of a positive whole number in rising order.

    >>> divisors(28)
    (1, 2, 4, 7, 14, 28)
    """
    # Divisors come in pairs around the root, which bounds the loop for counts of thousands.
    low = [k for k in range(1, math.isqrt(number) + 1) if number % k == 0]
    return tuple(sorted({*low, *(number // k for k in low)}))


def _pin_fault(key: str, value: int, valid: tuple[int, ...], why: str, cure: str) -> Fault:
    listed = ", ".join(str(one) for one in valid)
    return Fault(f"{key}={value} {why}", key=f"layout.{key}", why=f"valid values: {listed}", cure=cure)


def check_pins(architecture: Architecture, pins: LayoutPins, global_batch_size: int) -> None:
    """Refuse pins that no device could follow.

    Raises:
        InputError: tp does not divide the heads, pp or its virtual stages exceed the layers, ep does not
        divide the experts, or the
            micro-batch exceeds the global batch; every fault is listed, with the valid values.
    """
    a, faults = architecture, list[Fault]()
    heads = a.attention_heads
    if pins.tp is not None and heads % pins.tp:
        cure = "choose one of them and split the rest by pipeline stages (pp)"
        faults.append(
            _pin_fault("tp", pins.tp, divisors(heads), f"does not divide {heads} attention heads", cure)
        )
    if pins.pp is not None and pins.pp * (pins.virtual_pipeline or 1) > a.layers:
        faults.append(
            _pin_fault(
                "pp",
                pins.pp,
                divisors(a.layers),
                f"needs more stages than {a.layers} layers",
                "lower pp or v",
            )
        )
    experts = a.moe.experts if a.moe else 1
    if pins.ep is not None and experts % pins.ep:
        faults.append(
            _pin_fault("ep", pins.ep, divisors(experts), f"does not divide {experts} experts", "choose one")
        )
    if pins.micro_batch_size is not None and pins.micro_batch_size > global_batch_size:
        why = f"exceeds the global batch of {global_batch_size} sequences"
        faults.append(
            _pin_fault("micro_batch_size", pins.micro_batch_size, (1, global_batch_size), why, "lower it")
        )
    if faults:
        raise InputError(faults)


def _options(pin: int | None, values: tuple[int, ...]) -> IndexArray:
    return np.array(values if pin is None else (pin,), dtype=np.int64)


def _balanced(layers: int, stages: int) -> bool:
    return stages <= layers and math.ceil(layers / stages) * stages <= _IMBALANCE * layers


def _sharded_alone(problem: Problem) -> bool:
    stack = problem.device.stack
    return stack.sharding in {"fsdp", "zero"} and not stack.pipeline_with_zero3


@dataclass(frozen=True, slots=True)
class _Base:
    """Grid over tp, pp, cp, ep and ZeRO stage that divisibility leaves, and what it cost."""

    tp: IndexArray
    pp: IndexArray
    cp: IndexArray
    ep: IndexArray
    zero: IndexArray


def _tp_values(problem: Problem) -> tuple[int, ...]:
    return (1,) if _sharded_alone(problem) else divisors(problem.constants.domain)


def _pp_values(problem: Problem) -> tuple[int, ...]:
    layers = problem.architecture.layers
    if _sharded_alone(problem):
        return (1,)
    # Uneven stages are allowed within a tolerance, since 61 or 126 layers have too few divisors.
    powers = {1 << k for k in range(7)}
    return tuple(sorted(p for p in {*divisors(layers), *powers} if p <= min(_MOST_STAGES, layers)))


def _cp_values(problem: Problem) -> tuple[int, ...]:
    if _sharded_alone(problem):
        return (1,)
    return tuple(1 << k for k in range(int(math.log2(_MOST_CONTEXT_RANKS)) + 1))


def _drop(base: _Base, keep: BoolArray, reason: str, rejected: dict[str, int]) -> _Base:
    rejected[reason] = rejected.get(reason, 0) + int((~keep).sum())
    return _Base(*(getattr(base, name)[keep] for name in ("tp", "pp", "cp", "ep", "zero")))


def _base(problem: Problem, devices: int, pins: LayoutPins, rejected: dict[str, int]) -> _Base:
    """Return the grid over the dimensions that split the model, pruned by divisibility."""
    a, stack = problem.architecture, problem.device.stack
    experts = a.moe.experts if a.moe else 1
    axes = (
        _options(pins.tp, _tp_values(problem)),
        _options(pins.pp, _pp_values(problem)),
        _options(pins.cp, _cp_values(problem)),
        _options(pins.ep, tuple(ep for ep in divisors(experts) if ep <= _MOST_EXPERT_RANKS)),
        _options(pins.zero_stage, _ZERO_STAGES.get(stack.sharding, (1,))),
    )
    base = _Base(*(axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")))
    # Query heads are split evenly; key heads are split or replicated evenly.
    heads_fit = (a.attention_heads % base.tp == 0) & (
        (a.kv_heads % base.tp == 0) | (base.tp % a.kv_heads == 0)
    )
    width_fits = (a.ffn_hidden_size % base.tp == 0) | (pins.tp is not None)
    base = _drop(
        base, (heads_fit | (pins.tp is not None) | (a.mla is not None)) & width_fits, "tp-heads", rejected
    )
    base = _drop(base, base.tp <= problem.constants.domain, "tp-domain", rejected)
    stages_fit = np.array([_balanced(a.layers, int(p)) for p in base.pp], dtype=np.bool_) | (
        pins.pp is not None
    )
    base = _drop(base, stages_fit, "pp-layers", rejected)
    s = problem.workload.sequence_length
    # Twice cp, because each rank holds one early and one late block of the sequence.
    tokens_fit = (base.cp == 1) | ((s % (2 * base.cp) == 0) & (s // base.cp >= _LEAST_CONTEXT_TOKENS))
    base = _drop(base, tokens_fit | (pins.cp is not None), "cp-sequence", rejected)
    base = _drop(
        base,
        (base.pp == 1) | (base.zero < _GRADIENTS_SHARDED) | stack.pipeline_with_zero3,
        "zero-pipeline",
        rejected,
    )
    group = base.tp * base.pp * base.cp
    base = _drop(base, group <= devices, "devices", rejected)
    # Expert ranks are taken from the context- and data-parallel ranks, so dp moves in these steps.
    step = base.ep // np.gcd(base.ep, base.cp)
    return _drop(base, devices // (base.tp * base.pp * base.cp) >= step, "ep-data-parallel", rejected)


def _data_parallel(
    devices: IndexArray, step: IndexArray, micro: IndexArray, unit: IndexArray, batch: int
) -> IndexArray:
    """Return the data-parallel degrees to try: all devices, and the most for the batch and its tolerance.

    The last makes the search monotone: whatever a smaller cluster may do with a rounded batch, a larger may.
    """
    most = devices // step * step
    tried = [most]
    for allowed in (float(batch), (1 + BATCH_TOLERANCE) * batch):
        least = unit * np.maximum(1, np.ceil(allowed / (micro * most * unit) - _ROUNDING)).astype(np.int64)
        tried.append(
            np.minimum(most, (allowed / (micro * least) + _ROUNDING).astype(np.int64) // step * step)
        )
    return np.stack(tried)


def _expand(
    problem: Problem, base: _Base, devices: int, pins: LayoutPins, rejected: dict[str, int]
) -> LayoutArrays:
    """Return all layouts of the grid with micro-batches, virtual stages and data parallelism."""
    layers, batch, s = (
        problem.architecture.layers,
        problem.workload.global_batch_size,
        problem.workload.sequence_length,
    )
    micro_options = tuple(b for b in _MICRO_BATCHES if b <= batch and (b == 1 or b * s <= _MOST_TOKENS))
    micros = _options(pins.micro_batch_size, micro_options)
    chunks = _options(pins.virtual_pipeline, _CHUNKS)
    row, micro, chunk = (
        axis.ravel() for axis in np.meshgrid(np.arange(len(base.tp)), micros, chunks, indexing="ij")
    )
    tp, pp, cp, ep, zero = (getattr(base, name)[row] for name in ("tp", "pp", "cp", "ep", "zero"))
    stages = pp * chunk
    spread = np.ceil(layers / stages) * stages <= _IMBALANCE * layers
    usable_chunks = (chunk == 1) | (
        (pp > 1) & (stages <= layers) & (spread | (pins.virtual_pipeline is not None))
    )
    step = ep // np.gcd(ep, cp)
    # Interleaved schedules need a multiple of pp micro-batches (Narayanan et al., 2021, section 2.2).
    unit = np.where(chunk > 1, pp, 1)
    dp = np.maximum(_data_parallel(devices // (tp * pp * cp), step, micro, unit, batch), 0)
    m = unit * np.maximum(1, np.rint(batch / np.maximum(micro * dp * unit, 1))).astype(np.int64)
    met = (np.abs(m * micro * dp / batch - 1) <= BATCH_TOLERANCE) & (dp > 0)
    rejected["virtual-pipeline"] = rejected.get("virtual-pipeline", 0) + int((~usable_chunks).sum())
    rejected["batch"] = rejected.get("batch", 0) + int((usable_chunks & ~met.any(axis=0)).sum())
    # The three candidates for dp often coincide; each is evaluated once.
    distinct = np.stack([np.ones_like(usable_chunks), dp[1] != dp[0], (dp[2] != dp[0]) & (dp[2] != dp[1])])
    which, index = np.nonzero(met & usable_chunks & distinct)
    columns = [tp, pp, cp, dp, ep, micro, m, chunk, np.zeros_like(tp), zero, (tp > 1).astype(np.int64)]
    picked = [column[which, index] if column.ndim > 1 else column[index] for column in columns]
    return LayoutArrays(*(column.astype(np.float64) for column in picked))


def _least_recompute(
    problem: Problem, layouts: LayoutArrays, limits: Limits
) -> tuple[LayoutArrays, BoolArray, float]:
    """Return the layouts with the least recomputation that fits, which fit, and the least peak."""
    usable, _ = usable_memory(problem.device.accelerator)
    allowed = usable * (1 - limits.reserve_share)
    pin = limits.pins.recompute
    codes = range(len(RECOMPUTE_CODES)) if pin is None else (RECOMPUTE_CODES.index(pin),)
    code, fitting, least = np.zeros(len(layouts)), np.zeros(len(layouts), dtype=np.bool_), math.inf
    for level in codes:
        # Levels are tried from none to full; a layout that fits is not slowed down by more recomputation.
        open_rows = np.flatnonzero(~fitting)
        if not len(open_rows):
            break
        trial = _with_recompute(layouts.take(open_rows), np.full(len(open_rows), float(level)))
        total = memory(problem, trial).total
        least = min(least, float(total.min()))
        fits_now = open_rows[total <= allowed]
        fitting[fits_now], code[fits_now] = True, level
    return _with_recompute(layouts, code), fitting, least


def _with_recompute(layouts: LayoutArrays, code: FloatArray) -> LayoutArrays:
    columns = {name: getattr(layouts, name) for name in layouts.__dataclass_fields__}
    return LayoutArrays(**{**columns, "recompute": code})


def _score(problem: Problem, layouts: LayoutArrays, step: StepArrays, devices: int) -> FloatArray:
    """Return sequences per second, with a slight preference for whole clusters and the exact batch."""
    rate = layouts.batch_size / step.total_s
    whole = np.where(layouts.devices == devices, 1.0, _PREFERENCE)
    exact = np.where(layouts.batch_size == problem.workload.global_batch_size, 1.0, _PREFERENCE)
    return rate * whole * exact


def search(problem: Problem, devices: int, limits: Limits | None = None) -> Search:
    """Return the fastest layout of a model on at most `devices` devices.

    A layout may leave devices idle where the batch or the layers do not divide, so that more devices never
    make a run slower.
    """
    limits = limits or Limits()
    rejected: dict[str, int] = {}
    base = _base(problem, devices, limits.pins, rejected)
    if len(base.tp) == 0:
        return Search(None, None, 0, rejected, math.inf)
    layouts = _expand(problem, base, devices, limits.pins, rejected)
    best: tuple[float, LayoutArrays, StepArrays] | None = None
    least = math.inf
    # In blocks, so that the temporaries stay in cache and memory is bounded for any search.
    for start in range(0, len(layouts), _BLOCK):
        block, fitting, smallest = _least_recompute(
            problem, layouts.take(slice(start, start + _BLOCK)), limits
        )
        least = min(least, smallest)
        rejected["memory"] = rejected.get("memory", 0) + int((~fitting).sum())
        found = _fastest(problem, block.take(fitting), devices, limits, rejected)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    if best is None:
        return Search(None, None, len(layouts), rejected, least)
    return Search(best[1], best[2], len(layouts), rejected, least)


def _fastest(
    problem: Problem, layouts: LayoutArrays, devices: int, limits: Limits, rejected: dict[str, int]
) -> tuple[float, LayoutArrays, StepArrays] | None:
    if len(layouts) == 0:
        return None
    step = step_arrays(problem, layouts)
    score = _score(problem, layouts, step, devices)
    if limits.exposed_communication_max is not None:
        quiet = step.communication_share <= limits.exposed_communication_max
        rejected["exposed-communication"] = rejected.get("exposed-communication", 0) + int((~quiet).sum())
        score = np.where(quiet, score, -np.inf)
    index = int(np.argmax(score))
    if not np.isfinite(score[index]):
        return None
    chosen = layouts.take(np.array([index]))
    return float(score[index]), chosen, step_arrays(problem, chosen)
