"""Measure the layout search on one core, and the command line as a user meets it.

Every layout of the full space is evaluated, memory and step time together, without the bounds by which the
product leaves most of them out; layouts that divisibility leaves out are not counted. Seconds are processor
time of one thread. A case runs in a process of its own, so that its peak memory is its own.

Usage: python benchmarks/speed.py [--runs N] [--only search|commands]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from suanli.domain.architecture import ModelRecord
from suanli.domain.catalogue import Catalogue, Provenance
from suanli.domain.hardware import Accelerator, Precision, Server
from suanli.domain.vendor import Calibration, SoftwareStack
from suanli.domain.workload import Task, Workload
from suanli.estimation.problem import Problem, pose
from suanli.estimation.results import Device
from suanli.estimation.search import search
from suanli.estimation.space import Depth
from suanli.plugin import load_records

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parent.parent
PLUGINS: Final = ("suanli_common", "suanli_nvidia")
EXAMPLES: Final = ("lora-13b", "pretrain-70b", "base-405b", "base-moe-671b")


@dataclass(frozen=True, slots=True)
class Case:
    """A model on a number of H100 under Megatron-Core."""

    model: str
    devices: int
    sequence_length: int
    global_batch_size: int

    @property
    def name(self) -> str:
        """Return the case as a line of the table names it."""
        return f"{self.model} on {self.devices:,}"


CASES: Final = (
    Case("gpt3-175b", 512, 2048, 1536),
    Case("llama-3.1-405b", 8192, 8192, 2048),
    Case("deepseek-v3", 8192, 4096, 15360),
)


def posed(case: Case) -> Problem:
    """Return the training job of a case."""
    known = Catalogue.of(
        (record, Provenance(plugin, plugin, "0")) for plugin in PLUGINS for record in load_records(plugin)
    )
    device = Device(
        known.get(Accelerator, "h100-sxm"),
        known.get(Server, "dgx-h100"),
        next(one for one in known.all(Calibration) if one.accelerator == "h100-sxm"),
        known.get(SoftwareStack, "megatron-core"),
        None,
    )
    job = Workload(Task.PRETRAIN, case.sequence_length, case.global_batch_size, Precision.BF16, 1e12)
    found = pose(device, known.get(ModelRecord, case.model).architecture, job)
    if not isinstance(found, Problem):
        raise SystemExit(f"{case.name}: the device cannot take the job")
    return found


def searched(case: Case, runs: int) -> dict[str, float]:
    """Return layouts, seconds of the best run, and peak memory, for every layout and with bounds."""
    problem = posed(case)
    search(problem, case.devices)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds: dict[str, list[float]] = {"every": [], "bounded": [], "coarse": []}
    found = coarse = bounded = None
    for _ in range(runs):
        started = time.process_time()
        coarse = search(problem, case.devices)
        seconds["coarse"].append(time.process_time() - started)
        started = time.process_time()
        bounded = search(problem, case.devices, depth=Depth.FULL)
        seconds["bounded"].append(time.process_time() - started)
        started = time.process_time()
        found = search(problem, case.devices, depth=Depth.FULL, exhaustive=True)
        seconds["every"].append(time.process_time() - started)
    if found is None or coarse is None or bounded is None:
        raise SystemExit("at least one run is needed")
    if not math.isclose(bounded.tokens_factor, found.tokens_factor, rel_tol=1e-9):
        raise SystemExit(f"{case.name}: bounds and exhaustive search disagree")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "layouts": found.candidates,
        "evaluated": found.evaluated,
        "coarse_layouts": coarse.candidates,
        **{name: min(values) for name, values in seconds.items()},
        "peak_mib": peak / 1024,
        "added_mib": (peak - before) / 1024,
    }


def apart(arguments: list[str]) -> tuple[str, float, float]:
    """Run a command in a process of its own; return its output, processor seconds and peak memory in MiB."""
    # One thread: the figures are per core.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(  # noqa: S603 - our own commands
            arguments, stdout=output, stderr=subprocess.DEVNULL, cwd=ROOT, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}")
        output.seek(0)
        return output.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def search_lines(runs: int) -> Iterator[str]:
    """Yield the table of the search."""
    yield (
        f"{'search':24} {'layouts':>12} {'every, s':>9} {'layouts/s':>12} "
        f"{'peak, MiB':>10} {'bounded, s':>11} {'coarse, ms':>11}"
    )
    for index, case in enumerate(CASES):
        text, _, _ = apart([sys.executable, __file__, "--case", str(index), "--runs", str(runs)])
        one = json.loads(text)
        rate = one["layouts"] / one["every"]
        yield (
            f"{case.name:24} {one['layouts']:12,.0f} {one['every']:9.2f} {rate:12,.0f} "
            f"{one['peak_mib']:10.0f} {one['bounded']:11.3f} {one['coarse'] * 1000:11.1f}"
        )


def command_lines(runs: int) -> Iterator[str]:
    """Yield processor time and peak memory of whole commands, imports and plugins included."""
    yield f"{'command':48} {'best, s':>8} {'peak, MiB':>10}"
    suanli = [sys.executable, "-m", "suanli"]
    with tempfile.TemporaryDirectory() as folder:
        proposal = [*suanli, "propose", "examples/pretrain-70b.yaml", "-o", folder]
        commands = {
            "suanli --help": [*suanli, "--help"],
            "suanli plugins list": [*suanli, "plugins", "list"],
            **{
                f"suanli estimate {name}": [*suanli, "estimate", f"examples/{name}.yaml"] for name in EXAMPLES
            },
            "suanli propose pretrain-70b (zh, en; pdf, xlsx)": [
                *(*proposal, "--lang", "zh,en", "--formats", "pdf,xlsx"),
            ],
        }
        for name, command in commands.items():
            taken = [apart(command)[1:] for _ in range(runs)]
            yield f"{name:48} {min(one[0] for one in taken):8.2f} {max(one[1] for one in taken):10.0f}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=("search", "commands"))
    parser.add_argument("--case", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    case: int | None = given.case
    if case is not None:
        print(json.dumps(searched(CASES[case], given.runs)))
        return
    if given.only != "commands":
        print(*search_lines(given.runs), "", sep="\n", flush=True)
    if given.only != "search":
        for line in command_lines(given.runs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
