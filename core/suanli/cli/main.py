"""The entry point: finds the command, and turns what goes wrong into a message and an exit code.

Exit codes: 0 done, an infeasible sizing included; 2 the input is wrong; 3 a plugin that the input needs has
failed; 4 the environment cannot render or write; 1 a fault of suanli. Interrupted: 130; terminated: 143;
the reader of the output went away: 141.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn, cast

import click

from suanli import __version__
from suanli.cli.common import end_progress
from suanli.errors import Fault, SuanliError, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "DEBUG_VARIABLE", "LazyGroup", "app", "main", "run"]

DEBUG_VARIABLE = "SUANLI_DEBUG"
"""Environment variable that shows the traceback of an unexpected error."""

COMMANDS: Final = {
    "init": "Write a commented starter project file.",
    "propose": "Write the proposal: documents, workbook, data.",
    "estimate": "Size the project and show the result, without documents.",
    "launch": "Write a layout as arguments of its training framework.",
    "fit": "Tell whether a model fits in memory, on flags alone.",
    "check": "Audit claims, given as a file or as flags.",
    "model": "Show the parameter profile of a model.",
    "catalog": "List what the plugins know, with sources.",
    "validate": "Predict published runs and show the errors.",
    "calibrate": "Fit the constants of the estimate on measured runs.",
    "prices": "Write quote sheets for suppliers, and read quotations back.",
    "sweep": "Compute a grid of what-ifs, as a table and a chart.",
    "plugins": "List, show and test plugins.",
    "acceptance": "Write the acceptance plan, with pass values and scripts.",
    "verify": "Check the files of a proposal against its manifest.",
}
"""Commands and their one-line help; each is the function ``command`` of the module of its name."""

_OK, _INTERNAL, _USAGE, _ENVIRONMENT, _INTERRUPTED, _PIPE = 0, 1, 2, 4, 130, 141
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"suanli.cli.{cmd_name}")
        return cast("click.Command", module.command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one is nearest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            cure = nearest(args[0], COMMANDS) or f"commands: {', '.join(COMMANDS)}"
            raise click.UsageError(f'no command "{args[0]}"; {cure}', ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="suanli", message="%(prog)s %(version)s")
def app() -> None:
    """Size, cost and propose AI training clusters (算力方案：测算、计价、成文)."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; code and streams tell all that happened.

    Args:
        arguments: words after the program's name; None takes those of the process.
    """
    _prepare_streams()
    try:
        code = _OK
        with app.make_context("suanli", list(sys.argv[1:] if arguments is None else arguments)) as context:
            app.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as leaving:
        code = leaving.exit_code
    except click.ClickException as error:
        error.show(sys.stderr)
        code = _USAGE
    except SuanliError as error:
        _say(error.faults)
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        end_progress()
        click.echo("interrupted", err=True)
        code = _INTERRUPTED
    except BrokenPipeError:
        code = _leave_pipe()
    except Exception as error:  # noqa: BLE001 - the last resort of the program
        code = _unexpected(error)
    return code


def _prepare_streams() -> None:
    """Let a terminal that cannot show a character show its code, and a closed stream swallow what is said."""
    for name in ("stdout", "stderr"):
        # Python gives None for a stream that the caller closed, as ``>&-`` does.
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _say(faults: Sequence[Fault]) -> None:
    end_progress()
    for fault in faults:
        click.echo(f"error: {fault}", err=True)


def _leave_pipe() -> int:
    # Python flushes stdout once more when it ends, which would fail again; there is nobody left to read it.
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.stdout.fileno())
    return _PIPE


def _unexpected(error: Exception) -> int:
    end_progress()
    if os.environ.get(DEBUG_VARIABLE, "") not in {"", "0"}:
        import traceback  # noqa: PLC0415 - rarely needed

        click.echo("".join(traceback.format_exception(error)), err=True)
    if isinstance(error, OSError) and error.errno in _DISK:
        _say([Fault(f"cannot be read or written: {error.strerror}", where=str(error.filename or ""))])
        return _ENVIRONMENT
    message = f"{type(error).__name__}: {error}"
    click.echo(f"error: this is a fault of suanli {__version__}, not of your input: {message}", err=True)
    click.echo(
        f"  please report it with the command line and the traceback that {DEBUG_VARIABLE}=1 shows", err=True
    )
    return _INTERNAL


def main() -> NoReturn:
    """Run the command line of the process and end it."""
    sys.exit(run())


if __name__ == "__main__":
    main()
