"""The functions that templates call to say figures and money."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from suanli.proposal.model import Shown
from suanli_reports.display_units import value_at
from suanli_reports.voice import MARKS, Speaker, Term, Voice

if TYPE_CHECKING:
    from decimal import Decimal

    from suanli.proposal.model import Option, Proposal

__all__ = ["FigureTools", "MoneyTools"]

_UNIT_AT_NUMBER = {"share", "%", "fraction"}
"""Units that stay with each number even where a head could name them."""
_DASH = Markup("–")


class FigureTools:
    """What templates call to say figures; one method, one name."""

    def __init__(self, speaker: Speaker, proposal: Proposal) -> None:
        """Speak of a proposal."""
        self._speaker = speaker
        self._proposal = proposal

    def num(self, value: Decimal | int | None) -> Markup:
        """Return a number without a unit."""
        return self._speaker.join(lambda voice: voice.number(value))

    def whole(self, value: int) -> Markup:
        """Return a count with all its digits."""
        return self._speaker.join(lambda voice: voice.whole(value))

    def big(self, value: Decimal | int) -> Markup:
        """Return a large count with a letter, 72.7B."""
        return self._speaker.join(lambda voice: voice.big(value))

    def pct(self, value: Decimal | None) -> Markup:
        """Return a share as percent."""
        return self._speaker.join(lambda voice: voice.percent(value))

    def unit(self, key: str, value: Decimal | int | None = None) -> Markup:
        """Return the name of a unit."""
        return self._speaker.join(lambda voice: voice.unit(key, value))

    def fig(self, shown: Shown | None, *, keys: bool = True) -> Markup:
        """Return a figure with unit, marks and reference keys."""
        return self._speaker.figure(shown, keys=keys)

    def rng(self, shown: Shown) -> Markup:
        """Return a figure's range with its unit."""
        return self._speaker.figure(shown, ranged=True, keys=False)

    def val(self, shown: Shown | None) -> Markup:
        """Return a figure's number and marks for a column whose head has the unit."""
        return self._speaker.join(lambda voice: voice.figure(shown).bare)

    def span(self, shown: Shown | None) -> Markup:
        """Return a figure's range without its unit, empty where it has none."""
        if shown is None or shown.low is None:
            return Markup()
        return self._speaker.join(lambda voice: voice.range(shown).number)

    def range_tail(self, shown: Shown) -> Markup:
        """Return a figure's range in brackets, empty where it has none."""
        return (
            Markup("\N{NO-BREAK SPACE}({})").format(self.span(shown)) if shown.low is not None else Markup()
        )

    def time_unit(self) -> str:
        """Return the unit in which the options' durations are told."""
        return next((option.days.unit for option in self._proposal.options if option.days), "day")

    @staticmethod
    def opt(option: Option, path: str) -> object:
        """Return the value at a path of an option, None where a part of the path is None."""
        return value_at(option, path)

    def _shared(self, path: str) -> str:
        """Return the unit that all options share at a path, empty where they differ."""
        found = (value_at(option, path) for option in self._proposal.options)
        units = {shown.unit for shown in found if isinstance(shown, Shown)}
        return units.pop() if len(units) == 1 else ""

    def _unit_name(self, path: str) -> Markup:
        unit = self._shared(path)
        return self.unit(unit) if unit and unit not in _UNIT_AT_NUMBER else Markup()

    def head(self, path: str) -> Markup:
        """Return the unit of a column of options on a new line of its head."""
        name = self._unit_name(path)
        return Markup("<br>{}").format(name) if name else Markup()

    def row_unit(self, path: str) -> Markup:
        """Return the unit of a row of options behind its head."""
        name = self._unit_name(path)
        return Markup(' <span class="of">{}</span>').format(name) if name else Markup()

    def cell(self, path: str, option: Option) -> Markup:
        """Return an option's figure for such a column or row, a dash where it has none."""
        shown = value_at(option, path)
        if not isinstance(shown, Shown):
            return _DASH
        return self.val(shown) if self._unit_name(path) else self.fig(shown, keys=False)

    def row_cell(self, path: str, option: Option) -> Markup:
        """Return the same with reference keys."""
        shown = value_at(option, path)
        refs = shown.refs if isinstance(shown, Shown) else ()
        grade = shown.grade if isinstance(shown, Shown) else None
        return self._speaker.cited(self.cell(path, option), refs, grade)


class MoneyTools:
    """What templates call to say money; one method, one name."""

    def __init__(self, speaker: Speaker, proposal: Proposal) -> None:
        """Speak in the proposal's currency."""
        self._speaker = speaker
        self._first = speaker.voices[0]
        self._currency = proposal.project.currency
        self.col_term = Term(self._column_unit)

    def money(self, value: Decimal) -> Markup:
        """Return one amount in running text."""
        return self._speaker.join(lambda voice: voice.money(value, self._currency))

    def amount(self, value: Decimal | None) -> Markup:
        """Return an amount to the cent, without its unit."""
        return self._speaker.join(lambda voice: voice.amount(value))

    def currency(self) -> Markup:
        """Return the name of the currency."""
        return self._speaker.join(lambda voice: voice.currency(self._currency))

    def col(self, value: Decimal | Shown | None) -> Markup:
        """Return an amount for a column in 万元 or millions; side by side, both readers share 万元."""
        if value is None:
            return self._speaker.join(lambda voice: voice.column_amount(None))
        if not isinstance(value, Shown):
            return self._first.column_amount(value)
        lead = "≥\N{NO-BREAK SPACE}" if value.incomplete else ""
        mark = MARKS.get(value.grade, "") if value.grade else ""
        amount = self._first.column_amount(value.value)
        return Markup('<span class="nw">{}{}{}</span>').format(lead, amount, mark)

    def col_unit(self) -> Markup:
        """Return the unit of such a column."""
        return self._speaker.join(self._column_unit)

    def _column_unit(self, voice: Voice) -> Markup:
        # Beside 万元, English reads CNY 10,000: one number serves both.
        if voice is not self._first and self._speaker.bilingual:
            return Markup("{}\N{NO-BREAK SPACE}10,000").format(self._currency)
        return Markup("{}").format(voice.column_unit(self._currency))

    def money_number(self, shown: Shown) -> Markup:
        """Return the number of a large figure of money in the first language's scale."""
        return self._first.money_parts(shown)[0]

    def money_unit(self, shown: Shown) -> Markup:
        """Return the unit of a large amount; the second language repeats the amount in its own scale."""
        return self._speaker.join(lambda voice: self._money_unit(voice, shown))

    def _money_unit(self, voice: Voice, shown: Shown) -> Markup:
        number, unit = voice.money_parts(shown)
        return unit if voice is self._first else Markup("{}\N{NO-BREAK SPACE}{}").format(number, unit)
