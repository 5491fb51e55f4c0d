from __future__ import annotations

import math

import pytest
from tests.core.estimation.estimation_cases import DAY_S, catalogue

from suanli.domain.market import Reliability
from suanli.domain.workload import ReliabilityWish, StorageWish
from suanli.estimation.goodput import (
    ASYNCHRONOUS_STALL_S,
    BACKGROUND_WRITE_S,
    DEFAULT_FAILURES,
    FailureModel,
    as_stated,
    checkpoint_bytes,
    checkpoint_parts,
    daly_interval_s,
    failure_model,
    goodput,
    mean_time_between_s,
    wall_per_progress,
    young_interval_s,
)


def test_the_interval_is_the_root_of_twice_write_time_and_mtbf() -> None:
    assert young_interval_s(60, 86400) == math.sqrt(2 * 60 * 86400)


def test_the_interval_loses_least_time() -> None:
    write, mtbf = 30.0, 11000.0
    best = young_interval_s(write, mtbf)

    def lost(interval: float) -> float:
        return write / interval + interval / (2 * mtbf)

    assert lost(best) < lost(0.9 * best)
    assert lost(best) < lost(1.1 * best)


@pytest.mark.parametrize(("write", "mtbf"), [(0, 1), (1, 0), (-1, 1)])
def test_times_that_are_not_positive_are_refused(write: float, mtbf: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        young_interval_s(write, mtbf)


def test_a_run_of_sixteen_thousand_devices_keeps_ninety_percent_as_published() -> None:
    found = goodput(16384, 54 * DAY_S * 0.9, 405e9)
    assert found.share == pytest.approx(0.905, abs=0.01)
    assert found.interruptions == pytest.approx(419, rel=0.01)
    assert found.mtbf_s == pytest.approx(3.09 * 3600, rel=0.01)


@pytest.mark.parametrize(
    ("write", "restart", "mtbf", "daly"),
    # Daly, 2006, figures 3 and 4: five minutes of writing, ten of restarting; 117 and 57 minutes are best.
    [(300, 600, 24 * 3600, 117 * 60), (300, 600, 6 * 3600, 57 * 60)],
)
def test_dalys_interval_is_that_of_his_figures(
    write: float, restart: float, mtbf: float, daly: float
) -> None:
    found = daly_interval_s(write, mtbf)

    assert found == pytest.approx(daly, rel=0.01)
    for factor in (0.9, 1.1):
        assert wall_per_progress(found, write, restart, mtbf) < wall_per_progress(
            factor * found, write, restart, mtbf
        )


def test_dalys_interval_of_a_write_longer_than_twice_the_mtbf_is_the_mtbf() -> None:
    assert daly_interval_s(200.0, 100.0) == 100.0


@pytest.mark.parametrize(("write", "mtbf"), [(0, 1), (1, 0), (-1, 1)])
def test_dalys_interval_refuses_times_that_are_not_positive(write: float, mtbf: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        daly_interval_s(write, mtbf)


@pytest.mark.parametrize(("interval", "mtbf"), [(0, 1), (1, 0)])
def test_wall_clock_time_refuses_times_that_are_not_positive(interval: float, mtbf: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        wall_per_progress(interval, 1.0, 1.0, mtbf)


def test_the_share_agrees_with_the_complete_formula_where_losses_are_small() -> None:
    found = goodput(2048, 30 * DAY_S, 70e9)
    wall = wall_per_progress(found.checkpoint_interval_s, 30.0, 300.0, found.mtbf_s)

    assert found.share == pytest.approx(1 / wall, abs=2e-3)


def test_a_background_write_loses_work_and_bounds_the_interval() -> None:
    slow = FailureModel(0.474, "src", checkpoint_write_s=1.0, background_write_s=600.0)
    fast = FailureModel(0.474, "src", checkpoint_write_s=1.0, background_write_s=10.0)
    found = goodput(16384, DAY_S, 405e9, slow)

    # The square root of twice a second and 11,125 s is 149 s, less than the write takes.
    assert found.checkpoint_interval_s == 600.0
    assert found.background_write_s == 600.0
    assert found.share < goodput(16384, DAY_S, 405e9, fast).share
    lost = (found.checkpoint_interval_s / 2 + 600) / found.mtbf_s
    assert found.lost_work_share == pytest.approx(lost * found.share)


def test_what_a_project_states_takes_the_place_of_the_published_run() -> None:
    own = as_stated(
        DEFAULT_FAILURES,
        StorageWish(checkpoint_stall_s=12.0),
        ReliabilityWish(interruptions_per_1000_device_days=2.0, restart_s=900.0),
    )

    assert own == FailureModel(2.0, "", checkpoint_write_s=12.0, restart_s=900.0)
    assert as_stated(DEFAULT_FAILURES, StorageWish(), ReliabilityWish()) == DEFAULT_FAILURES


def test_asynchronous_checkpoints_stall_shortly_and_are_written_in_the_background() -> None:
    own = as_stated(DEFAULT_FAILURES, StorageWish(asynchronous=True), ReliabilityWish())
    stated = as_stated(
        DEFAULT_FAILURES, StorageWish(asynchronous=True, checkpoint_write_s=60.0), ReliabilityWish()
    )

    assert (own.checkpoint_write_s, own.background_write_s) == (ASYNCHRONOUS_STALL_S, BACKGROUND_WRITE_S)
    assert stated.background_write_s == 60.0


def test_a_cluster_of_16384_devices_is_interrupted_every_three_hours() -> None:
    # 54 days over 419 unexpected interruptions (Llama Team, 2024, section 3.3.4).
    assert mean_time_between_s(0.474, 16_384) == pytest.approx(54 * DAY_S / 419, rel=0.002)


def test_the_parts_of_a_checkpoint_are_the_whole() -> None:
    assert sum(size for _, size in checkpoint_parts(70e9)) == checkpoint_bytes(70e9)


def test_a_single_node_loses_next_to_nothing() -> None:
    assert goodput(8, DAY_S, 7e9).share > 0.99


def test_shares_add_up_to_the_whole() -> None:
    found = goodput(4096, 30 * DAY_S, 70e9)
    lost = found.checkpoint_share + found.lost_work_share + found.restart_share
    assert found.share + lost == pytest.approx(1)


def test_the_share_stays_positive_for_a_cluster_that_fails_every_minute() -> None:
    assert 0 < goodput(1_000_000, DAY_S, 1e12).share < 0.5


def test_a_checkpoint_of_seventy_billion_parameters_is_980_gigabytes() -> None:
    assert checkpoint_bytes(70e9) == 980e9


def test_the_failure_rate_of_a_published_run_is_read_from_its_record() -> None:
    record = catalogue().get(Reliability, "llama-3-405b")
    assert failure_model(record) == FailureModel(0.474, "common-llama-3-paper")


def test_a_record_without_a_rate_gives_no_model() -> None:
    assert failure_model(catalogue().get(Reliability, "megascale")) is None
