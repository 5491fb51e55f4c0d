"""``suanli plugins``: the host's view of what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from suanli.cli.common import echo_json, json_option, load_plugins
from suanli.cli.tables import print_table

if TYPE_CHECKING:
    from suanli.errors import Fault
    from suanli.host.plugins import PluginInfo
    from suanli.testing.conformance import Outcome

__all__ = ["command"]


@click.group("plugins")
def command() -> None:
    """List, show and test plugins."""


@command.command("list")
@json_option
def list_plugins(*, as_json: bool) -> None:
    """List every plugin with its distribution, version, status and what it contributes."""
    host = load_plugins(quiet=True)
    if as_json:
        settings = [_fault(fault) for fault in host.settings_faults]
        echo_json({"plugins": [_document(plugin) for plugin in host.plugins], "settings": settings})
        return
    rows = [
        (
            plugin.name,
            f"{plugin.distribution} {plugin.version}",
            "–" if plugin.api_version is None else str(plugin.api_version),
            str(plugin.status),
            ", ".join(f"{count} {kind}" for kind, count in plugin.counts.items()) or "–",
        )
        for plugin in host.plugins
    ]
    print_table(("plugin", "distribution", "contract", "status", "contributes"), rows)
    for plugin, fault in host.problems:
        click.echo(f"warning: {plugin.label}: {fault}", err=True)
    for fault in host.settings_faults:
        click.echo(f"warning: {fault}", err=True)


@command.command("show")
@click.argument("name")
@json_option
def show(name: str, *, as_json: bool) -> None:
    """Show one plugin with its hooks, contributions and faults."""
    plugin = load_plugins(quiet=True).plugin(name, key="NAME")
    if as_json:
        echo_json(_document(plugin))
        return
    version = "not read" if plugin.api_version is None else str(plugin.api_version)
    rows = [
        ("plugin", plugin.name),
        ("distribution", f"{plugin.distribution} {plugin.version}"),
        ("module", plugin.module),
        ("contract", version),
        ("status", str(plugin.status)),
        ("hooks", ", ".join(plugin.hooks) or "–"),
        *(
            (kind, ", ".join(plugin.themes) if kind == "themes" else str(count))
            for kind, count in plugin.counts.items()
        ),
    ]
    if plugin.left_out:
        rows.append(("left out", f"{plugin.left_out} records that refer to a disabled plugin"))
    print_table((), rows)
    for fault in plugin.faults:
        click.echo(f"✗ {fault}")


@command.command("test")
@click.argument("name")
@json_option
def test(name: str, *, as_json: bool) -> None:
    """Run the conformance suite on one plugin; exit code 3 if a check fails."""
    from suanli.testing import run_checks  # noqa: PLC0415 - keeps --help fast

    outcomes = run_checks(name, load_plugins(quiet=True))
    failed = [outcome for outcome in outcomes if outcome.faults]
    if as_json:
        checks = [
            {
                "check": item.check,
                "passed": not item.faults,
                "faults": [_fault(fault) for fault in item.faults],
            }
            for item in outcomes
        ]
        echo_json(
            {"plugin": name, "passed": len(outcomes) - len(failed), "failed": len(failed), "checks": checks}
        )
    else:
        _print_outcomes(outcomes)
        click.echo(f"{len(outcomes) - len(failed)} checks passed, {len(failed)} failed")
    if failed:
        click.get_current_context().exit(3)


def _print_outcomes(outcomes: tuple[Outcome, ...]) -> None:
    for outcome in outcomes:
        click.echo(f"{'✗' if outcome.faults else '✓'} {outcome.check}")
        for fault in outcome.faults:
            click.echo("    " + str(fault).replace("\n", "\n    "))


def _fault(fault: Fault) -> dict[str, str]:
    return {"what": fault.what, "where": fault.where, "key": fault.key, "why": fault.why, "cure": fault.cure}


def _document(plugin: PluginInfo) -> dict[str, object]:
    return {
        "name": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "module": plugin.module,
        "api_version": plugin.api_version,
        "status": str(plugin.status),
        "hooks": list(plugin.hooks),
        "contributes": dict(plugin.counts),
        "themes": list(plugin.themes),
        "left_out": plugin.left_out,
        "faults": [_fault(fault) for fault in plugin.faults],
    }
