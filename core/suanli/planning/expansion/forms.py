"""Few large servers or many small ones: the same job on every form that the catalogue has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.domain.hardware import Server
from suanli.estimation.devices import power_model
from suanli.estimation.results import Sizing
from suanli.estimation.sizing import size_at
from suanli.planning import defaults
from suanli.planning.cluster import plan_cluster
from suanli.planning.expansion.results import ServerForm

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.estimation.goodput import FailureModel
    from suanli.planning.results import ClusterPlan

__all__ = ["other_servers", "server_forms"]


def other_servers(catalogue: Catalogue, chosen: Server, accelerator: str) -> tuple[Server, ...]:
    """Return one server of each other form that a device is sold in, the smaller first.

    A form is the number of devices in a server and in a scale-up domain. Of several servers of one form, the
    device's own comes first, then one whose nameplate is known.
    """
    forms: dict[tuple[int, int], Server] = {}
    known = sorted(
        catalogue.all(Server), key=lambda one: (one.accelerator != accelerator, one.max_power is None, one.id)
    )
    for server in known:
        if accelerator == server.accelerator or accelerator in server.sibling_accelerators:
            forms.setdefault(_form(server), server)
    forms.pop(_form(chosen), None)
    return tuple(forms[form] for form in sorted(forms))


def _form(server: Server) -> tuple[int, int]:
    return server.accelerator_count, server.scale_up_domain


def server_forms(
    plan: ClusterPlan,
    considered: Iterable[ClusterPlan],
    requirement: Requirement,
    catalogue: Catalogue,
    failures: FailureModel,
) -> tuple[ServerForm, ...]:
    """Return the chosen form of server and those to compare it with.

    The others carry the same device and as many of them at work, in whole servers. A device that is sold in
    one form only is compared with the options of the same vendor, which have devices and sizes of their own.

    Args:
        plan: the chosen cluster.
        considered: clusters of all options.
        requirement: the job and the site.
        catalogue: servers, and what a cluster is planned with.
        failures: how often devices fail.
    """
    device = plan.sizing.device
    servers = other_servers(catalogue, device.server, device.accelerator.id)
    others = tuple(_on(plan, server, requirement, catalogue, failures) for server in servers)
    if not others:
        others = tuple(
            _described(one, sized=True, other_device=True)
            for one in considered
            if one.sizing.device.accelerator.vendor == device.accelerator.vendor
            and one.sizing.device.key != device.key
        )
    return (_described(plan, sized=True), *others)


def _on(
    plan: ClusterPlan,
    server: Server,
    requirement: Requirement,
    catalogue: Catalogue,
    failures: FailureModel,
) -> ServerForm:
    """Return the job on another form of server, with as many devices."""
    today = plan.sizing
    vendor = today.device.accelerator.vendor
    device = replace(today.device, server=server, power=power_model(catalogue, server, vendor))
    job = replace(requirement.workload, tokens=today.tokens)
    found = size_at(device, replace(requirement, workload=job), today.accelerators, failures)
    nodes = -(-today.accelerators // server.accelerator_count)
    sized = isinstance(found, Sizing)
    sizing = replace(found if isinstance(found, Sizing) else today, device=device, nodes=nodes)
    return _described(plan_cluster(sizing, requirement, catalogue), sized=sized)


def _described(plan: ClusterPlan, *, sized: bool, other_device: bool = False) -> ServerForm:
    server = plan.sizing.device.server
    return ServerForm(
        plan,
        sized=sized,
        other_device=other_device,
        # A rack-scale system is repaired tray by tray, in place.
        repair_accelerators=min(server.accelerator_count, defaults.TRAY_ACCELERATORS),
        domain_accelerators=server.scale_up_domain,
    )
