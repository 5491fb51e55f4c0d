"""The third back end of the expression trees: floating-point arrays, one element a draw.

Rounding nodes are passed through: a cent is far below the spread of any input, and the exact values stay
those of the decimals.
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
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}


def draw(node: Expression, values: Mapping[str, Draws]) -> Draws:  # noqa: C901, PLR0911 - a branch a node type
    """Return the value of a tree for every draw.

    Args:
        node: the tree.
        values: draws of every entry that the tree refers to.

    Raises:
        KeyError: a referred entry has no draws.
    """
    match node:
        case Constant(value):
            return np.array(float(value))
        case Ref(id):
            return values[id]
        case Binary(operator, left, right):
            return _OPERATORS[operator](draw(left, values), draw(right, values))
        case Round(of, _):
            return draw(of, values)
        case RoundUp(of):
            return np.ceil(draw(of, values))
        case Sum(of):
            return sum((draw(part, values) for part in of), np.zeros(()))
        case Minimum(of):
            return _folded(np.minimum, of, values)
        case Maximum(of):
            return _folded(np.maximum, of, values)
        case Power(base, exponent):
            return draw(base, values) ** exponent
        case Choose(left, right, then, otherwise):
            low = draw(left, values) <= draw(right, values)
            return np.where(low, draw(then, values), draw(otherwise, values))
        case _:
            raise TypeError(f"no draws for {type(node).__name__}")


def _folded(
    of_two: Callable[[Draws, Draws], Draws], of: tuple[Expression, ...], values: Mapping[str, Draws]
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


def sampled(lines: Iterable[Line], inputs: Mapping[str, Draws]) -> dict[str, Draws]:
    """Return the draws of lines, each evaluated once, in their order.

    Args:
        lines: in an order in which each refers only to earlier ones and to inputs.
        inputs: draws of every input that they refer to.
    """
    values = dict(inputs)
    for line in lines:
        values[line.id] = draw(line.expression, values)
    return values
