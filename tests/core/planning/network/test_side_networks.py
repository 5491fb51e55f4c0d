"""Storage and management networks, apart from the compute network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, gbit, server, switch

from suanli.domain.hardware import Nic, NicRole
from suanli.planning.network.results import PortUser
from suanli.planning.network.selection import boxes_in
from suanli.planning.network.side_networks import (
    Joined,
    Stores,
    management_network,
    ports_of_store,
    storage_network,
    storage_ports,
)

if TYPE_CHECKING:
    from suanli.planning.network.results import SideNetwork

ETHERNET = switch("eth-400").model_copy(update={"technology": "ethernet"})
HUNDRED = switch("eth-100", rate=100).model_copy(update={"technology": "ethernet"})
GIGABIT = switch("eth-1", ports=48, rate=1).model_copy(update={"technology": "ethernet"})


def flash(servers: int, needed: float = 10e9) -> Stores:
    return Stores(PortUser.PERFORMANCE, servers, 40e9, needed)


def storage(servers: int, *stores: Stores, beside: Joined | None = None) -> SideNetwork:
    found = storage_network(catalogue(ETHERNET, HUNDRED), server(), servers, stores, beside or Joined())
    assert found is not None
    return found


def test_servers_bring_their_own_storage_ports() -> None:
    port = Nic(role=NicRole.STORAGE, count=4, rate=gbit(400))
    box = server()

    own = box.model_copy(update={"nics": (*box.nics, port)})
    assert storage_ports(own) == (4, 50e9, False)
    assert storage_ports(box) == (2, 12.5e9, True)


def test_every_box_of_a_rack_that_is_bought_as_one_has_its_ports() -> None:
    rack = server().model_copy(update={"accelerator_count": 72})

    assert boxes_in(rack) == 9
    assert storage_ports(rack) == (18, 12.5e9, True)


def test_missing_ports_are_bought_as_one_adapter_of_two_for_each_server() -> None:
    one = storage(20, flash(4))

    assert (one.ports_per_server, one.assumed_ports, one.adapters) == (2, True, 20)


def test_one_switch_would_fail_all_so_there_are_two_planes() -> None:
    one = storage(20, flash(4))

    assert (one.planes, one.switches, one.ports, one.cables) == (2, 2, 56, 56)


@pytest.mark.parametrize(
    ("gbytes", "port_gbytes", "ports"), [(40, 12.5, 4), (40, 25, 2), (40, 50, 2), (6, 12.5, 2), (51, 12.5, 5)]
)
def test_a_storage_server_has_the_ports_that_its_own_bandwidth_needs(
    gbytes: float, port_gbytes: float, ports: int
) -> None:
    assert ports_of_store(gbytes * 1e9, port_gbytes * 1e9) == ports


def test_disk_servers_carry_nothing_of_what_the_flash_is_counted_with() -> None:
    disks = Stores(PortUser.CAPACITY, 30, 6e9, 20e9)
    alone, both = storage(20, flash(5)), storage(20, flash(5), disks)

    assert [(group.user, group.ports) for group in both.groups] == [
        (PortUser.TRAINING, 40),
        (PortUser.PERFORMANCE, 20),
        (PortUser.CAPACITY, 60),
    ]
    # Twenty ports of 12.5 GB/s, whatever the disks have.
    assert alone.given_bytes_per_s == 250e9
    assert both.given_bytes_per_s is not None
    assert both.oversubscription is not None
    assert both.given_bytes_per_s == pytest.approx(250e9 / both.oversubscription)
    assert both.needed_bytes_per_s == 10e9


def test_servers_that_run_the_cluster_and_out_of_band_switches_have_two_ports_each() -> None:
    plain, joined = storage(20, flash(5)), storage(20, flash(5), beside=Joined(support=7, switches=2))

    assert joined.ports == plain.ports + 7 * 2 + 2 * 2
    users = {group.user: (group.machines, group.each) for group in joined.groups}
    assert (users[PortUser.SUPPORT], users[PortUser.OUT_OF_BAND]) == ((7, 2), (2, 2))


@pytest.mark.parametrize("needed", [10e9, 100e9, 400e9, 800e9])
def test_a_storage_network_is_never_oversubscribed_below_what_storage_needs(needed: float) -> None:
    one = storage(400, flash(20, needed), Stores(PortUser.CAPACITY, 4, 6e9, 20e9))

    assert one.oversubscription is not None
    assert one.oversubscription <= 3.0
    assert one.given_bytes_per_s is not None
    assert one.given_bytes_per_s >= needed


def test_local_drives_need_no_storage_network() -> None:
    assert storage_network(catalogue(HUNDRED), server(), 4, (), Joined()) is None


def test_an_unknown_switch_leaves_the_counts_unknown() -> None:
    one = storage_network(catalogue(), server(), 20, (flash(4),), Joined())

    assert one is not None
    assert (one.switch, one.counts, one.switches, one.cables, one.oversubscription) == (None,) * 5
    assert one.ports == 56


def test_every_machine_and_every_switch_has_a_management_port() -> None:
    one = management_network(catalogue(GIGABIT), "nvidia", 40, 12, uplinked=True)

    assert one is not None
    # Two ports a machine and one a switch on 48 ports; the two cables up from each are the storage network's.
    assert (one.ports, one.switches, one.uplinks, one.cables) == (92, 2, 4, 92)
    assert one.switch is not None
    assert one.switch.id == "eth-1"


def test_a_single_server_needs_no_management_network() -> None:
    assert management_network(catalogue(), "nvidia", 1, 0, uplinked=False) is None
