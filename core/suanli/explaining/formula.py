"""Formulas as they are printed, evaluated as they stand: what a reader computes is what the line says."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = ["Function", "evaluate", "names"]

_SPELLED: Final = {"·": "*", "−": "-", "^": "**", "√(": "sqrt("}
_FUNCTIONS: Final[Mapping[str, Callable[..., float]]] = {
    "max": max,
    "min": min,
    "sqrt": math.sqrt,
    "log2": math.log2,
    "exp": math.exp,
    "ceil": math.ceil,
}


@dataclass(frozen=True, slots=True)
class Function:
    """A formula of its own with parameters, that others use by name."""

    parameters: tuple[str, ...]
    formula: str
    numbers: Mapping[str, float]
    """Of its other symbols."""


def _parsed(formula: str) -> ast.expr:
    for shown, spelled in _SPELLED.items():
        formula = formula.replace(shown, spelled)
    return ast.parse(formula, mode="eval").body


def _arithmetic(op: ast.operator, left: float, right: float) -> float:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.Pow():
            return math.pow(left, right)
        case _:
            raise ValueError(f"{type(op).__name__} is no part of a formula")


def evaluate(
    formula: str, numbers: Mapping[str, float], functions: Mapping[str, Function] | None = None
) -> float:
    """Return the value of a formula of names, numbers, + − · / ^ √ and max, min, log2, exp, ceil.

    Args:
        formula: as it is printed.
        numbers: by name.
        functions: formulas that this one uses, by name.

    Raises:
        KeyError: a name has no number.
        ValueError: the formula holds anything else.

    >>> evaluate("√(a^2 + b^2)·2", {"a": 3, "b": 4})
    10.0
    """
    own = functions or {}

    def value(node: ast.expr) -> float:
        match node:
            case ast.Constant(value=int() | float() as number):
                return float(number)
            case ast.Name(id=name):
                return float(numbers[name])
            case ast.BinOp(left=left, op=op, right=right):
                return _arithmetic(op, value(left), value(right))
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in _FUNCTIONS:
                return float(_FUNCTIONS[name](*(value(one) for one in arguments)))
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in own:
                used = own[name]
                put_in = dict(zip(used.parameters, (value(one) for one in arguments), strict=True))
                return evaluate(used.formula, {**used.numbers, **put_in}, own)
            case _:
                raise ValueError(f"{ast.unparse(node)} is no part of a formula")

    return value(_parsed(formula))


def names(formula: str, functions: Collection[str] = ()) -> tuple[str, ...]:
    """Return the names that a formula puts numbers in for, each once, in the order of the text.

    Args:
        formula: as it is printed.
        functions: names that are not numbers.

    >>> names("max(a·b, a/c)")
    ('a', 'b', 'c')
    """
    found = (node.id for node in ast.walk(_parsed(formula)) if isinstance(node, ast.Name))
    order = {name: place for place, name in enumerate(dict.fromkeys(_words(formula)))}
    return tuple(
        sorted({name for name in found if name not in {*_FUNCTIONS, *functions}}, key=order.__getitem__)
    )


def _words(formula: str) -> list[str]:
    """Return the words of a formula in their order."""
    spaced = "".join(one if one.isalnum() or one == "_" else " " for one in formula)
    return spaced.split()
