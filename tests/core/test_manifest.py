"""What a folder's manifest says can be checked, and what is no manifest is said to be none."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest
from tests.factories import accelerator, catalogue, price

from suanli.errors import InputError
from suanli.manifest import catalogue_digest, verify

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, **files: str) -> None:
    outputs: dict[str, str] = {}
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
        outputs[name] = hashlib.sha256(content.encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps({"outputs": outputs}), encoding="utf-8")


def test_unchanged_files_are_named(tmp_path: Path) -> None:
    written(tmp_path, a="1", b="2")
    assert verify(tmp_path) == ("a", "b")


def test_every_changed_and_every_missing_file_is_a_fault(tmp_path: Path) -> None:
    written(tmp_path, a="1", b="2", c="3")
    (tmp_path / "a").write_text("other", encoding="utf-8")
    (tmp_path / "b").unlink()
    with pytest.raises(InputError) as raised:
        verify(tmp_path)
    assert [fault.what for fault in raised.value.faults] == [
        "changed since the proposal was written",
        "missing",
    ]


def test_a_file_that_differs_from_the_copy_inside_another_is_a_fault(tmp_path: Path) -> None:
    written(tmp_path, document="x", sheet="1")
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    inside = {"sheet": manifest["outputs"]["sheet"], "unwritten": "a" * 64}
    for digest, names in ((inside["sheet"], ("document", "sheet")), ("b" * 64, ())):
        manifest["attached"] = {"document": inside | {"sheet": digest}}
        (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        if names:
            assert verify(tmp_path) == names
        else:
            with pytest.raises(InputError, match="attached to document"):
                verify(tmp_path)


@pytest.mark.parametrize(
    "content", ["", "not json", "[]", "{}", '{"outputs": 3}', '{"outputs": {}, "attached": {"a": 3}}']
)
def test_what_is_no_manifest_is_refused_without_a_traceback(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="not a manifest"):
        verify(tmp_path)


def test_the_digest_of_a_catalogue_depends_on_its_records_only() -> None:
    one, two = accelerator(), price("p", "1")
    assert catalogue_digest(catalogue(one, two)) == catalogue_digest(catalogue(one, two))
    assert catalogue_digest(catalogue(one, two)) != catalogue_digest(catalogue(one, price("p", "2")))
    assert catalogue_digest(catalogue(one)) != catalogue_digest(catalogue(one, two))
