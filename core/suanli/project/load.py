"""A project file loaded whole: every fault at once, with line, key, what is allowed and the nearest name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from suanli.errors import Fault, InputError, nearest
from suanli.project.quantities import QuantityError, normalise
from suanli.project.schema import Origin, Project, keys_at, known_keys
from suanli.project.sections import ProjectFile
from suanli.project.yaml_text import Document, KeyPath, Tree, dotted, parse_yaml, read_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_core import ErrorDetails

__all__ = ["load_project", "parse_project"]

_SECTIONS = (
    "project",
    "workload",
    "layout",
    "cluster",
    "storage",
    "reliability",
    "site",
    "vendors",
    "commercial",
)
"""Sections that may be left out: their missing keys are then the faults, if any."""


def load_project(path: str | Path, overrides: Sequence[str] = ()) -> Project:
    """Load a project file and apply command-line settings.

    Args:
        path: The YAML file.
        overrides: Settings ``KEY=VALUE`` with dotted keys, such as ``vendors.consider=[ascend]``; they
            replace or add a key before anything is checked.

    Raises:
        InputError: the file or a setting is wrong; one fault for each thing that is.
    """
    where = Path(path)
    return _project(read_yaml(where), where, overrides)


def parse_project(text: str, path: str | Path = "project.yaml", overrides: Sequence[str] = ()) -> Project:
    """Load a project from text; `path` names it and is the place that relative file names start from.

    Raises:
        InputError: as `load_project`.
    """
    return _project(parse_yaml(text, str(path)), Path(path), overrides)


def _project(document: Document, path: Path, overrides: Sequence[str]) -> Project:
    root = document.root
    if not isinstance(root, dict):
        kind = "a list" if isinstance(root, list) else "empty" if root == "" else "one value"
        why = f"a project file is a mapping with the keys {', '.join(ProjectFile.model_fields)}"
        raise InputError(Fault(f"the file is {kind}", where=document.name, why=why, cure=_flat_cure(root)))
    faults: list[Fault] = []
    settings = dict(_override(setting, root, faults) for setting in overrides)
    settings.pop("", None)
    origin = Origin(document, settings)
    try:
        file = ProjectFile.model_validate({**dict.fromkeys(_SECTIONS, ""), **root})
    except ValidationError as error:
        faults.extend(_fault(item, origin) for item in error.errors(include_url=False))
        raise InputError(_in_order(faults, document)) from None
    if faults:
        raise InputError(faults)
    return Project(file, origin, path)


def _flat_cure(root: Tree) -> str:
    """Say what usually makes a file one value."""
    if isinstance(root, str) and "：" in root:
        return 'a full-width "：" does not separate key and value; write ": "'
    return "suanli init SCENARIO writes a starter file"


def _in_order(faults: list[Fault], document: Document) -> list[Fault]:
    """Return faults by line, those without a line last."""

    def line(fault: Fault) -> int:
        tail = fault.where.removeprefix(f"{document.name}:")
        return int(tail) if tail.isdigit() else 10**9

    return sorted(faults, key=line)


# --- settings of the command line ---


def _override(setting: str, root: dict[str, Tree], faults: list[Fault]) -> tuple[str, str]:
    """Apply one setting to the tree; return its key and itself, or empty strings where it is wrong."""
    key, equals, value = setting.partition("=")
    key = normalise(key)
    known = set(known_keys())
    generic = ".".join("0" if part.isdigit() else part for part in key.split("."))
    place = f"--set {setting}"
    if not equals:
        faults.append(
            Fault(
                "is not KEY=VALUE",
                where=place,
                cure='write for example workload.deadline="90 days"',
            )
        )
    elif generic not in known and not _inside_list(generic, known):
        faults.append(
            Fault(
                f'"{key}" is not a key',
                where=place,
                key=key,
                why=_siblings(key),
                cure=nearest(generic, known),
            )
        )
    elif (tree := _setting_value(value, place, key, faults)) is not None:
        if _put(root, key, tree):
            return key, setting
        faults.append(Fault("no such list item, or a single value stands above", where=place, key=key))
    return "", ""


def _inside_list(generic: str, known: set[str]) -> bool:
    """Tell whether a key is one item of a list of plain values, such as ``vendors.consider.0``."""
    return generic.endswith(".0") and generic.removesuffix(".0") in known


def _siblings(key: str) -> str:
    """List the keys of the section that a wrong key would belong to."""
    parts: KeyPath = tuple(key.split(".")[:-1])
    section = keys_at(parts)
    names = (section or ProjectFile).model_fields
    return f"known keys{f' of {dotted(parts)}' if section and parts else ''}: {', '.join(names)}"


def _setting_value(value: str, place: str, key: str, faults: list[Fault]) -> Tree | None:
    """Read the value of a setting: YAML where it opens a list, a mapping or quotes, plain text otherwise."""
    if not value.strip().startswith(("[", "{", '"', "'")):
        return value.strip()
    try:
        return parse_yaml(value, place).root
    except InputError as error:
        faults.extend(
            Fault(fault.what, where=place, key=key, why=fault.why, cure=fault.cure) for fault in error.faults
        )
        return None


def _put(root: dict[str, Tree], key: str, value: Tree) -> bool:
    """Put a value at a dotted key, making the mappings on the way."""
    node: Tree = root
    *above, last = key.split(".")
    for part, below in zip(above, key.split(".")[1:], strict=True):
        node = _step(node, part, below)
    if isinstance(node, list) and last.isdigit() and int(last) < len(node):
        node[int(last)] = value
        return True
    if isinstance(node, dict):
        node[last] = value
        return True
    return False


def _step(node: Tree, part: str, below: str) -> Tree:
    """Go one key down, making an empty mapping where there is nothing and no list item is meant."""
    if isinstance(node, list) and part.isdigit() and int(part) < len(node):
        return node[int(part)]
    if isinstance(node, dict):
        if node.get(part, "") == "":
            node[part] = "" if below.isdigit() else {}
        return node[part]
    return ""


# --- faults of the schema ---


def _fault(item: ErrorDetails, origin: Origin) -> Fault:
    """Turn one error of the schema into a fault that names place, key, what is allowed and the cure."""
    path = tuple(item["loc"])
    kind = item["type"]
    if path[:1] == ("model",) and path[1:] == ("reference",) and not origin.has("model.reference"):
        path = path[:1]
    key = dotted(path)
    if kind == "extra_forbidden":
        return _unknown_key(path, key, origin)
    if kind == "missing":
        return _missing_key(path, key, origin)
    error: Any = item.get("ctx", {}).get("error")
    if isinstance(error, QuantityError):
        return origin.fault(key, error.found, f"allowed: {error.allowed}", error.suggestion)
    found = item["input"]
    shown = "a list" if isinstance(found, list) else "a mapping" if isinstance(found, dict) else f'"{found}"'
    section = keys_at(path)
    if kind in {"model_type", "model_attributes_type", "dict_type"} and section is not None:
        return origin.fault(
            key, f"{shown} where keys are meant", f"known keys: {', '.join(section.model_fields)}"
        )
    allowed = "a list, such as [a, b]" if kind in {"list_type", "tuple_type"} else item["msg"]
    return origin.fault(key, f"{shown} cannot be used here", f"allowed: {allowed}")


def _unknown_key(path: KeyPath, key: str, origin: Origin) -> Fault:
    section = keys_at(path[:-1]) or ProjectFile
    names = list(section.model_fields)
    word = str(path[-1])
    elsewhere = [known for known in known_keys() if known.rpartition(".")[2] == word]
    cure = nearest(word, names) or (f'did you mean "{elsewhere[0]}"?' if elsewhere else "")
    return origin.fault(key, f'"{word}" is not a key', f"known keys here: {', '.join(names)}", cure)


def _missing_key(path: KeyPath, key: str, origin: Origin) -> Fault:
    section = keys_at(path[:-1]) or ProjectFile
    info = section.model_fields[str(path[-1])]
    example = info.examples[0] if info.examples else ""
    why = info.description or ""
    shown = isinstance(example, str | int | float) and example != ""
    cure = f"add {path[-1]}: {example}" if shown else f"add {path[-1]}"
    return origin.fault(key, "is missing", why, cure)
