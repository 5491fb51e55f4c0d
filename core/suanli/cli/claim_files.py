"""Claims of the command line and of claims files, each as a project that can be audited."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from suanli.cli import common
from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from suanli.domain.workload import Requirement
    from suanli.host.host import Host

__all__ = ["Question", "questions_of_file", "questions_of_flags"]

_ANY_TOKENS: Final = "1T"
"""Tokens of a run whose time is not asked for: a requirement has them."""
_ANY_MODEL: Final = "llama-2-7b"
"""Model of a question about a device alone."""

_CONTEXT: Final = {
    "model": "model",
    "tokens": "workload.tokens",
    "task": "workload.task",
    "sequence_length": "workload.sequence_length",
    "global_batch_tokens": "workload.global_batch_tokens",
    "precision": "workload.precision",
}
"""What a claim of a claims file may say of its own run, beside the keys of a project's claim."""


@dataclass(frozen=True, slots=True)
class Question:
    """A requirement whose claims are to be audited."""

    requirement: Requirement
    tokens_known: bool
    """False where nobody gave the tokens of the run."""


def questions_of_flags(flags: Mapping[str, Any], host: Host, settings: Sequence[str]) -> tuple[Question, ...]:
    """Return the one claim that flags state.

    Raises:
        InputError: a value is wrong; its flag is named.
    """
    from suanli.cli.flags import requirement_from_flags  # noqa: PLC0415 - keeps --help fast
    from suanli.project.claim_section import ClaimKeys  # noqa: PLC0415

    claim = {name: flags[name] for name in ClaimKeys.model_fields if flags[name]}
    claim["says"] = flags["says"] or _said(claim)
    claims = _spread([claim], host, key="--accelerator")
    context = {key: flags[name] for name, key in _CONTEXT.items() if name != "task"}
    # JSON is YAML, so a list of claims can be a setting as it stands.
    given = {**_filled(context), "claims": json.dumps(claims, ensure_ascii=False)}
    if flags["accelerators"]:
        given["cluster.accelerators"] = flags["accelerators"]
    requirement = requirement_from_flags(given, host, task=flags["task"] or "pretrain", settings=settings)
    return (Question(requirement, tokens_known=flags["tokens"] is not None),)


