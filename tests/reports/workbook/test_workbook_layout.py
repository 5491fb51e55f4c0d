"""The layout of the workbook: what a theme may change, and what is refused."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
import yaml
from pydantic import ValidationError

from suanli.errors import InputError, RenderError
from suanli.proposal.contributions import RenderJob
from suanli_reports.workbook_grid import arrange
from suanli_reports.workbook_layout import Layout, is_defined_name
from suanli_reports.workbook_template import TEMPLATE, defined_name, load_layout
from suanli_reports.workbook_text import lines_needed, sheet_names, width
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.proposal.model import Proposal


def _shipped(path: str = TEMPLATE) -> str:
    return files("suanli_templates").joinpath(path).read_text(encoding="utf-8")


def _theme(folder: Path, text: str, name: str = TEMPLATE) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return _bare(folder)


def _bare(folder: Path) -> Path:
    about = "name: {zh: 甲, en: House}\ndescription: {zh: 样式, en: A look}\n"
    (folder / "theme.yaml").write_text(about, encoding="utf-8")
    return folder


def test_a_theme_changes_words_and_colours_and_takes_the_rest_as_shipped(
    costed: Proposal, tmp_path: Path
) -> None:
    cover = "workbook/sheets/cover.yaml.j2"
    text = _shipped(cover).replace('en: "Cost sheet"', 'en: "House sheet"')
    _theme(tmp_path, text, cover)
    (tmp_path / TEMPLATE).write_text(
        _shipped().replace('"{{ palette.accent }}"', '"#112233"'), encoding="utf-8"
    )
    layout = load_layout(RenderJob(costed, "en", tmp_path))
    assert layout.sheets[0].title.en == "House sheet"
    assert layout.palette.accent == "#112233"


def test_a_theme_without_a_workbook_uses_the_shipped_one(costed: Proposal, tmp_path: Path) -> None:
    assert load_layout(RenderJob(costed, "en", _bare(tmp_path))) == load_layout(RenderJob(costed, "en"))


@pytest.mark.parametrize(
    ("replaced", "by", "message"),
    [
        ("size: 10", "size: ten", "size"),
        ("size: 10", "size: {{ unknown_thing }}", "unknown_thing"),
        ("size: 10", "size: {{ proposal.project.nme }}", "nme"),
        ("size: 10", "size: [", "cannot be read"),
        ('{% include "workbook/sheets/workings.yaml.j2" %}', "", "workings"),
        ("comments.yaml.j2", "no-comments.yaml.j2", "there is no template"),
        ("size: 10", "sise: 10", "Extra inputs"),
        ("accent: ", "accent: red # ", "palette"),
    ],
)
def test_a_wrong_layout_is_refused_with_its_place(
    replaced: str, by: str, message: str, costed: Proposal, tmp_path: Path
) -> None:
    text = _shipped()
    assert replaced in text
    job = RenderJob(costed, "en", _theme(tmp_path, text.replace(replaced, by)))
    with pytest.raises(InputError) as caught:
        render_xlsx(job)
    assert message in str(caught.value)


def test_a_layout_cannot_reach_the_machine(costed: Proposal, tmp_path: Path) -> None:
    job = RenderJob(costed, "en", _theme(tmp_path, "font: {{ ''.__class__.__mro__[1].__subclasses__() }}"))
    with pytest.raises(InputError, match="unsafe"):
        load_layout(job)


def test_all_faults_of_a_layout_are_told_at_once(costed: Proposal, tmp_path: Path) -> None:
    text = _shipped().replace("size: 10", "size: ten").replace('ink: "{{ palette.ink }}"', "ink: black", 1)
    with pytest.raises(InputError) as caught:
        load_layout(RenderJob(costed, "en", _theme(tmp_path, text)))
    assert {fault.key for fault in caught.value.faults} >= {"size", "palette.ink"}


def test_a_shown_entry_that_does_not_exist_is_refused(costed: Proposal) -> None:
    layout = load_layout(RenderJob(costed, "en")).model_copy(
        update={"names": {"vat_goods": "general.vat_godds"}}
    )
    with pytest.raises(RenderError, match=r"general\.vat_godds") as caught:
        arrange(layout, costed.ledger, "en")
    assert "general.vat_goods" in str(caught.value)


def test_entries_that_a_layout_leaves_out_stand_on_the_workings_sheet(costed: Proposal) -> None:
    content = yaml.safe_load(_rendered(costed))
    content["sheets"] = [sheet for sheet in content["sheets"] if sheet["id"] == "workings"]
    layout = Layout.model_validate(content)
    grid = arrange(layout, costed.ledger, "en")
    assert {place.sheet for place in grid.homes.values()} == {0}
    assert len(grid.homes) == len(costed.ledger.entries)


def _rendered(proposal: Proposal) -> str:
    return load_layout(RenderJob(proposal, "en")).model_dump_json()


@pytest.mark.parametrize("name", ["a/b", "a:b", "what?", "[x]", "'quoted", "a\\b", "a*b"])
def test_sheet_names_that_spreadsheets_refuse_are_refused(name: str, costed: Proposal) -> None:
    content = yaml.safe_load(_rendered(costed))
    content["sheets"][0]["name"] = {"zh": name, "en": name}
    with pytest.raises(ValidationError, match="spreadsheets refuse"):
        Layout.model_validate(content)


@pytest.mark.parametrize("name", ["FX1", "r2c3", "R1", "A1", "ABC123", "x", "with space", "1st", "c"])
def test_what_looks_like_an_address_is_no_defined_name(name: str) -> None:
    assert not is_defined_name(name)
    assert is_defined_name(defined_name(name))


@pytest.mark.parametrize(
    ("names", "expected"),
    [(["a", "A"], ("a", "A (2)")), (["x" * 40, "x" * 40], ("x" * 31, "x" * 27 + " (2)"))],
)
def test_sheet_names_are_short_and_distinct(names: list[str], expected: tuple[str, ...]) -> None:
    assert sheet_names(names) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("abc", 3), ("算力", 4), ("（kW）", 6), ("", 0), ("a\n算力", 4)]
)
def test_wide_characters_count_two(text: str, expected: int) -> None:
    assert width(text) == expected


def test_a_long_sentence_takes_more_lines_in_a_narrower_column() -> None:
    sentence = "本行用于检查没有空格的长中文说明是否会在单元格内自动换行" * 3
    counts = [lines_needed(sentence, columns) for columns in (10, 20, 40, 400)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 1
