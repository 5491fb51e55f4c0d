"""Loads the plugins: finds them, drains their hooks, checks them against each other, files what is left."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from suanli.domain.catalogue import Catalogue, Provenance
from suanli.domain.record import Record
from suanli.errors import Fault, nearest
from suanli.host.discovery import Candidate, disable_hint, find_candidates, open_module
from suanli.host.draining import Drained, HookManager, drain
from suanli.host.host import Host
from suanli.host.plugins import DISABLE_VARIABLE, PluginInfo, PluginStatus
from suanli.host.references import Entry, Resolved, resolve, unique
from suanli.project.scenario import Scenario
from suanli.proposal.contributions import CostLines, Renderer, Section, Theme

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from importlib.metadata import EntryPoint

    from suanli.host.draining import Contribution

__all__ = ["disabled_by_environment", "load_host"]

C = TypeVar("C", Scenario, Renderer, CostLines, Section, Theme)

_KINDS: Mapping[type, str] = MappingProxyType(
    {
        Scenario: "scenarios",
        Renderer: "renderers",
        CostLines: "cost-lines",
        Section: "sections",
        Theme: "themes",
    }
)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """One plugin after its hooks were drained, before it was checked against the others."""

    candidate: Candidate
    api_version: int | None = None
    disabled: bool = False
    drained: Drained = field(default_factory=Drained)

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.candidate.name, self.candidate.distribution, self.candidate.version)


def disabled_by_environment(environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """Return the names of plugins that the user wants left out."""
    listed = (os.environ if environment is None else environment).get(DISABLE_VARIABLE, "")
    return frozenset(name.strip() for name in listed.split(",") if name.strip())


def load_host(
    entry_points: Iterable[EntryPoint] | None = None, *, disabled: Collection[str] | None = None
) -> Host:
    """Load every plugin and return all that they contribute, with what is wrong with each.

    No plugin can stop the host or another plugin; the result does not depend on the order in which plugins
    are found.

    Args:
        entry_points: the entry points to load; None loads those of the installed distributions.
        disabled: names of plugins to leave out; None reads them from ``SUANLI_DISABLE_PLUGINS``.
    """
    names = disabled_by_environment() if disabled is None else frozenset(disabled)
    manager = HookManager()
    loaded = _without_namesakes(find_candidates(entry_points), names, manager)
    faults: dict[str, list[Fault]] = defaultdict(list)
    for plugin in loaded:
        faults[plugin.candidate.name].extend(plugin.drained.faults)
    records = _resolve(loaded, faults)
    scenarios = _unique_items(loaded, Scenario, faults)
    renderers = _unique_items(loaded, Renderer, faults)
    lines = _unique_items(loaded, CostLines, faults)
    sections = _unique_items(loaded, Section, faults)
    themes = _unique_items(loaded, Theme, faults)
    counts = _counts(records.entries, scenarios, renderers, lines, sections, themes)
    unknown = tuple(_unknown_disabled(names, [plugin.candidate.name for plugin in loaded]))
    return Host(
        plugins=tuple(
            replace(_info(plugin, faults, counts, records), themes=_owned(plugin, themes))
            for plugin in loaded
        ),
        catalogue=Catalogue.of(records.entries),
        scenarios=MappingProxyType({item.id: item for item, _ in scenarios}),
        renderers=MappingProxyType({item.id: item for item, _ in renderers}),
        sections=tuple(item for item, _ in sections),
        cost_lines=tuple(item for item, _ in lines),
        themes=MappingProxyType({item.id: item for item, _ in themes}),
        settings_faults=unknown,
    )


def _without_namesakes(
    candidates: tuple[Candidate, ...], disabled: frozenset[str], manager: HookManager
) -> tuple[_Loaded, ...]:
    """Load the candidates; of several with one name none, because a message could not say which is meant."""
    by_name: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_name[candidate.name].append(candidate)
    loaded: list[_Loaded] = []
    for name, rivals in by_name.items():
        if len(rivals) == 1 or name in disabled:
            loaded.append(_load(rivals[0], disabled, manager))
        else:
            labels = ", ".join(rival.label for rival in rivals)
            fault = Fault(
                f'the name "{name}" is claimed by {labels}',
                why="none of them is loaded",
                cure="uninstall all but one",
            )
            loaded.append(_Loaded(rivals[0], drained=Drained(faults=(fault,))))
    return tuple(loaded)


def _load(candidate: Candidate, disabled: frozenset[str], manager: HookManager) -> _Loaded:
    if candidate.name in disabled:
        return _Loaded(candidate, disabled=True)
    # What a plugin prints goes to stderr, because stdout may be carrying a JSON document.
    with contextlib.redirect_stdout(sys.stderr):
        opened = open_module(candidate)
        if opened.module is None:
            faults = () if opened.fault is None else (opened.fault,)
            return _Loaded(candidate, opened.api_version, drained=Drained(faults=faults))
        return _Loaded(candidate, opened.api_version, drained=drain(manager, opened.module, candidate.name))


def _resolve(loaded: tuple[_Loaded, ...], faults: dict[str, list[Fault]]) -> Resolved:
    entries = [
        (item, plugin.provenance)
        for plugin in loaded
        for item in plugin.drained.items
        if isinstance(item, Record)
    ]
    single = unique(entries)
    for name, found in single.faults.items():
        faults[name].extend(found)
    failed = [plugin.candidate.name for plugin in loaded if faults[plugin.candidate.name]]
    resolved = resolve(single.entries, incomplete=any(plugin.disabled for plugin in loaded), failed=failed)
    for name, found in resolved.faults.items():
        faults[name].extend(found)
    return resolved


def _unique_items(
    loaded: tuple[_Loaded, ...], wanted: type[C], faults: dict[str, list[Fault]]
) -> tuple[tuple[C, str], ...]:
    """Return contributions of a type with their plugin, in order of id; of several with one id, none."""
    by_id: dict[str, list[tuple[C, _Loaded]]] = defaultdict(list)
    for plugin in loaded:
        for item in plugin.drained.items:
            if isinstance(item, wanted):
                by_id[item.id].append((item, plugin))
    kept: list[tuple[C, str]] = []
    for name, rivals in sorted(by_id.items()):
        if len(rivals) == 1:
            kept.append((rivals[0][0], rivals[0][1].candidate.name))
            continue
        owners = sorted({plugin.candidate.name for _, plugin in rivals})
        for owner in owners:
            faults[owner].append(_rival(f"{_KINDS[wanted]}[{name}]", rivals))
    return tuple(kept)


def _owned(plugin: _Loaded, themes: Iterable[tuple[Theme, str]]) -> tuple[str, ...]:
    """Return the names of the themes that a plugin brings."""
    return tuple(theme.id for theme, owner in themes if owner == plugin.candidate.name)


def _rival(key: str, rivals: list[tuple[C, _Loaded]]) -> Fault:
    names = " and by ".join(
        f'plugin "{plugin.candidate.name}" ({plugin.candidate.label})' for _, plugin in rivals
    )
    cure = f"rename one, or disable one plugin: {disable_hint(rivals[-1][1].candidate.name)}"
    return Fault(f"is given by {names}", key=key, why="none of them is kept", cure=cure)


def _counts(
    entries: tuple[Entry, ...], *items: tuple[tuple[Contribution, str], ...]
) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for record, provenance in entries:
        counts[provenance.plugin][record.kind] += 1
    for group in items:
        for item, plugin in group:
            counts[plugin][_KINDS[type(item)]] += 1
    return counts


def _info(
    plugin: _Loaded, faults: Mapping[str, list[Fault]], counts: Mapping[str, Counter[str]], records: Resolved
) -> PluginInfo:
    name = plugin.candidate.name
    found = tuple(faults.get(name, ()))
    status = PluginStatus.FAILED if found else PluginStatus.OK
    return PluginInfo(
        name=name,
        distribution=plugin.candidate.distribution,
        version=plugin.candidate.version,
        module=plugin.candidate.entry_point.value,
        api_version=plugin.api_version,
        status=PluginStatus.DISABLED if plugin.disabled else status,
        hooks=plugin.drained.hooks,
        counts=MappingProxyType(dict(sorted(counts.get(name, Counter[str]()).items()))),
        left_out=records.left_out.get(name, 0),
        faults=found,
    )


def _unknown_disabled(disabled: frozenset[str], known: list[str]) -> Iterable[Fault]:
    for name in sorted(disabled.difference(known)):
        yield Fault(f'no plugin is named "{name}"', where=DISABLE_VARIABLE, cure=nearest(name, known))
