"""Reads folders of published runs: tolerant of what a field says, strict about what a file is.

A value of the wrong kind, an unknown word and a missing key are None. A file that is not YAML, an item that
is not a mapping and an id that stands twice are faults with file and line, all of them at once.
"""

from __future__ import annotations

import contextlib
import math
from collections import defaultdict
from dataclasses import fields, is_dataclass
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

import yaml

from suanli.errors import Fault, InputError
from suanli.validation.schema import (
    Metric,
    MlaDims,
    RunBatch,
    RunCheck,
    RunDerived,
    RunExtra,
    RunLora,
    RunMeasured,
    RunModel,
    RunParallel,
    RunRecord,
    RunSource,
    RunUse,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = [
    "Metric",
    "MlaDims",
    "RunBatch",
    "RunCheck",
    "RunDerived",
    "RunExtra",
    "RunLora",
    "RunMeasured",
    "RunModel",
    "RunParallel",
    "RunRecord",
    "RunSource",
    "RunUse",
    "read_runs",
    "record_from",
    "selected",
    "truth",
]

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader in C reads the published runs some fifteen times faster than the one in Python."""

T = TypeVar("T")


def truth(record: RunRecord, metric: Metric | str) -> float | None:
    """Return the measured value of a metric in its unit, or None where the source states none.

    Throughput is the stated rate in tokens per second and accelerator, or else the one derived from a step
    time; memory the peak in GB (1e9 bytes); energy MWh within the scope that the record states; run totals
    accelerator-hours. A value that is not positive is no measurement.
    """
    measured = record.measured
    values = {
        Metric.THROUGHPUT: measured.tokens_per_s_per_accelerator
        or record.derived.tokens_per_s_per_accelerator,
        Metric.MEMORY: measured.peak_memory_gb,
        Metric.ENERGY: measured.energy_mwh,
        Metric.RUN_TOTALS: measured.accelerator_hours,
    }
    value = values[Metric(metric)]
    return value if value is not None and value > 0 else None


def selected(records: Iterable[RunRecord], metric: Metric | str) -> tuple[RunRecord, ...]:
    """Return the records that may score a metric, which is what their ``use`` says."""
    name = Metric(metric).value
    return tuple(record for record in records if getattr(record.use, name) is True)


def read_runs(directory: Path) -> tuple[RunRecord, ...]:
    """Read every ``*.yaml`` of a folder, in order of name.

    Raises:
        InputError: no such folder, no such file in it, a file that is no list of mappings, or an id that
            stands twice; all faults at once.
    """
    paths = _files(directory)
    faults: list[Fault] = []
    records: list[RunRecord] = []
    places: defaultdict[str, list[tuple[Path, int]]] = defaultdict(list)
    for path in paths:
        items, found = _items(path)
        faults += found
        for number, item in items:
            record = record_from(item, fallback=f"{path.stem}[{number}]")
            places[record.id].append((path, number))
            records.append(record)
    faults += [_duplicate(name, where) for name, where in places.items() if len(where) > 1]
    if faults:
        raise InputError(faults)
    return tuple(records)


def _files(directory: Path) -> list[Path]:
    name = str(directory)
    if not directory.exists():
        raise InputError(Fault("there is no such folder", where=name, key="FOLDER"))
    if not directory.is_dir():
        cure = f"name the folder: {directory.parent}"
        raise InputError(Fault("is not a folder", where=name, key="FOLDER", cure=cure))
    paths = sorted(path for path in directory.glob("*.yaml") if path.is_file())
    if not paths:
        why = "runs are read from every *.yaml of a folder"
        raise InputError(Fault("holds no *.yaml file", where=name, key="FOLDER", why=why))
    return paths


def _items(path: Path) -> tuple[list[tuple[int, Mapping[str, object]]], list[Fault]]:
    """Return the mappings of a file with their positions, and what is wrong with it."""
    text, fault = _text(path)
    if fault is not None:
        return [], [fault]
    try:
        root: object = yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader, in C where there is one
    except yaml.YAMLError as error:
        return [], [_syntax_fault(path, error)]
    except (ValueError, OverflowError, RecursionError) as error:  # 2026-02-30; brackets without end
        return [], [Fault(f"is not YAML: {str(error).splitlines()[0]}", where=str(path))]
    if root is None:
        return [], []
    if not isinstance(root, list):
        what = f"is {_kind(root)}, not a list of runs"
        return [], [Fault(what, where=f"{path}:{_line(text)}", why="a file is a list of mappings, one a run")]
    items = list(enumerate(cast("list[object]", root)))
    odd = [(number, item) for number, item in items if not isinstance(item, dict)]
    faults = [
        Fault(f"item {number + 1} is {_kind(item)}, not a mapping", where=f"{path}:{_line(text, number)}")
        for number, item in odd
    ]
    good = [(number, cast("Mapping[str, object]", item)) for number, item in items if isinstance(item, dict)]
    return good, faults


def _text(path: Path) -> tuple[str, Fault | None]:
    try:
        content = path.read_bytes()
    except OSError as error:
        return "", Fault(f"cannot be read: {error.strerror}", where=str(path))
    try:
        return content.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        what = f"byte {error.start} is not UTF-8"
        return "", Fault(what, where=f"{path}:{line}", cure="save the file as UTF-8")


def _syntax_fault(path: Path, error: yaml.YAMLError) -> Fault:
    if isinstance(error, yaml.MarkedYAMLError):
        problem = " ".join(part for part in (error.context, error.problem) if part)
        mark = error.problem_mark or error.context_mark
        return Fault(f"is not YAML: {problem}", where=f"{path}:{mark.line + 1}" if mark else str(path))
    return Fault(f"is not YAML: {str(error).splitlines()[0]}", where=str(path))


def _kind(value: object) -> str:
    kinds = {dict: "a mapping", list: "a list", NoneType: "empty"}
    return kinds.get(cast("type[Any]", type(value)), f'"{value}"')


def _line(text: str, number: int | None = None) -> int:
    """Return the first line of a document, or of an item of its list, counted from 1."""
    # Reading marks is slow, so that it is done for faults only.
    compose = cast("Callable[..., Any]", yaml.compose)  # pyright: ignore[reportUnknownMemberType]
    node = compose(text, Loader=_LOADER)
    return int((node if number is None else node.value[number]).start_mark.line) + 1


def _duplicate(name: str, places: Sequence[tuple[Path, int]]) -> Fault:
    where = [f"{path}:{_line(path.read_text(encoding='utf-8-sig'), number)}" for path, number in places]
    why = f"also at {', '.join(where[:-1])}"
    return Fault(f'the id "{name}" stands {len(where)} times', where=where[-1], key="id", why=why)


def record_from(item: Mapping[str, object], *, fallback: str = "") -> RunRecord:
    """Return one record; what cannot be read in it is None.

    Args:
        item: one mapping of a file.
        fallback: id where it states none.

    >>> record = record_from({"id": "a", "task": "guesswork", "sequence_length": "4096"})
    >>> record.task, record.sequence_length, record.model.layers
    (None, 4096, None)
    """
    name = item.get("id")
    known = (
        item
        if isinstance(name, str) and name
        else {**item, "id": fallback if name is None or name == "" else str(name)}
    )
    return _build(RunRecord, known)


def _build(part: type[T], item: Mapping[str, object]) -> T:
    """Return a frozen record of the fields of a type that a mapping states in the right kind."""
    values: dict[str, Any] = {}
    for name, hint in _hints(cast("Hashable", part)).items():
        value = _read(hint, item.get(name))
        if value is not None:
            values[name] = value
    if part is RunExtra:
        values["facts"] = MappingProxyType(dict(item))
    return part(**values)


@cache
def _hints(part: Hashable) -> dict[str, Any]:
    record = cast("type[Any]", part)
    hints = get_type_hints(record)
    return {one.name: hints[one.name] for one in fields(record)}


def _read(hint: Any, value: object) -> object:  # noqa: ANN401 - the annotation of a field
    """Return a value of the kind that an annotation names, or None."""
    alternatives = get_args(hint) if isinstance(hint, UnionType) or _is_optional(hint) else (hint,)
    for kind in alternatives:
        found = _of_kind(kind, value)
        if found is not None:
            return found
    return None


def _is_optional(hint: Any) -> bool:  # noqa: ANN401
    return NoneType in get_args(hint)


def _of_kind(kind: Any, value: object) -> object:  # noqa: ANN401, PLR0911 - one kind a line
    if value is None or kind is NoneType:
        return None
    if get_origin(kind) is Literal:
        return value if value in get_args(kind) else None
    if kind is str:
        return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    if kind is bool:
        return value if isinstance(value, bool) else None
    if kind is int or kind is float:
        return _number(value, whole=kind is int)
    if get_origin(kind) is tuple:
        return tuple(str(one) for one in cast("list[object]", value)) if isinstance(value, list) else None
    if is_dataclass(kind) and isinstance(value, dict):
        return _build(cast("type[Any]", kind), cast("dict[str, object]", value))
    return None


def _number(value: object, *, whole: bool) -> float | int | None:
    """Return a finite number; counts are whole and not negative.

    >>> _number("4e12", whole=False), _number(2.5, whole=True), _number("a few", whole=True)
    (4000000000000.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    number = math.nan
    # YAML 1.1 reads 4e12 as text. An integer may be too large for a float.
    with contextlib.suppress(ValueError, OverflowError):
        number = float(value)
    if not math.isfinite(number):
        return None
    if not whole:
        return number
    return int(number) if number >= 0 and number.is_integer() else None
