"""What an option shows of its sizing is rounded once, and says what it rests on."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from tests.factories import catalogue, device, shop, sizing

from suanli.domain.figure import Grade
from suanli.estimation.results import ParetoPoint, Sizing, StepTime
from suanli.proposal.references import References
from suanli.proposal.sizing_view import SizingFields, sizing_fields


def fields(size: Sizing | None = None) -> SizingFields:
    return sizing_fields(size or sizing(), References(catalogue(*shop())))


def test_alternatives_are_shown_rounded_in_their_order() -> None:
    size = sizing()
    points = tuple(
        ParetoPoint(replace(size.layout, recompute_layers=layers), 32, 1.23456, rate, 5.5555e10, 0.31259)
        for layers, rate in ((None, 123456.0), (3, 98765.0))
    )
    shown = fields(replace(size, pareto=points))["pareto"]
    assert [one.tokens_per_s for one in shown] == [Decimal(123456), Decimal(98765)]
    assert [one.layout.recompute_layers for one in shown] == [None, 3]
    assert (shown[0].step_s, shown[0].memory_gb) == (Decimal("1.23"), Decimal("55.56"))
    assert shown[0].memory_headroom == Decimal("0.313")


def test_memory_is_shown_by_part_in_gigabytes() -> None:
    shown = fields()
    assert {part.key: part.value for part in shown["memory"]} == {
        "weights": Decimal("10.00"),
        "gradients": Decimal("10.00"),
        "optimizer": Decimal("10.00"),
        "activations": Decimal("10.00"),
        "logits": Decimal("1.00"),
        "buffers": Decimal("1.00"),
    }
    assert shown["memory_total"].value == Decimal("42.0")


@pytest.mark.parametrize(("measured", "grade"), [(True, Grade.DIRECT), (False, Grade.WEAK)])
def test_usable_memory_that_was_not_measured_is_marked(measured: bool, grade: Grade) -> None:  # noqa: FBT001
    size = sizing()
    memory = replace(size.memory, usable_measured=measured)
    assert fields(replace(size, memory=memory))["memory_usable"].grade is grade


@pytest.mark.parametrize(("seconds", "value"), [(12.3456, "12.35"), (1.23456, "1.235")])
def test_a_long_step_is_shown_to_a_hundredth_of_a_second(seconds: float, value: str) -> None:
    size = replace(sizing(), step=StepTime(seconds, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    (part,) = fields(size)["step"]
    assert (part.key, str(part.value)) == ("compute", value)


def test_parts_of_a_step_that_take_no_time_are_left_out_and_the_order_is_kept() -> None:
    size = replace(sizing(), step=StepTime(1, 0.5, 0.1, 0, 0, 0.2, 0, 0.3, 0, 0.05))
    assert [part.key for part in fields(size)["step"]] == ["compute", "recompute", "tp", "pp", "dp", "other"]


def test_a_calibration_of_a_sibling_marks_the_utilisation() -> None:
    chip = device()
    borrowed = replace(chip, calibration=chip.calibration.model_copy(update={"sibling": "h100-sxm"}))
    assert fields(sizing(chip=borrowed))["mfu"].grade is Grade.SIBLING
    assert fields()["mfu"].grade is None


def test_other_sizes_and_rejections_are_shown_sorted() -> None:
    size = replace(
        sizing(), alternatives=((32, 86_400.0), (64, 43_200.0)), rejected={"memory": 3, "batch": 1}
    )
    shown = fields(size)
    assert shown["scaling"] == ((32, Decimal("1.00")), (64, Decimal("0.500")))
    assert list(shown["rejected"]) == ["batch", "memory"]


def test_the_range_of_a_device_stands_beside_its_median() -> None:
    days = fields()["days"]
    assert days.low is not None
    assert days.high is not None
    assert days.low < days.value < days.high
