"""The acceptance plan of an option as it is shown."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Part, Text
from suanli.domain.vendor import AcceptanceBasis, AcceptancePhase
from suanli.planning.acceptance.results import BoundKind
from suanli.proposal.model.figures import Shown

__all__ = ["AllowanceView", "RungView", "TestView"]


class RungView(Part):
    """Bus bandwidth of one number of servers, in GB/s for each rank."""

    nodes: int
    ranks: int
    line: Shown
    expected: Shown
    threshold: Shown
    unhealthy: Shown


class AllowanceView(Part):
    """Interruptions that a test of a length allows."""

    hours: Shown
    mtbf: Shown
    expected: Shown
    allowed: int
    detected_factor: Shown


class TestView(Part):
    """An acceptance test."""

    __test__ = False  # pytest collects classes by this name otherwise

    name: Text
    tool: str
    procedure: Text
    metric: Text
    threshold: Shown | None
    refs: tuple[str, ...] = ()
    id: str = ""
    phase: AcceptancePhase = AcceptancePhase.SINGLE_NODE
    basis: AcceptanceBasis | None = None
    command: str = ""
    ranks_per_node: int | None = None
    """Devices of one server as software sees them."""
    sizes: str = ""
    pass_rule: Text | None = None
    sample: Text | None = None
    prerequisites: tuple[Text, ...] = ()
    """Names of the tests that come before, among those of the plan."""
    bound: BoundKind = BoundKind.SUPPLIER
    at_most: bool = False
    """True where the result must not exceed the threshold."""
    expected: Shown | None = None
    """Range that is expected, with low and high; the value is the threshold's."""
    upper: Shown | None = None
    """Line rate or another bound that no measurement passes, where no range is known."""
    share_of_peak: Decimal | None = None
    rungs: tuple[RungView, ...] = ()
    allowance: AllowanceView | None = None
    script: str = ""
    """Package and file of the script handed out."""
