"""The proposal as one JSON document, and the JSON Schema that it obeys.

The document is the proposal model itself with the exact value of every ledger entry beside it, so that each
amount that a page shows can be traced to its entry. Decimals are strings: a reader that turns them into
binary floats does so knowingly.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from suanli.costing.ledger import Input, Line
from suanli.domain.record import Part
from suanli.proposal.model import Proposal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from suanli.costing.ledger import Entry
    from suanli.proposal.contributions import RenderJob

__all__ = ["LedgerValue", "proposal_document", "proposal_schema", "render_json", "schema_text"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


class LedgerValue(Part):
    """One entry of the ledger: an input that a reviewer may change, or a line computed from inputs."""

    value: str
    """Exact decimal, not rounded."""
    unit: str
    kind: str
    """``input`` or ``line``."""
    incomplete: bool = False
    """True for a sum that misses an unpriced part."""


def proposal_document(proposal: Proposal) -> dict[str, Any]:
    """Return the JSON document of a proposal: its model and ``ledger_values`` by entry id."""
    values = proposal.ledger.values()
    ledger = {
        entry.id: _ledger_value(entry, values).model_dump(mode="json") for entry in proposal.ledger.entries
    }
    return proposal.model_dump(mode="json") | {"ledger_values": ledger}


def _ledger_value(entry: Entry, values: Mapping[str, Decimal]) -> LedgerValue:
    kind = "input" if isinstance(entry, Input) else "line"
    incomplete = isinstance(entry, Line) and entry.incomplete
    return LedgerValue(value=f"{values[entry.id]:f}", unit=entry.unit, kind=kind, incomplete=incomplete)


def render_json(job: RenderJob) -> bytes:
    """Return the bytes of ``proposal.json``: keys sorted, indented by two, UTF-8, a line feed at the end."""
    return _pretty(proposal_document(job.proposal)).encode("utf-8")


def proposal_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the document that `render_json` writes."""
    schema = Proposal.model_json_schema(mode="serialization")
    values = TypeAdapter(dict[str, LedgerValue]).json_schema(
        mode="serialization", ref_template="#/$defs/{model}"
    )
    definitions: dict[str, Any] = {**schema["$defs"], **values.pop("$defs")}
    values |= {"title": "Ledger Values", "description": "Exact value of every ledger entry, by its id."}
    return {
        **schema,
        "$schema": _DIALECT,
        "$defs": definitions,
        "properties": {**schema["properties"], "ledger_values": values},
        "required": [*schema["required"], "ledger_values"],
    }


def schema_text() -> str:
    """Return the text of the published schema file."""
    return _pretty(proposal_schema())


def _pretty(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False) + "\n"


if __name__ == "__main__":
    # `python -m suanli_reports.json_output > docs/proposal.schema.json` publishes the schema anew.
    sys.stdout.write(schema_text())
