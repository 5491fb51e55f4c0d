"""The files of a theme's folder: which there are, what each replaces, and what may not be there."""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from suanli.errors import Fault, nearest
from suanli_reports.theme.logo import LOGOS
from suanli_reports.theme.record import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

__all__ = ["AREAS", "OWN", "files_of", "folder_faults", "is_inside", "shipped_paths"]

AREAS: Final = ("document", "style", "charts", "workbook", "office", "mail", "web")
"""Folders whose files replace the shipped ones of the same path."""
OWN: Final = "house"
"""Folder inside each area for files that replace nothing and that the theme's own templates name."""
MOST_FILES: Final = 500
MOST_TEXT_BYTES: Final = 1_000_000

_BESIDE: Final = (MANIFEST, "README.md", "LICENSE", "LICENCE", "LICENSE.txt", "LICENCE.txt", *LOGOS)
_FOLDERS: Final = (*AREAS, "messages", "fonts")
_TEXTS: Final = (".j2", ".yaml", ".md", ".txt", ".css")
_PALETTE: Final = "style/palette.yaml"


@cache
def shipped_paths() -> frozenset[str]:
    """Return the paths of all shipped templates and of the data beside them."""
    root = files("suanli_templates")
    return frozenset(path for area in AREAS for path in _below(root.joinpath(area), area))


def _below(folder: Traversable, path: str) -> Iterator[str]:
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _below(entry, name)
        elif entry.name.endswith((".j2", ".yaml")):
            yield name


def is_inside(path: Path, root: Path) -> bool:
    """Tell whether a path, links followed, lies in a folder."""
    return path.resolve().is_relative_to(root.resolve())


def files_of(root: Path) -> tuple[str, ...]:
    """Return the paths of all files that count, sorted; hidden ones and those of Python do not."""
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        here = Path(folder).relative_to(root)
        found += [(here / name).as_posix() for name in names if not name.startswith((".", "__"))]
        found += [(here / name).as_posix() for name in folders if (Path(folder) / name).is_symlink()]
    return tuple(sorted(found))


def folder_faults(root: Path) -> Iterator[Fault]:
    """Yield what is wrong with the files of a folder: links that leave it, paths that mean nothing, sizes."""
    found = files_of(root)
    if len(found) > MOST_FILES:
        yield Fault(f"holds {len(found)} files", where=str(root), why=f"at most {MOST_FILES}")
        return
    for name in found:
        yield from _file_faults(root, name)


def _file_faults(root: Path, name: str) -> Iterator[Fault]:
    path, where = root / name, str(root / name)
    if not is_inside(path, root):
        why = "nothing outside the folder is read"
        yield Fault(
            "is a link to outside of the theme", where=where, why=why, cure="put the file itself here"
        )
    elif path.is_dir():
        yield Fault("is a link to a folder", where=where, cure="put the folder itself here")
    elif path.suffix in _TEXTS and path.stat().st_size > MOST_TEXT_BYTES:
        yield Fault(f"of {path.stat().st_size} bytes", where=where, why=f"at most {MOST_TEXT_BYTES} bytes")
    else:
        yield from _meaning_faults(name, where)


def _meaning_faults(name: str, where: str) -> Iterator[Fault]:
    """Yield a fault where nothing would ever read a file."""
    area, _, below = name.partition("/")
    if not below:
        if area not in _BESIDE:
            known = f"known here: {', '.join((*_BESIDE, *(f'{folder}/' for folder in _FOLDERS)))}"
            yield Fault("is no file of a theme", where=where, why=known, cure=nearest(area, _BESIDE))
    elif area not in _FOLDERS:
        known = f"folders of a theme: {', '.join(_FOLDERS)}"
        yield Fault("is in no folder of a theme", where=where, why=known, cure=nearest(area, _FOLDERS))
    elif area == "messages":
        if "/" in below or not below.endswith(".yaml"):
            yield Fault("is no file of messages", where=where, why="messages/*.yaml are read")
    elif name == _PALETTE:
        yield Fault("is not read from a theme", where=where, cure=f"colours stand in {MANIFEST}")
    elif area in AREAS and name not in shipped_paths() and not below.startswith(f"{OWN}/"):
        why = f"a file replaces the shipped one of its path, or lies in {area}/{OWN}"
        yield Fault("replaces nothing", where=where, why=why, cure=nearest(name, shipped_paths()))
