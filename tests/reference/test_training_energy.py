"""Published training energy against the product's own estimate: within 10 %, or the reason why not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel, ConfigDict
from tests.core.validation.test_posing import catalogue, posed
from tests.factories import watts
from tests.reference.cost_cases import Source

from suanli.finance.emissions import accelerator_hours, embodied_kg_per_hour, run_energy
from suanli.planning.power import server_power
from suanli.validation.predict import predict_runs
from suanli.validation.schema import Metric

FILE = Path(__file__).parent / "cases" / "training-energy.yaml"
TOLERANCE = 0.10
KWH_PER_MWH = 1000.0
DEVICES, SERVERS = "GPU only", "whole servers"


class Run(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    accelerator: str
    accelerators: int
    hours: float
    tokens: float | None = None
    precision: str
    model: dict[str, Any]
    sequence_length: int
    batch: int
    micro_batch: int | None = None
    parallel: dict[str, Any]
    recompute: str | None = None
    pue: float
    devices_mwh: float | None = None
    servers_mwh: float | None = None
    rated_power: bool = False
    """Published as hours at the rated power of the devices."""
    power_w: float | None = None
    flops_per_s: float | None = None
    nameplate_w: float | None = None
    source: Source
    note: str = ""


@cache
def runs() -> dict[str, Run]:
    read = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return {run.id: run for run in map(Run.model_validate, read["runs"])}


def asked(run: Run, **measured: float) -> Any:  # noqa: ANN401 - a posed run
    return posed(
        accelerator=run.accelerator,
        num_accelerators=run.accelerators,
        model=run.model,
        sequence_length=run.sequence_length,
        global_batch={"samples": run.batch, "tokens": run.batch * run.sequence_length},
        micro_batch=run.micro_batch,
        parallel=run.parallel,
        recompute=run.recompute,
        precision=run.precision,
        measured=measured,
    )


def estimated(
    run: Run, metric: Metric, scope: str = DEVICES, **measured: float
) -> tuple[float, float, float]:
    """Return P10, P50 and P90 of the product's estimate from the stated hours or tokens."""
    record = asked(run, **measured).record
    record = replace(record, extra=replace(record.extra, power_scope=scope))
    (found,) = predict_runs([record], catalogue(), metric.value)
    assert found.predicted is not None, found.skipped
    assert found.p10 is not None
    assert found.p90 is not None
    pue = run.pue if metric is Metric.ENERGY else 1.0
    return found.p10 * pue, found.predicted * pue, found.p90 * pue


AT_RATED_POWER = [run for run in runs().values() if run.rated_power]


@pytest.mark.parametrize("run", AT_RATED_POWER, ids=lambda run: run.id)
def test_energy_of_the_devices_from_their_number_and_time_is_within_a_tenth(run: Run) -> None:
    assert run.devices_mwh is not None
    low, middle, high = estimated(run, Metric.ENERGY, accelerator_hours=run.hours)

    assert middle == pytest.approx(run.devices_mwh, rel=TOLERANCE)
    # The published figure takes devices at their rated power all the time, which metered runs do not reach.
    assert low < middle < high < run.devices_mwh


@pytest.mark.parametrize("run", AT_RATED_POWER, ids=lambda run: run.id)
def test_that_published_energy_is_hours_at_rated_power(run: Run) -> None:
    """So the estimate may only come out below it: the reason for most of the difference."""
    assert run.devices_mwh is not None
    energy = run_energy(run.hours, 400, run.pue)

    assert energy.facility_kwh / KWH_PER_MWH == pytest.approx(run.devices_mwh, rel=0.011)


@pytest.mark.parametrize(("scope", "published"), [(DEVICES, 433.196), (SERVERS, 433.196 + 256.646)])
def test_bloom_from_its_tokens_alone(scope: str, published: float) -> None:
    """Model, device, number and tokens are all that the estimate is told; hours and power are its own."""
    run = runs()["bloom-176b"]
    assert run.tokens is not None
    low, middle, high = estimated(run, Metric.ENERGY, scope, total_tokens=run.tokens)

    assert middle == pytest.approx(published, rel=TOLERANCE)
    assert low < published < high
    hours = estimated(run, Metric.RUN_TOTALS, total_tokens=run.tokens)
    assert hours[1] == pytest.approx(run.hours, rel=TOLERANCE)


def test_bloom_s_servers_from_their_number_and_time() -> None:
    run = runs()["bloom-176b"]
    assert run.servers_mwh is not None
    low, middle, high = estimated(run, Metric.ENERGY, SERVERS, accelerator_hours=run.hours)

    assert middle == pytest.approx(run.servers_mwh, rel=TOLERANCE)
    assert low < run.servers_mwh < high


