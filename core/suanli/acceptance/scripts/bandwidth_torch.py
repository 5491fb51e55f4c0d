#!/usr/bin/env python3
"""All-reduce bandwidth through torch.distributed, with result check and pass value.

    torchrun --standalone --nproc-per-node=8 bandwidth_torch.py --max-bytes 1G --min-busbw 400
    torchrun --nnodes=4 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=HOST:29500 bandwidth_torch.py

Backends: nccl (NVIDIA, and RCCL of AMD under the same name), hccl (Ascend, needs torch_npu), gloo (CPU, to
try the script without accelerators). Bandwidth is in GB/s of 10^9 bytes, for one rank and one direction:

    algbw = S / t          busbw = algbw * 2 (n - 1) / n

S: bytes of the tensor on each rank; t: seconds of one operation on the slowest rank; n: ranks. Exit code 0:
all results are right and the pass value is reached, or none was given; 1: below it; 3: a wrong result.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "Measurement",
    "algbw_gb_per_s",
    "busbw_gb_per_s",
    "exit_code",
    "expected_sum",
    "fill_value",
    "main",
    "parse_arguments",
    "parse_size",
    "sizes",
    "worst",
]

MINIMUM_BUSBW_GB_PER_S: float | None = None
"""Pass value; `suanli acceptance` writes the plan's here, and --min-busbw outranks it."""

PASSED, BELOW, WRONG = 0, 1, 3
BYTES_PER_ELEMENT = {"float32": 4, "bfloat16": 2, "float16": 2}
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
DEVICE_OF = {"nccl": "cuda", "hccl": "npu", "gloo": "cpu"}
RESIDUES = 4
"""Ranks contribute 1, 2, 3, 4, 1, 2 ...: a rank that is left out or counted twice changes the sum."""


@dataclass(frozen=True)
class Measurement:
    """One message size in one run."""

    size_bytes: int
    run: int
    seconds: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float
    right: bool


def parse_size(text: str) -> int:
    """Return bytes of a size such as 8M; units are binary as in nccl-tests.

    >>> parse_size("8M"), parse_size("1G"), parse_size("512")
    (8388608, 1073741824, 512)
    """
    word = text.strip().upper().removesuffix("IB").removesuffix("B")
    unit = word[-1:] if word[-1:] in {"K", "M", "G"} else ""
    digits = word.removesuffix(unit)
    if not digits.isdigit() or int(digits) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 8M or 1G")
    return int(digits) * UNITS[unit]


def sizes(smallest: int, largest: int) -> tuple[int, ...]:
    """Return sizes that double from the smallest; the largest is always among them.

    >>> sizes(4, 20)
    (4, 8, 16, 20)
    """
    if smallest > largest:
        raise ValueError(f"the smallest size {smallest} is above the largest {largest}")
    found: list[int] = []
    size = smallest
    while size < largest:
        found.append(size)
        size *= 2
    return (*found, largest)


def algbw_gb_per_s(size_bytes: float, seconds: float) -> float:
    """Return the algorithm bandwidth S / t.

    >>> algbw_gb_per_s(1e9, 0.5)
    2.0
    """
    if seconds <= 0:
        raise ValueError(f"an operation of {seconds} s was not timed")
    return size_bytes / seconds / 1e9


def busbw_gb_per_s(size_bytes: float, seconds: float, ranks: int) -> float:
    """Return the bus bandwidth of an all-reduce: algbw · 2(n − 1)/n.

    >>> busbw_gb_per_s(1e9, 1.0, 8)
    1.75
    """
    if ranks < 1:
        raise ValueError(f"{ranks} ranks")
    return algbw_gb_per_s(size_bytes, seconds) * 2 * (ranks - 1) / ranks


def fill_value(rank: int) -> float:
    """Return what a rank contributes to every element.

    >>> [fill_value(rank) for rank in range(6)]
    [1.0, 2.0, 3.0, 4.0, 1.0, 2.0]
    """
    return float(rank % RESIDUES + 1)


def expected_sum(ranks: int) -> float:
    """Return what every element must be after the sum.

    >>> expected_sum(8)
    20.0
    """
    whole, rest = divmod(ranks, RESIDUES)
    return whole * RESIDUES * (RESIDUES + 1) / 2 + rest * (rest + 1) / 2


