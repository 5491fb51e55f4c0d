"""Storage and management networks, apart from the compute network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, gbit, server, switch

from suanli.domain.hardware import Nic, NicRole
from suanli.planning.network.selection import boxes_in
from suanli.planning.network.side_networks import management_network, storage_network, storage_ports

if TYPE_CHECKING:
    from suanli.planning.network.results import SideNetwork

ETHERNET = switch("eth-400").model_copy(update={"technology": "ethernet"})
HUNDRED = switch("eth-100", rate=100).model_copy(update={"technology": "ethernet"})
GIGABIT = switch("eth-1", ports=48, rate=1).model_copy(update={"technology": "ethernet"})


def storage(servers: int, stores: int, needed: float) -> SideNetwork:
    found = storage_network(catalogue(ETHERNET, HUNDRED), server(), servers, stores, needed)
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
    one = storage(20, 4, 10e9)

    assert (one.ports_per_server, one.assumed_ports, one.adapters) == (2, True, 20)


def test_one_switch_would_fail_all_so_there_are_two_planes() -> None:
    one = storage(20, 4, 10e9)

    assert (one.planes, one.switches, one.ports, one.cables) == (2, 2, 48, 48)


def test_storage_servers_have_ports_for_the_bandwidth_that_is_asked_for() -> None:
    # 200 GB/s over four servers is 50 GB/s each, four ports of 100 Gbit/s.
    one = storage(20, 4, 200e9)

    assert one.ports == 20 * 2 + 4 * 4
    assert one.given_bytes_per_s is not None
    assert one.given_bytes_per_s >= 200e9


@pytest.mark.parametrize("needed", [10e9, 100e9, 400e9])
def test_a_storage_network_is_never_oversubscribed_below_what_storage_needs(needed: float) -> None:
    one = storage(400, 20, needed)

    assert one.oversubscription is not None
    assert one.oversubscription <= 3.0
    assert one.given_bytes_per_s is not None
    assert one.given_bytes_per_s >= needed


def test_local_drives_need_no_storage_network() -> None:
    assert storage_network(catalogue(HUNDRED), server(), 4, 0, 1e9) is None


def test_an_unknown_switch_leaves_the_counts_unknown() -> None:
    one = storage_network(catalogue(), server(), 20, 4, 10e9)

    assert one is not None
    assert (one.switch, one.counts, one.switches, one.cables, one.oversubscription) == (None,) * 5
    assert one.ports == 48


def test_every_machine_and_every_switch_has_a_management_port() -> None:
    one = management_network(catalogue(GIGABIT), "nvidia", 40, 12, uplinked=True)

    assert one is not None
    # Two ports a machine and one a switch on 48 ports; two cables up from each access switch.
    assert (one.ports, one.switches, one.uplinks, one.cables) == (92, 2, 4, 96)
    assert one.switch is not None
    assert one.switch.id == "eth-1"


def test_a_single_server_needs_no_management_network() -> None:
    assert management_network(catalogue(), "nvidia", 1, 0, uplinked=False) is None
