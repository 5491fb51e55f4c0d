#!/usr/bin/env python3
"""Sustained throughput of square matrix products on each accelerator of a server, one after another.

    python gemm_torch.py --size 8192 --dtype bfloat16 --seconds 600 --min-tflops 550

    rate = 2 S^3 / t        S: side of the matrices; t: seconds of one product

A multiply and an add are two operations; matrices are dense. Exit code 0: every device reaches the pass value
and the slowest is within 5 % of the fastest, or no pass value was given; 1: not.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["exit_code", "main", "parse_arguments", "tflops"]

MINIMUM_TFLOPS: float | None = None
"""Pass value; `suanli acceptance` writes the plan's here, and --min-tflops outranks it."""

SPREAD = 0.05
"""Share by which the slowest device of a server may stay behind the fastest."""
BATCH = 10
"""Products between two looks at the clock: launches cost time, and waiting after each would be measured."""


def tflops(side: int, seconds: float) -> float:
    """Return the rate of one product of two square matrices in TFLOPS.

    >>> tflops(10_000, 2.0)
    1.0
    """
    if seconds <= 0:
        raise ValueError(f"a product of {seconds} s was not timed")
    return 2.0 * side**3 / seconds / 1e12


def exit_code(rates: Mapping[int, float], minimum: float | None) -> int:
    """Return 0 where every device passes; a server without devices does not.

    >>> exit_code({0: 600.0, 1: 590.0}, 550.0), exit_code({0: 600.0, 1: 540.0}, 500.0), exit_code({}, None)
    (0, 1, 1)
    """
    if not rates:
        return 1
    slowest, fastest = min(rates.values()), max(rates.values())
    if slowest < fastest * (1.0 - SPREAD):
        return 1
    return 1 if minimum is not None and slowest < minimum else 0


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a command line."""
    parser = argparse.ArgumentParser(description="Sustained matrix-product throughput of each accelerator.")
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--dtype", choices=("bfloat16", "float16", "float32"), default="bfloat16")
    parser.add_argument("--warmup", type=float, default=30.0, metavar="SECONDS")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--min-tflops", type=float, default=MINIMUM_TFLOPS)
    parser.add_argument("--json", metavar="FILE", help="write the rates to a file")
    options = parser.parse_args(words)
    if options.size < 1 or options.seconds <= 0 or options.warmup < 0:
        parser.error("--size and --seconds are positive, --warmup is not negative")
    return options


def _module(torch: Any) -> tuple[str, Any]:  # noqa: ANN401 - torch is no dependency
    """Return the kind of accelerator and its module of torch."""
    if torch.cuda.is_available():
        return "cuda", torch.cuda
    npu: Any = importlib.import_module("torch_npu").npu
    return "npu", npu


def _rate(torch: Any, module: Any, device: str, options: argparse.Namespace) -> float:  # noqa: ANN401
    """Return the median rate of one device over the timed period, after the warm-up."""
    kind = getattr(torch, options.dtype)
    left, right = (torch.randn(options.size, options.size, device=device).to(kind) for _ in range(2))
    product = torch.empty_like(left)
    rates: list[float] = []
    begin = time.perf_counter()
    while (elapsed := time.perf_counter() - begin) < options.warmup + options.seconds:
        module.synchronize()
        start = time.perf_counter()
        for _ in range(BATCH):
            torch.matmul(left, right, out=product)
        module.synchronize()
        if elapsed >= options.warmup:
            rates.append(tflops(options.size, (time.perf_counter() - start) / BATCH))
    return statistics.median(rates)


def main(words: Sequence[str] | None = None) -> int:
    """Measure every device and return the exit code."""
    options = parse_arguments(words)
    torch: Any = importlib.import_module("torch")
    kind, module = _module(torch)
    rates: dict[int, float] = {}
    for index in range(int(module.device_count())):
        module.set_device(index)
        rates[index] = _rate(torch, module, f"{kind}:{index}", options)
        sys.stdout.write(f"{kind}:{index} {rates[index]:.1f} TFLOPS\n")
    code = exit_code(rates, options.min_tflops)
    limit = "none given" if options.min_tflops is None else f"{options.min_tflops} TFLOPS"
    sys.stdout.write(f"# pass value {limit}: {'passed' if code == 0 else 'not passed'}\n")
    if options.json:
        document = {"size": options.size, "dtype": options.dtype, "tflops": rates, "passed": code == 0}
        with open(options.json, "w", encoding="utf-8") as file:  # noqa: PTH123 - a path given by the user
            json.dump(document, file, indent=2)
    return code


if __name__ == "__main__":
    sys.exit(main())
