"""What the host knows of each plugin: where it comes from, what it gave, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.errors import Fault

__all__ = ["DISABLE_VARIABLE", "PluginInfo", "PluginStatus"]

DISABLE_VARIABLE = "SUANLI_DISABLE_PLUGINS"
"""Environment variable with the names of plugins to leave out, separated by commas."""


class PluginStatus(StrEnum):
    """How loading went."""

    OK = "ok"
    FAILED = "failed"
    """Something is wrong with it; what it gave before and beside that is kept."""
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """One entry point of the group ``suanli.plugins`` and what became of it."""

    name: str
    distribution: str
    version: str
    module: str
    api_version: int | None
    """Version of the contract that the module states; None where it was not read."""
    status: PluginStatus
    hooks: tuple[str, ...] = ()
    """Hooks it implements, in order of name."""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many contributions of each kind the host keeps."""
    left_out: int = 0
    """Records that were dropped because they refer to something of a disabled plugin."""
    faults: tuple[Fault, ...] = ()
    themes: tuple[str, ...] = ()
    """Names of the themes that the host keeps of it."""

    @property
    def label(self) -> str:
        """Return the name with distribution and version, as messages give it."""
        return f'plugin "{self.name}" ({self.distribution} {self.version})'
