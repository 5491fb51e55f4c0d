"""Fit the constants of the estimate on the published runs, and write each plugin's share of them.

The fit of a device family goes to the plugin that has its accelerators, that of a stack to the plugin that
has the stack, and what all share to the plugin that names the fit as a source. The tables of
docs/calibration.md follow. The same runs give the same files; a second run changes nothing.

Usage: python -m benchmarks.calibrate
"""

from __future__ import annotations

import importlib
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.constants_tables import calibration_tables
from benchmarks.pages import fill

from suanli.calibration.outcome import calibrate, fit_records
from suanli.calibration.selection import measured_runs
from suanli.calibration.writing import fits_yaml
from suanli.domain.vendor import Calibration, Fit, FitScope, SoftwareStack
from suanli.host.loader import load_host

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.host.host import Host

HERE: Final = Path(__file__).resolve().parent
PAGE: Final = HERE.parent / "docs" / "calibration.md"
_SOURCE: Final = "suanli-fit"


def plugin_of(fit: Fit, catalogue: Catalogue) -> str:
    """Return the name of the plugin that a fit belongs to."""
    if fit.scope is FitScope.SHARED:
        return catalogue.provenance["sources", _SOURCE].plugin
    if fit.scope is FitScope.STACK:
        return catalogue.provenance[SoftwareStack.kind, fit.subject].plugin
    own = next(one for one in catalogue.all(Calibration) if (one.family or one.accelerator) == fit.subject)
    return catalogue.provenance[Calibration.kind, own.id].plugin


def data_folder(host: Host, plugin: str) -> Path:
    """Return the folder of a plugin's data files."""
    module = next(one.module for one in host.plugins if one.name == plugin)
    return Path(importlib.import_module(module).__file__ or "").parent / "data"


def write_fits(fits: Sequence[Fit], host: Host) -> list[tuple[Path, bool]]:
    """Write each plugin's fits; return the files, and whether they changed."""
    shares: defaultdict[str, list[Fit]] = defaultdict(list)
    for fit in fits:
        shares[plugin_of(fit, host.catalogue)].append(fit)
    written: list[tuple[Path, bool]] = []
    for plugin, own in sorted(shares.items()):
        path, text = data_folder(host, plugin) / "fitted.yaml", fits_yaml(own)
        changed = not path.is_file() or path.read_text(encoding="utf-8") != text
        if changed:
            path.write_text(text, encoding="utf-8")
        written.append((path, changed))
    return written


def main() -> None:
    """Fit, write, and say what changed."""
    started, host = time.perf_counter(), load_host()
    chosen = measured_runs(HERE / "runs", host.catalogue)
    found = calibrate(chosen.runs, chosen.memory)
    fits = fit_records(found)
    written = [*write_fits(fits, host), (PAGE, fill(PAGE, calibration_tables(found, fits, host.catalogue)))]
    for path, changed in written:
        print("written  " if changed else "unchanged", path.relative_to(HERE.parent))
    print(f"{len(found.runs)} runs, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
