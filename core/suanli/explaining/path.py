"""The whole path of one sizing, and how far it is from the estimate: not at all, or it is not the path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.explaining.layer import state_layout
from suanli.explaining.lines import Book
from suanli.explaining.memory import explain_memory
from suanli.explaining.rates import explain_rates
from suanli.explaining.run import explain_run
from suanli.explaining.step import explain_step
from suanli.explaining.subject import subject_of
from suanli.explaining.work import explain_work

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.estimation.goodput import FailureModel
    from suanli.estimation.results import Sizing
    from suanli.explaining.lines import Line

__all__ = ["Path", "explain"]


@dataclass(frozen=True, slots=True)
class Path:
    """The lines of a path in their order, and the values that its symbols ended with."""

    lines: tuple[Line, ...]
    values: dict[str, float]


def explain(sizing: Sizing, requirement: Requirement, catalogue: Catalogue, failures: FailureModel) -> Path:
    """Return the path of a sizing from parameters to days, and of its memory.

    Raises:
        ValueError: the device of the sizing has no constants.
    """
    subject, book = subject_of(sizing, requirement, catalogue, failures), Book()
    explain_work(subject, book)
    explain_rates(subject, book)
    state_layout(subject, book)
    explain_step(subject, book)
    explain_run(subject, book)
    explain_memory(subject, book)
    return Path(tuple(book.lines), dict(book.values))
