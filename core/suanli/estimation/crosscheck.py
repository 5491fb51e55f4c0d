"""Cross-checks by hand-sized formulas, and the audit of claims that others make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.domain.units import S_PER_DAY

if TYPE_CHECKING:
    from suanli.estimation.results import ModelProfile

__all__ = [
    "ClaimAudit",
    "audit_claim",
    "implied_mfu",
    "naive_accelerators",
    "naive_days",
    "naive_flops",
    "peak_bound_s",
]


def naive_flops(parameters: float, tokens: float) -> float:
    """Return 6 · N · T: 2 FLOPs per parameter and token forward, 4 backward.

    Attention and recomputation are not in it.

    Source: Kaplan et al., "Scaling Laws for Neural Language Models", 2020, section 2.1.

    >>> f"{naive_flops(70e9, 1e12):.1e}"
    '4.2e+23'
    """
    return 6.0 * parameters * tokens


def naive_days(
    parameters: float, tokens: float, devices: float, peak_flops_per_s: float, utilisation: float
) -> float:
    """Return the days of a run by 6·N·T/(n · P · u).

    Raises:
        ValueError: a divisor is not positive.

    >>> round(naive_days(7e9, 1e12, 8, 400e12, 0.45), 1)
    337.6
    """
    if min(devices, peak_flops_per_s, utilisation) <= 0:
        raise ValueError("devices, peak and utilisation must be positive")
    return naive_flops(parameters, tokens) / (devices * peak_flops_per_s * utilisation) / S_PER_DAY


def naive_accelerators(
    parameters: float, tokens: float, days: float, peak_flops_per_s: float, utilisation: float
) -> int:
    """Return the devices that finish in time by 6·N·T, rounded up.

    Raises:
        ValueError: a divisor is not positive.

    >>> naive_accelerators(70e9, 1e12, 1, 400e12, 0.45)
    27007
    """
    if days <= 0:
        raise ValueError("days must be positive")
    return math.ceil(naive_days(parameters, tokens, 1, peak_flops_per_s, utilisation) / days)


def peak_bound_s(profile: ModelProfile, tokens: float, accelerators: int, peak_flops_per_s: float) -> float:
    """Return the time below which no run can be: model FLOPs over the dense peak of all devices."""
    return profile.flops_per_token * tokens / (accelerators * peak_flops_per_s)


def implied_mfu(
    flops_per_token: float, tokens: float, seconds: float, accelerators: float, peak_flops_per_s: float
) -> float:
    """Return model FLOPs over peak FLOPs of the time that was taken.

    >>> round(implied_mfu(6 * 70e9, 500 * 16 * 2048, 13.5 * 3600, 16, 312e12), 4)
    0.0284
    """
    return flops_per_token * tokens / (seconds * accelerators * peak_flops_per_s)


@dataclass(frozen=True, slots=True)
class ClaimAudit:
    """What a claim of devices and days implies."""

    implied_mfu: float
    """Model FLOPs, attention counted, over the dense peak; above 1 is impossible."""
    implied_mfu_six_n: float
    """The same by 6·N·T alone."""
    peak_bound_days: float
    """Days at 100 % of peak."""
    state_bytes_per_accelerator: float
    """16 bytes per parameter spread over all devices: the least that full training with Adam needs."""
    tokens_per_s_per_accelerator: float

    @property
    def possible(self) -> bool:
        """Tell whether the claim stays below the peak."""
        return self.implied_mfu <= 1.0


_STATE_BYTES = 16.0


def audit_claim(
    profile: ModelProfile, tokens: float, peak_flops_per_s: float, accelerators: int, days: float
) -> ClaimAudit:
    """Return what a claimed number of devices and days implies.

    A mixture of experts is audited on its active parameters.

    Raises:
        ValueError: the claim has no devices or no time.
    """
    if accelerators < 1 or days <= 0:
        raise ValueError("a claim needs at least one device and a positive time")
    seconds = days * S_PER_DAY
    return ClaimAudit(
        implied_mfu=implied_mfu(profile.flops_per_token, tokens, seconds, accelerators, peak_flops_per_s),
        implied_mfu_six_n=implied_mfu(
            profile.six_n_flops_per_token, tokens, seconds, accelerators, peak_flops_per_s
        ),
        peak_bound_days=peak_bound_s(profile, tokens, accelerators, peak_flops_per_s) / S_PER_DAY,
        state_bytes_per_accelerator=_STATE_BYTES * profile.total_parameters / accelerators,
        tokens_per_s_per_accelerator=tokens / seconds / accelerators,
    )
