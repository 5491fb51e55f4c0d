"""Finds the device of a published run in the catalogue: accelerator, server, stack, and how it is counted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Accelerator, Collective, Server, Topology
from suanli.domain.naming import resolve_accelerator
from suanli.domain.record import Text
from suanli.domain.vendor import Calibration
from suanli.errors import InputError
from suanli.estimation.devices import power_model
from suanli.estimation.fitted import with_fits
from suanli.estimation.results import Device
from suanli.validation.links import bridged_devices
from suanli.validation.stacks import stack_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.catalogue import Catalogue
    from suanli.validation.schema import RunRecord

__all__ = ["RUN_DEVICES", "RunDevice", "accelerator_of", "device_of"]

RUN_DEVICES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "A100-40GB-SXM": "a100-40-sxm",
        "A100-80GB": "a100-80-sxm",  # form factor not stated
        "A100-80GB-SXM": "a100-80-sxm",
        "A800-80GB": "a800-80-sxm",
        "Ascend-910A@Atlas-800": "ascend-910a",
        "Ascend-910B": "ascend-910b2",  # bin not stated
        "Ascend-910B@Atlas-800T-A2": "ascend-910b3",
        "Ascend-910B@Atlas-900-A2-PODc": "ascend-910b2",
        "Ascend-910C-die": "ascend-910c",
        "Ascend-910C@Atlas-900-A3-SuperPoD": "ascend-910c",
        "B200-180GB-SXM": "b200",
        "B300-270GB-SXM": "b300",
        "GB200": "gb200",
        "GB300": "gb300",
        "H100-80GB-SXM": "h100-sxm",
        "H100-96GB-HBM2e-500W": "h100-sxm-96-500w",
        "H200-141GB-SXM": "h200-sxm",
        "H200-NVL-141GB": "h200-nvl",
        "H800-80GB": "h800-sxm",
        "L40S": "l40s",
        "MI300X": "mi300x",
        "MI325X": "mi325x",
        "MI350X": "mi350x",
        "MI355X": "mi355x",
        "RTX-4090": "rtx-4090",
        "RTX-A6000": "rtx-a6000",
        "V100-SXM2": "v100-sxm2",
    }
)
"""Catalogue id by the name in the records. The two Ascend servers of one name differ by 1.12 to 1.20 in
speed, the ratio of the 353.9 and 294.9 TFLOPS of their bins."""

_RUN_SERVERS: Final[Mapping[str, str]] = MappingProxyType(
    {"Ascend-910C@Atlas-900-A3-SuperPoD": "cloudmatrix-384"}
)
"""Server by the name in the records, where that says more than the number of devices in a node."""

_USUAL_NODE: Final = 8
_DIE: Final = re.compile(r"[-\s_](?:die|gcd)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RunDevice:
    """The device of a run, and how its record counts it."""

    device: Device
    devices_per_unit: int
    """Devices that software sees in one that the record counts: 1 where it counts dies."""
    devices_per_node: int
    """As software sees them."""
    domain: int | None
    """Devices of the scale-up domain, as software sees them, where it is not the server's."""


def accelerator_of(name: str | None, catalogue: Catalogue) -> Accelerator | None:
    """Return the accelerator that a record names, or None where no plugin has it.

    The table comes first, then the catalogue's own names. A name that may mean several devices means the one
    whose id it spells out furthest ("H100-80GB-PCIe"), else the model that most runs were measured on.
    """
    if not name:
        return None
    known = catalogue.find(Accelerator, RUN_DEVICES.get(name, ""))
    if known is not None:
        return known
    plain = _DIE.sub("", name.partition("@")[0])
    try:
        return resolve_accelerator(catalogue, plain)
    except InputError:
        return _nearest(plain, catalogue)


def _words(name: str) -> list[str]:
    words = re.split(r"[^a-z0-9]+", name.casefold())
    return [re.sub(r"^(\d+)gb?$", r"\1", word) for word in words if word]


def _model(words: list[str]) -> str:
    """Return the first word that has a digit: what comes before is a brand that many models share."""
    return next((word for word in words if any(letter.isdigit() for letter in word)), words[0])


def _nearest(name: str, catalogue: Catalogue) -> Accelerator | None:
    said = set(_words(name))
    runs = {one.accelerator: one.runs for one in catalogue.all(Calibration)}
    ranked: list[tuple[bool, int, int, Accelerator]] = []
    for one in catalogue.all(Accelerator):
        spelt = _words(one.id.removeprefix(f"{one.vendor}-"))
        called = {_model(spelt), *("".join(_words(alias)) for alias in one.aliases)}
        if one.trains and said & called:
            whole = set(spelt) <= said
            ranked.append((whole, len(spelt) if whole else 0, runs.get(one.id, -1), one))
    # The first of equals in order of id stays first, since max keeps it.
    return max(ranked, key=lambda row: row[:3])[3] if ranked else None


