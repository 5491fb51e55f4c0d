"""A calibration from end to end: fit, residuals of runs left out, spread, and the records that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.calibration.bands import Bands, bands, class_flags, coverage, widening
from suanli.calibration.fitting import Fitting, Solution
from suanli.calibration.parameters import Scope
from suanli.calibration.runs import Run, resettled
from suanli.domain.figure import Check, Confidence, Number, Seconds
from suanli.domain.vendor import Fit, FitScope

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from suanli.calibration.parameters import Parameter
    from suanli.estimation.arrays import BoolArray, FloatArray

__all__ = ["Calibrated", "calibrate", "fit_records"]

_ROUNDS: Final = 2
"""Fits with layouts settled anew in between; more change no layout."""
_SOURCE: Final = "suanli-fit"
_DIGITS: Final = 4
_COUNTS: Final = frozenset(
    {"shape_k", "shape_m", "shape_n", "attention_half_length", "loss_bytes_per_logit", "dequantise_bytes"}
)
"""Constants in elements, tokens or bytes; the others are shares and factors."""
_TIMES: Final = ("_s", "_s_per_kernel", "_s_per_layer")
"""How the names of constants end that are times."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What a calibration found."""

    fitting: Fitting
    solution: Solution
    in_sample: FloatArray
    """ln(predicted/measured) of every run by the fit on all clean runs."""
    by_group: FloatArray
    """The same with the run's group left out: shape, accelerator and kind of task."""
    by_stack: FloatArray
    """The same with all runs of its stack left out."""
    by_family: FloatArray
    """The same with all runs of its device family left out."""
    bands: Bands
    """Spread of the clean runs by class, from residuals with the group left out."""
    covered: BoolArray
    """Runs within P10 to P90 of bands made without their group."""
    memory: tuple[float, float, float] | None
    """P10, P50 and P90 of ln(measured/predicted) of peak memory; None without such runs."""

    @property
    def runs(self) -> tuple[Run, ...]:
        """Return the runs with the layouts that the fit settled on."""
        return self.fitting.runs


def calibrate(
    runs: Sequence[Run], memory: FloatArray | None = None, *, only: str | None = None
) -> Calibrated:
    """Fit the constants on runs, and measure how the fit predicts runs that it has not seen.

    The same runs give the same result to the last digit.

    Args:
        runs: measured runs, posed without fitted constants.
        memory: ln(measured/predicted) of peak memory of other runs, for its range.
        only: the one device family whose constants may move; None fits all.
    """
    fitting, solution = _settled_fit(runs, only)
    by_group = fitting.left_out(solution, fitting.groups)
    spread, covered = _ranges(fitting, by_group)
    return Calibrated(
        fitting=fitting,
        solution=solution,
        in_sample=fitting.residuals(solution.coordinates),
        by_group=by_group,
        by_stack=fitting.left_out(solution, [run.stack for run in fitting.runs]),
        by_family=fitting.left_out(solution, [run.family for run in fitting.runs]),
        bands=spread,
        covered=covered,
        memory=_memory_ends(memory),
    )


def _settled_fit(runs: Sequence[Run], only: str | None) -> tuple[Fitting, Solution]:
    """Return the fit, with the layouts that runs leave open chosen by the fitted constants."""
    fitting = Fitting(tuple(runs), only)
    solution = fitting.solve()
    for _ in range(_ROUNDS - 1):
        fitting = Fitting(resettled(fitting.runs, fitting.problems(solution.coordinates)), only)
        solution = fitting.solve(solution.coordinates)
    return fitting, solution


def _ranges(fitting: Fitting, by_group: FloatArray) -> tuple[Bands, BoolArray]:
    """Return the bands of the clean runs, and which runs lie within bands made without their group."""
    clean, logs = fitting.clean, -by_group[fitting.clean]
    flags, weights = class_flags(fitting.runs)[clean], fitting.weights[clean] ** 2
    groups = [group for group, keep in zip(fitting.groups, clean, strict=True) if keep]
    covered = np.zeros(len(fitting.runs), dtype=np.bool_)
    covered[clean] = coverage(logs, flags, weights, groups)
    return bands(logs, flags, weights, groups), covered


def _memory_ends(logs: FloatArray | None) -> tuple[float, float, float] | None:
    if logs is None or not len(logs):
        return None
    low, middle, high = (float(np.quantile(logs, share)) for share in (0.1, 0.5, 0.9))
    return low, middle, high


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _number(value: float) -> Number:
    return Number(
        value=_rounded(value),
        unit="fraction",
        source=_SOURCE,
        confidence=Confidence.ESTIMATE,
        check=Check.DIRECT,
    )


