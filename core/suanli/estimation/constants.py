"""The constants of one device under one stack, and neutral values for those a plugin leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import NicRole, Precision, Topology
from suanli.estimation.results import Constraint, Infeasible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.figure import Figure
    from suanli.estimation.results import Device

__all__ = ["NEUTRAL", "PRECISION_NEUTRAL", "Constants", "resolve_constants"]

NEUTRAL: Final[Mapping[str, float]] = {
    "gemm_efficiency": 0.60,
    "attention_efficiency": 0.40,
    "shape_k": 199.0,
    "shape_m": 370.0,
    "shape_n": 106.0,
    "shape_chip": 1.0,
    "hbm_efficiency": 0.765,
    "nic_efficiency": 0.74,
    "collective_latency_s": 15e-6,
    "kernel_gap_s": 2e-6,
    "allreduce_efficiency": 0.74,
    "compute_factor": 1.0,
    "vector_factor": 1.25,
    "host_s_per_kernel": 12e-6,
    "tp_hidden": 0.25,
    "dp_hidden": 0.70,
    "fsdp_contention": 0.30,
    "moe_gemm_factor": 1.0,
    "moe_host_s_per_layer": 2e-3,
    "attention_factor": 1.0,
    "ring_factor": 1.0,
}
"""Values for constants that neither calibration nor stack gives: the middle of what the calibrated devices
and stacks show."""

PRECISION_NEUTRAL: Final[Mapping[Precision, float]] = {
    Precision.FP8: 0.88,
    Precision.INT8: 0.88,
    Precision.FP4: 0.66,
}
"""Multiplier on the GEMM efficiency of formats narrower than 16 bit, where the calibration has none."""

NIC_NEUTRAL_BYTES_PER_S: Final = 25e9
"""Line rate per device between nodes where the server's document names no compute port: one 200 Gbit/s
port."""

_PCIE_LANE_BYTES_PER_S: Final[Mapping[int, float]] = {3: 15.75e9, 4: 31.5e9, 5: 63e9, 6: 121e9}
"""One direction of a x16 slot by generation (PCI-SIG base specifications, after line coding)."""

_PCIE_NEUTRAL_GENERATION = 4


@dataclass(frozen=True, slots=True)
class Constants:
    """All figures of the step-time model in SI units, efficiencies already applied where the name says so.

    They hold for one device as software sees it: a die where the accelerator is a package of several.
    """

    peak_flops_per_s: float
    """Dense peak of the workload's precision."""
    peak16_flops_per_s: float
    """Dense peak of 16-bit formats: attention and the LM head."""
    gemm_efficiency: float
    """Large-matrix limit in the workload's precision."""
    gemm16_efficiency: float
    attention_efficiency: float
    """Fused causal attention in the limit of long sequences."""
    shape_k: float
    shape_m: float
    shape_n: float
    shape_chip: float
    hbm_bytes_per_s: float
    """Memory bandwidth that vector work reaches."""
    link_bytes_per_s: float
    """All-reduce bus bandwidth inside a scale-up domain, per device."""
    domain_bytes_per_s: float
    """The same for a group that is the whole domain, where it was measured: in-switch reduction helps only
    there."""
    mesh: bool
    """True where a part of the domain gets only a part of the links."""
    domain: int
    """Devices in one scale-up domain."""
    nic_bytes_per_s: float
    """Network bandwidth that a large collective reaches, per device."""
    collective_latency_s: float
    kernel_gap_s: float
    compute_factor: float
    vector_factor: float
    host_s_per_kernel: float
    tp_hidden: float
    dp_hidden: float
    fsdp_contention: float
    moe_gemm_factor: float
    moe_host_s_per_layer: float
    attention_factor: float
    """Multiplier of a stack's kernel on the attention efficiency."""
    ring_factor: float
    """Multiplier of a stack on attention time under context parallelism."""

    @property
    def narrow(self) -> bool:
        """Tell whether matrices are multiplied in a format below 16 bit."""
        return self.peak_flops_per_s != self.peak16_flops_per_s


def _value(figures: Mapping[str, Figure], name: str) -> float:
    figure = figures.get(name)
    return NEUTRAL[name] if figure is None else figure.si


