"""What the commands share: options, the host with its warnings, project files with settings, JSON output."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from suanli.errors import Fault, InputError, PluginError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from suanli.host.host import Host
    from suanli.project.schema import Project
    from suanli.project.sections import VendorsSection

__all__ = [
    "LANGUAGES",
    "echo_json",
    "echo_json_rows",
    "end_progress",
    "json_option",
    "load_plugins",
    "path_argument",
    "progress_to_stderr",
    "read_project",
    "require_accelerator",
    "require_plugins",
    "set_option",
    "split_names",
    "strict_option",
    "vendor_option",
]

LANGUAGES = ("zh", "en", "bilingual")
"""Languages of a document."""


def json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--json``."""
    text = "Print one JSON document on stdout, and nothing else there."
    return click.option("--json", "as_json", is_flag=True, help=text)(function)


def strict_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--strict``."""
    text = "Stop with exit code 3 if any plugin has a problem, needed or not."
    return click.option("--strict", is_flag=True, help=text)(function)


def set_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--set``."""
    text = 'Set a key of the project file, such as workload.deadline="90 days". May be repeated.'
    return click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help=text)(function)


def vendor_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--vendor``."""
    text = "Consider these vendors only. May be repeated, or a list with commas."
    return click.option("--vendor", "vendors", multiple=True, metavar="ID", help=text)(function)


def path_argument(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a file name; whether the file is there is said by its reader, together with what else is wrong."""
    return click.argument(name, type=click.Path(path_type=Path))


def split_names(values: Sequence[str], *, key: str, known: Sequence[str] = ()) -> tuple[str, ...]:
    """Return names given by repeating an option or between commas, each once.

    Raises:
        InputError: there is none, as where a script's variable is empty, or one is not among the known ones.
    """
    names = tuple(
        dict.fromkeys(part.strip() for value in values for part in value.split(",") if part.strip())
    )
    if values and not names:
        raise InputError(Fault("names nothing", key=key, cure="give a name, or leave the option out"))
    wrong = [name for name in names if known and name not in known]
    if wrong:
        why = f"known: {', '.join(known)}"
        raise InputError(
            [Fault(f'"{name}" is not known', key=key, why=why, cure=nearest(name, known)) for name in wrong]
        )
    return names


def load_plugins(*, strict: bool = False, quiet: bool = False) -> Host:
    """Load the plugins and print on stderr what is wrong with them and which are disabled.

    Args:
        strict: raise if anything is wrong.
        quiet: print nothing, where the command itself shows the problems.

    Raises:
        PluginError: `strict`, and a plugin has a problem.
    """
    from suanli.host.loader import load_host  # noqa: PLC0415 - keeps --help fast

    host = load_host()
    problems = [(f"{plugin.label}: {fault}", fault) for plugin, fault in host.problems]
    if strict and (problems or host.settings_faults):
        raise PluginError([*(Fault(text) for text, _ in problems), *host.settings_faults])
    if not quiet:
        for text, _ in problems:
            click.echo(f"warning: {text}", err=True)
        for fault in host.settings_faults:
            click.echo(f"warning: {fault}", err=True)
        _say_disabled(host)
    return host


def _say_disabled(host: Host) -> None:
    """Say which plugins the environment leaves out: a variable set long ago is easily forgotten."""
    from suanli.host.plugins import DISABLE_VARIABLE, PluginStatus  # noqa: PLC0415 - keeps --help fast

    names = [plugin.name for plugin in host.plugins if plugin.status is PluginStatus.DISABLED]
    if names:
        click.echo(f"note: {DISABLE_VARIABLE} leaves out: {', '.join(names)}", err=True)