def _filled(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run with those that a project cannot be without."""
    from suanli.cli.flags import model_setting  # noqa: PLC0415 - keeps --help fast

    model = context["model"] or _ANY_MODEL
    spelt = model_setting(model) if isinstance(model, str) else json.dumps(model, ensure_ascii=False)
    return {
        **context,
        "model": spelt,
        "workload.tokens": context["workload.tokens"] or _ANY_TOKENS,
        "cluster.accelerators": 8,
    }


def _said(claim: Mapping[str, Any]) -> str:
    """Return a claim in the shortest words: the devices and what is stated of them."""
    number = f"{claim['accelerators']} × " if "accelerators" in claim else ""
    words = [f"{number}{claim['accelerator']}"] if "accelerator" in claim else []
    for name, value in claim.items():
        if name == "days":
            words.append(_time(str(value)))
        elif name not in {"by", "says", "accelerator", "accelerators"}:
            words.append(name if value is True else f"{name} {value}")
    return ", ".join(words)


def _time(days: str) -> str:
    """Return a claimed time with its unit.

    >>> _time("5"), _time("298 h")
    ('5 days', '298 h')
    """
    return f"{days} days" if days.replace(".", "", 1).isdigit() else days


def _spread(claims: Sequence[Mapping[str, Any]], host: Host, *, key: str = "") -> list[dict[str, Any]]:
    """Return the claims, one for each device where a name may mean several.

    Raises:
        InputError: no device has that name.
    """
    from suanli.domain.naming import accelerators_meant  # noqa: PLC0415 - keeps --help fast

    found: list[dict[str, Any]] = []
    for number, claim in enumerate(claims):
        name = claim.get("accelerator")
        meant = accelerators_meant(host.catalogue, str(name)) if name else ()
        if len(meant) > 1:
            found.extend({**claim, "accelerator": one.id} for one in meant)
            continue
        if name and not meant:
            common.require_accelerator(str(name), host, key=key or f"claims.{number}.accelerator")
        found.append(dict(claim))
    return found


def questions_of_file(
    path: Path, flags: Mapping[str, Any], host: Host, settings: Sequence[str]
) -> tuple[Question, ...]:
    """Return the claims of a file: a project, a shorter one, one claim, or a list of claims.

    What a project file has beyond claims is filled in.

    Raises:
        InputError: the file or a value in it is wrong.
    """
    from suanli.project.yaml_text import read_yaml  # noqa: PLC0415 - keeps --help fast

    root = read_yaml(path).root
    if isinstance(root, list) or (isinstance(root, dict) and not _is_project(root)):
        alone = root if isinstance(root, list) else [root]
        return tuple(
            _alone(_mapping(row, number, path), f"{path}: claim {number}", flags, host, settings)
            for number, row in enumerate(alone, start=1)
        )
    sections = root if isinstance(root, dict) else {}
    claims = sections.get("claims")
    listed = claims if isinstance(claims, list) else [claims]
    rows = [row for row in listed if isinstance(row, dict)]
    # What is no mapping is left to the reader of project files, which says where it stands.
    whole = len(rows) == len(listed)
    if whole and any(not _CONTEXT.keys().isdisjoint(row) or _ambiguous(row, host) for row in rows):
        return tuple(
            _one_of(path, number, sections, {**flags, **_own(row)}, host, (*settings, _claims([row], host)))
            for number, row in enumerate(rows)
        )
    return (_project(path, sections, flags, host, settings),)


def _is_project(root: Mapping[str, object]) -> bool:
    """Tell whether a mapping has sections of a project, rather than the keys of one claim."""
    return bool({"claims", "workload", "project", "scenario"} & root.keys())


def _ambiguous(row: Mapping[str, Any], host: Host) -> bool:
    from suanli.domain.naming import accelerators_meant  # noqa: PLC0415 - keeps --help fast

    name = row.get("accelerator")
    return isinstance(name, str) and len(accelerators_meant(host.catalogue, name)) > 1


def _own(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in _CONTEXT if name in row}


def _claims(rows: Sequence[Mapping[str, Any]], host: Host) -> str:
    bare = [{key: value for key, value in row.items() if key not in _CONTEXT} for row in rows]
    return f"claims={json.dumps(_spread(bare, host), ensure_ascii=False)}"


def _mapping(row: object, number: int, path: Path) -> dict[str, Any]:
    """Return a claim of a list.

    Raises:
        InputError: it is no mapping.
    """
    if not isinstance(row, dict):
        cure = "write {model: 70B, tokens: 1T, accelerator: …, accelerators: …, days: …}"
        raise InputError(Fault("a claim is a mapping", where=f"{path}: claim {number}", cure=cure))
    return cast("dict[str, Any]", row)


def _alone(
    row: dict[str, Any], where: str, flags: Mapping[str, Any], host: Host, settings: Sequence[str]
) -> Question:
    """Return the question of a claim that stands alone, with its run beside it.

    Raises:
        InputError: a value is wrong; the claim and the key are named.
    """
    from suanli.cli.flags import requirement_from_flags  # noqa: PLC0415 - keeps --help fast

    claim: dict[str, Any] = {"by": where.rpartition(": ")[2]}
    claim |= {key: value for key, value in row.items() if key not in _CONTEXT}
    claim["says"] = row.get("says") or _said(claim)
    own = {**flags, **_own(row)}
    context = {key: own.get(name) for name, key in _CONTEXT.items() if name != "task"}
    try:
        given = {**_filled(context), "claims": _claims([claim], host).removeprefix("claims=")}
        requirement = requirement_from_flags(
            given, host, task=str(own.get("task") or "pretrain"), settings=settings
        )
    except InputError as error:
        raise InputError(_in_file(fault, where) for fault in error.faults) from None
    return Question(requirement, tokens_known=own.get("tokens") is not None)


def _in_file(fault: Fault, where: str) -> Fault:
    """Return a fault that names the key of the file in place of the flag of the same name."""
    key = fault.key.removeprefix("--").replace("-", "_") if fault.key.startswith("--") else fault.key
    return Fault(fault.what, where=where, key=key.removeprefix("claims.0."), why=fault.why, cure=fault.cure)


def _one_of(  # noqa: PLR0913, PLR0917 - what _project takes, and which claim it is about
    path: Path,
    number: int,
    sections: Mapping[str, object],
    flags: Mapping[str, Any],
    host: Host,
    settings: Sequence[str],
) -> Question:
    """Return the question of one claim of several with runs of their own.

    Raises:
        InputError: a value is wrong; a fault in the claim names its place in the file.
    """
    try:
        return _project(path, sections, flags, host, settings)
    except InputError as error:
        raise InputError(
            replace(fault, where=str(path), key=fault.key.replace("claims.0", f"claims.{number}", 1))
            if fault.where.startswith("--set claims=")
            else fault
            for fault in error.faults
        ) from None


def _project(
    path: Path,
    sections: Mapping[str, object],
    flags: Mapping[str, Any],
    host: Host,
    settings: Sequence[str],
) -> Question:
    """Return the requirement of a project file, or of a shorter one with what it lacks filled in."""
    from suanli.cli.flags import fixed_settings, model_setting  # noqa: PLC0415 - keeps --help fast
    from suanli.pipeline import complete  # noqa: PLC0415
    from suanli.project.load import load_project  # noqa: PLC0415

    given: list[str] = []
    for name, key in _CONTEXT.items():
        value = flags.get(name)
        if value is not None:
            spelt = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            given.append(f"{key}={model_setting(spelt) if name == 'model' else spelt}")
    known = flags.get("tokens") is not None or _has(sections, "workload.tokens")
    fixed = fixed_settings(str(flags.get("task") or "pretrain"), host)
    filled = [f"{key}={value}" for key, value in fixed.items() if not _has(sections, key)]
    model = sections.get("model")
    if flags.get("model") is None and not model:
        filled.append(f"model={_ANY_MODEL}")
    elif flags.get("model") is None and isinstance(model, str) and model_setting(model) != model:
        # A bare size such as 70B is taken as on the command line.
        filled.append(f"model={model_setting(model)}")
    unknown = _has(sections, "workload.deadline") and _has(sections, "cluster.accelerators")
    if not _has(sections, "workload.tokens") and not unknown:
        filled.append(f"workload.tokens={_ANY_TOKENS}")
    if not _has(sections, "workload.deadline") and not _has(sections, "cluster.accelerators"):
        # One of the two makes a project complete; neither changes the audit of a claim.
        filled.append("cluster.accelerators=8")
    project = load_project(path, [*filled, *given, *settings])
    common.require_plugins(project, host)
    return Question(complete(project, host), tokens_known=known)


def _has(sections: Mapping[str, object], key: str) -> bool:
    section, _, name = key.partition(".")
    inner = sections.get(section)
    return inner is not None and (not name or (isinstance(inner, dict) and name in inner))
