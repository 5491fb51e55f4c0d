"""The JSON output: complete, exact, ordered, and as its published schema says."""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from suanli.proposal.contributions import RenderJob
from suanli_reports.json_output import proposal_schema, render_json, schema_text

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal

SCHEMA_FILE = Path(__file__).parents[3] / "docs" / "proposal.schema.json"


def _document(proposal: Proposal) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(render_json(RenderJob(proposal, "")))
    return document


def _faults(document: dict[str, Any]) -> list[str]:
    validator: Any = Draft202012Validator(proposal_schema())
    return [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(document)]


def test_the_published_schema_is_current() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), (
        "publish it anew: python -m suanli_reports.json_output > docs/proposal.schema.json"
    )


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(proposal_schema())


@pytest.mark.parametrize("name", ["proposal", "infeasible_proposal", "costed", "planned"])
def test_the_output_obeys_the_schema(name: str, request: pytest.FixtureRequest) -> None:
    document = _document(request.getfixturevalue(name))
    assert _faults(document) == []


@pytest.mark.parametrize("damage", ["misspelt", "missing", "float"])
def test_the_schema_refuses_a_damaged_document(damage: str, costed: Proposal) -> None:
    document = copy.deepcopy(_document(costed))
    if damage == "misspelt":
        document["optons"] = []
    elif damage == "missing":
        del document["ledger_values"]
    else:
        document["site_pue"]["value"] = 1.25
    assert _faults(document) != []


def test_every_ledger_value_is_there_exactly(planned: Proposal) -> None:
    values = _document(planned)["ledger_values"]
    expected = planned.ledger.values()
    assert {entry_id: Decimal(value["value"]) for entry_id, value in values.items()} == expected
    assert {entry_id for entry_id, value in values.items() if value["kind"] == "input"} == {
        entry.id for entry in planned.ledger.inputs
    }
    incomplete = {line.id for line in planned.ledger.lines if line.incomplete}
    assert {entry_id for entry_id, value in values.items() if value["incomplete"]} == incomplete != set()


def test_numbers_are_decimal_strings_and_never_exponents_in_the_ledger(planned: Proposal) -> None:
    assert all("e" not in value["value"].lower() for value in _document(planned)["ledger_values"].values())


def test_keys_are_sorted_the_text_is_readable_and_the_bytes_are_stable(costed: Proposal) -> None:
    data = render_json(RenderJob(costed, ""))
    assert data == render_json(RenderJob(costed, ""))
    text = data.decode("utf-8")
    assert "某行业大模型" in text
    assert text.endswith("}\n")
    assert list(json.loads(text)) == sorted(json.loads(text))


def test_the_document_carries_its_schema_version(costed: Proposal) -> None:
    assert _document(costed)["schema_version"] == costed.schema_version
