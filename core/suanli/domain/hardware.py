"""Accelerators, servers, links and switches, as their documents describe them."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Self

from pydantic import Field, model_validator

from suanli.domain.embodied import EmbodiedCarbon, EmbodiedScope
from suanli.domain.figure import (
    Bytes,
    BytesPerSecond,
    FlopsPerSecond,
    Kilograms,
    Number,
    RackUnits,
    Seconds,
    SquareMetres,
    Watts,
)
from suanli.domain.record import Identifier, Part, Record, Text

__all__ = [
    "Accelerator",
    "Collective",
    "Cooling",
    "Link",
    "LinkScope",
    "Nic",
    "NicRole",
    "Precision",
    "ScaleUp",
    "Server",
    "Switch",
    "Topology",
]


class Precision(StrEnum):
    """Number formats of matrix multiplication, in order of falling width."""

    FP32 = "fp32"
    TF32 = "tf32"
    BF16 = "bf16"
    FP16 = "fp16"
    FP8 = "fp8"
    INT8 = "int8"
    FP4 = "fp4"


class Topology(StrEnum):
    """How the devices inside one scale-up domain are joined."""

    SWITCHED = "switched"
    """Every pair gets the whole per-device bandwidth."""
    MESH = "mesh"
    """Point-to-point links to each peer: a group of k among n gets (k-1)/(n-1) of the per-device
    bandwidth.
    """
    PCIE = "pcie"
    """No device link of its own: traffic crosses the host's PCIe."""


class ScaleUp(Part):
    """The device-to-device link inside a server or rack."""

    name: str
    topology: Topology
    per_device: BytesPerSecond
    """Sum over the links of one device, one direction."""
    pairwise: BytesPerSecond | None = None
    """One direction between two devices, where it differs from the sum (a mesh)."""


class Accelerator(Record):
    """One accelerator as it is sold: a package, which may hold several dies."""

    kind: ClassVar[str] = "accelerators"

    name: Text
    vendor: Identifier
    """Vendor key: ascend, nvidia, amd or a stranger's."""
    maker: Text
    origin: str = ""
    """ISO 3166-1 code of the maker's country; "domestic" preference looks at it."""
    family: str = ""
    """Relatives that share constants, such as ``hopper``."""
    architecture: str = ""
    launched: str = ""
    form_factor: str = ""
    dies: int = Field(default=1, ge=1)
    """Devices that software sees in one package."""
    dense_peak: dict[Precision, FlopsPerSecond]
    """Dense matrix peaks of the whole package. Absent means unsupported or unknown, never zero."""
    headline_peak: dict[str, FlopsPerSecond] = Field(default_factory=dict[str, FlopsPerSecond])
    """Figures of marketing (sparse, or with vector units added): shown as such, never a denominator."""
    memory: Bytes
    memory_type: str = ""
    usable_memory: Bytes | None = None
    """What software can allocate, measured; nominal memory less a reserve is used where it is unknown."""
    memory_bandwidth: BytesPerSecond | None = None
    scale_up: ScaleUp | None = None
    tdp: Watts | None = None
    die_area: SquareMetres | None = None
    """Logic dies of the whole package, which export control divides the processing performance by."""
    pcie_generation: Number | None = None
    embodied_carbon: EmbodiedCarbon | None = None
    """Of the accelerator, or of the board that joins some; a whole server's belongs to the server."""
    numeric_formats: tuple[str, ...] = ()
    trains: bool = True
    """False for inference parts, which are listed but not offered for training."""
    aliases: tuple[str, ...] = ()
    """Other names that people write for this device."""
    ambiguous_with: tuple[Identifier, ...] = ()
    disagreements: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check_embodied(self) -> Self:
        if self.embodied_carbon is not None and self.embodied_carbon.scope is EmbodiedScope.SERVER:
            raise ValueError("embodied_carbon of a whole server belongs to the server")
        return self

    def peak_flops_per_s(self, precision: Precision) -> float | None:
        """Return the dense peak in FLOP/s, or None where the format is unsupported or its peak unknown."""
        figure = self.dense_peak.get(precision)
        return None if figure is None or figure.barred else figure.si


