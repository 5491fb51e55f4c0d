"""The acceptance plan as it is shown: pass values that the plan's own figures reach, commands filled in."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import host, proposal
from tests.core.planning.test_acceptance import GB, check
from tests.factories import catalogue, goodput, number, requirement, shop, sizing

from suanli.domain.figure import Source
from suanli.domain.vendor import AcceptanceBasis, AcceptancePhase
from suanli.planning.acceptance.results import BoundKind
from suanli.planning.cluster import plan_cluster
from suanli.proposal.acceptance_view import acceptance_view
from suanli.proposal.references import References

if TYPE_CHECKING:
    from suanli.domain.record import Record
    from suanli.proposal.model import Option, TestView

DOCUMENT = Source(id="src", title="Data sheet", publisher="Acme", retrieved=date(2026, 11, 1))


def views(*records: Record, nodes: int = 4) -> tuple[TestView, ...]:
    known = catalogue(*shop(), DOCUMENT, *records)
    asked = requirement()
    return acceptance_view(plan_cluster(sizing(nodes), asked, known), asked, known, References(known))


def test_a_published_threshold_is_shown_in_its_own_unit_with_its_source() -> None:
    (view,) = views(check(threshold=number(0.95), source="src"))
    assert view.threshold is not None
    assert (view.threshold.value, view.threshold.unit) == (Decimal("0.95"), "fraction")
    assert (view.bound, view.refs) == (BoundKind.PUBLISHED, ("S1",))


def test_a_round_published_value_is_not_written_with_an_exponent() -> None:
    (view,) = views(check(basis=AcceptanceBasis.INTRA_NODE, threshold={"value": 500, **GB}))
    assert view.threshold is not None
    assert str(view.threshold.value) == "500"


def test_a_training_pilot_passes_at_the_slow_end_of_the_estimate() -> None:
    (view,) = views(check(basis=AcceptanceBasis.PILOT, phase=AcceptancePhase.PILOT))
    assert view.threshold is not None
    assert (view.threshold.value, view.threshold.unit) == (Decimal(900), "tokens/s")
    assert view.expected is not None
    assert (view.expected.low, view.expected.high) == (Decimal(900), Decimal(1100))


def test_a_test_with_neither_value_nor_basis_is_yes_or_no() -> None:
    (view,) = views(check())
    assert (view.threshold, view.bound) == (None, BoundKind.PASS_FAIL)


def test_counts_are_put_into_the_command() -> None:
    (view,) = views(check(command="run -n {ranks} -p {per_node} over {nodes} of {ITEM}"))
    assert view.command == "run -n 32 -p 8 over 4 of {ITEM}"
    assert view.ranks_per_node == 8


def test_prerequisites_are_named_as_far_as_they_are_in_the_plan() -> None:
    shown = views(
        check("first", order=1),
        check("second", order=2, prerequisites=("first", "wide")),
        check("wide", order=3, least_nodes=99),
    )
    assert [[name.en for name in view.prerequisites] for view in shown] == [[], ["first"]]


def detailed(name: str) -> list[tuple[Option, TestView]]:
    shown = proposal(name)
    return [(option, view) for option in shown.options for view in option.acceptance]


@pytest.mark.parametrize("name", ["lora-13b", "pretrain-70b"])
def test_pass_values_of_an_example_are_the_figures_shown_elsewhere_in_the_document(name: str) -> None:
    seen: set[AcceptanceBasis] = set()
    for option, view in detailed(name):
        if view.threshold is None:
            continue
        pilot, power = option.tokens_per_s_per_accelerator, option.power
        if view.basis is AcceptanceBasis.PILOT and pilot is not None and pilot.low is not None:
            assert view.threshold.value <= pilot.low + 1
            assert view.threshold.value == pytest.approx(pilot.low, rel=Decimal("0.002"))
        elif view.basis is AcceptanceBasis.SERVER_POWER and power is not None and power.server_peak:
            assert view.threshold.value >= power.server_peak.value
            assert view.threshold.value == pytest.approx(power.server_peak.value, rel=Decimal("0.01"))
        elif view.basis is AcceptanceBasis.PUE:
            assert view.threshold.value == proposal(name).site_pue.value
        else:
            continue
        seen.add(view.basis)
    assert {AcceptanceBasis.PILOT, AcceptanceBasis.PUE} <= seen


@pytest.mark.parametrize("name", ["lora-13b", "pretrain-70b"])
def test_no_example_shows_a_ladder_that_rises_or_a_pass_value_above_what_is_expected(name: str) -> None:
    for _, view in detailed(name):
        values = [rung.threshold.value for rung in view.rungs]
        assert values == sorted(values, reverse=True)
        for rung in view.rungs:
            assert rung.unhealthy.value < rung.threshold.value < rung.expected.value <= rung.line.value
        if view.expected is not None and view.expected.high is not None and view.threshold is not None:
            assert view.at_most or view.threshold.value <= view.expected.high


def test_cross_node_tests_are_left_out_of_a_cluster_of_one_server() -> None:
    known = host().catalogue
    asked = requirement()
    plan = plan_cluster(sizing(1), asked, known)
    phases = {view.phase for view in acceptance_view(plan, asked, known, References(known))}
    assert AcceptancePhase.CROSS_NODE not in phases
    assert AcceptancePhase.SINGLE_NODE in phases


@pytest.mark.parametrize("terabytes", [0.98, 1.0185, 1.12, 5.67, 0.0234])
def test_a_storage_that_passes_its_write_test_saves_a_checkpoint_in_time(terabytes: float) -> None:
    point = replace(goodput(checkpoint_bytes=terabytes * 1e12), checkpoint_write_s=30.0)
    write = check(basis=AcceptanceBasis.STORAGE_WRITE, phase=AcceptancePhase.STORAGE)
    save = check("save", basis=AcceptanceBasis.CHECKPOINT_SAVE, phase=AcceptancePhase.STORAGE)
    known, asked = catalogue(*shop(), DOCUMENT, write, save), requirement()
    plan = plan_cluster(replace(sizing(8), goodput=point), asked, known)
    found = {one.basis: one.threshold for one in acceptance_view(plan, asked, known, References(known))}
    rate, time = found[AcceptanceBasis.STORAGE_WRITE], found[AcceptanceBasis.CHECKPOINT_SAVE]

    assert rate is not None
    assert time is not None
    scale = {"GB/s": 10**9, "MB/s": 10**6}[rate.unit]
    assert Decimal(repr(terabytes)) * 10**12 / (rate.value * scale) <= time.value
