"""Expression trees with two back ends: exact decimals, and spreadsheet formulas.

A third back end, arrays of draws, is in `suanli.costing.sampling`. Only functions that Excel 2010+, WPS,
LibreOffice and the test engine share are allowed. Every operation rounds where, and only where, a `Round`
node says so, so that both back ends round at the same places.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_UP, Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from typing import TYPE_CHECKING, Final

from suanli.domain.money import round_half_up
from suanli.finance.rates import internal_rates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

__all__ = [
    "Binary",
    "Choose",
    "Constant",
    "Expression",
    "InternalRate",
    "Maximum",
    "Minimum",
    "Power",
    "Ref",
    "Round",
    "RoundUp",
    "Sum",
    "evaluate",
    "evaluated",
    "exact_context",
    "formula",
    "nearest_rate",
    "parts",
    "references",
]

_PRECISION = 34
"""Digits of intermediate results; a spreadsheet carries about 15, so that only rounded values are compared.
"""


_CONTEXT = Context(prec=_PRECISION, traps=[DivisionByZero, InvalidOperation, Overflow])
_ZERO = Decimal(0)
_UNDEFINED = Decimal("NaN")

_MOST_ARGUMENTS = 200
"""Arguments of one SUM; spreadsheets take 255, and a formula of 8,192 characters."""


class Expression:
    """A node of the tree; the operators build larger trees."""

    __slots__ = ()

    def __add__(self, other: Expression) -> Binary:
        """Return the sum of two nodes."""
        return Binary("+", self, other)

    def __sub__(self, other: Expression) -> Binary:
        """Return the difference of two nodes."""
        return Binary("-", self, other)

    def __mul__(self, other: Expression) -> Binary:
        """Return the product of two nodes."""
        return Binary("*", self, other)

    def __truediv__(self, other: Expression) -> Binary:
        """Return the quotient of two nodes."""
        return Binary("/", self, other)


@dataclass(frozen=True, slots=True)
class Constant(Expression):
    """A number of the formula itself (12 months, 1); assumptions are inputs, never constants."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class Ref(Expression):
    """The value of another ledger entry, by id."""

    id: str


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """One of ``+ - * /`` between two nodes."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Round(Expression):
    """Rounded half up, away from zero, as Excel's ROUND."""

    of: Expression
    places: int = 2


