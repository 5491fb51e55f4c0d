"""Rows of the assumption register as a reader sees them: names instead of keys, values in his language."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.proposal.model import AssumptionView
    from suanli_reports.voice import Speaker, Voice

__all__ = ["SettingTools"]

_MAP = re.compile(r"\{(.*)\}")
_PAIR = re.compile(r"\s*([\w-]+):\s*([^,]+)")
_LIST = re.compile(r"\[(.*)\]")
_WORD = re.compile(r"(?<![\w-])[a-z][a-z-]+(?![\w-])")


class SettingTools:
    """What the assumption register calls to name its settings and their values."""

    def __init__(self, speaker: Speaker) -> None:
        """Speak in the document's language or languages."""
        self._speaker = speaker

    @staticmethod
    def setting_groups(items: Sequence[AssumptionView]) -> list[tuple[str, list[AssumptionView]]]:
        """Return the rows by the section of the project file, or the part of the tool, that they belong to.

        The register is in this order already, so that its numbers stay in sequence.
        """
        return [(name, list(rows)) for name, rows in groupby(items, key=lambda item: _group(item.setting))]

    def setting_group(self, name: str) -> Markup:
        """Return the name of a group, its key where it has none."""
        return self._said("setting-group", name)

    def setting(self, item: AssumptionView) -> Markup:
        """Return what a setting is called, its key where it has no name."""
        return self._said("setting", item.setting)

    def setting_value(self, item: AssumptionView) -> Markup:
        """Return the chosen value in words; figures and units stay as the project file writes them."""
        return self._speaker.join(lambda voice: Markup("{}").format(_value(voice, item.value)))

    def named(self, item: AssumptionView) -> bool:
        """Tell whether a setting has a name beside its key."""
        return self._speaker.voices[0].messages.has(f"setting.{item.setting}")

    def _said(self, namespace: str, key: str) -> Markup:
        found = f"{namespace}.{key}"
        return self._speaker.join(
            lambda voice: voice.word(found) if voice.messages.has(found) else Markup("{}").format(key)
        )


def _group(setting: str) -> str:
    head, dot, _ = setting.partition(".")
    return head if dot else "project"


def _value(voice: Voice, value: str) -> str:
    if _translated(voice, "setting-value", value) != value:
        return _translated(voice, "setting-value", value)
    if found := _MAP.fullmatch(value):
        pairs = [f"{_translated(voice, 'setting-part', key)} {part}" for key, part in _PAIR.findall(found[1])]
        return ("，" if voice.language == "zh" else ", ").join(pairs)
    if found := _LIST.fullmatch(value):
        parts = [_translated(voice, "setting-value", part.strip()) for part in found[1].split(",")]
        return ("、" if voice.language == "zh" else ", ").join(parts)
    return _WORD.sub(lambda word: _translated(voice, "setting-word", word[0]), value)


def _translated(voice: Voice, namespace: str, key: str) -> str:
    found = f"{namespace}.{key}"
    return voice.word(found).striptags() if voice.messages.has(found) else key
