"""The charts that show why: memory of every option, rate by size, energy by phase, waterfall, rent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from markupsafe import Markup

from suanli.proposal.model import Share
from suanli_reports import charts, money_plots, plots
from suanli_reports.chart_views import ChartViews

if TYPE_CHECKING:
    from suanli.proposal.model import Option

__all__ = ["ReasonViews"]

_FULL_WIDTH, _BALANCE_HEIGHT = 482.0, 140.0
_THOUSANDS = 10_000.0
"""From here on rates are written in thousands; no cluster has as many accelerators in one chart."""
_PHASES = ("training", "idle", "downtime")


@dataclass(frozen=True, slots=True)
class ReasonViews(ChartViews):
    """Draws the charts of one document; each method returns an SVG element, empty where figures lack."""

    def memories(self) -> Markup:
        """Return the memory of a device of every sized option, on one scale; empty for one alone."""
        found = (self._stack(option) for option in self.proposal.options if option.memory)
        rows = [row for row in found if row is not None]
        if len(rows) < 2:  # noqa: PLR2004 - one alone is compared with nothing
            return Markup()
        canvas = replace(self._canvas(), width=_FULL_WIDTH)
        return self._draw(
            charts.stacks(canvas, rows, lambda key: self._word(f"memory.{key}")), "why.memories"
        )

    def _stack(self, option: Option) -> charts.Stack | None:
        if option.memory_usable is None:
            return None
        usable = float(option.memory_usable.value)
        title = f"{option.key} {self._brief_text(option)}"
        strong = option.key == self.proposal.summary.recommended
        return charts.Stack(
            title, option.memory, (usable, f"{self._word('chart.usable')} {self._number(usable)}"), strong
        )

    def _brief_text(self, option: Option) -> str:
        """Return an option's name in the first language, as both have no room."""
        return self.speaker.voices[0].text(option.accelerator_name)

    def throughput(self, option: Option) -> Markup:
        """Return the rate of the cluster against its size, beside the straight line from the smallest."""
        if len(option.throughput) < 2:  # noqa: PLR2004 - a curve has two ends
            return Markup()
        points = sorted((float(count), float(rate)) for count, rate in option.throughput)
        marked = float(option.accelerators) if option.accelerators else None
        canvas = replace(self._canvas(), show=self._short)
        chart = plots.curve(canvas, points, marked, None, self._word("why.linear"))
        return self._draw(chart, "why.throughput")

    def _short(self, value: float) -> str:
        """Return a count of accelerators as it is, and a rate in thousands of tokens per second."""
        if value < _THOUSANDS:
            return self._number(value)
        return self._word("why.thousand", number=self._number(round(value / 1000)))

    def energy(self, option: Option) -> Markup:
        """Return the energy of a year by phase."""
        view = option.energy
        if view is None:
            return Markup()
        found = [(phase, getattr(view, phase)) for phase in _PHASES]
        parts = [Share(key=phase, value=shown.value) for phase, shown in found if shown and shown.value]
        if not parts:
            return Markup()
        chart = charts.breakdown(self._canvas(), parts, lambda key: self._word(f"energy-phase.{key}"))
        return self._draw(chart, "why.energy")

    def waterfall(self, option: Option) -> Markup:
        """Return the way from the servers to the total cost of ownership."""
        steps = option.money.waterfall if option.money else ()
        if not steps:
            return Markup()
        levels = [
            money_plots.Level(self._text(step.label), float(step.start), float(step.end), step.total)
            for step in steps
        ]
        return self._draw(money_plots.waterfall(self._money_canvas(), levels), "why.waterfall")

    def rent(self, option: Option) -> Markup:
        """Return the cash that buying is ahead of renting by month."""
        view = option.money.rent if option.money else None
        if view is None or len(view.saved) < 2:  # noqa: PLR2004 - a curve has two ends
            return Markup()
        month = view.payback_months
        turn = None if month is None else (month, self._word("why.payback", months=self._number(month)))
        canvas = replace(self._money_canvas(), height=_BALANCE_HEIGHT)
        values = [float(value) for value in view.saved]
        chart = money_plots.balance(canvas, values, turn, self._word("why.as-rent"))
        return self._draw(chart, "why.rent")
