"""``suanli check``: the audit of claims, given as a file or as flags."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from suanli.cli import common
from suanli.cli.common import json_option, set_option
from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.domain.workload import Requirement
    from suanli.host.host import Host

__all__ = ["command"]

_NEEDED = ("model", "tokens", "accelerator", "accelerators", "days")


@click.command("check")
@click.argument("claims", required=False, type=click.Path(path_type=Path))
@click.option(
    "--model",
    metavar="ID|CONFIG|SIZE",
    help="Catalogue id, path to a config.json, or a parameter count such as 70B.",
)
@click.option("--tokens", metavar="COUNT", help="Tokens of the run, such as 1T.")
@click.option("--accelerator", metavar="ID", help="Device that is claimed.")
@click.option("--accelerators", type=click.IntRange(1), help="Number of devices that is claimed.")
@click.option(
    "--days", metavar="DAYS", help="Time that is claimed: a number of days, or a duration such as 298 h."
)
@click.option(
    "--task",
    type=click.Choice(["pretrain", "full-finetune", "lora", "qlora"]),
    default="pretrain",
    show_default=True,
    help="Kind of training.",
)
@click.option("--sequence-length", metavar="TOKENS", help="Tokens per sequence.")
@click.option("--precision", type=click.Choice(["bf16", "fp16", "fp8"]), help="Number format.")
@click.option("--by", default="claim", help="Who made the claim.")
@click.option("--says", default="", help="In which words.")
@click.option("--lang", "language", type=click.Choice(["zh", "en"]), help="Language of the answer.")
@set_option
@json_option
def command(
    claims: Path | None,
    settings: tuple[str, ...],
    language: str | None,
    *,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Audit claims: what they imply, whether it is possible, and what is right.

    CLAIMS is a project file, or a shorter one with model, workload.tokens and claims. Without it, the flags
    state one claim.
    """
    from suanli.audit import audit  # noqa: PLC0415 - keeps --help fast
    from suanli.cli.summary import print_claims  # noqa: PLC0415
    from suanli.cli.texts import Voice  # noqa: PLC0415

    host = common.load_plugins()
    requirement = (
        _from_flags(flags, host, settings) if claims is None else _from_file(claims, flags, host, settings)
    )
    views = audit(requirement, host.catalogue)
    if as_json:
        common.echo_json({"claims": [view.model_dump(mode="json") for view in views]})
    else:
        print_claims(views, Voice(language or requirement.project.languages[0]))


def _from_flags(flags: dict[str, Any], host: Host, settings: Sequence[str]) -> Requirement:
    from suanli.cli.flags import requirement_from_flags  # noqa: PLC0415 - keeps --help fast

    missing = [name for name in _NEEDED if flags[name] is None]
    if missing:
        why = "a claim is a model, tokens, an accelerator, a number of them and a time"
        cure = "or give a file with claims"
        raise InputError([Fault("is missing", key=f"--{name}", why=why, cure=cure) for name in missing])
    common.require_accelerator(flags["accelerator"], host, key="--accelerator")
    says = flags["says"] or f"{flags['accelerators']} × {flags['accelerator']}, {_time(flags['days'])}"
    claim = {
        "by": flags["by"],
        "says": says,
        "accelerator": flags["accelerator"],
        "accelerators": flags["accelerators"],
        "days": flags["days"],
    }
    # JSON is YAML, so a list of one claim can be a setting as it stands.
    given = {**_settings(flags), "claims": json.dumps([claim], ensure_ascii=False)}
    return requirement_from_flags(given, host, task=flags["task"], settings=settings)


def _time(days: str) -> str:
    """Return a claimed time with its unit.

    >>> _time("5"), _time("298 h")
    ('5 days', '298 h')
    """
    return f"{days} days" if days.replace(".", "", 1).isdigit() else days


def _settings(flags: dict[str, Any]) -> dict[str, object]:
    from suanli.cli.flags import model_setting  # noqa: PLC0415 - keeps --help fast

    return {
        "model": model_setting(flags["model"]) if flags["model"] else None,
        "workload.tokens": flags["tokens"],
        "workload.sequence_length": flags["sequence_length"],
        "workload.precision": flags["precision"],
        "cluster.accelerators": flags["accelerators"],
    }


def _from_file(path: Path, flags: dict[str, Any], host: Host, settings: Sequence[str]) -> Requirement:
    """Return the requirement of a claims file; what a project file has beyond claims is filled in."""
    from suanli.cli.flags import fixed_settings  # noqa: PLC0415 - keeps --help fast
    from suanli.pipeline import complete  # noqa: PLC0415
    from suanli.project.load import load_project  # noqa: PLC0415
    from suanli.project.yaml_text import read_yaml  # noqa: PLC0415

    root = read_yaml(path).root
    sections = root if isinstance(root, dict) else {}
    filled = [
        f"{key}={value}"
        for key, value in fixed_settings(flags["task"], host).items()
        if not _has(sections, key)
    ]
    given = [f"{key}={value}" for key, value in _settings(flags).items() if value is not None]
    if not _has(sections, "workload.deadline") and not _has(sections, "cluster.accelerators"):
        # One of the two makes a project complete; neither changes the audit of a claim.
        filled.append("cluster.accelerators=8")
    project = load_project(path, [*filled, *given, *settings])
    common.require_plugins(project, host)
    return complete(project, host)


def _has(sections: Mapping[str, object], key: str) -> bool:
    section, _, name = key.partition(".")
    inner = sections.get(section)
    return inner is not None and (not name or (isinstance(inner, dict) and name in inner))
