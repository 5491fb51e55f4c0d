"""Runs the checks of the conformance suite on one plugin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from suanli.host.loader import load_host
from suanli.testing import estimates, fits, hardware, market, software, structure
from suanli.testing.subject import Check, Subject, examine

if TYPE_CHECKING:
    from suanli.errors import Fault
    from suanli.host.host import Host

__all__ = ["CHECKS", "BoundCheck", "Outcome", "conformance_checks", "run_checks"]

CHECKS: tuple[Check, ...] = (
    *structure.CHECKS,
    *hardware.CHECKS,
    *software.CHECKS,
    *fits.CHECKS,
    *market.CHECKS,
    *estimates.CHECKS,
)
"""Every check, in the order in which they are printed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one check found; no faults means that it passed."""

    check: str
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class BoundCheck:
    """One check of one plugin: call it, and it raises where something is wrong."""

    check: Check
    subject: Subject

    def __str__(self) -> str:
        """Return plugin and sentence, for the id of a test."""
        return f"{self.subject.plugin.name}: {self.check.name}"

    def outcome(self) -> Outcome:
        """Return what the check finds."""
        return Outcome(self.check.name, tuple(self.check.find(self.subject)))

    def __call__(self) -> None:
        """Run the check.

        Raises:
            AssertionError: something is wrong; every fault is in the message.
        """
        faults = self.outcome().faults
        if faults:
            raise AssertionError("\n".join([self.check.name, *(str(fault) for fault in faults)]))


@cache
def _installed() -> Host:
    return load_host()


def conformance_checks(name: str, host: Host | None = None) -> tuple[BoundCheck, ...]:
    """Return the checks that apply to a plugin, to parametrise a test with.

    Args:
        name: the plugin's entry point.
        host: where the plugin is loaded; None loads what is installed, once.

    Raises:
        InputError: no plugin has that name.
    """
    subject = examine(name, host or _installed())
    return tuple(BoundCheck(check, subject) for check in CHECKS if check.applies_to(subject))


def run_checks(name: str, host: Host | None = None) -> tuple[Outcome, ...]:
    """Run every check that applies to a plugin and return what each found."""
    return tuple(bound.outcome() for bound in conformance_checks(name, host))
