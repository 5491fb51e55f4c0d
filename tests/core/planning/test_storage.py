from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.planning.storage_tiers import tier_of
from tests.factories import goodput, requirement, server, sizing

from suanli.domain.figure import Bytes, Check, Confidence
from suanli.domain.workload import Requirement, StorageWish, Task
from suanli.planning import defaults
from suanli.planning.defaults import planning_assumptions
from suanli.planning.erasure import ErasureCode
from suanli.planning.storage import kept_locally, plan_storage
from suanli.planning.storage_results import DemandKind, TierBound, TierKind, VolumeKind
from suanli.planning.volumes import source_bytes, tokenised_bytes

if TYPE_CHECKING:
    from suanli.planning.results import StoragePlan


def size(gigabytes: float) -> Bytes:
    return Bytes(
        value=gigabytes, unit="GB", source="src", confidence=Confidence.DATASHEET, check=Check.DIRECT
    )


def wishing(wish: StorageWish) -> Requirement:
    return replace(requirement(), storage=wish)


def stored(plan: StoragePlan) -> dict[VolumeKind, float]:
    return {volume.kind: volume.stored_bytes for volume in plan.volumes}


def asked(plan: StoragePlan) -> dict[DemandKind, float]:
    return {demand.kind: demand.bytes_per_s for demand in plan.demands}


def test_a_data_set_is_stored_once_however_often_it_is_read() -> None:
    assert tokenised_bytes(2e12, 2, 150_000) == tokenised_bytes(1e12, 1, 150_000)
    assert source_bytes(2e12, 2) == source_bytes(1e12, 1)


@pytest.mark.parametrize(("vocabulary", "bytes_each"), [(32_000, 2), (65_536, 2), (65_537, 4), (152_064, 4)])
def test_the_vocabulary_decides_the_bytes_of_a_token(vocabulary: int, bytes_each: int) -> None:
    assert tokenised_bytes(1e12, 1, vocabulary) == bytes_each * 1e12


def test_every_volume_is_kept_as_the_retention_policy_says() -> None:
    found = stored(plan_storage(sizing(), requirement(), spares=1))

    # One trillion tokens at 2 bytes (32,000 entries) from text of 4 bytes, which is written once more.
    assert found[VolumeKind.TOKENISED] == 2e12
    assert found[VolumeKind.SOURCE] == found[VolumeKind.SCRATCH] == 4e12
    # Two checkpoints, and one being written; ten milestones.
    assert found[VolumeKind.RECOVERY] == 3e12
    assert found[VolumeKind.MILESTONES] == 10e12
    # Two runs a year for five years, 7 billion weights of 2 bytes.
    assert found[VolumeKind.RELEASED] == 10 * 14e9
    assert found[VolumeKind.LOGS] == 5 * 180 * 1e9
    assert VolumeKind.BASE_MODEL not in found


def test_what_the_project_states_takes_the_place_of_the_defaults() -> None:
    wish = wishing(StorageWish(checkpoints_kept=5, milestones=0, source_data_bytes=90e12, scratch_bytes=1e12))
    plan = plan_storage(sizing(), wish)
    found = stored(plan)

    assert found[VolumeKind.RECOVERY] == 6e12
    assert VolumeKind.MILESTONES not in found
    assert (found[VolumeKind.SOURCE], found[VolumeKind.SCRATCH]) == (90e12, 1e12)
    assert plan.checkpoints_kept == 5
    assert plan.milestones == 0


def test_adapters_are_saved_as_adapters_beside_the_base_model() -> None:
    base = requirement()
    lora = replace(base, workload=replace(base.workload, task=Task.LORA))
    profile = replace(sizing().profile, trainable_parameters=20_000_000)
    plan = plan_storage(replace(sizing(), profile=profile, goodput=goodput(checkpoint_bytes=280e6)), lora)
    found = stored(plan)

    assert found[VolumeKind.BASE_MODEL] == 14e9
    assert found[VolumeKind.RELEASED] == 10 * 40e6
    assert sum(part for _, part in plan.checkpoint_parts) == 14 * 20_000_000
    # Frozen weights are read at a restart, though no checkpoint holds them.
    assert asked(plan)[DemandKind.RESTART] == pytest.approx((280e6 + 2 * (7e9 - 20e6)) / 300)


