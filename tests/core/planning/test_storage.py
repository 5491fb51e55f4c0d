from __future__ import annotations

from dataclasses import replace

import pytest
from tests.factories import goodput, requirement, server, sizing

from suanli.domain.figure import Bytes, Check, Confidence
from suanli.planning.storage import dataset_bytes, kept_locally, plan_storage


def size(gigabytes: float) -> Bytes:
    return Bytes(
        value=gigabytes, unit="GB", source="src", confidence=Confidence.DATASHEET, check=Check.DIRECT
    )


def test_a_data_set_is_stored_once_however_often_it_is_read() -> None:
    assert dataset_bytes(2e12, 2) == dataset_bytes(1e12, 1)


def test_capacity_holds_data_and_checkpoints_below_the_fill() -> None:
    plan = plan_storage(sizing(), requirement().workload)

    assert plan.capacity_bytes == pytest.approx((8e12 + 5 * 1e12) / 0.8)


def test_write_bandwidth_is_the_one_behind_the_sizings_checkpoint_time() -> None:
    # A 70B checkpoint of 1.12 TB within a minute asks for about 19 GB/s.
    point = replace(goodput(checkpoint_bytes=1.12e12), checkpoint_write_s=60.0)
    plan = plan_storage(replace(sizing(), goodput=point), requirement().workload)

    assert plan.write_bytes_per_s == pytest.approx(18.67e9, rel=0.01)


@pytest.mark.parametrize(
    ("servers", "own_tb", "tb", "expected"),
    [
        (1, None, 1, (True, False)),
        (4, None, 15.36, (True, False)),
        (4, None, 15.4, (False, False)),
        (5, None, 1, (False, False)),
        (2, 30.72, 15, (True, True)),
        (2, 7.68, 15, (False, False)),
    ],
)
def test_a_few_servers_keep_everything_on_their_own_drives_where_it_fits(
    servers: int, own_tb: float | None, tb: float, expected: tuple[bool, bool]
) -> None:
    drives = None if own_tb is None else size(own_tb * 1e3)

    assert kept_locally(server(local_nvme=drives), servers, tb * 1e12) == expected


def test_reading_serves_the_restart_within_its_share() -> None:
    plan = plan_storage(sizing(), requirement().workload)

    assert plan.read_bytes_per_s == pytest.approx(1e12 / 300)
