"""The message catalogue: short texts by key, each in Chinese and in English.

A catalogue is a folder of YAML files. Each file holds namespaces; a namespace holds keys; a key holds
``zh`` and ``en``. A theme may bring a folder of its own, whose messages replace those of the same key.
Nothing is ever shown untranslated: a message without one of its languages and a key that does not exist are
errors that name it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

import yaml

from suanli.domain.record import Text
from suanli.errors import Fault, RenderError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path

__all__ = ["LANGUAGES", "Messages", "load_messages", "read_yaml", "shipped_messages"]

LANGUAGES = ("zh", "en")
"""Languages that every message has."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Messages:
    """Paired texts by key, ``namespace.key``."""

    texts: dict[str, Text]

    def find(self, key: str) -> Text:
        """Return the text of a key.

        Raises:
            RenderError: there is none; the nearest known key is named.
        """
        text = self.texts.get(key)
        if text is None:
            raise RenderError(
                Fault(
                    f'no message "{key}"',
                    where="message catalogue",
                    why="every name that a document shows has a text in both languages",
                    cure=nearest(key, self.texts),
                )
            )
        return text

    def has(self, key: str) -> bool:
        """Tell whether a key has a text."""
        return key in self.texts

    def namespace(self, name: str) -> dict[str, Text]:
        """Return the texts of a namespace by their keys, in order of the files."""
        prefix = f"{name}."
        return {key.removeprefix(prefix): text for key, text in self.texts.items() if key.startswith(prefix)}

    def over(self, other: Messages) -> Messages:
        """Return a catalogue in which these messages stand before those of another."""
        return Messages({**other.texts, **self.texts})


def read_yaml(entry: Traversable, where: str) -> object:
    """Return the content of a YAML file.

    Raises:
        RenderError: the file is not readable.
    """
    try:
        return yaml.load(entry.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise RenderError(Fault(f"not readable as YAML: {error}", where=where)) from error


def load_messages(folder: Traversable | Path, where: str) -> Messages:
    """Return the messages of every ``*.yaml`` of a folder.

    Args:
        folder: the folder; it may be missing, and is then empty.
        where: how a fault names the folder.

    Raises:
        RenderError: messages lack a language or stand twice; one fault for each.
    """
    texts: dict[str, Text] = {}
    faults: list[Fault] = []
    entries = sorted(folder.iterdir(), key=lambda item: item.name) if folder.is_dir() else []
    for entry in entries:
        if entry.name.endswith(".yaml"):
            place = f"{where}/{entry.name}"
            for key, value in _pairs(read_yaml(entry, place), place, faults):
                _enter(texts, key, value, place, faults)
    if faults:
        raise RenderError(faults)
    return Messages(texts)


def _pairs(content: object, where: str, faults: list[Fault]) -> Iterator[tuple[str, object]]:
    if not isinstance(content, dict):
        faults.append(Fault("a message file holds namespaces", where=where))
        return
    for namespace, messages in cast("dict[str, object]", content).items():
        if not isinstance(messages, dict):
            faults.append(Fault(f'namespace "{namespace}" holds no messages', where=where))
            continue
        for key, value in cast("dict[str, object]", messages).items():
            yield f"{namespace}.{key}", value


def _enter(texts: dict[str, Text], key: str, value: object, where: str, faults: list[Fault]) -> None:
    pair = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    missing = [
        language for language in LANGUAGES if not isinstance(pair.get(language), str) or not pair[language]
    ]
    extra = sorted(str(name) for name in pair if name not in LANGUAGES)
    if missing or extra:
        what = f"lacks {', '.join(missing)}" if missing else f"has {', '.join(extra)}"
        faults.append(
            Fault(
                f'message "{key}" {what}', where=where, key=key, why="a message holds zh and en, both texts"
            )
        )
    elif key in texts:
        faults.append(Fault(f'message "{key}" stands twice', where=where, key=key))
    else:
        texts[key] = Text(zh=str(pair["zh"]), en=str(pair["en"]))


@cache
def shipped_messages() -> Messages:
    """Return the messages that come with the package."""
    return load_messages(files("suanli_templates").joinpath("messages"), "suanli_templates/messages")
