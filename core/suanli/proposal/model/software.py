"""The software of an option as it is shown: versions, needed features, rules, launch arguments."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from suanli.domain.record import Part, Text
from suanli.domain.software import Launcher, StackFeature
from suanli.planning.software.results import Outcome, Status

__all__ = [
    "ConflictView",
    "FeatureRow",
    "LaunchFileView",
    "LaunchView",
    "RuleRow",
    "SoftwareView",
    "VersionOf",
    "VersionRow",
]


class VersionOf(StrEnum):
    """What a version belongs to."""

    FRAMEWORK = "framework"
    """The training framework and what its release asks for."""
    PLATFORM = "platform"
    """The vendor's platform, by the vendor's own documents."""


class VersionRow(Part):
    """A version of a piece of software, and the day of the document that states it."""

    of: VersionOf
    component: Text
    version: str
    dated: str
    """Day, month or edition, as the source gives it."""
    refs: tuple[str, ...] = ()


class FeatureRow(Part):
    """A feature that the layout, the workload or the model needs."""

    feature: StackFeature
    name: Text
    dimension: str = ""
    """What needs it, such as ``tp``; empty where the feature says it all."""
    value: int | None = None
    status: Status
    since: str = ""
    constraint: Text | None = None
    as_of: date | None = None
    """Day of the document; None where none settles it."""
    refs: tuple[str, ...] = ()


class ConflictView(Part):
    """Needed features that the framework does not run together."""

    features: tuple[StackFeature, ...]
    names: tuple[Text, ...]
    reason: Text
    refs: tuple[str, ...] = ()


class RuleRow(Part):
    """A structural rule of the launcher, held against the layout."""

    key: str
    name: Text
    outcome: Outcome
    numbers: dict[str, int]
    refs: tuple[str, ...] = ()


class LaunchFileView(Part):
    """A file of the launch."""

    name: str
    text: str


class LaunchView(Part):
    """The layout as arguments of a launcher."""

    launcher: Launcher
    release: str
    files: tuple[LaunchFileView, ...]
    placeholders: tuple[str, ...]
    """Names in angle brackets that the team fills in."""
    notes: tuple[str, ...] = ()
    """Keys of the message catalogue."""
    refs: tuple[str, ...] = ()


class SoftwareView(Part):
    """The software of one option."""

    framework: Text | None
    """None where no feature matrix of the stack is known."""
    release: str = ""
    versions: tuple[VersionRow, ...] = ()
    features: tuple[FeatureRow, ...] = ()
    conflicts: tuple[ConflictView, ...] = ()
    rules: tuple[RuleRow, ...] = ()
    launch: LaunchView | None = None
    refused: bool = False
    """True where the framework is known not to run the layout."""
    unsupported: int = 0
    """Needed features that the framework is known not to have, and combinations that it does not run."""
    unknown: int = 0
    """Needed features that no document settles."""
    broken: int = 0
    """Rules of the launcher that the layout breaks."""
