"""What may be typed into each input: bounds that keep every formula computable and every column true."""

from __future__ import annotations

from decimal import Decimal, DecimalException
from typing import TYPE_CHECKING, Any

from suanli.costing.expressions import Binary, Expression, InternalRate, Power, parts, references
from suanli.costing.ledger import Input
from suanli.costing.variations import Variations
from suanli_reports.workbook_text import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from suanli.costing.ledger import Ledger
    from suanli_reports.workbook_layout import Layout, Message

__all__ = ["HORIZON", "input_rule", "keeps_rule", "never_zero"]

HORIZON = "general.horizon"
"""The input that the columns of years are made for: it may be shortened, never lengthened."""

_MOST_YEARS = 100
_MOST_MONTHS = 360
_LEAST_SHARE = 0.0001
"""The least that a share may be that something is divided by."""
_MOST_THINGS = 100_000_000
_MOST_TEXT = 255
_MOST_TITLE = 32
_PUE = "PUE"


def never_zero(ledger: Ledger) -> frozenset[str]:
    """Return the ids of inputs with which some formula would divide by zero if they were zero.

    Candidates are the inputs behind a divisor; each is tried, because a divisor such as 1 + rate stands zero.
    """
    behind: dict[str, frozenset[str]] = {}
    divisors: set[str] = set()
    for entry in ledger.entries:
        if isinstance(entry, Input):
            behind[entry.id] = frozenset({entry.id})
            continue
        read = references(entry.expression)
        behind[entry.id] = frozenset[str]().union(*(behind[name] for name in read))
        divisors |= set(_divided_by(entry.expression))
    candidates = frozenset[str]().union(*(behind[name] for name in divisors))
    failing = (line.id for line in ledger.lines if _may_fail(line.expression))
    variations = Variations(ledger, failing)
    return frozenset(name for name in candidates if not _stands_zero(variations, name))


def _may_fail(node: Expression) -> bool:
    """Tell whether a formula has no value for some inputs."""
    division = isinstance(node, Binary) and node.operator == "/"
    return division or isinstance(node, Power | InternalRate) or any(map(_may_fail, parts(node)))


def _divided_by(node: Expression) -> Iterator[str]:
    """Yield the ids that stand in a divisor."""
    if isinstance(node, Binary) and node.operator == "/":
        yield from references(node.right)
    for part in parts(node):
        yield from _divided_by(part)


def _stands_zero(variations: Variations, name: str) -> bool:
    try:
        variations.changed({name: Decimal(0)})
    except DecimalException:
        return False
    return True


def _counted(entry: Input) -> bool:
    """Tell whether an input counts things; tokens and FLOPs are amounts."""
    counts = entry.group == "quantities" and ".quantity." in entry.id and not entry.unit.startswith("1e")
    return counts and entry.value >= 0 and entry.value == entry.value.to_integral_value()


def input_rule(entry: Input, layout: Layout, language: str, *, positive: bool) -> dict[str, Any]:
    """Return the data validation of an input, in the words of XlsxWriter.

    A share is 0 to 1, years and things are whole, the horizon is at most the one that the columns stand for,
    a PUE is at least 1, what formulas divide by is more than 0, all else is at least 0. A figure that is
    negative as issued may be any number.

    Months are whole too, and bounds of the input's own hold before all of these.

    Args:
        entry: the input.
        layout: holds the messages.
        language: ``zh``, ``en`` or ``bilingual``.
        positive: True where zero would make a formula divide by zero.
    """
    rule: dict[str, Any] = {"validate": "decimal"}
    low, high = Decimal(0), Decimal(1)
    message: Message
    if entry.unit == "year":
        low = Decimal(positive or entry.id == HORIZON)
        high = entry.value if entry.id == HORIZON else Decimal(_MOST_YEARS)
        message = "whole"
        rule |= {"validate": "integer", "criteria": "between", "minimum": int(low), "maximum": int(high)}
    elif entry.unit == "month":
        low = Decimal(positive) if entry.least is None else entry.least
        high = Decimal(_MOST_MONTHS) if entry.most is None else entry.most
        message = "whole"
        rule |= {"validate": "integer", "criteria": "between", "minimum": int(low), "maximum": int(high)}
    elif entry.most is not None:
        low, high, message = entry.least or low, entry.most, "span"
        rule |= {"criteria": "between", "minimum": float(low), "maximum": float(high)}
    elif _counted(entry):
        low, high = Decimal(positive), Decimal(_MOST_THINGS)
        message = "whole"
        rule |= {"validate": "integer", "criteria": "between", "minimum": int(low), "maximum": int(high)}
    elif entry.unit == "fraction" and 0 <= entry.value <= 1:
        message = "some_share" if positive else "share"
        rule |= {"criteria": "between", "minimum": _LEAST_SHARE if positive else 0, "maximum": 1}
    elif entry.value < 0:
        return rule | {"criteria": "between", "minimum": -1e15, "maximum": 1e15}
    elif entry.unit == _PUE and entry.value >= 1:
        message, low = "at_least", Decimal(1)
        rule |= {"criteria": ">=", "value": 1}
    else:
        message = "more_than" if positive else "at_least"
        rule |= {"criteria": ">" if positive else ">=", "value": 0}
    said = say(layout.messages[message], language, between=" / ")
    said = said.replace("{minimum}", f"{low:f}").replace("{maximum}", f"{high:f}")
    title = say(entry.label, language, between=" / ")[:_MOST_TITLE]
    return rule | {"error_title": title, "error_message": said[:_MOST_TEXT]}


def keeps_rule(value: Decimal, rule: Mapping[str, Any]) -> bool:
    """Tell whether a value keeps a rule of `input_rule`.

    >>> keeps_rule(Decimal("1.5"), {"validate": "integer", "criteria": "between", "minimum": 1, "maximum": 5})
    False
    """
    if rule["validate"] == "integer" and value != value.to_integral_value():
        return False
    if rule["criteria"] == "between":
        return Decimal(rule["minimum"]) <= value <= Decimal(rule["maximum"])
    bound = Decimal(rule["value"])
    return value > bound if rule["criteria"] == ">" else value >= bound
