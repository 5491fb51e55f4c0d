"""Worked examples of the estimation pages: what a page states, and the arithmetic that it shows.

An example is a fenced block that starts with ``worked`` and its name and holds lines of the form
``name: expression = value unit``. An expression may use the names of lines above it.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DOCS: Final = Path(__file__).parents[2] / "docs"
OVERVIEW: Final = DOCS / "estimation.md"
PAGES: Final = tuple(sorted((DOCS / "estimation").glob("*.md")))

SCALES: Final[Mapping[str, float]] = {
    "": 1.0,
    "parameters": 1.0,
    "layers": 1.0,
    "micro-batches": 1.0,
    "sequences": 1.0,
    "steps": 1.0,
    "ranks": 1.0,
    "rows": 1.0,
    "tokens/s": 1.0,
    "TFLOP": 1e12,
    "GFLOP": 1e9,
    "FLOP": 1.0,
    "TFLOP/s": 1e12,
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "TB": 1e12,
    "GB/s": 1e9,
    "s": 1.0,
    "ms": 1e-3,
    "µs": 1e-6,
    "days": 86400.0,
    "hours": 1.0,
    "years": 1.0,
    "kWh": 1.0,
    "kg": 1.0,
    "%": 0.01,
}
"""SI value of the units that a line may end with."""

_FENCE = re.compile(r"^```worked (?P<name>[a-z0-9-]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = r"-?[0-9][0-9.,]*(?:e-?[0-9]+)?"
_LINE = re.compile(
    rf"(?P<name>[a-z][a-z0-9_]*): (?P<expression>.+) = (?P<value>{_NUMBER})(?: (?P<unit>\S+))?"
)
_OPERATORS: Final[Mapping[type, Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: Final[Mapping[str, Callable[..., float]]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "ln": math.log,
    "log2": math.log2,
    "ceil": math.ceil,
    "max": max,
    "min": min,
}


@dataclass(frozen=True, slots=True)
class Line:
    """One figure of an example as the page prints it."""

    name: str
    expression: str
    printed: str
    unit: str

    @property
    def value(self) -> float:
        """Return the printed value in SI."""
        return float(self.printed.replace(",", "")) * SCALES[self.unit]

    @property
    def half_digit(self) -> float:
        """Return half of one in the last printed digit, in SI."""
        mantissa, _, exponent = self.printed.replace(",", "").partition("e")
        decimals = len(mantissa.partition(".")[2])
        return 0.5 * 10.0 ** (int(exponent or 0) - decimals) * SCALES[self.unit]

    def prints(self, value: float) -> bool:
        """Tell whether a value rounds to what is printed."""
        # A value on the edge between two digits may be printed as either.
        return abs(value - self.value) <= self.half_digit * (1 + 1e-6) + 1e-12 * abs(value)


@dataclass(frozen=True, slots=True)
class Example:
    """One worked example of a page."""

    name: str
    page: str
    lines: tuple[Line, ...]

    def evaluated(self) -> dict[str, float]:
        """Return the value of every line by its own arithmetic, in SI."""
        known: dict[str, float] = {}
        for line in self.lines:
            known[line.name] = evaluate(line.expression, known)
        return known


def evaluate(expression: str, known: Mapping[str, float]) -> float:
    """Return the value of an expression of numbers, known names, ``+ - * / **`` and a few functions.

    Raises:
        ValueError: the expression holds something else, or a name that is not known.
    """

    def value(node: ast.expr) -> float:
        match node:
            case ast.Constant(value=int() | float() as number):
                return float(number)
            case ast.Name(id=name) if name in known:
                return known[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=symbol, right=right) if type(symbol) in _OPERATORS:
                return _OPERATORS[type(symbol)](value(left), value(right))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
                return float(_FUNCTIONS[name](*(value(one) for one in args)))
            case _:
                raise ValueError(f"{ast.unparse(node)!r} in {expression!r} is no arithmetic of known names")

    return value(ast.parse(expression, mode="eval").body)


def parse_line(text: str) -> Line:
    """Return one line of an example.

    Raises:
        ValueError: it has another form, or a unit that is not known.
    """
    found = _LINE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not of the form 'name: expression = value unit'")
    line = Line(found["name"], found["expression"], found["value"], found["unit"] or "")
    if line.unit not in SCALES:
        raise ValueError(f"{text!r} ends with the unknown unit {line.unit!r}")
    return line


def examples_of(page: Path) -> tuple[Example, ...]:
    """Return the worked examples of a page."""
    return tuple(
        Example(block["name"], page.name, tuple(parse_line(one) for one in block["body"].splitlines()))
        for block in _FENCE.finditer(page.read_text(encoding="utf-8"))
    )


def chapters_of(page: Path) -> dict[str, str]:
    """Return the text under each third-level heading of a page."""
    parts = re.split(r"^(?=#{2,3} )", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    chapters = (part.partition("\n") for part in parts if part.startswith("### "))
    return {title.removeprefix("### "): text for title, _, text in chapters}
