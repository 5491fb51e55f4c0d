"""As many options as a sweep yields: the sample's, again and again, each with figures of its own."""

from __future__ import annotations

from decimal import Decimal
from itertools import cycle, islice
from string import ascii_uppercase
from typing import TYPE_CHECKING

from suanli.domain.record import Text

if TYPE_CHECKING:
    from suanli.proposal.model import Option, Proposal

__all__ = ["with_many_options"]


def _key(index: int) -> str:
    """Return A to Z, then AA, AB and on."""
    lead = ascii_uppercase[index // 26 - 1] if index >= 26 else ""
    return f"{lead}{ascii_uppercase[index % 26]}"


def _renamed(option: Option, index: int) -> Option:
    name = f"{option.accelerator_name.en} no. {index + 1}"
    changes: dict[str, object] = {"key": _key(index), "accelerator_name": Text(zh=name, en=name)}
    if option.days is not None and index:
        # Every fourth duration returns, so that there are ties.
        value = option.days.value + Decimal(index % 10)
        changes["days"] = option.days.model_copy(update={"value": value})
    return option.model_copy(update=changes)


def with_many_options(proposal: Proposal, count: int = 40) -> Proposal:
    """Return the proposal with a number of options; the first is the recommended one."""
    first, *others = proposal.options
    found = [first, *islice(cycle(others), count - 1)]
    return proposal.model_copy(
        update={"options": tuple(_renamed(option, index) for index, option in enumerate(found))}
    )
