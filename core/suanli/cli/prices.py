"""``suanli prices``: quote sheets out to suppliers, quotations in as price records."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from suanli.cli import common
from suanli.cli.common import LANGUAGES, json_option, set_option, split_names, strict_option, vendor_option
from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.host.host import Host
    from suanli.prices.asked import Asked
    from suanli.prices.quotations import Quotations
    from suanli.prices.sheet import Heading

__all__ = ["command"]

_SUFFIXES = (".xlsx", ".csv")


@click.group("prices")
def command() -> None:
    """Write quote sheets for suppliers, and read quotations back."""


# --- out ---


@command.command("template")
@click.argument("project", type=click.Path(path_type=Path), required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("quote.xlsx"),
    show_default=True,
    help="File to write: .xlsx or .csv.",
)
@click.option(
    "--lang", "language", metavar="zh|en|bilingual", help="Language.  [default: the project's first]"
)
@vendor_option
@set_option
@click.option(
    "--accelerator", "accelerators", multiple=True, metavar="ID", help="Ask for servers with a device."
)
@click.option(
    "--item", "items", multiple=True, metavar="KEY", help="Ask for a thing by its key, as class:optic-400g."
)
@click.option("--with-prices", is_flag=True, help="Show what the catalogue knows, for your own use.")
@strict_option
def template(  # noqa: PLR0913 - one parameter an option
    *,
    project: Path | None,
    output: Path,
    language: str | None,
    vendors: tuple[str, ...],
    settings: tuple[str, ...],
    accelerators: tuple[str, ...],
    items: tuple[str, ...],
    with_prices: bool,
    strict: bool,
) -> None:
    """Write a quote sheet with one row for each thing that the options of PROJECT consist of.

    Without PROJECT, for the things that --accelerator and --item name.
    """
    from suanli.files import write_atomic  # noqa: PLC0415 - keeps --help fast
    from suanli.prices.sheet import write_csv, write_xlsx  # noqa: PLC0415

    spoken = split_names([language] if language else [], key="--lang", known=LANGUAGES)
    _check_output(output, _SUFFIXES)
    host = common.load_plugins(strict=strict)
    named = _named(host, accelerators, items)
    if project is None:
        asked, top, spoken = named, _today_heading(), spoken or ("zh",)
        if not asked:
            cure = "give a project file, --accelerator ID or --item KEY"
            raise InputError(Fault("nothing to be quoted is named", cure=cure))
    else:
        found, top, languages = _of_project(project, host, settings, vendors)
        asked = (*found, *(one for one in named if one.key not in {row.key for row in found}))
        spoken = spoken or languages
    catalogue = host.catalogue
    if output.suffix.lower() == ".csv":
        content = write_csv(asked, catalogue, spoken[0], references=with_prices)
    else:
        content = write_xlsx(asked, catalogue, top, spoken[0], references=with_prices)
    write_atomic(output, content)
    click.echo(f"{output}: {len(asked)} rows to be quoted")


def _check_output(path: Path, suffixes: Sequence[str]) -> None:
    """Make sure that an output can be written, before anything is computed.

    Raises:
        InputError: no format has this suffix.
        RenderError: the folder may not be written to.
    """
    from suanli.files import check_folder  # noqa: PLC0415 - keeps --help fast

    if path.suffix.lower() not in suffixes:
        what = f'"{path.name}" has no suffix of a known format'
        raise InputError(Fault(what, where=str(path), key="-o", why=f"known: {', '.join(suffixes)}"))
    check_folder(path.absolute().parent)


def _named(host: Host, accelerators: Sequence[str], items: Sequence[str]) -> tuple[Asked, ...]:
    """Return the rows of things that are named by flags."""
    from suanli.domain.hardware import Server  # noqa: PLC0415 - keeps --help fast
    from suanli.domain.naming import resolve_accelerator  # noqa: PLC0415
    from suanli.planning.price_keys import server_key  # noqa: PLC0415
    from suanli.prices.asked import asked_of_keys  # noqa: PLC0415

    keys = list(split_names(items, key="--item"))
    for name in split_names(accelerators, key="--accelerator"):
        device = resolve_accelerator(host.catalogue, name, key="--accelerator")
        servers = [one for one in host.catalogue.all(Server) if one.accelerator == device.id]
        keys += [server_key(one.id, device.id) for one in servers] or [f"accelerator:{device.id}"]
    return asked_of_keys(keys, host.catalogue)


def _today() -> date:
    return datetime.now(UTC).astimezone().date()


def _today_heading() -> Heading:
    from suanli.prices.sheet import Heading  # noqa: PLC0415 - keeps --help fast

    return Heading(_today(), "CNY")


def _of_project(
    path: Path, host: Host, settings: Sequence[str], vendors: Sequence[str]
) -> tuple[tuple[Asked, ...], Heading, tuple[str, ...]]:
    """Return the rows of a project's bills, what stands above them, and the project's languages."""
    from suanli.pipeline import decide  # noqa: PLC0415 - keeps --help fast
    from suanli.prices.asked import asked_of_plans  # noqa: PLC0415
    from suanli.prices.sheet import Heading  # noqa: PLC0415

    loaded = common.read_project(path, host, settings=settings, vendors=vendors)
    decided = decide(loaded, host, common.progress_to_stderr)
    common.end_progress()
    if not decided.plans:
        why = "nothing is bought where no option is feasible; suanli estimate says what binds"
        raise InputError(Fault("no option is feasible", where=str(path), why=why))
    info = decided.requirement.project
    names = (text.in_language(info.languages[0]) for text in (info.name, info.client))
    top = Heading(info.day, decided.requirement.commercial.currency, *names)
    return asked_of_plans(decided.plans, decided.catalogue), top, info.languages


# --- in ---


@command.command("import")
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("prices.yaml"),
    show_default=True,
    help="File to write.",
)
@click.option("--skip-refused", is_flag=True, help="Write the good rows although others are refused.")
@click.option(
    "--date", "day", metavar="YYYY-MM-DD", help="Day by which offers must be valid.  [default: today]"
)
@strict_option
@json_option
def import_(  # noqa: PLR0913 - one parameter an option
    *,
    files: tuple[Path, ...],
    output: Path,
    skip_refused: bool,
    day: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Read filled-in quote sheets FILES and write their prices as records.

    Every row that is refused is named with the reason; nothing is written then, unless --skip-refused is
    given.
    """
    from suanli.files import write_atomic  # noqa: PLC0415 - keeps --help fast
    from suanli.prices.files import RECORDS, read_files, records_yaml  # noqa: PLC0415

    _check_output(output, RECORDS)
    host = common.load_plugins(strict=strict)
    found = read_files(files, host.catalogue, _day(day))
    # A file that cannot be read at all has no rows to skip.
    written = bool(found.taken) and (not found.faults or (skip_refused and not found.unread))
    if written:
        write_atomic(output, records_yaml(found))
    _report(found, output if written else None, as_json=as_json)
    if not written:
        raise click.exceptions.Exit(InputError.exit_code)


