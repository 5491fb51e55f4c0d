"""Which devices are considered, each with its server, constants, stack and power model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.hardware import Accelerator, Collective, Precision, Server
from suanli.domain.naming import resolve_accelerator
from suanli.domain.vendor import Calibration, PowerModel, SoftwareStack
from suanli.errors import Fault, InputError
from suanli.estimation.fitted import with_fits
from suanli.estimation.flops import is_adapter
from suanli.estimation.results import Constraint, Device, Infeasible, Remedy, RemedyKind

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement, Workload

__all__ = ["candidate_devices", "power_model"]


def _chosen(catalogue: Catalogue, requirement: Requirement) -> list[Accelerator]:
    """Return the accelerators to look at: those named, or each considered vendor's that train."""
    wish = requirement.vendors
    if not wish.accelerators:
        return [a for a in catalogue.all(Accelerator) if a.vendor in wish.consider and a.trains]
    faults: list[Fault] = []
    found: dict[str, Accelerator] = {}
    for index, name in enumerate(wish.accelerators):
        try:
            one = resolve_accelerator(catalogue, name, key=f"vendors.accelerators[{index}]")
        except InputError as error:
            faults.extend(error.faults)
        else:
            found[one.id] = one
    if faults:
        raise InputError(faults)
    return list(found.values())


def _known_figures(server: Server) -> int:
    figures = (
        server.max_power,
        server.typical_power,
        server.rack_units,
        server.host_memory,
        server.local_nvme,
        server.weight,
    )
    return sum(figure is not None for figure in figures) + 2 * bool(server.nics)


def _server(catalogue: Catalogue, accelerator: Accelerator) -> tuple[Server, bool] | None:
    """Return the best-known server of a device and whether it is a sibling's.

    A device's own servers come first; among them the one with most known figures, then the smaller, then the
    first id.
    """
    servers = catalogue.all(Server)
    own = [server for server in servers if server.accelerator == accelerator.id]
    sold = own or [server for server in servers if accelerator.id in server.sibling_accelerators]
    if not sold:
        return None
    best = min(sold, key=lambda server: (-_known_figures(server), server.accelerator_count, server.id))
    return best, not own


def _stack(catalogue: Catalogue, vendor: str, workload: Workload) -> SoftwareStack | None:
    """Return the stack that the workload names, or the vendor's default for the task."""
    if workload.stack:
        stack = catalogue.get(SoftwareStack, workload.stack, key="workload.stack")
        return stack if vendor in stack.vendors else None
    stacks = catalogue.all(SoftwareStack)
    adapted = _adapter_stack(catalogue, vendor) if is_adapter(workload) else None
    return adapted or next((stack for stack in stacks if vendor in stack.default_for), None)


def _adapter_stack(catalogue: Catalogue, vendor: str) -> SoftwareStack | None:
    return next((one for one in catalogue.all(SoftwareStack) if vendor in one.default_for_lora), None)


def power_model(catalogue: Catalogue, server: Server, vendor: str) -> PowerModel | None:
    """Return the server's own power model, else the vendor's general one."""
    models = catalogue.all(PowerModel)
    own = next((model for model in models if model.server == server.id), None)
    return own or next(
        (model for model in models if model.server is None and model.id == f"power-{vendor}"), None
    )


def _other_precisions(accelerator: Accelerator) -> tuple[Remedy, ...]:
    """Return the 16-bit formats of a device as ways out of one that it lacks."""
    known = [one for one in (Precision.BF16, Precision.FP16) if accelerator.peak_flops_per_s(one) is not None]
    return tuple(Remedy(RemedyKind.OTHER_PRECISION, detail=one.value) for one in known[:1])


def _device(catalogue: Catalogue, accelerator: Accelerator, workload: Workload) -> Device | Infeasible:
    calibration = next((c for c in catalogue.all(Calibration) if c.accelerator == accelerator.id), None)
    server = _server(catalogue, accelerator)
    stack = _stack(catalogue, accelerator.vendor, workload)
    if not accelerator.trains or calibration is None or server is None or stack is None:
        return Infeasible(Constraint.CALIBRATION, need=1.0, have=0.0)
    if accelerator.peak_flops_per_s(workload.precision) is None:
        return Infeasible(Constraint.PRECISION, need=1.0, have=0.0, remedies=_other_precisions(accelerator))
    if accelerator.memory_bandwidth is None:
        return Infeasible(Constraint.CALIBRATION, need=1.0, have=0.0)
    borrowed = [
        name for name, taken in (("server", server[1]), ("calibration", bool(calibration.sibling))) if taken
    ]
    if accelerator.memory_bandwidth.sibling:
        borrowed.append("memory_bandwidth")
    if server[0].nic_bytes_per_s() is None:
        borrowed.append("nics")
    device = Device(
        accelerator=accelerator,
        server=server[0],
        calibration=calibration,
        stack=stack,
        power=power_model(catalogue, server[0], accelerator.vendor),
        collectives=tuple(c for c in catalogue.all(Collective) if c.accelerator == accelerator.id),
        borrowed=tuple(borrowed),
        adapter_stack=None if workload.stack else _adapter_stack(catalogue, accelerator.vendor),
    )
    return with_fits(device, catalogue)


def candidate_devices(
    requirement: Requirement, catalogue: Catalogue
) -> tuple[Device | tuple[str, Infeasible], ...]:
    """Return, for each considered accelerator in order of id, the device to size or why it cannot be sized.

    Inference parts are passed over unless they are named; a device without calibration, server or stack is
    reported, never replaced.

    Raises:
        InputError: a named accelerator is unknown or ambiguous, or the named stack is unknown.
    """
    found: list[Device | tuple[str, Infeasible]] = []
    for accelerator in sorted(_chosen(catalogue, requirement), key=lambda one: one.id):
        outcome = _device(catalogue, accelerator, requirement.workload)
        found.append((accelerator.id, outcome) if isinstance(outcome, Infeasible) else outcome)
    return tuple(found)