class NicRole(StrEnum):
    """What a server's network port is for."""

    COMPUTE = "compute"
    STORAGE = "storage"
    MANAGEMENT = "management"


class Nic(Part):
    """A group of equal network ports of a server."""

    role: NicRole
    count: int = Field(ge=1)
    rate: BytesPerSecond
    """Line rate of one port, one direction."""
    label: str = ""


class Cooling(StrEnum):
    """How a server sheds its heat."""

    AIR = "air"
    LIQUID = "liquid"


class Server(Record):
    """A server, or a rack that is bought as one unit."""

    kind: ClassVar[str] = "servers"

    name: Text
    vendor: Identifier
    maker: Text
    accelerator: Identifier
    accelerator_count: int = Field(ge=1)
    sibling_accelerators: tuple[Identifier, ...] = ()
    """Other devices that the same server is sold with, by a stated kinship."""
    scale_up_domain: int = Field(ge=1)
    """Accelerators that share one scale-up link domain."""
    max_power: Watts | None = None
    """Nameplate. Unknown is absent; a sum of power supplies is never a server's power."""
    typical_power: Watts | None = None
    rack_units: RackUnits | None = None
    cooling: Cooling | None = None
    cpus: str = ""
    system_memory: str = ""
    host_memory: Bytes | None = None
    nics: tuple[Nic, ...] = ()
    local_nvme: Bytes | None = None
    weight: Kilograms | None = None
    embodied_carbon: EmbodiedCarbon | None = None
    """Of the whole server with its accelerators."""
    power_supplies: str = ""
    text_sources: dict[str, Identifier] = Field(default_factory=dict[str, Identifier])
    """Sources of the textual fields, by field name."""
    disagreements: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check_embodied(self) -> Self:
        embodied = self.embodied_carbon
        if embodied is None:
            return self
        if embodied.scope is not EmbodiedScope.SERVER:
            raise ValueError("embodied_carbon of accelerators belongs to the accelerator")
        if embodied.devices != self.accelerator_count:
            raise ValueError(
                f"embodied_carbon is of {embodied.devices} devices, not {self.accelerator_count}"
            )
        return self

    @model_validator(mode="after")
    def _check_domain(self) -> Self:
        count, domain = self.accelerator_count, self.scale_up_domain
        if count % domain and domain % count:
            raise ValueError(f"scale_up_domain {domain} does not fit accelerator_count {count}")
        return self

    def nic_bytes_per_s(self, role: NicRole = NicRole.COMPUTE) -> float | None:
        """Return the one-way line rate of all ports of a role together, or None where none is known."""
        rates = [nic.count * nic.rate.si for nic in self.nics if nic.role is role]
        return sum(rates) if rates else None


class LinkScope(StrEnum):
    """Which level of the topology a link belongs to."""

    INTRA_NODE = "intra-node"
    INTER_NODE = "inter-node"
    HOST = "host"


class Link(Record):
    """A kind of interconnect."""

    kind: ClassVar[str] = "links"

    name: Text
    scope: LinkScope
    per_device: BytesPerSecond
    """One direction, per device (or per port for a network link)."""
    latency: Seconds | None = None
    efficiency: Number | None = None
    """Fraction of the line rate that a large all-reduce reaches, as measured."""
    notes: tuple[str, ...] = ()


class Switch(Record):
    """A network switch."""

    kind: ClassVar[str] = "switches"

    name: Text
    vendor: Identifier
    technology: str
    """infiniband or ethernet."""
    ports: Number | None = None
    port_rate: BytesPerSecond | None = None
    capacity: BytesPerSecond | None = None
    rack_units: RackUnits | None = None
    typical_power: Watts | None = None
    max_power: Watts | None = None
    latency: Seconds | None = None
    notes: tuple[str, ...] = ()


class Collective(Record):
    """A measured collective: bus bandwidth on stated hardware."""

    kind: ClassVar[str] = "collectives"

    hardware: str
    accelerator: Identifier | None = None
    devices: int = Field(ge=2)
    nodes: int | None = None
    allreduce_busbw: BytesPerSecond | None = None
    alltoall_busbw: BytesPerSecond | None = None
    condition: str = ""
