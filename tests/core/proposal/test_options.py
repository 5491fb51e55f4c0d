"""Options as they are shown: feasible with all views, or failed with what binds and the ways out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.factories import accelerator, catalogue, requirement, server, shop, sizing

from suanli.costing.build import build_ledger
from suanli.domain.figure import Source
from suanli.domain.hardware import Precision
from suanli.estimation.results import Constraint, Infeasible, Range, Remedy, RemedyKind
from suanli.planning.cluster import plan_cluster
from suanli.proposal.model import Option, Verdict
from suanli.proposal.money_view import Books
from suanli.proposal.options import Failed, costed_option, failed_option
from suanli.proposal.references import References

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement

DAY_S = 86_400.0
BASE = requirement()
DOCUMENT = Source(id="src", title="Data sheet", publisher="Acme", retrieved=date(2026, 11, 1))


def failed(verdict: Infeasible, asked: Requirement = BASE, **chip: object) -> Option:
    known = catalogue(*shop(), DOCUMENT)
    device = accelerator().model_copy(update=chip)
    return failed_option("B", Failed(device, server(), verdict), asked, known, References(known))


def costed(asked: Requirement = BASE, *, days: float = 100, **chip: object) -> Option:
    known = catalogue(*shop(), DOCUMENT)
    size = replace(sizing(), duration_s=Range(days * 0.9 * DAY_S, days * DAY_S, days * 1.2 * DAY_S))
    device = replace(size.device, accelerator=size.device.accelerator.model_copy(update=chip))
    plan = plan_cluster(replace(size, device=device), asked, known)
    books = Books.of(build_ledger([("A", plan)], asked, known), asked.commercial, References(known))
    return costed_option(
        "A", plan, Verdict.RECOMMENDED, requirement=asked, books=books, stale={}, catalogue=known
    )


@pytest.mark.parametrize(
    ("constraint", "need", "have", "unit", "shown"),
    [
        (Constraint.MEMORY, 96e9, 80e9, "GB", ("96.0", "80.0")),
        (Constraint.DEADLINE, 150 * DAY_S, 120 * DAY_S, "day", ("150", "120")),
        (Constraint.BATCH, 512, 256, "sequence", ("512", "256")),
        (Constraint.BUDGET, 2e8, 1e8, "CNY", ("200000000", "100000000")),
        (Constraint.NODE, 16, 8, "device", ("16.0", "8.00")),
        (Constraint.NETWORK, 0.3, 0.1, "share", ("0.300", "0.100")),
        (Constraint.PINNED, 64, 32, "device", ("64.0", "32.0")),
    ],
)
def test_what_binds_is_shown_in_its_own_unit(
    constraint: Constraint, need: float, have: float, unit: str, shown: tuple[str, str]
) -> None:
    option = failed(Infeasible(constraint, need=need, have=have))
    assert option.verdict is Verdict.INFEASIBLE
    assert option.binding is constraint
    assert option.shortfall is not None
    assert tuple(str(figure.value) for figure in option.shortfall) == shown
    assert {figure.unit for figure in option.shortfall} == {unit}


@pytest.mark.parametrize("constraint", [Constraint.CALIBRATION, Constraint.PRECISION])
def test_a_missing_figure_is_not_computable_rather_than_infeasible(constraint: Constraint) -> None:
    option = failed(Infeasible(constraint, need=1.0, have=0.0))
    assert option.verdict is Verdict.NOT_COMPUTABLE
    assert option.shortfall is None


@pytest.mark.parametrize(
    ("remedy", "value", "unit"),
    [
        (Remedy(RemedyKind.MORE_TIME, 150.1234 * DAY_S), "151", "day"),
        (Remedy(RemedyKind.MORE_ACCELERATORS, 1032.0), "1032", "device"),
        (Remedy(RemedyKind.FEWER_TOKENS, 219_700_993_455.0), "219000000000", "token"),
        (Remedy(RemedyKind.MORE_BUDGET, 123_456_789.0), "124000000", "CNY"),
        (Remedy(RemedyKind.LARGER_MEMORY, 81.234e9), "81.3", "GB"),
        (Remedy(RemedyKind.LARGER_BATCH, 2048.0), "2048", "sequence"),
        (Remedy(RemedyKind.SHORTER_SEQUENCE, 2048.0), "2048", "token"),
    ],
)
def test_a_way_out_is_rounded_to_the_side_on_which_it_still_is_one(
    remedy: Remedy, value: str, unit: str
) -> None:
    (view,) = failed(Infeasible(Constraint.DEADLINE, 1.0, 1.0, remedies=(remedy,))).remedies
    assert view.value is not None
    assert str(view.value.value) == value
    assert view.value.unit == unit


def test_fewer_tokens_are_those_of_one_epoch_as_a_project_states_them() -> None:
    asked = replace(BASE, workload=replace(BASE.workload, epochs=2.0))
    remedy = Remedy(RemedyKind.FEWER_TOKENS, 4e11)
    (view,) = failed(Infeasible(Constraint.DEADLINE, 1.0, 1.0, remedies=(remedy,)), asked).remedies
    assert view.value is not None
    assert view.value.value == Decimal(200_000_000_000)


def test_a_way_out_without_a_number_keeps_its_words() -> None:
    remedy = Remedy(RemedyKind.RECOMPUTE, detail="full")
    (view,) = failed(Infeasible(Constraint.MEMORY, 1.0, 1.0, remedies=(remedy,))).remedies
    assert (view.kind, view.value, view.detail) == (RemedyKind.RECOMPUTE, None, "full")


def test_a_device_without_server_or_peak_shows_what_is_known() -> None:
    known = catalogue(*shop())
    chip = accelerator().model_copy(update={"dense_peak": {}})
    verdict = Infeasible(Constraint.CALIBRATION, 1.0, 0.0)
    option = failed_option("C", Failed(chip, None, verdict), BASE, known, References(known))
    assert (option.server, option.server_name, option.peak) == ("", chip.name, None)
    assert option.memory_nominal is not None
    assert option.memory_nominal.value == Decimal("80.0")


@pytest.mark.parametrize(("days", "met"), [(99, True), (101, False)])
def test_the_slow_end_decides_whether_the_deadline_is_met(days: float, met: bool) -> None:  # noqa: FBT001
    # 120 days at P90, which is 1.2 times the median here.
    assert costed(days=days).deadline_met is met


def test_without_a_deadline_nothing_is_said_of_it() -> None:
    assert costed(replace(BASE, workload=replace(BASE.workload, deadline_s=None))).deadline_met is None


def test_a_feasible_option_has_every_view() -> None:
    option = costed()
    assert option.money is not None
    assert option.fabric is not None
    assert option.storage is not None
    assert option.power is not None
    assert option.energy is not None
    assert option.layout is not None
    assert option.peak is not None
    assert option.peak.value == Decimal(1000)
    assert option.peak.refs == ("S1",)
    assert [row.id for row in option.bill][:1] == ["servers"]


def test_a_precision_without_a_peak_has_none_to_show() -> None:
    peaks = {Precision.FP8: accelerator().dense_peak[Precision.BF16]}
    assert costed(dense_peak=peaks).peak is None
