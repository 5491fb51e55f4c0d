"""Names of vendors, devices and software checked against the catalogue; pilot runs and claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.hardware import Accelerator
from suanli.domain.naming import resolve_accelerator
from suanli.domain.transformer import count_parameters
from suanli.domain.vendor import SoftwareStack
from suanli.domain.workload import Claim, ClaimQuantity, Measured, VendorChoice
from suanli.errors import InputError, nearest
from suanli.project.completion.draft import Default
from suanli.project.sections import LORA_TASKS

if TYPE_CHECKING:
    from suanli.domain.workload import ModelChoice, Workload
    from suanli.project.completion.draft import Draft

__all__ = ["complete_claims", "complete_measured", "complete_vendors"]


def _find(draft: Draft, key: str, name: str) -> Accelerator | None:
    """Return the one device that a name means, or None with a fault."""
    try:
        return resolve_accelerator(draft.catalogue, name)
    except InputError as error:
        draft.absorb(error, key)
        return None


def complete_vendors(draft: Draft, country: str) -> VendorChoice:
    """Return vendors, devices, preference and country of delivery."""
    section = draft.project.file.vendors
    known = sorted({device.vendor for device in draft.catalogue.all(Accelerator) if device.trains})
    listed = [device for device in _listed(draft) if device is not None]
    consider = _consider(draft, known, listed)
    accelerators = _chosen(draft, consider, listed)
    if section.accelerators is None:
        draft.given_or(
            None,
            "vendors.accelerators",
            (),
            Default(
                "[]",
                "未指定型号，各厂商全部可用于训练的型号参与比选。",
                "Not given: every training device of the vendors is considered.",
            ),
        )
    return VendorChoice(consider, accelerators, _prefer(draft, known), _delivery(draft, country))


def _listed(draft: Draft) -> list[Accelerator | None]:
    devices: list[Accelerator | None] = []
    for number, name in enumerate(draft.project.file.vendors.accelerators or ()):
        key = f"vendors.accelerators.{number}"
        device = _find(draft, key, name)
        if device is not None and not device.trains:
            draft.fault(key, f'"{device.id}" is a device for inference', "only training devices can be sized")
            device = None
        devices.append(device)
    return devices


def _consider(draft: Draft, known: list[str], listed: list[Accelerator]) -> tuple[str, ...]:
    given = draft.project.file.vendors.consider
    for number, name in enumerate(given or ()):
        if name.casefold() not in known:
            why = f"known vendors: {', '.join(known)}"
            draft.fault(
                f"vendors.consider.{number}",
                f'no plugin knows a vendor "{name}"',
                why,
                nearest(name.casefold(), known),
            )
    if given:
        return tuple(dict.fromkeys(name.casefold() for name in given))
    chosen = tuple(dict.fromkeys(device.vendor for device in listed)) or tuple(known)
    default = Default(
        f"[{', '.join(chosen)}]",
        "未指定厂商，按所列型号或全部已装插件的厂商比选。",
        "Not given: the vendors of the listed devices, or every vendor that a plugin knows.",
    )
    return draft.given_or(None, "vendors.consider", chosen, default)


def _chosen(draft: Draft, consider: tuple[str, ...], listed: list[Accelerator]) -> tuple[str, ...]:
    """Return the listed devices of the considered vendors; say which devices and vendors fall out."""
    kept = tuple(dict.fromkeys(device.id for device in listed if device.vendor in consider))
    dropped = [device.id for device in listed if device.vendor not in consider]
    if dropped:
        draft.notice(
            zh=f"所列型号 {', '.join(dropped)} 的厂商不在 vendors.consider 中，不参与比选。",
            en=f"{', '.join(dropped)}: listed, but the vendor is not in vendors.consider; left out.",
        )
    vendors = {device.vendor for device in listed}
    without = [vendor for vendor in consider if kept and vendor not in vendors]
    if without:
        draft.notice(
            zh=f"已列出型号，但其中没有 {', '.join(without)} 的型号，该厂商不参与比选。",
            en=f"{', '.join(without)}: considered, but vendors.accelerators lists no device of it; left out.",
        )
    return kept


def _prefer(draft: Draft, known: list[str]) -> str:
    given = draft.project.file.vendors.prefer
    allowed = ["domestic", "none", *known]
    if given is not None and given.casefold() not in allowed:
        draft.fault(
            "vendors.prefer",
            f'"{given}" is not known',
            f"one of: {', '.join(allowed)}",
            nearest(given.casefold(), allowed),
        )
    default = Default(
        "none", "未指定偏好，只按目标比较。", "Not given: no preference, the objective alone decides."
    )
    chosen = draft.given_or(given, "vendors.prefer", "none", default).casefold()
    return "" if chosen == "none" else chosen


def _delivery(draft: Draft, country: str) -> str:
    default = Default(country, "未指定交付国家，取机房所在国家。", "Not given: the country of the site.")
    return draft.given_or(
        draft.project.file.vendors.delivery_region, "vendors.delivery_region", country, default
    )


def check_stack(draft: Draft, key: str, name: str) -> str:
    """Return the id of a software stack, or an empty string with a fault."""
    known = [stack.id for stack in draft.catalogue.all(SoftwareStack)]
    if name.casefold() in known:
        return name.casefold()
    why = f"known stacks: {', '.join(known) or 'none'}; or tuned, untuned"
    draft.fault(
        key,
        f'"{name}" is not among the stacks of the catalogue',
        why,
        nearest(name.casefold(), [*known, "tuned", "untuned"]),
    )
    return ""


def complete_measured(draft: Draft, model: ModelChoice, workload: Workload) -> tuple[Measured, ...]:
    """Return the pilot runs; a rate above the peak of its device is a fault."""
    found: list[Measured] = []
    for number, row in enumerate(draft.project.file.measured):
        key = f"measured.{number}"
        device = _find(draft, f"{key}.accelerator", row.accelerator)
        stack = check_stack(draft, f"{key}.stack", row.stack) if row.stack else ""
        rate = float(row.tokens_per_s_per_accelerator)
        if device is None:
            continue
        highest = _highest_rate(device, model, workload)
        if highest is not None and rate > highest:
            draft.fault(
                f"{key}.tokens_per_s_per_accelerator",
                f"{rate:g} is above what {device.id} can do",
                f"it is {rate / highest:.0%} of the dense {workload.precision} peak; at most {highest:.0f}",
                "check device and model, and that the rate is that of one accelerator",
            )
        tp, pp = (row.layout.tp, row.layout.pp) if row.layout else (None, None)
        found.append(Measured(device.id, stack, rate, tp, pp, row.accelerators))
    return tuple(found)


def _highest_rate(device: Accelerator, model: ModelChoice, workload: Workload) -> float | None:
    """Return the tokens per second at which matrix work alone takes the dense peak; None for an unknown peak.

    Training does 2 FLOPs forward and 4 backward per weight and token, 2 backward where the weight is frozen.
    """
    peak = device.peak_flops_per_s(workload.precision)
    per_weight = 4.0 if workload.task in LORA_TASKS else 6.0
    counts = count_parameters(model.architecture)
    return None if peak is None else peak / (per_weight * (counts.active - counts.embedding))


def complete_claims(draft: Draft) -> tuple[Claim, ...]:
    """Return the claims with their devices resolved, one for each quantity that is stated."""
    found: list[Claim] = []
    for number, row in enumerate(draft.project.file.claims):
        device = _find(draft, f"claims.{number}.accelerator", row.accelerator) if row.accelerator else None
        if device is None and row.accelerator:
            continue
        stated: dict[ClaimQuantity, float | None] = {**row.stated()} or {ClaimQuantity.NONE: None}
        found.extend(
            Claim(row.by, row.says, device.id if device else None, row.accelerators, quantity, value)
            for quantity, value in stated.items()
        )
    return tuple(found)
