"""Peers' errors, and ours on the same runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from suanli.errors import InputError
from suanli.validation.peers import (
    PeerError,
    Peers,
    PeerSet,
    Tool,
    comparison_table,
    published_table,
    read_peers,
    sources_table,
)
from suanli.validation.records import read_runs
from suanli.validation.scoring import Scored

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture(scope="module")
def peers() -> Peers:
    return read_peers(BENCHMARKS / "peers.yaml")


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("korthikanti-2022", 4),
        ("narayanan-2021", 10),
        ("megatron-h100", 5),
        ("vtrain-multi-node", 33),
        ("vtrain-single-node", 3),
        ("llama3-405b", 2),
        ("foundry-70b", 3),
    ],
)
def test_each_set_picks_its_runs(peers: Peers, name: str, count: int) -> None:
    (one,) = [one for one in peers.sets if one.id == name]
    picked = [run for run in read_runs(BENCHMARKS / "runs") if re.fullmatch(one.ours, run.id)]
    assert len(picked) == count <= one.runs
    assert all(run.use.throughput for run in picked)


def test_every_peer_has_a_version_and_every_set_a_source(peers: Peers) -> None:
    assert all(tool.version and tool.setting for tool in peers.tools.values())
    assert all(one.source and one.name for one in peers.sets)
    assert all(error.worst is None or error.mape <= error.worst for one in peers.sets for error in one.errors)
    assert len(sources_table(peers).rows) == len(peers.sets) + len(peers.tools)
    assert len(published_table(peers).rows) == len(peers.published) > 0


def test_our_error_of_rates_is_turned_into_one_of_time() -> None:
    tool = Tool("t", "Tool", "1", "default")
    errors = (PeerError("t", 0.1, 0.2), PeerError("t", 0.05, runs=2, note="odd"))
    one = PeerSet("s", "Set", "Paper 2020", 3, "run-.*", errors)
    runs = [
        Scored("run-1", "throughput", 100.0, 125.0, error=0.25, null_error=1.0),
        Scored("run-2", "throughput", 100.0, 80.0, error=-0.2),
        Scored("run-3", "throughput", 100.0, skipped="no such device"),
        Scored("other", "throughput", 100.0, 900.0, error=8.0),
    ]
    table = comparison_table(Peers({"t": tool}, (one,), ()), runs)
    # Time: 1/1.25 − 1 = −20 %, 1/0.8 − 1 = +25 %; null 1/2 − 1 = −50 %.
    assert table.rows == (("Set (3)", "10.0 / 20.0; 5.0 (2 runs, odd)", "22.5 / 25.0", "2", "50.0 / 50.0"),)
    assert len(table.head) == len(table.rows[0])
    (empty,) = comparison_table(Peers({"t": tool}, (one,), ()), []).rows
    assert empty[2:] == ("–", "0", "–")


def test_a_tool_that_is_not_described_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "peers.yaml"
    path.write_text(
        "tools: []\npublished: []\nsets:\n"
        "  - {id: s, name: S, source: P, runs: 1, ours: x, errors: [{tool: ghost, mape: 0.1}]}\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match='no tool "ghost"'):
        read_peers(path)
