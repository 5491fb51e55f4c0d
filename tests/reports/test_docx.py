"""The document for Word: its structure is that of the composed one, the file is sound, no text is lost."""

from __future__ import annotations

import io
import re
import sys
import zipfile
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import docx as reader
import pytest
from PIL import Image

import suanli_reports
from suanli.domain.record import Text
from suanli.errors import RenderError
from suanli.proposal.contributions import RenderJob, Section
from suanli_reports import docx
from suanli_reports.environment import compose
from suanli_reports.office_picture import rasterised, read_drawing
from suanli_reports.office_tree import Element, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from suanli.proposal.model import Proposal

LANGUAGES = ("zh", "en", "bilingual")
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
PACKAGE = "{http://schemas.openxmlformats.org/package/2006/relationships}"
SPACES = re.compile(r"\s+")


class Made:
    """A document in one language: its bytes and parts, and the composed document it was written from."""

    def __init__(self, proposal: Proposal, language: str) -> None:
        self.language = language
        self.job = RenderJob(proposal=proposal, language=language)
        self.content = docx.render(self.job)
        with zipfile.ZipFile(io.BytesIO(self.content)) as opened:
            self.parts = {name: opened.read(name) for name in opened.namelist()}
        self.document = tree(self.parts["word/document.xml"])
        self.source = parse(compose(self.job, "print")[0])

    def paragraphs(self, style: str) -> list[ET.Element]:
        return [
            paragraph
            for paragraph in self.document.iter(f"{W}p")
            if (found := paragraph.find(f"{W}pPr/{W}pStyle")) is not None and found.get(f"{W}val") == style
        ]


@pytest.fixture(scope="module", params=LANGUAGES)
def made(request: pytest.FixtureRequest, proposal: Proposal) -> Made:
    return Made(proposal, str(request.param))


def tree(content: bytes) -> ET.Element:
    return ET.fromstring(content)  # noqa: S314 - written by the program under test


def bare(text: str) -> str:
    """Return a text without any space."""
    return SPACES.sub("", text)


def words(element: ET.Element) -> str:
    """Return the text of a part of the document, without field codes."""
    return "".join(part.text or "" for part in element.iter(f"{W}t"))


def shown(element: Element) -> str:
    """Return the text of a part of the composed document without the number that a list gives."""
    return "".join(
        child if isinstance(child, str) else "" if "no" in child.classes else child.text
        for child in element.children
    )


def codes(element: ET.Element) -> list[str]:
    return [(part.text or "").strip() for part in element.iter(f"{W}instrText")]


def test_a_reader_that_is_not_ours_opens_it_and_finds_title_subject_and_day(made: Made) -> None:
    opened = reader.Document(io.BytesIO(made.content))
    properties = opened.core_properties
    project = made.job.proposal.project
    assert properties.title.startswith(f"{project.name} · ")
    assert properties.subject
    assert properties.created is not None
    assert properties.modified is not None
    assert properties.created.date() == properties.modified.date() == project.day
    assert len(opened.paragraphs) > 200
    assert len(opened.tables) > 50


def test_headings_are_those_of_the_outline_in_its_order(made: Made) -> None:
    for tags, style in ((("h1",), "Heading1"), (("h2",), "Heading2"), (("h3", "minor"), "Heading3")):
        sections = [one for one in made.source.walk() if one.tag == "section"]
        heads = [one for section in sections for one in section.walk() if one.tag in ("h1", "h2", "h3")]
        kinds = [("minor" if "minor" in one.classes else one.tag, bare(shown(one))) for one in heads]
        wanted = [title for kind, title in kinds if kind in tags]
        assert [bare(words(one)) for one in made.paragraphs(style)] == wanted
        assert wanted


