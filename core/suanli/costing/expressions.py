"""Expression trees with two back ends: exact decimals, and spreadsheet formulas.

Only functions that Excel 2010+, WPS, LibreOffice and the test engine share are allowed. Every operation
rounds where, and only where, a `Round` node says so, so that both back ends round at the same places.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_UP, Decimal, localcontext
from typing import TYPE_CHECKING

from suanli.domain.money import round_half_up

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "Binary",
    "Choose",
    "Constant",
    "Expression",
    "Maximum",
    "Minimum",
    "Power",
    "Ref",
    "Round",
    "RoundUp",
    "Sum",
    "evaluate",
    "formula",
    "parts",
    "references",
]

_PRECISION = 34
"""Digits of intermediate results; a spreadsheet carries about 15, so that only rounded values are compared.
"""


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
    """A base to a whole exponent (discount factors)."""

    base: Expression
    exponent: int


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


def evaluate(node: Expression, values: Mapping[str, Decimal]) -> Decimal:  # noqa: C901, PLR0911 - a branch a node type
    """Return the exact value of a tree.

    Args:
        node: the tree.
        values: value of every entry that the tree refers to.

    Raises:
        KeyError: a referred entry has no value.
        decimal.DivisionByZero: a divisor is zero.
    """
    with localcontext() as context:
        # Set for each node, because a caller may have another context; the result of a node is exact to it.
        context.prec = _PRECISION
        match node:
            case Constant(value):
                return value
            case Ref(id):
                return values[id]
            case Binary(operator, left, right):
                return _OPERATORS[operator](evaluate(left, values), evaluate(right, values))
            case Round(of, places):
                return round_half_up(evaluate(of, values), places)
            case RoundUp(of):
                return evaluate(of, values).to_integral_value(rounding=ROUND_UP)
            case Sum(of):
                return sum((evaluate(part, values) for part in of), Decimal(0))
            case Minimum(of):
                return min(evaluate(part, values) for part in of)
            case Maximum(of):
                return max(evaluate(part, values) for part in of)
            case Power(base, exponent):
                return evaluate(base, values) ** exponent
            case Choose(left, right, then, otherwise):
                low = evaluate(left, values) <= evaluate(right, values)
                return evaluate(then if low else otherwise, values)
            case _:
                raise TypeError(f"no evaluation for {type(node).__name__}")


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
            return f"POWER({_write(base, cell, 0)},{exponent})"
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


def references(node: Expression) -> tuple[str, ...]:
    """Return the ids that a tree refers to, in order of first appearance."""
    if isinstance(node, Ref):
        return (node.id,)
    return tuple(dict.fromkeys(name for part in parts(node) for name in references(part)))


def parts(node: Expression) -> tuple[Expression, ...]:
    """Return the nodes directly below a node, from left to right."""
    match node:
        case Binary(_, left, right):
            return (left, right)
        case Round(of, _) | RoundUp(of):
            return (of,)
        case Sum(of) | Minimum(of) | Maximum(of):
            return of
        case Power(base, _):
            return (base,)
        case Choose(left, right, then, otherwise):
            return (left, right, then, otherwise)
        case _:
            return ()
