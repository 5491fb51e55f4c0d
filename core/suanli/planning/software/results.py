"""What the planning of software yields: needed features with their support, rules, launch arguments."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.domain.software import Exclusion, Launcher, StackFeature, StackFeatures, Support
    from suanli.domain.vendor import SoftwareVersions

__all__ = [
    "FeatureFinding",
    "Launch",
    "LaunchFile",
    "Need",
    "Outcome",
    "RuleFinding",
    "SoftwarePlan",
    "Status",
]


class Status(StrEnum):
    """Whether a needed feature is there."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    """The documents say that it is not; the layout cannot be run as it is."""
    UNKNOWN = "unknown"
    """The documents do not settle it; to be confirmed before a purchase."""


@dataclass(frozen=True, slots=True)
class Need:
    """A feature that a layout, a workload or a model needs."""

    feature: StackFeature
    dimension: str = ""
    """What needs it, such as ``tp``; empty where the feature says it all."""
    value: int | None = None
    """Value of the dimension."""


@dataclass(frozen=True, slots=True)
class FeatureFinding:
    """A needed feature and what the framework's documents say of it."""

    need: Need
    status: Status
    support: Support | None = None
    """None where the matrix has nothing on it."""


class Outcome(StrEnum):
    """What a rule of a launcher says of a layout."""

    HOLDS = "holds"
    ADAPTED = "adapted"
    """Not met by plain numbers; the exported arguments spell the division out."""
    BROKEN = "broken"
    """The launcher would refuse the layout."""


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """A structural rule of a launcher, held against a layout."""

    key: str
    """Key of the message catalogue."""
    outcome: Outcome
    numbers: tuple[tuple[str, int], ...]
    """Name and value of each number in the rule."""
    source: str
    """Source id of the launcher's documents."""


@dataclass(frozen=True, slots=True)
class LaunchFile:
    """A file that a launcher reads, or the script that starts it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Launch:
    """A layout as arguments of a launcher."""

    launcher: Launcher
    release: str
    """Release whose argument parser the arguments follow."""
    source: str
    files: tuple[LaunchFile, ...]
    """The first one is the script that starts the run."""
    notes: tuple[str, ...] = ()
    """Keys of the message catalogue: what the arguments cannot say."""

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Return the names in angle brackets that a team fills in, in order of first use."""
        return tuple(dict.fromkeys(name for one in self.files for name in placeholders_of(one.text)))


def placeholders_of(text: str) -> tuple[str, ...]:
    """Return the names in angle brackets, as they come.

    >>> placeholders_of("--save <checkpoint-path> --lr <learning-rate>")
    ('checkpoint-path', 'learning-rate')
    """
    parts = (part.partition(">") for part in text.split("<")[1:])
    return tuple(name for name, closing, _ in parts if closing and name.replace("-", "").isalnum())


@dataclass(frozen=True, slots=True)
class SoftwarePlan:
    """The software of one option."""

    matrix: StackFeatures | None
    """None where no plugin has a feature matrix of the stack; every feature is then unknown."""
    versions: tuple[SoftwareVersions, ...]
    """What the vendor's plugin states of its platform."""
    findings: tuple[FeatureFinding, ...]
    conflicts: tuple[Exclusion, ...]
    """Combinations of needed features that the framework does not run together."""
    rules: tuple[RuleFinding, ...]
    launch: Launch | None
    """None where the framework's arguments have not been mapped."""

    def of(self, status: Status) -> tuple[FeatureFinding, ...]:
        """Return the findings of a status."""
        return tuple(one for one in self.findings if one.status is status)

    @property
    def broken(self) -> tuple[RuleFinding, ...]:
        """Return the rules that the launcher would refuse the layout by."""
        return tuple(one for one in self.rules if one.outcome is Outcome.BROKEN)

    @property
    def refused(self) -> bool:
        """Tell whether the framework is known not to run the layout."""
        return bool(self.of(Status.UNSUPPORTED) or self.conflicts or self.broken)
