"""Time the command line as a user meets it: whole processes, best and median of several runs.

Usage: python benchmarks/speed.py [--runs N]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUANLI = str(Path(sys.executable).with_name("suanli"))


def seconds(command: list[str]) -> float:
    """Run a command and return its wall-clock time in seconds."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)  # noqa: S603 - our own commands
    return time.perf_counter() - started


def main() -> None:
    """Print one line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs: int = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "suanli --help": [SUANLI, "--help"],
            "suanli plugins list": [SUANLI, "plugins", "list"],
            "suanli estimate pretrain-70b": [SUANLI, "estimate", "examples/pretrain-70b.yaml"],
            "suanli propose pretrain-70b, zh and en PDF and workbook": [
                *(SUANLI, "propose", "examples/pretrain-70b.yaml", "-o", folder),
                *("--lang", "zh,en", "--formats", "pdf,xlsx"),
            ],
        }
        for name, command in commands.items():
            taken = [seconds(command) for _ in range(runs)]
            print(f"{name}: best {min(taken):.2f} s, median {statistics.median(taken):.2f} s of {runs}")
    print(f"largest resident set: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
