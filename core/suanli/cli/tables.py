"""Tables on a terminal, aligned by the width of what is shown: a Chinese character takes two columns."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["print_table", "terminal_width"]

_PLAIN_WIDTH = 100
"""Columns where the output is no terminal."""


def terminal_width() -> int:
    """Return the columns that a table may take."""
    return shutil.get_terminal_size((_PLAIN_WIDTH, 24)).columns if sys.stdout.isatty() else _PLAIN_WIDTH


def print_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, title: str = "", right: Sequence[int] = ()
) -> None:
    """Print a table on stdout; colours and rules are left out where the output is no terminal.

    Args:
        head: column titles; empty for a table of names and values.
        rows: cells as text.
        title: line above the table.
        right: numbers of the columns that are set flush right.
    """
    from rich import box  # noqa: PLC0415 - keeps --help fast
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    if title:
        click.echo(title)
    columns = len(head) or max((len(row) for row in rows), default=0)
    table = Table(box=box.SIMPLE_HEAD, show_header=bool(head), pad_edge=False, header_style="bold")
    for number in range(columns):
        name = head[number] if head else ""
        table.add_column(name, justify="right" if number in right else "left", overflow="fold")
    for row in rows:
        # Text, not str: square brackets in names are no markup.
        table.add_row(*(Text(cell) for cell in row))
    console = Console(file=sys.stdout, width=terminal_width(), highlight=False, emoji=False, markup=False)
    with console.capture() as captured:
        console.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    click.echo("\n".join(lines).strip("\n"))
