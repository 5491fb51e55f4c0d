"""Risks that the figures show; each is a key with its numbers, the text is the template's."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.vendor import Deliverability
from suanli.proposal.model import Option, RiskLevel, RiskView, Shown, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.workload import Requirement

__all__ = ["risks"]

_LOW_HEADROOM = Decimal("0.10")
"""Share of usable memory below which a longer sequence or another allocator ends in out-of-memory."""
_MUCH_COMMUNICATION = Decimal("0.25")
"""Share of a step beyond which the network decides the duration."""
_WIDE_RANGE = Decimal("0.40")
"""P90 less P10 over P50 beyond which a deadline should not be promised on the median."""


def risks(options: tuple[Option, ...], requirement: Requirement) -> tuple[RiskView, ...]:
    """Return the risks of the recommended option first, then what concerns the other options.

    Args:
        options: all options.
        requirement: the project.
    """
    found: list[RiskView] = []
    for option in options:
        if option.verdict is Verdict.RECOMMENDED:
            # What may stop the project goes before what only costs time or money: a summary shows the first.
            found[:0] = (
                *_of_supply(option),
                *_of_site(option),
                *_of_sizing(option),
                *_of_money(option),
            )
        else:
            found += _of_supply(option)
    if requirement.model.origin == "parameters":
        found.append(RiskView(key="assumed-shape", level=RiskLevel.MEDIUM))
    if all(option.verdict is not Verdict.RECOMMENDED for option in options):
        found.insert(0, RiskView(key="no-recommendation", level=RiskLevel.HIGH))
    return tuple(
        sorted(found, key=lambda risk: (risk.level is not RiskLevel.HIGH, risk.level is RiskLevel.LOW))
    )


def _of_sizing(option: Option) -> list[RiskView]:
    """Return the risks that the estimate shows, in the order of the document."""
    found = (*_of_duration(option), *_of_layout(option), *_of_failures(option))
    borrowed = RiskView(key="borrowed-figures", level=RiskLevel.MEDIUM, option=option.key)
    return [*found, borrowed] if option.borrowed else [*found]


def _of_duration(option: Option) -> Iterator[RiskView]:
    """Yield how far the duration may miss, by its range and by who runs the stack."""
    days = option.days
    if days is None:
        return
    if days.low and days.high:
        width = (days.high - days.low) / days.value
        level = RiskLevel.HIGH if width > _WIDE_RANGE else RiskLevel.MEDIUM
        numbers = {"days": days}
        yield RiskView(key="duration-range", level=level, option=option.key, numbers=numbers, refs=days.refs)
    if option.untuned_days and option.untuned_days.value > days.value:
        numbers = {"days": days, "untuned": option.untuned_days}
        yield RiskView(key="untuned-team", level=RiskLevel.HIGH, option=option.key, numbers=numbers)


def _of_layout(option: Option) -> Iterator[RiskView]:
    """Yield where the layout leaves little memory, or waits much for the network."""
    headroom, waiting = option.memory_headroom, option.communication_share
    if headroom is not None and headroom < _LOW_HEADROOM:
        numbers = {"headroom": Shown(value=headroom, unit="share")}
        yield RiskView(key="memory-headroom", level=RiskLevel.MEDIUM, option=option.key, numbers=numbers)
    if waiting is not None and waiting > _MUCH_COMMUNICATION:
        numbers = {"share": Shown(value=waiting, unit="share")}
        yield RiskView(key="communication", level=RiskLevel.MEDIUM, option=option.key, numbers=numbers)


def _of_failures(option: Option) -> Iterator[RiskView]:
    """Yield how often the run is interrupted; less than once is a low risk."""
    goodput = option.goodput
    if goodput is not None:
        yield RiskView(
            key="interruptions",
            level=RiskLevel.LOW if goodput.interruptions.value < 1 else RiskLevel.MEDIUM,
            option=option.key,
            numbers={"interruptions": goodput.interruptions, "mtbf": goodput.mtbf_h},
            refs=goodput.mtbf_h.refs,
        )


def _of_money(option: Option) -> list[RiskView]:
    found: list[RiskView] = []
    if option.money is None:
        return found
    counts = (
        ("unpriced-lines", len(option.money.unpriced), RiskLevel.HIGH),
        ("stale-prices", option.money.stale_prices, RiskLevel.HIGH),
        ("weak-prices", option.money.weak_prices, RiskLevel.MEDIUM),
    )
    for key, count, level in counts:
        if count:
            numbers = {"count": Shown(value=Decimal(count), unit="count")}
            found.append(RiskView(key=key, level=level, option=option.key, numbers=numbers))
    return found


def _of_site(option: Option) -> list[RiskView]:
    found: list[RiskView] = []
    if option.power is None:
        return [RiskView(key="power-unknown", level=RiskLevel.HIGH, option=option.key)]
    numbers = {"power": option.power.server_training}
    if option.power.estimated:
        found.append(
            RiskView(key="power-estimated", level=RiskLevel.MEDIUM, option=option.key, numbers=numbers)
        )
    part = option.power.rack_part
    if option.power.over_rack_limit and part is not None:
        numbers = {"power": part, "rack": option.power.rack_limit or option.power.rack_power}
        found.append(RiskView(key="rack-limit", level=RiskLevel.HIGH, option=option.key, numbers=numbers))
    return found


def _of_supply(option: Option) -> list[RiskView]:
    status = option.compliance.deliverability
    keys = {
        Deliverability.BARRED: "delivery-barred",
        Deliverability.LICENCE: "delivery-licence",
        Deliverability.UNKNOWN: "delivery-unknown",
    }
    if status not in keys:
        return []
    # What is unknown of another option costs a choice; of the recommended one it may cost the project.
    grave = status is not Deliverability.UNKNOWN or option.verdict is Verdict.RECOMMENDED
    level = RiskLevel.HIGH if grave else RiskLevel.MEDIUM
    texts = {"accelerator": option.accelerator_name}
    return [
        RiskView(key=keys[status], level=level, option=option.key, texts=texts, refs=option.compliance.refs)
    ]
