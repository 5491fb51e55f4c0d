"""What is left open: the fewest cards that hold a model, and the longest sequence that fits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from suanli.estimation.space import Depth
from suanli.fitting.trial import holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from suanli.fitting.trial import Trial

__all__ = ["fewest_cards", "longest_sequence"]

_MOST_CARDS: Final = 32768
_SEQUENCE_STEP: Final = 256
_LONGEST: Final = 1 << 20


def _least(able: Callable[[int], bool], most: int) -> int | None:
    """Return the least number from 1 for which something holds that holds for every larger one too."""
    low, high = 0, 1
    while not able(high):
        low, high = high, 2 * high
        if low >= most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if able(middle) else (middle, high)
    return high


def fewest_cards(trial: Trial) -> int | None:
    """Return the fewest cards on which some layout keeps the reserve; None where no number does.

    Cards of one server are counted singly, beyond it in whole servers. More cards always hold what fewer do,
    because a layout may leave some idle.
    """
    per_server = trial.card.per_server

    def on(cards: int) -> bool:
        return holds(replace(trial, cards=cards))

    if on(per_server):
        found = _least(on, per_server) or per_server
    else:
        servers = _least(lambda count: on(count * per_server), _MOST_CARDS // per_server)
        if servers is None:
            return None
        found = servers * per_server
    return _with_every_layout(trial, found)


def _with_every_layout(trial: Trial, cards: int) -> int:
    """Return the fewest cards where the whole space of layouts is looked at."""
    step = 1 if cards <= trial.card.per_server else trial.card.per_server
    while cards > step and holds(replace(trial, cards=cards - step), Depth.FULL):
        cards -= step
    return cards


def longest_sequence(trial: Trial) -> int | None:
    """Return the longest sequence that keeps the reserve, in whole steps of 256 tokens; None where none does.

    It is what memory holds; whether the model was trained for as long a context is another question.
    """
    # Where only the whole space of layouts has one, the usual ones say nothing.
    depth = Depth.COARSE if holds(trial) else Depth.FULL

    def fails(steps: int) -> bool:
        longer = replace(trial.workload, sequence_length=steps * _SEQUENCE_STEP)
        return not holds(replace(trial, workload=longer), depth)

    if fails(1):
        return None
    too_long = _least(fails, _LONGEST // _SEQUENCE_STEP)
    return _LONGEST if too_long is None else (too_long - 1) * _SEQUENCE_STEP