def test_opt_from_its_tokens_lies_in_the_range() -> None:
    run = runs()["opt-175b"]
    assert run.tokens is not None
    assert run.devices_mwh is not None
    low, middle, high = estimated(run, Metric.ENERGY, total_tokens=run.tokens)

    assert low < run.devices_mwh < high
    assert middle == pytest.approx(run.devices_mwh, rel=0.15)


def test_gpt_3_from_its_measured_power() -> None:
    run = runs()["gpt-3-175b"]
    assert run.power_w is not None
    assert run.servers_mwh is not None

    assert run.hours == pytest.approx(accelerator_hours(run.accelerators, days=14.8))
    energy = run_energy(run.hours, run.power_w, run.pue).facility_kwh / KWH_PER_MWH
    assert energy == pytest.approx(run.servers_mwh, rel=0.005)


def test_gpt_3_is_overestimated_for_want_of_a_nameplate() -> None:
    """No server of this device is known: 300 W with the host share of newer ones are 450 W, not 330."""
    run = runs()["gpt-3-175b"]
    assert run.servers_mwh is not None
    low, middle, _ = estimated(run, Metric.ENERGY, SERVERS, accelerator_hours=run.hours)
    device = asked(run).device
    power = server_power(device)

    assert power is not None
    assert power.estimated
    assert power.training_w.p50 / device.server.accelerator_count == pytest.approx(450, rel=0.01)
    assert low > run.servers_mwh * (1 + TOLERANCE)
    assert middle / run.servers_mwh == pytest.approx(450 / 330, rel=0.01)


def test_gpt_3_is_within_a_tenth_once_the_nameplate_is_known() -> None:
    run = runs()["gpt-3-175b"]
    assert run.nameplate_w is not None
    assert run.servers_mwh is not None
    device = asked(run).device
    box = device.server.model_copy(update={"max_power": watts(run.nameplate_w), "accelerator_count": 8})
    power = server_power(replace(device, server=box))

    assert power is not None
    assert not power.estimated
    energy = run_energy(run.hours, power.training_w.p50 / 8, run.pue).facility_kwh / KWH_PER_MWH
    assert energy == pytest.approx(run.servers_mwh, rel=TOLERANCE)


def test_gpt_3_ran_far_below_what_its_devices_can_draw() -> None:
    """The second reason: 24.6 of 125 TFLOP/s, under half of the rate that the estimate expects."""
    run = runs()["gpt-3-175b"]
    assert run.flops_per_s is not None
    assert run.tokens is not None
    rate = estimated(run, Metric.THROUGHPUT)[1]
    flops_per_token = 6 * run.model["total_params_b"] * 1e9

    assert run.flops_per_s / 125e12 < 0.2
    assert rate * flops_per_token > 2 * run.flops_per_s


def test_embodied_carbon_of_bloom_by_the_hour() -> None:
    """Luccioni, Viguier, Ligozat, 2022, section 4.1: 7.57 t of servers, 3.64 t of GPUs, 11.2 t together."""
    hours = runs()["bloom-176b"].hours
    servers = embodied_kg_per_hour(2_500, 6, 0.85) * hours / 8
    devices = embodied_kg_per_hour(150, 6, 0.85) * hours

    assert servers / 1000 == pytest.approx(7.57, abs=0.02)
    assert devices / 1000 == pytest.approx(3.64, abs=0.01)
    assert (servers + devices) / 1000 == pytest.approx(11.2, abs=0.05)


def test_the_page_on_finance_states_these_estimates() -> None:
    def cell(run: Run, published: float, scope: str, **measured: float) -> str:
        middle = estimated(run, Metric.ENERGY, scope, **measured)[1]
        off = 100 * (middle / published - 1)
        digits = 1 if abs(off) < 10 else 0
        return f"{middle:,.0f} MWh ({'−' if off < 0 else '+'}{abs(off):.{digits}f} %)"

    page = (Path(__file__).parents[2] / "docs" / "finance.md").read_text(encoding="utf-8")
    for name, run in runs().items():
        if name == "llama-7b":
            continue
        for published, scope in ((run.devices_mwh, DEVICES), (run.servers_mwh, SERVERS)):
            if published is not None:
                assert cell(run, published, scope, accelerator_hours=run.hours) in page
    for name, published, scope in (
        ("bloom-176b", 433.0, DEVICES),
        ("bloom-176b", 689.842, SERVERS),
        ("opt-175b", 324.0, DEVICES),
    ):
        assert cell(runs()[name], published, scope, total_tokens=runs()[name].tokens or 0.0) in page
