"""Says what is wrong with a data file in its own words rather than in those of the libraries that read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

import yaml
from pydantic import BaseModel, ValidationError

from suanli.domain.record import Text
from suanli.errors import Fault, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_core import ErrorDetails

__all__ = ["file_fault", "record_faults"]

_Path = tuple[str | int, ...]

_UNIT: Final = 'unit "'
"""How the complaint of a figure's class about its unit begins."""

_RAISED: Final = "Value error, "
"""What pydantic puts before the message of a validator."""


def file_fault(error: yaml.YAMLError | UnicodeDecodeError, where: str) -> Fault:
    """Return why a file could not be read, with the line."""
    if isinstance(error, UnicodeDecodeError):
        return Fault(f"byte {error.start} is not UTF-8", where=where, cure="save the file as UTF-8")
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return Fault(f"not readable as YAML: {error}", where=where)
    what = " ".join(part for part in (error.context, error.problem) if part)
    tab = "cannot start any token" in what
    cure = "YAML is indented with spaces; replace the tab" if tab else ""
    return Fault(f"not readable as YAML: {what}", where=f"{where}:{error.problem_mark.line + 1}", cure=cure)


def record_faults(
    error: ValidationError, place: str, where: str, record_type: type[BaseModel]
) -> Iterator[Fault]:
    """Yield one fault for each key that is wrong.

    Args:
        error: what the record type says.
        place: kind and id of the record.
        where: the data file.
        record_type: type of the record, for the keys that it knows.
    """
    by_path: dict[_Path, list[ErrorDetails]] = {}
    for item in error.errors(include_url=False):
        # A figure that may be of several dimensions names its class in brackets; nobody wrote that.
        path = tuple(part for part in item["loc"] if not (isinstance(part, str) and "[" in part))
        by_path.setdefault(path, []).append(item)
    for path, items in by_path.items():
        key = ".".join([place, *(str(part) for part in path)])
        what, why, cure = _said(items, path, record_type)
        yield Fault(what, where=where, key=key, why=why, cure=cure)


def _said(items: list[ErrorDetails], path: _Path, record_type: type[BaseModel]) -> tuple[str, str, str]:
    """Return what, why and cure for one key."""
    item, value = items[0], items[0]["input"]
    match item["type"]:
        case "extra_forbidden":
            known = tuple(_model_at(record_type, path[:-1]).model_fields)
            return "is not a key", f"known keys: {', '.join(known)}", nearest(str(path[-1]), known)
        case "missing":
            return "is missing", "", "add the key; a record without it is not used"
        case "enum" | "literal_error":
            expected = str(item.get("ctx", {}).get("expected", "")).replace("'", "").replace(" or ", ", ")
            return (
                f'"{value}" is not known',
                f"allowed: {expected}",
                nearest(str(value), expected.split(", ")),
            )
        case "model_type" if _model_at(record_type, path) is Text:
            return f"is one text ({value!r})", "a text is given in both languages", "write {zh: …, en: …}"
        case "value_error":
            return _raised([found["msg"] for found in items]), "", ""
        case _:
            found = "" if isinstance(value, dict) else f" (found {value!r})"
            return f"{item['msg'][:1].lower()}{item['msg'][1:]}{found}", "", ""


def _raised(messages: list[str]) -> str:
    """Return what the possible classes of a figure say, each once; a wrong unit only where all say so."""
    said = list(dict.fromkeys(message.removeprefix(_RAISED) for message in messages))
    others = [message for message in said if not message.startswith(_UNIT)]
    return "; ".join(others or said)


def _model_at(record_type: type[BaseModel], path: _Path) -> type[BaseModel]:
    """Return the type of the mapping at a path; positions in lists and names in mappings lead no deeper."""
    current = record_type
    for part in path:
        field = current.model_fields.get(part) if isinstance(part, str) else None
        if field is not None:
            current = _model_in(field.annotation) or current
    return current


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
