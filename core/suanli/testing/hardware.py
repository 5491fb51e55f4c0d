"""Checks of hardware figures against what is physically and commercially possible."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Accelerator, Collective, Link, Precision, Server, Switch
from suanli.errors import Fault
from suanli.testing.subject import Check, Subject, between, place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.figure import Figure

__all__ = ["CHECKS"]

_WIDTHS: Final = (
    (Precision.FP32,),
    (Precision.TF32,),
    (Precision.BF16, Precision.FP16),
    (Precision.FP8,),
    (Precision.FP4,),
)
"""Floating formats by falling width. Integer peaks stand apart: recent devices cut them down on purpose."""

_SLACK: Final = 1.005
"""Data sheets round peaks to three digits."""

_SPARSE_GAIN: Final = 2.0
"""Peak with 2:4 structured sparsity over the dense peak."""

_GIB_OVER_GB: Final = 2**30 / 1e9


def dense_peaks_do_not_fall_as_precision_narrows(subject: Subject) -> Iterator[Fault]:
    """Yield every device whose narrower format is slower than a wider one."""
    for device in subject.records(Accelerator):
        steps = [[(p, device.dense_peak[p].si) for p in group if p in device.dense_peak] for group in _WIDTHS]
        for wide, narrow in pairwise(step for step in steps if step):
            slowest, fastest = min(narrow, key=lambda item: item[1]), max(wide, key=lambda item: item[1])
            if slowest[1] * _SLACK < fastest[1]:
                low, high = slowest[1] / 1e12, fastest[1] / 1e12
                what = f"{slowest[0]} peaks at {low:g} TFLOPS, {fastest[0]} at {high:g}"
                yield Fault(what, key=place(device, "dense_peak"), why="is one of them a sparse figure?")


def dense_peaks_are_plausible(subject: Subject) -> Iterator[Fault]:
    """Yield every peak outside 1 TFLOPS to 100 PFLOPS a package."""
    for device in subject.records(Accelerator):
        for precision, peak in device.dense_peak.items():
            yield from between(peak.si, 1e12, 1e17, device, f"dense_peak.{precision}")


def a_training_device_has_a_16_bit_peak(subject: Subject) -> Iterator[Fault]:
    """Yield every device that trains but has no peak to train with."""
    for device in subject.records(Accelerator):
        if device.trains and not {Precision.BF16, Precision.FP16}.intersection(device.dense_peak):
            yield Fault(
                "has neither a bf16 nor an fp16 peak",
                key=place(device, "dense_peak"),
                cure="or say trains: false",
            )


def headline_peaks_are_not_below_dense_ones(subject: Subject) -> Iterator[Fault]:
    """Yield every format whose marketing figure is below the range of its dense one: the two were swapped.

    A sparse figure is twice the dense one; a smaller one says that the dense peak is a sparse figure itself.
    """
    for device in subject.records(Accelerator):
        for name, headline in device.headline_peak.items():
            same = (peak for precision, peak in device.dense_peak.items() if precision == name.split()[0])
            dense = next(same, None)
            if dense is None:
                continue
            if headline.si * _SLACK < _low_si(dense):
                yield Fault("is below the dense peak", key=place(device, f"headline_peak.{name}"))
            elif "sparse" in name and headline.si * _SLACK < _SPARSE_GAIN * _low_si(dense):
                what = "is less than twice the dense peak"
                why = "structured sparsity doubles it; is the dense peak a sparse figure?"
                yield Fault(what, key=place(device, f"headline_peak.{name}"), why=why)


def _low_si(figure: Figure) -> float:
    """Return the low end of a figure's range in SI units, or the figure where it has none."""
    return (figure.value if figure.low is None else figure.low) * figure.units[figure.unit]


def memory_is_plausible(subject: Subject) -> Iterator[Fault]:
    """Yield every capacity outside 4 GB to 4 TB, and every usable memory that is above the nominal one.

    Many a data sheet writes GB for GiB, so what is usable may be above the decimal figure by that much.
    """
    for device in subject.records(Accelerator):
        yield from between(device.memory.si, 4e9, 4e12, device, "memory")
        if device.usable_memory is not None and device.usable_memory.si > device.memory.si * _GIB_OVER_GB:
            yield Fault("is above the nominal memory", key=place(device, "usable_memory"))


def memory_bandwidth_is_within_physical_range(subject: Subject) -> Iterator[Fault]:
    """Yield every bandwidth outside 20 GB/s to 40 TB/s, from one LPDDR channel to stacks to come."""
    for device in subject.records(Accelerator):
        figure = device.memory_bandwidth
        yield from between(figure.si if figure else None, 0.02e12, 40e12, device, "memory_bandwidth")


def work_per_byte_of_memory_traffic_is_plausible(subject: Subject) -> Iterator[Fault]:
    """Yield every device whose 16-bit peak over memory bandwidth is outside 10 to 3000 FLOPs per byte."""
    for device in subject.records(Accelerator):
        peak = device.peak_flops_per_s(Precision.BF16) or device.peak_flops_per_s(Precision.FP16)
        if peak is not None and device.memory_bandwidth is not None:
            yield from between(peak / device.memory_bandwidth.si, 10, 3000, device, "memory_bandwidth")


def device_power_is_plausible(subject: Subject) -> Iterator[Fault]:
    """Yield every TDP outside 5 W to 5 kW."""
    for device in subject.records(Accelerator):
        yield from between(device.tdp.si if device.tdp else None, 5, 5000, device, "tdp")


