"""``suanli verify``: the files of a proposal against its manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from suanli.cli.common import echo_json, json_option, path_argument

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@click.command("verify")
@path_argument("folder")
@json_option
def command(folder: Path, *, as_json: bool) -> None:
    """Check every file in FOLDER that its manifest names; exit code 2 if one is missing or was changed."""
    from suanli.manifest import verify  # noqa: PLC0415 - keeps --help fast

    names = verify(folder)
    if as_json:
        echo_json({"folder": str(folder), "files": list(names), "intact": True})
        return
    for name in names:
        click.echo(f"✓ {name}")
    click.echo(f"{len(names)} files are as they were written")
