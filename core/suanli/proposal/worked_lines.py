"""Lines of the worked calculation, each worked out from the numbers that it shows and from nothing finer."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from suanli.explaining.formula import evaluate, names
from suanli.explaining.lines import rounded_number
from suanli.proposal.model import WorkedLine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.record import Text

__all__ = ["WorkedBook", "exact", "put_in"]

_WHOLE: Final = 1e15
"""From here on a whole number has more digits than a float holds."""


def put_in(formula: str, numbers: Mapping[str, Decimal]) -> float:
    """Return what a formula gives for the numbers that a line shows."""
    return evaluate(formula, {name: float(value) for name, value in numbers.items()})


def exact(value: float) -> Decimal:
    """Return a number as it is shown, to seven significant digits, whole ones in full.

    >>> exact(0.61234567891), exact(8030261248.0), exact(2.5e-06)
    (Decimal('0.6123457'), Decimal('8030261248'), Decimal('0.0000025'))
    """
    shown = rounded_number(value)
    if shown == int(shown) and abs(shown) < _WHOLE:
        return Decimal(int(shown))
    return Decimal(f"{Decimal(f'{value:.7g}').normalize():f}")


@dataclass(slots=True)
class WorkedBook:
    """Collects lines; what one shows as its result is what later ones put in."""

    lines: list[WorkedLine] = field(default_factory=list[WorkedLine])
    values: dict[str, Decimal] = field(default_factory=dict[str, Decimal])
    """Shown numbers by symbol."""

    def given(self, **values: float) -> None:
        """State numbers that formulas use."""
        self.values |= {symbol: exact(value) for symbol, value in values.items()}

    def line(  # noqa: PLR0913 - the parts of a line
        self,
        key: str,
        symbol: str,
        formula: str,
        unit: str,
        *,
        group: str,
        figure: str = "",
        refs: tuple[str, ...] = (),
        names_of: Mapping[str, Text] | None = None,
        cents: bool = False,
    ) -> None:
        """Work a line out from the shown numbers of its symbols; money is kept to the cent.

        Raises:
            KeyError: a symbol has no number.
        """
        numbers = {name: self.values[name] for name in names(formula)}
        found = put_in(formula, numbers)
        result = Decimal(f"{found:.2f}") if cents else exact(found)
        named = dict(names_of or {})
        self.lines.append(
            WorkedLine(
                group=group,
                key=key,
                symbol=symbol,
                formula=formula,
                numbers=numbers,
                names=named,
                result=result,
                unit=unit,
                figure=figure,
                refs=tuple(dict.fromkeys(refs)),
            )
        )
        self.values[symbol] = result
