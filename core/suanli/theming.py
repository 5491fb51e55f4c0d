"""Which theme a run uses: a plugin's by its name, or a folder relative to the project file.

What a theme holds is the renderers' business. Here a name becomes a folder, each renderer says what is wrong
with that folder, and the project file that is written names it so that a second run finds it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from suanli.errors import Fault, InputError, PluginError, SuanliError
from suanli.host.checks import DEFAULT_THEME

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.workload import Requirement
    from suanli.host.host import Host
    from suanli.project.schema import Project
    from suanli.proposal.contributions import Renderer

__all__ = ["KEY", "check_theme", "theme_folder", "theme_setting", "with_written_theme"]

KEY: Final = "project.theme"
"""Key of the project file that chooses a theme."""


def theme_setting(name: str, project: Path, host: Host) -> str:
    """Return what ``--theme`` says as a setting of the project file.

    Args:
        name: a theme's name, or a folder relative to where the command runs.
        project: the project file, whose folder relative names in it start from.
        host: the plugins.

    Raises:
        InputError: there is no such theme, and no such folder.
        PluginError: the plugin that may have had it failed.
    """
    folder = Path(name).expanduser()
    if name == DEFAULT_THEME or name in host.themes:
        return f"{KEY}={name}"
    if folder.is_dir():
        return f"{KEY}={_relative(folder, project.parent)}"
    if _is_path(name):
        raise InputError(Fault(f'no theme "{name}": there is no such folder', key="--theme"))
    _require(name, host, "--theme")
    return ""


def theme_folder(project: Project, host: Host) -> Path | None:
    """Return the folder of the theme that a project chooses; None is the look that is shipped.

    Raises:
        InputError: there is no such theme or folder.
        PluginError: the plugin that may have had it failed.
    """
    name = _chosen(project)
    if name == DEFAULT_THEME:
        return None
    if _is_path(name):
        folder = project.path.parent / Path(name).expanduser()
        if not folder.is_dir():
            why = f"a folder is named relative to the project file; looked at {folder}"
            raise InputError(project.origin.fault(KEY, f'no theme "{name}": there is no such folder', why))
        return folder
    try:
        _require(name, host, KEY)
    except SuanliError as error:
        beside = (project.path.parent / name).is_dir()
        cure = f"write ./{name} for the folder beside the project file" if beside else ""
        place = project.origin.place(KEY)
        faults = [replace(fault, where=place, cure=fault.cure or cure) for fault in error.faults[:1]]
        raise type(error)([*faults, *error.faults[1:]]) from None
    theme = host.themes[name]
    return Path(str(files(theme.package).joinpath(theme.folder)))


def check_theme(project: Project, host: Host, folder: Path | None, renderers: Iterable[Renderer]) -> None:
    """Make sure before anything is computed that the renderers can use a theme.

    Raises:
        InputError: a folder that the project names is wrong; every fault at once.
        PluginError: a theme of a plugin is.
    """
    if folder is None:
        return
    checks = dict.fromkeys(one.theme_faults for one in renderers if one.theme_faults is not None)
    faults = tuple(dict.fromkeys(fault for check in checks for fault in check(folder)))
    if faults:
        raise (PluginError if _chosen(project) in host.themes else InputError)(faults)


def with_written_theme(requirement: Requirement, project: Project, out: Path) -> Requirement:
    """Return a requirement whose theme is named so that a project file in another folder finds it."""
    name = _chosen(project)
    if not _is_path(name) or Path(name).expanduser().is_absolute():
        return requirement
    written = _relative(project.path.parent / name, out)
    return replace(requirement, project=replace(requirement.project, theme=written))


def _chosen(project: Project) -> str:
    """Return the theme as the file spells it: a folder's name is not normalised."""
    found = project.origin.find(KEY)
    return found.strip() if isinstance(found, str) and found.strip() else DEFAULT_THEME


def _is_path(name: str) -> bool:
    return name.startswith((".", "~")) or "/" in name or "\\" in name


def _relative(folder: Path, start: Path) -> str:
    """Return a folder relative to another, marked as a folder by a leading dot; absolute on another drive."""
    try:
        path = Path(os.path.relpath(folder.resolve(), start.resolve())).as_posix()
    except ValueError:
        return folder.resolve().as_posix()
    return path if path.startswith(".") else f"./{path}"


def _require(name: str, host: Host, key: str) -> None:
    try:
        host.require("themes", name, key=key)
    except InputError as error:
        why = f"installed: {', '.join((DEFAULT_THEME, *host.themes))}; or a folder, such as ./house"
        fault = Fault(f'no theme "{name}"', key=key, why=why, cure=error.faults[0].cure)
        raise InputError(fault) from None
