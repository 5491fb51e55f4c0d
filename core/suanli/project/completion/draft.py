"""The draft of a requirement: collects faults, defaults and notices while the sections are completed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from suanli.domain.record import Text
from suanli.domain.workload import Assumption
from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Task
    from suanli.project.schema import Project

__all__ = ["Default", "Draft", "ScenarioDefaults"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ScenarioDefaults:
    """What a scenario chooses where the project file leaves it open."""

    tasks: tuple[Task, ...]
    """Tasks of the scenario; the first is the default."""
    sequence_length: int
    global_batch_tokens: int
    epochs: int
    runs_per_year: int
    parameters: tuple[float, float]
    """Usual model sizes, total parameters; outside, a notice says so."""
    size_name: Text
    """How the scenario names these sizes."""
    lora_rank: int = 0
    tokens_per_parameter: tuple[float, float] | None = None
    """Usual range of training tokens per parameter; None where the scenario has no such rule."""


@dataclass(frozen=True, slots=True)
class Default:
    """A value chosen for a key, with how it is spelt, why, and the source it was read in."""

    spelled: str
    zh: str
    en: str
    source: str = ""


@dataclass(slots=True)
class Draft:
    """What is known so far while a project is completed."""

    project: Project
    catalogue: Catalogue
    faults: list[Fault] = field(default_factory=list[Fault])
    assumptions: list[Assumption] = field(default_factory=list[Assumption])
    notices: list[Text] = field(default_factory=list[Text])

    def given_or(self, given: T | None, key: str, chosen: T, default: Default) -> T:
        """Return the given value, or the chosen one and list it as an assumption."""
        if given is not None:
            return given
        reason = Text(zh=default.zh, en=default.en)
        self.assumptions.append(Assumption(key, default.spelled, reason, default.source))
        return chosen

    def fault(self, key: str, what: str, why: str = "", cure: str = "") -> None:
        """Note a fault at a key and go on."""
        self.faults.append(self.project.origin.fault(key, what, why, cure))

    def notice(self, zh: str, en: str) -> None:
        """Note what the reader should know."""
        self.notices.append(Text(zh=zh, en=en))

    def absorb(self, error: InputError, key: str) -> None:
        """Note the faults of an error raised for a key, each with the place of that key."""
        place = self.project.origin.place(key)
        for fault in error.faults:
            inner = f"{key} ({fault.key})" if fault.key and fault.key != key else key
            self.faults.append(Fault(fault.what, fault.where or place, inner, fault.why, fault.cure))
