"""The acceptance plan of an option, rounded so that a pass value is never stricter than the plan's.

One whose test decides another is rounded the other way, so that passing the first is passing the second.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_GB
from suanli.planning.acceptance.plan import plan_acceptance
from suanli.planning.acceptance.results import BoundKind
from suanli.proposal.model.acceptance import AllowanceView, RungView, TestView
from suanli.proposal.model.figures import Shown
from suanli.proposal.rounding import share, shown, significant

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.record import Text
    from suanli.domain.workload import Requirement
    from suanli.planning.acceptance.results import Allowance, Bound, PlannedTest, Rung
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.references import References

__all__ = ["acceptance_view"]

_DIGITS = 3
_MB_PER_GB = 1000.0


def acceptance_view(
    plan: ClusterPlan, requirement: Requirement, catalogue: Catalogue, references: References
) -> tuple[TestView, ...]:
    """Return the tests of an option in order of phase, with pass values, expected ranges and commands."""
    tests = plan_acceptance(plan, requirement, catalogue)
    names = {item.test.id: item.test.name for item in tests}
    return tuple(_test(item, names, plan, references) for item in tests)


def _test(item: PlannedTest, names: dict[str, Text], plan: ClusterPlan, references: References) -> TestView:
    test, bound = item.test, item.bound
    return TestView(
        id=test.id,
        name=test.name,
        phase=test.phase,
        basis=test.basis,
        tool=test.tool,
        procedure=test.procedure,
        command=_command(item, plan),
        ranks_per_node=_per_node(plan),
        sizes=test.sizes,
        metric=test.metric,
        pass_rule=test.pass_rule,
        sample=test.sample,
        prerequisites=tuple(names[one] for one in test.prerequisites if one in names),
        threshold=_threshold(bound),
        bound=bound.kind,
        at_most=bound.at_most,
        expected=_expected(bound),
        upper=_shown(bound.high, bound.unit) if bound.low is None and bound.high is not None else None,
        share_of_peak=None if bound.share_of_peak is None else share(bound.share_of_peak),
        rungs=tuple(_rung(rung) for rung in item.rungs),
        allowance=None if item.allowance is None else _allowance(item.allowance, references),
        script=test.script,
        refs=_refs(item, plan, references),
    )


def _refs(item: PlannedTest, plan: ClusterPlan, references: References) -> tuple[str, ...]:
    """Return the source of a published value alone where it decides, else that of the procedure."""
    test = item.test
    figure = test.published.get(plan.sizing.device.accelerator.id) or test.threshold
    published = references.figure(figure) if item.bound.kind is BoundKind.PUBLISHED else ()
    return tuple(dict.fromkeys((*references.source(test.source or ""), *published)))


def _command(item: PlannedTest, plan: ClusterPlan) -> str:
    """Return the command with the counts of the cluster; ranks are devices as software sees them."""
    per_node, nodes = _per_node(plan), plan.sizing.nodes
    return (
        item.test.command.replace("{per_node}", str(per_node))
        .replace("{ranks}", str(nodes * per_node))
        .replace("{nodes}", str(nodes))
    )


def _per_node(plan: ClusterPlan) -> int:
    device = plan.sizing.device
    return device.server.accelerator_count * device.accelerator.dies


def _lenient(value: float, *, at_most: bool) -> Decimal:
    """Return a pass value at three digits, rounded to the side on which the plan's own figure passes.

    >>> _lenient(281.29, at_most=False), _lenient(281.29, at_most=True), _lenient(10200.0, at_most=False)
    (Decimal('281'), Decimal('282'), Decimal('10200'))
    """
    if value == 0:
        return Decimal(0)
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(abs(value))))
    scaled = Decimal(repr(value)).scaleb(decimals)
    whole = scaled.to_integral_value("ROUND_CEILING" if at_most else "ROUND_FLOOR")
    return whole.scaleb(-decimals)


def _threshold(bound: Bound) -> Shown | None:
    if bound.threshold is None:
        return None
    if bound.kind is BoundKind.PUBLISHED or bound.unit == "PUE":
        return Shown(value=_plain(bound.threshold), unit=bound.unit)
    value, unit = bound.threshold, bound.unit
    if unit == "GB/s" and value < 1:
        value, unit = value * _MB_PER_GB, "MB/s"
    return Shown(value=_lenient(value, at_most=bound.at_most or bound.rounded_up), unit=unit)


def _plain(value: float) -> Decimal:
    """Return a value as it was published, without an exponent.

    >>> _plain(500.0), _plain(1.25)
    (Decimal('500'), Decimal('1.25'))
    """
    return Decimal(f"{Decimal(repr(value)).normalize():f}")


def _expected(bound: Bound) -> Shown | None:
    if bound.low is None or bound.high is None:
        return None
    low = _lenient(bound.low, at_most=False)
    return Shown(value=low, unit=bound.unit, low=low, high=significant(bound.high, _DIGITS))


def _shown(value: float, unit: str) -> Shown:
    return shown(value, unit, digits=_DIGITS)


def _rung(rung: Rung) -> RungView:
    return RungView(
        nodes=rung.nodes,
        ranks=rung.ranks,
        line=_shown(rung.line_bytes_per_s / BYTES_PER_GB, "GB/s"),
        expected=_shown(rung.expected_bytes_per_s / BYTES_PER_GB, "GB/s"),
        threshold=Shown(
            value=_lenient(rung.threshold_bytes_per_s / BYTES_PER_GB, at_most=False), unit="GB/s"
        ),
        unhealthy=_shown(rung.unhealthy_bytes_per_s / BYTES_PER_GB, "GB/s"),
    )


def _allowance(item: Allowance, references: References) -> AllowanceView:
    formula = (references.formula("goodput"),)
    return AllowanceView(
        hours=_shown(item.hours, "h"),
        mtbf=_shown(item.mtbf_hours, "h"),
        expected=shown(item.expected, "count", digits=2, refs=formula),
        allowed=item.allowed,
        detected_factor=shown(item.detected_factor, "times", digits=2),
    )
