"""Checks single contributions beyond their types, at the boundary between a plugin and the host."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Final, cast

from suanli.domain.market import Price
from suanli.domain.record import Record, Text
from suanli.errors import Fault, nearest
from suanli.plugin import RECORD_TYPES
from suanli.project.scenario import Scenario
from suanli.proposal.contributions import CostLines, Renderer, Section, Theme

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DEFAULT_THEME", "RATES", "contribution_fault"]

RATES: Final = frozenset({"%", "fraction"})
"""What stands in place of a currency where a price is a rate or a share."""

DEFAULT_THEME: Final = "default"
"""Name of the look that is shipped, which no plugin may take."""

_ID: Final = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
_STEM: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SUFFIX: Final = re.compile(r"(?:\.[a-z0-9]+)+")


def contribution_fault(
    item: Record | Scenario | Renderer | CostLines | Section | Theme, where: str
) -> Fault | None:
    """Return what is wrong with a contribution of the right type, or None.

    Records are validated when they are built. The others are plain data classes, which take any value, so
    the host looks at what it is going to call or to build a file name from.
    """
    name = cast("object", item.id)
    if not isinstance(name, str) or not _ID.fullmatch(name):
        return Fault(
            f"id {name!r} is not kebab-case", where=where, key="id", why="lower-case letters, digits, - and ."
        )
    if isinstance(item, Record):
        return _record_fault(item, where)
    wrong = next(_wrong_fields(item), None)
    if wrong is None:
        return None
    key, what, why = wrong
    return Fault(what, where=where, key=f"{type(item).__name__}[{name}].{key}", why=why)


def _record_fault(record: Record, where: str) -> Fault | None:
    kind: object = getattr(record, "kind", None)
    known = RECORD_TYPES.get(kind) if isinstance(kind, str) else None
    if known is None or not isinstance(record, known):
        why = f"known kinds: {', '.join(RECORD_TYPES)}"
        cure = nearest(str(kind), RECORD_TYPES)
        return Fault(f'record "{record.id}" is of unknown kind {kind!r}', where=where, why=why, cure=cure)
    return _price_fault(record, where) if isinstance(record, Price) else None


def _price_fault(price: Price, where: str) -> Fault | None:
    """Return why a price may not enter a sum; rates and shares may be zero or less."""
    if price.currency in RATES or (price.amount.is_finite() and price.amount > 0):
        return None
    why, cure = "a price is above 0, and a wrong one would falsify every total", "leave out what is not known"
    key = f"{price.kind}[{price.id}].amount"
    return Fault(f"{price.amount} is not positive", where=where, key=key, why=why, cure=cure)


def _wrong_fields(item: Scenario | Renderer | CostLines | Section | Theme) -> Iterator[tuple[str, str, str]]:
    match item:
        case Scenario():
            yield from _callables(item, "complete", "starter")
            yield from _texts(item, "name", "summary")
        case Renderer():
            yield from _callables(item, "render")
            yield from _texts(item, "name")
            yield from _patterns(item)
        case CostLines():
            yield from _callables(item, "items")
        case Section():
            yield from _texts(item, "title")
            yield from _template(item)
        case Theme():
            yield from _texts(item, "name")
            yield from _theme(item)


def _callables(item: object, *names: str) -> Iterator[tuple[str, str, str]]:
    for name in names:
        if not callable(getattr(item, name)):
            yield name, f"is a {type(getattr(item, name)).__name__}", "a function is called here"


def _texts(item: object, *names: str) -> Iterator[tuple[str, str, str]]:
    for name in names:
        if not isinstance(getattr(item, name), Text):
            yield name, f"is a {type(getattr(item, name)).__name__}", "a Text with zh and en is shown here"


def _patterns(renderer: Renderer) -> Iterator[tuple[str, str, str]]:
    # Stem and suffix become a file name below the output folder; neither may leave it.
    for name, value, pattern in (("stem", renderer.stem, _STEM), ("suffix", renderer.suffix, _SUFFIX)):
        if not pattern.fullmatch(str(value)):
            yield name, f"{value!r} cannot be part of a file name", f"must match {pattern.pattern}"


def _template(section: Section) -> Iterator[tuple[str, str, str]]:
    try:
        found = files(section.package).joinpath("templates", section.template).is_file()
    except Exception as error:  # noqa: BLE001 - importing a package may raise anything
        yield "package", f"cannot be imported: {type(error).__name__}: {error}", "an importable package"
        return
    if not found:
        yield "template", f"{section.template!r} does not exist", f"looked in {section.package}/templates"


def _theme(theme: Theme) -> Iterator[tuple[str, str, str]]:
    if theme.id == DEFAULT_THEME:
        yield "id", f'"{DEFAULT_THEME}" is the look that is shipped', "a theme has a name of its own"
        return
    try:
        found = files(theme.package).joinpath(theme.folder).is_dir()
    except Exception as error:  # noqa: BLE001 - importing a package may raise anything
        yield "package", f"cannot be imported: {type(error).__name__}: {error}", "an importable package"
        return
    if not found:
        yield "folder", f"{theme.folder!r} does not exist", f"looked in {theme.package}"
