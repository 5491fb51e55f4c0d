"""Carbon that making hardware took, as its document counts it."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from suanli.domain.figure import KgCo2e
from suanli.domain.record import Part

__all__ = ["EmbodiedCarbon", "EmbodiedScope"]


class EmbodiedScope(StrEnum):
    """What of a server a figure of embodied carbon covers."""

    DEVICE = "device"
    """The accelerators alone, without the board that joins them."""
    BASEBOARD = "baseboard"
    """The accelerators on their board, with its switches and heat sinks."""
    SERVER = "server"
    """The whole server, its accelerators included."""


class EmbodiedCarbon(Part):
    """Greenhouse gases from raw material to the factory gate; use and end of life are no part of it."""

    carbon: KgCo2e
    scope: EmbodiedScope
    devices: int = Field(default=1, ge=1)
    """Accelerators that the figure is of: a footprint of a board of eight is kept as it is printed."""

    @property
    def kg_per_device(self) -> float:
        """Return kg CO2e for each accelerator."""
        return self.carbon.si / self.devices
