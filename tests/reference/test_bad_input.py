"""Bad inputs beyond the published cases: names that mean several things, and every value that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.scenarios.builtin import BASE, catalogue, completed

from suanli.cli.main import run
from suanli.errors import InputError
from suanli.estimation.devices import candidate_devices
from suanli.estimation.results import Constraint

if TYPE_CHECKING:
    from pathlib import Path


def refused(*settings: str) -> str:
    with pytest.raises(InputError) as caught:
        completed(BASE, *settings)
    return str(caught.value)


def test_910b_without_its_bin_is_asked_back() -> None:
    message = refused("vendors.accelerators=[910B]")
    assert "ascend-910b1" in message
    assert "ascend-910b4" in message


@pytest.mark.parametrize("size", ["8x7B", "8X7b", "8 × 7B"])
def test_experts_times_size_gives_the_true_counts_and_asks_for_the_model(size: str) -> None:
    message = refused(f"model={size}")
    assert 'did you mean "mixtral-8x7b" (46.7B parameters in all, 12.9B active per token)?' in message


def test_an_unknown_product_asks_for_the_config() -> None:
    assert "give a config.json" in refused("model=16x3B")


def test_a_product_is_no_parameter_count_either() -> None:
    assert "model.parameters" in refused("model={parameters: 8x7B}")


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", ".nan", "-.inf"])
@pytest.mark.parametrize(
    ("key", "allowed"),
    [
        ("workload.tokens", "above 0"),
        ("workload.deadline", "above 0"),
        ("workload.epochs", "above 0"),
        ("workload.runs_per_year", "above 0"),
        ("cluster.accelerators", "from 1"),
        ("site.pue", "from 1 to 5"),
        ("site.electricity", "above 0"),
        ("site.rack_power", "above 0"),
        ("commercial.budget", "above 0"),
        ("commercial.fx.0.rate", "above 0"),
    ],
)
def test_zero_negative_and_not_finite_are_refused_with_field_value_and_range(
    key: str, allowed: str, value: str
) -> None:
    message = refused(f"{key}={value}")
    assert key in message
    assert value.lstrip("-.").casefold() in message.casefold()
    assert allowed in message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("site.pue", "0.9"),
        ("cluster.exposed_communication_max", "1.3"),
        ("workload.deadline_confidence", "1.3"),
    ],
)
def test_a_pue_below_one_and_a_share_above_one_are_refused(key: str, value: str) -> None:
    message = refused(f"{key}={value}")
    assert key in message
    assert f'"{value}"' in message


def test_sharded_weights_with_stages_are_taken_under_a_stack_that_allows_them_only() -> None:
    pins = "layout={zero_stage: 3, pp: 2}"
    assert "stage 3 cannot be combined with pipeline stages" in refused(pins)
    assert completed(BASE, pins, "workload.stack=torchtitan").pins.zero_stage == 3


@pytest.mark.parametrize("device", ["a100-80-sxm", "ascend-910b2"])
def test_eight_bit_training_is_refused_on_a_device_without_it_and_sixteen_bit_offered(device: str) -> None:
    wanted = completed(BASE, "workload.precision=fp8", f"vendors.accelerators=[{device}]")
    (found,) = candidate_devices(wanted, catalogue())
    assert isinstance(found, tuple)
    name, why = found
    assert (name, why.constraint) == (device, Constraint.PRECISION)
    assert [one.detail for one in why.remedies] == ["bf16"]


def test_a_pilot_run_moves_an_option_or_is_said_to_move_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project.yaml"
    project.write_text(f"{BASE}vendors: {{accelerators: [ascend-910b2]}}\n", encoding="utf-8")
    used = "{accelerator: ascend-910b2, tokens_per_s_per_accelerator: 260, accelerators: 64}"
    idle = "{accelerator: h100-sxm, tokens_per_s_per_accelerator: 700}"
    settings = ("--set", f"measured=[{used}, {idle}]", "--set", "project.languages=[en]")
    assert run(["estimate", str(project), *settings]) == 0
    told = capsys.readouterr()
    said = " ".join(f"{told.out} {told.err}".split())
    assert "Option A: rates and durations are moved to the pilot runs" in said
    assert "Pilot run measured.1 (h100-sxm) moved no option" in said