def worst(measurements: Sequence[Measurement]) -> Measurement:
    """Return the slowest run at the largest message, which is the one that counts."""
    largest = max(one.size_bytes for one in measurements)
    return min((one for one in measurements if one.size_bytes == largest), key=lambda one: one.busbw_gb_per_s)


def exit_code(measurements: Sequence[Measurement], minimum: float | None) -> int:
    """Return the verdict: a wrong result outranks a slow one."""
    if not all(one.right for one in measurements):
        return WRONG
    return BELOW if minimum is not None and worst(measurements).busbw_gb_per_s < minimum else PASSED


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a command line."""
    parser = argparse.ArgumentParser(description="All-reduce bandwidth through torch.distributed.")
    parser.add_argument("--backend", choices=sorted(DEVICE_OF), help="default: by the accelerator found")
    parser.add_argument("--dtype", choices=sorted(BYTES_PER_ELEMENT), default="float32")
    parser.add_argument("--min-bytes", type=parse_size, default=parse_size("8M"))
    parser.add_argument("--max-bytes", type=parse_size, default=parse_size("1G"))
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3, help="repetitions, of which the worst counts")
    parser.add_argument("--min-busbw", type=float, default=MINIMUM_BUSBW_GB_PER_S, metavar="GB/s")
    parser.add_argument("--json", metavar="FILE", help="write every measurement to a file")
    options = parser.parse_args(words)
    if options.min_bytes > options.max_bytes:
        parser.error("--min-bytes is above --max-bytes")
    if options.iterations < 1 or options.runs < 1 or options.warmup < 0:
        parser.error("--iterations and --runs are at least 1, --warmup at least 0")
    return options


class Fabric:
    """The process group of this process and its device."""

    def __init__(self, backend: str | None) -> None:
        """Bind the device of LOCAL_RANK, then join the group that the launcher's environment describes."""
        self.torch: Any = importlib.import_module("torch")
        self.dist: Any = importlib.import_module("torch.distributed")
        self.backend = backend or self._found()
        kind = DEVICE_OF[self.backend]
        local = int(os.environ.get("LOCAL_RANK", "0"))
        if kind == "npu":
            importlib.import_module("torch_npu")  # registers torch.npu and the hccl backend
        self.module: Any = getattr(self.torch, kind) if kind != "cpu" else None
        if self.module is not None:
            # Before the group is made: else every process of a node opens its context on device 0.
            self.module.set_device(local)
        self.device: Any = self.torch.device(kind, local) if self.module else self.torch.device("cpu")
        self.dist.init_process_group(backend=self.backend, init_method="env://")
        self.rank = int(self.dist.get_rank())
        self.ranks = int(self.dist.get_world_size())

    def _found(self) -> str:
        if self.torch.cuda.is_available():
            return "nccl"
        try:
            npu: Any = importlib.import_module("torch_npu").npu
        except ImportError:
            return "gloo"
        return "hccl" if npu.is_available() else "gloo"

    def synchronise(self) -> None:
        """Wait until the device has done what was queued: collectives return before they ran."""
        if self.module is not None:
            self.module.synchronize()

    def slowest(self, value: float) -> float:
        """Return the largest of a number over all ranks, by a tensor and not by pickled objects."""
        # 32 bit: not every accelerator reduces in 64.
        tensor = self.torch.tensor([value], dtype=self.torch.float32, device=self.device)
        self.dist.all_reduce(tensor, op=self.dist.ReduceOp.MAX)
        return float(tensor.item())

    def close(self) -> None:
        """Leave the group."""
        self.dist.destroy_process_group()


def timed(fabric: Fabric, operation: Callable[[], None], warmup: int, iterations: int) -> float:
    """Return seconds of one operation: warmed up, all ranks started together, the slowest rank's time."""
    for _ in range(warmup):
        operation()
    fabric.synchronise()
    fabric.dist.barrier()
    fabric.synchronise()
    start = time.perf_counter()
    for _ in range(iterations):
        operation()
    fabric.synchronise()
    return fabric.slowest((time.perf_counter() - start) / iterations)


