"""``suanli catalog``: what the plugins know, with sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from suanli.cli.common import echo_json, json_option, load_plugins
from suanli.errors import Fault, InputError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.figure import Figure
    from suanli.domain.record import Record
    from suanli.host.host import Host

__all__ = ["command"]


@click.command("catalog")
@click.argument("kind", required=False)
@click.argument("record_id", metavar="[ID]", required=False)
@json_option
def command(kind: str | None, record_id: str | None, *, as_json: bool) -> None:
    """List the records of KIND, or show the one with ID. Without KIND, list the kinds."""
    host = load_plugins()
    if kind is None:
        _kinds(host, as_json=as_json)
        return
    _check_kind(kind)
    if record_id is None:
        _list(kind, host, as_json=as_json)
        return
    host.require(kind, record_id, key="ID")
    record = host.catalogue.records[kind][record_id]
    if as_json:
        echo_json(_document(record, host))
    else:
        _show(record, host)


def _check_kind(kind: str) -> None:
    from suanli.plugin import RECORD_TYPES  # noqa: PLC0415 - keeps --help fast

    if kind not in RECORD_TYPES:
        why = f"kinds: {', '.join(RECORD_TYPES)}"
        raise InputError(Fault(f'no kind "{kind}"', key="KIND", why=why, cure=nearest(kind, RECORD_TYPES)))


def _kinds(host: Host, *, as_json: bool) -> None:
    from suanli.cli.tables import print_table  # noqa: PLC0415 - keeps --help fast
    from suanli.plugin import RECORD_TYPES  # noqa: PLC0415

    counts = {kind: len(host.catalogue.records.get(kind, {})) for kind in RECORD_TYPES}
    if as_json:
        echo_json({"kinds": counts})
    else:
        print_table(("kind", "records"), [(kind, str(count)) for kind, count in counts.items()], right=(1,))


def _document(record: Record, host: Host) -> dict[str, Any]:
    origin = host.catalogue.provenance[record.kind, record.id]
    return {
        **record.model_dump(mode="json", exclude_none=True),
        "plugin": {"name": origin.plugin, "distribution": origin.distribution, "version": origin.version},
        "cited_sources": [source.model_dump(mode="json") for source in _sources(record, host)],
    }


def _sources(record: Record, host: Host) -> list[Record]:
    from suanli.domain.figure import Source  # noqa: PLC0415 - keeps --help fast
    from suanli.host.references import sources_of  # noqa: PLC0415

    named = sorted({source for _, source in sources_of(record)})
    return [found for name in named if (found := host.catalogue.find(Source, name)) is not None]


def _list(kind: str, host: Host, *, as_json: bool) -> None:
    from suanli.cli.tables import print_table  # noqa: PLC0415 - keeps --help fast

    records = list(host.catalogue.records.get(kind, {}).values())
    if as_json:
        echo_json({"kind": kind, "records": [_document(record, host) for record in records]})
        return
    rows = [
        (record.id, _title(record), _facts(record), ", ".join(source.id for source in _sources(record, host)))
        for record in records
    ]
    print_table(("id", "name", "figures", "sources"), rows, whole=(0,))
    click.echo(f"{len(rows)} {kind}; suanli catalog {kind} ID shows one with its sources")


def _title(record: Record) -> str:
    from suanli.domain.record import Text  # noqa: PLC0415 - keeps --help fast

    for field in ("name", "item", "title", "summary"):
        value: object = getattr(record, field, None)
        if isinstance(value, Text):
            return value.en if value.en == value.zh else f"{value.en} {value.zh}"
        if isinstance(value, str):
            return value
    return ""


def _facts(record: Record) -> str:
    """Return the figures of a record in short, or its amount where it is a price or tariff."""
    amount: object = getattr(record, "amount", None)
    if amount is not None:
        per: object = getattr(record, "per", "kWh")
        return f"{amount:f} {getattr(record, 'currency', '')}/{per} ({getattr(record, 'dated', '')})"
    return ", ".join(f"{path} {figure.value:g} {figure.unit}" for path, figure in figures_of(record))


def figures_of(value: object, path: str = "") -> Iterator[tuple[str, Figure]]:
    """Yield key path and figure of every figure in a record."""
    from suanli.domain.figure import Figure  # noqa: PLC0415 - keeps --help fast
    from suanli.domain.record import Part  # noqa: PLC0415

    if isinstance(value, Figure):
        yield path, value
    elif isinstance(value, Part):
        for name in type(value).model_fields:
            yield from figures_of(getattr(value, name), f"{path}.{name}" if path else name)
    elif isinstance(value, dict):
        for name, part in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from figures_of(part, f"{path}.{name}")  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, tuple):
        for number, part in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield from figures_of(part, f"{path}[{number}]")  # pyright: ignore[reportUnknownArgumentType]


def _show(record: Record, host: Host) -> None:
    from suanli.cli.tables import print_table  # noqa: PLC0415 - keeps --help fast
    from suanli.domain.software import StackFeatures  # noqa: PLC0415

    origin = host.catalogue.provenance[record.kind, record.id]
    figures = list(figures_of(record))
    shown = {path.split(".")[0].split("[")[0] for path, _ in figures}
    shown |= {"requires", "features", "exclusions"} if isinstance(record, StackFeatures) else set()
    plain = [
        (name, _plain(value))
        for name, value in record.model_dump(mode="json", exclude_none=True).items()
        if name not in shown and value not in ("", [], {}, False)
    ]
    print_table((), [*plain, ("plugin", f"{origin.plugin} ({origin.distribution} {origin.version})")])
    rows = [
        (
            path,
            f"{figure.value:g} {figure.unit}",
            _span(figure),
            str(figure.grade),
            figure.confidence,
            figure.source,
            figure.note,
        )
        for path, figure in figures
    ]
    if rows:
        print_table(("figure", "value", "range", "grade", "confidence", "source", "note"), rows)
    if isinstance(record, StackFeatures):
        from suanli.cli.catalog_features import print_matrix  # noqa: PLC0415

        print_matrix(record)
    for source in _sources(record, host):
        print_table(
            (), [(name, str(value)) for name, value in source.model_dump(mode="json").items() if value]
        )


def _plain(value: object) -> str:
    if isinstance(value, dict) and set(value) == {"zh", "en"}:  # pyright: ignore[reportUnknownArgumentType]
        return f"{value['en']} / {value['zh']}"
    if isinstance(value, list):
        return "; ".join(_plain(part) for part in value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return str(value)  # pyright: ignore[reportUnknownArgumentType]


def _span(figure: Figure) -> str:
    if figure.low is None and figure.high is None:
        return ""
    ends = ("" if end is None else f"{end:g}" for end in (figure.low, figure.high))
    return "–".join(ends)
