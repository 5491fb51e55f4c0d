"""Lines of a worked path: formula, numbers put in, result with unit, and where constants come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from suanli.explaining.formula import Function, evaluate, names

if TYPE_CHECKING:
    from suanli.explaining.origins import Origin

__all__ = ["DIGITS", "GROUPS", "Book", "Line", "rounded_number", "shown_number"]

GROUPS: Final = ("work", "rates", "layer", "step", "run", "memory")
"""Parts of a path, in their order."""
DIGITS: Final = 7
"""Significant digits that are printed: as many as a pocket calculator shows, less one."""
_WHOLE: Final = 1e15


@dataclass(frozen=True, slots=True)
class Line:
    """One step of the path."""

    group: str
    key: str
    """What the line works out, such as ``layer.qkv.forward``."""
    symbol: str
    formula: str
    numbers: dict[str, float]
    result: float | None
    """None for a formula with parameters, which later lines use by its symbol."""
    unit: str
    origins: tuple[Origin, ...] = ()
    parameters: tuple[str, ...] = ()


def shown_number(value: float) -> str:
    """Return a number as it is printed: whole ones in full, others with seven significant digits.

    >>> shown_number(8030261248.0), shown_number(0.6123456789), shown_number(2.5e-06)
    ('8,030,261,248', '0.6123457', '2.5e-06')
    """
    shown = rounded_number(value)
    if shown == int(shown) and abs(shown) < _WHOLE:
        return f"{int(shown):,}"
    return f"{shown:.{DIGITS}g}"


def rounded_number(value: float) -> float:
    """Return a number as it is printed: whole ones as they are, others to seven significant digits.

    >>> rounded_number(137199999999.99998)
    137200000000.0
    """
    return value if value == int(value) else float(f"{value:.{DIGITS}g}")


@dataclass(slots=True)
class Book:
    """Collects lines; the numbers of later ones are results of earlier ones, by their symbols."""

    lines: list[Line] = field(default_factory=list["Line"])
    values: dict[str, float] = field(default_factory=dict[str, float])
    """Results and stated numbers by symbol."""
    origins: dict[str, tuple[Origin, ...]] = field(default_factory=dict[str, "tuple[Origin, ...]"])
    """Where stated numbers come from."""
    functions: dict[str, Function] = field(default_factory=dict[str, Function])

    def define(
        self, key: str, symbol: str, parameters: tuple[str, ...], formula: str, unit: str, *origins: Origin
    ) -> None:
        """State a formula with parameters.

        Raises:
            KeyError: it has a symbol that is neither a parameter nor known.
        """
        used = {name: self.values[name] for name in names(formula, parameters)}
        self.functions[symbol] = Function(parameters, formula, used)
        cited = self._cited(used, origins)
        group = key.partition(".")[0]
        self.lines.append(Line(group, key, symbol, formula, used, None, unit, cited, parameters))

    def _cited(self, used: dict[str, float], origins: tuple[Origin, ...]) -> tuple[Origin, ...]:
        stated = (one for name in used for one in self.origins.get(name, ()))
        return tuple(dict.fromkeys((*stated, *origins)))

    def given(self, symbol: str, value: float, *origins: Origin) -> None:
        """State a number that formulas use."""
        self.values[symbol] = float(value)
        self.origins[symbol] = origins

    def line(self, key: str, symbol: str, formula: str, unit: str, *origins: Origin) -> float:
        """Work a line out and return its result.

        Args:
            key: what it works out, its group before the first point.
            symbol: name of the result, for later lines.
            formula: in symbols that are stated or worked out already.
            unit: of the result.
            origins: where the formula comes from, beside the numbers' own origins.

        Raises:
            KeyError: the formula has a symbol that is not known.
        """
        used = {name: self.values[name] for name in names(formula, self.functions)}
        result = evaluate(formula, used, self.functions)
        group = key.partition(".")[0]
        cited = self._cited(used, origins)
        self.lines.append(Line(group, key, symbol, formula, used, result, unit, cited))
        self.values[symbol] = result
        self.origins[symbol] = ()
        return result

    def sum(self, key: str, symbol: str, terms: list[str], unit: str) -> float:
        """Work out the sum of terms that are not zero; 0 of none."""
        kept = [term for term in terms if self.values[term]]
        return self.line(key, symbol, " + ".join(kept) or "0", unit)
