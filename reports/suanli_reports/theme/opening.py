"""A theme's folder opened: everything about it checked, all faults at once, then what it says as a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.errors import Fault, InputError, nearest
from suanli_reports.theme.colours import colours_of, contrast_faults
from suanli_reports.theme.folder import AREAS, files_of, folder_faults, is_inside, shipped_paths
from suanli_reports.theme.font_files import font_faults
from suanli_reports.theme.logo import LOGOS, logo_faults
from suanli_reports.theme.manifest import read_manifest
from suanli_reports.theme.record import MANIFEST, House, HouseFonts
from suanli_reports.theme.templates import template_faults
from suanli_reports.theme.words import message_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from suanli_reports.theme.manifest import Manifest

__all__ = ["open_theme", "theme_faults"]

_LICENCE_WORDS: Final = 20
"""Fewest words of a licence: a name alone grants nothing."""


def theme_faults(root: Path) -> tuple[Fault, ...]:
    """Return everything that is wrong with a theme's folder, without rendering anything."""
    faults = list(folder_faults(root))
    if not is_inside(root / MANIFEST, root):
        return tuple(faults)
    try:
        faults += _manifest_faults(read_manifest(root), root)
    except InputError as error:
        faults += error.faults
        faults += _logo_faults(root, LOGOS)
    faults += message_faults(root)
    faults += template_faults(root)
    return tuple(faults)


def open_theme(root: Path) -> House:
    """Return what a theme says.

    Raises:
        InputError: something is wrong with it; every fault at once.
    """
    faults = theme_faults(root)
    if faults:
        raise InputError(faults)
    manifest = read_manifest(root)
    fonts = manifest.keys.fonts
    return House(
        root=root,
        name=manifest.name,
        description=manifest.description,
        colours=manifest.colours,
        fonts=None if fonts is None else HouseFonts(root / fonts.regular, root / fonts.bold),
        logo=_logo(root, _logo_names(manifest)),
    )


def _logo_names(manifest: Manifest) -> tuple[str, ...]:
    return (manifest.keys.logo,) if manifest.keys.logo else LOGOS


def _logo(root: Path, names: Iterable[str]) -> Path | None:
    """Return the first of some files that is there and inside the folder."""
    paths = [root / name for name in names]
    return next((path for path in paths if path.is_file() and is_inside(path, root)), None)


def _logo_faults(root: Path, names: Iterable[str]) -> Iterator[Fault]:
    logo = _logo(root, names)
    if logo is not None:
        yield from logo_faults(logo, str(logo))


def _manifest_faults(manifest: Manifest, root: Path) -> Iterator[Fault]:
    yield from contrast_faults(
        colours_of(manifest.colours),
        lambda name: manifest.place("colours", name),
    )
    yield from _font_faults(manifest, root)
    if manifest.keys.logo:
        yield from _path_faults(manifest, root, manifest.keys.logo, "logo")
    yield from _logo_faults(root, _logo_names(manifest))
    yield from _override_faults(manifest, root)


def _path_faults(manifest: Manifest, root: Path, name: str, *key: str) -> Iterator[Fault]:
    """Yield a fault where a key names a file that is not in the folder."""
    where, path = manifest.place(*key), ".".join(key)
    if not is_inside(root / name, root):
        why = "nothing outside the folder is read"
        yield Fault(f'"{name}" is outside of the theme', where=where, key=path, why=why)
    elif not (root / name).is_file():
        yield Fault(f'there is no file "{name}"', where=where, key=path, cure=nearest(name, files_of(root)))


def _font_faults(manifest: Manifest, root: Path) -> Iterator[Fault]:
    fonts = manifest.keys.fonts
    if fonts is None:
        return
    for key, name in fonts.model_dump().items():
        found = list(_path_faults(manifest, root, name, "fonts", key))
        yield from found
        if not found and key != "licence":
            yield from font_faults(root / name, str(root / name))
        elif (
            not found
            and len((root / name).read_text(encoding="utf-8", errors="replace").split()) < _LICENCE_WORDS
        ):
            why = "a document that is handed on embeds the font; the licence that allows it belongs beside it"
            yield Fault("holds no licence", where=str(root / name), why=why)


def _override_faults(manifest: Manifest, root: Path) -> Iterator[Fault]:
    """Yield where the stated list of what the theme replaces is not what it replaces."""
    stated = manifest.keys.overrides
    if stated is None:
        return
    replaced = {
        name for name in files_of(root) if name.partition("/")[0] in AREAS and name in shipped_paths()
    }
    for at, name in enumerate(stated):
        if name not in replaced:
            what = f'"{name}" replaces nothing'
            where, cure = manifest.place("overrides", at), nearest(name, replaced)
            yield Fault(
                what, where=where, key=f"overrides.{at}", why="no such file, or none shipped", cure=cure
            )
    for name in sorted(replaced - set(stated)):
        yield Fault(
            f'"{name}" is not in the list', where=manifest.place("overrides"), key="overrides", cure="add it"
        )
