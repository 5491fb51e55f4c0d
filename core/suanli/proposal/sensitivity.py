"""How the recommended option's TCO moves with its inputs, one at a time, through the ledger itself."""

from __future__ import annotations

from decimal import Decimal

from suanli.costing.expressions import references
from suanli.costing.ledger import Input, Ledger, Line
from suanli.costing.variations import Variations
from suanli.domain.money import round_half_up
from suanli.proposal.model import SensitivityView

__all__ = ["sensitivities"]

_STEP = Decimal("0.10")
_SHOWN = 8
_COUNTED = {"quantities"}
"""Groups of inputs that the sizing gives; a tenth of a server is no question a reviewer asks."""


def sensitivities(key: str, ledger: Ledger) -> tuple[SensitivityView, ...]:
    """Return the inputs that move an option's TCO most when they move by ten percent, biggest first.

    Args:
        key: the option's key.
        ledger: the ledger; its entry ``{key}.tco.net`` is watched.
    """
    target = f"{key}.tco.net"
    variations = Variations(ledger, (target,))
    if not variations.base[target]:
        return ()
    views = [_view(entry, target, variations) for entry in _inputs_behind(target, ledger) if entry.value]
    moving = [view for view in views if view.spread]
    return tuple(sorted(moving, key=lambda view: (-view.spread, view.label.en))[:_SHOWN])


def _inputs_behind(target: str, ledger: Ledger) -> tuple[Input, ...]:
    entries = {entry.id: entry for entry in ledger.entries}
    pending, seen = [target], set[str]()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        entry = entries[name]
        if isinstance(entry, Line):
            pending.extend(references(entry.expression))
    return tuple(
        entry
        for entry in ledger.inputs
        if entry.id in seen and entry.group not in _COUNTED and entry.unit != "year"
    )


def _view(entry: Input, target: str, variations: Variations) -> SensitivityView:
    base = variations.base[target]
    low = variations.value(target, {entry.id: entry.value * (1 - _STEP)})
    high = variations.value(target, {entry.id: entry.value * (1 + _STEP)})
    return SensitivityView(
        label=entry.label,
        change=_STEP,
        low=round_half_up(low),
        high=round_half_up(high),
        spread=round_half_up(abs(high - low) / abs(base), 4),
    )
