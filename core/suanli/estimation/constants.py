"""The constants of one device under one stack, and neutral values for those a plugin leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.domain.hardware import NicRole, Precision, Topology
from suanli.domain.vendor import FitScope
from suanli.estimation.results import Constraint, Infeasible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.figure import Figure
    from suanli.domain.vendor import Fit
    from suanli.estimation.arrays import FloatArray
    from suanli.estimation.results import Device

__all__ = [
    "COMMON",
    "CONSTANTS_BY_SCOPE",
    "NEUTRAL",
    "PRECISION_NEUTRAL",
    "SHARED",
    "Constants",
    "SharedConstants",
    "nic_line_bytes_per_s",
    "resolve_constants",
    "shared_constants",
]

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
    "step_factor": 1.0,
    "loss_factor": 1.0,
    "narrow_factor": 1.0,
    "unfused": 0.0,
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
class SharedConstants:
    """Constants of the step-time model that hold for every device and stack."""

    attention_half_length: FloatArray
    """Tokens at which fused attention reaches half its efficiency."""
    unfused_efficiency: FloatArray
    """Products of unfused attention against GEMMs of large matrices."""
    grouped_overhead: FloatArray
    """Grouped expert GEMMs against one GEMM of the same shape, before the stack's own factor."""
    dense_kernels: FloatArray
    narrow_kernels: FloatArray
    moe_kernels: FloatArray
    adapter_kernels: FloatArray
    """Kernel launches of a layer's forward pass: dense layer, added by casts below 16 bit, routed layer, each
    adapter."""
    loss_bytes_per_logit: FloatArray
    cast_bytes: FloatArray
    """Bytes per GEMM input element of casts below 16 bit."""
    dequantise_bytes: FloatArray
    """Bytes per 4-bit weight and pass."""
    attention_cover: FloatArray
    """Share of attention behind which the exchange of a context-parallel ring hides."""
    expert_exposed: FloatArray
    """Share of the expert all-to-all that stays exposed."""
    pipeline_exposed: FloatArray
    head_on_slowest: FloatArray
    """Share of the LM head's excess that lands on the slowest stage where layers divide evenly."""
    dp_cover: FloatArray
    """Share of one stage's last forward and backward behind which gradients may travel."""
    optimizer_cost: FloatArray
    step_constant_s: FloatArray
    straggler: FloatArray
    """Slowdown per doubling of nodes."""
    selective_fsdp_share: FloatArray
    """Share of the forward pass that selective recomputation repeats under FSDP."""


SHARED: Final[Mapping[str, float]] = {
    "attention_half_length": 610.0,
    "unfused_efficiency": 0.77,
    "grouped_overhead": 1.6,
    "dense_kernels": 12.0,
    "narrow_kernels": 8.0,
    "moe_kernels": 26.0,
    "adapter_kernels": 4.0,
    "loss_bytes_per_logit": 50.0,
    "cast_bytes": 2.9,
    "dequantise_bytes": 14.0,
    "attention_cover": 0.6,
    "expert_exposed": 0.11,
    "pipeline_exposed": 0.28,
    "head_on_slowest": 0.72,
    "dp_cover": 0.9,
    "optimizer_cost": 1.45,
    "step_constant_s": 0.033,
    "straggler": 0.0043,
    "selective_fsdp_share": 0.5,
}
"""Values of the shared constants where no plugin gives them."""


COMMON: Final = ("shape_k", "shape_m", "shape_n", "hbm_efficiency", "nic_efficiency")
"""Constants of a calibration that are fitted for all devices together."""

_SIXTEEN_BIT: Final = frozenset({Precision.BF16, Precision.FP16})

_CALIBRATED: Final = (
    "attention_efficiency",
    "shape_k",
    "shape_m",
    "shape_n",
    "shape_chip",
    "collective_latency_s",
    "kernel_gap_s",
)
"""Constants that are taken from a calibration as they are."""

_OF_STACK: Final = (
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
    "step_factor",
    "loss_factor",
    "unfused",
)
"""Constants that are taken from a stack as they are."""

