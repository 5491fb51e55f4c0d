"""Tables on a terminal, aligned by the width of what is shown: a Chinese character takes two columns."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Literal

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["print_table", "terminal_width"]

_PLAIN_WIDTH = 100
"""Columns where the output is no terminal."""

_UNBROKEN_WIDTH = 10_000
"""Columns of a list that goes to a file or another program, where each row is one line."""


def terminal_width() -> int:
    """Return the columns that a table may take."""
    return shutil.get_terminal_size((_PLAIN_WIDTH, 24)).columns if sys.stdout.isatty() else _PLAIN_WIDTH


def print_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    right: Sequence[int] = (),
    whole: Sequence[int] = (),
) -> None:
    """Print a table on stdout; colours and rules are left out where the output is no terminal.

    Args:
        head: column titles; empty for a table of names and values.
        rows: cells as text.
        title: line above the table.
        right: numbers of the columns that are set flush right.
        whole: numbers of the columns that are not broken, such as ids that somebody copies: on a terminal
            where that leaves room for the others; elsewhere no column is broken.
    """
    from rich import box  # noqa: PLC0415 - keeps --help fast
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    if title:
        click.echo(title)
    columns = len(head) or max((len(row) for row in rows), default=0)
    width = terminal_width() if sys.stdout.isatty() or not whole else _UNBROKEN_WIDTH
    table = Table(box=box.SIMPLE_HEAD, show_header=bool(head), pad_edge=False, header_style="bold")
    for number in range(columns):
        name = head[number] if head else ""
        justify: Literal["left", "right"] = "right" if number in right else "left"
        longest = max((len(row[number]) for row in rows), default=0)
        unbroken = number in whole and longest <= width // 2
        table.add_column(name, justify=justify, overflow="fold", no_wrap=unbroken)
    for row in rows:
        # Text, not str: square brackets in names are no markup.
        table.add_row(*(Text(cell) for cell in row))
    console = Console(file=sys.stdout, width=width, highlight=False, emoji=False, markup=False)
    with console.capture() as captured:
        console.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    click.echo("\n".join(lines).strip("\n"))