def test_capacity_holds_all_volumes_below_the_fill() -> None:
    plan = plan_storage(sizing(8), requirement())

    assert plan.capacity_bytes == pytest.approx(plan.stored_bytes / defaults.STORAGE_FILL_SHARE)
    flash = tier_of(plan, TierKind.PERFORMANCE)
    assert flash.raw_tb * 1e12 * defaults.STORAGE_USABLE_SHARE >= plan.capacity_bytes


def test_write_bandwidth_is_the_one_behind_the_sizings_checkpoint_time() -> None:
    # A 70B checkpoint of 1.12 TB within a minute asks for about 19 GB/s.
    point = replace(goodput(checkpoint_bytes=1.12e12), checkpoint_write_s=60.0)
    plan = plan_storage(replace(sizing(), goodput=point), requirement())

    assert plan.write_bytes_per_s == pytest.approx(18.67e9, rel=0.01)


def test_an_asynchronous_checkpoint_is_written_within_its_window() -> None:
    point = replace(goodput(), checkpoint_write_s=5.0, background_write_s=200.0)
    plan = plan_storage(replace(sizing(), goodput=point), wishing(StorageWish(asynchronous=True)))

    assert plan.write_bytes_per_s == pytest.approx(1e12 / 200)
    assert plan.asynchronous


def test_reading_serves_the_restart_within_its_share() -> None:
    plan = plan_storage(sizing(), requirement())

    assert plan.read_bytes_per_s == pytest.approx(1e12 / 300)


def test_replicas_that_read_for_themselves_are_shown_and_decide_nothing() -> None:
    point = sizing(64)
    plan = plan_storage(point, requirement())
    found = asked(plan)

    # dp = 64 copies of 14 GB of weights, beside the checkpoint that is read once.
    assert found[DemandKind.REPLICAS] == pytest.approx((1e12 + 63 * 14e9) / 300)
    assert plan.read_bytes_per_s == pytest.approx(found[DemandKind.RESTART])
    sharded = replace(point, layout=replace(point.layout, zero_stage=3))
    assert DemandKind.REPLICAS not in asked(plan_storage(sharded, requirement()))


def test_cold_data_move_to_disks_where_there_is_enough_of_them() -> None:
    small = plan_storage(sizing(8), wishing(StorageWish(source_data_bytes=150e12)))
    large = plan_storage(sizing(8), wishing(StorageWish(source_data_bytes=300e12)))

    assert [tier.kind for tier in small.tiers] == [TierKind.PERFORMANCE]
    assert [tier.kind for tier in large.tiers] == [TierKind.PERFORMANCE, TierKind.CAPACITY]
    disks = {volume.kind for volume in large.volumes if volume.tier is TierKind.CAPACITY}
    assert disks == {VolumeKind.SOURCE, VolumeKind.MILESTONES, VolumeKind.RELEASED, VolumeKind.LOGS}
    assert {DemandKind.INGEST, DemandKind.TOKENISING, DemandKind.MILESTONE} <= set(asked(large))


@pytest.mark.parametrize(
    ("checkpoint_tb", "stall_s", "source_tb", "bound", "servers"),
    [
        # Little of everything: of 8+2 strips on five servers the loss of one takes two.
        (1, 60, 1, TierBound.MINIMUM, 5),
        # 12 TB in a minute are 200 GB/s, at 20 GB/s a server, and what arrives meanwhile.
        (12, 60, 1, TierBound.WRITE, 11),
    ],
)
def test_the_largest_need_decides_the_servers(
    checkpoint_tb: float, stall_s: float, source_tb: float, bound: TierBound, servers: int
) -> None:
    point = replace(goodput(checkpoint_bytes=checkpoint_tb * 1e12), checkpoint_write_s=stall_s, restart_s=1e6)
    wish = wishing(StorageWish(source_data_bytes=source_tb * 1e12, milestones=0))
    plan = plan_storage(replace(sizing(8), goodput=point), wish)
    flash = tier_of(plan, TierKind.PERFORMANCE)

    needs = (flash.servers_for_capacity, flash.servers_for_write, flash.servers_for_read)
    assert flash.servers == max(5, *needs)
    assert (flash.bound, flash.servers) == (bound, servers)


