"""Compare a cost sheet with LibreOffice's own recalculation of it; run by hand, since the program is large.

    python tests/reports/workbook/libreoffice_check.py cost-sheet.zh.xlsx

LibreOffice trusts the values that a file brings; the private profile written here makes it recalculate.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import openpyxl

HALF_A_CENT = 0.005

PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


def recalculated(workbook: Path, folder: Path) -> Path:
    """Return the workbook as LibreOffice saves it after recalculating."""
    program = shutil.which("soffice")
    if program is None:
        raise SystemExit("soffice is not on the path")
    registry = folder / "profile" / "user" / "registrymodifications.xcu"
    registry.parent.mkdir(parents=True)
    registry.write_text(PROFILE, encoding="utf-8")
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [program, profile, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir"]
    subprocess.run([*command, str(folder / "out"), str(workbook)], check=True, capture_output=True)  # noqa: S603
    return folder / "out" / workbook.name


def values(workbook: Path) -> dict[tuple[str, str], object]:
    """Return the cached value of every cell that is not empty."""
    book = openpyxl.load_workbook(workbook, data_only=True)
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    }


def differences(workbook: Path) -> list[str]:
    """Return one line for each cell whose two values differ by more than half a cent, and for each error."""
    with tempfile.TemporaryDirectory() as name:
        fresh = values(recalculated(workbook, Path(name)))
    found: list[str] = []
    for (sheet, cell), value in values(workbook).items():
        other = fresh.get((sheet, cell))
        if isinstance(value, int | float):
            same = isinstance(other, int | float) and abs(other - value) <= HALF_A_CENT
        else:
            same = str(value) == str(other)
        if not same:
            found.append(f"{sheet}!{cell}: {value!r} here, {other!r} in LibreOffice")
    return found


if __name__ == "__main__":
    lines = differences(Path(sys.argv[1]))
    sys.stdout.write("\n".join([*lines, f"{len(lines)} differences"]) + "\n")
    sys.exit(bool(lines))
