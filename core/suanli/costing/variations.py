"""A ledger evaluated once, and again where inputs change, at the cost of the lines that depend on them."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from suanli.costing.expressions import evaluated, exact_context, references
from suanli.costing.ledger import Input

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from decimal import Decimal

    from suanli.costing.ledger import Ledger

__all__ = ["Variations"]


class Variations:
    """What a ledger says with other inputs; the same as `Ledger.values`, entry by entry."""

    def __init__(self, ledger: Ledger, targets: Iterable[str] = ()) -> None:
        """Evaluate a ledger.

        Args:
            ledger: the ledger.
            targets: entries that will be asked for, all where empty; lines that none needs are left out.
        """
        self.base = ledger.values()
        self._inputs = {entry.id for entry in ledger.entries if isinstance(entry, Input)}
        read = {line.id: references(line.expression) for line in ledger.lines}
        needed = _needed(targets, read) or set(self.base)
        self._lines = tuple(line for line in ledger.lines if line.id in needed)
        self._readers: dict[str, list[int]] = {}
        for place, line in enumerate(self._lines):
            for name in read[line.id]:
                self._readers.setdefault(name, []).append(place)

    def changed(self, inputs: Mapping[str, Decimal]) -> dict[str, Decimal]:
        """Return the entries that other inputs change, themselves included, with their new values.

        Raises:
            KeyError: something is named that is no input.
            decimal.DecimalException: a formula cannot be computed with them.
        """
        unknown = sorted(set(inputs) - self._inputs)
        if unknown:
            raise KeyError(f"no ledger input named {', '.join(unknown)}")
        moved = {name: value for name, value in inputs.items() if value != self.base[name]}
        values = self.base | moved
        # Places of lines to compute, the earliest first: a line reads earlier ones only.
        waiting = [place for name in moved for place in self._readers.get(name, ())]
        heapq.heapify(waiting)
        last = -1
        with exact_context():
            while waiting:
                place = heapq.heappop(waiting)
                if place == last:
                    continue
                last, line = place, self._lines[place]
                value = evaluated(line.expression, values)
                # Not a number equals nothing, itself neither: it moves on, which costs time and no more.
                if value != self.base[line.id]:
                    values[line.id] = moved[line.id] = value
                    for reader in self._readers.get(line.id, ()):
                        heapq.heappush(waiting, reader)
        return moved

    def value(self, target: str, inputs: Mapping[str, Decimal]) -> Decimal:
        """Return one entry with other inputs."""
        return self.changed(inputs).get(target, self.base[target])


def _needed(targets: Iterable[str], read: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return what some entries are computed from, themselves included."""
    needed, pending = set[str](), list(targets)
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += read.get(name, ())
    return needed
