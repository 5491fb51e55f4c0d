from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from suanli.cli.main import run

if TYPE_CHECKING:
    from tests.planting import Greenhouse

Capture = pytest.CaptureFixture[str]

GOOD = "@hookimpl\ndef suanli_records():\n    yield source('acme-sheet')\n"


def test_a_planted_plugin_is_listed_with_what_it_contributes(greenhouse: Greenhouse, capsys: Capture) -> None:
    greenhouse.plant("acme", GOOD, version="1.4")
    assert run(["plugins", "list", "--json"]) == 0
    (acme,) = [row for row in json.loads(capsys.readouterr().out)["plugins"] if row["name"] == "acme"]
    assert acme == {
        "name": "acme",
        "distribution": "acme-plugin",
        "version": "1.4",
        "module": greenhouse.modules[0],
        "api_version": 1,
        "status": "ok",
        "hooks": ["suanli_records"],
        "contributes": {"sources": 1},
        "themes": [],
        "left_out": 0,
        "faults": [],
    }


def test_a_broken_plugin_is_listed_with_its_fault_and_the_others_are_there(
    greenhouse: Greenhouse, capsys: Capture
) -> None:
    greenhouse.plant("broken", "import no_such_module_here")
    assert run(["plugins", "list"]) == 0
    captured = capsys.readouterr()
    assert "nvidia" in captured.out
    assert 'warning: plugin "broken" (broken-plugin 0.1)' in captured.err
    assert "No module named 'no_such_module_here'" in captured.err


def test_one_plugin_is_shown_with_its_faults(greenhouse: Greenhouse, capsys: Capture) -> None:
    greenhouse.plant("half", GOOD + "    raise ValueError('disk gone')\n")
    assert run(["plugins", "show", "half"]) == 0
    out = capsys.readouterr().out
    assert "failed" in out
    assert "raised ValueError: disk gone" in out


def test_an_unknown_plugin_is_wrong_input(capsys: Capture) -> None:
    assert run(["plugins", "show", "nvidea"]) == 2
    assert 'did you mean "nvidia"?' in capsys.readouterr().err


def test_disabling_shows_in_the_list_and_a_wrong_name_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("SUANLI_DISABLE_PLUGINS", "amd,nvidea")
    assert run(["plugins", "list", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["status"] for row in document["plugins"]}["amd"] == "disabled"
    assert document["settings"][0]["cure"] == 'did you mean "nvidia"?'


def test_the_conformance_suite_passes_on_a_built_in_plugin(capsys: Capture) -> None:
    assert run(["plugins", "test", "amd"]) == 0
    out = capsys.readouterr().out
    assert "✓ every figure names a source that exists" in out
    assert "✗" not in out
    assert ", 0 failed" in out


def test_a_failing_check_says_what_is_wrong_and_where(greenhouse: Greenhouse, capsys: Capture) -> None:
    greenhouse.plant("acme", GOOD + "    yield source('acme-sheet')\n")
    assert run(["plugins", "test", "acme"]) == 3
    out = capsys.readouterr().out
    assert "✗ ids are unique among all plugins\n    sources[acme-sheet]: is given twice" in out
    assert run(["plugins", "test", "acme", "--json"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["failed"] == 2
    assert {check["check"] for check in document["checks"] if not check["passed"]} == {
        "the plugin loads without a fault",
        "ids are unique among all plugins",
    }
