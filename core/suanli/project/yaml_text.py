"""YAML read as text: a tree of strings, lists and mappings, and the line of every key and item.

Scalars keep their spelling, so ``1:30`` is no sexagesimal number, ``no`` no boolean and ``2026-11-30`` no
date until the schema says so. The reader takes the subset a project file needs: one document, no anchors,
aliases or tags, a limited size and depth. What is outside is a fault with a line, never an exception.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import yaml

from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["MAX_BYTES", "MAX_DEPTH", "Document", "KeyPath", "Tree", "dotted", "parse_yaml", "read_yaml"]

Tree: TypeAlias = "str | list[Tree] | dict[str, Tree]"
"""Text, list or mapping. An absent value (``key:``) is an empty string."""

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the top of the file."""

MAX_BYTES = 1_000_000
MAX_DEPTH = 12
MAX_NODES = 50_000

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_events = cast("Callable[..., Iterator[Any]]", yaml.parse)  # pyright: ignore[reportUnknownMemberType] - no types in its stub
_NULLS = {"", "~", "null", "Null", "NULL"}


def dotted(path: KeyPath) -> str:
    """Return a key path as it is written, such as ``commercial.fx.0.rate``."""
    return ".".join(str(part) for part in path)


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document as text."""

    name: str
    """File name as the user gave it."""
    root: Tree
    lines: dict[KeyPath, int] = field(default_factory=dict[KeyPath, int])
    """First line of every key and list item, counted from 1."""

    def place(self, path: KeyPath) -> str:
        """Return ``file:line`` of a key, or of the nearest key above it that the file has."""
        for length in range(len(path), 0, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return f"{self.name}:{line}"
        return self.name


def read_yaml(path: Path) -> Document:
    """Read a YAML file as text.

    Raises:
        InputError: no such file, a directory, too large, not UTF-8, or not the YAML that is read.
    """
    name = str(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError(Fault("there is no such file", where=name, cure=_neighbours(path))) from None
    except IsADirectoryError:
        raise InputError(Fault("this is a directory", where=name, why="a project is one YAML file")) from None
    except OSError as fault:
        raise InputError(Fault(f"cannot be read: {fault.strerror}", where=name)) from None
    if len(content) > MAX_BYTES:
        raise InputError(
            Fault(f"is larger than {MAX_BYTES:,} bytes", where=name, why="a project file is a few pages")
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        what = f"byte {fault.start} is not UTF-8"
        raise InputError(Fault(what, where=f"{name}:{line}", cure="save the file as UTF-8")) from None
    return parse_yaml(text, name)


def _neighbours(path: Path) -> str:
    """Name the YAML files beside a missing one."""
    folder = path.parent
    found = sorted(item.name for item in folder.glob("*.y*ml"))[:5] if folder.is_dir() else []
    return f"files there: {', '.join(found)}" if found else "suanli init SCENARIO writes a starter file"


def parse_yaml(text: str, name: str) -> Document:
    """Parse a YAML text.

    Raises:
        InputError: the text is not the YAML that is read; all faults that can be told apart at once.
    """
    reader = _Reader(name, text)
    try:
        root = reader.document()
    except yaml.MarkedYAMLError as fault:
        raise InputError([*reader.faults, reader.syntax_fault(fault)]) from None
    except yaml.YAMLError as fault:  # a character that YAML forbids
        raise InputError([*reader.faults, Fault(f"is not YAML: {fault}", where=name)]) from None
    if reader.faults:
        raise InputError(reader.faults)
    return Document(name, root, reader.lines)


class _Reader:
    """Builds the tree from parser events, which carry marks and do not resolve anything."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.lines: dict[KeyPath, int] = {}
        self.faults: list[Fault] = []
        self.nodes = 0
        self.events: Iterator[Any] = _events(text, Loader=_LOADER)

    def document(self) -> Tree:
        """Return the one document of the text."""
        root: Tree = ""
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                first = self.node(next(self.events), ())
                root = root if documents > 1 else first
                if documents > 1:
                    self.fault(
                        event, (), "a second document begins here", "a project file holds one document"
                    )
        return root

    def node(self, event: Any, path: KeyPath) -> Tree:  # noqa: ANN401 - the event classes have no common typed base
        """Return the tree under an event and consume all its events."""
        self.nodes += 1
        if len(path) > MAX_DEPTH or self.nodes > MAX_NODES:
            limit = f"at most {MAX_DEPTH} levels and {MAX_NODES:,} values are read"
            raise InputError(
                [*self.faults, Fault("is nested too deeply or too large", where=self.mark(event), why=limit)]
            )
        if isinstance(event, yaml.AliasEvent):
            self.fault(
                event,
                path,
                f"alias *{event.anchor}",
                "anchors and aliases are not read",
                "write the value out",
            )
            return ""
        self.refuse_properties(event, path)
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(path)
        value = str(event.value)
        return "" if event.style in {None, ""} and value in _NULLS else value

    def refuse_properties(self, event: Any, path: KeyPath) -> None:  # noqa: ANN401
        """Refuse anchors and explicit tags."""
        if event.anchor is not None:
            self.fault(
                event,
                path,
                f"anchor &{event.anchor}",
                "anchors and aliases are not read",
                "write the value out",
            )
        if event.tag is not None:
            self.fault(event, path, f"tag {event.tag}", "tags are not read", "write the value without it")

    def mapping(self, path: KeyPath) -> dict[str, Tree]:
        """Return a mapping; a key that stands twice is a fault, and so is a key that is no text."""
        found: dict[str, Tree] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.node(event, path)
            if not isinstance(key, str):
                self.fault(event, path, "a list or mapping stands where a key is meant", "keys are words")
                key = f"#{event.start_mark.line + 1}"
            here = (*path, key)
            if key in found:
                first = self.lines[here]
                self.fault(
                    event,
                    here,
                    f'the key "{key}" stands twice',
                    f"first on line {first}",
                    "keep one of the two",
                )
                self.node(next(self.events), here)
                continue
            self.lines[here] = event.start_mark.line + 1
            found[key] = self.node(next(self.events), here)
        return found

    def sequence(self, path: KeyPath) -> list[Tree]:
        """Return a list."""
        found: list[Tree] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            here = (*path, len(found))
            self.lines[here] = event.start_mark.line + 1
            found.append(self.node(event, here))
        return found

    def mark(self, event: Any) -> str:  # noqa: ANN401
        """Return file and line of an event."""
        return f"{self.name}:{event.start_mark.line + 1}"

    def fault(self, event: Any, path: KeyPath, what: str, why: str = "", cure: str = "") -> None:  # noqa: ANN401
        """Note a fault and go on."""
        self.faults.append(Fault(what, where=self.mark(event), key=dotted(path), why=why, cure=cure))

    def syntax_fault(self, error: yaml.MarkedYAMLError) -> Fault:
        """Return a syntax error with its line, the text of the line and a caret."""
        mark = error.problem_mark or error.context_mark
        problem = " ".join(part for part in (error.context, error.problem) if part)
        if mark is None:
            return Fault(f"is not YAML: {problem}", where=self.name)
        rows = self.text.splitlines()
        row = rows[mark.line] if mark.line < len(rows) else ""
        caret = f"{row}\n  {' ' * mark.column}^" if row.strip() else ""
        return Fault(
            f"is not YAML: {problem}",
            where=f"{self.name}:{mark.line + 1}",
            why=caret,
            cure=_syntax_cure(rows, mark.line),
        )


def _syntax_cure(rows: list[str], line: int) -> str:
    """Guess the usual reasons of a syntax error from the lines around it."""
    near = rows[max(0, line - 1) : line + 1]
    if any("\t" in row[: len(row) - len(row.lstrip())] for row in near):
        return "YAML is indented with spaces; replace the tab"
    if any("：" in row for row in near):
        return 'a full-width "：" does not separate key and value; write ": "'
    if any(row.count("{") != row.count("}") or row.count("[") != row.count("]") for row in near):
        return "a bracket is not closed"
    return 'quote a value that contains ": " or " #"'
