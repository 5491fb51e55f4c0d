"""The distribution of costs of every option that has a total, rounded for the document."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.uncertainty import uncertainty
from suanli.domain.money import round_half_up
from suanli.proposal.model import DriverView, Shown, UncertaintyView
from suanli.proposal.rounding import places, share, significant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.costing.ledger import Ledger, Line
    from suanli.costing.uncertainty import Driver, Uncertainty
    from suanli.estimation.results import Range

__all__ = ["uncertainty_views"]

_LINES = ("capex.gross", "tco.net", "tco.discounted", "cost.billion_tokens")
_SHOWN = 8
_DIGITS = 4
"""Significant digits of a quantile: more would be noise of the draws."""


def uncertainty_views(
    keys: Sequence[str], ledger: Ledger, compared: Sequence[str] | None = None
) -> Mapping[str, UncertaintyView]:
    """Return the distribution of each option's costs; all options see the same draws.

    Args:
        keys: options that have a total.
        ledger: the ledger with their lines.
        compared: those of them that may be chosen, of which the cheapest is counted; None for all.
    """
    known = {line.id: line for line in ledger.lines}
    owned = [key for key in keys if f"{key}.tco.net" in known]
    if not owned:
        return {}
    totals = [f"{key}.tco.net" for key in owned]
    targets = [f"{key}.{name}" for key in owned for name in _LINES if f"{key}.{name}" in known]
    rivals = [f"{key}.tco.net" for key in owned if compared is None or key in compared]
    found = uncertainty(ledger, targets, rivals if len(rivals) > 1 else (), totals)
    values = ledger.values()
    return {key: _view(key, found, known, ledger.currency, values[f"{key}.tco.net"]) for key in owned}


def _view(
    key: str, found: Uncertainty, known: Mapping[str, Line], currency: str, base: Decimal
) -> UncertaintyView:
    def figure(name: str) -> Shown:
        line = f"{key}.{name}"
        return _quantiles(found.ranges[line], currency, incomplete=known[line].incomplete)

    tokens = f"{key}.cost.billion_tokens"
    total = f"{key}.tco.net"
    return UncertaintyView(
        draws=found.draws,
        seed=found.seed,
        capex_gross=figure("capex.gross"),
        tco=figure("tco.net"),
        tco_discounted=figure("tco.discounted"),
        per_billion_tokens=figure("cost.billion_tokens") if tokens in found.ranges else None,
        cheapest=share(found.cheapest[total]) if total in found.cheapest else None,
        base=base,
        drivers=tuple(_driver(one, float(base)) for one in found.drivers[total][:_SHOWN]),
    )


def _quantiles(figure: Range, currency: str, *, incomplete: bool) -> Shown:
    """Return P50 with its range, each at a few significant digits."""
    low, middle, high = (_amount(value) for value in (figure.p10, figure.p50, figure.p90))
    return Shown(value=middle, unit=currency, low=low, high=high, incomplete=incomplete)


def _amount(value: float) -> Decimal:
    """Return an amount at four significant digits, whole places before the point included."""
    rounded = significant(value, _DIGITS)
    excess = rounded.adjusted() + 1 - _DIGITS
    if excess <= 0:
        return rounded
    # An integer again, because documents and data print no exponents.
    return Decimal(int(round_half_up(rounded.scaleb(-excess), 0).scaleb(excess)))


def _driver(one: Driver, base: float) -> DriverView:
    spread = one.spread
    return DriverView(
        label=spread.label,
        basis=spread.basis.replace(" ", "-"),
        low_ratio=places(spread.p10 / spread.value, 3),
        high_ratio=places(spread.p90 / spread.value, 3),
        at_low=_amount(one.low),
        at_high=_amount(one.high),
        # Each at its own digits: the difference of two rounded totals would be noise for a weak driver.
        low_change=_amount(one.low - base),
        high_change=_amount(one.high - base),
        swing=_amount(one.swing),
    )