def is_right(fabric: Fabric, size_bytes: int) -> bool:
    """Tell whether one all-reduce of known values gives the known sum in every element of every rank.

    In float32 whatever format is timed: whole numbers below 2²⁴ add up exactly in any order, so that the sum
    is compared without a tolerance, in which a missing rank would drown at some scale.
    """
    count = max(1, size_bytes // BYTES_PER_ELEMENT["float32"])
    tensor = fabric.torch.full(
        (count,), fill_value(fabric.rank), dtype=fabric.torch.float32, device=fabric.device
    )
    fabric.dist.all_reduce(tensor)
    fabric.synchronise()
    wanted = expected_sum(fabric.ranks)
    good = float(tensor.min().item()) == wanted == float(tensor.max().item())
    # An error on one rank is an error of the run.
    return fabric.slowest(0.0 if good else 1.0) == 0.0


def measure(fabric: Fabric, options: argparse.Namespace) -> list[Measurement]:
    """Return every size in every run; results are checked outside the timed part."""
    found: list[Measurement] = []
    kind = getattr(fabric.torch, options.dtype)
    for run in range(options.runs):
        for size in sizes(options.min_bytes, options.max_bytes):
            count = max(1, size // BYTES_PER_ELEMENT[options.dtype])
            right = is_right(fabric, size)
            # Zeros stay zeros however often they are added: no overflow changes the timing.
            tensor: Any = fabric.torch.zeros(count, dtype=kind, device=fabric.device)

            def operation(tensor: Any = tensor) -> None:  # noqa: ANN401
                fabric.dist.all_reduce(tensor)

            seconds = timed(fabric, operation, options.warmup, options.iterations)
            actual = count * BYTES_PER_ELEMENT[options.dtype]
            found.append(
                Measurement(
                    actual,
                    run,
                    seconds,
                    algbw_gb_per_s(actual, seconds),
                    busbw_gb_per_s(actual, seconds, fabric.ranks),
                    right,
                )
            )
    return found


def report(fabric: Fabric, found: Sequence[Measurement], options: argparse.Namespace) -> None:
    """Print a table of medians and the verdict, and write the file that was asked for; rank 0 alone."""
    out = sys.stdout.write
    out(f"# backend {fabric.backend}, ranks {fabric.ranks}, {options.dtype}, GB/s = 10^9 bytes/s, per rank\n")
    out(f"{'bytes':>14} {'us':>12} {'algbw':>9} {'busbw':>9} {'worst':>9}  result\n")
    for size in sorted({one.size_bytes for one in found}):
        rows = [one for one in found if one.size_bytes == size]
        middle = statistics.median(one.seconds for one in rows)
        busbw = busbw_gb_per_s(size, middle, fabric.ranks)
        slow = min(one.busbw_gb_per_s for one in rows)
        good = "right" if all(one.right for one in rows) else "WRONG"
        algbw = algbw_gb_per_s(size, middle)
        out(f"{size:>14} {middle * 1e6:>12.1f} {algbw:>9.2f} {busbw:>9.2f} {slow:>9.2f}  {good}\n")
    verdict = {PASSED: "passed", BELOW: "below the pass value", WRONG: "wrong result"}
    code = exit_code(found, options.min_busbw)
    limit = "none given" if options.min_busbw is None else f"{options.min_busbw} GB/s"
    out(f"# worst at the largest message {worst(found).busbw_gb_per_s:.2f} GB/s, pass value {limit}: ")
    out(f"{verdict[code]}\n")
    if options.json:
        document = {
            "backend": fabric.backend,
            "ranks": fabric.ranks,
            "dtype": options.dtype,
            "minimum_busbw_gb_per_s": options.min_busbw,
            "verdict": verdict[code],
            "measurements": [asdict(one) for one in found],
        }
        with open(options.json, "w", encoding="utf-8") as file:  # noqa: PTH123 - a path given by the user
            json.dump(document, file, indent=2)


def main(words: Sequence[str] | None = None) -> int:
    """Measure and return the exit code, the same on every rank."""
    options = parse_arguments(words)
    fabric = Fabric(options.backend)
    try:
        found = measure(fabric, options)
        if fabric.rank == 0:
            report(fabric, found, options)
        return exit_code(found, options.min_busbw)
    finally:
        fabric.close()


if __name__ == "__main__":
    sys.exit(main())
