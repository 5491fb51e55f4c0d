"""Units in which a reader expects a figure: hours rather than 0.685 days, kilograms rather than 0.05 t.

The model keeps one unit for each quantity, so that options and files compare. A document writes small
figures in a smaller unit and long times in a larger one. Figures that stand in one row, or in one sentence,
share their unit; a conversion moves the figure and its range and keeps the significant digits.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, TypeVar

from suanli.proposal.model import ExpansionView, Option, Proposal, Shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from suanli.domain.record import Part
    from suanli.proposal.model import ClaimView, RiskView

__all__ = ["converted", "displayed", "fitting_unit", "value_at"]

_LADDERS: tuple[dict[str, Decimal], ...] = (
    {"s": Decimal(1), "min": Decimal(60), "h": Decimal(3600), "day": Decimal(86_400)},
    {"kg": Decimal(1), "t": Decimal(1000)},
    {"kWh": Decimal(1), "MWh": Decimal(1000), "GWh": Decimal(10**6)},
    {"MB": Decimal(1), "GB": Decimal(1000), "TB": Decimal(10**6), "PB": Decimal(10**9)},
    {"MB/s": Decimal(1), "GB/s": Decimal(1000), "TB/s": Decimal(10**6)},
    {"W": Decimal(1), "kW": Decimal(1000), "MW": Decimal(10**6)},
)
"""Units of one quantity, smallest first, each in the smallest."""
_TOO_LARGE = Decimal(10_000)
"""A unit in which the largest figure of a row reaches this does not suit the row."""
_MANY_HOURS = Decimal(1000)
"""Hours from which a time is told in days."""
_MANY_TIMES = Decimal(2)
"""Share of a peak from which it is told as a multiple."""
_LEAST_DIGITS = 2

_ROWS: tuple[tuple[str, ...], ...] = (
    ("days", "ideal_days", "untuned_days", "bound_days"),
    ("energy.per_run",),
    ("energy.per_year",),
    ("energy.carbon_per_run",),
    ("energy.carbon_per_year",),
    ("storage.dataset",),
    ("storage.checkpoint", "goodput.checkpoint"),
    ("storage.capacity",),
    ("storage.write", "storage.read"),
    ("goodput.mtbf_h",),
    ("goodput.interval_min",),
    ("goodput.write_s",),
    ("power.server_peak", "power.server_training"),
    ("power.it_peak", "power.it_training", "power.facility_peak"),
)
"""Paths of an option whose figures share a unit, over all options."""


P = TypeVar("P", bound="Part")


def _ladder(unit: str) -> dict[str, Decimal]:
    none: dict[str, Decimal] = {}
    return next((ladder for ladder in _LADDERS if unit in ladder), none)


def value_at(thing: object, path: str) -> object:
    """Return the value at a path of attributes, None where a part of the path is None."""
    for name in path.split("."):
        if thing is None:
            return None
        thing = getattr(thing, name)
    return thing


def fitting_unit(figures: Iterable[Shown]) -> str:
    """Return the unit that suits all figures of a row, empty where they have none in common.

    The largest unit in which the smallest figure is at least 1; the figures keep theirs where that already
    holds, or where the largest of them would become unreadable.

    >>> fitting_unit([Shown(value=Decimal("0.685"), unit="day"), Shown(value=Decimal("1.06"), unit="day")])
    'h'
    >>> fitting_unit([Shown(value=Decimal("86.3"), unit="day")])
    'day'
    """
    rows = list(figures)
    units = {shown.unit for shown in rows}
    if len(units) != 1:
        return ""
    own = units.pop()
    ladder = _ladder(own)
    sizes = [abs(shown.value) * ladder[own] for shown in rows if shown.value] if ladder else []
    if not sizes:
        return own
    if own == "h" and min(sizes) >= _MANY_HOURS * ladder[own]:
        return "day"
    smaller = [unit for unit, size in ladder.items() if size < ladder[own] and size <= min(sizes)]
    if min(sizes) >= ladder[own] or not smaller or max(sizes) >= _TOO_LARGE * ladder[smaller[-1]]:
        return own
    return smaller[-1]


def converted(shown: Shown, unit: str) -> Shown:
    """Return a figure in another unit of its ladder, with as many significant digits as it has.

    >>> converted(Shown(value=Decimal("0.685"), unit="day", low=Decimal("0.570")), "h").value
    Decimal('16.4')
    """
    ladder = _ladder(shown.unit)
    if unit == shown.unit or unit not in ladder:
        return shown
    factor = ladder[shown.unit] / ladder[unit]
    digits = max(_LEAST_DIGITS, len(shown.value.as_tuple().digits))
    value = shown.value * factor
    step = Decimal(1).scaleb(-max(0, digits - 1 - value.adjusted()))

    def moved(end: Decimal | None) -> Decimal | None:
        return None if end is None else (end * factor).quantize(step, ROUND_HALF_UP)

    update = {
        "value": value.quantize(step, ROUND_HALF_UP),
        "low": moved(shown.low),
        "high": moved(shown.high),
        "unit": unit,
    }
    return shown.model_copy(update=update)


def displayed(proposal: Proposal) -> Proposal:
    """Return a proposal as a document shows it: the same figures in the units that a reader expects."""
    units = {path: unit for row in _ROWS for path, unit in _row_units(proposal, row).items()}
    options = tuple(_option(option, units) for option in proposal.options)
    day, hour = units.get("days", ""), units.get("goodput.mtbf_h", "")
    risks = tuple(_risk(risk, {"day": day, "h": hour}) for risk in proposal.risks)
    return proposal.model_copy(
        update={"options": options, "claims": _claims(proposal.claims), "risks": risks}
    )


def _row_units(proposal: Proposal, row: tuple[str, ...]) -> dict[str, str]:
    found = (value_at(option, path) for option in proposal.options for path in row)
    unit = fitting_unit(shown for shown in found if isinstance(shown, Shown))
    return dict.fromkeys(row, unit)


def _option(option: Option, units: dict[str, str]) -> Option:
    update: dict[str, object] = {}
    for path, unit in units.items():
        shown = value_at(option, path)
        if not isinstance(shown, Shown) or not unit or unit == shown.unit:
            continue
        part, _, name = path.rpartition(".")
        if part:
            holder = update.get(part, getattr(option, part))
            update[part] = holder.model_copy(update={name: converted(shown, unit)})  # type: ignore[attr-defined]
        else:
            update[path] = converted(shown, unit)
    update["remedies"] = tuple(
        remedy.model_copy(update={"value": _alone(remedy.value)}) for remedy in option.remedies
    )
    update["shortfall"] = _alike(option.shortfall)
    if option.expansion is not None:
        update["expansion"] = _expansion(option.expansion, units.get("days", ""))
    return option.model_copy(update=update)


_STAGE_ROWS = (
    ("facility_peak",),
    ("rack_power_left",),
    ("storage_capacity",),
    ("storage_write", "storage_read"),
)
"""Figures of the sizes of a cluster that share a unit over all sizes."""


def _expansion(expansion: ExpansionView, day: str) -> ExpansionView:
    """Return the growth of a cluster with its times in the unit of the options' times, each row in one."""
    units = {"days": day}
    for row in _STAGE_ROWS:
        found = [value_at(stage, name) for stage in expansion.stages for name in row]
        units |= dict.fromkeys(row, fitting_unit(shown for shown in found if isinstance(shown, Shown)))
    peaks = [form.facility_peak for form in expansion.forms if form.facility_peak is not None]
    forms = {"days": day, "facility_peak": fitting_unit(peaks)}
    return expansion.model_copy(
        update={
            "stages": tuple(_in_units(stage, units) for stage in expansion.stages),
            "forms": tuple(_in_units(form, forms) for form in expansion.forms),
        }
    )


