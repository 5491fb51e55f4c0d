"""``suanli launch``: the layout of an option as arguments of its training framework."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from suanli.cli import common
from suanli.cli.common import json_option, path_argument, set_option, strict_option, vendor_option
from suanli.errors import Fault, InputError, nearest

if TYPE_CHECKING:
    from suanli.cli.texts import Voice
    from suanli.planning.results import ClusterPlan
    from suanli.planning.software.results import FeatureFinding, Launch, SoftwarePlan
    from suanli.proposal.build import Decided

__all__ = ["command", "document"]


@click.command("launch")
@path_argument("project")
@set_option
@vendor_option
@click.option("--option", "chosen", metavar="KEY", help="Option to launch.  [default: the recommended one]")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder to write the files to.  [default: print them]",
)
@strict_option
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    *,
    project: Path,
    settings: tuple[str, ...],
    vendors: tuple[str, ...],
    chosen: str | None,
    output: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Write the layout of PROJECT as arguments of its training framework.

    Values that no sizing decides, such as paths and the learning rate, are names in angle brackets.
    """
    from suanli.cli.texts import Voice  # noqa: PLC0415 - keeps --help fast
    from suanli.files import output_fault  # noqa: PLC0415
    from suanli.pipeline import decide  # noqa: PLC0415

    fault = None if output is None else output_fault(output)
    if fault is not None:
        raise InputError(fault)
    host = common.load_plugins(strict=strict)
    loaded = common.read_project(project, host, settings=settings, vendors=vendors)
    decided = decide(loaded, host, common.progress_to_stderr)
    common.end_progress()
    key = _key(decided, chosen)
    software = None if key is None else decided.plans[key].software
    paths = _write(output, software.launch) if output is not None and software and software.launch else ()
    if as_json:
        common.echo_json(document(key, None if key is None else decided.plans[key], paths))
        return
    voice = Voice(decided.requirement.project.languages[0])
    _print(key, decided, voice, paths)


def _key(decided: Decided, chosen: str | None) -> str | None:
    """Return the option to launch: the chosen, the recommended, or the first feasible one.

    Raises:
        InputError: the chosen one is not among the feasible options.
    """
    from suanli.proposal.model import Verdict  # noqa: PLC0415 - keeps --help fast

    if chosen is not None and chosen.upper() not in decided.plans:
        why = f"feasible options: {', '.join(decided.plans) or 'none'}"
        cure = nearest(chosen.upper(), decided.plans)
        raise InputError(Fault(f'"{chosen}" is no feasible option', key="--option", why=why, cure=cure))
    if chosen is not None:
        return chosen.upper()
    best = [key for key, verdict in decided.verdicts.items() if verdict is Verdict.RECOMMENDED]
    return next(iter([*best, *decided.plans]), None)


def _write(folder: Path, launch: Launch) -> tuple[Path, ...]:
    from suanli.files import write_atomic  # noqa: PLC0415 - keeps --help fast

    folder.mkdir(parents=True, exist_ok=True)
    return tuple(write_atomic(folder / one.name, one.text.encode()) for one in launch.files)


def document(key: str | None, plan: ClusterPlan | None, paths: tuple[Path, ...] = ()) -> dict[str, Any]:
    """Return the launch of an option as plain data; nothing but nulls where no option is feasible."""
    software = None if plan is None else plan.software
    if plan is None or software is None:
        return {"option": key, "launch": None}
    return {
        "option": key,
        "accelerator": plan.sizing.device.accelerator.id,
        "stack": plan.sizing.device.stack.id,
        "release": None if software.matrix is None else software.matrix.release,
        "refused": software.refused,
        "features": [_feature(one) for one in software.findings],
        "conflicts": [list(one.features) for one in software.conflicts],
        "rules": [
            {"rule": one.key, "outcome": one.outcome, "numbers": dict(one.numbers)} for one in software.rules
        ],
        "launch": None if software.launch is None else _launch(software.launch),
        "written": [str(path) for path in paths],
    }


def _feature(finding: FeatureFinding) -> dict[str, Any]:
    need = finding.need
    return {
        "feature": need.feature,
        "dimension": need.dimension or None,
        "value": need.value,
        "status": finding.status,
    }


def _launch(launch: Launch) -> dict[str, Any]:
    return {
        "launcher": launch.launcher,
        "release": launch.release,
        "source": launch.source,
        "files": [{"name": one.name, "text": one.text} for one in launch.files],
        "to_be_filled_in": list(launch.placeholders),
        "notes": list(launch.notes),
    }


def _print(key: str | None, decided: Decided, voice: Voice, paths: tuple[Path, ...]) -> None:
    from suanli.cli.launch_texts import say  # noqa: PLC0415 - keeps --help fast

    software = None if key is None else decided.plans[key].software
    if key is None or software is None:
        click.echo(say(voice, "none"))
        return
    _print_support(key, software, voice)
    device, launch = decided.plans[key].sizing.device, software.launch
    if launch is None:
        click.echo(say(voice, "unmapped", key, device.stack.id))
        return
    name = voice.name(device.accelerator.name.zh, device.accelerator.name.en)
    click.echo(say(voice, "title", key, name, launch.launcher.value, launch.release))
    for path in paths:
        click.echo(say(voice, "written", path))
    for one in launch.files if not paths else ():
        click.echo(f"\n# {one.name}\n{one.text.rstrip()}")
    # Beside printed files this is a message, not a part of them.
    click.echo(say(voice, "fill", ", ".join(launch.placeholders)), err=not paths)


def _print_support(key: str, software: SoftwarePlan, voice: Voice) -> None:
    """Say on stderr what the framework is known not to do, and what is not known of it."""
    from suanli.cli.launch_texts import say  # noqa: PLC0415 - keeps --help fast
    from suanli.planning.software.results import Status  # noqa: PLC0415

    refused = [
        *(str(one.need.feature) for one in software.of(Status.UNSUPPORTED)),
        *("+".join(one.features) for one in software.conflicts),
        *(one.key for one in software.broken),
    ]
    unknown = [str(one.need.feature) for one in software.of(Status.UNKNOWN)]
    for name, listed in (("refused", refused), ("unknown", unknown)):
        if listed:
            click.echo(f"warning: {say(voice, name, key, ', '.join(listed))}", err=True)
