"""Figures changed by hand: they stand in the ledger in place of what catalogue and sizing give.

A quantity goes into the bill of its option, a price into every bill that uses it, and whatever else a cost
sheet may change into the input itself; all lines follow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from suanli.costing.ledger import Input
from suanli.costing.lines import Costed, price_id, text
from suanli.domain.figure import Check, Confidence, Grade

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from decimal import Decimal

    from suanli.costing.ledger import Entry
    from suanli.domain.market import Price
    from suanli.domain.record import Text
    from suanli.domain.workload import HandEdit, Requirement
    from suanli.planning.results import BillItem, ClusterPlan

__all__ = ["EDITED_SOURCE", "edited_inputs", "edited_plan", "scoped", "unedited_plan"]

EDITED_SOURCE: Final = "edited-cost-sheet"
"""Source id of a price that was changed by hand."""


@dataclass(frozen=True, slots=True)
class _Hand:
    value: Decimal
    day: date


def scoped(entry_id: str, devices: Mapping[str, str]) -> tuple[str, str]:
    """Return an input's id without the letter of its option, and that option's device.

    >>> scoped("A.quantity.servers", {"A": "h100-sxm"}), scoped("price.switch", {"A": "h100-sxm"})
    (('quantity.servers', 'h100-sxm'), ('price.switch', ''))
    """
    key, _, rest = entry_id.partition(".")
    return (rest, devices[key]) if key in devices else (entry_id, "")


def _device(plan: ClusterPlan) -> str:
    return plan.sizing.device.accelerator.id


def edited_plan(plan: ClusterPlan, requirement: Requirement) -> ClusterPlan:
    """Return a plan with the edits of its option, its bill with the quantities and prices changed by hand."""
    if not requirement.edits:
        return plan
    own = tuple(edit for edit in requirement.edits if edit.accelerator == _device(plan))
    # Quantities of the bill are looked up under the ids of the ledger, where some lines share one.
    option = Costed("", plan, requirement, colocated=False, staffed=False)
    quantities = {f".{edit.input}": edit.value for edit in own}
    prices = {edit.input: _Hand(edit.value, edit.day) for edit in requirement.edits if not edit.accelerator}
    bill = tuple(
        _priced(_counted(item, quantities.get(option.quantity_of(item))), prices) for item in plan.bill
    )
    return replace(plan, bill=bill, edits=own)


def unedited_plan(plan: ClusterPlan) -> ClusterPlan:
    """Return a plan as it was before `edited_plan`."""
    return replace(plan, bill=tuple(_restored(item) for item in plan.bill), edits=())


def _restored(item: BillItem) -> BillItem:
    quantity = item.quantity if item.as_sized is None else item.as_sized
    return replace(item, quantity=quantity, as_sized=None, price=item.as_listed or item.price, as_listed=None)


def _counted(item: BillItem, quantity: Decimal | None) -> BillItem:
    if quantity is None or quantity == item.quantity:
        return item
    return replace(item, quantity=int(quantity), as_sized=item.quantity)


def _priced(item: BillItem, prices: Mapping[str, _Hand]) -> BillItem:
    if item.price is None:
        return item
    hand = prices.get(price_id(item.price.id))
    if hand is None:
        return item
    return replace(item, price=_edited_price(item.price, hand), as_listed=item.price)


def _edited_price(price: Price, hand: _Hand) -> Price:
    """Return a price changed by hand: whoever signs the cost sheet vouches for it, as for a quotation.

    Currency, unit and VAT stay those of the price that the sheet shows.
    """
    return price.model_copy(
        update={
            "amount": hand.value,
            "low": None,
            "high": None,
            "dated": hand.day.isoformat(),
            "valid_from": hand.day,
            "valid_to": hand.day,
            "source": EDITED_SOURCE,
            "confidence": Confidence.QUOTE,
            "check": Check.DIRECT,
        }
    )


def edited_inputs(
    entries: Iterable[Entry], options: Sequence[Costed], requirement: Requirement
) -> tuple[Entry, ...]:
    """Return the entries of a ledger with the inputs that were changed by hand.

    Args:
        entries: inputs and lines.
        options: the options; each carries the edits of its own figures.
        requirement: carries the edits that all options share.
    """
    hands = {edit.input: edit for edit in requirement.edits if not edit.accelerator}
    for option in options:
        hands |= {option.id(edit.input): edit for edit in option.plan.edits}
    days = requirement.commercial.price_validity_days
    return tuple(
        _edited(entry, hands[entry.id], days) if isinstance(entry, Input) and entry.id in hands else entry
        for entry in entries
    )


def _edited(entry: Input, hand: HandEdit, validity_days: int) -> Input:
    """Return an input with the value of the cost sheet; a range of its source is no range of this value."""
    changed = replace(entry, value=hand.value, low=None, high=None, source="", grade=Grade.DIRECT)
    if hand.accelerator:
        # The bill already has the quantity; what it was before, the note says.
        return replace(changed, note=_note(entry.note))
    return replace(
        changed,
        source=EDITED_SOURCE,
        dated=hand.day.isoformat(),
        stale=False,
        valid_to=hand.day + timedelta(days=validity_days),
    )


def _note(note: Text | None) -> Text:
    """Return a note that begins by saying that the figure was changed by hand."""
    mark = text("人工改动", "changed by hand")
    if note is None or note.zh.startswith(mark.zh):
        return note or mark
    return text(f"{mark.zh}；{note.zh}", f"{mark.en}; {note.en}")
