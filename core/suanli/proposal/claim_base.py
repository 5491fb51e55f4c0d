"""What every audited claim about a run shows: the device, its peak, memory and whether the job fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_GB, FLOPS_PER_TFLOP, S_PER_DAY
from suanli.domain.workload import ClaimQuantity, Task
from suanli.estimation.crosscheck import peak_bound_s
from suanli.estimation.memory import usable_memory
from suanli.estimation.recipes import MEGATRON_BF16_GRADIENTS, default_recipe
from suanli.estimation.results import Constraint, Infeasible, Range, Sizing
from suanli.proposal.claim_words import both, sentence
from suanli.proposal.model import ClaimVerdict, ClaimView, Shown
from suanli.proposal.rounding import shown

if TYPE_CHECKING:
    from suanli.domain.record import Text
    from suanli.proposal.claim_facts import ClaimFacts
    from suanli.proposal.references import References

__all__ = ["base_view", "fits", "memory_words", "peak_flops_per_s", "right_duration", "state_bytes"]


_NO_PEAK = both(
    "目录中没有该设备在此精度下的峰值", "the catalogue has no peak of this device in this precision"
)


def base_view(facts: ClaimFacts, references: References) -> ClaimView:
    """Return what every claim about a run shows; the verdict is left to the caller."""
    claim, accelerator = facts.claim, facts.accelerator
    view = ClaimView(
        by=claim.by,
        says=claim.says,
        quantity=claim.quantity,
        claimed=_claimed(facts),
        accelerator_name=accelerator.name if accelerator else None,
        accelerators=claim.accelerators,
        days=None if claim.days is None else shown(claim.days, "day"),
        verdict=ClaimVerdict.NOT_COMPUTABLE,
        statement=sentence(ClaimVerdict.NOT_COMPUTABLE, _NO_PEAK),
    )
    peak = accelerator.dense_peak.get(facts.precision) if accelerator else None
    if accelerator is None or peak is None or peak.barred or claim.accelerators is None:
        return view
    usable, _ = usable_memory(accelerator)
    least = facts.reference.accelerators if facts.reference and fits(facts.claimed) is False else None
    update: dict[str, object] = {
        "peak": shown(peak.si / FLOPS_PER_TFLOP, "TFLOPS", digits=4, refs=references.figure(peak)),
        "fits": fits(facts.claimed),
        "static_memory": shown(
            state_bytes(facts) / claim.accelerators / BYTES_PER_GB, "GB", refs=(references.formula("memory"),)
        ),
        "usable_memory": shown(usable * accelerator.dies / BYTES_PER_GB, "GB"),
        "least_accelerators": least,
        "refs": references.figure(peak),
    }
    return view.model_copy(update=update)


def _claimed(facts: ClaimFacts) -> Shown | None:
    claim = facts.claim
    if claim.value is None or claim.quantity is ClaimQuantity.FITS:
        return None
    scale, unit = {
        ClaimQuantity.DAYS: (1 / S_PER_DAY, "day"),
        ClaimQuantity.MFU: (1.0, "share"),
        ClaimQuantity.MEMORY: (1 / BYTES_PER_GB, "GB"),
    }.get(claim.quantity, (1.0, "tokens/s"))
    return shown(claim.value * scale, unit)


def state_bytes(facts: ClaimFacts) -> float:
    """Return weights, gradients and optimizer of the whole model: 16 bytes per trained parameter.

    Frozen parameters take 2 bytes, or those of a 4-bit base.
    """
    profile = facts.profile
    whole = MEGATRON_BF16_GRADIENTS.total_bytes
    if facts.task not in {Task.LORA, Task.QLORA}:
        return whole * profile.total_parameters
    frozen = default_recipe(facts.task, "").frozen_linear_bytes
    return frozen * profile.total_parameters + whole * profile.trainable_parameters


def fits(claimed: Sizing | Infeasible | None) -> bool | None:
    """Tell whether the job fits in memory; None where something else decides."""
    if isinstance(claimed, Sizing):
        return True
    if isinstance(claimed, Infeasible) and claimed.constraint is Constraint.MEMORY:
        return False
    return None


def peak_flops_per_s(facts: ClaimFacts) -> float:
    """Return the dense peak of the claimed device.

    Raises:
        ValueError: it has none in the precision of the run.
    """
    peak = facts.accelerator.peak_flops_per_s(facts.precision) if facts.accelerator else None
    if peak is None:
        raise ValueError("a device without a peak cannot be held against one")
    return peak


def right_duration(facts: ClaimFacts) -> Range | None:
    """Return how long the claimed devices need.

    Where they do not fit, at the utilisation of a cluster that does.
    """
    if isinstance(facts.claimed, Sizing):
        return facts.claimed.duration_s
    if facts.reference is None or facts.claim.accelerators is None:
        return None
    reference = facts.reference
    base = peak_bound_s(facts.profile, reference.tokens, facts.claim.accelerators, peak_flops_per_s(facts))
    # The reference's own ratio of wall-clock time to peak-bound time carries its utilisation, goodput and
    # range.
    return reference.duration_s.scaled(base / reference.peak_bound_s)


def memory_words(view: ClaimView) -> Text | None:
    """Say why a job does not fit, and on how many devices it does; None where it fits."""
    if view.fits is not False or view.static_memory is None or view.usable_memory is None:
        return None
    held, usable = view.static_memory.value, view.usable_memory.value
    least_zh = f"，至少需 {view.least_accelerators:,} 张卡" if view.least_accelerators else ""
    least_en = f"; {view.least_accelerators:,} accelerators hold it" if view.least_accelerators else ""
    return both(
        f"模型状态均分后每卡 {held} GB，加上激活值超出可用的 {usable} GB{least_zh}",
        f"the states alone, spread over all, are {held} GB each, and with activations more than the "
        f"{usable} GB that can be used{least_en}",
    )
