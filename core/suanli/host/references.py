"""Checks what no record can check alone: ids are unique over all plugins, and what they refer to exists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from suanli.domain.catalogue import Provenance
from suanli.domain.export import CountryGroup, ExportControl
from suanli.domain.figure import Figure, Source
from suanli.domain.hardware import Accelerator, Collective, Server
from suanli.domain.record import Part, Record
from suanli.domain.software import StackFeatures
from suanli.domain.vendor import Calibration, Fit, FitScope, PowerModel, SkuStatus, SoftwareStack
from suanli.errors import Fault, nearest
from suanli.host.discovery import disable_hint

__all__ = ["Entry", "Resolved", "references_of", "resolve", "sources_of", "unique"]

Entry = tuple[Record, Provenance]
"""A record with the plugin that it came from."""

_Key = tuple[str, str]

_Dangling = tuple[Record, tuple[str, str, str], Mapping[str, list[str]]]
"""A record, what it needs and has not got, and the ids by kind that there were at that time."""

_SHOWN: Final = 3
"""Records that a message names; more are counted."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The entries that are kept, in order of kind and id, and the faults of the others by plugin."""

    entries: tuple[Entry, ...]
    faults: Mapping[str, tuple[Fault, ...]]
    left_out: Mapping[str, int]
    """Entries dropped without a fault, by plugin."""


def unique(entries: Iterable[Entry]) -> Resolved:
    """Keep the records whose kind and id nobody else gives.

    Of equal records one is kept. Of records that differ none is: which of the two would win must not depend
    on the order of loading, and a figure that two plugins dispute is not known.
    """
    by_key: dict[_Key, list[Entry]] = defaultdict(list)
    for record, provenance in entries:
        by_key[record.kind, record.id].append((record, provenance))
    kept: list[Entry] = []
    faults: dict[str, list[Fault]] = defaultdict(list)
    for _, rivals in sorted(by_key.items()):
        first = rivals[0]
        same = all(rival[0] == first[0] for rival in rivals)
        kept.extend([first] if same else [])
        if len(rivals) > 1:
            for plugin in sorted({provenance.plugin for _, provenance in rivals}):
                faults[plugin].append(_duplicate(plugin, rivals, same=same))
    return Resolved(tuple(kept), {name: tuple(found) for name, found in faults.items()}, {})


def _duplicate(plugin: str, rivals: list[Entry], *, same: bool) -> Fault:
    record = rivals[0][0]
    others = [origin for _, origin in rivals if origin.plugin != plugin]
    key = f"{record.kind}[{record.id}]"
    why = "the records are equal and one is kept" if same else "the records differ and none is kept"
    if not others:
        return Fault(
            f"is given {len(rivals)} times by this plugin",
            key=key,
            why=why,
            cure="remove or rename all but one",
        )
    names = ", ".join(
        f'plugin "{origin.plugin}" ({origin.distribution} {origin.version})' for origin in others
    )
    cure = f"rename one of the two, or disable one plugin: {disable_hint(others[-1].plugin)}"
    return Fault(f"is given by this plugin and by {names}", key=key, why=why, cure=cure)


_SOURCE_FIELDS: Final = frozenset({"source"})
_SOURCE_MAPS: Final = frozenset({"text_sources", "version_source"})


def sources_of(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the key path and the id of every source that a record's figures and statements name."""
    if isinstance(value, Figure):
        yield f"{path}.source", value.source
    elif isinstance(value, Part):
        for name in type(value).model_fields:
            yield from _sources_of_field(name, getattr(value, name), f"{path}.{name}" if path else name)
    elif isinstance(value, Mapping):
        for name, part in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from sources_of(part, f"{path}.{name}")  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, tuple):
        for number, part in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield from sources_of(part, f"{path}[{number}]")  # pyright: ignore[reportUnknownArgumentType]


def _sources_of_field(name: str, value: object, path: str) -> Iterator[tuple[str, str]]:
    if name in _SOURCE_FIELDS and isinstance(value, str):
        yield path, value
    elif name in _SOURCE_MAPS and isinstance(value, Mapping):
        for key, source in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield f"{path}.{key}", str(source)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, (Part, Mapping, tuple)):
        yield from sources_of(value, path)  # pyright: ignore[reportUnknownArgumentType]


