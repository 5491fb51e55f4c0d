"""Published costs, energy, carbon and finance, each computed by the library under the case's convention."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.reference.cost_answers import (
    ANSWERS,
    KG_PER_T,
    at_the_price_that_a_total_implies,
    cluster,
    purchase,
    serving,
)
from tests.reference.cost_cases import (
    CostCase,
    assert_given,
    cost_cases,
    meets,
    naive_readings,
    outside,
    wanted_results,
)

from suanli.domain.money import round_half_up
from suanli.finance import depreciation
from suanli.finance.cluster_cost import (
    implied_node_price,
    lifetime_cost,
)
from suanli.finance.emissions import run_carbon, run_energy
from suanli.finance.time_value import present_value
from suanli.finance.training_cost import (
    InterconnectBasis,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.reference.cost_cases import Reading, Result


@wanted_results()
def test_a_published_result_comes_out_within_its_tolerance(result: Result) -> None:
    assert_given(ANSWERS[result.case.id](result.case)[result.wanted.name], result.wanted)


def test_every_published_case_is_asked() -> None:
    assert set(ANSWERS) == set(cost_cases())
    assert len(cost_cases()) == 53


def naive_mark_up(case: CostCase) -> float:
    found = purchase(case, InterconnectBasis.SERVERS)["purchase"]
    assert isinstance(found, Decimal)
    return float(found)


def naive_row(case: CostCase) -> float:
    found = at_the_price_that_a_total_implies(case)["published_total"]
    assert isinstance(found, Decimal)
    return float(found)


def naive_whole_servers(case: CostCase) -> float:
    found = serving(case)["year_for_whole_servers"]
    assert isinstance(found, Decimal)
    return float(found)


def naive_without_pue(case: CostCase) -> float:
    energy = run_energy(case.number("gpu_hours"), case.number("power_w_per_gpu")).facility_kwh
    return run_carbon(energy, case.number("grid_kg_per_kwh")).total_kg / KG_PER_T


def naive_clock(case: CostCase) -> float:
    return run_energy(case.number("hours"), case.number("tdp_w"), case.number("pue")).facility_kwh


def naive_today(case: CostCase) -> float:
    return float(present_value(case.money("rate"), case.moneys("end_of_year_flows"), first_year=0))


def naive_factors(case: CostCase) -> float:
    rate, flows = case.money("rate"), case.moneys("end_of_year_flows")
    return float(present_value(rate, flows, first_year=1, factor_places=4))


NAIVE: Mapping[str, Callable[[CostCase], float]] = {
    "amo-009": naive_mark_up,
    "tco-005": naive_row,
    "tco-010": naive_whole_servers,
    "car-004": naive_without_pue,
    "car-013": naive_clock,
    "fin-101": naive_today,
    "cnf-001": naive_factors,
}


@naive_readings()
def test_the_obvious_reading_gives_another_value_that_the_published_one_excludes(reading: Reading) -> None:
    case, naive = reading.case, reading.naive
    given = NAIVE[case.id](case)

    assert given == pytest.approx(naive.value, abs=naive.abs or 1e-9 * naive.value)
    assert outside(given, {one.name: one for one in case.expect}, naive.name)


def test_every_trap_has_its_other_reading() -> None:
    assert {case.id for case in cost_cases().values() if case.trap} <= set(NAIVE)
    assert {case.id for case in cost_cases().values() if case.naive} == set(NAIVE)


def test_a_published_total_shows_which_price_it_does_not_follow() -> None:
    case = cost_cases()["tco-005"]
    terms = cluster(case)

    assert implied_node_price(terms, 393_195_520) == 300_000
    assert lifetime_cost(terms).total - 393_195_520 == 10_240_000


def test_rounding_servers_up_costs_half_as_much_again() -> None:
    answers = serving(cost_cases()["tco-010"])
    whole, share = answers["year_for_whole_servers"], answers["year_for_fractional_servers"]
    assert isinstance(whole, Decimal)
    assert isinstance(share, Decimal)
    assert round(100 * (whole / share - 1)) == 51


@pytest.mark.parametrize(
    ("cost", "salvage", "years", "western", "chinese"),
    [
        (
            1_000_000,
            4_000,
            5,
            (400_000, 240_000, 144_000, 86_400, 51_840),
            (400_000, 240_000, 144_000, 106_000, 106_000),
        ),
        (
            600_000,
            24_000,
            5,
            (240_000, 144_000, 86_400, 51_840, 31_104),
            (240_000, 144_000, 86_400, 52_800, 52_800),
        ),
    ],
)
def test_china_levels_the_last_two_years_of_a_declining_balance(
    cost: int, salvage: int, years: int, western: Sequence[int], chinese: Sequence[int]
) -> None:
    """CAS 4, application guidance; the spreadsheet function DDB never levels and leaves a rest."""
    assert [int(one) for one in depreciation.double_declining(cost, salvage, years)] == list(western)
    assert [int(one) for one in depreciation.double_declining_china(cost, salvage, years)] == list(chinese)
    assert sum(chinese) == cost - salvage > sum(western)


def test_a_tolerance_is_kept_to_its_last_digit() -> None:
    wanted = cost_cases()["fin-101"].expect[0]
    assert meets(1188.45, 1188.44, wanted)
    assert not meets(1188.4512, 1188.44, wanted)
    assert round_half_up(Decimal(str(NAIVE["fin-101"](cost_cases()["fin-101"])))) != Decimal("1188.44")
