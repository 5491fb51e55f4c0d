"""The register of assumptions names its settings and says their values in the reader's language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from suanli.costing.spreads import spread_assumptions
from suanli.domain.record import Text
from suanli.planning.defaults import planning_assumptions
from suanli.proposal.model import AssumptionView
from suanli_reports.settings import SettingTools
from suanli_reports.texts import shipped_messages
from suanli_reports.voice import Speaker, Voice

if TYPE_CHECKING:
    from suanli.domain.workload import Assumption


def _tools(*languages: str) -> SettingTools:
    return SettingTools(Speaker(tuple(Voice(language, shipped_messages()) for language in languages)))


def _row(setting: str, value: str) -> AssumptionView:
    return AssumptionView(key="A1", setting=setting, value=value, reason=Text(zh="理由。", en="A reason."))


@pytest.mark.parametrize(
    ("value", "zh", "en"),
    [
        ("{price: 0.85, use: 1.1}", "价格 0.85，利用率 1.1", "prices 0.85, use 1.1"),
        ("[zh, en]", "zh、en", "zh, en"),
        ("tuned", "已调优", "tuned"),
        ("4 servers, 30.72 TB", "4 台, 30.72 TB", "4 servers, 30.72 TB"),
        ("1 GB x 180 days", "1 GB x 180 天", "1 GB x 180 days"),
        ("0.4989 kg/kWh", "0.4989 kg/kWh", "0.4989 kg/kWh"),
    ],
)
def test_a_value_is_said_in_the_language_of_the_reader(value: str, zh: str, en: str) -> None:
    row = _row("planning.anything", value)
    assert _tools("zh").setting_value(row) == zh
    assert _tools("en").setting_value(row) == en


@pytest.mark.parametrize("setting", [one.key for one in (*planning_assumptions(), *spread_assumptions())])
def test_every_planning_value_has_a_name(setting: str) -> None:
    assert shipped_messages().has(f"setting.{setting}")


@pytest.mark.parametrize("one", planning_assumptions(), ids=lambda one: one.key)
def test_no_english_word_is_left_in_a_chinese_value(one: Assumption) -> None:
    said = str(_tools("zh").setting_value(_row(one.key, one.value)))
    assert not re.findall(r"(?<![\w/])[a-z]{4,}", said), said


def test_a_plugins_setting_without_a_name_stands_for_itself() -> None:
    tools, row = _tools("zh"), _row("acme.cooling-margin", "3")
    assert tools.setting(row) == "acme.cooling-margin"
    assert not tools.named(row)


def test_groups_keep_the_order_of_the_register() -> None:
    rows = [_row("commercial.a", "1"), _row("commercial.b", "2"), _row("solve_for", "tokens")]
    groups = SettingTools.setting_groups(rows)
    assert [name for name, _ in groups] == ["commercial", "project"]
    assert [row for _, members in groups for row in members] == rows
