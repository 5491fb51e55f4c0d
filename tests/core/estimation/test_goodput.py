from __future__ import annotations

import math

import pytest
from tests.core.estimation.estimation_cases import DAY_S, catalogue

from suanli.domain.market import Reliability
from suanli.estimation.goodput import FailureModel, checkpoint_bytes, failure_model, goodput, young_interval_s


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
