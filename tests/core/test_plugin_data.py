"""Data files of plugins: good records are kept, and every fault is told with file, record and key."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from suanli.errors import PluginError
from suanli.plugin import load_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from suanli.domain.record import Record

GOOD = """\
sources:
  - {id: doc, title: Data sheet, publisher: Acme, retrieved: 2026-11-01}
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    name = "acme_data_of_a_test"
    folder = tmp_path / name / "data"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    def with_files(**files: str) -> str:
        for stem, content in files.items():
            (folder / f"{stem}.yaml").write_text(content, encoding="utf-8")
        return name

    yield with_files
    sys.modules.pop(name, None)


def loaded(package: str) -> tuple[list[Record], list[str]]:
    records: list[Record] = []
    try:
        records.extend(load_records(package))
    except PluginError as error:
        return records, [str(fault) for fault in error.faults]
    return records, []


def test_records_come_in_order_of_file_name(package: Callable[..., str]) -> None:
    name = package(b=GOOD.replace("doc", "second"), a=GOOD.replace("doc", "first"))
    records, faults = loaded(name)
    assert [record.id for record in records] == ["first", "second"]
    assert faults == []


def test_files_of_another_kind_are_left_alone(package: Callable[..., str], tmp_path: Path) -> None:
    name = package(a=GOOD)
    (tmp_path / name / "data" / "notes.txt").write_text("no records", encoding="utf-8")
    assert len(loaded(name)[0]) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("sources: [", ("not readable as YAML",)),
        ("- 1\n", ("a data file holds lists of records by kind", "kinds: ")),
        ("sorces: []\n", ('"sorces" is no kind', 'did you mean "sources"?')),
        ("sources: {id: doc}\n", ('"sources" is no list', "expected a list of records")),
        (
            "sources:\n  - {id: doc, titel: x, publisher: Acme, retrieved: 2026-11-01}\n",
            ("sources[doc].titel", 'did you mean "title"?'),
        ),
        ("sources:\n  - {id: doc, publisher: Acme, retrieved: 2026-11-01}\n", ("sources[doc].title",)),
        (
            "sources:\n  - {id: doc, title: x, publisher: Acme, retrieved: soon}\n",
            ("sources[doc].retrieved", "found 'soon'"),
        ),
        ("sources:\n  - 3\n", ("sources[0]",)),
    ],
)
def test_a_wrong_file_is_told_with_place_and_cure(
    package: Callable[..., str], content: str, words: tuple[str, ...]
) -> None:
    records, faults = loaded(package(a=content, b=GOOD))
    assert [record.id for record in records] == ["doc"]
    text = "\n".join(faults)
    assert "data/a.yaml" in text
    for word in words:
        assert word in text


def test_a_file_of_comments_holds_nothing_and_is_no_fault(package: Callable[..., str]) -> None:
    assert loaded(package(a="# to be filled in\n")) == ([], [])


@pytest.mark.parametrize("where", [("no_such_package_of_a_test", "data"), ("suanli", "no-such-folder")])
def test_a_package_or_folder_that_is_not_there_is_said(where: tuple[str, str]) -> None:
    with pytest.raises(PluginError, match=r"there is no package|has no folder"):
        list(load_records(*where))


def test_all_faults_of_all_files_are_told_at_once(package: Callable[..., str]) -> None:
    _, faults = loaded(package(a="sorces: []\n", b="- 1\n", c="sources:\n  - {id: doc}\n"))
    assert len(faults) == 5  # two files, and three keys that the record lacks
