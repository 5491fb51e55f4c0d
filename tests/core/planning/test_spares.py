from __future__ import annotations

import pytest
from tests.factories import goodput

from suanli.domain.workload import ClusterWish
from suanli.planning.availability_results import RepairUnit
from suanli.planning.counting import erlang_loss, poisson_cdf, poisson_cover
from suanli.planning.spares import (
    nodes_under_repair,
    paying_spares,
    plan_spares,
    spares_needed,
    swap_wall,
    waiting_share,
    wall_factor,
)

DAY_S = 86_400.0


def test_the_users_wish_is_taken_as_it_is() -> None:
    found = plan_spares(goodput(mtbf_s=DAY_S), ClusterWish(spare_nodes=3), 8, 64)

    assert (found.servers, found.count, found.rule.key) == (3, 3, "spare-servers-stated")
    assert found.cover_count > 3


def test_a_cluster_that_hardly_fails_needs_no_spare() -> None:
    assert plan_spares(goodput(mtbf_s=1e12), ClusterWish(), 8, 64).servers == 0


def test_llama_3_scale_needs_about_two_hundredths_of_its_servers_as_spares() -> None:
    # 16,384 H100 in 2,048 servers, MTBF 3.09 h (Meta, 2024): 18 servers under repair on average.
    found = plan_spares(goodput(mtbf_s=3.09 * 3600), ClusterWish(), 8, 2048)

    assert found.under_repair == pytest.approx(18.2, abs=0.1)
    assert found.cover_count == 25
    assert found.count == max(found.cover_count, found.paying_count)
    assert 25 <= found.servers < 41


def test_a_rack_scale_system_keeps_trays_on_site_in_place_of_spare_systems() -> None:
    eight = plan_spares(goodput(mtbf_s=3.6 * DAY_S), ClusterWish(), 8, 48)
    rack = plan_spares(goodput(mtbf_s=3.6 * DAY_S), ClusterWish(), 384, 1)

    assert (eight.unit, eight.servers, eight.trays) == (RepairUnit.SERVER, eight.count, 0)
    assert (rack.unit, rack.servers, rack.trays) == (RepairUnit.TRAY, 0, rack.count)
    assert rack.units == 48
    assert rack.count >= 2


def test_a_stated_spare_system_brings_all_its_trays() -> None:
    rack = plan_spares(goodput(mtbf_s=3.6 * DAY_S), ClusterWish(spare_nodes=1), 384, 1)

    assert (rack.servers, rack.trays, rack.count) == (1, 0, 48)


def test_longer_repairs_need_more_spares() -> None:
    point, wish = goodput(mtbf_s=DAY_S), ClusterWish()

    assert plan_spares(point, wish, 8, 64, DAY_S).count < plan_spares(point, wish, 8, 64, 7 * DAY_S).count


@pytest.mark.parametrize(("mean", "confidence", "count"), [(0.0, 0.95, 0), (1.0, 0.95, 3), (18.0, 0.95, 25)])
def test_cover_agrees_with_poisson_tables(mean: float, confidence: float, count: int) -> None:
    assert poisson_cover(mean, confidence) == count
    assert poisson_cdf(mean, count) >= confidence
    assert poisson_cdf(mean, count - 1) < confidence


def test_cover_of_an_infinite_mean_is_refused() -> None:
    with pytest.raises(ValueError, match="no cover"):
        poisson_cover(float("inf"), 0.95)


@pytest.mark.parametrize(
    ("places", "load", "loss"),
    # Published Erlang B tables: 5 erlang on 10 lines 1.84 %, 10 erlang on 15 lines 3.65 %.
    [(0, 3.0, 1.0), (1, 1.0, 0.5), (10, 5.0, 0.0184), (15, 10.0, 0.0365)],
)
def test_loss_agrees_with_erlangs_tables(places: int, load: float, loss: float) -> None:
    assert erlang_loss(places, load) == pytest.approx(loss, abs=5e-5)


@pytest.mark.parametrize(("places", "load"), [(-1, 1.0), (1, -1.0)])
def test_loss_of_negative_numbers_is_refused(places: int, load: float) -> None:
    with pytest.raises(ValueError, match="no loss"):
        erlang_loss(places, load)


def test_without_spares_a_run_waits_as_a_single_machine_does() -> None:
    # MTTR / (MTBF + MTTR) with a day between failures and half a day of repair.
    assert waiting_share(0, 0.5) == pytest.approx(0.5 / 1.5)


def test_a_spare_pays_as_long_as_it_saves_more_than_a_server_at_work_could() -> None:
    mean, units = 1.0, 64
    bought = paying_spares(mean, units)

    def saved(count: int) -> float:
        return 1 - wall_factor(count + 1, mean) / wall_factor(count, mean)

    assert all(saved(count) > 1 / units for count in range(bought))
    assert saved(bought) <= 1 / units
    assert spares_needed(mean, units) == max(bought, poisson_cover(mean, 0.95))


def test_trays_are_swapped_by_hand_and_servers_are_not() -> None:
    assert swap_wall(RepairUnit.SERVER, 1.0, 3 * DAY_S) == 0
    # Four hours for each of the repairs of which one, three days long, is under way at a time.
    assert swap_wall(RepairUnit.TRAY, 1.0, 3 * DAY_S) == pytest.approx(4 / 72)


def test_servers_under_repair_follow_littles_law() -> None:
    assert nodes_under_repair(DAY_S, 0.5, 4 * DAY_S) == 2.0
