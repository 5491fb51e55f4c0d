"""The growth of the option that a document describes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tests.core.built_in import NAMES, proposal

from suanli.proposal.model import Verdict


@pytest.mark.parametrize("name", NAMES)
def test_the_option_that_is_described_grows_and_the_others_are_left_alone(name: str) -> None:
    found = proposal(name)

    assert [option.expansion is not None for option in found.options] == [
        option.verdict is Verdict.RECOMMENDED for option in found.options
    ]


@pytest.mark.parametrize("name", NAMES)
def test_today_is_the_option_itself(name: str) -> None:
    option = proposal(name).options[0]
    assert option.expansion is not None
    assert option.fabric is not None
    today = option.expansion.stages[0]

    assert (today.servers, today.spare_servers) == (option.servers, option.spare_servers)
    assert (today.leaf_switches, today.spine_switches, today.host_cables) == (
        option.fabric.leaf_switches,
        option.fabric.spine_switches,
        option.fabric.host_cables,
    )
    assert today.days is not None
    assert option.days is not None
    assert today.days.value == option.days.value


@pytest.mark.parametrize("name", NAMES)
def test_later_sizes_hold_the_stated_multiples_and_are_faster(name: str) -> None:
    expansion = proposal(name).options[0].expansion
    assert expansion is not None
    today, *later = expansion.stages

    assert [stage.factor for stage in later] == [2, 4]
    assert [stage.servers for stage in later] == [2 * today.servers, 4 * today.servers]
    days = [stage.days.value for stage in expansion.stages if stage.days is not None]
    assert days == sorted(days, reverse=True)
    assert all(stage.efficiency is None or Decimal(0) < stage.efficiency for stage in later)


def test_the_factors_of_the_project_decide_the_sizes() -> None:
    expansion = proposal("pretrain-70b", "cluster.expansion=[3x]").options[0].expansion

    assert expansion is not None
    assert [stage.factor for stage in expansion.stages] == [1, 3]


def test_networks_with_spines_are_priced_at_each_size_and_grow_in_price() -> None:
    expansion = proposal("base-405b").options[0].expansion
    assert expansion is not None
    amounts = [stage.network.value for stage in expansion.stages if stage.network is not None]

    assert len(amounts) == 3
    assert amounts == sorted(amounts)


def test_spines_for_twice_the_size_are_recommended_where_they_spare_enough() -> None:
    expansion = proposal("base-405b").options[0].expansion
    assert expansion is not None
    assert expansion.path is not None

    assert expansion.recommended == 2
    assert expansion.path.stages[1].moved == 0
    assert expansion.spared >= expansion.path.extra_switches * 192


def test_a_single_switch_with_ports_to_spare_grows_in_place() -> None:
    expansion = proposal("pretrain-70b").options[0].expansion
    assert expansion is not None
    assert expansion.in_place is not None

    assert expansion.recommended == 1
    assert (expansion.in_place.moved, expansion.in_place.discarded) == (0, 0)
    assert len(expansion.paths) == 1
