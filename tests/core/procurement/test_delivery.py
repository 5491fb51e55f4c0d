"""The delivery plan: tasks follow one another, and an unknown length is never counted as none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suanli.procurement.delivery import Placed, Task, Window, placed

WINDOWS = st.tuples(st.integers(0, 90), st.integers(0, 90)).map(lambda pair: Window(min(pair), sum(pair)))


@st.composite
def plans(draw: st.DrawFn, *, unknown: bool = True) -> list[Task]:
    tasks: list[Task] = []
    for number in range(draw(st.integers(1, 8))):
        before = draw(st.lists(st.sampled_from(tasks), max_size=2, unique=True)) if tasks else []
        days = draw(st.none() | WINDOWS if unknown else WINDOWS)
        tasks.append(Task(f"t{number}", days, tuple(task.key for task in before)))
    return tasks


def by_key(found: tuple[Placed, ...]) -> dict[str, Placed]:
    return {one.task.key: one for one in found}


@given(plans(unknown=False))
def test_no_task_begins_before_those_before_it_end(tasks: list[Task]) -> None:
    found = by_key(placed(tasks))
    for one in found.values():
        assert one.start is not None
        assert one.end is not None
        for key in one.task.after:
            before = found[key].end
            assert before is not None
            assert one.start.low >= before.low
            assert one.start.high >= before.high
        assert one.end.low <= one.end.high


@given(plans())
def test_behind_an_unknown_length_nothing_counts_from_the_order(tasks: list[Task]) -> None:
    found = by_key(placed(tasks))
    for one in found.values():
        blind = any(found[key].end is None for key in one.task.after)
        assert (one.start is None) == blind
        assert bool(one.since) == blind
        if blind:
            assert found[one.since].task.days is None
        if one.task.days is None:
            assert one.end is None
            assert one.end_since is None


def test_days_count_from_the_end_of_the_unknown_task() -> None:
    tasks = [
        Task("order", Window(0, 0)),
        Task("goods", None, ("order",)),
        Task("work", Window(10, 12), ("goods",)),
        Task("test", Window(3, 3), ("work",)),
    ]
    found = by_key(placed(tasks))
    assert found["test"].since == "goods"
    assert (found["test"].start_since, found["test"].end_since) == (Window(10, 12), Window(13, 15))


def test_a_task_cannot_follow_one_that_comes_later() -> None:
    with pytest.raises(ValueError, match="t2, which does not stand before it"):
        placed([Task("t1", Window(1, 1), ("t2",))])
