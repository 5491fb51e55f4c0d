"""Two processes that order their sets differently write the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.core.built_in import SMALL

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = "xlsx,json,html"


def written(folder: Path, seed: str) -> dict[str, bytes]:
    """Return the files that a process with a seed for its hashes writes."""
    out = folder / seed
    subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "suanli", "propose", "small.yaml", "-o", seed, "--formats", FORMATS],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=True,
        capture_output=True,
    )
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def test_files_do_not_depend_on_the_order_of_sets(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(SMALL, encoding="utf-8")
    first, second = written(tmp_path, "1"), written(tmp_path, "4711")
    assert {name.rpartition(".")[2] for name in first} >= {"xlsx", "json", "html", "yaml"}
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
