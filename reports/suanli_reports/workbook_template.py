"""Reads the layout template of the workbook, or a theme's own, and validates what it yields."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

import yaml
from jinja2 import ChoiceLoader, PackageLoader, PrefixLoader, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import ValidationError

from suanli.errors import Fault, InputError, RenderError
from suanli.proposal.fingerprint import fingerprint
from suanli_reports.texts import load_messages, shipped_messages
from suanli_reports.theme.colours import colours_of, shipped_colours
from suanli_reports.theme.errors import as_fault
from suanli_reports.theme.opening import open_theme
from suanli_reports.theme.sandbox import PREFIX, HouseEnvironment, HouseLoader
from suanli_reports.voice import Voice
from suanli_reports.workbook_layout import Layout, is_defined_name

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.costing.ledger import Input, Ledger, Table
    from suanli.proposal.contributions import RenderJob

__all__ = ["TEMPLATE", "defined_name", "load_layout"]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")

_MISTAKES = (
    TemplateError,
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""What a wrong template may raise; everything else is a fault of ours."""

TEMPLATE = "workbook/workbook.yaml.j2"
"""Path of the template, in the shipped templates and in a theme's folder."""


def defined_name(entry_id: str) -> str:
    """Return a ledger id as a name that spreadsheets accept.

    >>> defined_name("vat:goods")
    'vat_goods'
    """
    name = re.sub(r"[^A-Za-z0-9]+", "_", entry_id).strip("_")
    return name if is_defined_name(name) else f"in_{name}"


def load_layout(job: RenderJob) -> Layout:
    """Return the layout of the workbook for a proposal.

    Raises:
        InputError: the theme is wrong.
        RenderError: the template cannot be rendered, is no YAML or misses something; all faults at once.
    """
    where = (
        str(job.theme / TEMPLATE)
        if job.theme and (job.theme / TEMPLATE).is_file()
        else f"suanli_templates/{TEMPLATE}"
    )
    # Where a theme has a part in the layout, what is wrong with it is the theme's.
    kind = InputError if job.theme is not None and (job.theme / "workbook").is_dir() else RenderError
    try:
        text = _environment(job.theme).get_template(TEMPLATE).render(**_context(job))
        return Layout.model_validate(yaml.load(text, Loader=_LOADER))  # noqa: S506 - a safe loader
    except ValidationError as error:
        faults = [
            Fault(item["msg"], where=where, key=".".join(str(part) for part in item["loc"]))
            for item in error.errors(include_url=False, include_context=False)
        ]
        raise kind(faults) from error
    except _MISTAKES as error:
        themed = as_fault(error, job.theme) if job.theme is not None else None
        if isinstance(themed, InputError):
            raise themed from error
        raise kind(Fault(f"the workbook's layout cannot be read: {error}", where=where)) from error


def _environment(theme: Path | None) -> ImmutableSandboxedEnvironment:
    """Return the environment of the shipped templates, made once, or of a theme's, with steps of its own."""
    return _shipped_environment() if theme is None else _equipped(theme)


@cache
def _shipped_environment() -> ImmutableSandboxedEnvironment:
    return _equipped(None)


def _equipped(theme: Path | None) -> ImmutableSandboxedEnvironment:
    shipped = PackageLoader("suanli_templates", "")
    named = PrefixLoader({PREFIX: shipped})
    options: dict[str, Any] = {
        "loader": ChoiceLoader([shipped, named] if theme is None else [HouseLoader(theme), shipped, named]),
        "undefined": StrictUndefined,
        "autoescape": False,
        "trim_blocks": True,
        "lstrip_blocks": True,
    }
    found = ImmutableSandboxedEnvironment(**options) if theme is None else HouseEnvironment(theme, **options)
    found.filters["name"] = defined_name
    found.filters["tojson"] = _quoted
    return found


def _quoted(value: object) -> str:
    """Return a value as JSON that is YAML too: YAML refuses some characters that JSON lets stand.

    An undefined name is not swallowed: to make text of it raises.
    """
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _context(job: RenderJob) -> dict[str, Any]:
    ledger = job.proposal.ledger
    house = None if job.theme is None else open_theme(job.theme)
    return {
        "palette": shipped_colours() if house is None else colours_of(house.colours),
        "house": house,
        "language": job.language,
        "proposal": job.proposal.model_dump(mode="json"),
        "currency": ledger.currency,
        "tables": {table.id: _table(table, ledger) for table in ledger.tables},
        "edits": [_edit(edit) for edit in getattr(job.proposal, "edits", ())],
        "source_keys": job.proposal.source_keys,
        "inputs": [_input(entry) for entry in ledger.inputs],
        "rounding": _rounding(job),
        "region": _region(job),
        "entries": [entry.id for entry in ledger.entries],
        "fingerprint": fingerprint(job.proposal),
    }


def _region(job: RenderJob) -> dict[str, str]:
    """Return the name of the site's region in both languages, as the documents say it."""
    messages = shipped_messages()
    if job.theme is not None:
        messages = load_messages(job.theme / "messages", str(job.theme / "messages")).over(messages)
    project = job.proposal.project
    return {
        language: Voice(language, messages).region(project.region, project.region_name)
        for language in ("zh", "en")
    }


def _rounding(job: RenderJob) -> str:
    """Return the key of the project's rounding rule, empty where the proposal does not carry its request."""
    requirement = getattr(job.proposal, "requirement", None)
    return "" if requirement is None else str(requirement.commercial.rounding)


def _edit(edit: Any) -> dict[str, Any]:  # noqa: ANN401 - a record of what was changed against the project file
    """Return a change as the layout shows it: label, unit, key and the two values."""
    return {
        "label": edit.label.model_dump(),
        "unit": str(edit.unit),
        "key": str(edit.key),
        "before": _side(edit.before),
        "after": _side(edit.after),
    }


def _side(value: object) -> dict[str, Any]:
    """Return a value before or after a change; a number stays one, and what is unknown is no zero."""
    if value is None:
        return {"number": False, "text": "–"}
    if isinstance(value, Decimal | int) and not isinstance(value, bool):
        return {"number": True, "text": f"{value}"}
    return {"number": False, "text": str(value)}


def _table(table: Table, ledger: Ledger) -> dict[str, Any]:
    money = {entry.id for entry in ledger.entries if entry.unit == ledger.currency}
    return {
        "id": table.id,
        "kind": table.id.partition(":")[0],
        "part": table.id.partition(":")[2],
        "option": table.option,
        "title": table.title.model_dump(),
        "columns": list(table.columns),
        "rows": [
            {
                "id": row.id,
                "label": row.label.model_dump(),
                "cells": dict(row.cells),
                "style": row.style,
                "money": bool(money & set(row.cells.values())),
            }
            for row in table.rows
        ],
    }


def _input(entry: Input) -> dict[str, Any]:
    return {
        "id": entry.id,
        "group": entry.group,
        "unit": entry.unit,
        "stale": entry.stale,
        "grade": entry.grade.value if entry.source else "",
        "label": entry.label.model_dump(),
    }
