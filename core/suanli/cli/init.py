"""``suanli init``: a commented starter project file."""

from __future__ import annotations

from pathlib import Path

import click

from suanli.cli.common import load_plugins
from suanli.cli.texts import Voice
from suanli.errors import Fault, InputError, RenderError

__all__ = ["command"]


@click.command("init")
@click.argument("scenario")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File to write; - writes to stdout.  [default: SCENARIO.yaml]",
)
@click.option(
    "--lang",
    "language",
    type=click.Choice(["zh", "en"]),
    default="en",
    show_default=True,
    help="Language of the comments.",
)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def command(scenario: str, output: Path | None, language: str, *, force: bool) -> None:
    """Write a starter project file for SCENARIO with every key explained."""
    from suanli.files import write_atomic  # noqa: PLC0415 - keeps --help fast

    text = load_plugins().scenario(scenario, key="SCENARIO").starter(language)
    if output == Path("-"):
        click.echo(text, nl=False)
        return
    path = output or Path(f"{scenario}.yaml")
    if path.is_dir():
        what, cure = "is a folder", f"name a file in it, such as {path / f'{scenario}.yaml'}"
        raise InputError(Fault(what, where=str(path), key="-o", cure=cure))
    if path.exists() and not force:
        raise InputError(Fault("is there already", where=str(path), key="-o", cure="--force replaces it"))
    if not path.parent.is_dir():
        cure = "make the folder, or choose another"
        raise RenderError(Fault("there is no such folder", where=str(path.parent), key="-o", cure=cure))
    write_atomic(path, text.encode())
    voice = Voice(language)
    click.echo(voice("wrote", path), err=True)
    click.echo(voice("next", f"suanli estimate {path}"), err=True)