def references_of(record: Record) -> Iterator[tuple[str, str, str]]:
    """Yield key, kind and id of every other record that a record cannot do without."""
    match record:
        case Server():
            yield "accelerator", Accelerator.kind, record.accelerator
            for device in record.sibling_accelerators:
                yield "sibling_accelerators", Accelerator.kind, device
        case Calibration() | SkuStatus():
            yield "accelerator", Accelerator.kind, record.accelerator
        case Collective() if record.accelerator is not None:
            yield "accelerator", Accelerator.kind, record.accelerator
        case Fit() if record.scope is FitScope.STACK:
            yield "subject", SoftwareStack.kind, record.subject
        case PowerModel() if record.server is not None:
            yield "server", Server.kind, record.server
        case ExportControl():
            yield from _groups_of(record)
        case StackFeatures():
            for stack in record.stacks:
                yield "stacks", SoftwareStack.kind, stack
        case _:
            return


def _groups_of(record: ExportControl) -> Iterator[tuple[str, str, str]]:
    for group in (*record.groups, *record.except_groups):
        yield "groups", CountryGroup.kind, group


def _needs(record: Record) -> Iterator[tuple[str, str, str]]:
    for key, source in sources_of(record):
        yield key, Source.kind, source
    yield from references_of(record)


def resolve(entries: Iterable[Entry], *, incomplete: bool, failed: Iterable[str] = ()) -> Resolved:
    """Keep the records for which everything they refer to is there.

    Dropping one may leave another without what it refers to, so this goes on until nothing more falls.

    Args:
        entries: records with unique kind and id.
        incomplete: True where plugins are disabled; what then lacks a reference is no fault.
        failed: names of plugins that failed, which may have had what is missing.
    """
    # Sources refer to nothing, hence their ids never change while others fall.
    kept: dict[_Key, Entry] = {(entry[0].kind, entry[0].id): entry for entry in entries}
    open_needs = {key: tuple(_needs(entry[0])) for key, entry in kept.items()}
    dangling: dict[str, list[_Dangling]] = defaultdict(list)
    left_out: dict[str, int] = defaultdict(int)
    while True:
        missing = {
            key: [need for need in needs if need[1:] not in kept]
            for key, needs in open_needs.items()
            if key in kept
        }
        fallen = {key: needs for key, needs in missing.items() if needs}
        if not fallen:
            break
        known = _ids_by_kind(kept)
        for key, needs in sorted(fallen.items()):
            record, origin = kept.pop(key)
            if incomplete:
                left_out[origin.plugin] += 1
            else:
                dangling[origin.plugin].extend((record, need, known) for need in needs)
    faults = {name: tuple(_dangling(found, tuple(failed))) for name, found in dangling.items()}
    ordered = tuple(entry for _, entry in sorted(kept.items()))
    return Resolved(ordered, faults, dict(left_out))


def _ids_by_kind(kept: Iterable[_Key]) -> dict[str, list[str]]:
    known: dict[str, list[str]] = defaultdict(list)
    for kind, record_id in kept:
        known[kind].append(record_id)
    return known


def _dangling(found: list[_Dangling], failed: tuple[str, ...]) -> Iterator[Fault]:
    """Yield one fault for each thing that is missing, however many records and figures name it."""
    by_wanted: dict[_Key, list[_Dangling]] = defaultdict(list)
    for entry in found:
        by_wanted[entry[1][1:]].append(entry)
    for (kind, wanted), entries in by_wanted.items():
        record, (key, _, _), known = entries[0]
        others = sorted(
            {f"{other.kind}[{other.id}]" for other, _, _ in entries} - {f"{record.kind}[{record.id}]"}
        )
        why = "the record is left out"
        if others:
            shown = ", ".join(others[:_SHOWN])
            rest = f" and {len(others) - _SHOWN} more" if others[_SHOWN:] else ""
            why += f", and so are {shown}{rest}, which name it too"
        if failed:
            why += f"; {', '.join(failed)} failed and may have had it"
        yield Fault(
            f'names {kind.removesuffix("s")} "{wanted}", which no loaded plugin has',
            key=f"{record.kind}[{record.id}].{key}",
            why=why,
            cure=nearest(wanted, known.get(kind, ())),
        )
