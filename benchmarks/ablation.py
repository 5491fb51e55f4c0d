"""Leave out one term of the step-time model at a time, fit again, and see whether runs left out get worse.

Layouts stay as the whole model has settled them, so that rows differ by the term alone. Writes the table of
docs/calibration.md; takes minutes.

Usage: python -m benchmarks.ablation
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import numpy as np
from benchmarks.pages import fill

from suanli.calibration.fitting import Fitting
from suanli.calibration.outcome import calibrate
from suanli.calibration.parameters import PAIR, Parameter, Scope, parameters
from suanli.calibration.selection import measured_runs
from suanli.estimation import gemm
from suanli.estimation.constants import NEUTRAL
from suanli.estimation.step_time import StepArrays, step_arrays
from suanli.host.loader import load_host
from suanli.validation.tables import Table, markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from suanli.estimation.arrays import BoolArray, FloatArray, LayoutArrays
    from suanli.estimation.constants import Constants, SharedConstants
    from suanli.estimation.numbers import Posed

HERE: Final = Path(__file__).resolve().parent
PAGE: Final = HERE.parent / "docs" / "calibration.md"

_STEPS: Final = 2
"""Steps without a group: two, for thirty fits; all rows of the table are alike in it."""
_TOUCHED: Final = 0.002
"""Change of a step by leaving a term out from which a run counts as touched."""
_MOST: Final = 0.5
"""Errors beyond half count as half in the mean, so that one run does not decide it."""
_STEP: Final = "suanli.estimation.step_time"
_LAYER: Final = "suanli.estimation.layer_time"
_OF_STACKS: Final = (
    *("compute_factor", "vector_factor", "host_s_per_kernel", "tp_hidden", "dp_hidden", "fsdp_contention"),
    *("moe_gemm_factor", "moe_host_s_per_layer", "attention_factor", "ring_factor", "step_factor"),
    "loss_factor",
)


@dataclass(frozen=True, slots=True)
class Term:
    """What is left out, and how."""

    name: str
    constants: Mapping[str, float] = field(default_factory=dict[str, float])
    """Constants held at a value that switches the term off."""
    zero: tuple[str, ...] = ()
    """Functions that return 0 instead."""
    swap: Mapping[str, Callable[..., object]] = field(default_factory=dict[str, "Callable[..., object]"])
    """Functions in the place of others."""
    parts: tuple[str, ...] = ()
    """Parts of the step that are dropped."""
    fixed: Callable[[Parameter], bool] | None = None
    """Tells which parameters stay where they start; None fits all."""

    def fits(self, one: Parameter) -> bool:
        """Tell whether a parameter is fitted without the term."""
        return self.fixed is None or not self.fixed(one)


def _roofless(
    constants: Constants, m: FloatArray, k: FloatArray, n: FloatArray, *, sixteen_bit: bool = False
) -> FloatArray:
    """Return the time of a product without the bound of memory bandwidth."""
    endless = replace(constants, hbm_bytes_per_s=np.array(np.inf))
    return _GEMM_S(endless, m, k, n, sixteen_bit=sixteen_bit)


_GEMM_S: Final = gemm.gemm_s


def _again(_: Posed, layouts: LayoutArrays, *__: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.zeros(layouts.shape), np.zeros(layouts.shape)


def _nothing(*_: object, **__: object) -> FloatArray:
    return np.array(0.0)


def _scope(*scopes: Scope) -> Callable[[Parameter], bool]:
    return lambda one: one.scope in scopes


def _pairs(one: Parameter) -> bool:
    return one.name == PAIR


TERMS: Final = (
    Term("matmul shape", {"shape_chip": 0.0}),
    Term("matmul: bound of memory bandwidth", swap={"suanli.estimation.gemm.gemm_s": _roofless}),
    Term("attention: efficiency of its own", {"attention_factor": -1.0, "attention_half_length": 0.0}),
    Term("attention: half-length", {"attention_half_length": 0.0}),
    Term("vector work", {"vector_factor": 0.0}),
    Term("launch gap of kernels", {"kernel_gap_s": 0.0}),
    Term("host floor", {"host_s_per_kernel": 0.0, "moe_host_s_per_layer": 0.0}),
    Term("recomputation", swap={f"{_STEP}.recompute_shares": _again}),
    Term("loss traffic", {"loss_factor": 0.0}),
    Term("LM head and loss", zero=(f"{_STEP}.head_s",)),
    Term("grouped products of experts", {"grouped_overhead": 1.0, "moe_gemm_factor": 1.0}),
    Term("casts below 16 bit", {"cast_bytes": 0.0, "narrow_kernels": 0.0}),
    Term("adapter and 4-bit traffic", {"adapter_kernels": 0.0}, zero=(f"{_LAYER}._adapter_bytes",)),
    Term("tensor-parallel communication", zero=(f"{_STEP}.tensor_parallel_s",)),
    Term("context-parallel exchange", zero=(f"{_STEP}.context_parallel_s",)),
    Term("expert all-to-all", zero=(f"{_STEP}.expert_parallel_s",)),
    Term("transfers between stages", zero=(f"{_STEP}.pipeline_transfer_s",)),
    Term("data-parallel communication", zero=(f"{_STEP}.data_parallel_s",)),
    Term("gathers of sharded weights", zero=(f"{_STEP}.fully_sharded_gather_s",)),
    Term("latency of collectives", {"collective_latency_s": 0.0}),
    Term("pipeline bubble, imbalance included", parts=("bubble_s",)),
    Term("uneven stages and head", zero=(f"{_STEP}._slowest_excess",)),
    Term("optimizer pass", zero=(f"{_STEP}._optimizer_s",)),
    Term("constant of a step", {"step_factor": 0.0}),
    Term("stragglers", {"straggler": 0.0}),
    Term("constants of stacks", dict.fromkeys(_OF_STACKS, 0.0), fixed=_scope(Scope.STACK)),
    Term("factors of device under stack", fixed=_pairs),
    Term(
        "both",
        dict.fromkeys(_OF_STACKS, 0.0),
        fixed=lambda one: one.scope is Scope.STACK or _pairs(one),
    ),
    Term("factors of stacks on narrow formats", fixed=lambda one: one.name == "narrow_factor"),
    Term("fit of devices", fixed=_scope(Scope.DEVICE)),
    Term("fit of what all share", fixed=_scope(Scope.SHARED, Scope.PRECISION)),
    Term("any fit: starting values alone", fixed=lambda _: True),
)


@dataclass(frozen=True)
class Without(Fitting):
    """A fit without one term."""

    term: Term = TERMS[0]

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters that are still fitted."""
        return tuple(one for one in parameters(self.runs, self.only) if self.term.fits(one))

    def constants(self, coordinates: FloatArray) -> tuple[Constants, SharedConstants]:
        """Return the constants with those of the term held."""
        own, shared = super().constants(coordinates)
        held = self.term.constants
        if self.term.name == "attention: efficiency of its own":
            # Fused attention then runs at the efficiency of a large product.
            ones = np.ones_like(own.attention_factor)
            own = replace(own, attention_efficiency=own.gemm16_efficiency, attention_factor=ones)
        elif set(held) == set(_OF_STACKS):
            own = replace(own, **{name: np.full_like(own.compute_factor, NEUTRAL[name]) for name in held})
            own = replace(own, compute_factor=self._pair_factors(coordinates))
        else:
            mine = {name: value for name, value in held.items() if hasattr(own, name)}
            own = replace(own, **{name: np.full_like(own.gemm_efficiency, mine[name]) for name in mine})
        common = {name: np.array(value) for name, value in held.items() if hasattr(shared, name)}
        return own, replace(shared, **common)

    def _pair_factors(self, coordinates: FloatArray) -> FloatArray:
        factors = np.ones(len(self.runs))
        for one, coordinate in zip(self.parameters, coordinates, strict=True):
            if _pairs(one):
                factors = factors * np.where(one.rows, one.decode(float(coordinate)), 1.0)
        return factors

    def residuals(self, coordinates: FloatArray) -> FloatArray:
        """Return the residuals of the model without the term."""
        with ExitStack() as stack:
            for name in self.term.zero:
                stack.enter_context(patch(name, _nothing))
            for name, other in self.term.swap.items():
                stack.enter_context(patch(name, other))
            if self.term.parts:
                stack.enter_context(patch("suanli.calibration.fitting.step_arrays", self._reduced))
            return super().residuals(coordinates)

    def _reduced(self, posed: Posed, layouts: LayoutArrays) -> StepArrays:
        whole = step_arrays(posed, layouts)
        return replace(whole, **{name: np.zeros_like(getattr(whole, name)) for name in self.term.parts})


