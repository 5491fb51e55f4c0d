"""The journal of a sweep: finished points appended to a file beside the output, so that nothing is lost.

The first line says what the rows depend on; each further line is one point. Only the place of each line is
kept in memory. A line that was cut short by a crash is dropped and its point computed again.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from dataclasses import MISSING, asdict, fields
from typing import TYPE_CHECKING, BinaryIO, Self, cast

from suanli.errors import Fault, InputError, RenderError
from suanli.sweep.job import Identity
from suanli.sweep.point import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

__all__ = ["Journal", "journal_path"]

_FORMAT = 1
_NOWHERE = -1


def journal_path(output: Path) -> Path:
    """Return the journal of an output, such as ``sweep.xlsx.journal``."""
    return output.with_name(f"{output.name}.journal")


class Journal:
    """The finished points of one sweep; open it with ``with``, one process at a time."""

    def __init__(self, path: Path, identity: Identity, points: int, *, restart: bool = False) -> None:
        """Open the journal, or begin one.

        Args:
            path: the file.
            identity: what the rows depend on.
            points: size of the grid.
            restart: begin anew whatever is there.

        Raises:
            InputError: the journal belongs to another sweep, or another process is writing it.
            RenderError: the file cannot be written.
        """
        self.path = path
        self.faults = 0
        """Points at which suanli itself failed."""
        self._places = array("q", [_NOWHERE]) * points
        self._done = 0
        try:
            self._file: BinaryIO = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        except OSError as error:
            what = f"cannot be written: {error.strerror}"
            cure = "choose a folder that you may write to"
            raise RenderError(Fault(what, where=str(path), key="-o", cure=cure)) from error
        try:
            self._lock()
            self._end = 0 if restart else self._read(identity)
            self._begin(identity)
        except BaseException:
            self._file.close()
            raise
        self.resumed = self._done
        """Points that were there when the journal was opened."""

    def __enter__(self) -> Self:
        """Return the journal."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; what is in it stays."""
        self.close()

    def __len__(self) -> int:
        """Return the number of finished points."""
        return self._done

    def __contains__(self, point: int) -> bool:
        """Tell whether a point is finished."""
        return self._places[point] != _NOWHERE

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Append finished points and hand them to the system, which keeps them if this process dies.

        Raises:
            RenderError: the disk is full; the points before are kept.
        """
        try:
            for outcome in outcomes:
                self._append(outcome)
            self._file.flush()
        except OSError as error:
            what = f"cannot be written: {error.strerror}"
            cure = "free some disk space and run the same command; the finished points are kept"
            raise RenderError(Fault(what, where=str(self.path), cure=cure)) from error

    def _append(self, outcome: Outcome) -> None:
        if outcome.point in self:
            return
        line = _line([outcome.point, outcome.rows, outcome.fault])
        self._file.seek(self._end)
        self._file.write(line)
        self._note(outcome.point, self._end, fault=outcome.fault)
        self._end += len(line)

    def read(self, point: int) -> Outcome:
        """Return a finished point.

        Raises:
            KeyError: it is not finished.
        """
        if point not in self:
            raise KeyError(point)
        self._file.seek(self._places[point])
        number, rows, fault = json.loads(self._file.readline())
        return Outcome(number, rows, fault)

    def close(self) -> None:
        """Close the file and bring what is in it to the disk."""
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def remove(self) -> None:
        """Delete the journal of a sweep whose output is written."""
        # Still locked when it goes, so that no other process can have begun to rely on it.
        self.path.unlink(missing_ok=True)
        self._file.close()

    # --- opening ---

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        import fcntl  # noqa: PLC0415 - not there on every system

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            cure = "wait for it, or write to another file with -o"
            raise InputError(
                Fault("another sweep is writing this file", where=str(self.path), cure=cure)
            ) from None

    def _read(self, identity: Identity) -> int:
        """Note the places of the finished points and return the end of the last whole line."""
        head = self._file.readline()
        if not head.endswith(b"\n"):
            # Empty, or cut short before any point was written.
            return 0
        self._check(head, identity)
        end = place = self._file.tell()
        for line in self._file:
            place += len(line)
            if not line.endswith(b"\n"):
                break
            found = _point_of(line, len(self._places))
            if found is not None and found[0] not in self:
                self._note(found[0], end, fault=found[1])
            end = place
        return end

    def _note(self, point: int, place: int, *, fault: bool) -> None:
        self._places[point] = place
        self._done += 1
        self.faults += fault

    def _check(self, head: bytes, identity: Identity) -> None:
        found = _identity_of(head)
        if found is None:
            cure = "move it away, or write to another file with -o"
            raise InputError(Fault("is not the journal of a sweep", where=str(self.path), cure=cure))
        different = found.differences(identity)
        if different:
            raise InputError(
                Fault(
                    f"holds points of another sweep; what differs: {', '.join(different)}",
                    where=str(self.path),
                    why="rows of both would not belong together",
                    cure="--restart drops them and begins anew; -o writes to another file",
                )
            )

    def _begin(self, identity: Identity) -> None:
        """Cut off what is not whole, and write the first line where there is none."""
        self._file.truncate(self._end)
        if self._end == 0:
            head = _line({"sweep": _FORMAT, **asdict(identity)})
            self._file.seek(0)
            self._file.write(head)
            self._file.flush()
            self._end = len(head)


def _line(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _identity_of(line: bytes) -> Identity | None:
    """Return what the first line says, or None where it is no first line."""
    try:
        document: object = json.loads(line)
    except ValueError:
        return None
    mapping = cast("dict[str, str | int]", document) if isinstance(document, dict) else {}
    names = [item.name for item in fields(Identity)]
    needed = {item.name for item in fields(Identity) if item.default is MISSING}
    if mapping.get("sweep") != _FORMAT or not needed <= set(mapping):
        return None
    return Identity(**{name: str(mapping[name]) for name in names if name in mapping})


def _point_of(line: bytes, points: int) -> tuple[int, bool] | None:
    """Return the point of a line and whether suanli failed at it; None where the line is damaged."""
    try:
        point, rows, fault = json.loads(line)
    except (ValueError, TypeError):
        return None
    whole = isinstance(point, int) and 0 <= point < points and isinstance(rows, list)
    return (point, bool(fault)) if whole else None
