"""Options that another one beats in both time and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from suanli.proposal.model import Option

__all__ = ["with_dominance"]


def with_dominance(option: Option, others: Iterable[Option]) -> Option:
    """Return an option with the key of one that dominates it: no slower, no dearer, better in one.

    Args:
        option: the option; one without days or money is dominated by none.
        others: those open to choice.
    """
    own = _place(option)
    if own is None:
        return option
    for other in others:
        found = _place(other)
        if found is not None and found != own and found[0] <= own[0] and found[1] <= own[1]:
            return option.model_copy(update={"dominated_by": other.key})
    return option


def _place(option: Option) -> tuple[Decimal, Decimal] | None:
    """Return days and total cost; None where one of them is unknown."""
    if option.days is None or option.money is None:
        return None
    return option.days.value, option.money.tco_net.value
