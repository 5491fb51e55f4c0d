"""A ledger evaluated where inputs change says what the whole ledger says."""

from __future__ import annotations

from decimal import Decimal, DecimalException
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.built_in import proposal

from suanli.costing.expressions import InternalRate
from suanli.costing.variations import Variations

if TYPE_CHECKING:
    from suanli.costing.ledger import Ledger


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return proposal("lora-13b").ledger


@given(place=st.integers(0, 10_000), factor=st.sampled_from(["0", "0.9", "1", "1.1", "-3"]))
def test_changed_entries_are_those_of_the_whole_ledger(ledger: Ledger, place: int, factor: str) -> None:
    entry = ledger.inputs[place % len(ledger.inputs)]
    change = {entry.id: entry.value * Decimal(factor)}
    variations = Variations(ledger)
    try:
        whole = ledger.values(change)
    except DecimalException:
        with pytest.raises(DecimalException):
            variations.changed(change)
        return
    found = variations.changed(change)
    rates = {line.id for line in ledger.lines if isinstance(line.expression, InternalRate)}
    expected = {name: value for name, value in whole.items() if value != variations.base[name]}
    assert {name: found[name] for name in found if name not in rates} == {
        name: expected[name] for name in expected if name not in rates
    }


def test_one_entry_is_found_without_the_lines_that_it_does_not_need(ledger: Ledger) -> None:
    target = next(line.id for line in ledger.lines if line.id.endswith(".tco.net"))
    variations = Variations(ledger, (target,))
    moved = 0
    for entry in ledger.inputs[:60]:
        change = {entry.id: entry.value * 2}
        assert variations.value(target, change) == ledger.values(change)[target]
        moved += variations.value(target, change) != variations.base[target]
    assert moved > 5


def test_what_is_no_input_cannot_be_changed(ledger: Ledger) -> None:
    with pytest.raises(KeyError, match="no ledger input"):
        Variations(ledger).changed({ledger.lines[0].id: Decimal(1)})
