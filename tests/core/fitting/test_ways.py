"""Ways out: tried through the model, from what costs least, and with nothing that is not needed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from tests.core.built_in import host
from tests.core.estimation.estimation_cases import model, requirement, workload

from suanli.domain.workload import LayoutPins, Offload, Recompute, Task
from suanli.estimation.memory import RESERVE_SHARE
from suanli.fitting.answer import answer, chosen, whole_model
from suanli.fitting.changes import STEPS, ChangeKind
from suanli.fitting.devices import card_of, memory_figure, with_host_memory
from suanli.fitting.limits import fewest_cards, longest_sequence
from suanli.fitting.trial import FitVerdict, Trial, holds, place
from suanli.fitting.ways import ways_out

ORDER = list(ChangeKind)


@cache
def trial(  # noqa: PLR0913, PLR0917 - one argument a part of the question
    memory: str = "24GB",
    cards: int = 8,
    task: Task = Task.FULL_FINETUNE,
    pins: LayoutPins = LayoutPins(zero_stage=3, micro_batch_size=1),  # noqa: B008 - frozen
    length: int = 2048,
    name: str = "llama-3-8b",
) -> Trial:
    job = workload(task, length, 128)
    wanted = requirement(model(name), job, pins=whole_model(pins))
    card = card_of(wanted, host().catalogue, memory=memory_figure(memory))
    return Trial(card, model(name), job, wanted.pins, cards)


QUESTIONS = {
    "states too large": trial(),
    "nothing recomputed": trial(
        "40GB", pins=LayoutPins(zero_stage=3, recompute=Recompute.NONE), length=16384
    ),
    "large micro-batch": trial("40GB", pins=LayoutPins(zero_stage=3, micro_batch_size=16), length=8192),
    "copies": trial("64GB", pins=LayoutPins(zero_stage=0, micro_batch_size=1)),
    "adapters of a large model": trial("24GB", 1, Task.LORA, name="llama-2-13b"),
    "long sequence": trial("24GB", 1, Task.QLORA, length=131072),
    "nothing but more cards": trial("16GB", 2, pins=LayoutPins(zero_stage=3), name="llama-2-70b"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_way_out_keeps_the_reserve_and_says_the_peak_it_was_tried_with(name: str) -> None:
    asked = QUESTIONS[name]
    assert place(asked).verdict is FitVerdict.DOES_NOT_FIT or not place(asked).fits
    ways = ways_out(asked, host().catalogue)
    assert ways
    for way in ways:
        again = place(way.placed.trial)
        assert again.verdict is FitVerdict.FITS
        assert again.peak_bytes == way.placed.peak_bytes
        assert again.peak_bytes <= (1 - RESERVE_SHARE) * way.placed.trial.usable_bytes


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_ways_stand_in_the_order_of_what_they_cost(name: str) -> None:
    kinds = [ORDER.index(way.changes[-1].kind) for way in ways_out(QUESTIONS[name], host().catalogue)]
    assert kinds == sorted(kinds)


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_way_holds_a_change_that_it_does_without(name: str) -> None:
    catalogue = host().catalogue
    for way in ways_out(QUESTIONS[name], catalogue, count=9):
        for left_out in way.changes:
            changed = QUESTIONS[name]
            for kept in way.changes:
                if kept is left_out:
                    continue
                options = [one for step in STEPS for one in step.options(changed, catalogue)]
                option = next(one for one in options if one.change == kept)
                changed = option.made(changed)
            assert not holds(changed), (way.changes, left_out)


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [
        ("states too large", ChangeKind.OFFLOAD, "optimizer"),
        ("nothing recomputed", ChangeKind.RECOMPUTE, "full"),
        ("copies", ChangeKind.ZERO, "2"),
        ("long sequence", ChangeKind.SEQUENCE, ""),
    ],
)
def test_the_expected_way_is_among_them(name: str, kind: ChangeKind, value: str) -> None:
    changes = {
        one.kind: one.value
        for way in ways_out(QUESTIONS[name], host().catalogue, count=9)
        for one in way.changes
    }
    assert kind in changes
    assert value in changes[kind]


def test_a_model_that_fits_has_no_ways_out_in_its_answer() -> None:
    found = answer(trial("80GB"), "full", host().catalogue, cards_open=False, longest=False)
    assert found.placed.fits
    assert found.ways == ()
    assert chosen([found]) is found


def test_nothing_can_be_chosen_from_nothing() -> None:
    with pytest.raises(ValueError, match="nothing to choose from"):
        chosen([])


def test_more_cards_never_need_more_memory_and_the_fewest_are_the_fewest() -> None:
    asked = trial("40GB")
    fewest = fewest_cards(asked)
    assert fewest is not None
    assert holds(replace(asked, cards=fewest))
    assert not holds(replace(asked, cards=fewest - 1))
    assert all(holds(replace(asked, cards=count)) for count in range(fewest, 17))


def test_copies_fit_on_no_number_of_cards() -> None:
    assert fewest_cards(QUESTIONS["copies"]) is None


def test_the_longest_sequence_is_in_steps_of_256_and_none_where_the_states_alone_are_too_large() -> None:
    longest = longest_sequence(trial("80GB"))
    assert longest is not None
    assert longest % 256 == 0
    assert longest_sequence(QUESTIONS["nothing but more cards"]) is None


def test_known_host_memory_is_kept_and_unknown_host_memory_is_only_told() -> None:
    pins = LayoutPins(zero_stage=3, micro_batch_size=1, offload=Offload.OPTIMIZER)
    asked = trial(pins=pins)
    free = place(asked)
    assert free.fits
    assert free.host_bytes > 0
    enough = replace(asked, card=with_host_memory(asked.card, free.host_bytes * 1.01))
    assert place(enough).fits
    short = replace(asked, card=with_host_memory(asked.card, free.host_bytes * 0.5))
    assert place(short).binding == "host-memory"
    assert place(short).verdict is FitVerdict.DOES_NOT_FIT


def test_a_stage_is_taken_over_the_whole_model_unless_a_split_is_pinned() -> None:
    assert whole_model(LayoutPins(zero_stage=2)).tp == 1
    assert whole_model(LayoutPins(zero_stage=2, pp=4)).tp is None
    assert whole_model(LayoutPins()).tp is None


def test_a_peak_of_loading_is_held_against_the_reserve_as_well() -> None:
    job = workload(Task.QLORA, 2048, 128)
    wanted = requirement(model("deepseek-v3"), job, pins=LayoutPins(micro_batch_size=1))
    card = card_of(wanted, host().catalogue, accelerator="ascend-910c")
    asked = Trial(card, model("deepseek-v3"), job, wanted.pins, 8)
    fewest = fewest_cards(asked)
    assert fewest is not None
    assert place(replace(asked, cards=fewest)).verdict is FitVerdict.FITS
    # A layer of 256 experts is in 16 bit before it is quantised: on fewer cards the step would fit.
    fewer = place(replace(asked, cards=fewest - 1))
    allowed = (1 - RESERVE_SHARE) * asked.usable_bytes
    assert fewer.phases["step"].total <= allowed < fewer.phases["load"].total
    assert fewer.verdict is not FitVerdict.FITS
