"""Reads ``theme.yaml``: strict keys, every fault at once, each with its line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from suanli.domain.record import Text
from suanli.errors import Fault, InputError, nearest
from suanli.project.yaml_text import Document, dotted, parse_yaml
from suanli_reports.theme.record import MANIFEST

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_core import ErrorDetails

__all__ = ["ColourKeys", "Manifest", "read_manifest"]

_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{6}")
_FEWEST_TINTS: Final = 8


def _colour(value: str) -> str:
    if not _COLOUR.fullmatch(value):
        raise ValueError(f'"{value}" is no colour; write #rrggbb, such as #0b5f6b')
    return value.lower()


def _filled(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty")
    return value.strip()


Colour = Annotated[str, AfterValidator(_colour)]
Filled = Annotated[str, AfterValidator(_filled)]
Colourings = Annotated[tuple[Colour, ...], Field(min_length=_FEWEST_TINTS)]


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Pair(_Keys):
    """A text in both languages."""

    zh: Filled
    en: Filled


class ColourKeys(_Keys):
    """Colours, by the names of `suanli_reports.theme.record.Colours`; each may be left out."""

    ink: Colour | None = None
    soft: Colour | None = None
    hair: Colour | None = None
    accent: Colour | None = None
    warn: Colour | None = None
    paper: Colour | None = None
    pick: Colour | None = None
    box: Colour | None = None
    on_accent: Colour | None = None
    on_accent_soft: Colour | None = None
    on_accent_rule: Colour | None = None
    sheet_tint: Colour | None = None
    sheet_band: Colour | None = None
    tints: Colourings | None = None
    series: Colourings | None = None


class FontKeys(_Keys):
    """Font files and the file of their licence, by paths inside the theme."""

    regular: Filled
    bold: Filled
    licence: Filled


class ManifestKeys(_Keys):
    """The keys of ``theme.yaml``."""

    name: Pair
    description: Pair
    colours: ColourKeys = ColourKeys()
    fonts: FontKeys | None = None
    logo: Filled | None = None
    overrides: tuple[Filled, ...] | None = None


class Manifest:
    """A ``theme.yaml`` that was read: its keys, and where each stands."""

    def __init__(self, keys: ManifestKeys, document: Document) -> None:
        """Keep both."""
        self.keys = keys
        self.document = document

    @property
    def name(self) -> Text:
        """Return the theme's name."""
        return Text(zh=self.keys.name.zh, en=self.keys.name.en)

    @property
    def description(self) -> Text:
        """Return what the theme is for."""
        return Text(zh=self.keys.description.zh, en=self.keys.description.en)

    @property
    def colours(self) -> dict[str, str | tuple[str, ...]]:
        """Return the colours that are set."""
        return self.keys.colours.model_dump(exclude_none=True)

    def place(self, *path: str | int) -> str:
        """Return file and line of a key, or of the nearest one above it."""
        return self.document.place(path)


def read_manifest(root: Path) -> Manifest:
    """Return what a theme's ``theme.yaml`` says.

    Raises:
        InputError: there is none, or it is wrong; every fault at once.
    """
    path = root / MANIFEST
    if not path.is_file():
        why = f"a theme is a folder with a {MANIFEST}"
        cure = "give at least name and description, each in zh and en"
        raise InputError(Fault(f"there is no {MANIFEST}", where=str(root), why=why, cure=cure))
    try:
        document = parse_yaml(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError:
        raise InputError(Fault("is not UTF-8", where=str(path), cure="save the file as UTF-8")) from None
    if not isinstance(document.root, dict):
        known = f"known keys: {', '.join(ManifestKeys.model_fields)}"
        raise InputError(Fault("holds no keys", where=str(path), why=known))
    try:
        # A key without a value is as good as none.
        stated = {key: value for key, value in document.root.items() if value != ""}
        return Manifest(ManifestKeys.model_validate(stated), document)
    except ValidationError as error:
        raise InputError([_fault(item, document) for item in error.errors(include_url=False)]) from None


def _fault(item: ErrorDetails, document: Document) -> Fault:
    path = item["loc"]
    key, where = dotted(path), document.place(path)
    keys = list(_keys_at(path[:-1]).model_fields)
    if item["type"] == "extra_forbidden":
        word = str(path[-1])
        return Fault(
            f'"{word}" is not a key',
            where=where,
            key=key,
            why=f"known keys here: {', '.join(keys)}",
            cure=nearest(word, keys),
        )
    if item["type"] == "missing":
        return Fault("is missing", where=where, key=key, why=f"keys here: {', '.join(keys)}")
    return Fault(item["msg"].removeprefix("Value error, "), where=where, key=key)


def _keys_at(path: tuple[str | int, ...]) -> type[BaseModel]:
    named: dict[str, type[BaseModel]] = {
        "name": Pair,
        "description": Pair,
        "colours": ColourKeys,
        "fonts": FontKeys,
    }
    return named.get(str(path[0]), ManifestKeys) if path else ManifestKeys
