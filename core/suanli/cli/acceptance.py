"""``suanli acceptance``: the acceptance plan of a project, with scripts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from suanli.cli import common
from suanli.cli.common import (
    json_option,
    path_argument,
    set_option,
    split_names,
    strict_option,
    vendor_option,
)
from suanli.errors import Fault, RenderError

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal

__all__ = ["command"]

_LANGUAGES = ("zh", "en")
_EXECUTABLE = 0o755


@click.command("acceptance")
@path_argument("project")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("acceptance"),
    show_default=True,
    help="Folder to write to.",
)
@click.option(
    "--lang", "languages", multiple=True, metavar="zh,en", help="Languages.  [default: the project's]"
)
@vendor_option
@set_option
@strict_option
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    *,
    project: Path,
    output: Path,
    languages: tuple[str, ...],
    vendors: tuple[str, ...],
    settings: tuple[str, ...],
    strict: bool,
    as_json: bool,
) -> None:
    """Write the acceptance plan of PROJECT with its pass values and scripts.

    It is that of the recommended option; with --vendor the best one of the vendor, deliverable or not.
    """
    from suanli.acceptance.kit import accepted_option, kit_files, pass_values  # noqa: PLC0415 - fast --help
    from suanli.cli.infeasible import nothing_feasible  # noqa: PLC0415
    from suanli.files import check_folder  # noqa: PLC0415
    from suanli.pipeline import build_proposal  # noqa: PLC0415

    chosen = split_names(languages, key="--lang", known=_LANGUAGES)
    check_folder(output)
    host = common.load_plugins(strict=strict)
    loaded = common.read_project(project, host, settings=settings, vendors=vendors)
    proposal = build_proposal(loaded, host, common.progress_to_stderr)
    common.end_progress()
    spoken = [one for one in chosen or proposal.project.languages if one in _LANGUAGES] or list(_LANGUAGES)
    if nothing_feasible(proposal):
        _print_none(proposal, spoken[0], as_json=as_json)
        return
    option = accepted_option(proposal)
    paths = _write(output, kit_files(option, proposal, spoken))
    if as_json:
        common.echo_json(pass_values(option, proposal))
    for path in paths:
        click.echo(str(path), err=as_json)


def _print_none(proposal: Proposal, language: str, *, as_json: bool) -> None:
    """Say that no option is feasible and what binds each; that is a result, so nothing fails."""
    from suanli.cli.infeasible import print_infeasible  # noqa: PLC0415 - keeps --help fast
    from suanli.cli.texts import Voice  # noqa: PLC0415

    if as_json:
        common.echo_json({"option": None, "tests": []})
    voice = Voice(language)
    none = voice.name(
        "没有可行方案，因此没有验收方案", "no option is feasible, hence there is nothing to accept"
    )
    click.echo(none, err=True)
    print_infeasible(proposal, voice)


def _write(output: Path, contents: dict[str, bytes]) -> list[Path]:
    """Write the files, scripts so that they can be started.

    Raises:
        RenderError: the folder may not be written to.
    """
    from suanli.files import write_atomic  # noqa: PLC0415 - keeps --help fast

    paths: list[Path] = []
    try:
        for name, content in contents.items():
            path = output / name
            path.parent.mkdir(parents=True, exist_ok=True)
            paths.append(write_atomic(path, content))
            if path.suffix in {".sh", ".py"}:
                os.chmod(path, _EXECUTABLE)  # noqa: PTH101 - a path of ours
    except OSError as error:
        cure = "choose a folder that you may write to"
        raise RenderError(
            Fault(f"cannot be written: {error}", where=str(output), key="-o", cure=cure)
        ) from error
    return paths
