"""Checks of fitted constants: what they replace, whom they are of, and what stands behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.vendor import Calibration, Fit, FitScope, SoftwareStack
from suanli.errors import Fault, nearest
from suanli.estimation.constants import CONSTANTS_BY_SCOPE
from suanli.estimation.ranges import DEFAULT_SCALES
from suanli.testing.subject import Check, Subject, place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.figure import Figure

__all__ = ["CHECKS"]

_SHARED = "all"
_QUANTILES = (("p10", "p50", "p90"), ("memory-p10", "memory-p50", "memory-p90"))


def fitted_constants_are_known_by_name(subject: Subject) -> Iterator[Fault]:
    """Yield every fitted constant and scale that the estimate does not read from a fit of that scope."""
    for item in subject.records(Fit):
        known = CONSTANTS_BY_SCOPE[item.scope]
        for name in item.constants:
            if name not in known:
                what = f'no constant "{name}" in the scope {item.scope.value}'
                yield Fault(what, key=place(item, "constants"), cure=nearest(name, known))
        for name in item.scales:
            if name not in DEFAULT_SCALES:
                yield Fault(
                    f'no scale "{name}"', key=place(item, "scales"), cure=nearest(name, DEFAULT_SCALES)
                )


def fits_are_of_something_that_exists(subject: Subject) -> Iterator[Fault]:
    """Yield every fit whose device family or stack no plugin has, and every factor on an unknown stack."""
    catalogue = subject.host.catalogue
    calibrations = (*catalogue.all(Calibration), *subject.records(Calibration))
    stacks = {one.id for one in (*catalogue.all(SoftwareStack), *subject.records(SoftwareStack))}
    known = {
        FitScope.DEVICE: {one.family or one.accelerator for one in calibrations},
        FitScope.STACK: stacks,
        FitScope.SHARED: {_SHARED},
    }
    for item in subject.records(Fit):
        if item.subject not in known[item.scope]:
            cure = nearest(item.subject, known[item.scope])
            yield Fault(f'no {item.scope.value} "{item.subject}"', key=place(item, "subject"), cure=cure)
        for name in item.stack_factors:
            if name not in stacks:
                yield Fault(
                    f'no stack "{name}"', key=place(item, "stack_factors"), cure=nearest(name, stacks)
                )


def _figures(item: Fit) -> Iterator[tuple[str, Figure]]:
    yield from ((f"constants.{name}", one) for name, one in item.constants.items())
    yield from ((f"stack_factors.{name}", one) for name, one in item.stack_factors.items())


def fitted_values_are_positive_and_within_their_interval(subject: Subject) -> Iterator[Fault]:
    """Yield every fitted value that is not positive, or has no interval that it lies in."""
    for item in subject.records(Fit):
        for key, figure in _figures(item):
            low, high = figure.low, figure.high
            if low is None or high is None:
                yield Fault("has no interval", key=place(item, key), why="a fit knows how sure it is")
            elif not 0 < low <= figure.value <= high:
                yield Fault(f"{figure.value:g} in {low:g} to {high:g}", key=place(item, key), why="positive")


def scales_of_ranges_are_in_order(subject: Subject) -> Iterator[Fault]:
    """Yield every spread that is not positive and every three quantiles that do not rise."""
    for item in subject.records(Fit):
        scales = {name: figure.si for name, figure in item.scales.items()}
        for names in _QUANTILES:
            ends = [scales.pop(name) for name in names if name in scales]
            if ends != sorted(ends):
                yield Fault("P10, P50 and P90 do not rise", key=place(item, f"scales.{names[0]}"))
        for name, value in scales.items():
            if value <= 0:
                yield Fault(f"{value:g} is no spread", key=place(item, f"scales.{name}"), why="above 0")


def fits_of_devices_name_the_runs_behind_them(subject: Subject) -> Iterator[Fault]:
    """Yield every fit of a device family without runs, and every fit of fewer runs than groups."""
    for item in subject.records(Fit):
        runs = len(set(item.run_ids))
        if item.scope is FitScope.DEVICE and not runs:
            yield Fault("names no run", key=place(item, "run_ids"), why="constants come from somewhere")
        if runs != len(item.run_ids):
            yield Fault("names a run twice", key=place(item, "run_ids"))
        if item.groups == 0 or 0 < runs < item.groups:
            yield Fault(f"{item.groups} groups of {runs} runs", key=place(item, "groups"))


CHECKS = (
    Check(fitted_constants_are_known_by_name, Fit),
    Check(fits_are_of_something_that_exists, Fit),
    Check(fitted_values_are_positive_and_within_their_interval, Fit),
    Check(scales_of_ranges_are_in_order, Fit),
    Check(fits_of_devices_name_the_runs_behind_them, Fit),
)
