"""The third back end of the expression trees: floating-point arrays, one element a draw.

Most lines of a ledger scale and add a few arrays: sixty months of one yearly cost, say. Such a line is kept
as a combination of those arrays, a coefficient each, and becomes an array only where something else than a
sum or a scale needs it. Rounding nodes are passed through: a cent is far below the spread of any input, and
the exact values stay those of the decimals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suanli.costing.expressions import (
    Binary,
    Choose,
    Constant,
    Expression,
    InternalRate,
    Maximum,
    Minimum,
    Power,
    Ref,
    Round,
    RoundUp,
    Sum,
    references,
)
from suanli.costing.ledger import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from suanli.costing.ledger import Ledger

__all__ = ["Draws", "draw", "lines_behind", "sampled"]

Draws: TypeAlias = NDArray[np.float64]
"""One element a draw, or a single value for all of them."""

_OPERATORS: Mapping[str, Callable[[Draws, Draws], Draws]] = {
    "*": np.multiply,
    "/": np.divide,
}


class Combination:
    """Arrays with a coefficient each, and a constant: Σ c_i · x_i + c."""

    __slots__ = ("_array", "constant", "terms")

    def __init__(self, terms: dict[int, tuple[Draws, float]], constant: float) -> None:
        """Take the terms by the identity of their array."""
        self.terms = terms
        self.constant = constant
        self._array: Draws | None = None

    def scaled(self, factor: float) -> Combination:
        """Return the combination times a number."""
        terms = {key: (array, factor * one) for key, (array, one) in self.terms.items()}
        return Combination(terms, factor * self.constant)

    def array(self) -> Draws:
        """Return the combination as an array, worked out once."""
        if self._array is None:
            total: Draws = np.array(self.constant)
            for array, factor in self.terms.values():
                total = total + (array if factor == 1 else factor * array)
            self._array = total
        return self._array


Value: TypeAlias = "Draws | Combination"


def _is_number(value: Value) -> bool:
    return not isinstance(value, Combination) and value.ndim == 0


def _array(value: Value) -> Draws:
    return value.array() if isinstance(value, Combination) else value


def _combination(value: Value) -> Combination:
    if isinstance(value, Combination):
        return value
    return Combination({}, float(value)) if value.ndim == 0 else Combination({id(value): (value, 1.0)}, 0.0)


def _added(values: Iterable[Value]) -> Value:
    terms: dict[int, tuple[Draws, float]] = {}
    constant = 0.0
    for value in map(_combination, values):
        constant += value.constant
        for key, (array, factor) in value.terms.items():
            known = terms.get(key)
            terms[key] = (array, factor if known is None else known[1] + factor)
    return Combination(terms, constant) if terms else np.array(constant)


def _binary(operator: str, left: Value, right: Value) -> Value:
    if operator == "+":
        return _added((left, right))
    if operator == "-":
        return _added((left, _binary("*", right, _MINUS)))
    numbers = _is_number(left), _is_number(right)
    if operator == "*" and any(numbers) and not all(numbers):
        number, other = (left, right) if numbers[0] else (right, left)
        return _combination(other).scaled(float(_array(number)))
    if operator == "/" and numbers == (False, True):
        return _combination(left).scaled(1 / float(_array(right)))
    return _OPERATORS[operator](_array(left), _array(right))


_MINUS: Draws = np.array(-1.0)


def draw(node: Expression, values: Mapping[str, Value]) -> Draws:
    """Return the value of a tree for every draw.

    Args:
        node: the tree.
        values: draws of every entry that the tree refers to.

    Raises:
        KeyError: a referred entry has no draws.
    """
    return _array(_drawn(node, values))


def _drawn(node: Expression, values: Mapping[str, Value]) -> Value:  # noqa: C901, PLR0911 - a branch a node type
    match node:
        case Ref(id):
            return values[id]
        case Binary(operator, left, right):
            return _binary(operator, _drawn(left, values), _drawn(right, values))
        case Constant(value):
            return np.array(float(value))
        case Round(of, _):
            return _drawn(of, values)
        case Sum(of):
            return _added(_drawn(part, values) for part in of)
        case RoundUp(of):
            return np.ceil(draw(of, values))
        case Minimum(of):
            return _folded(np.minimum, of, values)
        case Maximum(of):
            return _folded(np.maximum, of, values)
        case Power(base, exponent):
            return draw(base, values) ** draw(exponent, values)
        case Choose(left, right, then, otherwise):
            low = draw(left, values) <= draw(right, values)
            return np.where(low, draw(then, values), draw(otherwise, values))
        case InternalRate(_):
            raise TypeError("an internal rate has no draws: it is a root, not a sum")
        case _:
            raise TypeError(f"no draws for {type(node).__name__}")


def _folded(
    of_two: Callable[[Draws, Draws], Draws], of: tuple[Expression, ...], values: Mapping[str, Value]
) -> Draws:
    first, *rest = (draw(part, values) for part in of)
    for one in rest:
        first = of_two(first, one)
    return first


def lines_behind(targets: Iterable[str], ledger: Ledger) -> tuple[Line, ...]:
    """Return the lines that some entries are computed from, themselves included, in the ledger's order."""
    known = {entry.id: entry for entry in ledger.entries}
    pending, seen = list(targets), set[str]()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        entry = known[name]
        if isinstance(entry, Line):
            pending.extend(references(entry.expression))
    return tuple(line for line in ledger.lines if line.id in seen)


def sampled(lines: Iterable[Line], inputs: Mapping[str, Draws], targets: Iterable[str]) -> dict[str, Draws]:
    """Return the draws of some lines, each line evaluated once, in their order.

    Args:
        lines: in an order in which each refers only to earlier ones and to inputs.
        inputs: draws of every input that they refer to.
        targets: those that are asked for.
    """
    values: dict[str, Value] = dict(inputs)
    for line in lines:
        values[line.id] = _drawn(line.expression, values)
    return {target: _array(values[target]) for target in targets}
