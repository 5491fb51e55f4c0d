"""How a worked calculation is written: formulas as on paper, numbers as a calculator shows them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from suanli.proposal.model import WORKED_GROUPS
from suanli_reports import formatting
from suanli_reports.display_units import value_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal

    from suanli.proposal.model import Option, Proposal, WorkedLine
    from suanli_reports.voice import Speaker, Voice

__all__ = ["ChainTools", "written"]

_LARGE, _SMALL = 15, -5
"""Powers of ten from which on a number is written with e, as pocket calculators do."""
_NAME: Final = re.compile(r"[^\W\d]\w*")
_FUNCTIONS: Final = frozenset({"max", "min", "ceil", "log2", "sqrt", "exp"})
_SECONDS, _SHORT = "_s", 4
_BREAK: Final = Markup("<wbr>")


def written(value: Decimal, language: str) -> str:
    """Return a number with all its digits, a very large or small one with a power of ten.

    >>> from decimal import Decimal
    >>> written(Decimal("444856300000000000000000"), "en"), written(Decimal("8030261248"), "en")
    ('4.448563e23', '8,030,261,248')
    """
    power = value.adjusted() if value else 0
    if _SMALL <= power < _LARGE:
        return formatting.number(value, language)
    return f"{value.scaleb(-power).normalize():f}e{power}"


class ChainTools:
    """What templates call to show a worked calculation; one method, one name."""

    chain_groups = WORKED_GROUPS

    def __init__(self, speaker: Speaker, proposal: Proposal) -> None:
        """Speak of a proposal."""
        self._speaker = speaker
        self._proposal = proposal

    def symbol(self, name: str) -> Markup:
        """Return a symbol with its index lowered."""
        # The causes of a step end in their unit; on paper it stands beside the number.
        head, _, index = name.removesuffix(_SECONDS if len(name) > _SHORT else "").partition("_")
        lowered = Markup("<sub>{}</sub>").format(index) if index else Markup()
        return Markup("<var>{}{}</var>").format(head, lowered)

    def chain_formula(self, line: WorkedLine) -> Markup:
        """Return the formula of a line, with the names of what has one."""
        return self._speaker.join(lambda voice: self._formula(line, voice))

    def _formula(self, line: WorkedLine, voice: Voice) -> Markup:
        def told(name: str) -> Markup:
            return (
                Markup("{}").format(voice.text(line.names[name])) if name in line.names else self.symbol(name)
            )

        return _replaced(line.formula, told)

    def chain_numbers(self, line: WorkedLine) -> Markup:
        """Return the formula of a line with its numbers put in."""
        language = self._speaker.voices[0].language
        return _replaced(
            line.formula, lambda name: Markup("{}").format(written(line.numbers[name], language))
        )

    def chain_result(self, line: WorkedLine) -> Markup:
        """Return the result of a line with its unit."""
        number = written(line.result, self._speaker.voices[0].language)
        unit = self._speaker.join(lambda voice: self._unit(voice, line.unit))
        gap = "\N{NO-BREAK SPACE}" if unit else ""
        return Markup('<span class="nw">{}{}{}</span>').format(number, gap, unit)

    def _unit(self, voice: Voice, key: str) -> Markup:
        if key == "money":
            return Markup("{}").format(voice.currency(self._proposal.project.currency))
        if key == "share":
            return Markup()
        own = f"chain-unit.{key}"
        return voice.word(own) if voice.messages.has(own) else Markup("{}").format(voice.unit(key))

    @staticmethod
    def chain_figure(option: Option, line: WorkedLine) -> object:
        """Return the option's figure or share that repeats the result of a line, rounded; None for none."""
        return value_at(option, line.figure) if line.figure else None

    def chain_symbols(self) -> list[str]:
        """Return every symbol that lines show without a name of their own, in order of first use."""
        lines = [line for option in self._proposal.options for line in option.calculation]
        return list(dict.fromkeys(name for line in lines for name in _symbols(line)))


def _symbols(line: WorkedLine) -> Sequence[str]:
    return [name for name in (*line.numbers, line.symbol) if name not in line.names]


def _replaced(formula: str, told: Callable[[str], Markup]) -> Markup:
    """Return a formula with its names replaced, and with places where a line may end."""
    parts: list[Markup] = []
    end = 0
    for found in _NAME.finditer(formula):
        parts.append(_signs(formula[end : found.start()]))
        parts.append(escape(found[0]) if found[0] in _FUNCTIONS else told(found[0]))
        end = found.end()
    parts.append(_signs(formula[end:]))
    return Markup("").join(parts)


def _signs(text: str) -> Markup:
    """Return signs between names; a line may end after a product or a quotient."""
    return _BREAK.join(escape(part) for part in re.split(r"(?<=/)", text.replace("·", " × ")))
