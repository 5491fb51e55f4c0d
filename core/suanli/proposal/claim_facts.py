"""What the estimate and the catalogue say of a claim, before anything is rounded or worded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture
    from suanli.domain.hardware import Accelerator, Precision
    from suanli.domain.workload import Claim, Task
    from suanli.estimation.crosscheck import ClaimAudit
    from suanli.estimation.results import Device, Infeasible, ModelProfile, Sizing

__all__ = ["ClaimFacts"]


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """What the estimate says of the claimed cluster, or the catalogue of the claimed device."""

    claim: Claim
    precision: Precision
    profile: ModelProfile
    tokens: float | None
    """Tokens of the run; None where a claim does without."""
    task: Task
    architecture: Architecture
    sequence_length: int
    accelerator: Accelerator | None = None
    """None where the claim is about a model alone."""
    device: Device | None = None
    """None where the device cannot be sized."""
    claimed: Sizing | Infeasible | None = None
    """The estimate with the claimed number of devices."""
    reference: Sizing | None = None
    """The fewest whole servers on which the job fits, whose utilisation serves where the claimed cluster does
    not fit.
    """
    audit: ClaimAudit | None = None
    """What the claim implies; None where the device has no peak in the precision, or nothing to run."""
    least_memory_bytes: float | None = None
    """Peak memory of one device with one sequence at a time and everything recomputed."""
    networked: Sizing | Infeasible | None = None
    """The estimate with the claimed network in place of the server's own."""
