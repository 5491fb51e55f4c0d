from __future__ import annotations

import pytest

from suanli.errors import InputError
from suanli.sweep.grid import parse_grid
from suanli.sweep.values import expand_range, split_values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("60d,90d", ("60d", "90d")),
        (" 1.1 , 1.25 ", ("1.1", "1.25")),
        ("1.1，1.25", ("1.1", "1.25")),
        ("[ascend],[nvidia, amd]", ("[ascend]", "[nvidia, amd]")),
        ('"2,000B",1T', ('"2,000B"', "1T")),
        ("{tp: 8, pp: 4},{tp: 4}", ("{tp: 8, pp: 4}", "{tp: 4}")),
        ("1,,2", ("1", "", "2")),
    ],
)
def test_values_are_split_at_commas_outside_brackets_and_quotes(text: str, expected: tuple[str, ...]) -> None:
    assert split_values(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8..64/8", ("8", "16", "24", "32", "40", "48", "56", "64")),
        ("60d..180d/5", ("60d", "90d", "120d", "150d", "180d")),
        ("60..90 days/2", ("60 days", "90 days")),
        ("0.30..0.40 CNY/kWh/3", ("0.3 CNY/kWh", "0.35 CNY/kWh", "0.4 CNY/kWh")),
        ("-20%..+20%/3", ("-20%", "0%", "+20%")),
        ("0.5x..1.5x/3", ("0.5x", "1x", "1.5x")),
        ("1..2/4", ("1", "1.33333333", "1.66666667", "2")),
        ("3..1/3", ("3", "2", "1")),
        ("../models/config.json", ("../models/config.json",)),
        ("bf16", ("bf16",)),
    ],
)
def test_a_range_stands_for_evenly_spaced_values_ends_included(text: str, expected: tuple[str, ...]) -> None:
    assert expand_range(text, "", "") == expected


def test_the_last_key_runs_fastest_and_every_point_has_its_own_number() -> None:
    grid = parse_grid(["workload.deadline=60d,90d", "site.pue=1.1,1.2,1.3"])
    assert len(grid) == 6
    assert [grid.values(point) for point in range(6)] == [
        ("60d", "1.1"),
        ("60d", "1.2"),
        ("60d", "1.3"),
        ("90d", "1.1"),
        ("90d", "1.2"),
        ("90d", "1.3"),
    ]
    assert grid.settings(4) == ("workload.deadline=90d", "site.pue=1.2")


def test_work_keeps_points_together_that_share_their_sizing_and_leaves_none_out() -> None:
    grid = parse_grid(["site.pue=1.1,1.2", "workload.deadline=60d,90d,120d", "price.x=0.9x,1x"])
    groups = list(grid.order())
    assert [{grid.values(point)[1] for point in group} for group in groups] == [{"60d"}, {"90d"}, {"120d"}]
    assert sorted(point for group in groups for point in group) == list(range(len(grid)))


def test_prices_are_no_settings_of_the_project_file() -> None:
    grid = parse_grid(["price.some-*=0.9x", "site.pue=1.1"])
    assert grid.settings(0) == ("site.pue=1.1",)
    assert grid.prices(0) == (("some-*", "0.9x"),)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], "no key is varied"),
        (["site.pue"], "is not KEY=VALUE,VALUE…"),
        (["=1"], "is not KEY=VALUE,VALUE…"),
        (["site.pue=1.1,"], "an empty value"),
        (["site.pue="], "an empty value"),
        (["site.pue=1.1,1.1"], '"1.1" is given 2 times'),
        (["site.pue=1..2"], '"1..2" is no range'),
        (["site.pue=1..2/1"], '"1..2/1" has 1 values'),
        (["workload.deadline=60d..9 weeks/3"], "has two units"),
        (["site.pue=1.1", "site.pue=1.2"], '"site.pue" is varied 2 times'),
        (["site={region: CN-GD}", "site.pue=1.1"], '"site.pue" cannot be varied beside "site"'),
    ],
)
def test_what_is_malformed_is_refused_with_the_reason(texts: list[str], expected: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_grid(texts)
    assert expected in str(caught.value)


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse_grid(["site.pue", "workload.deadline=60d,60d", "cluster.accelerators=8,,16"])
    assert len(caught.value.faults) == 3


def test_a_grid_beyond_the_limit_is_refused_with_its_size_and_the_cure() -> None:
    texts = ["site.pue=1.1,1.2,1.3", "workload.deadline=60d,90d"]
    assert len(parse_grid(texts, limit=6)) == 6
    with pytest.raises(InputError, match="the grid has 6 points") as caught:
        parse_grid(texts, limit=5)
    assert "--limit 6" in caught.value.faults[0].cure