CONSTANTS_BY_SCOPE: Final[Mapping[FitScope, frozenset[str]]] = MappingProxyType(
    {
        FitScope.DEVICE: frozenset({*_CALIBRATED, *COMMON, "gemm_efficiency", "allreduce_efficiency"}),
        FitScope.STACK: frozenset({*_OF_STACK, "narrow_factor"}),
        FitScope.SHARED: frozenset({*SHARED, *COMMON, *(f"{one}_efficiency" for one in PRECISION_NEUTRAL)}),
    }
)
"""Names that are read from the fit of a device family, of a stack, and of what all share."""


@dataclass(frozen=True, slots=True)
class Constants:
    """Figures of one device under one stack in SI units, efficiencies applied where the name says so.

    They hold for one device as software sees it: a die where the accelerator is a package of several. Flags
    are 1 or 0. Every field is an array, without an axis for one device, with one for several stacked.
    """

    peak_flops_per_s: FloatArray
    """Dense peak of the workload's precision."""
    peak16_flops_per_s: FloatArray
    """Dense peak of 16-bit formats: attention and the LM head."""
    narrow: FloatArray
    """1 where matrices are multiplied in a format below 16 bit."""
    gemm_efficiency: FloatArray
    """Large-matrix limit in the workload's precision."""
    gemm16_efficiency: FloatArray
    attention_efficiency: FloatArray
    """Fused causal attention in the limit of long sequences."""
    shape_k: FloatArray
    shape_m: FloatArray
    shape_n: FloatArray
    shape_chip: FloatArray
    hbm_bytes_per_s: FloatArray
    """Memory bandwidth that vector work reaches."""
    link_bytes_per_s: FloatArray
    """All-reduce bus bandwidth inside a scale-up domain, per device."""
    domain_bytes_per_s: FloatArray
    """The same for a group that is the whole domain, where it was measured: in-switch reduction helps only
    there."""
    mesh: FloatArray
    """1 where a part of the domain gets only a part of the links."""
    domain: FloatArray
    """Devices in one scale-up domain."""
    devices_per_node: FloatArray
    nic_bytes_per_s: FloatArray
    """Network bandwidth that a large collective reaches, per device."""
    host_bytes_per_s: FloatArray
    """Bandwidth between device and host memory, per device and direction."""
    collective_latency_s: FloatArray
    kernel_gap_s: FloatArray
    compute_factor: FloatArray
    vector_factor: FloatArray
    host_s_per_kernel: FloatArray
    tp_hidden: FloatArray
    dp_hidden: FloatArray
    fsdp_contention: FloatArray
    moe_gemm_factor: FloatArray
    moe_host_s_per_layer: FloatArray
    attention_factor: FloatArray
    """Multiplier of a stack's kernel on the attention efficiency."""
    ring_factor: FloatArray
    """Multiplier of a stack on attention time under context parallelism."""
    step_factor: FloatArray
    """Multiplier of a stack on the constant part of a step."""
    loss_factor: FloatArray
    """Multiplier of a stack's loss kernel on the bytes that the loss moves."""
    fully_sharded: FloatArray
    """1 where the stack shards weights in the manner of FSDP."""
    unfused: FloatArray
    """1 where attention keeps its score matrix in memory, as before FlashAttention."""


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


def nic_line_bytes_per_s(device: Device) -> float:
    """Return the line rate between nodes that one accelerator gets: the server's compute ports, or one."""
    node = device.server.nic_bytes_per_s(NicRole.COMPUTE)
    return NIC_NEUTRAL_BYTES_PER_S if node is None else node / device.server.accelerator_count


def _narrow_efficiency(device: Device, precision: Precision) -> float:
    """Return the multiplier of a format below 16 bit: the device's own, the fitted one, or the neutral one.

    Stacks differ in how they scale and cast, so that each has a factor of its own on top.
    """
    if precision in _SIXTEEN_BIT:
        return 1.0
    own = device.calibration.precision_efficiency.get(precision)
    fitted = device.shared.constants.get(f"{precision.value}_efficiency") if device.shared else None
    figure = own or fitted
    common = PRECISION_NEUTRAL.get(precision, 1.0) if figure is None else figure.si
    return common * _value(device.stack.constants, "narrow_factor")


