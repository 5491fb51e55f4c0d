"""House themes: a folder changes the look and the words, and what is wrong with one is said before use."""

from __future__ import annotations

import base64
import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from fontTools.fontBuilder import FontBuilder  # type: ignore[import-untyped]
from fontTools.pens.ttGlyphPen import TTGlyphPen  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from suanli.errors import InputError
from suanli.proposal.contributions import RenderJob
from suanli_reports import html, pdf
from suanli_reports.theme.colours import LEAST_CONTRAST, colours_of, contrast, contrast_faults, mixed
from suanli_reports.theme.logo import cleaned_svg
from suanli_reports.theme.manifest import ColourKeys
from suanli_reports.theme.opening import open_theme, theme_faults
from suanli_reports.theme.record import Colours
from suanli_reports.theme.templates import shipped_blocks

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal

ROOT = Path(__file__).parents[2]
CONSULTANCY = ROOT / "examples" / "themes" / "consultancy"
ABOUT = "name: {zh: 甲, en: House}\ndescription: {zh: 样式, en: A look}\n"
COVER = "document/cover.html.j2"
CONTENTS = "document/contents.html.j2"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'
COLOUR = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


def planted(folder: Path, files: dict[str, str | bytes], more: str = "") -> Path:
    for name, content in {"theme.yaml": ABOUT + more, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def rendered(proposal: Proposal, house: Path | None, language: str = "en") -> str:
    return html.render(RenderJob(proposal, language, house)).decode()


def faults(folder: Path) -> str:
    return "\n".join(str(fault) for fault in theme_faults(folder))


# --- what a theme changes ---


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_example_changes_logo_colour_block_message_and_passage(proposal: Proposal, language: str) -> None:
    plain, themed = rendered(proposal, None, language), rendered(proposal, CONSULTANCY, language)
    found = re.search(r'<img class="logo" src="data:image/svg\+xml;base64,([^"]+)"', themed)
    assert found is not None
    assert b"#c99a4b" in base64.b64decode(found[1])
    assert "background: #22395b" in themed
    assert "#0b5f6b" not in themed
    words = {
        "zh": ("编制机构", "算力采购咨询报告", "逐条核对"),
        "en": ("Prepared by", "Advice on", "one by one"),
    }
    for word in words[language]:
        assert word in themed
        assert word not in plain
    assert (themed.count("<h2"), themed.count("<table")) == (plain.count("<h2"), plain.count("<table"))


def test_the_example_is_free_of_faults_and_says_what_it_is() -> None:
    assert theme_faults(CONSULTANCY) == ()
    house = open_theme(CONSULTANCY)
    assert (house.name.zh, house.name.en) == ("衡度咨询", "Plumb & Level")


def test_a_pdf_has_the_colours_and_words_of_the_example(proposal: Proposal) -> None:
    pikepdf = pytest.importorskip("pikepdf")
    job = RenderJob(proposal, "en", CONSULTANCY)
    content = pdf.render(job)
    with pikepdf.open(BytesIO(content)) as document:
        fills = {
            tuple(round(float(value), 3) for value in operands)
            for operands, operator in pikepdf.parse_content_stream(document.pages[0])
            if str(operator) == "rg"
        }
        assert str(document.docinfo["/Title"]).endswith("Advice on buying computing")
    assert tuple(round(int("22395b"[at : at + 2], 16) / 255, 3) for at in (0, 2, 4)) in fills
    assert pdf.render(job) == content


def test_one_block_is_replaced_and_the_rest_stays_as_shipped(proposal: Proposal, tmp_path: Path) -> None:
    text = '{% extends "suanli/document/cover.html.j2" %}{% block cover_subtitle %}<p>Ours</p>{% endblock %}'
    plain = rendered(proposal, None)
    themed = rendered(proposal, planted(tmp_path, {COVER: text}))
    subtitle = re.search(r'<p class="sub">.*?</p>', plain)
    assert subtitle is not None
    assert re.sub(r"\s+", "", themed) == re.sub(r"\s+", "", plain.replace(subtitle[0], "<p>Ours</p>"))


def test_a_passage_that_a_theme_leaves_out_is_the_shipped_one(proposal: Proposal, tmp_path: Path) -> None:
    words = "{% macro opening(o) %}<p>House words for {{ o.key }}.</p>{% endmacro %}"
    themed = rendered(proposal, planted(tmp_path, {"document/prose/en/bill.html.j2": words}))
    assert "<p>House words for A.</p>" in themed
    assert themed.count("<h2") == rendered(proposal, None).count("<h2")


def test_both_languages_side_by_side_take_a_theme(proposal: Proposal) -> None:
    themed = rendered(proposal, CONSULTANCY, "bilingual")
    assert "编制机构" in themed
    assert "Prepared by" in themed


# --- what is refused, and how it is said ---


WRONG: list[tuple[dict[str, str | bytes], str, tuple[str, ...]]] = [
    ({}, "nmae: x\n", ("theme.yaml:3", '"nmae" is not a key', 'did you mean "name"?')),
    ({}, "colours: {accnt: '#123456'}\n", ('"accnt" is not a key', 'did you mean "accent"?')),
    ({}, "colours: {ink: red}\n", ("theme.yaml:3", '"red" is no colour')),
    ({}, "colours:\n  soft: '#999999'\n", ("theme.yaml:4", "a contrast of 2.85:1", "at least 4.5:1")),
    ({}, "logo: ../x.png\n", ('"../x.png" is outside of the theme',)),
    ({}, "logo: logo.svgg\n", ('there is no file "logo.svgg"',)),
    ({}, "overrides: [document/cover.html.j2]\n", ("replaces nothing",)),
    ({"logo.png": b"0" * 1_000_001}, "", ("logo of 1000001 bytes", "at most 1000000 bytes")),
    ({"logo.png": b"GIF89a"}, "", ("is no PNG picture",)),
    (
        {"logo.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x40\0\0\0\0\x10"},
        "",
        ("logo of 16384 × 16 pixels",),
    ),
    ({"logo.svg": SVG.format("<text>A</text>")}, "", ("the SVG holds text", "convert the text to paths")),
    ({"logo.svg": "<!DOCTYPE svg><svg/>"}, "", ("has a document type",)),
    ({COVER: "{% block x %"}, "", ("cover.html.j2:1", "the template is broken")),
    ({COVER: "\n{{ 1|moony }}"}, "", ("cover.html.j2:2", "No filter named 'moony'")),
    ({COVER: '{% extends "document/cover.html.j2" %}'}, "", ("is this template itself", "suanli/document")),
    (
        {COVER: '{% extends "suanli/document/cover.html.j2" %}\n{% block cover_titel %}{% endblock %}'},
        "",
        ("cover.html.j2:2", 'no block "cover_titel"', 'did you mean "cover_title"?'),
    ),
    ({CONTENTS: '{% include "../../../etc/passwd" %}'}, "", ("reaches out of the theme",)),
    ({CONTENTS: '{% include "/etc/passwd" %}'}, "", ("reaches out of the theme",)),
    ({CONTENTS: '{% include "style/bse.css.j2" %}'}, "", ('did you mean "style/base.css.j2"?',)),
    ({"style/them.css.j2": ""}, "", ("replaces nothing", 'did you mean "style/theme.css.j2"?')),
    ({"style/palette.yaml": ""}, "", ("colours stand in theme.yaml",)),
    ({"documents/x.j2": ""}, "", ("is in no folder of a theme", 'did you mean "document"?')),
    ({"theme.yml": ""}, "", ("is no file of a theme", 'did you mean "theme.yaml"?')),
    (
        {"messages/a.yaml": "cover:\n  dat: {zh: 日, en: Day}\n"},
        "",
        ("a.yaml:2", 'no message "cover.dat"', 'did you mean "cover.date"?'),
    ),
    ({"messages/a.yaml": "cover:\n  date: {zh: 日}\n"}, "", ("a.yaml:2", "lacks en")),
    ({"messages/a.yaml": "cover:\n  date: {zh: 日, en: '{x}'}\n"}, "", ("{x} has no value",)),
    (
        {"document/prose/en/risks.html.j2": "{% macro openin() %}{% endmacro %}"},
        "",
        ('no passage "openin"', 'did you mean "opening"?'),
    ),
    (
        {"document/prose/en/risks.html.j2": "{% macro opening(x) %}{% endmacro %}"},
        "",
        ('the passage "opening" takes ()',),
    ),
    ({"fonts/a.woff2": ""}, "fonts: {regular: fonts/a.woff2}\n", ("fonts.bold: is missing", "fonts.licence")),
    (
        {"fonts/a.woff2": "", "fonts/b.ttf": "junk", "fonts/l.txt": "free"},
        "fonts: {regular: fonts/a.woff2, bold: fonts/b.ttf, licence: fonts/l.txt}\n",
        ('a font of the kind ".woff2"', "is no font that can be read", "holds no licence"),
    ),
]


@pytest.mark.parametrize(("files", "more", "expected"), WRONG)
def test_what_is_wrong_is_said_with_its_place_and_its_cure(
    files: dict[str, str | bytes], more: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    said = faults(planted(tmp_path, files, more))
    for part in expected:
        assert part in said


def test_all_faults_of_a_theme_are_told_at_once(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {COVER: "{% if %}", "messages/a.yaml": "x: 1\n", "logo.jpg": b"no"}
    with pytest.raises(InputError) as caught:
        open_theme(planted(tmp_path, files, "colours: {ink: red}\n"))
    assert len(caught.value.faults) == 4


def test_a_folder_without_a_manifest_is_no_theme(tmp_path: Path) -> None:
    assert "there is no theme.yaml" in faults(tmp_path)


def test_links_that_leave_the_folder_are_refused_and_not_read(tmp_path: Path) -> None:
    house = planted(tmp_path / "house", {})
    (tmp_path / "secret.j2").write_text("secret", encoding="utf-8")
    (house / "document").mkdir()
    (house / CONTENTS).symlink_to(tmp_path / "secret.j2")
    (house / "style").symlink_to(tmp_path)
    said = faults(house)
    assert said.count("is a link to outside of the theme") == 2


RUNNING = [
    ("\n{{ projct }}", ("contents.html.j2:2", "'projct' is undefined")),
    ("\n{{ p.misspelt }}", ("contents.html.j2:2", "misspelt")),
    ("\n{{ t('cover.dat') }}", ("contents.html.j2:2", 'did you mean "cover.date"?')),
    ("{{ ''.__class__.__mro__ }}", ("contents.html.j2:1", "unsafe")),
    ("{% set x = '../../../etc/passwd' %}{% include x %}", ('no template "../../../etc/passwd"',)),
    ("{% for a in range(9999999999) %}{% endfor %}", ("Range too big",)),
    (
        "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
        ("more than 3,000,000 steps",),
    ),
    ("{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", ("calls itself without end",)),
    ("{{ 'x' * 9999999999 }}", ("9,999,999,999 characters",)),
    ("{{ 9 ** 99999 }}", ("a power of 99999",)),
    ("{{ '%99999999d'|format(1) }}", ("no page can show",)),
    ("{{ 'x'.ljust(99999999) }}", ("unsafe",)),
    (
        "{% set n = namespace(s='xx') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
        ("more than 1,000,000 characters",),
    ),
    ("{{ 1 / 0 }}", ("division by zero",)),
    ("<script>alert(1)</script>", ("a template writes <script>",)),
    ("<img src='https://example.org/a.png'>", ("a template writes src=",)),
    ("<p onclick='x()'>a</p>", ("a template writes <p onclick",)),
]


@pytest.mark.parametrize(("text", "expected"), RUNNING)
def test_what_a_template_may_not_do_stops_the_build_with_its_place(
    text: str, expected: tuple[str, ...], proposal: Proposal, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        rendered(proposal, planted(tmp_path, {CONTENTS: text}))
    for part in expected:
        assert part in str(caught.value)


def test_a_style_that_loads_from_outside_is_refused(proposal: Proposal, tmp_path: Path) -> None:
    style = "@import 'https://example.org/a.css'; p { background: url(https://example.org/a.png) }"
    with pytest.raises(InputError) as caught:
        rendered(proposal, planted(tmp_path, {"style/theme.css.j2": style}))
    assert len(caught.value.faults) == 2


# --- colours, logos and fonts ---


@given(one=COLOUR, other=COLOUR)
def test_contrast_is_symmetric_and_between_1_and_21(one: str, other: str) -> None:
    assert contrast(one, other) == contrast(other, one)
    assert 1 <= contrast(one, other) <= 21.0001


@given(one=COLOUR, other=COLOUR)
def test_a_mix_of_all_or_nothing_is_one_of_the_two(one: str, other: str) -> None:
    assert mixed(one, other, 1) == one
    assert mixed(one, other, 0) == other


def test_the_shipped_colours_can_be_read() -> None:
    assert list(contrast_faults(colours_of({}), str)) == []


def test_what_follows_from_a_dark_accent_can_be_read() -> None:
    colours = colours_of({"accent": "#5b1f3a"})
    assert colours.tints[0] == colours.series[0] == "#5b1f3a"
    assert contrast(colours.on_accent_soft, colours.accent) >= LEAST_CONTRAST
    assert list(contrast_faults(colours, str)) == []


def test_every_colour_has_a_key_and_every_key_a_colour() -> None:
    assert set(ColourKeys.model_fields) == set(Colours.__dataclass_fields__)


def test_a_logo_is_cleaned_of_scripts_events_and_references() -> None:
    drawn = cleaned_svg(
        SVG.format(
            '<script>alert(1)</script><style>@import "x"</style><image href="https://example.org/a.png"/>'
            '<foreignObject/><a href="https://example.org"><rect/></a>'
            '<path d="M0 0" onload="x()" fill="url(https://example.org/g)"/>'
            '<use href="#a"/><use href="b.svg#a"/>'
        ).encode()
    ).decode()
    assert "path" in drawn
    assert 'href="#a"' in drawn
    for part in ("script", "style", "image", "foreign", "onload", "example.org", "b.svg"):
        assert part not in drawn


def font(path: Path, characters: str, *, fs_type: int = 0) -> None:
    """Write a font of boxes."""
    names = {ord(character): f"u{ord(character):04x}" for character in characters}
    builder = cast("Any", FontBuilder(1000, isTTF=True))
    builder.setupGlyphOrder([".notdef", *names.values()])
    builder.setupCharacterMap(names)
    pen = cast("Any", TTGlyphPen(None))
    pen.moveTo((50, 0))
    pen.lineTo((50, 700))
    pen.lineTo((550, 700))
    pen.lineTo((550, 0))
    pen.closePath()
    glyph = pen.glyph()
    builder.setupGlyf(dict.fromkeys([".notdef", *names.values()], glyph))
    builder.setupHorizontalMetrics(dict.fromkeys([".notdef", *names.values()], (600, 50)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Boxes", "styleName": "Regular"})
    builder.setupOS2(fsType=fs_type, sTypoAscender=800, sTypoDescender=-200)
    builder.setupPost()
    path.parent.mkdir(parents=True, exist_ok=True)
    builder.save(path)


LATIN = "".join(chr(code) for code in range(0x20, 0x7F))
FONTS = "fonts: {regular: fonts/a.ttf, bold: fonts/b.ttf, licence: fonts/OFL.txt}\n"


def test_fonts_of_a_theme_are_embedded_and_fall_back_for_what_they_lack(
    proposal: Proposal, tmp_path: Path
) -> None:
    pikepdf = pytest.importorskip("pikepdf")
    house = planted(tmp_path, {"fonts/OFL.txt": "you may embed this font " * 9}, FONTS)
    for name in ("a", "b"):
        font(house / "fonts" / f"{name}.ttf", LATIN)
    with pikepdf.open(BytesIO(pdf.render(RenderJob(proposal, "zh", house)))) as document:
        names = {
            str(item["/BaseFont"])
            for item in document.objects
            if isinstance(item, pikepdf.Dictionary) and "/BaseFont" in item
        }
    assert any("Boxes" in name or "House" in name for name in names), names
    assert any("Noto" in name for name in names), names


def test_a_font_without_digits_or_one_that_forbids_embedding_is_refused(tmp_path: Path) -> None:
    house = planted(tmp_path, {"fonts/OFL.txt": "you may embed this font " * 9}, FONTS)
    font(house / "fonts" / "a.ttf", "abc")
    font(house / "fonts" / "b.ttf", LATIN, fs_type=2)
    said = faults(house)
    assert "has no glyph for 65 of the characters that every document needs: 0 1 2" in said
    assert "forbids to be embedded" in said


# --- the page on themes ---


def test_the_page_lists_every_block_of_every_template() -> None:
    page = (ROOT / "docs" / "themes.md").read_text(encoding="utf-8").partition("## The blocks")[2]
    listed = dict(re.findall(r"^\| `((?:document|style|workbook)/[^`]+)` \| ([^|]+) \|$", page, re.MULTILINE))
    root = ROOT / "templates" / "suanli_templates"
    paths = [path.relative_to(root).as_posix() for path in sorted(root.rglob("*.j2"))]
    found = {path: ", ".join(f"`{name}`" for name in shipped_blocks(path)) for path in paths}
    assert {path: names.strip() for path, names in listed.items()} == {
        path: names for path, names in found.items() if names
    }