def read_project(
    path: Path, host: Host, *, settings: Sequence[str] = (), vendors: Sequence[str] = ()
) -> Project:
    """Load a project file with the settings of the command line and make sure that its plugins are sound.

    Raises:
        InputError: the file or a setting is wrong.
        PluginError: it names a vendor, device or scenario whose plugin failed.
    """
    from suanli.project.load import load_project  # noqa: PLC0415 - keeps --help fast

    chosen = split_names(vendors, key="--vendor")
    for name in chosen:
        host.require("vendors", name.casefold(), key="--vendor")
    overrides = [*settings, *([f"vendors.consider=[{', '.join(chosen)}]"] if chosen else [])]
    project = load_project(path, overrides)
    require_plugins(project, host)
    return project


def require_plugins(project: Project, host: Host) -> None:
    """Make sure that what a project names by id does not come from a plugin that failed.

    Ids that nobody knows are left to the completion of the project, which says where in the file they stand.

    Raises:
        PluginError: a vendor, device or scenario may come from a plugin that failed.
    """
    file = project.file
    named = [("scenarios", file.scenario, "scenario")]
    named += [("vendors", name, "vendors.consider") for name in _needed_vendors(file.vendors, host)]
    for kind, name, key in named:
        with contextlib.suppress(InputError):
            host.require(kind, name, key=key)
    devices = {f"vendors.accelerators.{at}": name for at, name in enumerate(file.vendors.accelerators or ())}
    devices |= {
        f"claims.{at}.accelerator": claim.accelerator
        for at, claim in enumerate(file.claims or ())
        if claim.accelerator
    }
    for key, name in devices.items():
        with contextlib.suppress(InputError):
            require_accelerator(name, host, key=key)


def _needed_vendors(vendors: VendorsSection, host: Host) -> list[str]:
    """Return the vendors to be considered whose devices the project can be about.

    Where devices are listed, a vendor with none among them is not needed: its broken plugin must not bar the
    others. A list that names no device of any of the vendors does not bind them.
    """
    consider = [name.casefold() for name in vendors.consider or ()]
    names = _accelerator_names(host)
    listed = {names[name.casefold()] for name in vendors.accelerators or () if name.casefold() in names}
    if listed.isdisjoint(consider):
        return consider
    return [name for name in consider if name in listed or name not in host.vendors]


def require_accelerator(name: str, host: Host, *, key: str) -> None:
    """Make sure that a device is known, by id or by another name, or say who may be to blame.

    Raises:
        InputError: the device is unknown.
        PluginError: it may come from a plugin that failed.
    """
    if name.casefold() not in _accelerator_names(host):
        host.require("accelerators", name, key=key)


def _accelerator_names(host: Host) -> dict[str, str]:
    """Return every name that a device goes by, in small letters, with its vendor."""
    from suanli.domain.hardware import Accelerator  # noqa: PLC0415 - keeps --help fast

    return {
        alias.casefold(): device.vendor
        for device in host.catalogue.all(Accelerator)
        for alias in (device.id, device.name.en, device.name.zh, *device.aliases)
    }


def progress_to_stderr(step: str) -> None:
    """Show on a terminal what is being done; a log file does not need it."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{step}", err=True, nl=False)


def end_progress() -> None:
    """Clear the line of progress."""
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)


def echo_json(document: object) -> None:
    """Print one JSON document on stdout."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
    ascii_only = not encoding.replace("-", "").startswith("utf")
    click.echo(json.dumps(document, ensure_ascii=ascii_only, indent=2))


def echo_json_rows(head: Mapping[str, object], key: str, rows: Iterable[object]) -> None:
    """Print one JSON document on stdout whose last key holds many rows, one a line and one at a time.

    Args:
        head: the other keys, at least one.
        key: name of the rows.
        rows: the rows.
    """
    begun = json.dumps(dict(head), indent=2).removesuffix("\n}")
    click.echo(f"{begun},\n  {json.dumps(key)}: [", nl=False)
    separator = "\n    "
    for row in rows:
        # Plain ASCII, so that no encoding of a terminal can refuse it.
        click.echo(f"{separator}{json.dumps(row)}", nl=False)
        separator = ",\n    "
    click.echo("\n  ]\n}")
