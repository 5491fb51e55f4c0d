"""The wheel beside a stranger's good plugin, which is the one of the guide, and a stranger's broken one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.packaging.conftest import Installation

EXAMPLE = Path(__file__).parents[2] / "examples" / "pretrain-70b.yaml"
BUILT_IN = ("amd", "ascend", "common", "nvidia", "reports", "scenarios")


@pytest.fixture(scope="session")
def plugins(installation: Installation) -> Mapping[str, dict[str, object]]:
    document = json.loads(installation.suanli("plugins", "list", "--json").stdout)
    return {plugin["name"]: plugin for plugin in document["plugins"]}


def test_the_built_in_plugins_load_from_the_wheel(plugins: Mapping[str, dict[str, object]]) -> None:
    for name in BUILT_IN:
        assert plugins[name]["status"] == "ok"
        assert plugins[name]["distribution"] == "suanli"
        assert plugins[name]["contributes"]


def test_the_plugin_of_the_guide_loads_beside_them(plugins: Mapping[str, dict[str, object]]) -> None:
    acme = plugins["acme"]
    assert acme["status"] == "ok", acme["faults"]
    assert acme["distribution"] == "suanli-acme"
    assert acme["contributes"] == {
        "accelerators": 1,
        "calibrations": 1,
        "prices": 1,
        "servers": 1,
        "sku-status": 1,
        "sources": 2,
        "stacks": 1,
    }


def test_the_broken_plugin_is_named_with_its_fault(plugins: Mapping[str, dict[str, object]]) -> None:
    broken = plugins["broken"]
    assert broken["status"] == "failed"
    assert (broken["distribution"], broken["version"]) == ("suanli-broken", "0.2.0")
    assert "No module named 'a_module_that_nobody_has'" in str(broken["faults"])


def test_the_plugin_of_the_guide_passes_the_conformance_suite(installation: Installation) -> None:
    assert ", 0 failed" not in installation.suanli("plugins", "test", "broken", code=3).stdout
    assert ", 0 failed" in installation.suanli("plugins", "test", "acme").stdout


def test_the_strangers_device_is_sized(installation: Installation) -> None:
    done = installation.suanli("estimate", EXAMPLE, "--vendor", "acme", "--json")
    (option,) = json.loads(done.stdout)["options"]
    assert option["accelerator"] == "acme-x1"
    assert option["server"] == "acme-s8"
    assert option["accelerators"] % 8 == 0
    assert 0 < float(option["days"]["value"]) <= 120


def test_a_proposal_is_written_though_a_plugin_is_broken(installation: Installation, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = installation.suanli("propose", EXAMPLE, "--vendor", "acme", "--formats", "json,xlsx", "-o", out)
    assert 'warning: plugin "broken" (suanli-broken 0.2.0)' in done.stderr
    assert {path.name for path in out.iterdir()} >= {"proposal.json", "project.yaml", "manifest.json"}
    proposal = json.loads((out / "proposal.json").read_text(encoding="utf-8"))
    assert [option["accelerator"] for option in proposal["options"]] == ["acme-x1"]
    assert any("suanli-broken" in notice["text"]["en"] for notice in proposal["notices"])
    installation.suanli("verify", out)


def test_the_vendor_of_a_broken_plugin_cannot_be_asked_for(installation: Installation) -> None:
    done = installation.suanli("estimate", EXAMPLE, "--vendor", "broken", code=3)
    assert 'vendor "broken" is needed' in done.stderr
    assert done.stdout == ""


def test_strict_stops_at_any_problem_of_a_plugin(installation: Installation, tmp_path: Path) -> None:
    installation.suanli("propose", EXAMPLE, "--strict", "-o", tmp_path / "out", code=3)
    assert not (tmp_path / "out").exists()


def test_a_starter_file_comes_with_the_wheel(installation: Installation, tmp_path: Path) -> None:
    path = tmp_path / "acme.yaml"
    installation.suanli("init", "pretrain-34b-70b", "--lang", "zh", "-o", path)
    assert "scenario: pretrain-34b-70b" in path.read_text(encoding="utf-8")
