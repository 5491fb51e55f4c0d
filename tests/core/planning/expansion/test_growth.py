"""Sizes, growth paths and the choice among them, on a small catalogue."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from tests.factories import accelerator, catalogue, link, requirement, shop, sizing, switch

from suanli.domain.workload import ClusterWish
from suanli.planning.cluster import plan_cluster
from suanli.planning.defaults_expansion import EARLY_SWITCH_PORT_SHARE
from suanli.planning.expansion.growth import expansion_factors, scaling_efficiency
from suanli.planning.expansion.paths import growth_paths, recommended_target
from suanli.planning.expansion.results import Change, GrowthPath, Kind, PathStage, Pod, Wiring

if TYPE_CHECKING:
    from suanli.planning.results import ClusterPlan

KNOWN = catalogue(*shop())


def sized(nodes: int, factors: tuple[int, ...] = (1, 2, 4)) -> list[tuple[Fraction, ClusterPlan]]:
    """Return clusters without spares of the stated size and its multiples."""
    wish = replace(requirement(), cluster=ClusterWish(spare_nodes=0))
    return [(Fraction(k), plan_cluster(sizing(nodes * k), wish, KNOWN)) for k in factors]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [((), (2, 4)), ((4.0, 2.0, 2.0), (2, 4)), ((1.0,), (2, 4)), ((1.5,), (Fraction(3, 2),))],
)
def test_the_projects_factors_come_sorted_and_the_defaults_stand_in(
    stated: tuple[float, ...], expected: tuple[Fraction, ...]
) -> None:
    assert expansion_factors(ClusterWish(expansion=stated)) == tuple(Fraction(one) for one in expected)


def test_efficiency_is_the_speed_up_over_the_growth() -> None:
    assert scaling_efficiency(100.0, 50.0, 4, 8) == pytest.approx(1.0)
    assert scaling_efficiency(100.0, 40.0, 4, 16) == pytest.approx(0.625)


def test_growth_in_place_comes_first_and_today_changes_nothing() -> None:
    paths = growth_paths(sized(64))

    assert paths[0].target == 1
    assert paths[0].extra_today == 0
    assert all(path.stages[0].changes == () for path in paths)
    assert [stage.factor for stage in paths[0].stages] == [1, 2, 4]


def test_every_path_ends_in_the_same_network() -> None:
    ends = {path.stages[-1].wiring for path in growth_paths(sized(64))}

    assert len(ends) == 1


def test_spines_bought_early_move_no_cable_up_to_their_stage() -> None:
    # 64 servers of 8 ports: 16 leaves, 8 spines; twice: 32 leaves, 16 spines; four times: three tiers or 32.
    place, *early = growth_paths(sized(64))

    assert place.stages[1].moved == 256
    assert [path.target for path in early] == [2, 4]
    assert early[0].stages[1].moved == 0
    assert early[0].extra_today == 8
    assert early[1].moved == 0


def test_each_path_counts_the_switches_that_it_buys_early() -> None:
    for path in growth_paths(sized(64)):
        today = growth_paths(sized(64))[0].stages[0].wiring.switches
        assert path.stages[0].wiring.switches == today + path.extra_today


def test_networks_of_unknown_switches_have_no_paths() -> None:
    bare = catalogue(link(), accelerator())
    plans = [(Fraction(k), plan_cluster(sizing(16 * k), requirement(), bare)) for k in (1, 2)]

    assert growth_paths(plans) == ()
    assert recommended_target(()) is None


def test_networks_of_different_switches_have_no_paths() -> None:
    small = plan_cluster(sizing(16), requirement(), KNOWN)
    other = catalogue(link(), switch("acme-128", ports=128), accelerator())
    large = plan_cluster(sizing(32), requirement(), other)

    assert growth_paths([(Fraction(1), small), (Fraction(2), large)]) == ()


def path(target: int, moved: int, extra: int, discarded: int = 0) -> GrowthPath:
    """Return a path of one later stage with stated totals, of switches of 64 ports."""
    wiring = Wiring(2, (Pod(4, 2),), 0, 64, 32, 32, 128)
    change = Change(Kind.LEAF_SPINE_LINKS, 0, moved, 0, discarded)
    stages = (PathStage(Fraction(1), wiring), PathStage(Fraction(2), wiring, (change,)))
    return GrowthPath(Fraction(target), stages, extra)


LEAST = round(EARLY_SWITCH_PORT_SHARE * 64)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ((path(1, 100, 0),), 1),
        ((path(1, 0, 0), path(2, 0, 3)), 1),
        ((path(1, 4 * LEAST, 0), path(2, 0, 4)), 2),
        ((path(1, 4 * LEAST - 1, 0), path(2, 0, 4)), 1),
        ((path(1, 9 * LEAST, 0), path(2, 5 * LEAST, 4), path(4, 0, 9)), 2),
        ((path(1, 9 * LEAST, 0), path(2, 6 * LEAST, 4), path(4, 0, 9)), 4),
        ((path(1, 9 * LEAST, 0), path(2, 0, 1, discarded=1)), 1),
    ],
    ids=["no-choice", "nothing-to-spare", "worth-it", "just-not", "the-nearer", "only-the-farther", "scraps"],
)
def test_the_nearest_stage_whose_early_switches_pay_is_recommended(
    paths: tuple[GrowthPath, ...], expected: int
) -> None:
    assert recommended_target(paths) == expected
