from __future__ import annotations

import math

import pytest
from tests.factories import goodput

from suanli.domain.workload import ClusterWish
from suanli.planning.spares import nodes_under_repair, plan_spares, poisson_cover

DAY_S = 86_400.0


def test_the_users_wish_is_taken_as_it_is() -> None:
    count, rule = plan_spares(goodput(mtbf_s=1.0), ClusterWish(spare_nodes=3), 8)

    assert (count, rule.key) == (3, "spare-servers-stated")


def test_a_cluster_that_hardly_fails_needs_no_spare() -> None:
    assert plan_spares(goodput(mtbf_s=1e12), ClusterWish(), 8)[0] == 0


def test_llama_3_scale_needs_about_a_hundredth_of_its_servers_as_spares() -> None:
    # 16,384 H100 in 2,048 servers, MTBF 3.09 h (Meta, 2024): 18 servers under repair on average.
    count, _ = plan_spares(goodput(mtbf_s=3.09 * 3600), ClusterWish(), 8)

    assert 18 < count < 30


def test_a_rack_scale_system_is_repaired_by_tray() -> None:
    assert plan_spares(goodput(mtbf_s=3.6 * DAY_S), ClusterWish(), 8)[0] == 2
    assert plan_spares(goodput(mtbf_s=3.6 * DAY_S), ClusterWish(), 384)[0] == 0


@pytest.mark.parametrize(("mean", "confidence", "count"), [(0.0, 0.95, 0), (1.0, 0.95, 3), (18.0, 0.95, 25)])
def test_cover_agrees_with_poisson_tables(mean: float, confidence: float, count: int) -> None:
    assert poisson_cover(mean, confidence) == count


def test_cover_of_an_infinite_mean_is_refused() -> None:
    with pytest.raises(ValueError, match="no cover"):
        poisson_cover(math.inf, 0.95)


def test_servers_under_repair_follow_littles_law() -> None:
    assert nodes_under_repair(DAY_S, 0.5, 4 * DAY_S) == 2.0
