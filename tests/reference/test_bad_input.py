"""Bad inputs that users of other tools reported: each is refused with what helps, or asked back.

Cases that concern the estimate itself (a fit by active parameters, the size of weights) are tested there.
"""

from __future__ import annotations

import pytest
from tests.scenarios.builtin import BASE, completed

from suanli.errors import InputError

HEADS_28 = "{layers: 28, hidden: 3584, ffn_hidden: 18944, heads: 28, kv_heads: 4, vocab: 152064}"
HEADS_40 = "{layers: 40, hidden: 5120, ffn_hidden: 13824, heads: 40, kv_heads: 40, vocab: 32000}"


def refused(*settings: str) -> str:
    with pytest.raises(InputError) as caught:
        completed(BASE, *settings)
    return str(caught.value)


def test_bad_001_tensor_parallel_of_8_for_28_heads_lists_the_valid_sizes_and_offers_pipeline_parallel() -> (
    None
):
    message = refused(f"model={HEADS_28}", "layout.tp=8")
    assert "1, 2, 4, 7, 14, 28" in message
    assert "pipeline parallel" in message


def test_bad_003_three_cards_for_40_heads_suggests_two_or_four() -> None:
    assert "use 2 or 4" in refused(f"model={HEADS_40}", "layout.tp=3")


def test_bad_006_h100_asks_for_pcie_or_sxm_with_both_dense_peaks() -> None:
    message = refused("vendors.accelerators=[H100]")
    assert "h100-pcie" in message
    assert "h100-sxm" in message
    assert "756 TFLOPS" in message
    assert "989 TFLOPS" in message


def test_910b_without_its_bin_is_asked_back() -> None:
    message = refused("vendors.accelerators=[910B]")
    assert "ascend-910b1" in message
    assert "ascend-910b4" in message


def test_bad_007_a_measured_rate_above_the_peak_is_refused() -> None:
    # 6 FLOPs x 71.5e9 weights x 4,000 tokens/s = 1.7e15, above the 1.3e15 of an MI300X.
    message = refused("measured=[{accelerator: mi300x, tokens_per_s_per_accelerator: 4000}]")
    assert "is above what mi300x can do" in message
    assert "% of the dense bf16 peak" in message


def test_bad_007_an_unknown_device_never_falls_back_to_another() -> None:
    assert "none stands in for another" in refused(
        "measured=[{accelerator: mi999x, tokens_per_s_per_accelerator: 40}]"
    )


@pytest.mark.parametrize("size", ["8x7B", "8X7b", "8 × 7B"])
def test_bad_008_experts_times_size_gives_the_true_counts_and_asks_for_the_model(size: str) -> None:
    message = refused(f"model={size}")
    assert 'did you mean "mixtral-8x7b" (46.7B parameters in all, 12.9B active per token)?' in message


def test_bad_008_an_unknown_product_asks_for_the_config() -> None:
    assert "give a config.json" in refused("model=16x3B")


def test_bad_008_a_product_is_no_parameter_count_either() -> None:
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
def test_bad_013_zero_negative_and_not_finite_are_refused_with_field_value_and_range(
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
def test_bad_013_a_pue_below_one_and_a_share_above_one_are_refused(key: str, value: str) -> None:
    message = refused(f"{key}={value}")
    assert key in message
    assert f'"{value}"' in message
