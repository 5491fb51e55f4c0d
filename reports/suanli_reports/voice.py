"""How figures and texts of the proposal are said: in Chinese, in English, or in both.

A `Voice` speaks one language and returns markup; a `Speaker` holds one voice or two and joins what they
say, once where both say the same. The difference between a figure that is sure and one that is not is made
here: marks for weak and borrowed figures and for sums that miss a part, superscript keys for sources, the
word *unknown* for what is absent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from string import Formatter as StringFormatter
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from suanli.domain.figure import Grade
from suanli.domain.record import Text
from suanli.errors import Fault, RenderError, nearest
from suanli.proposal.model import Shown
from suanli_reports import formatting
from suanli_reports.typography import tightened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from suanli_reports.texts import Messages

__all__ = ["MARKS", "STALE", "Said", "Speaker", "Term", "Voice", "references", "sup"]

MARKS = {Grade.WEAK: "°", Grade.SIBLING: "◇"}
"""Mark after a figure of a grade that the reader must know of."""
STALE = "†"
"""Mark after a price whose validity has ended."""

_CURRENCY = re.compile(r"[A-Z]{3}")
_PURE_COUNTS = {"count", "1", "PUE", "fraction", "ports", "generation"}
"""Units that are not written."""
_SHARES = {"share", "fraction", "%"}
_SPOKEN_BIG = {"token", "tokens"}
_POWERS_FROM = 9
"""Numbers without a unit are written with a power of ten from 10⁹."""
_FLOP_POWERS_FROM = 6
_CLOSING = re.compile(r"(?:</span>)+$")
_TAIL = re.compile(r"(?:[A-Za-z0-9.,;:%°]{1,16}|[^\s<>&;]{1,2})$")
"""What is kept with the reference keys after a text: a short word, or two characters of Chinese."""


def sup(value: str) -> Markup:
    """Return raised text."""
    return Markup("<sup>{}</sup>").format(value)


@dataclass(frozen=True, slots=True)
class Term:
    """A value that each language says in its own words, such as a constraint inside a sentence."""

    say: Callable[[Voice], Markup]


@dataclass(frozen=True, slots=True)
class Said:
    """A figure in parts, so that two languages can share the number."""

    number: Markup
    unit: str = ""
    marks: str = ""
    lead: str = ""

    @property
    def bare(self) -> Markup:
        """Return the figure without its unit, for a column whose head has it; the percent sign stays."""
        percent = "%" if self.unit == "%" else ""
        return Markup("{}{}{}{}").format(self.lead, self.number, percent, self.marks)

    @property
    def markup(self) -> Markup:
        """Return the figure in one piece that never breaks."""
        if self.unit == "%":
            return Markup("{}{}%{}").format(self.lead, self.number, self.marks)
        gap = "\N{NO-BREAK SPACE}" if self.unit else ""
        return Markup("{}{}{}{}{}").format(self.lead, self.number, self.marks, gap, self.unit)


@dataclass(frozen=True, slots=True)
class Voice:
    """One language."""

    language: str
    messages: Messages
    figures: set[Decimal] = field(default_factory=set[Decimal])
    """Every number said so far: two voices on one proposal say the same ones."""

    def word(self, key: str, values: Mapping[str, object] | None = None) -> Markup:
        """Return the message of a key with its values put in."""
        pattern = self.text(self.messages.find(key))
        if values is None or "{" not in pattern:
            return _chemistry(pattern)
        return self._filled(key, pattern, values)

    def _filled(self, key: str, pattern: str, values: Mapping[str, object]) -> Markup:
        parts: list[Markup] = []
        for literal, name, style, _ in StringFormatter().parse(pattern):
            parts.append(_chemistry(literal))
            if name is None:
                continue
            if name not in values:
                raise RenderError(
                    Fault(
                        f'message "{key}" needs "{name}"',
                        where="message catalogue",
                        cure=nearest(name, values),
                    )
                )
            value = values[name]
            parts.append(
                self.range(value).markup
                if style == "range" and isinstance(value, Shown)
                else self.show(value)
            )
        filled = Markup("").join(parts)
        return tightened(filled) if self.language == "zh" else filled

    def text(self, text: Text | str) -> str:
        """Return a paired text in this language."""
        if isinstance(text, str):
            return text
        return text.zh if self.language == "zh" else text.en

    def show(self, value: object) -> Markup:
        """Return any value of the model as this language writes it; None is said to be unknown."""
        match value:
            case None:
                said: Markup | str = self.word("label.unknown")
            case Term():
                said = value.say(self)
            case Shown():
                said = self.figure(value).markup
            case bool():
                said = self.word("label.yes" if value else "label.no")
            case Decimal() | int():
                said = self.number(value)
            case date():
                said = self.day(value)
            case Text():
                said = self.text(value)
            case str():
                said = value
            case _:
                raise TypeError(f"no words for {value!r}")
        return escape(said)

    def number(self, value: Decimal | int | None) -> Markup:
        """Return a number without a unit."""
        if value is None:
            return self.word("label.unknown")
        self.figures.add(Decimal(value))
        if Decimal(value).adjusted() >= _POWERS_FROM:
            return self._power(value)
        # Rounding to significant digits leaves 5.00 of a plain 5; the zeros say nothing.
        whole = Decimal(value) == Decimal(value).to_integral_value()
        return escape(formatting.number(value, self.language, 0 if whole else None))

    def whole(self, value: int) -> Markup:
        """Return a count with all its digits."""
        self.figures.add(Decimal(value))
        return escape(formatting.number(value, self.language))

    def big(self, value: Decimal | int) -> Markup:
        """Return a large count with a letter, 2T or 72.7B."""
        self.figures.add(Decimal(value))
        return escape(formatting.abbreviated(value, self.language))

    def percent(self, value: Decimal | None) -> Markup:
        """Return a share as percent."""
        if value is None:
            return self.word("label.unknown")
        self.figures.add(value)
        return escape(formatting.percent(value, self.language))

    @staticmethod
    def _power(value: Decimal | int) -> Markup:
        mantissa, exponent = formatting.scientific(value)
        return Markup("{}\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10{}").format(mantissa, sup(str(exponent)))

    def day(self, value: date) -> str:
        """Return a date."""
        return formatting.day(value, self.language)

    def region(self, code: str, name: Text | None) -> str:
        """Return the name of a region by its ISO 3166 code, the code itself where no name is known."""
        if name is not None:
            return self.text(name)
        if self.messages.has(f"region.{code}"):
            return self.text(self.messages.find(f"region.{code}"))
        return formatting.country(code, self.language) or code

    def unit(self, key: str, value: Decimal | int | None = None) -> str:
        """Return the name of a unit, empty for a pure number; currencies in compounds are named too."""
        if key in _PURE_COUNTS:
            return ""
        if key in _SHARES:
            return "%"
        if self.is_currency(key):
            return self.currency(key)
        if not self.messages.has(f"unit.{key}") and "/" in key and _CURRENCY.fullmatch(key.partition("/")[0]):
            base, _, per = key.partition("/")
            return f"{self.currency(base)}/{per if _CURRENCY.fullmatch(per) else self.unit(per, Decimal(1))}"
        single = f"unit.{key}.one"
        if value == 1 and self.messages.has(single):
            return self.text(self.messages.find(single))
        return self.text(self.messages.find(f"unit.{key}"))

    def is_currency(self, key: str) -> bool:
        """Tell whether a unit is a currency: three capitals that name no other unit."""
        return (
            bool(_CURRENCY.fullmatch(key))
            and key not in _PURE_COUNTS
            and not self.messages.has(f"unit.{key}")
        )

    def currency(self, code: str) -> str:
        """Return the name of a currency: 元 for CNY in Chinese, else its code or name."""
        key = f"currency.{code}"
        return self.text(self.messages.find(key)) if self.messages.has(key) else code

    def figure(self, shown: Shown | None) -> Said:
        """Return a figure with unit and marks, without reference keys."""
        if shown is None:
            return Said(self.word("label.unknown"))
        said = self._valued(shown.value, shown.unit)
        marks = MARKS.get(shown.grade, "") if shown.grade else ""
        return Said(said.number, said.unit, marks, "≥\N{NO-BREAK SPACE}" if shown.incomplete else "")

    def range(self, shown: Shown) -> Said:
        """Return the P10-P90 range of a figure; the figure itself where it has none."""
        if shown.low is None or shown.high is None:
            return self.figure(shown)
        if self.is_currency(shown.unit):
            return self._money_range(shown.low, shown.high, shown.unit)
        low, high = self._valued(shown.low, shown.unit), self._valued(shown.high, shown.unit)
        return Said(Markup("{}–{}").format(low.number, high.number), high.unit)

    def _money_range(self, low: Decimal, high: Decimal, currency: str) -> Said:
        """Return a range of amounts in the scale of its high end."""
        self.figures.update((low, high))
        scale = formatting.compact_scale(high, self.language)
        ends = [formatting.scaled(end, scale, self.language) for end in (low, high)]
        unit = self._scale_name(scale, self.currency(currency))
        span = Markup("{}–{}").format(*ends)
        if self.language == "zh":
            return Said(span, str(unit))
        return Said(
            Markup("{}\N{NO-BREAK SPACE}{}{}").format(
                self.currency(currency), span, "" if scale.key == "one" else "\N{NO-BREAK SPACE}million"
            )
        )

    def _valued(self, value: Decimal, unit: str) -> Said:
        if self.is_currency(unit):
            return Said(self.money(value, unit))
        if unit in _SHARES:
            share = value.scaleb(-2) if unit == "%" else value
            text = str(self.percent(share))
            return Said(escape(text.removesuffix("%")), "%")
        if unit in _SPOKEN_BIG:
            return Said(self.big(value), self.unit("token", value))
        if unit.startswith("FLOP") and value.adjusted() >= _FLOP_POWERS_FROM:
            self.figures.add(value)
            return Said(self._power(value), self.unit(unit, value))
        return Said(self.number(value), self.unit(unit, value))

    def money(self, value: Decimal | None, currency: str) -> Markup:
        """Return one amount in running text, in 元, 万元 or 亿元, or in units or millions."""
        if value is None:
            return self.word("label.not-priced")
        self.figures.add(value)
        scale = formatting.compact_scale(value, self.language)
        text = formatting.scaled(value, scale, self.language)
        name = self.currency(currency)
        if self.language == "en":
            tail = "" if scale.key == "one" else "\N{NO-BREAK SPACE}million"
            return Markup("{}\N{NO-BREAK SPACE}{}{}").format(name, text, tail)
        return Markup("{}\N{NO-BREAK SPACE}{}").format(text, self._scale_name(scale, name))

    def money_parts(self, shown: Shown) -> tuple[Markup, Markup]:
        """Return number and unit of an amount of money apart."""
        self.figures.add(shown.value)
        scale = formatting.compact_scale(shown.value, self.language)
        lead = "≥\N{NO-BREAK SPACE}" if shown.incomplete else ""
        mark = MARKS.get(shown.grade, "") if shown.grade else ""
        number = Markup("{}{}{}").format(lead, formatting.scaled(shown.value, scale, self.language), mark)
        return number, self._scale_name(scale, self.currency(shown.unit))

    def _scale_name(self, scale: formatting.MoneyScale, currency: str) -> Markup:
        if self.language == "en":
            return Markup("{}{}").format(currency, "" if scale.key == "one" else "\N{NO-BREAK SPACE}million")
        return Markup("{}{}").format({"one": "", "wan": "万", "yi": "亿"}[scale.key], currency)

    def column_amount(self, value: Decimal | None) -> Markup:
        """Return an amount in the scale of a column of large amounts, without its unit."""
        if value is None:
            return self.word("label.not-priced")
        self.figures.add(value)
        return escape(formatting.scaled(value, formatting.table_scale(self.language), self.language))

    def column_unit(self, currency: str) -> str:
        """Return the unit of a column of large amounts."""
        name = self.currency(currency)
        return f"{name} million" if self.language == "en" else f"万{name}"

    def amount(self, value: Decimal | None) -> Markup:
        """Return an amount to the cent, without its unit."""
        if value is None:
            return self.word("label.not-priced")
        self.figures.add(value)
        return escape(formatting.amount(value, self.language))


def _chemistry(text: str) -> Markup:
    """Return a text with the 2 of CO2 lowered."""
    return Markup("CO<sub>2</sub>").join(escape(part) for part in text.split("CO2"))


@dataclass(frozen=True, slots=True)
class Speaker:
    """One voice or two: what templates call."""

    voices: tuple[Voice, ...]

    @property
    def bilingual(self) -> bool:
        """Tell whether both languages speak."""
        return len(self.voices) > 1

    def join(self, say: Callable[[Voice], Markup | str]) -> Markup:
        """Return what the voices say, once where they agree, else each in its own element."""
        parts = [escape(say(voice)) for voice in self.voices]
        if all(part == parts[0] for part in parts):
            return parts[0]
        return Markup(" ").join(
            Markup('<span class="{0}" lang="{0}">{1}</span>').format(voice.language, part)
            for voice, part in zip(self.voices, parts, strict=True)
        )

    def plain(self, say: Callable[[Voice], str]) -> str:
        """Return what the voices say as text without markup."""
        return " ".join(dict.fromkeys(say(voice) for voice in self.voices))

    def figure(self, shown: Shown | None, *, ranged: bool = False, keys: bool = True) -> Markup:
        """Return a figure with unit, marks and keys; the number once where both languages write it alike."""
        said = [voice.range(shown) if ranged and shown else voice.figure(shown) for voice in self.voices]
        if all(part.number == said[0].number for part in said):
            first = said[0]
            units = {part.unit: voice.language for voice, part in zip(self.voices, said, strict=True)}
            body = Said(first.number, _units(units), first.marks, first.lead).markup
        else:
            body = Markup(" ").join(
                Markup('<span class="{0}" lang="{0}">{1}</span>').format(voice.language, part.markup)
                for voice, part in zip(self.voices, said, strict=True)
            )
        if shown is None or not keys:
            return Markup('<span class="nw">{}</span>').format(body) if not self.bilingual else body
        return self.cited(body, shown.refs, shown.grade)

    @staticmethod
    def cited(body: Markup | str, refs: Iterable[str], grade: Grade | None = None) -> Markup:
        """Return a short text with reference keys that never stand alone on a line."""
        keys = references(refs, grade)
        return (
            Markup('<span class="nw">{}{}</span>').format(body, keys) if keys else Markup("{}").format(body)
        )

    @staticmethod
    def sentence(text: Markup | str, refs: Iterable[str], grade: Grade | None = None) -> Markup:
        """Return a text of any length with reference keys that stay with its last word or characters."""
        keys = references(refs, grade)
        body = str(escape(text))
        # Keys go inside the last element: the second language may have a line of its own.
        end = _CLOSING.search(body)
        closing = end[0] if end else ""
        body = body.removesuffix(closing)
        tail = _TAIL.search(body)
        if not keys or tail is None:
            return Speaker.cited(text, refs, grade)
        head, last = Markup(body[: tail.start()]), Markup(tail[0])  # noqa: S704 - both halves are escaped already
        return Markup('{}<span class="nw">{}{}</span>{}').format(head, last, keys, Markup(closing))  # noqa: S704 - end tags only


def _units(units: Mapping[str, str]) -> Markup | str:
    """Return units that two languages write after one number, each marked; equal ones once."""
    named = [(unit, language) for unit, language in units.items() if unit]
    if len(named) < 2:  # noqa: PLR2004 - two languages
        return "".join(unit for unit, _ in named)
    marked = (Markup('<span lang="{}">{}</span>').format(language, unit) for unit, language in named)
    return Markup(" ").join(marked)


def references(refs: Iterable[str], grade: Grade | None = None) -> Markup:
    """Return reference keys as raised links; a secondary source's keys are underlined ("according to")."""
    keys = tuple(dict.fromkeys(refs))
    if not keys:
        return Markup()
    style = "ref according" if grade is Grade.SECONDARY else "ref"
    links = Markup("\N{NO-BREAK SPACE}").join(
        Markup('<a href="#ref-{0}">{0}</a>').format(key) for key in keys
    )
    return Markup('<sup class="{}">{}</sup>').format(style, links)
