"""What can be done differently where a model does not fit, from what costs least to what costs most."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Accelerator
from suanli.domain.workload import Offload, Recompute, Task
from suanli.estimation.memory import usable_memory
from suanli.estimation.space import LOSS_CHUNKS
from suanli.fitting.devices import GENERIC, sharding_stack, with_memory, with_stack
from suanli.fitting.limits import fewest_cards, longest_sequence
from suanli.fitting.recipes import recipe_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.vendor import SoftwareStack
    from suanli.domain.workload import LayoutPins
    from suanli.fitting.trial import Trial

__all__ = ["STEPS", "Change", "ChangeKind", "Option", "Step"]

_ZERO3: Final = 3
_WHOLE: Final = 8
"""Bytes per logit from which the loss holds all of them in 32 bit; fused ones take 2 to 4."""
_SHARDED: Final = frozenset({"zero", "fsdp"})


class ChangeKind(StrEnum):
    """What is changed, in the order of what it costs."""

    CHUNKED_LOSS = "chunked-loss"
    RECOMPUTE = "recompute"
    MICRO_BATCH = "micro-batch"
    ZERO = "zero"
    SPLIT = "split-model"
    """Tensor parallelism or pipeline stages."""
    OFFLOAD = "offload"
    HOST = "more-host-memory"
    LORA = "lora"
    QLORA = "qlora"
    SEQUENCE = "shorter-sequence"
    CARDS = "more-cards"
    CARD = "larger-card"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is done differently."""

    kind: ChangeKind
    value: str
    """What it becomes: a mode, a number, an id."""


@dataclass(frozen=True, slots=True)
class Option:
    """A change, and how it is made to a trial."""

    change: Change
    made: Callable[[Trial], Trial]


@dataclass(frozen=True, slots=True)
class Step:
    """A kind of change: its options for a trial, the mildest first."""

    options: Callable[[Trial, Catalogue], Iterator[Option]]
    cheap: bool = False
    """Whether it leaves what is trained, and on what, as it is."""
    alone: bool = False
    """Whether it makes no sense beside others."""


def _pinned(kind: ChangeKind, value: object, pinned: Callable[[LayoutPins], LayoutPins]) -> Option:
    """Return a change of pins."""

    def made(trial: Trial) -> Trial:
        return replace(trial, pins=pinned(trial.pins))

    return Option(Change(kind, str(value)), made)


def _chunked_loss(trial: Trial, _: Catalogue) -> Iterator[Option]:
    """Yield a loss that works on pieces of the logits, where it now holds them whole."""
    sharding = trial.card.device.stack.sharding
    if (
        trial.pins.loss_chunks is None
        and recipe_of(trial.workload.task, sharding, trial.recipe).logit_bytes >= _WHOLE
    ):
        yield _pinned(ChangeKind.CHUNKED_LOSS, LOSS_CHUNKS, partial(replace, loss_chunks=LOSS_CHUNKS))


def _recompute(trial: Trial, _: Catalogue) -> Iterator[Option]:
    """Yield full recomputation where less is pinned; where nothing is, it was tried already."""
    pins = trial.pins
    if pins.recompute_layers is not None or pins.recompute in {Recompute.NONE, Recompute.SELECTIVE}:
        full = Recompute.FULL
        yield _pinned(
            ChangeKind.RECOMPUTE,
            full.value,
            lambda old: replace(old, recompute=full, recompute_layers=None),
        )


def _micro_batch(trial: Trial, _: Catalogue) -> Iterator[Option]:
    """Yield halves of a pinned micro-batch."""
    size = (trial.pins.micro_batch_size or 1) // 2
    while size >= 1:
        yield _pinned(ChangeKind.MICRO_BATCH, size, partial(replace, micro_batch_size=size))
        size //= 2


def _zero(trial: Trial, catalogue: Catalogue) -> Iterator[Option]:
    """Yield higher stages than the pinned one, or a stack that shards weights."""
    stage = trial.pins.zero_stage
    if stage is not None:
        for higher in range(stage + 1, _ZERO3 + 1):
            yield _pinned(ChangeKind.ZERO, higher, partial(replace, zero_stage=higher))
        return
    device = trial.card.device
    stack = sharding_stack(device.accelerator.vendor, catalogue)
    if device.stack.sharding in _SHARDED or stack is None:
        return

    def made(changed: Trial) -> Trial:
        pins = replace(changed.pins, zero_stage=_ZERO3)
        return replace(changed, pins=pins, card=with_stack(changed.card, stack, catalogue))

    yield Option(Change(ChangeKind.ZERO, f"{_ZERO3} ({stack.id})"), made)


