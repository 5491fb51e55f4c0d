"""The whole answer to a question about memory: method, fewest cards, longest sequence, ways out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from suanli.domain.workload import Task
from suanli.fitting.limits import fewest_cards, longest_sequence
from suanli.fitting.trial import place
from suanli.fitting.ways import ways_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import LayoutPins
    from suanli.fitting.trial import Placed, Trial
    from suanli.fitting.ways import Way

__all__ = ["METHODS", "Answer", "answer", "chosen", "whole_model"]

METHODS: Final = {
    "full": Task.FULL_FINETUNE,
    "lora": Task.LORA,
    "qlora": Task.QLORA,
    "pretrain": Task.PRETRAIN,
}
"""Methods by the word that people use for them; the first three are compared where none is named."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one method."""

    method: str
    placed: Placed
    fewest_cards: int | None
    """None where no number of cards holds the model in this way."""
    longest_sequence: int | None = None
    """Longest sequence on the same cards; None where none fits, or it was not asked for."""
    ways: tuple[Way, ...] = ()


def whole_model(pins: LayoutPins) -> LayoutPins:
    """Return pins under which sharding alone divides the model, where only a ZeRO stage is asked for."""
    free = all(size is None for size in (pins.tp, pins.pp, pins.cp, pins.ep))
    return replace(pins, tp=1, pp=1, cp=1, ep=1) if pins.zero_stage is not None and free else pins


def answer(trial: Trial, method: str, catalogue: Catalogue, *, cards_open: bool, longest: bool) -> Answer:
    """Return what a method takes.

    Args:
        trial: the question; its number of cards is only a start where it is open.
        method: word for what is trained.
        catalogue: other stacks and larger cards, for the ways out.
        cards_open: whether the fewest cards are to be taken.
        longest: whether the longest sequence is asked for.
    """
    fewest = fewest_cards(trial)
    if cards_open and fewest is not None:
        trial = replace(trial, cards=fewest)
    placed = place(trial)
    return Answer(
        method,
        placed,
        fewest,
        longest_sequence(trial) if longest else None,
        () if placed.fits else ways_out(trial, catalogue),
    )


def chosen(answers: Sequence[Answer]) -> Answer:
    """Return the answer to show in full: the first method that fits, on fewest cards where they are open.

    Methods stand in the order of what they can do, so that the first that fits gives up least.

    Raises:
        ValueError: there is no answer.
    """
    if not answers:
        raise ValueError("there is nothing to choose from")
    return next((one for one in answers if one.placed.fits_somehow), answers[0])
