"""The published JSON Schema describes every key in both languages and accepts what the reader accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from suanli.project.schema import known_keys, project_schema

ROOT = Path(__file__).parents[3]
FILES = [
    *sorted((ROOT / "examples").glob("*.yaml")),
    *sorted((ROOT / "scenarios" / "suanli_scenarios" / "data").glob("*.yaml")),
]


def properties(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return every key with its schema, by section."""
    found = dict(schema["properties"])
    for section, definition in schema["$defs"].items():
        found |= {f"{section}.{name}": value for name, value in definition["properties"].items()}
    return found


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_schema_is_valid_and_describes_every_key_in_both_languages(language: str) -> None:
    schema = project_schema(language)
    jsonschema.Draft202012Validator.check_schema(schema)
    for name, value in properties(schema).items():
        assert value["x-description-zh"], name
        assert value["x-description-en"], name
        assert value["description"] == value[f"x-description-{language}"], name
        assert any("一" <= letter <= "鿿" for letter in value["x-description-zh"]), name


def test_the_schema_allows_no_unknown_key() -> None:
    schema = project_schema()
    assert schema["additionalProperties"] is False
    assert all(definition["additionalProperties"] is False for definition in schema["$defs"].values())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_examples_and_starters_are_valid_by_the_schema(path: Path) -> None:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    content["project"]["date"] = content["project"]["date"].isoformat()
    for rate in content["commercial"].get("fx", []):
        rate["date"] = rate["date"].isoformat()
    # A section whose keys are all commented out is null to a YAML library, and left out to the reader.
    jsonschema.validate({key: value for key, value in content.items() if value is not None}, project_schema())


def test_the_schema_refuses_what_the_reader_refuses() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"project": {}, "scenario": "x", "model": "y", "workload": {}}, project_schema())


def test_every_key_is_explained_in_the_manual() -> None:
    manual = (ROOT / "docs" / "project-file.md").read_text(encoding="utf-8")
    missing = [key for key in known_keys() if f"`{key.rpartition('.')[2]}`" not in manual]
    assert missing == []
