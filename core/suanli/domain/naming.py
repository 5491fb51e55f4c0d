"""Names of accelerators as people write them, taken to the one record that is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.hardware import Accelerator, Precision
from suanli.errors import Fault, InputError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.catalogue import Catalogue

__all__ = ["accelerators_meant", "resolve_accelerator"]


def _plain(name: str) -> str:
    """Return a name in the spelling of an id: without case, spaces and underscores."""
    return name.strip().casefold().replace(" ", "-").replace("_", "-")


def _letters(name: str) -> str:
    """Return a name without its separators, which every maker places differently."""
    return _plain(name).replace("-", "")


def resolve_accelerator(catalogue: Catalogue, name: str, *, key: str = "") -> Accelerator:
    """Return the one accelerator that a name means.

    An id is taken as it stands. Another name must mean one device: ``H100`` is sold as PCIe card and as SXM
    module with different peaks, so it is asked back rather than guessed.

    Raises:
        InputError: nothing has that name, or several devices may be meant.
    """
    devices = catalogue.all(Accelerator)
    found = _called(devices, name)
    if isinstance(found, Accelerator):
        return found
    raise InputError(_ambiguous(name, found, key) if found else _unknown(name, devices, key))


def accelerators_meant(catalogue: Catalogue, name: str) -> tuple[Accelerator, ...]:
    """Return every device that a name may mean: one, several where it is ambiguous, or none."""
    found = _called(catalogue.all(Accelerator), name)
    return (found,) if isinstance(found, Accelerator) else tuple(found.values())


def _called(devices: tuple[Accelerator, ...], name: str) -> Accelerator | dict[str, Accelerator]:
    """Return the one device that a name means, or every one that it may mean."""
    word = _plain(name)
    exact = next((device for device in devices if device.id == word), None)
    if exact is not None:
        return exact
    called = [device for device in devices if _letters(name) in map(_letters, _names(device))]
    # 昇腾910B2 spells its id out, so that its twins, which share the name 910B, cannot be meant.
    spelt_out = [device for device in called if _letters(_model(device)) in _letters(name)]
    if len(spelt_out) == 1:
        return spelt_out[0]
    meant = _meant(devices, called, word)
    return called[0] if len(meant) == 1 and called else meant


def _model(device: Accelerator) -> str:
    """Return an id without its vendor."""
    return device.id.removeprefix(f"{device.vendor}-")


def _names(device: Accelerator) -> tuple[str, ...]:
    return _model(device), device.name.en, device.name.zh, *device.aliases


def _meant(devices: Iterable[Accelerator], called: list[Accelerator], word: str) -> dict[str, Accelerator]:
    """Return every device that a word may mean: called so, their twins, and those that begin with it."""
    twins = {twin for device in called for twin in device.ambiguous_with}
    within = [device for device in devices if _begins(word, device.id)]
    return {device.id: device for device in (*called, *within)} | {
        device.id: device for device in devices if device.id in twins
    }


def _begins(word: str, device_id: str) -> bool:
    """Tell whether an id, or the part of it after the vendor, begins with a word."""
    return device_id.startswith(word) or device_id.partition("-")[2].startswith(word)


def _ambiguous(name: str, meant: dict[str, Accelerator], key: str) -> Fault:
    return Fault(
        f'"{name}" may mean several devices',
        key=key,
        why=f"known: {'; '.join(_described(device) for device in meant.values())}",
        cure=f"write one of: {', '.join(meant)}",
    )


def _described(device: Accelerator) -> str:
    """Return id, form factor and dense bf16 peak: what tells two devices of one name apart."""
    peak = device.peak_flops_per_s(Precision.BF16)
    shown = f"{peak / 1e12:.0f} TFLOPS bf16 dense" if peak else "bf16 peak unknown"
    return f"{device.id} ({', '.join(part for part in (device.form_factor, shown) if part)})"


def _unknown(name: str, devices: tuple[Accelerator, ...], key: str) -> Fault:
    known = [device.id for device in devices] + [alias for device in devices for alias in device.aliases]
    return Fault(
        f'"{name}" is not among the accelerators of the catalogue',
        key=key,
        why=f"suanli catalog accelerators lists the {len(devices)} known; none stands in for another",
        cure=nearest(_plain(name), known),
    )
