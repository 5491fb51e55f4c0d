"""The proposal's charts: which figures go into which drawing, named in the document's language."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from markupsafe import Markup

from suanli.proposal.model import Shown
from suanli_reports import charts, elevation, formatting, plots, topology, topology_labels
from suanli_reports.display_units import converted
from suanli_reports.drawing import Canvas, Chart, Palette
from suanli_reports.gantt import Strip, gantt
from suanli_reports.plots import Point

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from suanli.domain.record import Text
    from suanli.proposal.model import Option, Proposal, RackView, TaskView
    from suanli_reports.voice import Speaker

__all__ = ["ChartViews"]

_FULL_WIDTH, _FULL_HEIGHT = 482.0, 150.0
_DAY = "day"
_DIGITS = 12
"""Significant digits of a float that are written: enough for any amount, few enough to hide binary noise."""


@dataclass(frozen=True, slots=True)
class ChartViews:
    """Draws the charts of one document; each method returns an SVG element, empty where figures lack."""

    proposal: Proposal
    speaker: Speaker
    palette: Palette
    environment: ImmutableSandboxedEnvironment

    def delivery(self) -> Markup:
        """Draw the delivery plan."""
        plan = self.proposal.delivery
        if plan is None:
            return Markup()
        # What ends before the day from which the others count has no place on their axis.
        shown = [task for task in plan.tasks if task.since == plan.since or task.end is None]
        strips = [self._strip(task) for task in shown]
        canvas = replace(self._canvas(), width=_FULL_WIDTH, tick=self._number)
        return self._draw(gantt(canvas, strips), "delivery.chart")

    def _strip(self, task: TaskView) -> Strip:
        name = self._first(f"task.{task.key}")
        if task.end is None:
            return Strip(name, self._first("delivery.unknown"), unknown=True)
        milestone = task.days is not None and task.days.high == 0
        key = "delivery.day" if task.end.low == task.end.high else "delivery.days"
        label = self._first(key, low=task.end.low, high=task.end.high)
        return Strip(name, label, task.start.low, task.end.low, task.end.high, milestone=milestone)

    def _first(self, key: str, **values: object) -> str:
        """Return a message in the first language alone, for labels that have no room for two."""
        return self.speaker.voices[0].word(key, values).striptags()

    @property
    def _language(self) -> str:
        return self.speaker.voices[0].language

    def _canvas(self) -> Canvas:
        return Canvas(self.palette, self._number, self._tick)

    def _money_canvas(self) -> Canvas:
        canvas = Canvas(self.palette, self._amount, self._tick)
        return replace(canvas, width=_FULL_WIDTH, height=_FULL_HEIGHT)

    def _draw(self, chart: Chart, title: str, **values: object) -> Markup:
        template = self.environment.get_template("charts/chart.svg.j2")
        return Markup(template.render(chart=chart, title=self._word(title, **values)))  # noqa: S704 - escaped by the environment

    def _word(self, key: str, **values: object) -> str:
        return self.speaker.plain(lambda voice: voice.word(key, values).striptags())

    def _lines(self, key: str, /, **values: object) -> tuple[str, ...]:
        """Return a message in each language, one line each."""
        said = (voice.word(key, values).striptags() for voice in self.speaker.voices)
        return tuple(dict.fromkeys(said))

    def _text(self, text: Text) -> str:
        return self.speaker.plain(lambda voice: voice.text(text))

    def _number(self, value: float) -> str:
        return formatting.number(_exact(value), self._language)

    def _amount(self, value: float) -> str:
        """Return an amount in the scale of the columns: whole 万元, or millions with two decimals."""
        scale = formatting.table_scale(self._language)
        decimals = 2 if self._language == "en" or abs(value) < 10**scale.exponent * 10 else 0
        return formatting.number(_exact(value).scaleb(-scale.exponent), self._language, decimals)

    def _tick(self, value: float) -> str:
        scale = formatting.table_scale(self._language)
        return formatting.number(_exact(float(_exact(value).scaleb(-scale.exponent))), self._language)

    def memory(self, option: Option) -> Markup:
        """Return the memory of the fullest device as a stack with the usable limit."""
        usable = option.memory_usable
        if usable is None or not option.memory:
            return Markup()
        limit = float(usable.value), f"{self._word('chart.usable')} {self._number(float(usable.value))}"
        chart = charts.stack(self._canvas(), option.memory, lambda key: self._word(f"memory.{key}"), limit)
        return self._draw(chart, "chart.memory")

    def step(self, option: Option) -> Markup:
        """Return the parts of one step."""
        if not option.step:
            return Markup()
        parts = (*option.step, *option.step_losses)
        chart = charts.breakdown(self._canvas(), parts, lambda key: self._word(f"step.{key}"))
        return self._draw(chart, "chart.step")

    def scaling(self, option: Option) -> Markup:
        """Return duration against the number of accelerators."""
        if len(option.scaling) < 2:  # noqa: PLR2004 - a curve has two ends
            return Markup()
        unit = option.days.unit if option.days else _DAY
        points = sorted((float(count), _in(days, unit)) for count, days in option.scaling)
        marked = float(option.accelerators) if option.accelerators else None
        return self._draw(plots.curve(self._canvas(), points, marked, self._deadline(unit)), "chart.scaling")

    def _deadline(self, unit: str) -> tuple[float, str] | None:
        deadline = self.proposal.workload.deadline
        if deadline is None or deadline.unit != _DAY:
            return None
        value = _in(deadline.value, unit)
        return value, f"{self._word('chart.deadline')} {self._number(value)}"

    def options(self) -> Markup:
        """Return cost against duration of all costed options."""
        points = [point for option in self.proposal.options if (point := self._point(option)) is not None]
        if not points:
            return Markup()
        unit = next(option.days.unit for option in self.proposal.options if option.days)
        canvas = replace(self._canvas(), width=_FULL_WIDTH, height=_FULL_HEIGHT)
        return self._draw(plots.scatter(canvas, points, self._deadline(unit)), "chart.options")

    def _point(self, option: Option) -> Point | None:
        if option.money is None or option.days is None:
            return None
        return Point(
            float(option.days.value),
            float(option.money.tco_net.value),
            option.key,
            self.speaker.voices[0].text(option.accelerator_name),
            strong=option.key == self.proposal.summary.recommended,
            x_range=_ends(option.days),
            y_range=_ends(option.uncertainty.tco if option.uncertainty else option.money.tco_net),
            faded=bool(option.dominated_by),
        )

    def years(self, option: Option) -> Markup:
        """Return the cash view by year."""
        rows = [row for row in option.money.cash if row.style == "row"] if option.money else []
        if not rows:
            return Markup()
        series = [(self._text(row.label), [float(value) for value in row.years]) for row in rows]
        names = [self._word("chart.year", number=str(year)) for year in range(len(rows[0].years))]
        return self._draw(plots.years(self._money_canvas(), series, names), "chart.years")

    def tornado(self) -> Markup:
        """Return how the recommended option's TCO moves with its inputs."""
        option, found = self.proposal.recommended, self.proposal.summary.sensitivities
        if option is None or option.money is None or not found:
            return Markup()
        rows = [(self._text(item.label), float(item.low), float(item.high)) for item in found]
        base = float(option.money.tco_net.value)
        return self._draw(charts.tornado(self._money_canvas(), rows, base), "chart.tornado")

    def racks(self, option: Option) -> tuple[Markup, ...]:
        """Return the rack elevations, a drawing for each line of racks."""
        facility = option.facility
        if facility is None:
            return ()
        labels = elevation.Labels(
            head=self._rack_head,
            count=lambda count: f"× {self._number(count)}",
            reserved=self._brief("facility.reserved"),
        )
        return tuple(
            self._draw(chart, "facility.elevation-alt", first=racks[0].key, last=racks[-1].key)
            for racks, chart in elevation.elevations(facility.racks, self.palette, labels)
        )

    def _rack_head(self, rack: RackView) -> str:
        """Return what a rack is for, and its power or the part of it that is known."""
        known = "" if rack.power_known else "-at-least" if rack.peak.value else "-unknown"
        role = self._brief(f"rack-role.{rack.role}")
        return self._brief(f"facility.elevation-head{known}", role=role, power=rack.peak)

    def _brief(self, key: str, **values: object) -> str:
        """Return a message in the first language only, where both have no room; tables say it in both."""
        return self.speaker.voices[0].word(key, values).striptags()

    def topology(self, option: Option) -> Markup:
        """Return the compute network, or the inside of a single server."""
        view = option.topology
        if view is None:
            return Markup()
        canvas = replace(self._canvas(), width=_FULL_WIDTH)
        if not view.rows:
            labels = topology_labels.single(view, self._lines)
            title = "topology.single-alt"
            values: dict[str, object] = {"accelerators": view.accelerators}
            return self._draw(topology.domain(canvas, view, labels), title, **values)
        labels = topology_labels.several(view, self._lines)
        counts = {row.tier: row.count for row in view.rows}
        values = {tier: counts.get(tier, 0) for tier in ("core", "spine", "leaf")}
        return self._draw(
            topology.network(canvas, view, labels),
            "topology.alt",
            servers=view.servers + view.spare_servers,
            cables=sum(link.cables for link in view.links),
            **values,
        )


def _in(days: Decimal, unit: str) -> float:
    """Return a number of days in the unit that the document tells durations in."""
    return float(converted(Shown(value=days, unit=_DAY), unit).value)


def _exact(value: float) -> Decimal:
    """Return a float as the decimal that a reader expects, without trailing zeros and without exponent."""
    plain = Decimal(f"{value:.{_DIGITS}g}").normalize()
    return plain.quantize(Decimal(1)) if plain == plain.to_integral_value() else plain


def _ends(shown: Shown) -> tuple[float, float] | None:
    if shown.low is None or shown.high is None:
        return None
    return float(shown.low), float(shown.high)
