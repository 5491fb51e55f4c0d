"""Checks of form: loading, ids, sources, languages, round trips, order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final, cast

from suanli.domain.figure import Check as ReadCheck
from suanli.domain.figure import Confidence, Source
from suanli.domain.record import Part, Record, Text
from suanli.errors import Fault, nearest
from suanli.host.references import sources_of
from suanli.project.scenario import Scenario
from suanli.proposal.contributions import CostLines, Renderer, Section, Theme
from suanli.testing.subject import Check, Subject, drain_again, place

__all__ = ["CHECKS"]

_KEBAB: Final = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_PROPER: Final = frozenset({"name", "maker", "item", "title"})
"""Fields that may hold a proper name, which is the same in both languages."""


def the_plugin_loads_without_a_fault(subject: Subject) -> Iterator[Fault]:
    """Yield what the host found."""
    yield from subject.plugin.faults


def it_states_the_version_of_the_contract(subject: Subject) -> Iterator[Fault]:
    """Yield a fault where the host did not read one."""
    if subject.plugin.api_version is None:
        yield Fault("API_VERSION was not read", where=subject.plugin.module)


def it_contributes_something(subject: Subject) -> Iterator[Fault]:
    """Yield a fault where the hooks yield nothing."""
    if not subject.drained.items:
        yield Fault(
            "yields nothing", where=subject.plugin.module, why="is the data folder part of the package?"
        )


def it_yields_the_same_in_the_same_order_twice(subject: Subject) -> Iterator[Fault]:
    """Yield a fault at the first contribution that another call of the hooks gives in another place."""
    again = drain_again(subject.plugin).items
    for number, (first, second) in enumerate(zip(subject.drained.items, again, strict=False)):
        if (type(first), first.id) != (type(second), second.id):
            yield Fault(
                f'contribution {number} is "{first.id}" and then "{second.id}"', why="order must be fixed"
            )
            return
    if len(again) != len(subject.drained.items):
        yield Fault(f"yields {len(subject.drained.items)} and then {len(again)} contributions")


def ids_are_kebab_case(subject: Subject) -> Iterator[Fault]:
    """Yield every id with other characters."""
    for item in subject.drained.items:
        if not _KEBAB.fullmatch(item.id):
            yield Fault(f'id "{item.id}"', why="lower-case letters, digits, - and .")


def ids_are_unique_among_all_plugins(subject: Subject) -> Iterator[Fault]:
    """Yield every record that this plugin gives twice or that another plugin gives too."""
    seen: set[tuple[str, str]] = set()
    for record in subject.records(Record):
        key = (record.kind, record.id)
        origin = subject.host.catalogue.provenance.get(key)
        if key in seen:
            yield Fault("is given twice", key=place(record))
        elif origin is not None and origin.plugin != subject.plugin.name:
            yield Fault(f'is given by plugin "{origin.plugin}" too', key=place(record))
        seen.add(key)


def every_figure_names_a_source_that_exists(subject: Subject) -> Iterator[Fault]:
    """Yield every figure whose source no plugin has."""
    own = {source.id for source in subject.records(Source)}
    known = own.union(subject.host.catalogue.records.get(Source.kind, ()))
    for record in subject.records(Record):
        for key, source in sources_of(record):
            if source not in known:
                yield Fault(
                    f'source "{source}" does not exist', key=place(record, key), cure=nearest(source, known)
                )


def texts_are_in_chinese_and_english(subject: Subject) -> Iterator[Fault]:
    """Yield every text whose Chinese has no Chinese character or whose English has one.

    A proper name may stand in both languages as its owner spells it.
    """
    for item in subject.drained.items:
        for key, text in _texts(item):
            proper = key.rpartition(".")[2] in _PROPER and _letters(text.zh) == _letters(text.en)
            if not proper and not _HAN.search(text.zh):
                yield Fault(f'"{text.zh}" holds no Chinese', key=f"{_place(item)}.{key}.zh")
            if _HAN.search(text.en):
                yield Fault(f'"{text.en}" is not English', key=f"{_place(item)}.{key}.en")


def _place(item: Record | Scenario | Renderer | CostLines | Section | Theme) -> str:
    return place(item) if isinstance(item, Record) else f"{type(item).__name__}[{item.id}]"


def _letters(text: str) -> str:
    """Return letters and digits alone: punctuation and spaces differ between the languages."""
    return "".join(character for character in text.casefold() if character.isalnum())


def _texts(value: object, path: str = "") -> Iterator[tuple[str, Text]]:
    if isinstance(value, Text):
        yield path, value
        return
    for name, part in _parts(value):
        yield from _texts(part, f"{path}.{name}" if path else name)


def _parts(value: object) -> Iterator[tuple[str, object]]:
    """Yield the fields of a record, the entries of a mapping or the items of a tuple."""
    if isinstance(value, Part):
        yield from ((name, getattr(value, name)) for name in type(value).model_fields)
    elif isinstance(value, (Scenario, Renderer, Section, Theme)):
        yield from ((name, getattr(value, name, None)) for name in ("name", "summary", "title"))
    elif isinstance(value, Mapping):
        yield from ((str(name), part) for name, part in cast("Mapping[object, object]", value).items())
    elif isinstance(value, tuple):
        yield from ((str(number), part) for number, part in enumerate(cast("tuple[object, ...]", value)))


def themes_are_read_without_a_fault(subject: Subject) -> Iterator[Fault]:
    """Yield what each installed renderer that reads themes finds wrong with those of the plugin."""
    checks = {one.theme_faults for one in subject.host.renderers.values() if one.theme_faults is not None}
    for theme in (item for item in subject.drained.items if isinstance(item, Theme)):
        folder = Path(str(files(theme.package).joinpath(theme.folder)))
        for check in checks:
            yield from check(folder)


def every_record_survives_json(subject: Subject) -> Iterator[Fault]:
    """Yield every record that is not the same after it was written to JSON and read again."""
    for record in subject.records(Record):
        if type(record).model_validate_json(record.model_dump_json()) != record:
            yield Fault("is not the same after a round trip through JSON", key=place(record))


def sources_can_be_found_again(subject: Subject) -> Iterator[Fault]:
    """Yield every source that is cited as read in itself but has no address or document number.

    Estimates and measurements may be the plugin author's own, which stand in no document.
    """
    direct = {source for record in subject.records(Record) for source in _directly_read(record)}
    for source in subject.records(Source):
        if source.id in direct and not source.ref:
            why = "a figure that was read in the document itself says where the document is"
            yield Fault(
                "has no ref", key=place(source, "ref"), why=why, cure="give its address, or check: secondary"
            )


def _directly_read(value: object) -> Iterator[str]:
    """Yield the source of every figure and statement whose check is ``direct``."""
    if isinstance(value, Part):
        source: object = getattr(value, "source", None)
        own = getattr(value, "confidence", None) in {Confidence.ESTIMATE, Confidence.MEASURED}
        if isinstance(source, str) and getattr(value, "check", None) is ReadCheck.DIRECT and not own:
            yield source
    for _, part in _parts(value):
        yield from _directly_read(part)


CHECKS = (
    Check(the_plugin_loads_without_a_fault),
    Check(it_states_the_version_of_the_contract),
    Check(it_contributes_something),
    Check(it_yields_the_same_in_the_same_order_twice),
    Check(ids_are_kebab_case),
    Check(ids_are_unique_among_all_plugins),
    Check(every_figure_names_a_source_that_exists, Record),
    Check(texts_are_in_chinese_and_english),
    Check(themes_are_read_without_a_fault, Theme),
    Check(every_record_survives_json, Record),
    Check(sources_can_be_found_again, Source),
)