def _in_units(part: P, units: dict[str, str]) -> P:
    """Return a part of the model with its named figures in units."""
    found = {name: value_at(part, name) for name, unit in units.items() if unit}
    moved = {name: converted(value, units[name]) for name, value in found.items() if isinstance(value, Shown)}
    return part.model_copy(update=moved)


def _alone(shown: Shown | None) -> Shown | None:
    return None if shown is None else converted(shown, fitting_unit((shown,)))


def _alike(pair: tuple[Shown, Shown] | None) -> tuple[Shown, Shown] | None:
    if pair is None:
        return None
    unit = fitting_unit(pair)
    return converted(pair[0], unit), converted(pair[1], unit)


def _risk(risk: RiskView, units: dict[str, str]) -> RiskView:
    numbers = {name: converted(shown, units.get(shown.unit, "")) for name, shown in risk.numbers.items()}
    return risk.model_copy(update={"numbers": numbers})


def _claims(claims: tuple[ClaimView, ...]) -> tuple[ClaimView, ...]:
    times = [shown for claim in claims for shown in (claim.days, claim.right_days) if shown is not None]
    unit = fitting_unit(times)
    return tuple(_claim(claim, lambda shown: converted(shown, unit)) for claim in claims)


def _claim(claim: ClaimView, move: Callable[[Shown], Shown]) -> ClaimView:
    """Return a claim in its unit of time, with an impossible share of the peak as a multiple."""
    share = claim.implied_mfu
    if share is not None and share.unit == "share" and share.value >= _MANY_TIMES:
        share = share.model_copy(update={"unit": "times"})
    times = {
        name: None if shown is None else move(shown)
        for name, shown in (("days", claim.days), ("right_days", claim.right_days))
    }
    return claim.model_copy(update={**times, "implied_mfu": share})
