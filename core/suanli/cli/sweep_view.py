"""A sweep on the terminal: its points or its keys as a table with bars, and its progress."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from suanli.cli.sweep_texts import say
from suanli.cli.tables import print_table
from suanli.sweep.table import Best

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from suanli.cli.texts import Voice
    from suanli.sweep.table import Share, Summary, Table

__all__ = ["Progress", "print_sweep"]

_FEW = 24
"""Points that are shown one by one."""
_BAR = 24
"""Cells of the longest bar."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_REFRESH_S = 0.2
_LOG_S = 30.0
"""Seconds between two lines where the output is no terminal."""
_MINUTE_S = 60


class Progress:
    """Says on stderr how many points are finished and how long the others will take."""

    def __init__(self, points: int) -> None:
        """Start the clock.

        Args:
            points: size of the grid.
        """
        self._points = points
        self._start = self._last = time.monotonic()
        self._resumed: int | None = None

    def __call__(self, done: int) -> None:
        """Take the number of finished points; the first call tells those that were there already."""
        now = time.monotonic()
        if self._resumed is None:
            self._resumed = done
            if done:
                click.echo(f"{done:,} of {self._points:,} points were finished before and are kept", err=True)
        terminal = sys.stderr.isatty()
        if now - self._last < (_REFRESH_S if terminal else _LOG_S) and not (
            terminal and done == self._points
        ):
            return
        self._last = now
        line = f"{done:,}/{self._points:,} points{self._left(done, now - self._start)}"
        click.echo(f"\r\x1b[K{line}" if terminal else line, err=True, nl=not terminal)

    def _left(self, done: int, elapsed_s: float) -> str:
        computed = done - (self._resumed or 0)
        if not computed or done == self._points:
            return ""
        left_s = elapsed_s * (self._points - done) / computed
        return f", {left_s:.0f} s left" if left_s < 2 * _MINUTE_S else f", {left_s / _MINUTE_S:.0f} min left"


def print_sweep(table: Table, summary: Summary, voice: Voice) -> None:
    """Print what a sweep found: few points one by one, many by the values of each key."""
    if summary.points <= _FEW:
        _print_points(table, summary, voice)
    else:
        _print_keys(table, summary, voice)
    click.echo(say(voice, "points", f"{summary.points:,}", f"{summary.total.answered:,}"))
    cheapest = summary.total.cheapest
    if cheapest is not None and len(summary.currencies) == 1:
        click.echo(say(voice, "cheapest", _describe(table, cheapest, voice)))


def _describe(table: Table, best: Best, voice: Voice) -> str:
    """Return the settings of a point and its recommended option in a line."""
    values = zip(table.grid.axes, table.grid.values(best.point), strict=True)
    settings = " ".join(f"{axis.key}={value}" for axis, value in values)
    figures = f"{best.accelerator} × {best.accelerators:,}, {_money(best.tco)} {best.currency}"
    return voice.name(f"{settings}（{figures}）", f"{settings} ({figures})")


def _print_points(table: Table, summary: Summary, voice: Voice) -> None:
    head = [axis.key for axis in table.grid.axes]
    first = len(head)
    head += [
        say(voice, "recommended"),
        say(voice, "accelerators"),
        say(voice, "days"),
        _tco(summary, voice),
        "",
    ]
    rows = [
        [*table.grid.values(outcome.point), *_best_cells(Best.of(outcome), summary, voice)]
        for outcome in table.outcomes()
    ]
    print_table(head, rows, right=(first + 1, first + 2, first + 3), whole=range(first + 1))


def _best_cells(best: Best | None, summary: Summary, voice: Voice) -> list[str]:
    if best is None:
        return [say(voice, "none"), "", "", "", ""]
    amount = _amount(best, summary)
    return [best.accelerator, f"{best.accelerators:,}", f"{best.days:.1f}", amount, _bar_of(best, summary)]


def _print_keys(table: Table, summary: Summary, voice: Voice) -> None:
    tco = _tco(summary, voice)
    head = [
        say(voice, "key"),
        say(voice, "value"),
        say(voice, "answered"),
        f"{tco}: {say(voice, 'lowest')}",
        say(voice, "highest"),
        "",
    ]
    rows = [
        [
            axis.key if position == 0 else "",
            value,
            f"{share.answered:,}/{share.points:,}",
            *_share_cells(share, summary, voice),
        ]
        for number, axis in enumerate(table.grid.axes)
        for position, value, share in _shown_shares(summary, number, axis.values)
    ]
    print_table(head, rows, right=(2, 3, 4), whole=(0, 1))


def _shown_shares(summary: Summary, number: int, values: tuple[str, ...]) -> Iterator[tuple[int, str, Share]]:
    """Yield the values of a key with their points; of many values the ends and evenly spaced ones between."""
    last = len(values) - 1
    shown = range(len(values)) if last < _FEW else sorted({round(i * last / (_FEW - 1)) for i in range(_FEW)})
    for position in shown:
        yield position, values[position], summary.shares[number, position]


def _share_cells(share: Share, summary: Summary, voice: Voice) -> list[str]:
    if share.cheapest is None or share.dearest is None or len(summary.currencies) != 1:
        return [say(voice, "none"), say(voice, "none"), ""]
    return [_money(share.cheapest.tco), _money(share.dearest.tco), _bar_of(share.cheapest, summary)]


def _tco(summary: Summary, voice: Voice) -> str:
    """Return the heading of amounts, with the currency where all have the same."""
    if len(summary.currencies) == 1:
        return say(voice, "tco", next(iter(summary.currencies)))
    return say(voice, "mixed")


def _amount(best: Best, summary: Summary) -> str:
    return _money(best.tco) if len(summary.currencies) == 1 else f"{_money(best.tco)} {best.currency}"


def _money(amount: Decimal) -> str:
    return f"{amount:,.0f}"


def _bar_of(best: Best, summary: Summary) -> str:
    """Return a bar as long as the TCO is; nothing where amounts cannot be compared."""
    dearest = summary.total.dearest
    if dearest is None or len(summary.currencies) != 1:
        return ""
    return bar(float(best.tco / dearest.tco)) if dearest.tco > 0 else ""


def bar(share: float) -> str:
    """Return a bar for a share between 0 and 1, to an eighth of a cell.

    >>> bar(1.0) == "█" * 24, bar(0.0), bar(0.0625)
    (True, '', '█▌')
    """
    eighths = round(max(0.0, min(1.0, share)) * _BAR * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).strip()
