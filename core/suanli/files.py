"""Writes files whole: a reader finds the old file or the new one, never half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from suanli.errors import Fault, InputError, RenderError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["check_folder", "make_folder", "output_fault", "path_from", "write_atomic", "write_streamed"]

_CURES = {
    errno.ENOSPC: "free some disk space, or write to another disk",
    errno.EDQUOT: "free some of your quota, or write to another disk",
    errno.EACCES: "choose a folder that you may write to",
    errno.EPERM: "choose a folder that you may write to",
    errno.EROFS: "choose a folder on a disk that can be written to",
    errno.ENOENT: "make the folder, or choose another",
    errno.ENAMETOOLONG: "choose a shorter name",
}

_MODE = 0o666
"""What a new file gets before the user's mask; a temporary file is private otherwise."""


def path_from(folder: Path, path: Path) -> str:
    """Return the name under which a file is found from a folder, with ``/`` on every system.

    It is relative, so that the two may be moved together; absolute where no relative name exists, as between
    two drives. Links are followed first, for ``..`` leads out of where a folder really is.

    >>> path_from(Path("/a/out"), Path("/a/b/q.xlsx"))
    '../b/q.xlsx'
    """
    target = path.resolve()
    try:
        return Path(os.path.relpath(target, folder.resolve())).as_posix()
    except ValueError:
        return target.as_posix()


def write_atomic(path: Path, content: bytes) -> Path:
    """Write a file beside its final name and move it there in one step; return the path.

    Raises:
        InputError: the path is a folder.
        RenderError: the disk is full or the folder cannot be written; the old file, if any, is as it was.
    """
    return write_streamed(path, lambda stream: stream.write(content))


def write_streamed(path: Path, write: Callable[[BinaryIO], object]) -> Path:
    """Write a file that need not fit in memory beside its final name, move it there and return the path.

    Args:
        path: the final name.
        write: writes the content to the stream that it is given.

    Raises:
        InputError: the path is a folder.
        RenderError: the disk is full or the folder cannot be written; the old file, if any, is as it was.
    """
    if path.is_dir():
        raise InputError(Fault("is a folder", where=str(path), why="a file is to be written here"))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:80]}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise _cannot_write(path, error) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_MODE & ~_mask())
        temporary.replace(path)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        # After the move nothing is left under this name; after anything else, an interrupt too, something is.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    return path


def _mask() -> int:
    """Return the user's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _cannot_write(path: Path, error: OSError) -> RenderError:
    reason = os.strerror(error.errno) if error.errno else str(error)
    cure = _CURES.get(error.errno or 0, "")
    return RenderError(Fault(f"cannot be written: {reason}", where=str(path), cure=cure))


def output_fault(folder: Path) -> Fault | None:
    """Return why a folder cannot take output, before any work is done; None if it can be made or is there."""
    for place in (folder, *folder.parents):
        if place.is_dir():
            return None
        if place.exists() or place.is_symlink():
            return Fault("is not a folder", where=str(place), key="-o", why="the documents go into a folder")
    return None


def check_folder(folder: Path) -> None:
    """Make sure that files can be made in a folder before a minute is spent on them; leave nothing behind.

    Raises:
        InputError: a file stands in the folder's place, or in that of a folder above.
        RenderError: the folder, or the nearest one above that is there, may not be written to.
    """
    fault = output_fault(folder)
    if fault is not None:
        raise InputError(fault)
    place = next(one for one in (folder, *folder.absolute().parents) if one.is_dir())
    if not os.access(place, os.W_OK | os.X_OK):
        cure = "choose a folder that you may write to"
        raise RenderError(Fault("may not be written to", where=str(place), key="-o", cure=cure))
    try:
        # Rights alone do not tell: some file systems take no new files from anybody.
        Path(tempfile.mkdtemp(prefix=".suanli.", dir=place)).rmdir()
    except OSError as error:
        raise _cannot_make(folder, error) from error


def make_folder(folder: Path) -> Path:
    """Make a folder and those above it, where they are not there yet, and return it.

    Raises:
        RenderError: the system refuses.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_make(folder, error) from error
    return folder


def _cannot_make(folder: Path, error: OSError) -> RenderError:
    # A system that says "no such file" of a folder that is there means that nothing can be made in it.
    known = "" if error.errno == errno.ENOENT else _CURES.get(error.errno or 0, "")
    cure = known or "choose a folder that you may write to"
    what = f"cannot be made or written to: {error.strerror or error}"
    return RenderError(Fault(what, where=str(folder), key="-o", cure=cure))