def test_headings_count_as_the_pdf_does_with_letters_for_annexes(made: Made) -> None:
    numbers: list[str] = []
    counts: dict[str, list[int]] = {"1": [0, 0], "2": [0, 0]}
    for paragraph in made.document.iter(f"{W}p"):
        number, level = (paragraph.find(f"{W}pPr/{W}numPr/{W}{name}") for name in ("numId", "ilvl"))
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        if style is None or style.get(f"{W}val") not in ("Heading1", "Heading2"):
            continue
        assert number is not None
        assert level is not None
        count = counts[number.get(f"{W}val", "")]
        if level.get(f"{W}val") == "0":
            count[:] = [count[0] + 1, 0]
        else:
            count[1] += 1
        lead = str(count[0]) if number.get(f"{W}val") == "1" else chr(ord("A") + count[0] - 1)
        numbers.append(f"{lead}.{count[1]}" if count[1] else lead)
    sections = [one for one in made.source.walk() if one.tag == "section"]
    wanted = [
        said.text
        for section in sections
        for one in section.walk()
        if one.tag in ("h1", "h2") and (said := one.first("span", "no")) is not None
    ]
    assert numbers == wanted


def test_no_text_is_lost_and_none_is_added(made: Made) -> None:
    body = made.source.first("body")
    assert body is not None

    def parts(element: Element) -> Iterator[str]:
        for child in element.children:
            if isinstance(child, str):
                yield child
            elif child.tag == "svg" or ("no" in child.classes and element.tag in ("h1", "h2")):
                continue
            elif child.tag == "nav":
                yield from parts(child)
                yield docx_hint
            else:
                yield from parts(child)

    docx_hint = words(made.paragraphs("Note")[_hint_at(made)])
    wanted = bare("".join(parts(body)))
    found = bare(words(made.document))
    foot = next(one for one in body.walk() if "foot" in one.classes)
    assert sorted(found) == sorted(wanted), (len(found), len(wanted), foot.text)


def _hint_at(made: Made) -> int:
    return next(index for index, one in enumerate(made.paragraphs("Note")) if "F9" in words(one))


def test_every_head_of_a_table_is_repeated_and_no_row_is_split(made: Made) -> None:
    tables = list(made.document.iter(f"{W}tbl"))
    headed = 0
    for table in tables:
        style = table.find(f"{W}tblPr/{W}tblStyle")
        assert style is not None
        rows = table.findall(f"{W}tr")
        assert all(row.find(f"{W}trPr/{W}cantSplit") is not None for row in rows)
        heads = [row.find(f"{W}trPr/{W}tblHeader") is not None for row in rows]
        if style.get(f"{W}val") == "DataTable":
            assert heads[0] or not any(heads)
            assert heads == sorted(heads, reverse=True)
            headed += heads[0]
        else:
            assert not any(heads)
    assert headed == sum(one.tag == "thead" for one in made.source.walk())


def test_numbers_of_tables_stand_at_the_right(made: Made) -> None:
    wanted = sum(
        one.tag == "td" and "n" in one.classes and bool(one.text.strip()) for one in made.source.walk()
    )
    found = sum(bool(words(one).strip()) for one in made.paragraphs("TableNumber"))
    assert found == wanted > 500


def test_captions_are_fields_that_show_the_numbers_of_the_pdf(made: Made) -> None:
    captions = [one for one in made.source.walk() if "caption" in one.classes]
    found = made.paragraphs("Caption")
    assert [bare(words(one)) for one in found] == [bare(one.text) for one in captions]
    counted: dict[tuple[str, str], int] = {}
    numbered = [one for one in found if codes(one)]
    assert len(numbered) == sum(one.first("span", "no") is not None for one in captions)
    for caption in numbered:
        chapter, sequence = codes(caption)
        assert chapter == r"STYLEREF 1 \s"
        label = re.fullmatch(r"SEQ (\S+) \\\* ARABIC \\s 1( \\r 1)?", sequence)
        assert label is not None
        number = re.search(r"(\w+)-(\d+)", words(caption))
        assert number is not None
        key = (label[1], number[1])
        counted[key] = counted.get(key, 0) + 1
        assert int(number[2]) == counted[key]
        assert bool(label[2]) == (counted[key] == 1)
    assert {label for label, _ in counted} == ({"Table", "Figure"} if made.language == "en" else {"表", "图"})