def _peak16(device: Device) -> float | None:
    accelerator = device.accelerator
    return accelerator.peak_flops_per_s(Precision.BF16) or accelerator.peak_flops_per_s(Precision.FP16)


def shared_constants(fit: Fit | None = None) -> SharedConstants:
    """Return the shared constants, those that a fit has replaced by its own."""
    fitted = {} if fit is None else {name: one.si for name, one in fit.constants.items() if name in SHARED}
    merged = {**SHARED, **fitted}
    return SharedConstants(**{name: np.array(value, dtype=np.float64) for name, value in merged.items()})


def _host_bytes_per_s(device: Device) -> float:
    generation = device.accelerator.pcie_generation
    key = _PCIE_NEUTRAL_GENERATION if generation is None else int(generation.si)
    return _PCIE_LANE_BYTES_PER_S.get(key, _PCIE_LANE_BYTES_PER_S[_PCIE_NEUTRAL_GENERATION])


def resolve_constants(device: Device, precision: Precision) -> Constants | Infeasible:
    """Return the constants of a device in a precision, or why there are none.

    A device without a peak in the precision, or without a known memory bandwidth, is infeasible rather than
    guessed. Where software sees each die of a package as a device, rates are divided by the dies and the
    scale-up domain holds as many more devices.
    """
    accelerator, calibrated, given = device.accelerator, device.calibration.constants, device.stack.constants
    peak, peak16 = accelerator.peak_flops_per_s(precision), _peak16(device)
    if peak is None or peak16 is None:
        return Infeasible(Constraint.PRECISION, need=1.0, have=0.0)
    if accelerator.memory_bandwidth is None:
        return Infeasible(Constraint.CALIBRATION, need=1.0, have=0.0)
    common = {} if device.shared is None else device.shared.constants
    calibrated = {**calibrated, **{name: common[name] for name in COMMON if name in common}}
    efficiency, dies = _value(calibrated, "gemm_efficiency"), accelerator.dies
    link = _line_rate_bytes_per_s(device) * _value(calibrated, "allreduce_efficiency")
    mesh = accelerator.scale_up is not None and accelerator.scale_up.topology is Topology.MESH
    values = {
        "peak_flops_per_s": peak / dies,
        # The LM head and attention run in 16 bit even where matrices are narrower.
        "peak16_flops_per_s": (peak if precision in _SIXTEEN_BIT else peak16) / dies,
        "narrow": precision not in _SIXTEEN_BIT,
        "gemm_efficiency": efficiency * _narrow_efficiency(device, precision),
        "gemm16_efficiency": efficiency,
        "hbm_bytes_per_s": accelerator.memory_bandwidth.si * _value(calibrated, "hbm_efficiency") / dies,
        "link_bytes_per_s": link / dies,
        "domain_bytes_per_s": _domain_bytes_per_s(device, link) / dies,
        "mesh": mesh,
        "domain": device.server.scale_up_domain * dies,
        "devices_per_node": device.server.accelerator_count * dies,
        "nic_bytes_per_s": nic_line_bytes_per_s(device) * _value(calibrated, "nic_efficiency") / dies,
        "host_bytes_per_s": _host_bytes_per_s(device) / dies,
        "fully_sharded": device.stack.sharding == "fsdp",
        # What the chip does comes from the calibration, what the framework does from the stack: the two were
        # fitted apart, so that any stack can be combined with any device.
        **{name: _value(calibrated, name) for name in _CALIBRATED},
        **{name: _value(given, name) for name in _OF_STACK},
    }
    pair = device.calibration.stack_factors.get(device.stack.id)
    values["compute_factor"] *= 1.0 if pair is None else pair.si
    return Constants(**{name: np.array(value, dtype=np.float64) for name, value in values.items()})
