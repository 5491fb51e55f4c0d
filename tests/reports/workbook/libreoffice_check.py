"""Hold cost sheets against LibreOffice's own recalculation of them; run by hand, since the program is large.

    python -m tests.reports.workbook.libreoffice_check out examples/lora-13b.yaml ...

Each ``out/NAME/cost-sheet.*.xlsx`` is recalculated as it was issued, and after random changes of its inputs.
LibreOffice trusts the values that a file brings. Two things keep that from hiding an error: the private
profile written here makes it recalculate, and the changed copies bring the values from before the change.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import openpyxl
from openpyxl.utils import get_column_letter
from tests.workbook_proof import Outcome, Proof, random_changes

from suanli.host.loader import load_host
from suanli.pipeline import build_proposal
from suanli.project.load import load_project
from suanli.proposal.contributions import RenderJob
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from tests.workbook_proof import Address

    from suanli.host.host import Host

COPIES = 6
"""Changed copies of each workbook."""
MOST_CHANGES = 12
"""Inputs that are changed in one copy, at most."""
SHOWN = 20
"""Differences of one workbook that are printed."""

PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


def recalculated(workbooks: Sequence[Path], folder: Path) -> list[Path]:
    """Return workbooks of different names as LibreOffice saves them after recalculating."""
    program = shutil.which("soffice")
    if program is None:
        raise SystemExit("soffice is not on the path")
    registry = folder / "profile" / "user" / "registrymodifications.xcu"
    registry.parent.mkdir(parents=True)
    registry.write_text(PROFILE, encoding="utf-8")
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [program, profile, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir"]
    names = [str(workbook) for workbook in workbooks]
    subprocess.run([*command, str(folder / "out"), *names], check=True, capture_output=True)  # noqa: S603
    return [folder / "out" / workbook.name for workbook in workbooks]


def changed_copy(workbook: bytes, proof: Proof, changed: Mapping[str, Decimal], path: Path) -> Path:
    """Write a workbook with other inputs and, in every formula cell, still the values of before."""
    path.write_bytes(workbook)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for entry, value in changed.items():
        sheet, row, column = proof.place(entry)
        name, cell = f"xl/worksheets/sheet{sheet + 1}.xml", f"{get_column_letter(column + 1)}{row + 1}"
        pattern = re.compile(rb'(<c r="%s"[^>]*><v>)[^<]*(</v>)' % cell.encode())
        parts[name], count = pattern.subn(rb"\g<1>%s\g<2>" % f"{value:f}".encode(), parts[name])
        if count != 1:
            raise SystemExit(f"{entry} is not found in {name}!{cell}")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def compared(workbook: Path, proof: Proof, changed: Mapping[str, Decimal]) -> Outcome:
    """Return what a recalculated workbook shows, held against the ledger."""
    book = openpyxl.load_workbook(workbook, data_only=True)
    sheets = [book[sheet.name] for sheet in proof.grid.sheets]

    def shown(at: Address) -> object:
        sheet, row, column = at
        return sheets[sheet].cell(row + 1, column + 1).value

    return proof.compare(shown, changed)


def check(workbook: Path, job: RenderJob, seed: int) -> tuple[Outcome, int]:
    """Return what the recalculation of a workbook and of its changed copies shows, and the inputs changed."""
    content = render_xlsx(job)
    if workbook.read_bytes() != content:
        raise SystemExit(f"{workbook} was not written from its project; run make proposal")
    proof, random = Proof.of(job), Random(seed)  # noqa: S311 - a fixed choice of changes
    changes = [random_changes(proof, random, MOST_CHANGES) for _ in range(COPIES)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        issued = Path(shutil.copy(workbook, folder / "issued.xlsx"))
        copies = [
            changed_copy(content, proof, changed, folder / f"changed-{number}.xlsx")
            for number, changed in enumerate(changes)
        ]
        found = Outcome()
        files = recalculated([issued, *copies], folder)
        for file, changed in zip(files, [{}, *changes], strict=True):
            found += compared(file, proof, changed)
    return found, sum(map(len, changes))


def main(out: Path, projects: Sequence[Path]) -> int:
    """Check every workbook of the projects and print what was found."""
    host, total, tried = load_host(), Outcome(), 0
    for project in projects:
        for workbook, job in _workbooks(out / project.stem, project, host):
            found, changes = check(workbook, job, seed=tried)
            total += found
            tried += changes
            _print(str(workbook), found, changes)
            for line in found.wrong[:SHOWN]:
                sys.stdout.write(f"  {line}\n")
    _print("in total", total, tried)
    return int(bool(total.wrong) or not total.cells)


def _workbooks(folder: Path, project: Path, host: Host) -> list[tuple[Path, RenderJob]]:
    proposal = build_proposal(load_project(project), host)
    found = sorted(folder.glob("cost-sheet.*.xlsx"))
    return [
        (path, RenderJob(proposal, path.suffixes[0].removeprefix("."), None, host.sections)) for path in found
    ]


def _print(name: str, found: Outcome, changes: int) -> None:
    sys.stdout.write(
        f"{name}: formula cells checked: {found.cells:,}; largest difference: {found.largest:.2g}; "
        f"random changes tried: {changes}; on an edge of rounding: {found.edges:,}; "
        f"not computable on either side: {found.undefined}; wrong: {len(found.wrong)}\n"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