def test_the_contents_are_a_field_whose_entries_are_there_before_it_is_updated(made: Made) -> None:
    contents = made.document.find(f"{W}body/{W}sdt")
    assert contents is not None
    assert codes(contents)[0] == r'TOC \o "1-2" \h \z \u'
    navigation = made.source.first("nav")
    assert navigation is not None
    wanted = [bare(one.text) for one in navigation.walk() if one.tag == "li"]
    entries = [*contents.iter(f"{W}hyperlink")]
    assert [bare(words(one)) for one in entries] == wanted
    assert all(codes(one)[-1] == rf"PAGEREF {one.get(f'{W}anchor')} \h" for one in entries)
    begun = [one.get(f"{W}fldCharType") for one in contents.iter(f"{W}fldChar")]
    assert begun.count("begin") == begun.count("end") == len(wanted) + 1
    assert b"updateFields" not in made.parts["word/settings.xml"]


def test_head_and_foot_have_chapter_project_version_and_page_of_pages(made: Made) -> None:
    head, foot = (tree(made.parts[f"word/{name}.xml"]) for name in ("header", "footer"))
    assert codes(head) == ["STYLEREF 1"]
    assert made.job.proposal.project.name.zh in words(head)
    assert codes(foot) == ["PAGE", "NUMPAGES"]
    assert "suanli 0.1.0 · 2026-11-30" in words(foot)
    cover, rest = made.document.iter(f"{W}sectPr")
    assert cover.find(f"{W}headerReference") is None
    assert rest.find(f"{W}headerReference") is not None
    for section in (cover, rest):
        size = section.find(f"{W}pgSz")
        assert size is not None
        assert (size.get(f"{W}w"), size.get(f"{W}h")) == ("11906", "16838")


def test_reference_keys_are_raised_and_lead_to_their_annex(made: Made) -> None:
    names = {one.get(f"{W}name") for one in made.document.iter(f"{W}bookmarkStart")}
    keys = [
        (link.get(f"{W}anchor"), run)
        for link in made.document.iter(f"{W}hyperlink")
        for run in link.iter(f"{W}r")
        if (style := run.find(f"{W}rPr/{W}rStyle")) is not None and style.get(f"{W}val") == "ReferenceKey"
    ]
    assert len(keys) > 60
    assert {anchor for anchor, _ in keys} <= names
    assert all(
        anchor == f"ref_{words(run).strip()}" for anchor, run in keys if re.fullmatch(r"\w+", words(run))
    )
    assert b'w:styleId="ReferenceKey"' in made.parts["word/styles.xml"]
    assert b'w:val="superscript"' in made.parts["word/styles.xml"]


def test_ids_are_unique_links_resolve_and_no_cell_is_empty(made: Made) -> None:
    marks = [one.get(f"{W}id") for one in made.document.iter(f"{W}bookmarkStart")]
    names = [one.get(f"{W}name") or "" for one in made.document.iter(f"{W}bookmarkStart")]
    ends = [one.get(f"{W}id") for one in made.document.iter(f"{W}bookmarkEnd")]
    assert len(set(marks)) == len(marks)
    assert sorted(marks, key=str) == sorted(ends, key=str)
    assert len({name.lower() for name in names}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z]\w{0,39}", name, re.ASCII) for name in names)
    assert {one.get(f"{W}anchor") for one in made.document.iter(f"{W}hyperlink")} <= set(names)
    drawings = [one.get("id") for one in made.document.iter() if one.tag.endswith("}docPr")]
    assert len(set(drawings)) == len(drawings) == 13
    for cell in made.document.iter(f"{W}tc"):
        content = [one.tag for one in cell if one.tag != f"{W}tcPr"]
        assert content
        assert content[-1] == f"{W}p"
    for table in made.document.iter(f"{W}tbl"):
        columns = len(table.findall(f"{W}tblGrid/{W}gridCol"))
        for row in table.findall(f"{W}tr"):
            spans = [one.find(f"{W}tcPr/{W}gridSpan") for one in row.findall(f"{W}tc")]
            assert sum(1 if span is None else int(span.get(f"{W}val", "1")) for span in spans) == columns