def _constant(parameter: Parameter, coordinate: float, deviation: float) -> Number | Seconds:
    """Return the value at a coordinate with the ends of its 68 % interval."""
    counted = "count" if parameter.name in _COUNTS else "fraction"
    kind, unit = (Seconds, "s") if parameter.name.endswith(_TIMES) else (Number, counted)
    low, value, high = (_rounded(parameter.decode(coordinate + sign * deviation)) for sign in (-1, 0, 1))
    return kind(
        value=value,
        unit=unit,
        source=_SOURCE,
        confidence=Confidence.ESTIMATE,
        check=Check.DIRECT,
        low=min(low, value),
        high=max(high, value),
    )


def _error(residuals: FloatArray, share: float) -> Number | None:
    """Return a quantile of the absolute errors; None without a residual."""
    return _number(float(np.quantile(np.abs(np.expm1(residuals)), share))) if len(residuals) else None


def fit_records(found: Calibrated) -> tuple[Fit, ...]:
    """Return the records of a calibration: one a device family, one a stack, one for what all share."""
    devices = [
        _record(found, FitScope.DEVICE, family, _mask(run.family == family for run in found.runs))
        for family in sorted({run.family for run in found.runs})
    ]
    if found.fitting.only is not None:
        return tuple(devices)
    stacks = [
        _record(found, FitScope.STACK, stack, _mask(run.stack == stack for run in found.runs))
        for stack in sorted({run.stack for run in found.runs})
    ]
    shared = _record(found, FitScope.SHARED, "all", _mask(True for _ in found.runs))
    return (*devices, *stacks, shared.model_copy(update={"scales": _scales(found)}))


def _mask(flags: Iterable[bool]) -> BoolArray:
    return np.array(list(flags), dtype=np.bool_)


def _record(found: Calibrated, scope: FitScope, subject: str, rows: BoolArray) -> Fit:
    """Return one fit: its constants, the runs behind it, and how those are predicted when left out."""
    counted = rows & found.fitting.clean
    runs = [run for run, keep in zip(found.runs, counted, strict=True) if keep]
    own = _figures(found, scope, subject)
    factors = {one.key.partition("/")[2]: figure for one, figure in own if one.scope is Scope.PAIR}
    residuals = found.by_group[counted]
    return Fit(
        id=f"fit-{scope.value}-{subject}",
        scope=scope,
        subject=subject,
        constants={_named(one): figure for one, figure in own if one.scope is not Scope.PAIR},
        stack_factors={name: one for name, one in factors.items() if isinstance(one, Number)},
        groups=len({run.group for run in runs}),
        # The shared fit rests on all of them; its families list them.
        run_ids=tuple(sorted(run.posed.record.id for run in runs)) if scope is FitScope.DEVICE else (),
        median_error=_error(residuals, 0.5),
        p90_error=_error(residuals, 0.9),
    )


def _figures(found: Calibrated, scope: FitScope, subject: str) -> list[tuple[Parameter, Number | Seconds]]:
    """Return the parameters that a record holds, with their fitted values."""
    solution = found.solution
    values = zip(found.fitting.parameters, solution.coordinates, solution.deviations, strict=True)
    return [
        (one, _constant(one, float(coordinate), float(deviation)))
        for one, coordinate, deviation in values
        if _belongs(one, scope, subject)
    ]


def _belongs(parameter: Parameter, scope: FitScope, subject: str) -> bool:
    """Tell whether the record of a subject holds a parameter; factors of pairs stand with the device."""
    match parameter.scope:
        case Scope.DEVICE:
            return scope is FitScope.DEVICE and parameter.key == subject
        case Scope.PAIR:
            return scope is FitScope.DEVICE and parameter.key.partition("/")[0] == subject
        case Scope.STACK:
            return scope is FitScope.STACK and parameter.key == subject
        case Scope.PRECISION | Scope.SHARED:
            return scope is FitScope.SHARED


def _named(parameter: Parameter) -> str:
    return f"{parameter.key}_efficiency" if parameter.scope is Scope.PRECISION else parameter.name


def _scales(found: Calibrated) -> dict[str, Number]:
    """Return spread and quantiles as `suanli.estimation.ranges` names them."""
    clean, weights = found.fitting.clean, found.fitting.weights**2
    wider = {
        "stack-not-calibrated": widening(found.by_stack[clean], found.by_group[clean], weights[clean]),
        "device-not-calibrated": widening(found.by_family[clean], found.by_group[clean], weights[clean]),
    }
    ends = dict(zip(("p10", "p50", "p90"), found.bands.quantiles, strict=True))
    values = {"base": found.bands.base, **found.bands.multipliers, **wider, **ends}
    if found.memory is not None:
        values |= dict(zip(("memory-p10", "memory-p50", "memory-p90"), found.memory, strict=True))
    return {name: _number(value) for name, value in values.items()}
