"""The steps from the servers to the total cost of ownership, each from where to where it runs."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from suanli.costing.lines import CATEGORY_NAMES
from suanli.domain.record import Text
from suanli.proposal.model import WaterfallStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from suanli.proposal.model import CategoryTotal, TcoRow

__all__ = ["waterfall_steps"]

_CAPEX: Final = Text(zh="一次性投资（不含税）", en="Purchase, net")
_TCO: Final = Text(zh="总拥有成本（不含税）", en="Total cost of ownership, net")


def waterfall_steps(blocks: Iterable[CategoryTotal], cash: Sequence[TcoRow]) -> tuple[WaterfallStep, ...]:
    """Return the blocks of the purchase, its sum, the rows of operation, and the total cost.

    What is zero is left out; the residual value, which is negative in the cash view, runs back.

    Args:
        blocks: the purchase by block.
        cash: the cash view; its first row is the purchase.
    """
    bought = [(block.category.value, CATEGORY_NAMES[block.category], block.net) for block in blocks]
    rows = [row for row in cash if row.style == "row"]
    run = [(row.key, row.label, row.total) for row in rows[1:]]
    steps = _chained(bought, Decimal(0))
    capex = steps[-1].end if steps else Decimal(0)
    steps.append(WaterfallStep(key="capex", label=_CAPEX, start=Decimal(0), end=capex, total=True))
    steps += _chained(run, capex)
    end = steps[-1].end
    steps.append(WaterfallStep(key="tco", label=_TCO, start=Decimal(0), end=end, total=True))
    return tuple(steps)


def _chained(parts: Iterable[tuple[str, Text, Decimal]], start: Decimal) -> list[WaterfallStep]:
    """Return steps that each start where the one before ended."""
    steps: list[WaterfallStep] = []
    for key, label, amount in parts:
        if amount:
            steps.append(WaterfallStep(key=key, label=label, start=start, end=start + amount))
            start += amount
    return steps