@pytest.mark.parametrize(("code", "least"), [("8+2", 5), ("12+4", 4), ("4+2", 3), ("10+4", 4), ("2+1", 3)])
def test_the_loss_of_one_server_takes_no_more_strips_than_are_parity(code: str, least: int) -> None:
    data, parity = (int(part) for part in code.split("+"))
    found = ErasureCode(data, parity)

    assert (str(found), found.least_servers) == (code, least)
    # Spread evenly, the fullest of n servers holds ceil((d + p)/n) strips.
    assert math.ceil((data + parity) / least) <= parity < math.ceil((data + parity) / (least - 1))


def test_each_tier_has_the_servers_that_its_code_asks_for_and_the_register_says_so() -> None:
    plan = plan_storage(sizing(8), wishing(StorageWish(source_data_bytes=300e12)))

    assert tier_of(plan, TierKind.PERFORMANCE).servers == 5
    assert tier_of(plan, TierKind.CAPACITY).servers == 4
    (row,) = (one for one in planning_assumptions() if one.key == "planning.storage-servers-minimum")
    assert row.value == "8+2 / 12+4: 5 / 4"
    assert "at least 5 servers of flash at 8+2 and 4 of disks at 12+4" in row.reason.en


def test_a_stripe_has_a_drive_for_each_of_its_strips_however_little_is_stored() -> None:
    few = tier_of(plan_storage(sizing(8), wishing(StorageWish(milestones=0))), TierKind.PERFORMANCE)
    many = tier_of(plan_storage(sizing(8), wishing(StorageWish(scratch_bytes=2e15))), TierKind.PERFORMANCE)

    # Ten drives of 15.36 TB.
    assert few.raw_tb == 154 > few.usable_bytes / 1e12 / 0.8
    assert many.raw_tb == math.ceil(many.usable_bytes / 1e12 / 0.8)


def test_capacity_binds_where_data_are_large_and_slow() -> None:
    plan = plan_storage(sizing(8), wishing(StorageWish(scratch_bytes=2e15)))
    flash = tier_of(plan, TierKind.PERFORMANCE)

    assert flash.bound is TierBound.CAPACITY
    # 2,000 TB and 20 TB of the rest: ceil(2,020.x / 0.8 / 0.8) TB raw, 368.64 TB a server.
    assert flash.servers == -(-flash.raw_tb // 368.64)
    assert flash.given_write_bytes_per_s >= flash.write_bytes_per_s


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


def test_a_small_cluster_has_volumes_and_demands_but_no_tiers() -> None:
    plan = plan_storage(replace(sizing(1), goodput=goodput(checkpoint_bytes=98e9), tokens=1e9), requirement())

    assert plan.local
    assert plan.tiers == ()
    assert plan.servers == 0
    assert plan.volumes
    # Nothing is moved between systems that do not exist.
    assert {demand.kind for demand in plan.demands} == {
        DemandKind.CHECKPOINT,
        DemandKind.RESTART,
        DemandKind.LOADING,
        DemandKind.EVALUATION,
    }


def test_ways_to_write_a_checkpoint_trade_bandwidth_for_time() -> None:
    modes = {mode.key: mode for mode in plan_storage(sizing(64), requirement()).modes}

    assert set(modes) == {"stated", "half", "asynchronous", "asynchronous-window"}
    assert modes["stated"].chosen
    assert modes["half"].bytes_per_s == pytest.approx(modes["stated"].bytes_per_s / 2)
    assert modes["half"].share < modes["stated"].share < modes["asynchronous"].share
    assert modes["asynchronous-window"].share <= modes["asynchronous"].share
    assert modes["asynchronous-window"].write_s == 300


def test_a_chosen_asynchronous_way_is_held_against_the_same_bandwidth_without_it() -> None:
    point = replace(goodput(), checkpoint_write_s=5.0, background_write_s=300.0)
    wish = wishing(StorageWish(asynchronous=True))
    modes = {mode.key: mode for mode in plan_storage(replace(sizing(), goodput=point), wish).modes}

    assert set(modes) == {"stated", "synchronous", "half"}
    assert modes["stated"].bytes_per_s == modes["synchronous"].bytes_per_s
    assert modes["stated"].share > modes["synchronous"].share
