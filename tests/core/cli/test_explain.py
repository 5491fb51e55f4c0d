"""``suanli estimate --explain`` and ``--sensitivity``: what is printed, and the same as data."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.core.built_in import EXAMPLES

from suanli.cli.main import run
from suanli.explaining.formula import Function, evaluate

Capture = pytest.CaptureFixture[str]
WORDS = (
    "estimate",
    str(EXAMPLES / "pretrain-70b.yaml"),
    *("--set", "vendors.accelerators=[ascend-910b2, h100-sxm]", "--set", "claims=[]"),
)


def document(capsys: Capture, *words: str) -> Any:  # noqa: ANN401 - JSON
    assert run([*WORDS, *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def said(capsys: Capture, *words: str) -> str:
    assert run([*WORDS, *words]) == 0
    return capsys.readouterr().out


def test_the_explanation_as_data_can_be_worked_out_again_from_itself(capsys: Capture) -> None:
    found = document(capsys, "--explain")["explanation"]
    functions: dict[str, Function] = {}
    for line in found["lines"]:
        if line["result"] is None:
            functions[line["symbol"]] = Function(tuple(line["parameters"]), line["formula"], line["numbers"])
            continue
        got = evaluate(line["formula"], line["numbers"], functions)
        assert got == pytest.approx(line["result"], rel=1e-4, abs=1e-4), line
    assert {line["group"] for line in found["lines"]} == {"work", "rates", "layer", "step", "run", "memory"}
    listed = {one["id"] for one in found["sources"]}
    assert {one for line in found["lines"] for one in line["sources"]} == listed


def test_the_explained_days_are_those_of_the_recommended_option(capsys: Capture) -> None:
    found = document(capsys, "--explain")
    key = found["explanation"]["option"]
    option = next(one for one in found["options"] if one["key"] == key)
    assert option["verdict"] == "recommended"
    days = next(one for one in found["explanation"]["lines"] if one["key"] == "run.duration")
    assert days["result"] == pytest.approx(float(option["days"]["value"]), rel=0.01)


def test_another_option_is_explained_where_it_is_named(capsys: Capture) -> None:
    assert document(capsys, "--explain", "--option", "b")["explanation"]["option"] == "B"
    assert run([*WORDS, "--explain", "--option", "Z"]) == 2
    assert '--option: "Z" is no feasible option' in capsys.readouterr().err


def test_the_text_holds_formula_numbers_result_and_fit_of_a_line(capsys: Capture) -> None:
    out = said(capsys, "--explain")
    assert "R = P·e = " in out
    assert "[fit-device-" in out
    assert "组实测，留组误差中位数" in out
    assert "按峰值的下限" in out


def test_nothing_is_added_without_the_flags(capsys: Capture) -> None:
    plain = document(capsys)
    assert "explanation" not in plain
    assert "sensitivity" not in plain
    more = document(capsys, "--explain", "--sensitivity")
    assert {name: more[name] for name in plain} == plain


def test_the_sensitivity_shows_ten_constants_sorted_and_the_curve(capsys: Capture) -> None:
    found = document(capsys, "--sensitivity")["sensitivity"]
    assert len(found["constants"]) == 10
    assert found["further_constants"] > 0
    largest = [max(abs(one["low_change_days"]), abs(one["high_change_days"])) for one in found["constants"]]
    assert largest == sorted(largest, reverse=True)
    for one in found["constants"]:
        assert one["low_days"] - found["days"] == pytest.approx(one["low_change_days"], abs=2e-4)
        assert one["low"] < one["value"] < one["high"]
    assert found["scaling"][0]["efficiency"] == 1.0
    out = said(capsys, "--sensitivity")
    assert "扩展曲线" in out
    assert found["constants"][0]["name"] in out


def test_an_infeasible_project_has_nothing_to_explain_and_says_so(capsys: Capture) -> None:
    words = ("--set", "workload.deadline=10 min", "--explain")
    found = document(capsys, *words, "--sensitivity")
    assert found["explanation"] is None
    assert found["sensitivity"] is None
    assert "没有可解释的方案" in said(capsys, *words)


def test_the_days_of_a_tuned_recipe_and_of_an_untuned_team_stand_side_by_side(capsys: Capture) -> None:
    out = said(capsys)
    line = next(line for line in out.splitlines() if "调优 / 未调优团队" in line)
    tuned, _, untuned = line.split("团队")[1].split()[:3]
    assert float(untuned.replace(",", "")) > 1.2 * float(tuned.replace(",", ""))
    assert run([*WORDS, "--set", "workload.stack=untuned"]) == 0
    line = next(one for one in capsys.readouterr().out.splitlines() if "调优 / 未调优团队" in one)
    assert "– / " in line
