"""``suanli propose``: documents, workbook and data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from suanli.cli import common
from suanli.cli.common import LANGUAGES, path_argument, set_option, split_names, strict_option, vendor_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.host.host import Host
    from suanli.pipeline import Order
    from suanli.project.schema import Project
    from suanli.proposal.model import Proposal
    from suanli.round_trip import Errand

__all__ = ["command"]


@click.command("propose")
@path_argument("project")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("out"),
    show_default=True,
    help="Folder to write to.",
)
@click.option(
    "--lang",
    "languages",
    multiple=True,
    metavar="zh,en,bilingual",
    help="Languages.  [default: the project's]",
)
@click.option(
    "--formats",
    multiple=True,
    metavar="pdf,xlsx,…",
    help="Formats; docx and md are written on request.  [default: pdf, xlsx, html, json]",
)
@vendor_option
@set_option
@click.option(
    "--theme",
    metavar="NAME|DIR",
    help="Look of the documents: the name of an installed theme, or a folder.  [default: the project's]",
)
@click.option(
    "--inputs",
    "sheet",
    type=click.Path(path_type=Path),
    metavar="EDITED.xlsx",
    help="Cost sheet of this project, edited: its changed blue cells are read back.",
)
@strict_option
def command(  # noqa: PLR0913 - one parameter an option
    *,
    project: Path,
    output: Path,
    languages: tuple[str, ...],
    formats: tuple[str, ...],
    vendors: tuple[str, ...],
    settings: tuple[str, ...],
    theme: str | None,
    sheet: Path | None,
    strict: bool,
) -> None:
    """Write the proposal of PROJECT.

    With --inputs, figures changed in the blue cells of its cost sheet are read back first; see
    docs/round-trip.md.
    """
    from suanli.files import check_folder  # noqa: PLC0415 - keeps --help fast
    from suanli.pipeline import Order, propose  # noqa: PLC0415
    from suanli.round_trip import Errand  # noqa: PLC0415
    from suanli.theming import theme_setting  # noqa: PLC0415

    chosen = split_names(languages, key="--lang", known=LANGUAGES)
    check_folder(output)
    host = common.load_plugins(strict=strict)
    wanted = split_names(formats, key="--formats")
    for name in wanted or _any_format(host):
        host.require("renderers", name, key="--formats")
    order = Order(out=output, languages=chosen, formats=wanted)
    look = () if theme is None else (theme_setting(theme, project, host),)
    settings = (*settings, *look)

    def load(more: Sequence[str]) -> Project:
        return common.read_project(project, host, settings=more, vendors=vendors)

    if sheet is None:
        loaded = load(settings)
    else:
        loaded, order = _edited(Errand(load, settings, sheet, look), host, order)
    proposal, paths = propose(loaded, host, order, common.progress_to_stderr)
    common.end_progress()
    # A terminal speaks one language, also where the document sets two side by side.
    spoken = [language for language in chosen if language != LANGUAGES[-1]] or proposal.project.languages
    _report(proposal, paths, output, spoken[0])


def _edited(errand: Errand, host: Host, order: Order) -> tuple[Project, Order]:
    """Return the project as an edited cost sheet changes it, and say on stderr what it changes."""
    from dataclasses import replace  # noqa: PLC0415 - keeps --help fast

    from suanli.cli.edits_text import print_changes  # noqa: PLC0415
    from suanli.round_trip import apply_sheet  # noqa: PLC0415

    changed = apply_sheet(errand, host, common.progress_to_stderr)
    common.end_progress()
    print_changes(changed, errand.sheet.name)
    return changed.project, replace(order, edited=changed.sheet)


def _any_format(host: Host) -> tuple[str, ...]:
    """Return nothing where there is a format to write by default, else the one that everybody expects.

    Without this a proposal whose renderers are missing would be an empty folder and a success.
    """
    return () if any(renderer.default for renderer in host.renderers.values()) else ("pdf",)


def _report(proposal: Proposal, paths: tuple[Path, ...], output: Path, language: str) -> None:
    from suanli.cli import summary  # noqa: PLC0415 - keeps --help fast
    from suanli.cli.texts import Voice  # noqa: PLC0415
    from suanli.domain.workload import ProposalType  # noqa: PLC0415

    voice = Voice(language)
    summary.print_verdict(proposal, voice)
    summary.print_options(proposal, voice)
    summary.print_claims(proposal.claims, voice)
    summary.print_notices(proposal, voice)
    click.echo(voice("written", len(paths), output))
    for path in paths:
        click.echo(f"  {path}")
    if proposal.project.type is not ProposalType.INTERNAL_APPROVAL:
        click.echo(voice("keep-inside"))