def _domain_bytes_per_s(device: Device, link_bytes_per_s: float) -> float:
    """Return the all-reduce bus bandwidth of the whole domain: measured if it is, else that of the link.

    Of several measurements of the same size the slowest counts: the fastest come from in-switch reduction or
    payloads of many gigabytes, which layer-sized messages do not reach. Per accelerator, as it was measured.
    """
    domain = device.server.scale_up_domain
    measured = [
        collective.allreduce_busbw.si
        for collective in device.collectives
        if collective.allreduce_busbw is not None
        and collective.devices == min(domain, device.server.accelerator_count)
        and (collective.nodes or 1) == 1
        and collective.accelerator == device.accelerator.id
    ]
    # A single measured figure is taken as it is: it holds protocol and topology losses already.
    return min(measured, default=link_bytes_per_s)


def _line_rate_bytes_per_s(device: Device) -> float:
    scale_up = device.accelerator.scale_up
    if scale_up is not None:
        return scale_up.per_device.si
    generation = device.accelerator.pcie_generation
    key = _PCIE_NEUTRAL_GENERATION if generation is None else int(generation.si)
    return _PCIE_LANE_BYTES_PER_S.get(key, _PCIE_LANE_BYTES_PER_S[_PCIE_NEUTRAL_GENERATION])


def _nic_bytes_per_s(device: Device) -> float:
    node = device.server.nic_bytes_per_s(NicRole.COMPUTE)
    line = NIC_NEUTRAL_BYTES_PER_S if node is None else node / device.server.accelerator_count
    return line * _value(device.calibration.constants, "nic_efficiency")


def _precision_efficiency(device: Device, precision: Precision) -> float:
    figure = device.calibration.precision_efficiency.get(precision)
    return PRECISION_NEUTRAL.get(precision, 1.0) if figure is None else figure.si


def _peak16(device: Device) -> float | None:
    accelerator = device.accelerator
    return accelerator.peak_flops_per_s(Precision.BF16) or accelerator.peak_flops_per_s(Precision.FP16)


def resolve_constants(device: Device, precision: Precision) -> Constants | Infeasible:
    """Return the constants of a device in a precision, or why there are none.

    A device without a peak in the precision, or without a known memory bandwidth, is infeasible rather than
    guessed. Where software sees each die of a package as a device, rates are divided by the dies and the
    scale-up domain holds as many more devices.
    """
    accelerator, calibrated, stack = device.accelerator, device.calibration.constants, device.stack.constants
    peak, peak16 = accelerator.peak_flops_per_s(precision), _peak16(device)
    if peak is None or peak16 is None:
        return Infeasible(Constraint.PRECISION, need=1.0, have=0.0)
    if accelerator.memory_bandwidth is None:
        return Infeasible(Constraint.CALIBRATION, need=1.0, have=0.0)
    efficiency, dies = _value(calibrated, "gemm_efficiency"), accelerator.dies
    link = _line_rate_bytes_per_s(device) * _value(calibrated, "allreduce_efficiency")
    # What the chip does comes from the calibration, what the framework does from the stack: the two were
    # fitted apart, so that any stack can be combined with any device.
    shared = {name: _value(calibrated, name) for name in _CALIBRATED} | {
        name: _value(stack, name) for name in _OF_STACK
    }
    return Constants(
        peak_flops_per_s=peak / dies,
        # The LM head and attention run in 16 bit even where matrices are narrower.
        peak16_flops_per_s=(peak if precision in _SIXTEEN_BIT else peak16) / dies,
        gemm_efficiency=efficiency * _precision_efficiency(device, precision),
        gemm16_efficiency=efficiency,
        hbm_bytes_per_s=accelerator.memory_bandwidth.si * _value(calibrated, "hbm_efficiency") / dies,
        link_bytes_per_s=link / dies,
        domain_bytes_per_s=_domain_bytes_per_s(device, link) / dies,
        mesh=accelerator.scale_up is not None and accelerator.scale_up.topology is Topology.MESH,
        domain=device.server.scale_up_domain * dies,
        nic_bytes_per_s=_nic_bytes_per_s(device) / dies,
        **shared,
    )


_SIXTEEN_BIT = {Precision.BF16, Precision.FP16}
_CALIBRATED = (
    "attention_efficiency",
    "shape_k",
    "shape_m",
    "shape_n",
    "shape_chip",
    "collective_latency_s",
    "kernel_gap_s",
)
_OF_STACK = (
    "compute_factor",
    "vector_factor",
    "host_s_per_kernel",
    "tp_hidden",
    "dp_hidden",
    "fsdp_contention",
    "moe_gemm_factor",
    "moe_host_s_per_layer",
    "attention_factor",
    "ring_factor",
)
