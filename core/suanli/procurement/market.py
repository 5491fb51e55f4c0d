"""Which makers could meet a set of thresholds: the test that a clause keeps competition open."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, product
from typing import TYPE_CHECKING, TypeAlias

from suanli.procurement.classes import LADDERS, class_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from suanli.domain.figure import Figure, Grade
    from suanli.domain.hardware import Accelerator, Precision

__all__ = [
    "ENOUGH_MAKERS",
    "Candidate",
    "Thresholds",
    "candidates",
    "grades",
    "makers_meeting",
    "open_thresholds",
]

ENOUGH_MAKERS = 3
"""Makers that must be able to meet a requirement; a demand survey asks for as many.

Source: Ministry of Finance, 财库〔2021〕22号, articles 10-11 (three representative market subjects).
"""

_Classes: TypeAlias = tuple[Decimal, ...]
"""Steps of the ladders, in the order of the thresholds."""

_NOTHING = Decimal(0)
_TERA = Decimal(10) ** 12
_GIGA = Decimal(10) ** 9


@dataclass(frozen=True, slots=True)
class Candidate:
    """An accelerator of the market as a tender measures it; an unknown measure is left out."""

    maker: str
    measures: Mapping[str, Decimal]
    """By key of `LADDERS`, in the unit of its ladder."""

    def meets(self, thresholds: Mapping[str, Decimal]) -> bool:
        """Tell whether every threshold is met; an unknown measure meets none."""
        return all(key in self.measures and self.measures[key] >= low for key, low in thresholds.items())


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Minimum measures of an accelerator, and who can meet them."""

    values: Mapping[str, Decimal]
    """By key of `LADDERS`; a measure that had to be given up is left out."""
    makers: int
    """Makers of which one device meets all of them together."""
    known: int
    """Makers whose devices are known at all."""

    @property
    def exclusive(self) -> bool:
        """Tell whether fewer makers than `ENOUGH_MAKERS` can meet them together."""
        return self.makers < ENOUGH_MAKERS


def candidates(devices: Iterable[Accelerator], precision: Precision) -> tuple[Candidate, ...]:
    """Return the accelerators that train, with the measures that sources state."""
    return tuple(
        Candidate(device.vendor, _measures(device, precision)) for device in devices if device.trains
    )


def _figures(device: Accelerator, precision: Precision) -> dict[str, tuple[Figure, Decimal]]:
    """Return the stated figures by key of `LADDERS`, each with the SI size of its ladder's unit."""
    scale_up = device.scale_up.per_device if device.scale_up else None
    stated: dict[str, tuple[Figure | None, Decimal]] = {
        "memory": (device.memory, _GIGA),
        "peak": (device.dense_peak.get(precision), _TERA),
        "bandwidth": (device.memory_bandwidth, _TERA),
        "scale-up": (scale_up, _GIGA),
    }
    return {key: (figure, unit) for key, (figure, unit) in stated.items() if figure and not figure.barred}


def _measures(device: Accelerator, precision: Precision) -> dict[str, Decimal]:
    found = {key: _exact(figure.si) / unit for key, (figure, unit) in _figures(device, precision).items()}
    if "memory" in found:
        # Two dies of a package do not pool their memory: a model is laid out over what software allocates.
        found["memory"] /= device.dies
    return found


def grades(device: Accelerator, precision: Precision) -> dict[str, Grade]:
    """Return what a document may do with each measure of a device, by key of `LADDERS`."""
    return {key: figure.grade for key, (figure, _) in _figures(device, precision).items()}


def _exact(value: float) -> Decimal:
    return Decimal(str(value))


def makers_meeting(thresholds: Mapping[str, Decimal], market: Iterable[Candidate]) -> int:
    """Return how many makers have a device that meets all thresholds together."""
    return len({one.maker for one in market if one.meets(thresholds)})


def open_thresholds(wanted: Mapping[str, Decimal], market: tuple[Candidate, ...]) -> Thresholds:
    """Return thresholds in classes that enough makers can meet together, lowered as little as possible.

    Each measure starts at the class below what is wanted. Where too few makers meet all of them together,
    every choice of one device each from enough makers is weighed: its thresholds are the classes that all of
    its devices reach, and the choice that gives up the fewest classes wins.

    Args:
        wanted: measures of the cluster that was sized, by key of `LADDERS`.
        market: the devices that could be offered.
    """
    start = {key: step for key, value in wanted.items() if (step := class_below(value, LADDERS[key]))}
    known = len({one.maker for one in market})
    enough = min(ENOUGH_MAKERS, known)
    if makers_meeting(start, market) >= enough:
        return Thresholds(start, makers_meeting(start, market), known)
    choices = [
        lowered
        for makers in combinations(_classes_by_maker(start, market), enough)
        for lowered in (_common(start, devices) for devices in product(*makers))
    ]
    found = min(choices, key=lambda lowered: _given_up(start, lowered), default=start)
    return Thresholds(found, makers_meeting(found, market), known)


def _classes_by_maker(start: Mapping[str, Decimal], market: tuple[Candidate, ...]) -> list[list[_Classes]]:
    """Return for each maker the classes that its devices reach, no higher than the start; each once."""
    found: dict[str, dict[_Classes, None]] = {}
    for one in market:
        reached = tuple(
            class_below(min(one.measures.get(key, _NOTHING), step), LADDERS[key])
            for key, step in start.items()
        )
        steps = tuple(step for step in reached if step is not None)
        if len(steps) == len(start):
            found.setdefault(one.maker, {})[steps] = None
    return [list(devices) for devices in found.values()]


def _common(start: Mapping[str, Decimal], devices: Sequence[_Classes]) -> dict[str, Decimal]:
    return {key: min(device[at] for device in devices) for at, key in enumerate(start)}


def _given_up(start: Mapping[str, Decimal], lowered: Mapping[str, Decimal]) -> int:
    return sum(LADDERS[key].index(step) - LADDERS[key].index(lowered[key]) for key, step in start.items())
