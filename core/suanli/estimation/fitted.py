"""Puts fitted constants in the place of those that a plugin starts from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.domain.vendor import Fit, FitScope

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.estimation.results import Device

__all__ = ["find_fit", "with_fits"]


def find_fit(catalogue: Catalogue, scope: FitScope, subject: str) -> Fit | None:
    """Return the fit of a device family, a stack, or of what is shared; of several the one of most groups."""
    fits = [one for one in catalogue.all(Fit) if one.scope is scope and one.subject == subject]
    return max(fits, key=lambda one: one.groups, default=None)


def with_fits(device: Device, catalogue: Catalogue) -> Device:
    """Return a device whose constants are the fitted ones, where the catalogue has a fit.

    An accelerator without runs of its own takes the constants of its family; that it is a relative's stays
    in `Calibration.sibling`, which widens the range.
    """
    shared = find_fit(catalogue, FitScope.SHARED, "all")
    family = device.calibration.family or device.accelerator.id
    chip = find_fit(catalogue, FitScope.DEVICE, family)
    stack = find_fit(catalogue, FitScope.STACK, device.stack.id)
    calibration, software = device.calibration, device.stack
    if chip is not None:
        constants = {**calibration.constants, **chip.constants}
        factors = {**calibration.stack_factors, **chip.stack_factors}
        calibration = calibration.model_copy(update={"constants": constants, "stack_factors": factors})
    if stack is not None:
        software = software.model_copy(update={"constants": {**software.constants, **stack.constants}})
    return replace(
        device, calibration=calibration, stack=software, shared=shared, device_fit=chip, stack_fit=stack
    )
