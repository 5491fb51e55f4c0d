"""``suanli calibrate``: fits the constants of the estimate on measured runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from suanli.cli.common import end_progress, json_option, load_plugins, path_argument, progress_to_stderr

if TYPE_CHECKING:
    from suanli.calibration.outcome import Calibrated
    from suanli.domain.vendor import Fit

__all__ = ["command"]

_FEW_GROUPS = 5
"""Groups below which a fit is called thin."""


@click.command("calibrate")
@path_argument("folder")
@click.option("--accelerator", metavar="ID", help="Fit this device's constants only; all others stay.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Data file to write, for the data folder of a plugin.  [default: none]",
)
@json_option
def command(folder: Path, accelerator: str | None, output: Path | None, *, as_json: bool) -> None:
    """Fit the constants of the estimate on the measured runs in FOLDER.

    Every *.yaml file in FOLDER is a list of runs, as for "suanli validate". The same runs give the same file.
    """
    from suanli.calibration.outcome import calibrate, fit_records  # noqa: PLC0415 - keeps --help fast
    from suanli.calibration.selection import measured_runs  # noqa: PLC0415
    from suanli.calibration.writing import fits_yaml  # noqa: PLC0415
    from suanli.cli.common import echo_json  # noqa: PLC0415

    catalogue = load_plugins().catalogue
    progress_to_stderr("runs: reading, and settling the layouts that they leave open")
    chosen = measured_runs(folder, catalogue, accelerator)
    progress_to_stderr(f"fit: {len(chosen.runs)} runs")
    found = calibrate(chosen.runs, chosen.memory, only=chosen.family)
    end_progress()
    fits = fit_records(found)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(fits_yaml(fits), encoding="utf-8")
    if as_json:
        echo_json({"runs": len(chosen.runs), "fits": [one.model_dump(mode="json") for one in fits]})
        return
    _print(found, fits)
    if output is not None:
        click.echo(f"written: {output}")


def _print(found: Calibrated, fits: tuple[Fit, ...]) -> None:
    from suanli.cli.tables import print_table  # noqa: PLC0415 - keeps --help fast

    clean = int(found.fitting.clean.sum())
    click.echo(f"{len(found.runs)} runs, {clean} of them clean, {len(found.fitting.parameters)} constants")
    click.echo("errors are those of runs predicted by constants fitted without their group")
    rows = [
        [
            one.scope.value,
            one.subject,
            str(one.groups),
            "" if one.median_error is None else f"{one.median_error.value:.1%}",
            "" if one.p90_error is None else f"{one.p90_error.value:.1%}",
            "few groups: the constants stay near where they start" if one.groups < _FEW_GROUPS else "",
        ]
        for one in fits
    ]
    print_table(["scope", "subject", "groups", "median", "P90", ""], rows)
