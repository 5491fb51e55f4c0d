"""Checks of calibrations, stacks, power models, compliance and acceptance."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from suanli.domain.hardware import Accelerator
from suanli.domain.vendor import AcceptanceTest, Calibration, PowerModel, SkuStatus, SoftwareStack
from suanli.errors import Fault, nearest
from suanli.estimation.constants import NEUTRAL
from suanli.testing.market import is_region
from suanli.testing.subject import Check, Subject, between, place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

__all__ = ["CHECKS"]


def every_training_device_is_calibrated_or_names_a_sibling(subject: Subject) -> Iterator[Fault]:
    """Yield every training device without constants, every calibration with neither runs nor sibling."""
    calibrated = {
        item.accelerator for item in (*subject.host.catalogue.all(Calibration), *subject.records(Calibration))
    }
    for device in subject.records(Accelerator):
        if device.trains and device.id not in calibrated:
            cure = "add a calibration; one taken from a relative names it as sibling"
            yield Fault("has no calibration", key=place(device), cure=cure)
    for item in subject.records(Calibration):
        if not item.sibling and item.runs == 0:
            yield Fault(
                "has neither runs nor a sibling", key=place(item), why="constants come from somewhere"
            )


def calibration_constants_are_known_by_name(subject: Subject) -> Iterator[Fault]:
    """Yield every constant that the estimate does not read."""
    items: tuple[Calibration | SoftwareStack, ...] = (
        *subject.records(Calibration),
        *subject.records(SoftwareStack),
    )
    for item in items:
        for name in item.constants:
            if name not in NEUTRAL:
                yield Fault(
                    f'no constant "{name}"', key=place(item, "constants"), cure=nearest(name, NEUTRAL)
                )


def efficiencies_are_above_0_and_at_most_1(subject: Subject) -> Iterator[Fault]:
    """Yield every efficiency that is no fraction."""
    for item in subject.records(Calibration):
        for name, figure in item.constants.items():
            if name.endswith("_efficiency"):
                yield from between(figure.si, 0.01, 1.0, item, f"constants.{name}")
        for precision, figure in item.precision_efficiency.items():
            yield from between(figure.si, 0.01, 1.5, item, f"precision_efficiency.{precision}")


def a_vendor_of_training_devices_has_a_default_stack(subject: Subject) -> Iterator[Fault]:
    """Yield every vendor for whose devices no plugin names a training stack by default."""
    stacks = (*subject.host.catalogue.all(SoftwareStack), *subject.records(SoftwareStack))
    served = {vendor for stack in stacks for vendor in stack.default_for}
    vendors = sorted({device.vendor for device in subject.records(Accelerator) if device.trains})
    for vendor in vendors:
        if vendor not in served:
            yield Fault(f'no stack is the default for vendor "{vendor}"', cure="add a stack with default_for")


def power_fractions_are_in_order(subject: Subject) -> Iterator[Fault]:
    """Yield every power model whose idle and training draw are not rising fractions of the nameplate."""
    for item in subject.records(PowerModel):
        yield from between(item.training_fraction.si, 0.1, 1.0, item, "training_fraction")
        if item.idle_fraction is not None and not 0 < item.idle_fraction.si < item.training_fraction.si:
            yield Fault("idle is not below training", key=place(item, "idle_fraction"))
        yield from between(item.host_share.si if item.host_share else None, 0.05, 3.0, item, "host_share")


def delivery_statuses_name_a_region(subject: Subject) -> Iterator[Fault]:
    """Yield every status whose region is neither a code nor ``*``, and every second one of a device there."""
    seen: set[tuple[str, str, date | None]] = set()
    for item in subject.records(SkuStatus):
        if item.region != "*" and not is_region(item.region):
            yield Fault(
                f'region "{item.region}"', key=place(item, "region"), why="ISO 3166 code, or * for any other"
            )
        if (item.accelerator, item.region, item.from_day) in seen:
            yield Fault(f"a second status of {item.accelerator} for {item.region}", key=place(item))
        seen.add((item.accelerator, item.region, item.from_day))


def acceptance_tests_say_how_and_what(subject: Subject) -> Iterator[Fault]:
    """Yield every acceptance test without a tool, and whatever a test names that is not there."""
    known = {
        item.id for item in (*subject.host.catalogue.all(AcceptanceTest), *subject.records(AcceptanceTest))
    }
    for item in subject.records(AcceptanceTest):
        if not item.tool.strip():
            yield Fault("names no tool", key=place(item, "tool"))
        for name in item.prerequisites:
            if name not in known:
                cure = nearest(name, known)
                yield Fault(f'no test "{name}"', key=place(item, "prerequisites"), cure=cure)
        if item.script and not _is_there(item.script):
            why = "a script is named as package:path"
            yield Fault(f'no script "{item.script}"', key=place(item, "script"), why=why)


def _is_there(script: str) -> bool:
    package, _, path = script.partition(":")
    try:
        return bool(path) and files(package).joinpath(path).is_file()
    except (ModuleNotFoundError, ValueError):
        return False


CHECKS = (
    Check(every_training_device_is_calibrated_or_names_a_sibling, Accelerator),
    Check(a_vendor_of_training_devices_has_a_default_stack, Accelerator),
    Check(calibration_constants_are_known_by_name, Calibration),
    Check(efficiencies_are_above_0_and_at_most_1, Calibration),
    Check(power_fractions_are_in_order, PowerModel),
    Check(delivery_statuses_name_a_region, SkuStatus),
    Check(acceptance_tests_say_how_and_what, AcceptanceTest),
)