def _day(text: str | None) -> date:
    from suanli.project.quantities import QuantityError, parse_date  # noqa: PLC0415 - keeps --help fast

    if text is None:
        return _today()
    try:
        return parse_date(text)
    except QuantityError as error:
        raise InputError(Fault(error.found, key="--date", why=error.allowed, cure=error.suggestion)) from None


def _report(found: Quotations, output: Path | None, *, as_json: bool) -> None:
    """Say what was taken, left blank and refused, and every reason."""
    for fault in found.faults:
        click.echo(f"{'warning' if output else 'error'}: {fault}", err=True)
    if as_json:
        common.echo_json(_document(found, output))
        return
    click.echo(
        f"{len(found.taken)} rows taken, {found.blank} blank, {found.refused} refused", err=output is None
    )
    if output is not None:
        click.echo(str(output))
    elif not found.faults:
        click.echo("error: no row is filled in: a unit price makes a row an offer", err=True)
    elif found.taken and not found.unread:
        click.echo("nothing is written; mend the rows, or add --skip-refused to write the others", err=True)


def _document(found: Quotations, output: Path | None) -> dict[str, Any]:
    return {
        "output": str(output) if output else None,
        "taken": len(found.taken),
        "blank": found.blank,
        "refused": found.refused,
        "prices": [
            {
                "row": one.row.where,
                "key": str(one.row.cells.get("key")),
                **one.price.model_dump(mode="json", exclude_defaults=True),
            }
            for one in found.taken
        ],
        "faults": [
            {"where": fault.where, "key": fault.key, "what": fault.what, "why": fault.why, "cure": fault.cure}
            for fault in found.faults
        ],
    }
