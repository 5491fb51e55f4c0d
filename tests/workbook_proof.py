"""The proof of the workbook: every formula cell of it against the value that Python gives the same entry.

Both ironcalc (in every test run) and LibreOffice (``make check-excel``) are held against the ledger by this
module. It knows no entry by name: whatever the ledger and the layout hold is compared.

Rounding edges: a spreadsheet carries 15 digits, the ledger 34. Where the argument of a ROUND or ROUNDUP lies
so near to where the result jumps that 15 digits cannot tell the sides apart, an engine may fall to either
side; that entry and all that read it are then held within what the jump is worth, and counted as `edges`. An
entry without a value, NaN in Python or a division by zero, must show a text or an error in the sheet, never a
number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, DecimalException, localcontext
from typing import TYPE_CHECKING, Self

from suanli.costing.expressions import Expression, Round, RoundUp, evaluate, parts, references
from suanli.costing.ledger import Input, Ledger, Line
from suanli.domain.money import round_half_up
from suanli_reports.workbook_grid import Grid, arrange
from suanli_reports.workbook_rules import input_rule, keeps_rule, never_zero
from suanli_reports.workbook_template import load_layout
from suanli_reports.workbook_text import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

    from suanli.proposal.contributions import RenderJob
    from suanli_reports.workbook_rows import Cell

__all__ = ["HALF_A_CENT", "Outcome", "Proof"]

HALF_A_CENT = Decimal("0.005")
RELATIVE = Decimal("1e-9")
"""How near entries that are not money must be, many of which are far below a cent."""
_EDGE = Decimal("1e-12")
"""Relative distance below which 15 digits, after some operations, no longer tell two numbers apart."""

Address = tuple[int, int, int]
"""Sheet, row and column, counted from 0."""


@dataclass(slots=True)
class Outcome:
    """What a comparison found."""

    cells: int = 0
    largest: Decimal = Decimal(0)
    """Largest difference of any cell that is no edge."""
    edges: int = 0
    undefined: int = 0
    wrong: list[str] = field(default_factory=list[str])

    def __iadd__(self, other: Outcome) -> Self:
        """Add the findings of another comparison."""
        self.cells += other.cells
        self.largest = max(self.largest, other.largest)
        self.edges += other.edges
        self.undefined += other.undefined
        self.wrong += other.wrong
        return self


@dataclass(frozen=True, slots=True)
class Proof:
    """One workbook: its ledger, where each entry stands, and what may be typed where."""

    ledger: Ledger
    grid: Grid
    language: str
    rules: Mapping[str, Mapping[str, object]]

    @classmethod
    def of(cls, job: RenderJob) -> Proof:
        """Return the proof of a rendering."""
        layout, ledger = load_layout(job), job.proposal.ledger
        positive = never_zero(ledger)
        rules = {
            entry.id: input_rule(entry, layout, job.language, positive=entry.id in positive)
            for entry in ledger.inputs
        }
        return cls(ledger, arrange(layout, ledger, job.language), job.language, rules)

    def place(self, entry: str) -> Address:
        """Return where an entry lives."""
        home = self.grid.homes[entry]
        return home.sheet, home.row, home.column

    def cells(self) -> Iterator[tuple[Address, Cell]]:
        """Yield every cell with a formula: entries and their repetitions, and texts that watch an amount."""
        inputs = {entry.id for entry in self.ledger.inputs}
        for number, sheet in enumerate(self.grid.sheets):
            for index, row in enumerate(sheet.rows):
                for cell in row.cells:
                    at = (number, index, cell.column)
                    typed = cell.entry in inputs and self.place(cell.entry) == at
                    if (cell.entry and not typed) or cell.issued is not None:
                        yield at, cell

    def allowed(self, entry: str, value: Decimal) -> bool:
        """Tell whether a value may be typed into an input."""
        return keeps_rule(value, self.rules[entry])

    def compare(self, shown: Callable[[Address], object], changed: Mapping[str, Decimal]) -> Outcome:
        """Hold every formula cell against the ledger.

        Args:
            shown: what the recalculated workbook shows in a cell.
            changed: inputs that were changed in it.
        """
        values = known_values(self.ledger, changed)
        slack = edges(self.ledger, values)
        found = Outcome()
        for at, cell in self.cells():
            found.cells += 1
            where = f"{self.grid.sheets[at[0]].name}!R{at[1] + 1}C{at[2] + 1} {cell.entry}"
            if cell.issued is not None:
                self._text(cell, values, shown(at), where, found)
            else:
                _number(values[cell.entry], slack.get(cell.entry), shown(at), where, found)
        return found

    def _text(
        self, cell: Cell, values: Mapping[str, Decimal | None], shown: object, where: str, found: Outcome
    ) -> None:
        """Hold a text that watches an amount against what the amount was when it was issued."""
        if cell.issued is None:
            return
        now, was = values[cell.issued.entry], self.ledger.values()[cell.issued.entry]
        same = now is not None and round_half_up(now - round_half_up(was)) == 0
        changed = say(self.grid.layout.messages["changed"], self.language, between=" / ")
        expected = cell.text if same else changed
        if shown != expected:
            found.wrong.append(f"{where}: {shown!r} in place of {expected!r}")


def _number(value: Decimal | None, slack: Decimal | None, shown: object, where: str, found: Outcome) -> None:
    number = isinstance(shown, int | float) and not isinstance(shown, bool)
    if value is None or not value.is_finite():
        found.undefined += 1
        if number:
            found.wrong.append(f"{where}: {shown!r} where nothing can be computed")
        return
    if not isinstance(shown, int | float) or isinstance(shown, bool):
        found.wrong.append(f"{where}: {shown!r} in place of {value}")
        return
    difference = abs(Decimal(repr(float(shown))) - value)
    allowed = min(HALF_A_CENT, RELATIVE * max(Decimal(1), abs(value)))
    if slack is not None:
        found.edges += 1
        allowed += slack
    else:
        found.largest = max(found.largest, difference)
    if difference > allowed:
        found.wrong.append(f"{where}: {shown!r} in place of {value}, {difference:.3g} apart")


def known_values(ledger: Ledger, changed: Mapping[str, Decimal]) -> dict[str, Decimal | None]:
    """Return the value of every entry, None where it or something behind it cannot be computed."""
    result: dict[str, Decimal | None] = {}
    for entry in ledger.entries:
        if isinstance(entry, Input):
            result[entry.id] = changed.get(entry.id, entry.value)
            continue
        read = {name: result[name] for name in references(entry.expression)}
        known = {name: value for name, value in read.items() if value is not None}
        try:
            result[entry.id] = evaluate(entry.expression, known) if len(known) == len(read) else None
        except DecimalException:
            result[entry.id] = None
    return result


def edges(ledger: Ledger, values: Mapping[str, Decimal | None]) -> dict[str, Decimal]:
    """Return how far each entry may be off because something behind it is rounded at an edge.

    The jump of one rounding is sent on by the change that it makes in each entry that reads it.
    """
    found: dict[str, Decimal] = {}
    for line in ledger.lines:
        known = {name: value for name in references(line.expression) if (value := values[name]) is not None}
        value = values[line.id]
        if value is None or not value.is_finite():
            continue
        slack = sum((_jump(node, known) for node in _roundings(line.expression)), Decimal(0))
        for name in known:
            if name in found:
                slack += _sent_on(line, name, known, found[name], value)
        if slack:
            # A share more, because two jumps at once may add up to more than each alone.
            found[line.id] = slack * Decimal("1.01")
    return found


def _roundings(node: Expression) -> Iterator[Round | RoundUp]:
    if isinstance(node, Round | RoundUp):
        yield node
    for part in parts(node):
        yield from _roundings(part)


def _jump(node: Round | RoundUp, known: Mapping[str, Decimal]) -> Decimal:
    """Return what a rounding jumps by where its argument lies on an edge, else 0."""
    with localcontext() as context:
        context.prec = 60
        places = node.places if isinstance(node, Round) else 0
        scaled = evaluate(node.of, known).scaleb(places)
        edge = Decimal("0.5") if isinstance(node, Round) else Decimal(0)
        distance = abs((abs(scaled) - edge) - (abs(scaled) - edge).to_integral_value())
        near = distance <= _EDGE * max(Decimal(1), abs(scaled))
        # An exact whole number is no edge of rounding up: engines keep it whole.
        exact = isinstance(node, RoundUp) and distance == 0
        return Decimal(1).scaleb(-places) if near and not exact else Decimal(0)


def _sent_on(line: Line, name: str, known: Mapping[str, Decimal], by: Decimal, value: Decimal) -> Decimal:
    ends = (evaluate(line.expression, {**known, name: known[name] + step}) for step in (by, -by))
    return max(abs(end - value) for end in ends)


def random_change(proof: Proof, entry: Input, random: Random) -> Decimal:
    """Return a value that may be typed into an input, near its own or at the end of what is allowed."""
    rule = proof.rules[entry.id]
    if rule["validate"] == "integer":
        most = min(int(str(rule["maximum"])), 3 * int(entry.value) + 5)
        return Decimal(random.randint(int(str(rule["minimum"])), most))
    if rule["criteria"] == "between" and rule["maximum"] == 1:
        return Decimal(random.randint(int(float(str(rule["minimum"])) > 0), 10_000)).scaleb(-4)
    factor = Decimal(random.randint(20, 400)).scaleb(-2)
    value = (entry.value * factor).quantize(Decimal(1).scaleb(-random.randint(0, 6)))
    return value if proof.allowed(entry.id, value) else entry.value


def random_changes(proof: Proof, random: Random, most: int = 8) -> dict[str, Decimal]:
    """Return new values of one or several inputs."""
    chosen = random.sample(proof.ledger.inputs, random.randint(1, most))
    return {entry.id: random_change(proof, entry, random) for entry in chosen}
