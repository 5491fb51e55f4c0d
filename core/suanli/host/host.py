"""The host as the rest of the program sees it: typed, frozen, in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from suanli.domain.catalogue import Catalogue
from suanli.domain.hardware import Accelerator
from suanli.domain.record import Text
from suanli.errors import Fault, InputError, PluginError, nearest
from suanli.host.plugins import DISABLE_VARIABLE, PluginInfo, PluginStatus
from suanli.project.scenario import Scenario
from suanli.proposal.contributions import CostLines, Renderer, Section, Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["VENDORS", "Host"]

VENDORS = "vendors"
"""Kind of a vendor id in `Host.require`: what the field ``vendor`` of accelerators holds."""

_FEW = 12
"""Names that are listed in a message rather than counted."""


@dataclass(frozen=True, slots=True)
class Host:
    """Everything that the plugins contributed, and what is wrong with them."""

    plugins: tuple[PluginInfo, ...] = ()
    catalogue: Catalogue = field(default_factory=Catalogue)
    scenarios: Mapping[str, Scenario] = field(default_factory=dict[str, Scenario])
    renderers: Mapping[str, Renderer] = field(default_factory=dict[str, Renderer])
    sections: tuple[Section, ...] = ()
    themes: Mapping[str, Theme] = field(default_factory=dict[str, Theme])
    cost_lines: tuple[CostLines, ...] = ()
    settings_faults: tuple[Fault, ...] = ()
    """What is wrong with the host's own settings, such as an unknown name among the disabled plugins."""

    @property
    def problems(self) -> tuple[tuple[PluginInfo, Fault], ...]:
        """Return every fault with its plugin, in order of plugin name."""
        return tuple((plugin, fault) for plugin in self.plugins for fault in plugin.faults)

    @property
    def notices(self) -> tuple[Text, ...]:
        """Return one sentence for each failed plugin, for a document that was made without a part of it."""
        return tuple(_notice(plugin) for plugin in self.plugins if plugin.faults)

    @property
    def vendors(self) -> tuple[str, ...]:
        """Return the vendors of all accelerators, sorted."""
        return tuple(sorted({record.vendor for record in self.catalogue.all(Accelerator)}))

    def plugin(self, name: str, *, key: str = "") -> PluginInfo:
        """Return what the host knows of a plugin.

        Raises:
            InputError: no plugin has that name.
        """
        for plugin in self.plugins:
            if plugin.name == name:
                return plugin
        names = [plugin.name for plugin in self.plugins]
        why = f"installed: {', '.join(names)}"
        raise InputError(Fault(f'no plugin is named "{name}"', key=key, why=why, cure=nearest(name, names)))

    def scenario(self, name: str, *, key: str = "scenario") -> Scenario:
        """Return a scenario.

        Raises:
            InputError: no plugin has it.
            PluginError: none has it, and a plugin that may have had it failed.
        """
        self.require("scenarios", name, key=key)
        return self.scenarios[name]

    def renderer(self, name: str, *, key: str = "--formats") -> Renderer:
        """Return the renderer of a format.

        Raises:
            InputError: no plugin has it.
            PluginError: none has it, and a plugin that may have had it failed.
        """
        self.require("renderers", name, key=key)
        return self.renderers[name]

    def require(self, kind: str, name: str, *, key: str = "") -> None:
        """Make sure that something which the input names is there and comes from a sound plugin.

        Args:
            kind: a catalogue kind, ``vendors``, ``scenarios``, ``renderers`` or ``themes``.
            name: the id that the input gives.
            key: where the input gives it, for the message.

        Raises:
            InputError: nothing has that name, and no failed plugin can be blamed.
            PluginError: the plugin that would have given it failed.
        """
        known = self._names(kind)
        if name in known:
            if kind == VENDORS:
                _raise_failed(kind, name, key, [item for item in self._homes(name) if item.faults])
            return
        similar = nearest(name, known)
        _raise_failed(kind, name, key, self._suspects(name, certain=bool(similar)))
        few = len(known) <= _FEW
        listing = (
            f"known: {', '.join(known) or 'none'}"
            if few
            else f"suanli catalog {kind} lists the {len(known)} known"
        )
        disabled = [item.name for item in self.plugins if item.status is PluginStatus.DISABLED]
        off = [f"{DISABLE_VARIABLE} leaves out {', '.join(disabled)}, which may have it"] if disabled else []
        why = "; ".join([listing, *off])
        raise InputError(Fault(f'"{name}" is not among the {kind}', key=key, why=why, cure=similar))

    def _names(self, kind: str) -> tuple[str, ...]:
        if kind == VENDORS:
            return self.vendors
        if kind == "scenarios":
            return tuple(self.scenarios)
        if kind == "renderers":
            return tuple(self.renderers)
        if kind == "themes":
            return tuple(self.themes)
        return tuple(self.catalogue.records.get(kind, ()))

    def _homes(self, vendor: str) -> list[PluginInfo]:
        """Return the plugins that stand for a vendor.

        That is the one named after it; only without such a one all that give accelerators of the vendor. A
        stranger's plugin that adds a broken server to a vendor's range does not bar the vendor.
        """
        named = [item for item in self.plugins if item.name == vendor]
        if named:
            return named
        givers = {
            self.catalogue.provenance[record.kind, record.id].plugin
            for record in self.catalogue.all(Accelerator)
            if record.vendor == vendor
        }
        return [item for item in self.plugins if item.name in givers]

    def _suspects(self, name: str, *, certain: bool) -> list[PluginInfo]:
        """Return the failed plugins that may have had a name.

        Those that the name begins with; else all, unless it looks like a misspelling of a known one.
        """
        failed = [item for item in self.plugins if item.status is PluginStatus.FAILED]
        named = [item for item in failed if name == item.name or name.startswith(f"{item.name}-")]
        return named or ([] if certain else failed)


def _headline(fault: Fault) -> str:
    return ": ".join(part for part in (fault.where, fault.key, fault.what) if part)


def _notice(plugin: PluginInfo) -> Text:
    name, origin = plugin.name, f"{plugin.distribution} {plugin.version}"
    first, more = _headline(plugin.faults[0]), len(plugin.faults) - 1
    others_en, others_zh = (f" (and {more} more)", f"（另有 {more} 项）") if more else ("", "")
    return Text(
        zh=f"插件“{name}”（{origin}）有问题，相应内容未采用：{first}{others_zh}",
        en=f'Plugin "{name}" ({origin}) has failed and what is wrong is left out: {first}{others_en}',
    )


def _raise_failed(kind: str, name: str, key: str, failed: Iterable[PluginInfo]) -> None:
    faults = [
        Fault(
            fault.what,
            where=": ".join(filter(None, (plugin.label, fault.where))),
            key=fault.key,
            why=fault.why,
            cure=fault.cure,
        )
        for plugin in failed
        for fault in plugin.faults
    ]
    if faults:
        noun = kind.removesuffix("s")
        raise PluginError(
            [
                Fault(f'{noun} "{name}" is needed, and a plugin that it may come from has failed', key=key),
                *faults,
            ]
        )
