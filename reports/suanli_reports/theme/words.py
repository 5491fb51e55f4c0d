"""Checks the messages of a theme against those that they replace."""

from __future__ import annotations

from string import Formatter
from typing import TYPE_CHECKING, Final

from suanli.errors import Fault, InputError, RenderError, nearest
from suanli.project.yaml_text import parse_yaml
from suanli_reports.texts import LANGUAGES, load_messages, shipped_messages
from suanli_reports.theme.folder import OWN, is_inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from suanli.domain.record import Text

__all__ = ["message_faults"]

_DEPTH: Final = 2
"""Levels of a message file down to the messages."""


def message_faults(root: Path) -> Iterator[Fault]:
    """Yield what is wrong with the messages of a theme.

    A message replaces a shipped one of its key and uses the values that this one has; new ones stand in the
    namespace ``house``.

    Args:
        root: the theme's folder.
    """
    folder = root / "messages"
    paths = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
    places: dict[str, str] = {}
    for path in paths:
        if not is_inside(path, root):
            return
        try:
            document = parse_yaml(path.read_text(encoding="utf-8"), str(path))
        except UnicodeDecodeError:
            yield Fault("is not UTF-8", where=str(path), cure="save the file as UTF-8")
            return
        except InputError as error:
            yield from error.faults
            return
        places |= {
            ".".join(map(str, key)): document.place(key) for key in document.lines if len(key) == _DEPTH
        }
    try:
        found = load_messages(folder, str(folder)).texts
    except RenderError as error:
        yield from (
            Fault(one.what, where=places.get(one.key, one.where), key=one.key, why=one.why, cure=one.cure)
            for one in error.faults
        )
        return
    yield from _against_shipped(found, places)


def _against_shipped(found: Mapping[str, Text], places: Mapping[str, str]) -> Iterator[Fault]:
    shipped = shipped_messages().texts
    for key, text in found.items():
        where = places.get(key, "")
        if key.startswith(f"{OWN}."):
            continue
        if key not in shipped:
            yield Fault(
                f'there is no message "{key}"',
                where=where,
                key=key,
                why=f"a message replaces a shipped one, or stands in the namespace {OWN}",
                cure=nearest(key, shipped),
            )
            continue
        known = {name for language in LANGUAGES for name in _values(getattr(shipped[key], language))}
        for language in LANGUAGES:
            for name in sorted(_values(getattr(text, language)) - known):
                why = f"values of this message: {', '.join(sorted(known)) or 'none'}"
                yield Fault(f"{{{name}}} has no value", where=where, key=f"{key}.{language}", why=why)


def _values(text: str) -> set[str]:
    """Return the names between braces of a text; one with broken braces has none that could be filled in."""
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError as error:
        return {f"… {error}"}