@dataclass(frozen=True, slots=True)
class RoundUp(Expression):
    """Rounded up to a whole number, away from zero as Excel's ROUNDUP, for counts."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Sum(Expression):
    """The sum of many nodes."""

    of: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Minimum(Expression):
    """The smallest of several nodes."""

    of: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Maximum(Expression):
    """The largest of several nodes."""

    of: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Power(Expression):
    """A base to an exponent, whole or not (discount and escalation factors)."""

    base: Expression
    exponent: Expression


@dataclass(frozen=True, slots=True)
class InternalRate(Expression):
    """The rate of a period at which flows, the first today and one at the end of each period, are worth zero.

    Not a number where there is none of at least `LOWEST_RATE`.
    """

    flows: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class Choose(Expression):
    """`then` where `left` is at most `right`, else `otherwise`."""

    left: Expression
    right: Expression
    then: Expression
    otherwise: Expression


_OPERATORS: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def exact_context() -> AbstractContextManager[Context]:
    """Return the arithmetic in which trees are evaluated: 34 digits, and an error on a division by zero."""
    return localcontext(_CONTEXT)


def evaluate(node: Expression, values: Mapping[str, Decimal]) -> Decimal:
    """Return the exact value of a tree.

    Args:
        node: the tree.
        values: value of every entry that the tree refers to.

    Raises:
        KeyError: a referred entry has no value.
        decimal.DivisionByZero: a divisor is zero.
    """
    with exact_context():
        return evaluated(node, values)


def evaluated(node: Expression, values: Mapping[str, Decimal]) -> Decimal:  # noqa: C901, PLR0911 - a branch a node type
    """Return the value of a tree in the arithmetic that is set, which the caller makes `exact_context`."""
    match node:
        case Ref(id):
            return values[id]
        case Binary(operator, left, right):
            return _OPERATORS[operator](evaluated(left, values), evaluated(right, values))
        case Constant(value):
            return value
        case Sum(of):
            return sum((evaluated(part, values) for part in of), _ZERO)
        case Round(of, places):
            return round_half_up(evaluated(of, values), places)
        case Choose(left, right, then, otherwise):
            low = evaluated(left, values) <= evaluated(right, values)
            return evaluated(then if low else otherwise, values)
        case Power(base, exponent):
            return evaluated(base, values) ** evaluated(exponent, values)
        case RoundUp(of):
            return evaluated(of, values).to_integral_value(rounding=ROUND_UP)
        case Minimum(of):
            return min(evaluated(part, values) for part in of)
        case Maximum(of):
            return max(evaluated(part, values) for part in of)
        case InternalRate(flows):
            return nearest_rate([values[flow.id] for flow in flows])
        case _:
            raise TypeError(f"no evaluation for {type(node).__name__}")


LOWEST_RATE: Final = Decimal("-0.9")
"""The lowest rate of return that is still stated."""


def nearest_rate(flows: Sequence[Decimal]) -> Decimal:
    """Return the internal rate of return, of several the one nearest to zero; not a number without any.

    A spreadsheet finds the same from its guesses, unless several rates lie around them. Below `LOWEST_RATE`
    nearly all is lost, and spreadsheets no longer agree on a rate: there is none.
    """
    rates = [rate for rate in internal_rates(flows) if rate >= LOWEST_RATE]
    return min(rates, key=abs, default=_UNDEFINED)


def formula(node: Expression, cell: Callable[[str], str]) -> str:
    """Return a tree as a spreadsheet formula without the leading ``=``.

    Args:
        node: the tree.
        cell: gives the address of an entry, with its sheet where it stands on another one.
    """
    return _write(node, cell, 0)


_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2}


def _write(node: Expression, cell: Callable[[str], str], outer: int) -> str:  # noqa: C901, PLR0911 - as above
    def many(of: tuple[Expression, ...]) -> str:
        return ",".join(_write(part, cell, 0) for part in of)

    match node:
        case Constant(value):
            return f"{value:f}"
        case Ref(id):
            return cell(id)
        case Binary(operator, left, right):
            binding = _BINDING[operator]
            tighter = binding + (operator in "-/")
            text = f"{_write(left, cell, binding)}{operator}{_write(right, cell, tighter)}"
            return f"({text})" if binding < outer else text
        case Round(of, places):
            return f"ROUND({_write(of, cell, 0)},{places})"
        case RoundUp(of):
            return f"ROUNDUP({_write(of, cell, 0)},0)"
        case Sum(of):
            return _write_sum(of, cell)
        case Minimum(of):
            return f"MIN({many(of)})"
        case Maximum(of):
            return f"MAX({many(of)})"
        case Power(base, exponent):
            return f"POWER({_write(base, cell, 0)},{_write(exponent, cell, 0)})"
        case InternalRate(flows):
            return _write_rate(f"{cell(flows[0].id)}:{_bare(cell(flows[-1].id))}")
        case Choose(left, right, then, otherwise):
            test = f"{_write(left, cell, 1)}<={_write(right, cell, 1)}"
            return f"IF({test},{_write(then, cell, 0)},{_write(otherwise, cell, 0)})"
        case _:
            raise TypeError(f"no formula for {type(node).__name__}")


def _write_sum(of: tuple[Expression, ...], cell: Callable[[str], str]) -> str:
    """Return a sum, in sums of sums where it has more parts than spreadsheets take."""
    if len(of) > _MOST_ARGUMENTS:
        size = -(-len(of) // _MOST_ARGUMENTS)
        size = -(-len(of) // size)
        return _write_sum(tuple(Sum(of[at : at + size]) for at in range(0, len(of), size)), cell)
    return f"SUM({','.join(_write(part, cell, 0) for part in of)})"


_GUESSES = ("", ",-0.5", ",1")
"""Where spreadsheets start their search for a rate: a tenth, and where that leads nowhere, further out."""


def _write_rate(flows: str) -> str:
    """Return the rate of return of a range, from several guesses; a dash where there is none.

    An error in its place would be taken for a fault of the sheet.
    """
    rate = f"IRR({flows}{_GUESSES[-1]})"
    for guess in reversed(_GUESSES[:-1]):
        rate = f"IFERROR(IRR({flows}{guess}),{rate})"
    return f'IFERROR(IF({rate}<{LOWEST_RATE},"–",{rate}),"–")'


def _bare(address: str) -> str:
    """Return an address without its sheet, as the end of a range is written."""
    return address.rpartition("!")[2]


def references(node: Expression) -> tuple[str, ...]:
    """Return the ids that a tree refers to, in order of first appearance."""
    found: dict[str, None] = {}
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, Ref):
            found[one.id] = None
        else:
            pending.extend(reversed(parts(one)))
    return tuple(found)


def parts(node: Expression) -> tuple[Expression, ...]:  # noqa: PLR0911 - a branch a node type
    """Return the nodes directly below a node, from left to right."""
    match node:
        case Binary(_, left, right):
            return (left, right)
        case Round(of, _) | RoundUp(of):
            return (of,)
        case Sum(of) | Minimum(of) | Maximum(of):
            return of
        case InternalRate(flows):
            return flows
        case Power(base, exponent):
            return (base, exponent)
        case Choose(left, right, then, otherwise):
            return (left, right, then, otherwise)
        case _:
            return ()