def _split(trial: Trial, _: Catalogue) -> Iterator[Option]:
    """Yield tensor parallelism and a pipeline where the model was to stay whole."""
    stack, pins = trial.card.device.stack, trial.pins
    able = stack.sharding not in _SHARDED or stack.pipeline_with_zero3
    if able and (pins.tp == 1 or pins.pp == 1):
        released = " ".join(name for name in ("tp", "pp") if getattr(pins, name) == 1)
        yield _pinned(ChangeKind.SPLIT, released, _without_ones)


def _without_ones(pins: LayoutPins) -> LayoutPins:
    """Return pins under which a model that was to stay whole may be split."""
    return replace(pins, tp=None if pins.tp == 1 else pins.tp, pp=None if pins.pp == 1 else pins.pp)


def _offload(trial: Trial, _: Catalogue) -> Iterator[Option]:
    """Yield states in host memory, weights too where they are sharded."""
    pins = trial.pins
    if pins.offload in {None, Offload.NONE}:
        yield _pinned(
            ChangeKind.OFFLOAD,
            Offload.OPTIMIZER.value,
            lambda old: replace(old, offload=Offload.OPTIMIZER),
        )
    if pins.offload is not Offload.WEIGHTS and pins.zero_stage in {None, _ZERO3}:
        yield _pinned(
            ChangeKind.OFFLOAD,
            Offload.WEIGHTS.value,
            lambda old: replace(old, offload=Offload.WEIGHTS, zero_stage=_ZERO3),
        )


def _more_host_memory(trial: Trial, _: Catalogue) -> Iterator[Option]:
    """Yield as much host memory as a pinned offload needs; what it needs is stated with the way."""
    if (
        trial.pins.offload in {Offload.OPTIMIZER, Offload.WEIGHTS}
        and trial.card.host_memory_bytes is not None
    ):

        def made(changed: Trial) -> Trial:
            return replace(changed, card=replace(changed.card, host_memory_bytes=None))

        yield Option(Change(ChangeKind.HOST, ""), made)


def _adapters(trial: Trial, catalogue: Catalogue) -> Iterator[Option]:
    """Yield adapters in place of full training, and a 4-bit base under them."""
    order = (Task.LORA, Task.QLORA)
    now = trial.workload.task
    tasks = order[order.index(now) + 1 :] if now in order else order
    stack = trial.card.device.adapter_stack
    for task in tasks:
        yield Option(Change(ChangeKind(task.value), task.value), _trained(task, stack, catalogue))


def _trained(task: Task, stack: SoftwareStack | None, catalogue: Catalogue) -> Callable[[Trial], Trial]:
    def made(trial: Trial) -> Trial:
        card = trial.card if stack is None else with_stack(trial.card, stack, catalogue)
        return replace(trial, card=card, workload=replace(trial.workload, task=task))

    return made


def _shorter(trial: Trial, _: Catalogue) -> Iterator[Option]:
    """Yield the longest sequence that fits."""
    longest = longest_sequence(trial)
    if longest is not None and longest < trial.workload.sequence_length:

        def made(changed: Trial) -> Trial:
            return replace(changed, workload=replace(changed.workload, sequence_length=longest))

        yield Option(Change(ChangeKind.SEQUENCE, str(longest)), made)


def _more_cards(trial: Trial, _: Catalogue) -> Iterator[Option]:
    """Yield the fewest cards that hold the model, where they are more."""
    cards = fewest_cards(trial)
    if cards is not None and cards > trial.cards:

        def made(changed: Trial) -> Trial:
            return replace(changed, cards=cards)

        yield Option(Change(ChangeKind.CARDS, str(cards)), made)


def _larger_card(trial: Trial, catalogue: Catalogue) -> Iterator[Option]:
    """Yield cards of the vendor with more memory, the smallest first; of any vendor for a generic card."""
    own = trial.card.device.accelerator

    def room(one: Accelerator) -> float:
        return usable_memory(one)[0]

    larger = [
        one
        for one in catalogue.all(Accelerator)
        if one.trains
        and own.vendor in {one.vendor, GENERIC}
        and one.dies == own.dies
        and room(one) > room(own)
    ]
    for one in sorted(larger, key=lambda device: (room(device), device.id)):
        yield Option(Change(ChangeKind.CARD, one.id), _replaced(one))


def _replaced(accelerator: Accelerator) -> Callable[[Trial], Trial]:
    def made(trial: Trial) -> Trial:
        return replace(trial, card=with_memory(trial.card, accelerator))

    return made


STEPS: Final = (
    Step(_chunked_loss, cheap=True),
    Step(_recompute, cheap=True),
    Step(_micro_batch, cheap=True),
    Step(_zero, cheap=True),
    Step(_split, cheap=True),
    Step(_offload, cheap=True),
    Step(_more_host_memory, alone=True),
    Step(_adapters),
    Step(_shorter),
    Step(_more_cards),
    Step(_larger_card),
)
"""Kinds of change in the order of what they cost: first time, then quality, then money."""