def test_every_part_is_well_formed_typed_and_related_and_nothing_is_outside(made: Made) -> None:
    types = made.parts["[Content_Types].xml"].decode()
    for name, content in made.parts.items():
        if name.endswith((".xml", ".rels", ".svg")):
            tree(content)
        assert f'PartName="/{name}"' in types or f'Extension="{name.rpartition(".")[2]}"' in types
    links = tree(made.parts["word/_rels/document.xml.rels"])
    targets = {one.get("Id"): one.get("Target") for one in links.iter(f"{PACKAGE}Relationship")}
    assert {f"word/{target}" for target in targets.values()} <= set(made.parts)
    assert not any("TargetMode" in one.attrib for one in links)
    used = {value for one in made.document.iter() for name, value in one.attrib.items() if name.startswith(R)}
    assert used <= set(targets)
    assert {one for one in targets if one and "image" in one} <= used


def test_styles_and_lists_that_are_used_are_defined(made: Made) -> None:
    styles = tree(made.parts["word/styles.xml"])
    defined = {one.get(f"{W}styleId") for one in styles.iter(f"{W}style")}
    used = {
        one.get(f"{W}val")
        for tag in ("pStyle", "rStyle", "tblStyle", "basedOn", "next")
        for part in (made.document, styles)
        for one in part.iter(f"{W}{tag}")
    }
    assert used <= defined
    numbering = tree(made.parts["word/numbering.xml"])
    numbers = [one.get(f"{W}numId") for one in numbering.iter(f"{W}num")]
    assert len(set(numbers)) == len(numbers)
    assert {one.get(f"{W}val") for one in made.document.iter(f"{W}numId")} <= {*numbers, "0"}


def test_charts_are_vectors_with_pixels_beside_them_and_say_what_they_show(made: Made) -> None:
    titles = [read_drawing(str(one.children[0])).title for one in made.source.walk() if one.tag == "svg"]
    found = [one.get("descr") for one in made.document.iter() if one.tag.endswith("}docPr")]
    assert found == titles
    assert all(titles)
    vectors = [name for name in made.parts if name.endswith(".svg")]
    assert len(vectors) == len(titles)
    for name, content in made.parts.items():
        if name.endswith(".png"):
            with Image.open(io.BytesIO(content)) as image:
                assert image.width > 400
                assert len(image.convert("RGB").getcolors(1 << 20) or ()) > 8