@dataclass(frozen=True, slots=True)
class Outcome:
    """Errors of runs left out, without one term and by the whole model."""

    without: FloatArray
    whole: FloatArray
    touched: BoolArray


def _sizes(logs: FloatArray) -> FloatArray:
    return np.abs(np.expm1(logs))


def _at_start(one: Without, whole: FloatArray, found: Fitting, coordinates: FloatArray) -> BoolArray:
    """Tell which runs change where the term is left out and nothing is fitted again."""
    if one.term.fixed is not None and not one.term.constants:
        rows = [each.rows for each in found.parameters if not one.term.fits(each)]
        held: BoolArray = np.logical_or.reduce(rows)
        return held
    names = {(p.name, p.scope, p.key): c for p, c in zip(found.parameters, coordinates, strict=True)}
    same = np.array([names[p.name, p.scope, p.key] for p in one.parameters])
    changed: BoolArray = np.abs(one.residuals(same) - whole) > _TOUCHED
    return changed


def ablate(
    term: Term, found: Fitting, coordinates: FloatArray, whole: FloatArray, left_out: FloatArray
) -> Outcome:
    """Fit without a term, and predict each group by the others."""
    one = Without(found.runs, term=term)
    touched = _at_start(one, whole, found, coordinates) & found.clean
    fitted = one.left_out(one.solve(), one.groups, _STEPS) if one.parameters else one.residuals(one.start)
    return Outcome(fitted, left_out, touched)


