"""Every record of the four data plugins, and the figures inside them, for the tests of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final, cast

from suanli.domain.catalogue import Catalogue, Provenance
from suanli.domain.figure import Figure
from suanli.domain.record import Part, Record, Text
from suanli.plugin import load_records

PLUGINS: Final = ("ascend", "nvidia", "amd", "common")
READ_ON: Final = date(2026, 11, 30)
"""The day on which the sources were read; no price can be newer."""


Golden = tuple[str, str, str, float, str, str]
"""Kind, id and key path of a figure, and the value, unit and source that it must have."""


def golden_name(golden: Golden) -> str:
    """Return the name of a golden figure for the list of tests."""
    return " ".join(golden[1:3])


def _entries() -> Iterator[tuple[Record, Provenance]]:
    for plugin in PLUGINS:
        for record in load_records(f"suanli_{plugin}"):
            yield record, Provenance(plugin, f"suanli-{plugin}", "0")


ENTRIES: Final = tuple(_entries())
RECORDS: Final = tuple(record for record, _ in ENTRIES)
CATALOGUE: Final = Catalogue.of(ENTRIES)


def _walk(value: object, path: str) -> Iterator[tuple[str, object]]:
    yield path, value
    if isinstance(value, Part):
        for name in type(value).model_fields:
            yield from _walk(getattr(value, name), f"{path}.{name}" if path else name)
    elif isinstance(value, Mapping):
        for name, part in cast("Mapping[str, object]", value).items():
            yield from _walk(part, f"{path}.{name}")
    elif isinstance(value, tuple):
        for number, part in enumerate(cast("tuple[object, ...]", value)):
            yield from _walk(part, f"{path}[{number}]")


def figures_of(record: Record) -> Iterator[tuple[str, Figure]]:
    """Yield every figure of a record with its key path."""
    yield from ((path, value) for path, value in _walk(record, "") if isinstance(value, Figure))


def texts_of(record: Record) -> Iterator[tuple[str, Text]]:
    """Yield every bilingual text of a record with its key path."""
    yield from ((path, value) for path, value in _walk(record, "") if isinstance(value, Text))


def strings_of(record: Record) -> Iterator[tuple[str, str]]:
    """Yield every string of a record with its key path."""
    yield from ((path, value) for path, value in _walk(record, "") if isinstance(value, str))


def all_figures() -> Iterator[tuple[str, Figure]]:
    """Yield every figure of the catalogue under a readable name."""
    for record in RECORDS:
        for path, figure in figures_of(record):
            yield f"{record.kind}[{record.id}].{path}", figure


def figure_at(kind: str, record_id: str, path: str) -> Figure:
    """Return one figure by kind, id and key path such as ``dense_peak.bf16``."""
    record = CATALOGUE.records[kind][record_id]
    found = dict(figures_of(record)).get(path)
    assert found is not None, f"{kind}[{record_id}] has no figure {path}"
    return found


def absent(kind: str, record_id: str, path: str) -> bool:
    """Tell whether a record has no figure at a key path, nor below it."""
    record = CATALOGUE.records[kind][record_id]
    return not any(found == path or found.startswith(f"{path}.") for found, _ in figures_of(record))