def test_the_same_proposal_gives_the_same_bytes_and_no_clock_is_read(infeasible_proposal: Proposal) -> None:
    job = RenderJob(proposal=infeasible_proposal, language="bilingual")
    content = docx.render(job)
    assert content == docx.render(job)
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        assert {entry.date_time for entry in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_side_by_side_passages_are_columns_without_lines_between(proposal: Proposal) -> None:
    made = Made(proposal, "bilingual")
    pairs = sum("pair" in one.classes for one in made.source.walk())
    columns = [
        table
        for table in made.document.iter(f"{W}tbl")
        if len(table.findall(f"{W}tblGrid/{W}gridCol")) == 2
        and (style := table.find(f"{W}tblPr/{W}tblStyle")) is not None
        and style.get(f"{W}val") == "LayoutTable"
    ]
    # The cover and two charts beside each other are such tables too.
    assert pairs > 25
    assert len(columns) >= pairs
    assert not any(table.find(f"{W}tblPr/{W}tblBorders/{W}insideV") is not None for table in columns)


def with_chapter(
    proposal: Proposal, folder: Path, template: str, monkeypatch: pytest.MonkeyPatch
) -> RenderJob:
    package = f"suanli_own_{folder.name}"
    (folder / package / "templates").mkdir(parents=True)
    (folder / package / "__init__.py").write_text("", encoding="utf-8")
    (folder / package / "templates" / "own.html.j2").write_text(template, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    section = Section(
        id="own",
        after="options",
        title=Text(zh="环境", en="Environment"),
        package=package,
        template="own.html.j2",
    )
    return RenderJob(proposal=proposal, language="en", sections=(section,))


def test_a_chapter_of_a_plugin_comes_along(
    infeasible_proposal: Proposal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = (
        "{{ chapter.section('Water') }}<p>Saves {{ num(7) }} t.</p>"
        "<ul><li>one<ul><li>inside</li></ul></li></ul><ol><li><p>first</p><p>more</p></li></ol>"
    )
    content = docx.render(with_chapter(infeasible_proposal, tmp_path, template, monkeypatch))
    texts = [one.text for one in reader.Document(io.BytesIO(content)).paragraphs]
    at = texts.index("Environment")
    assert texts[at : at + 7] == ["Environment", "Water", "Saves 7 t.", "one", "inside", "first", "more"]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("<p><blink>x</blink></p>", r"no form for <blink>"),
        ("<aside>x</aside>", r"no form for <aside>"),
        ("<p><a href='https://example.com/x'>x</a></p>", r"leads out of the document"),
        ("<p><a href='#nowhere'>x</a></p>", r'link to "nowhere" leads nowhere'),
        ("<p>x", r"</section> where <p> is open"),
        ("<svg width='9pt' height='9pt' xmlns='http://www.w3.org/2000/svg'><path d='M0 0'/></svg>", "<path>"),
        ("<svg xmlns='http://www.w3.org/2000/svg'></svg>", "no width and height"),
        ("<p><b><img src='x.png'></b></p>", r"no form for <img>"),
        ("<img src='x.png'>", "cannot hold"),
        ("<img src='data:image/png;base64,AAAA'>", "cannot be read"),
    ],
)
def test_what_word_has_no_form_for_is_an_error_that_names_it(
    infeasible_proposal: Proposal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    template: str,
    message: str,
) -> None:
    with pytest.raises(RenderError, match=message) as caught:
        docx.render(with_chapter(infeasible_proposal, tmp_path, template, monkeypatch))
    assert caught.value.exit_code == 4


def test_without_the_library_that_draws_the_error_says_what_to_install(
    proposal: Proposal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "suanli_reports.office_pixels", raising=False)
    monkeypatch.delattr(suanli_reports, "office_pixels", raising=False)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(RenderError, match="pip install pillow") as caught:
        docx.render(RenderJob(proposal=proposal, language="en"))
    assert caught.value.exit_code == 4


def test_a_theme_changes_colours_styles_and_logo(proposal: Proposal, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 20), "#123456").save(buffer, "PNG")
    (tmp_path / "logo.png").write_bytes(buffer.getvalue())
    (tmp_path / "theme.yaml").write_text(
        "name: {zh: 样式, en: House}\ndescription: {zh: 样式, en: House}\n", encoding="utf-8"
    )
    (tmp_path / "office").mkdir()
    plain = docx.render(RenderJob(proposal=proposal, language="en"))
    with zipfile.ZipFile(io.BytesIO(plain)) as opened:
        pictures = sum(name.startswith("word/media/") for name in opened.namelist())
    template = "<w:settings xmlns:w='x'>{{ p.project.name.zh }}</w:settings>"
    (tmp_path / "office" / "settings.xml.j2").write_text(template, encoding="utf-8")
    content = docx.render(RenderJob(proposal=proposal, language="en", theme=tmp_path))
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        assert sum(name.startswith("word/media/") for name in opened.namelist()) == pictures + 1
        assert opened.read("word/media/image1.png") == buffer.getvalue()
        assert "某行业大模型预训练集群" in opened.read("word/settings.xml").decode()


def test_dashes_and_edges_are_drawn_where_the_vectors_have_them() -> None:
    source = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40pt" height="20pt">'
        '<polyline points="0,10 40,10" stroke="#000000" stroke-width="2" stroke-dasharray="10 10"/>'
        '<rect x="30" y="0" width="10" height="5" fill="#ffffff" stroke="#ff0000" stroke-width="1"/></svg>'
    )
    with Image.open(io.BytesIO(rasterised(read_drawing(source)))) as image:
        pixels: Any = image.convert("RGB").load()
        assert [pixels[x * 3, 30][0] < 128 for x in (5, 15, 25, 35)] == [True, False, True, False]
        assert pixels[31 * 3 - 3, 7][1] < 128


def test_a_text_that_is_not_closed_in_order_is_refused() -> None:
    with pytest.raises(RenderError, match="never closed"):
        parse("<p>text")
    with pytest.raises(RenderError, match="not well-formed"):
        read_drawing("<svg><rect></svg>")
