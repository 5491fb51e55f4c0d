"""The loaded project file, and the JSON Schema that editors and other programs check one with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from suanli.errors import Fault
from suanli.project.model_section import Keys
from suanli.project.sections import ProjectFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from suanli.project.yaml_text import Document, KeyPath, Tree

__all__ = ["Origin", "Project", "keys_at", "known_keys", "project_schema"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where each key of a project was set."""

    document: Document
    """The text as read, with lines."""
    overrides: Mapping[str, str] = field(default_factory=dict[str, str])
    """Key paths that were set on the command line, with the setting as typed."""

    def find(self, key: str) -> Tree | None:
        """Return what the file or the command line sets a key to; None for nothing."""
        node: Tree = self.document.root
        for part in key.split("."):
            if isinstance(node, list) and part.isdigit() and int(part) < len(node):
                node = node[int(part)]
            elif isinstance(node, dict) and part in node:
                node = node[part]
            else:
                return None
        return node

    def has(self, key: str) -> bool:
        """Tell whether the file or the command line sets a key."""
        return self.find(key) is not None

    def place(self, key: str) -> str:
        """Return where a key is set: file and line, or the command-line setting."""
        for setting_key, setting in self.overrides.items():
            if key == setting_key or key.startswith(f"{setting_key}."):
                return f"--set {setting}"
        path: KeyPath = tuple(int(part) if part.isdigit() else part for part in key.split("."))
        return self.document.place(path)

    def fault(self, key: str, what: str, why: str = "", cure: str = "") -> Fault:
        """Return a fault at a key."""
        return Fault(what, where=self.place(key), key=key, why=why, cure=cure)


@dataclass(frozen=True, slots=True)
class Project:
    """A project file that passed the schema."""

    file: ProjectFile
    origin: Origin
    path: Path
    """The file; relative names in it are relative to its folder."""

    @property
    def scenario(self) -> str:
        """Return the id of the scenario."""
        return self.file.scenario

    def has(self, key: str) -> bool:
        """Tell whether the file or the command line sets a key."""
        return self.origin.has(key)


def _section_of(annotation: object) -> type[Keys] | None:
    """Return the class of a nested mapping within an annotation, or None."""
    if isinstance(annotation, type):
        return annotation if issubclass(annotation, Keys) else None
    arguments = cast("tuple[object, ...]", getattr(annotation, "__args__", ()))
    return next((found for item in arguments if (found := _section_of(item)) is not None), None)


def known_keys(keys: type[Keys] = ProjectFile, above: str = "") -> Iterator[str]:
    """Yield every key path of the file, ``0`` standing for any position in a list."""
    for name, info in keys.model_fields.items():
        path = f"{above}{name}"
        yield path
        nested = _section_of(info.annotation)
        if nested is not None:
            listed = "tuple" in str(info.annotation)
            yield from known_keys(nested, f"{path}.0." if listed else f"{path}.")


def keys_at(path: KeyPath) -> type[Keys] | None:
    """Return the class whose keys are allowed at a path, or None where the path is not a mapping."""
    current: type[Keys] | None = ProjectFile
    for part in path:
        if isinstance(part, int):
            continue
        info = current.model_fields.get(part) if current is not None else None
        current = _section_of(info.annotation) if info is not None else None
    return current


def project_schema(language: str = "en") -> dict[str, Any]:
    """Return the JSON Schema of the project file (draft 2020-12).

    Every key has its description in both languages, as ``x-description-zh`` and ``x-description-en``, and in
    the asked one, ``zh`` or ``en``, as ``description``.
    """
    schema = ProjectFile.model_json_schema()
    mended = cast("dict[str, Any]", _mend(schema, language))
    mended["properties"]["model"] = {
        **{key: value for key, value in mended["properties"]["model"].items() if key != "$ref"},
        "anyOf": [{"type": "string"}, {"$ref": "#/$defs/ModelKeys"}],
    }
    # A section that is left out is read as an empty one.
    mended["required"] = ["project", "scenario", "model", "workload"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "suanli project file",
        **mended,
    }


def _mend(node: object, language: str) -> object:
    """Drop what describes Python rather than the file, and name both descriptions."""
    if isinstance(node, list):
        return [_mend(item, language) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    mapping = cast("dict[str, Any]", node)
    mended: dict[str, Any] = {}
    for key, value in mapping.items():
        if key in {"properties", "$defs"}:
            mended[key] = {name: _mend(item, language) for name, item in value.items()}
        elif key == "examples":
            mended[key] = value
        elif key not in {"title", "default"}:
            mended[key] = _mend(value, language)
    return _described(_single(_nullless(mended)), language)


def _nullless(mapping: dict[str, Any]) -> dict[str, Any]:
    """Take the null out of the alternatives: a key that is left out is not null."""
    alternatives = [item for item in mapping.get("anyOf", []) if item != {"type": "null"}]
    if len(alternatives) != 1:
        return mapping
    return {**{key: value for key, value in mapping.items() if key != "anyOf"}, **alternatives[0]}


def _single(mapping: dict[str, Any]) -> dict[str, Any]:
    """Let one value stand for a list of one, as the reader does."""
    if mapping.get("type") != "array":
        return mapping
    rest = {key: value for key, value in mapping.items() if key not in {"type", "items"}}
    return {**rest, "anyOf": [{"type": "array", "items": mapping["items"]}, mapping["items"]]}


def _described(mapping: dict[str, Any], language: str) -> dict[str, Any]:
    if "x-description-en" in mapping:
        mapping["description"] = mapping[f"x-description-{language}"]
    return mapping
