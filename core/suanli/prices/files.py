"""Files of quotations: sheets as suppliers fill them in, and price records as ``import`` writes them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import yaml
from pydantic import ValidationError

from suanli.domain.figure import Confidence, Source
from suanli.domain.market import Price
from suanli.errors import Fault, InputError, nearest
from suanli.host.record_faults import file_fault, record_faults
from suanli.prices.grids import FORMATS, Row, read_rows
from suanli.prices.quotations import Quotations, read_quotations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date
    from pathlib import Path

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.record import Record

__all__ = ["RECORDS", "Records", "read_files", "read_records", "records_yaml"]

RECORDS = (".yaml", ".yml")
"""Suffixes of files with price records."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TYPES: dict[str, type[Record]] = {Source.kind: Source, Price.kind: Price}
_EXACT_DIGITS = 15
"""Digits up to which a number of a YAML file is the decimal that was written."""


@dataclass(frozen=True, slots=True)
class Records:
    """Prices and the sources that they cite."""

    prices: tuple[Price, ...]
    sources: tuple[Source, ...]


def read_files(
    paths: Sequence[Path], catalogue: Catalogue, day: date, *, expired: bool = False
) -> Quotations:
    """Read quote sheets; what is wrong with one does not keep the others from being read.

    Args:
        paths: the files, each named in messages as given.
        catalogue: what keys may name.
        day: on which they are read.
        expired: take quotations whose validity has ended as well.
    """
    rows: list[Row] = []
    unread: list[InputError] = []
    for path in paths:
        try:
            rows += read_rows(path, content_of(path), str(path))
        except InputError as error:
            unread.append(error)
    found = read_quotations(rows, catalogue, day, expired=expired)
    found.unread = len(unread)
    found.faults[:0] = [fault for error in unread for fault in error.faults]
    return found


def content_of(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        InputError: it is not there or cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        near = nearest(path.name, _beside(path))
        what = (
            "there is no such file"
            if isinstance(error, FileNotFoundError)
            else f"cannot be read: {error.strerror}"
        )
        raise InputError(Fault(what, where=str(path), cure=near)) from None


def _beside(path: Path) -> list[str]:
    folder = path.parent
    suffixes = {*FORMATS, *RECORDS}
    try:
        return sorted(one.name for one in folder.iterdir() if one.suffix.lower() in suffixes)
    except OSError:
        return []


def read_records(path: Path, content: bytes) -> Records:
    """Read price records and sources from a YAML file in the schema of the catalogue.

    Raises:
        InputError: the file or a record is wrong; one fault for each.
    """
    where, faults = str(path), list[Fault]()
    try:
        loaded: object = yaml.load(content.decode("utf-8-sig"), Loader=_LOADER)  # noqa: S506 - both are safe
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(file_fault(error, where)) from None
    if not isinstance(loaded, dict):
        raise InputError(Fault("holds no lists of records", where=where, why=f"kinds: {', '.join(_TYPES)}"))
    found = [record for kind, rows in loaded.items() for record in _records(str(kind), rows, where, faults)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if faults:
        raise InputError(faults)
    return Records(
        tuple(one for one in found if isinstance(one, Price)),
        tuple(one for one in found if isinstance(one, Source)),
    )


def _records(kind: str, rows: object, where: str, faults: list[Fault]) -> Iterator[Record]:
    record_type = _TYPES.get(kind)
    if record_type is None or not isinstance(rows, list):
        what = f'"{kind}" is no list of prices or sources'
        faults.append(Fault(what, where=where, why=f"kinds: {', '.join(_TYPES)}", cure=nearest(kind, _TYPES)))
        return
    for number, row in enumerate(rows):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        name = row.get("id", number) if isinstance(row, dict) else number  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        try:
            record = record_type.model_validate(row)
        except ValidationError as error:
            faults.extend(record_faults(error, f"{kind}[{name}]", where, record_type))
            continue
        if isinstance(record, Price) and record.confidence is not Confidence.QUOTE:
            what, why = f'confidence is "{record.confidence}"', "a project's own prices are quotations"
            faults.append(
                Fault(what, where=where, key=f"{kind}[{name}].confidence", why=why, cure='write "quote"')
            )
            continue
        yield record


# --- writing ---

_HEAD = """\
# Prices of quotations, in the schema of the catalogue. A project uses them by
# commercial: {quotes: [./FILE]}
"""


class _Dumper(yaml.SafeDumper):
    """Writes decimals as the numbers that they are, and every value where it stands."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the library's signature
        return True


def _decimal(_dumper: yaml.SafeDumper, value: Decimal) -> yaml.ScalarNode:
    text = f"{value:f}"
    exact = len(value.as_tuple().digits) <= _EXACT_DIGITS
    tag = ("float" if "." in text else "int") if exact else "str"
    return yaml.ScalarNode(f"tag:yaml.org,2002:{tag}", text, style=None if exact else "'")


_Dumper.add_representer(Decimal, _decimal)


def records_yaml(found: Quotations) -> bytes:
    """Return the records of quotations as a data file, empty keys left out."""
    document = {
        Source.kind: [_row(source) for source in found.sources],
        Price.kind: [_row(price) for price in found.prices],
    }
    # The stubs of PyYAML leave a part of the type of `dump` open.
    text = yaml.dump(  # pyright: ignore[reportUnknownMemberType]
        document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1000
    )
    return (_HEAD + text).encode()


def _row(record: Record) -> dict[str, object]:
    fields: dict[str, object] = record.model_dump(exclude_defaults=True)
    return {key: _plain(value) for key, value in fields.items()}


def _plain(value: object) -> object:
    """Return a value in the types of YAML."""
    if isinstance(value, tuple):
        return [_plain(one) for one in cast("tuple[object, ...]", value)]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in cast("dict[str, object]", value).items()}
    return str(value) if isinstance(value, str) else value
