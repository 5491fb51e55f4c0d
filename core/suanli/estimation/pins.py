"""Pinned dimensions of a layout: which values a model can follow, and what is wrong with the others."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from suanli.domain.pin_conflicts import pin_conflicts
from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.architecture import Architecture
    from suanli.domain.workload import LayoutPins

__all__ = ["check_pins", "divisors"]


@lru_cache(maxsize=1024)
def divisors(number: int) -> tuple[int, ...]:
    """Return the divisors of a positive whole number in rising order.

    >>> divisors(28)
    (1, 2, 4, 7, 14, 28)
    """
    # Divisors come in pairs around the root, which bounds the loop for counts of thousands.
    low = [k for k in range(1, math.isqrt(number) + 1) if number % k == 0]
    return tuple(sorted({*low, *(number // k for k in low)}))


def _fault(key: str, value: int, valid: tuple[int, ...], why: str, cure: str) -> Fault:
    listed = ", ".join(str(one) for one in valid)
    return Fault(f"{key}={value} {why}", key=f"layout.{key}", why=f"valid values: {listed}", cure=cure)


def _splits(architecture: Architecture, pins: LayoutPins) -> Iterator[Fault]:
    """Yield the pins that do not divide what they split."""
    heads, layers = architecture.attention_heads, architecture.layers
    experts = architecture.moe.experts if architecture.moe else 1
    if pins.tp is not None and heads % pins.tp:
        why, cure = (
            f"does not divide {heads} attention heads",
            "choose one of them and split the rest by pipeline stages (pp)",
        )
        yield _fault("tp", pins.tp, divisors(heads), why, cure)
    if pins.pp is not None and pins.pp * (pins.virtual_pipeline or 1) > layers:
        why = f"needs more stages than {layers} layers"
        yield _fault("pp", pins.pp, divisors(layers), why, "lower pp or v")
    if pins.ep is not None and experts % pins.ep:
        yield _fault("ep", pins.ep, divisors(experts), f"does not divide {experts} experts", "choose one")


def check_pins(architecture: Architecture, pins: LayoutPins, global_batch_size: int) -> None:
    """Refuse pins that no device could follow.

    Raises:
        InputError: tp does not divide the heads, pp or its virtual stages exceed the layers, ep does not
            divide the experts, the micro-batch exceeds the global batch, or two pins contradict each other;
            every fault is listed, with the valid values.
    """
    faults = list(_splits(architecture, pins))
    if pins.micro_batch_size is not None and pins.micro_batch_size > global_batch_size:
        why = f"exceeds the global batch of {global_batch_size} sequences"
        valid = (1, global_batch_size)
        faults.append(_fault("micro_batch_size", pins.micro_batch_size, valid, why, "lower it"))
    faults += [
        Fault(one.what, key=f"layout.{one.key}", why=one.why, cure=one.cure) for one in pin_conflicts(pins)
    ]
    if faults:
        raise InputError(faults)
