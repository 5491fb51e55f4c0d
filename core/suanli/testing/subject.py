"""What a check looks at: one plugin, what it yields before the host sifts it, and the host around it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from suanli.domain.record import Record
from suanli.errors import Fault
from suanli.host.draining import Drained, HookManager, drain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suanli.host.draining import Contribution
    from suanli.host.host import Host
    from suanli.host.plugins import PluginInfo

__all__ = ["Check", "Subject", "between", "examine", "place"]

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Subject:
    """One plugin under test."""

    plugin: PluginInfo
    host: Host
    drained: Drained

    def records(self, record_type: type[R]) -> tuple[R, ...]:
        """Return the plugin's records of a type, in its own order."""
        return tuple(item for item in self.drained.items if isinstance(item, record_type))


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold; its name is a sentence."""

    find: Callable[[Subject], Iterator[Fault]]
    about: type[Contribution] | None = None
    """What it looks at; it is left out for a plugin without any. None: it always applies."""

    @property
    def name(self) -> str:
        """Return the sentence."""
        return self.find.__name__.replace("_", " ")

    def applies_to(self, subject: Subject) -> bool:
        """Tell whether the plugin has what the check looks at."""
        return self.about is None or any(isinstance(item, self.about) for item in subject.drained.items)


def examine(name: str, host: Host) -> Subject:
    """Return a plugin of a host as the subject of checks; its hooks are called once more.

    Raises:
        InputError: the host has no plugin of that name.
    """
    plugin = host.plugin(name, key="NAME")
    return Subject(plugin, host, drain_again(plugin))


def drain_again(plugin: PluginInfo) -> Drained:
    """Return what a plugin yields in a fresh call of its hooks; nothing where it could not be loaded."""
    if plugin.api_version is None:
        return Drained()
    return drain(HookManager(), import_module(plugin.module), plugin.name)


def place(record: Record, key: str = "") -> str:
    """Return the key path of a record or of one of its fields."""
    return f"{record.kind}[{record.id}]" + (f".{key}" if key else "")


def between(value: float | None, low: float, high: float, record: Record, key: str) -> Iterator[Fault]:
    """Yield a fault where a known figure, in SI units, is outside its physical range."""
    if value is not None and not low <= value <= high:
        why = f"between {low:g} and {high:g} in SI units; a wrong unit is the usual reason"
        yield Fault(f"{value:g} is not plausible", key=place(record, key), why=why)
