"""What the acceptance plan yields: tests in their order, each with the bounds that it is held to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.domain.vendor import AcceptanceTest

__all__ = ["Allowance", "Bound", "BoundKind", "PlannedTest", "Rung"]


class BoundKind(StrEnum):
    """Where a pass value comes from."""

    PUBLISHED = "published"
    PLAN = "plan"
    """Worked out from the figures that size and price rest on."""
    SUPPLIER = "supplier"
    """Nothing is published and the plan has no figure: the supplier commits to one before delivery."""
    PASS_FAIL = "pass-fail"  # noqa: S105 - a kind of result
    """The result is yes or no."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A pass value with the range that is expected, in one unit."""

    kind: BoundKind
    unit: str = ""
    """Unit key as views show it: GB/s, Gbit/s, TFLOPS, s, kW, PUE, tokens/s."""
    threshold: float | None = None
    at_most: bool = False
    """True where the result must not exceed the threshold."""
    low: float | None = None
    high: float | None = None
    rounded_up: bool = False
    """True where a lower limit is shown rounded up, since another test's pass value follows from it."""
    share_of_peak: float | None = None
    """Threshold over the dense peak or line rate."""


@dataclass(frozen=True, slots=True)
class Rung:
    """Expected bus bandwidth of one number of servers, in bytes/s for each rank."""

    nodes: int
    ranks: int
    line_bytes_per_s: float
    """Line rate of what the collective crosses: an upper bound that no measurement passes."""
    expected_bytes_per_s: float
    threshold_bytes_per_s: float
    unhealthy_bytes_per_s: float
    """Below this the fabric is taken to be faulty and is repaired before any other size is tried."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """Interruptions that chance allows in a test of a length."""

    hours: float
    mtbf_hours: float
    """Mean time between interruptions of the kind that the test counts."""
    expected: float
    allowed: int
    detected_factor: float
    """A cluster that fails this many times as often is rejected with nine chances in ten."""


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """One test of the plan."""

    test: AcceptanceTest
    bound: Bound
    rungs: tuple[Rung, ...] = ()
    allowance: Allowance | None = None