def embodied_carbon_is_plausible(subject: Subject) -> Iterator[Fault]:
    """Yield every embodied carbon outside 10 kg to 5 t CO2e for each accelerator."""
    hardware: tuple[Accelerator | Server, ...] = (*subject.records(Accelerator), *subject.records(Server))
    for record in hardware:
        embodied = record.embodied_carbon
        kg = embodied.kg_per_device if embodied is not None else None
        yield from between(kg, 10, 5000, record, "embodied_carbon.carbon")


def device_links_are_plausible_per_direction(subject: Subject) -> Iterator[Fault]:
    """Yield every device link outside 8 GB/s to 4 TB/s one way, or slower than its part between a pair."""
    for device in subject.records(Accelerator):
        if device.scale_up is not None:
            total, pair = device.scale_up.per_device, device.scale_up.pairwise
            yield from between(total.si, 8e9, 4e12, device, "scale_up.per_device")
            if pair is not None and pair.si > total.si * _SLACK:
                yield Fault("is above the sum over all links", key=place(device, "scale_up.pairwise"))


def links_are_plausible_per_direction(subject: Subject) -> Iterator[Fault]:
    """Yield every link outside 0.1 GB/s to 4 TB/s one way, or with an efficiency outside 0 to 1."""
    for link in subject.records(Link):
        yield from between(link.per_device.si, 0.1e9, 4e12, link, "per_device")
        yield from between(link.efficiency.si if link.efficiency else None, 0.05, 1.0, link, "efficiency")
        yield from between(link.latency.si if link.latency else None, 1e-8, 1e-3, link, "latency")


def some_training_device_has_a_server(subject: Subject) -> Iterator[Fault]:
    """Yield a fault where no server of any plugin carries any of the training devices.

    A device whose server no document describes is listed and shown as not computable; that is no fault.
    """
    carried = {
        name
        for server in (*subject.host.catalogue.all(Server), *subject.records(Server))
        for name in (server.accelerator, *server.sibling_accelerators)
    }
    training = [device.id for device in subject.records(Accelerator) if device.trains]
    if training and carried.isdisjoint(training):
        cure = "add a server, or say trains: false"
        yield Fault(f"no server carries any of {', '.join(training)}", key=Server.kind, cure=cure)


def devices_draw_no_more_than_their_server(subject: Subject) -> Iterator[Fault]:
    """Yield every server whose devices' TDP together is above its nameplate."""
    for server in subject.records(Server):
        device = subject.host.catalogue.find(Accelerator, server.accelerator)
        if device is not None and device.tdp is not None and server.max_power is not None:
            devices_w = device.tdp.si * server.accelerator_count
            if devices_w > server.max_power.si:
                what = f"{server.accelerator_count} × {device.tdp.si:g} W is above {server.max_power.si:g} W"
                yield Fault(what, key=place(server, "max_power"))


def servers_are_plausible(subject: Subject) -> Iterator[Fault]:
    """Yield every server figure outside its range: devices, power, height, ports."""
    for server in subject.records(Server):
        yield from between(server.accelerator_count, 1, 1024, server, "accelerator_count")
        yield from between(server.max_power.si if server.max_power else None, 200, 1e6, server, "max_power")
        yield from between(
            server.rack_units.si if server.rack_units else None, 0.5, 1000, server, "rack_units"
        )
        for number, nic in enumerate(server.nics):
            yield from between(nic.rate.si, 0.125e9, 0.4e12, server, f"nics[{number}].rate")
        if server.max_power and server.typical_power and server.typical_power.si > server.max_power.si:
            yield Fault("is above the nameplate", key=place(server, "typical_power"))


def switches_carry_what_their_ports_do(subject: Subject) -> Iterator[Fault]:
    """Yield every switch whose capacity is below the sum of its ports by more than a third.

    It may be twice the sum, where both directions are counted, and more, where there are uplinks of another
    speed.
    """
    for switch in subject.records(Switch):
        if switch.ports is not None and switch.port_rate is not None and switch.capacity is not None:
            needed = switch.ports.si * switch.port_rate.si
            yield from between(switch.capacity.si, needed * 2 / 3, 1e15, switch, "capacity")


def collectives_are_not_faster_than_their_links(subject: Subject) -> Iterator[Fault]:
    """Yield every bus bandwidth in a node above twice the device link: in-switch sums at most double it."""
    for measured in subject.records(Collective):
        device = (
            subject.host.catalogue.find(Accelerator, measured.accelerator) if measured.accelerator else None
        )
        if device is not None and device.scale_up is not None and measured.allreduce_busbw is not None:
            limit = 2 * device.scale_up.per_device.si
            yield from between(measured.allreduce_busbw.si, 0, limit, measured, "allreduce_busbw")


CHECKS = (
    Check(dense_peaks_do_not_fall_as_precision_narrows, Accelerator),
    Check(dense_peaks_are_plausible, Accelerator),
    Check(a_training_device_has_a_16_bit_peak, Accelerator),
    Check(headline_peaks_are_not_below_dense_ones, Accelerator),
    Check(memory_is_plausible, Accelerator),
    Check(memory_bandwidth_is_within_physical_range, Accelerator),
    Check(work_per_byte_of_memory_traffic_is_plausible, Accelerator),
    Check(device_power_is_plausible, Accelerator),
    Check(embodied_carbon_is_plausible, Accelerator),
    Check(device_links_are_plausible_per_direction, Accelerator),
    Check(some_training_device_has_a_server, Accelerator),
    Check(links_are_plausible_per_direction, Link),
    Check(devices_draw_no_more_than_their_server, Server),
    Check(servers_are_plausible, Server),
    Check(switches_carry_what_their_ports_do, Switch),
    Check(collectives_are_not_faster_than_their_links, Collective),
)
