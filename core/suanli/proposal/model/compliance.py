"""Whether an option may be delivered and on what ground, and the rules and events around the purchase."""

from __future__ import annotations

from datetime import date

from suanli.domain.figure import Check
from suanli.domain.record import Part, Text
from suanli.domain.vendor import Deliverability, RuleTopic
from suanli.planning.compliance import Timing
from suanli.proposal.model.figures import Shown

__all__ = ["ComplianceView", "EventView", "GroupView", "NoteView", "PerformanceView", "SupplyView"]


class PerformanceView(Part):
    """Processing performance with its arithmetic, as export control measures it."""

    precision: str
    """Format that gives the maximum."""
    peak: Shown
    bits: int
    tpp: Shown
    die_area: Shown | None
    density: Shown | None
    """None where the die area is unknown."""
    memory_bandwidth: Shown | None


class GroupView(Part):
    """A country group of the destination."""

    name: Text
    note: Text
    refs: tuple[str, ...] = ()


class ComplianceView(Part):
    """Whether the device may be delivered, and on what ground."""

    region: str
    deliverability: Deliverability
    summary: Text | None
    as_of: date | None
    refs: tuple[str, ...] = ()
    timing: Timing = Timing.CURRENT
    """How the day of the statement stands to the project's."""
    days_apart: int = 0
    control: Text | None = None
    """Licence rule that the device falls under; None where it falls under none that is known."""
    control_refs: tuple[str, ...] = ()
    below_thresholds: bool = False
    """True where licence rules for the destination are known and the device meets none of their criteria."""
    path: Text | None = None
    """The way to a licence."""
    reexport: Text | None = None
    groups: tuple[GroupView, ...] = ()
    performance: PerformanceView | None = None


class EventView(Part):
    """A dated event of export control and the options that it concerns."""

    day: str
    jurisdiction: str
    title: Text
    effect: Text
    status: Text | None
    options: tuple[str, ...]
    weak: bool
    """True where it was reported, or its text was not opened."""
    refs: tuple[str, ...] = ()


class NoteView(Part):
    """A rule of procurement, security or data protection."""

    topic: RuleTopic
    name: Text
    dated: str
    content: Text
    applies: bool
    """False where the rule is for other procurement tracks than the project's."""
    reading: Check
    """How the rule was read; one from memory of it is to be opened before it is relied on."""
    press: bool
    """True where only the press reports it."""
    refs: tuple[str, ...] = ()
    checked: date | None = None
    """Day on which its source was read."""

    @property
    def is_law(self) -> bool:
        """Tell whether a document may cite it as a basis: it applies and was read, if second hand."""
        return self.applies and not self.press and self.reading is not Check.RECALL


class SupplyView(Part):
    """What surrounds the purchase: events in order of day, and rules by topic."""

    region: str
    """Place of delivery."""
    day: date
    """Day of the project, which every status is for."""
    events: tuple[EventView, ...] = ()
    notes: tuple[NoteView, ...] = ()

    @property
    def laws(self) -> tuple[NoteView, ...]:
        """Return the rules that a document may cite as its basis."""
        return tuple(note for note in self.notes if note.is_law)

    @property
    def law_day(self) -> date | None:
        """Return the day as of which the law set stands: that of the rule read longest ago."""
        return min((note.checked for note in self.laws if note.checked), default=None)
