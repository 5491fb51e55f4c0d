"""The tables of docs/calibration.md: what was fitted, how sure it is, and what it means at known shapes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.calibration.bands import class_flags
from suanli.calibration.parameters import PAIR, Parameter, Scope
from suanli.domain.vendor import Calibration, Fit, FitScope
from suanli.estimation.gemm import gemm_s
from suanli.estimation.ranges import CLASSES
from suanli.validation.tables import Table, markdown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.calibration.outcome import Calibrated
    from suanli.calibration.runs import Run
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.figure import Figure
    from suanli.estimation.constants import Constants
    from suanli.estimation.problem import Problem

__all__ = ["calibration_tables"]

_SCALES: Final = ((1e-6, "µs"), (1e-3, "ms"), (1.0, "s"))
_LARGE: Final = 8192.0
_SHARDED: Final = (4096.0, 8192.0, 1024.0)
_SHORT: Final = 2048.0


def _number(value: float, unit: str) -> str:
    """Return a value in three digits, times in the unit that reads best."""
    if unit != "s":
        return f"{value:.3g}"
    scale, name = next(((s, n) for s, n in _SCALES if value < 1000 * s), _SCALES[-1])
    return f"{value / scale:.3g} {name}"


def _compact(figure: Figure | None) -> str:
    """Return a value and half of its 68 % interval in % of it."""
    if figure is None or figure.low is None or figure.high is None:
        return "–"
    half = (figure.high - figure.low) / 2 / figure.value
    return f"{_number(figure.value, figure.unit)} ±{half * 100:.0f}"


def _error(fit: Fit) -> str:
    if fit.median_error is None or fit.p90_error is None:
        return "–"
    return f"{fit.median_error.si * 100:.1f} / {fit.p90_error.si * 100:.0f}"


def _matrix(title: str, fits: Sequence[Fit], names: Sequence[str], found: Calibrated) -> str:
    clean = [run for run in found.runs if run.trap is None]
    rows = tuple(
        (
            *(fit.subject, str(fit.groups), str(sum(_of(fit, run) for run in clean)), _error(fit)),
            *(_compact(fit.constants.get(name)) for name in names),
        )
        for fit in fits
    )
    head = (title, "groups", "runs", "median / P90", *(f"`{name}`" for name in names))
    return markdown(Table("", head, rows, right=tuple(range(1, len(head)))))


def _of(fit: Fit, run: Run) -> bool:
    return fit.subject == (run.family if fit.scope is FitScope.DEVICE else run.stack)


def _pairs(fits: Sequence[Fit]) -> str:
    stacks = sorted({name for fit in fits for name in fit.stack_factors})
    rows = tuple((fit.subject, *(_compact(fit.stack_factors.get(name)) for name in stacks)) for fit in fits)
    head = ("family", *stacks)
    return markdown(Table("", head, rows, right=tuple(range(1, len(head)))))


def _shared(fit: Fit, found: Calibrated) -> str:
    own = [one for one in found.fitting.parameters if one.scope in {Scope.SHARED, Scope.PRECISION}]
    rows: list[tuple[str, ...]] = []
    for one in own:
        name = f"{one.key}_efficiency" if one.scope is Scope.PRECISION else one.name
        figure = fit.constants[name]
        ends = [_number(end, figure.unit) for end in (figure.low, figure.high) if end is not None]
        fitted = _number(figure.value, figure.unit)
        rows.append(
            (f"`{name}`", _number(one.start, figure.unit), f"{one.width:g}", fitted, " – ".join(ends))
        )
    head = ("constant", "start", "width", "fitted", "68 % interval")
    return markdown(Table("", head, tuple(rows), right=(1, 2, 3, 4)))


def _parameters(found: Calibrated) -> str:
    """Return the parameters by name: what they belong to, how many there are, how far they may move."""
    kinds: dict[tuple[Scope, str], list[Parameter]] = {}
    for one in found.fitting.parameters:
        kinds.setdefault((one.scope, one.name), []).append(one)
    rows: list[tuple[str, ...]] = []
    for (scope, name), own in kinds.items():
        starts = sorted({one.start for one in own})
        unit = "s" if name.endswith(("_s", "_s_per_kernel", "_s_per_layer")) else ""
        start = " to ".join(_number(one, unit) for one in sorted({starts[0], starts[-1]}))
        widths = ", ".join(f"{one:g}" for one in sorted({one.width for one in own}))
        shown = "factor of device under stack" if name == PAIR else f"`{name}`"
        rows.append((scope.value, shown, str(len(own)), start, widths, "logit" if own[0].share else "log"))
    head = ("scope", "constant", "parameters", "start", "width", "in")
    return markdown(Table("", head, tuple(rows), right=(2, 3, 4)))


def _attention(constants: Constants, half: float, length: float) -> float:
    return float(constants.attention_efficiency) / (1 + half / length)


def _share(constants: Constants, m: float, k: float, n: float) -> float:
    """Return the share of the 16-bit peak that a product reaches, without the factor of any stack."""
    seconds = gemm_s(constants, np.array(m), np.array(k), np.array(n), sixteen_bit=True)
    return float(2 * m * k * n / seconds / constants.peak16_flops_per_s)


def _reference(found: Calibrated, catalogue: Catalogue) -> str:
    """Return what the constants of each family mean for products and attention of usual sizes."""
    runs = {one.accelerator: one.runs for one in catalogue.all(Calibration)}
    problems = found.fitting.problems(found.solution.coordinates)
    half = float(problems[0].shared.attention_half_length)
    chosen: dict[str, Problem] = {}
    for run, problem in zip(found.runs, problems, strict=True):
        best = chosen.get(run.family)
        if best is None or runs[problem.device.accelerator.id] > runs[best.device.accelerator.id]:
            chosen[run.family] = problem
    rows: list[tuple[str, ...]] = []
    for family, problem in sorted(chosen.items()):
        c = problem.constants
        large, sharded = _share(c, _LARGE, _LARGE, _LARGE), _share(c, *_SHARDED)
        peak = float(c.peak16_flops_per_s) / 1e12
        attention = [_attention(c, half, length) for length in (_LARGE, _SHORT)]
        cells = (large, sharded, *attention)
        rows.append(
            (
                family,
                problem.device.accelerator.id,
                f"{peak:.0f}",
                f"{peak * large:.0f}",
                *tuple(f"{cell * 100:.0f}" for cell in cells),
            )
        )
    head = (
        *("family", "accelerator", "peak, TFLOP/s", "8192³, TFLOP/s", "8192³, %"),
        *("4096 × 8192 × 1024, %", "attention at 8,192, %", "at 2,048, %"),
    )
    return markdown(Table("", head, tuple(rows), right=tuple(range(2, len(head)))))


def _spread(found: Calibrated, scales: Mapping[str, float]) -> str:
    clean, flags = found.fitting.clean, class_flags(found.runs)
    groups = np.array(found.fitting.groups)
    rows = [("base", "–", str(int(clean.sum())), f"{scales['base']:.4f}", "–")]
    for index, name in enumerate(CLASSES):
        rows_of = clean & (flags[:, index] > 0)
        inside = f"{np.mean(found.covered[rows_of]) * 100:.0f}" if rows_of.any() else "–"
        count = str(len(set(groups[rows_of].tolist())))
        rows.append((name, count, str(int(rows_of.sum())), f"× {scales[name]:.2f}", inside))
    rows += [
        (name, "–", "–", f"× {scales[name]:.2f}", "–")
        for name in ("stack-not-calibrated", "device-not-calibrated")
    ]
    head = ("class", "groups", "runs", "spread", "in P10–P90, %")
    return markdown(Table("", head, tuple(rows), right=(1, 2, 3, 4)))


def _quantiles(scales: Mapping[str, float]) -> str:
    def ends(spread: float) -> tuple[str, ...]:
        return tuple(f"{math.exp(scales[name] * spread):.2f}" for name in ("p10", "p50", "p90"))

    base = scales["base"]
    examples = {
        "NVIDIA, layout known": base,
        "NVIDIA, layout searched": base * scales["layout-unknown"],
        "Ascend, layout known": base * scales["vendor-huawei"],
        "Ascend, layout searched": base * scales["vendor-huawei"] * scales["layout-unknown"],
        "AMD, layout searched": base * scales["vendor-amd"] * scales["layout-unknown"],
        "NVIDIA, layout searched, stack without runs": base
        * scales["layout-unknown"]
        * scales["stack-not-calibrated"],
    }
    rows = tuple((name, *ends(spread)) for name, spread in examples.items())
    rows = (
        *rows,
        ("peak memory", *(f"{math.exp(scales[f'memory-{end}']):.2f}" for end in ("p10", "p50", "p90"))),
    )
    return markdown(Table("", ("measured over predicted", "P10", "P50", "P90"), rows, right=(1, 2, 3)))


def calibration_tables(found: Calibrated, fits: Sequence[Fit], catalogue: Catalogue) -> dict[str, str]:
    """Return the tables by the name of their place on the page."""
    devices = [fit for fit in fits if fit.scope is FitScope.DEVICE]
    stacks = [fit for fit in fits if fit.scope is FitScope.STACK]
    shared = next(fit for fit in fits if fit.scope is FitScope.SHARED)
    scales = {name: figure.si for name, figure in shared.scales.items()}
    return {
        "parameters": _parameters(found),
        "devices": _matrix("family", devices, list(devices[0].constants), found),
        "reference": _reference(found, catalogue),
        "stacks": _matrix(
            "stack", stacks, list(max(stacks, key=lambda one: len(one.constants)).constants), found
        ),
        "pairs": _pairs(devices),
        "shared": _shared(shared, found),
        "spread": _spread(found, scales),
        "quantiles": _quantiles(scales),
    }
