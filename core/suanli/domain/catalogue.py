"""Everything the plugins contributed, filed by kind and id, with the distribution each record came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from suanli.domain.record import Record
from suanli.errors import Fault, InputError, nearest

__all__ = ["Catalogue", "Provenance"]

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Which plugin contributed a record."""

    plugin: str
    distribution: str
    version: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Records by kind and id; iteration is always in order of id."""

    records: Mapping[str, Mapping[str, Record]] = field(default_factory=dict[str, Mapping[str, Record]])
    provenance: Mapping[tuple[str, str], Provenance] = field(
        default_factory=dict[tuple[str, str], Provenance]
    )

    @classmethod
    def of(cls, entries: Iterable[tuple[Record, Provenance]]) -> Catalogue:
        """File records; the caller has already refused duplicates."""
        kinds: dict[str, dict[str, Record]] = {}
        origin: dict[tuple[str, str], Provenance] = {}
        for record, provenance in entries:
            kinds.setdefault(record.kind, {})[record.id] = record
            origin[record.kind, record.id] = provenance
        filed = {kind: MappingProxyType(dict(sorted(kinds[kind].items()))) for kind in sorted(kinds)}
        return cls(MappingProxyType(filed), MappingProxyType(origin))

    def all(self, record_type: type[R]) -> tuple[R, ...]:
        """Return every record of a type, in order of id."""
        found = self.records.get(record_type.kind, {})
        return tuple(record for record in found.values() if isinstance(record, record_type))

    def find(self, record_type: type[R], record_id: str) -> R | None:
        """Return a record, or None where no plugin has it."""
        record = self.records.get(record_type.kind, {}).get(record_id)
        return record if isinstance(record, record_type) else None

    def get(self, record_type: type[R], record_id: str, *, key: str = "") -> R:
        """Return a record, or say which known one is nearest.

        Raises:
            InputError: no plugin has a record of that kind and id.
        """
        record = self.find(record_type, record_id)
        if record is None:
            known = self.records.get(record_type.kind, {})
            raise InputError(
                Fault(
                    f'"{record_id}" is not among the {record_type.kind} of the catalogue',
                    key=key,
                    why=f"suanli catalog {record_type.kind} lists the {len(known)} that the plugins know",
                    cure=nearest(record_id, known),
                )
            )
        return record