def _cells(logs: FloatArray) -> tuple[str, str, str]:
    sizes = _sizes(logs)
    if not len(sizes):
        return "–", "–", "–"
    mean = float(np.mean(np.minimum(sizes, _MOST)))
    return f"{np.median(sizes):.2%}"[:-1], f"{np.quantile(sizes, 0.9):.1%}"[:-1], f"{mean:.2%}"[:-1]


def _row(term: Term, outcome: Outcome, clean: BoolArray) -> tuple[str, ...]:
    rows = outcome.touched
    return (
        term.name,
        *_cells(outcome.without[clean]),
        str(int(rows.sum())),
        *(
            f"{with_} → {out}"
            for with_, out in zip(_cells(outcome.whole[rows]), _cells(outcome.without[rows]), strict=True)
        ),
    )


HEAD: Final = (
    *("left out", "median", "P90", "mean", "runs that it touches"),
    *("their median with → without", "their P90", "their mean"),
)


def main() -> None:
    """Write the table."""
    started, host = time.perf_counter(), load_host()
    found = calibrate(measured_runs(HERE / "runs", host.catalogue).runs)
    fitting, clean = found.fitting, found.fitting.clean
    whole = fitting.left_out(found.solution, fitting.groups, _STEPS)
    rows: list[tuple[str, ...]] = [("nothing", *_cells(whole[clean]), str(int(clean.sum())), "–", "–", "–")]
    for term in TERMS:
        outcome = ablate(term, fitting, found.solution.coordinates, found.in_sample, whole)
        rows.append(_row(term, outcome, clean))
        print(" | ".join(rows[-1]), f"| {time.perf_counter() - started:.0f} s", flush=True)
    table = Table("", HEAD, tuple(rows), right=tuple(range(1, len(HEAD))))
    fill(PAGE, {"ablation": markdown(table)})


if __name__ == "__main__":
    main()
