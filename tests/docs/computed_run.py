"""What the code computes for the worked examples on goodput, search, ranges and whole runs."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from tests.architectures import DEEPSEEK_V3, LLAMA_2_7B
from tests.core.estimation.estimation_cases import number, plain_device, problem, requirement, workload

from suanli.domain.vendor import Fit, FitScope
from suanli.domain.workload import LayoutPins, Recompute
from suanli.estimation.evaluate import quantile_s
from suanli.estimation.goodput import FailureModel, checkpoint_bytes, goodput, young_interval_s
from suanli.estimation.pilot import recentred
from suanli.estimation.ranges import memory_ratio, rate_ratio
from suanli.estimation.results import Range, Sizing
from suanli.estimation.search import Limits, search
from suanli.estimation.sizing import size_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DAY_S: Final = 86400.0
FAILURES: Final = FailureModel(0.474, "source", checkpoint_write_s=30.0, restart_s=300.0)


@cache
def recomputing() -> Sizing:
    """Return a sizing whose layout recomputes everything, on a device without calibration."""
    wanted = requirement(LLAMA_2_7B, workload(tokens=1e11), pins=LayoutPins(recompute=Recompute.FULL))
    sized = size_at(plain_device(), wanted, 64)
    assert isinstance(sized, Sizing)
    return sized


def hfu_over_mfu() -> float:
    """Return HFU over MFU of a sizing over what the page says it is, from the same sizing's times."""
    sized = recomputing()
    return sized.hfu / sized.mfu.p50 / (1 + sized.step.recompute_s / sized.step.compute_s)


def interruptions() -> dict[str, float]:
    lost = goodput(16384, 54 * DAY_S, 405e9, FAILURES)
    return {"mtbf": lost.mtbf_s}


def checkpoint_size() -> dict[str, float]:
    return {"size": checkpoint_bytes(70e9)}


def checkpoint_interval() -> dict[str, float]:
    return {"interval": young_interval_s(30.0, 11125.0)}


def effective_share() -> dict[str, float]:
    lost = goodput(16384, 54 * DAY_S, 405e9, FAILURES)
    return {
        "mtbf": lost.mtbf_s,
        "interval": lost.checkpoint_interval_s,
        # The record holds shares of wall-clock time; the page states losses per unit of progress.
        "writing": lost.checkpoint_share / lost.share,
        "repeated": lost.lost_work_share / lost.share,
        "restarting": lost.restart_share / lost.share,
        "share": lost.share,
    }


def batch_rounding() -> dict[str, float]:
    pins = LayoutPins(tp=1, pp=1, cp=1, micro_batch_size=1, recompute=Recompute.FULL)
    posed = problem(plain_device(memory_gb=200.0), LLAMA_2_7B, workload(global_batch_size=1000))
    found = search(posed, 24, Limits(pins)).layouts
    assert found is not None
    batch = float(found.batch_size[0])
    return {
        "micro_batches": float(found.micro_batches[0]),
        "batch": batch,
        "excess": batch / 1000 - 1,
    }


def range_of_a_peak() -> dict[str, float]:
    stated = {"memory-p10": -0.065, "memory-p90": 0.069, "stack-not-calibrated": 1.8}
    device = replace(
        plain_device(memory_gb=400.0),
        shared=fit(FitScope.SHARED, "all", stated),
        device_fit=fit(FitScope.DEVICE, "acme-x1", {}),
    )
    band = memory_ratio(problem(device, DEEPSEEK_V3, workload())).scaled(50e9)
    return {"low": band.p10, "high": band.p90}


def spread_of_a_rate() -> dict[str, float]:
    stated = {
        "base": 0.08,
        "layout-unknown": 1.4,
        "mixture-of-experts": 1.5,
        "p10": -2.0,
        "p50": 0.0,
        "p90": 1.6,
    }
    shared = fit(FitScope.SHARED, "all", stated)
    device = replace(
        plain_device(memory_gb=400.0),
        shared=shared,
        device_fit=fit(FitScope.DEVICE, "acme-x1", {}),
        stack_fit=fit(FitScope.STACK, "plain", {}),
    )
    band = rate_ratio(problem(device, DEEPSEEK_V3, workload()), evidence="layout-unknown")
    rate = band.scaled(1000.0)
    return {
        "spread": math.log(band.p90) / 1.6,
        "low": rate.p10,
        "middle": rate.p50,
        "high": rate.p90,
    }


def fit(scope: FitScope, subject: str, scales: dict[str, float]) -> Fit:
    """Return a fit that holds nothing but a spread."""
    held = {name: number(value) for name, value in scales.items()}
    return Fit(id=f"fit-{subject}", scope=scope, subject=subject, constants={}, scales=held, groups=1)


def pilot_run() -> dict[str, float]:
    ratio = math.exp((math.log(0.81) + math.log(0.90)) / 2)
    moved = recentred(Range(0.80, 1.00, 1.20), ratio)
    return {"ratio": moved.p50, "low": moved.p10, "high": moved.p90}


def deadline_confidence() -> dict[str, float]:
    sized = recomputing()
    # The slow end of the duration follows from the slow end of the rate.
    rate, duration = sized.tokens_per_s_per_accelerator, sized.duration_s
    consistent = duration.p90 / duration.p50 / (rate.p50 / rate.p10)
    days = Range(80 * DAY_S, 100 * DAY_S, 100 * DAY_S / 0.80 * consistent)
    return {"p90": days.p90, "confident": quantile_s(days, NormalDist().cdf(0.67449))}


def run_duration() -> dict[str, float]:
    sized = recomputing()
    per_step = sized.layout.micro_batch_size * sized.layout.dp * sized.layout.micro_batches * 4096
    whole = sized.steps / math.ceil(sized.tokens / per_step)
    ideal = sized.ideal_s / (sized.steps * sized.step.total_s)
    stretched = sized.duration_s.p50 / sized.ideal_s * sized.goodput.share
    steps = math.ceil(1e12 / (1024 * 4096)) * whole
    return {
        "steps": steps,
        "ideal": steps * 10.0 / 0.98 * ideal,
        "duration": steps * 10.0 / 0.98 * ideal * stretched / 0.95,
    }


COMPUTED: Final[Mapping[str, Callable[[], dict[str, float]]]] = {
    "interruptions": interruptions,
    "checkpoint-size": checkpoint_size,
    "checkpoint-interval": checkpoint_interval,
    "effective-share": effective_share,
    "batch-rounding": batch_rounding,
    "spread-of-a-rate": spread_of_a_rate,
    "range-of-a-peak": range_of_a_peak,
    "pilot-run": pilot_run,
    "deadline-confidence": deadline_confidence,
    "run-duration": run_duration,
}