def device_of(record: RunRecord, catalogue: Catalogue) -> RunDevice | str:
    """Return the device of a run, or why there is none."""
    accelerator = accelerator_of(record.accelerator, catalogue)
    if accelerator is None:
        return f"no plugin has the device {record.accelerator or '(not named)'}"
    calibration = next((c for c in catalogue.all(Calibration) if c.accelerator == accelerator.id), None)
    if calibration is None or accelerator.memory_bandwidth is None:
        return f"no plugin has constants for {accelerator.id}"
    stack = stack_of(record, catalogue, accelerator.vendor)
    if stack is None:
        return f"no plugin has a stack for {accelerator.id}"
    server, borrowed = _server(record, accelerator, catalogue)
    taken = {"server": borrowed, "calibration": bool(calibration.sibling)}
    taken["nics"] = server.nic_bytes_per_s() is None
    taken["memory_bandwidth"] = bool(accelerator.memory_bandwidth.sibling)
    device = Device(
        accelerator=accelerator,
        server=server,
        calibration=calibration,
        stack=stack,
        power=power_model(catalogue, server, accelerator.vendor),
        collectives=tuple(c for c in catalogue.all(Collective) if c.accelerator == accelerator.id),
        borrowed=tuple(name for name, is_so in taken.items() if is_so),
    )
    device = with_fits(device, catalogue)
    unit = _devices_per_unit(record, device)
    node = _node(record, server) * unit
    return RunDevice(device, unit, node, _domain(record, device, unit))


def _devices_per_unit(record: RunRecord, device: Device) -> int:
    """Return 1 where the record counts dies: by its name, or because a node has as many as software sees."""
    dies, count = device.accelerator.dies, device.server.accelerator_count
    node = record.accelerators_per_node
    counts_dies = bool(_DIE.search(record.accelerator or "")) or (node == count * dies and node != count)
    return 1 if counts_dies else dies


def _node(record: RunRecord, server: Server) -> int:
    return record.accelerators_per_node or min(server.accelerator_count, _USUAL_NODE)


def _domain(record: RunRecord, device: Device, unit: int) -> int | None:
    """Return the size of a bridged group; a node that is a part of a rack keeps the rack's domain."""
    bridged = bridged_devices(record.intra_node_link)
    if bridged is None or bridged == device.server.scale_up_domain:
        return None
    return bridged * unit


def _server(record: RunRecord, accelerator: Accelerator, catalogue: Catalogue) -> tuple[Server, bool]:
    """Return a server of the device and whether it is another device's or made up.

    A node of the run's size comes first, then a server of the device's own before one that it is sold in as
    well, then one whose ports and nameplate are known, then the first id. Without any, the server of a
    relative of the same form is taken, and failing that a plain node whose ports are unknown.
    """
    named = catalogue.find(Server, _RUN_SERVERS.get(record.accelerator or "", ""))
    if named is not None:
        return named, False
    servers, node = catalogue.all(Server), record.accelerators_per_node
    fitting = [s for s in servers if accelerator.id in {s.accelerator, *s.sibling_accelerators}]
    borrowed = not fitting
    if borrowed:
        relatives = _relatives(accelerator, catalogue)
        fitting = [s for s in servers if s.accelerator in relatives]
    if not fitting:
        return _plain_node(record, accelerator), True
    best = min(
        fitting,
        key=lambda s: (
            s.accelerator_count != node,
            s.accelerator != accelerator.id,
            (s.nic_bytes_per_s() is None) + (s.max_power is None),
            s.id,
        ),
    )
    return best, borrowed


def _form(accelerator: Accelerator) -> str:
    """Return the first word of a form factor, such as SXM5 or OAM."""
    return re.split(r"[^A-Za-z0-9]+", accelerator.form_factor)[0].casefold()


def _relatives(accelerator: Accelerator, catalogue: Catalogue) -> set[str]:
    """Return devices that share vendor, form and link, so that the same boards carry them."""
    link = accelerator.scale_up
    if link is None or link.topology is Topology.PCIE:
        return set()
    return {
        one.id
        for one in catalogue.all(Accelerator)
        if one.vendor == accelerator.vendor
        and _form(one) == _form(accelerator)
        and one.scale_up is not None
        and one.scale_up.topology is link.topology
        and one.scale_up.per_device.si == link.per_device.si
    }


def _plain_node(record: RunRecord, accelerator: Accelerator) -> Server:
    """Return a node of the record's size with nothing known of it but its devices, all in one domain."""
    count = record.accelerators_per_node or _USUAL_NODE
    return Server(
        id=f"node-of-{count}-{accelerator.id}",
        name=Text(zh=f"{count} 卡节点", en=f"node of {count} devices"),
        vendor=accelerator.vendor,
        maker=accelerator.maker,
        accelerator=accelerator.id,
        accelerator_count=count,
        scale_up_domain=count,
    )
