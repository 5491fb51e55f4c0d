"""The packaged fonts: what they can show, what is respelt, and what is refused by name."""

from __future__ import annotations

import pytest

from suanli.errors import RenderError
from suanli_reports import fonts


@pytest.mark.parametrize(
    "text", ["昇腾 910B", "喆玥堃珺翀焜赟", "≥ ≤ × ÷ Σ √ α δ τ ° † ◇ ★ ▲ 〔2021〕22号", "Gb/s – € £ ¥"]
)
@pytest.mark.parametrize("bold", [False, True])
def test_both_faces_have_the_characters_of_the_field(text: str, *, bold: bool) -> None:
    assert [character for character in text if ord(character) not in fonts.face(bold=bold).widths] == []


def test_a_missing_character_is_named_with_its_text() -> None:
    with pytest.raises(RenderError) as caught:
        fonts.check_characters("<p>客户：𡃁氏集团 <b>🚀</b></p>")
    told = [str(fault) for fault in caught.value.faults]
    assert len(told) == 2
    assert any("𡃁" in text and "U+210C1" in text and "客户：𡃁氏集团" in text for text in told)
    assert any("ROCKET" in text for text in told)


def test_characters_of_styles_and_tags_are_not_shown_and_not_checked() -> None:
    fonts.check_characters("<style>a::before { content: '🚀' }</style><p title='🚀'>好</p>")


def test_entities_are_checked_as_the_characters_they_stand_for() -> None:
    with pytest.raises(RenderError, match="ROCKET"):
        fonts.check_characters("<p>&#128640;</p>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10⁹ 字节", "10<sup>9</sup> 字节"),
        ("10²³ FLOPs", "10²³ FLOPs"),
        ("10²⁷ FLOPs", "10<sup>27</sup> FLOPs"),
        ("CO₂", "CO<sub>2</sub>"),
        ("⌈n ÷ 8⌉", "ceil(n ÷ 8)"),
        ("a\u2009b\u200bc", "a\u00a0bc"),
    ],
)
def test_characters_with_another_spelling_are_respelt(text: str, expected: str) -> None:
    assert fonts.respell(f"<p>{text}</p>") == f"<p>{expected}</p>"


def test_respelling_puts_no_markup_into_titles_and_drawings() -> None:
    document = "<title>10⁹</title><svg><text>⌈x⌉</text></svg>"
    assert fonts.respell(document) == "<title>10⁹</title><svg><text>ceil(x)</text></svg>"


def test_a_text_is_as_wide_as_its_characters() -> None:
    face = fonts.face()
    assert face.width("算力", 7.0) == pytest.approx(14.0)
    assert face.width("kW", 7.0) < 14.0
    assert fonts.face(bold=True).width("kW", 7.0) > face.width("kW", 7.0)


def test_the_style_names_the_packaged_files_only() -> None:
    css = fonts.font_css()
    assert css.count("@font-face") == 2
    assert css.count("url('file://") == 2
