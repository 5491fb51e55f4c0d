"""A sizing on a network that is slower than the estimate's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import sizing

from suanli.estimation.slowing import slowed

PLAIN = sizing()


@given(ratio=st.floats(1.0, 10.0))
def test_rates_fall_and_durations_stretch_by_the_ratio_of_the_steps(ratio: float) -> None:
    slow = slowed(PLAIN, PLAIN.step.total_s * ratio)
    assert slow.step.total_s == pytest.approx(PLAIN.step.total_s * ratio)
    for name in ("duration_s", "tokens_per_s_per_accelerator", "mfu"):
        before, after = getattr(PLAIN, name), getattr(slow, name)
        factor = ratio if name == "duration_s" else 1 / ratio
        ends = ("p10", "p50", "p90")
        assert [getattr(after, end) for end in ends] == pytest.approx(
            [factor * getattr(before, end) for end in ends]
        )
    assert slow.ideal_s == pytest.approx(PLAIN.ideal_s * ratio)
    assert (slow.memory, slow.layout, slow.nodes) == (PLAIN.memory, PLAIN.layout, PLAIN.nodes)


def test_what_is_added_is_communication_that_is_waited_for() -> None:
    slow = slowed(PLAIN, PLAIN.step.total_s + 2.0)
    assert slow.step.dp_exposed_s == pytest.approx(PLAIN.step.dp_exposed_s + 2.0)
    assert slow.step.communication_share > PLAIN.step.communication_share
    assert slow.step.compute_s == PLAIN.step.compute_s


@pytest.mark.parametrize("step_s", [0.0, 1e-9, PLAIN.step.total_s])
def test_a_network_that_is_no_slower_changes_nothing(step_s: float) -> None:
    assert slowed(PLAIN, step_s) is PLAIN
