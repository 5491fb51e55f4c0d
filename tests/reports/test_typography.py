"""Gaps in Chinese text, breaks in addresses."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from suanli_reports.typography import breakable, tightened


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("由 86.3 天 延长至 120 天", "由 86.3 天延长至 120 天"),
        ('<span class="nw">86.3 天</span> 延长', '<span class="nw">86.3 天</span>延长'),
        ("共 22 台 <b>华为</b> Atlas", "共 22 台<b>华为</b> Atlas"),
        ("峰值 483 kW 时", "峰值 483 kW 时"),
        ("（8 块 910C，16 个裸片） 组成", "（8 块 910C，16 个裸片）组成"),
        ("TP 未掩盖", "TP 未掩盖"),
        ("供应商甲 称“三天”", "供应商甲称“三天”"),
        ("A\N{EM SPACE}摘要", "A\N{EM SPACE}摘要"),
    ],
)
def test_a_space_between_two_chinese_characters_goes_and_others_stay(text: str, expected: str) -> None:
    assert tightened(Markup(text)) == Markup(expected)  # noqa: S704 - test data


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://example.org/a-b/c_d?e=f", "https://example.org/<wbr>a-<wbr>b/<wbr>c_<wbr>d?<wbr>e=f"),
        ("hccl_test", "hccl_<wbr>test"),
        ("财库〔2025〕30号", "财库〔2025〕30号"),
        ("a/<b>", "a/&lt;b&gt;"),
    ],
)
def test_an_address_breaks_after_its_marks_and_is_escaped(address: str, expected: str) -> None:
    assert breakable(address) == expected
