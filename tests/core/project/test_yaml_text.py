"""YAML is read as text with lines; what is outside the subset is a fault with a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suanli.errors import InputError
from suanli.project.yaml_text import MAX_BYTES, parse_yaml, read_yaml

if TYPE_CHECKING:
    from pathlib import Path


def faults(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_yaml(text, "a.yaml")
    return str(caught.value)


def test_scalars_keep_their_spelling() -> None:
    document = parse_yaml("a: 1:30\nb: no\nc: 2026-11-30\nd: 0x10\ne: 1_000\nf: 1.10", "a.yaml")
    assert document.root == {
        "a": "1:30",
        "b": "no",
        "c": "2026-11-30",
        "d": "0x10",
        "e": "1_000",
        "f": "1.10",
    }


def test_an_absent_value_is_an_empty_text_and_a_quoted_null_is_text() -> None:
    assert parse_yaml("a:\nb: ~\nc: null\nd: 'null'", "a.yaml").root == {
        "a": "",
        "b": "",
        "c": "",
        "d": "null",
    }


def test_every_key_and_item_has_its_line() -> None:
    document = parse_yaml("a:\n  b: 1\n  c:\n    - x\n    - {d: 2}\n", "a.yaml")
    assert document.lines == {
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "c"): 3,
        ("a", "c", 0): 4,
        ("a", "c", 1): 5,
        ("a", "c", 1, "d"): 5,
    }


def test_the_place_of_an_absent_key_is_that_of_the_nearest_key_above() -> None:
    document = parse_yaml("a:\n  b: 1\n", "a.yaml")
    assert document.place(("a", "x", "y")) == "a.yaml:1"
    assert document.place(("z",)) == "a.yaml"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", 'a.yaml:2: a: the key "a" stands twice\n  first on line 1'),
        ("a: &x 1\nb: *x\n", "a.yaml:2: b: alias *x"),
        ("a: !!python/object:os.system 1\n", "tag tag:yaml.org,2002:python/object:os.system"),
        ("a: 1\n---\nb: 2\n", "a second document begins here"),
        ("? [a, b]\n: 1\n", "where a key is meant"),
        ("a: 1\n\tb: 2\n", "replace the tab"),
        ("a: {b: 1\n", "a bracket is not closed"),
        ("a: x: y\n", 'quote a value that contains ": "'),
        ("a：1\nb: 2\n", "full-width"),
        ("a: \x07\n", "is not YAML"),
    ],
)
def test_what_is_outside_the_subset_is_a_fault_with_a_line(text: str, message: str) -> None:
    assert message in faults(text)


def test_a_syntax_error_shows_the_line_and_a_caret() -> None:
    assert faults("a: 1\nb: x: y\n").splitlines()[1:3] == ["  b: x: y", "      ^"]


def test_several_faults_are_reported_together() -> None:
    text = faults("a: 1\na: 2\nb: &x 1\nc: *x\n")
    assert text.count("a.yaml:") == 3


def test_deep_and_wide_files_are_refused() -> None:
    assert "nested too deeply" in faults("[" * 40 + "]" * 40)
    assert "too large" in faults("a: [" + "1," * 60_000 + "1]")


def test_a_chain_of_aliases_cannot_be_expanded() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    assert "anchors and aliases are not read" in faults("\n".join(rows))


def test_files_that_cannot_be_read_are_faults(tmp_path: Path) -> None:
    (tmp_path / "near.yaml").write_text("a: 1")
    (tmp_path / "latin.yaml").write_bytes(b"a: 1\nb: \xe9\n")
    (tmp_path / "large.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    cases = {
        "absent.yaml": "files there: large.yaml, latin.yaml, near.yaml",
        ".": "this is a directory",
        "latin.yaml": "latin.yaml:2: byte 8 is not UTF-8",
        "large.yaml": "is larger than 1,000,000 bytes",
    }
    for name, message in cases.items():
        with pytest.raises(InputError) as caught:
            read_yaml(tmp_path / name)
        assert message in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    (tmp_path / "bom.yaml").write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_yaml(tmp_path / "bom.yaml").root == {"a": "1"}
