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
    from suanli.files import check_folder  # noqa: PLC0415
    from suanli.pipeline import decide  # noqa: PLC0415

    if output is not None:
        check_folder(output)
    host = common.load_plugins(strict=strict)
    loaded = common.read_project(project, host, settings=settings, vendors=vendors)
    decided = decide(loaded, host, common.progress_to_stderr)
    common.end_progress()
    voice = Voice(decided.requirement.project.languages[0])
    if not decided.plans:
        _print_none(decided, voice, as_json=as_json)
        return
    key = _key(decided, chosen)
    _print_doubts(key, decided, voice)
    software = decided.plans[key].software
    if software is not None:
        _print_support(key, software, voice)
    paths = _write(output, software.launch) if output is not None and software and software.launch else ()
    if as_json:
        common.echo_json(document(key, decided.plans[key], paths))
        return
    _print(key, decided, voice, paths)


def _print_none(decided: Decided, voice: Voice, *, as_json: bool) -> None:
    """Say that no option is feasible and what binds each; that is a result, so nothing fails."""
    from suanli.cli.infeasible import print_infeasible  # noqa: PLC0415 - keeps --help fast
    from suanli.cli.launch_texts import say  # noqa: PLC0415
    from suanli.proposal.build import assemble  # noqa: PLC0415

    if as_json:
        common.echo_json(document(None, None))
    click.echo(say(voice, "none"), err=True)
    print_infeasible(assemble(decided, decided.catalogue), voice)


def _print_doubts(key: str, decided: Decided, voice: Voice) -> None:
    """Warn on stderr of an option that may not, or not simply, be bought."""
    from suanli.cli.launch_texts import say  # noqa: PLC0415 - keeps --help fast
    from suanli.domain.vendor import Deliverability  # noqa: PLC0415
    from suanli.planning.compliance import delivery  # noqa: PLC0415
    from suanli.proposal.model import Verdict  # noqa: PLC0415

    asked, accelerator = decided.requirement, decided.plans[key].sizing.device.accelerator
    found = delivery(accelerator.id, asked.delivery_region, asked.project.day, decided.catalogue)
    doubts = [] if found.deliverability is Deliverability.FREE else [found.deliverability.value]
    if decided.verdicts[key] is Verdict.OVER_BUDGET:
        doubts.append(Verdict.OVER_BUDGET.value)
    for doubt in doubts:
        click.echo(f"warning: {say(voice, f'doubt-{doubt}', key)}", err=True)


def _key(decided: Decided, chosen: str | None) -> str:
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
    return [*best, *decided.plans][0]


def _write(folder: Path, launch: Launch) -> tuple[Path, ...]:
    from suanli.files import make_folder, write_atomic  # noqa: PLC0415 - keeps --help fast

    make_folder(folder)
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


def _print(key: str, decided: Decided, voice: Voice, paths: tuple[Path, ...]) -> None:
    from suanli.cli.launch_texts import say  # noqa: PLC0415 - keeps --help fast

    device, software = decided.plans[key].sizing.device, decided.plans[key].software
    launch = None if software is None else software.launch
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
