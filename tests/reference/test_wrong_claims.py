"""Claims that circulate are caught, formulas that circulate are wrong, and runs that were published pass.

The W numbers are those of the list of wrong claims that the product is held against. Bounds by physics (peak,
bandwidth, bytes that must exist) are exact to rounding; estimates move with the calibration and have a wide
tolerance.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.estimation.estimation_cases import model, workload

from suanli.cli.main import run
from suanli.domain.transformer import count_parameters
from suanli.estimation.bounds import decode_bound_s, kv_cache_bytes_per_token, zero3_traffic_bytes
from suanli.estimation.collectives import ring_all_reduce_s
from suanli.estimation.crosscheck import naive_accelerators, naive_days, naive_flops
from suanli.estimation.flops import model_profile
from suanli.estimation.recipes import MEGATRON_BF16_GRADIENTS, static_bytes_per_device

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
Document = dict[str, Any]

CAUGHT = {"optimistic", "implausible", "impossible", "does-not-fit", "impractical", "pessimistic"}
BEYOND_BELIEF = {"implausible", "impossible", "does-not-fit"}

GPU_ARTICLE = "Chinese article on sizing a GPU training cluster"
NPU_ARTICLE = "Chinese article on sizing an Ascend 910B cluster"


def checked(capsys: Capture, *words: str) -> list[Document]:
    assert run(["check", *words, "--json"]) == 0
    found: list[Document] = json.loads(capsys.readouterr().out)["claims"]
    return found


@dataclass(frozen=True)
class Wrong:
    """A wrong claim: as flags, with the verdict and the figures that refute it."""

    flags: str
    verdicts: set[str]
    source: str
    figures: dict[str, tuple[float, float]]
    """Field of the answer → right value and relative tolerance."""


def flags(text: str) -> list[str]:
    """Return the flags of a text in which ``_`` stands for the space inside a value."""
    return [word.replace("_", " ") if not word.startswith("--") else word for word in text.split()]


DAY_7B = "--model 7B --tokens 1T --accelerator ascend-910b2"
DAY_70B = "--model 70B --tokens 1T --accelerator ascend-910b2"
DAY_H100 = "--accelerator h100-sxm"

WRONG: dict[str, Wrong] = {
    # 6·7e9·1e12 FLOPs over 8 · 353.9 TFLOPS take 171.7 days at the whole peak; attention adds a little.
    "W1-7B-8-cards-in-32-hours": Wrong(
        f"{DAY_7B} --accelerators 8 --days 32_h",
        {"impossible"},
        NPU_ARTICLE,
        {"bound": (171.7, 0.05), "implied_mfu": (128.8, 0.05), "right_days": (338, 0.25)},
    ),
    "W2-7B-in-a-day-on-20-cards": Wrong(
        f"{DAY_7B} --accelerators 20 --days 1",
        {"impossible"},
        NPU_ARTICLE,
        {"bound": (68.7, 0.05), "right_accelerators": (2701, 0.25)},
    ),
    "W3-70B-8-cards-in-298-hours": Wrong(
        f"{DAY_70B} --accelerators 8 --days 298_h",
        {"impossible"},
        NPU_ARTICLE,
        {"bound": (1717, 0.05), "static_memory": (140, 0.01), "right_days": (3376, 0.25)},
    ),
    "W4-70B-in-a-day-on-160-cards": Wrong(
        f"{DAY_70B} --accelerators 160 --days 1",
        {"impossible"},
        NPU_ARTICLE,
        {"bound": (85.9, 0.05), "right_accelerators": (27_007, 0.25)},
    ),
    "W5-70B-32-cards-in-5-days": Wrong(
        f"{DAY_70B} --accelerators 32 --days 5",
        {"impossible"},
        NPU_ARTICLE,
        {"bound": (429.3, 0.05), "right_days": (844, 0.3)},
    ),
    "W5-70B-32-cards-of-32-GB-do-not-hold-it": Wrong(
        "--model 70B --tokens 1T --accelerator ascend-910b4 --accelerators 32 --fits",
        {"does-not-fit"},
        NPU_ARTICLE,
        {"static_memory": (35.0, 0.01), "usable_memory": (31.68, 0.01)},
    ),
    "W6-1B-8-cards-below-a-day": Wrong(
        "--model 1B --tokens 1T --accelerator ascend-910b2 --accelerators 8 --days 1",
        {"impossible"},
        NPU_ARTICLE,
        {"bound": (24.5, 0.15), "right_days": (70, 0.2)},
    ),
    "W6-13B-32-cards-in-3-days": Wrong(
        "--model 13B --tokens 1T --accelerator ascend-910b2 --accelerators 32 --days 3",
        {"impossible"},
        NPU_ARTICLE,
        {"bound": (79.7, 0.08), "right_days": (157, 0.3)},
    ),
    "W6-34B-16-cards-in-3-days": Wrong(
        "--model 34B --tokens 1T --accelerator ascend-910b2 --accelerators 16 --days 3",
        {"impossible"},
        NPU_ARTICLE,
        {"bound": (417, 0.05), "right_days": (820, 0.3)},
    ),
    "W6-70B-128-cards-in-7-days": Wrong(
        f"{DAY_70B} --accelerators 128 --days 7",
        {"impossible"},
        NPU_ARTICLE,
        {"bound": (107.3, 0.05), "right_days": (211, 0.3)},
    ),
    "W6-175B-256-cards-in-10-days": Wrong(
        "--model 175B --tokens 1T --accelerator ascend-910b2 --accelerators 256 --days 10",
        {"impossible"},
        NPU_ARTICLE,
        {"bound": (134.1, 0.05), "right_days": (264, 0.3)},
    ),
    "W7-100B-64-cards-are-enough": Wrong(
        "--model 100B --tokens 1T --accelerator ascend-910b2 --accelerators 64 --fits",
        {"impractical"},
        NPU_ARTICLE,
        {"right_days": (603, 0.3)},
    ),
    "W8-256-H100-70B-in-8.9-days": Wrong(
        f"{DAY_H100} --model 70B --tokens 1T --accelerators 256 --days 8.9",
        {"impossible"},
        GPU_ARTICLE,
        {"implied_mfu": (2.157, 0.05), "bound": (19.2, 0.05), "right_days": (39, 0.3)},
    ),
    "W9-512-H100-70B-in-4.5-days": Wrong(
        f"{DAY_H100} --model 70B --tokens 1T --accelerators 512 --days 4.5",
        {"impossible"},
        GPU_ARTICLE,
        {"implied_mfu": (2.133, 0.05), "right_days": (19.5, 0.3)},
    ),
    "W9-512-H100-7B-in-0.42-days": Wrong(
        f"{DAY_H100} --model 7B --tokens 300B --accelerators 512 --days 0.42",
        {"optimistic", "implausible"},
        GPU_ARTICLE,
        {"implied_mfu": (0.686, 0.1), "right_days": (0.58, 0.35)},
    ),
    "W10-256-H100-7B-in-0.85-days": Wrong(
        f"{DAY_H100} --model 7B --tokens 300B --accelerators 256 --days 0.85",
        {"optimistic", "implausible"},
        GPU_ARTICLE,
        {"implied_mfu": (0.677, 0.1), "right_days": (1.15, 0.3)},
    ),
    # 16 bytes a parameter, 18 with 32-bit gradients.
    "W13-70B-states-of-840-GB": Wrong(
        "--model 70B --states 840_GB", {"implausible"}, GPU_ARTICLE, {"right": (1260, 0.01)}
    ),
    "W13-7B-optimizer-of-4-bytes": Wrong(
        "--model 7B --optimizer 28_GB", {"implausible"}, NPU_ARTICLE, {"right": (84, 0.02)}
    ),
    "W13-7B-states-of-8-bytes": Wrong(
        "--model 7B --states 56_GB", {"implausible"}, GPU_ARTICLE, {"right": (126, 0.02)}
    ),
    "W17-34B-on-8-cards-of-32-GB": Wrong(
        "--model 34B --accelerator ascend-910b4 --accelerators 8 --fits",
        {"does-not-fit"},
        NPU_ARTICLE,
        {"static_memory": (68.0, 0.01), "least_accelerators": (28, 0.15)},
    ),
    "W21-memory-of-a-mixture-follows-active-parameters": Wrong(
        "--model deepseek-v3 --weights 74_GB",
        {"impossible"},
        GPU_ARTICLE,
        {"right": (1342, 0.001), "bound": (335.5, 0.005)},
    ),
    "W22-decoding-follows-the-peak": Wrong(
        "--model 70B --accelerator h100-sxm --time-per-output-token 0.14_ms",
        {"impossible"},
        GPU_ARTICLE,
        {"bound": (41.8, 0.005), "implied_bandwidth": (1000, 0.005), "bandwidth": (3.35, 0.001)},
    ),
    "W23-cache-of-attention-heads": Wrong(
        "--model llama-2-70b --sequence-length 32768 --kv-cache 85.9_GB",
        {"pessimistic"},
        GPU_ARTICLE,
        {"right": (10.737, 0.005)},
    ),
    # 3 · 140 GB · 3/4 into each of four servers at 3.125 GB/s are 101 s; without the 3/4 they are 134 s.
    "W27-25-Gbit-for-70B": Wrong(
        "--model 70B --accelerator ascend-910b2 --accelerators 32 --network 25_Gbit/s",
        {"optimistic", "implausible"},
        NPU_ARTICLE,
        {"bandwidth": (3.125, 0.005), "implied_bandwidth": (29, 0.3)},
    ),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_claim_is_caught_with_the_right_figures(capsys: Capture, case: Wrong) -> None:
    (claim,) = checked(capsys, *flags(case.flags))
    assert claim["verdict"] in case.verdicts, claim["statement"]["en"]
    for name, (value, tolerance) in case.figures.items():
        found = claim[name] if isinstance(claim[name], int) else float(claim[name]["value"])
        assert found == pytest.approx(value, rel=tolerance), name


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_claim_is_refuted_in_both_languages(capsys: Capture, case: Wrong) -> None:
    for language in ("zh", "en"):
        assert run(["check", *flags(case.flags), "--lang", language]) == 0
        lines = capsys.readouterr().out.splitlines()
        statement = lines[-1]
        chinese = sum("一" <= letter <= "鿿" for letter in statement)
        assert (chinese > 5) is (language == "zh"), statement
        assert any(letter.isdigit() for letter in statement)


def test_w16_an_ambiguous_910b_is_answered_for_every_part(capsys: Capture) -> None:
    peaks = checked(capsys, *flags("--accelerator 910B --peak 400_TFLOPS"))
    assert len(peaks) >= 4
    right = {claim["accelerator_name"]["en"]: float(claim["right"]["value"]) for claim in peaks}
    assert right["Ascend 910B2"] == pytest.approx(353.9, rel=0.001)
    assert all(value < 400 for value in right.values())
    assert {claim["verdict"] for claim in peaks} <= {"optimistic", "impossible"}
    memories = checked(capsys, *flags("--accelerator 910B --device-memory 32_GB"))
    usable = {claim["accelerator_name"]["en"]: float(claim["usable_memory"]["value"]) for claim in memories}
    assert usable["Ascend 910B4 (32 GB)"] == pytest.approx(29.50 * 2**30 / 1e9, rel=0.005)
    assert usable["Ascend 910B2"] == pytest.approx(60.97 * 2**30 / 1e9, rel=0.005)
    verdicts = {claim["accelerator_name"]["en"]: claim["verdict"] for claim in memories}
    assert verdicts["Ascend 910B4 (32 GB)"] == "plausible"
    assert verdicts["Ascend 910B2"] == "pessimistic"


INEXPRESSIBLE = {
    "W18": "AllReduce time is S/B times log N",
    "W26": "data parallelism presses memory least",
    "W28": "the bandwidth script measures the bus bandwidth",
    "W30": "a schedule takes 1.5 to 2.5 times the computed time",
}


@pytest.mark.parametrize("says", INEXPRESSIBLE.values(), ids=INEXPRESSIBLE.keys())
def test_what_states_no_quantity_is_said_to_be_inexpressible(
    capsys: Capture, tmp_path: Path, says: str
) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(f"- {{by: article, says: {says}}}\n", encoding="utf-8")
    (claim,) = checked(capsys, str(path))
    assert claim["verdict"] == "not-expressible"
    assert "states no quantity" in claim["statement"]["en"]
    assert "可核查的有工期" in claim["statement"]["zh"]


# The formula errors: the right formula, and that it differs from the one that circulates.


def test_w11_the_least_time_is_that_at_the_whole_peak() -> None:
    hours = naive_days(7e9, 1e12, 8, 400e12, 1.0) * 24
    assert hours == pytest.approx(3646, rel=0.001)
    assert hours == pytest.approx(naive_days(7e9, 1e12, 8, 400e12, 0.45) * 24 * 0.45)


def test_w12_a_number_of_cards_is_rounded_up_and_to_whole_servers() -> None:
    cards = naive_accelerators(7e9, 1e12, 1, 400e12, 0.45)
    assert cards == 2701 == int(2700.6) + 1
    assert math.ceil(cards / 8) * 8 == 2704


def test_w15_zero_divides_by_the_devices_and_not_by_a_constant() -> None:
    per_device = {
        stage: static_bytes_per_device(7.5e9, MEGATRON_BF16_GRADIENTS, stage, 64) / 1e9 for stage in range(4)
    }
    assert per_device[0] == pytest.approx(120.0, abs=0.05)
    assert per_device[1] == pytest.approx((4 + 12 / 64) * 7.5, abs=0.05)
    assert per_device[2] == pytest.approx((2 + 14 / 64) * 7.5, abs=0.05)
    assert per_device[3] == pytest.approx(16 / 64 * 7.5, abs=0.05)


@pytest.mark.parametrize(("ranks", "seconds"), [(8, 0.245), (256, 0.279)])
def test_w18_an_all_reduce_hardly_grows_with_the_ranks(ranks: int, seconds: float) -> None:
    assert ring_all_reduce_s(14e9, 100e9, ranks) == pytest.approx(seconds, abs=0.0006)


@pytest.mark.parametrize(
    ("link", "gigabytes_per_s"), [("nvlink3", 300), ("nvlink4", 450), ("ib-ndr", 50), ("ib-hdr", 25)]
)
def test_w19_w20_links_are_counted_in_one_direction(capsys: Capture, link: str, gigabytes_per_s: int) -> None:
    assert run(["catalog", "links", link, "--json"]) == 0
    rate = json.loads(capsys.readouterr().out)["per_device"]
    assert (rate["value"], rate["unit"]) == (gigabytes_per_s, "GB/s")


def test_w21_all_experts_are_resident() -> None:
    counts = count_parameters(model("deepseek-v3"))
    assert counts.total / 1e9 == pytest.approx(671, rel=0.001)
    assert counts.active / 1e9 == pytest.approx(37.5, rel=0.01)


def test_w22_decoding_is_bound_by_bytes_and_not_by_flops() -> None:
    by_bytes = decode_bound_s(70e9, 2, 1, 3.35e12)
    assert by_bytes == pytest.approx(41.8e-3, rel=0.001)
    assert by_bytes > 200 * 2 * 70e9 / 989e12


def test_w23_a_cache_has_key_value_heads() -> None:
    shape = model("llama-2-70b")
    right = kv_cache_bytes_per_token(shape) * 32_768
    assert right / 1e9 == pytest.approx(10.74, abs=0.01)
    assert right * shape.attention_heads / shape.kv_heads / 1e9 == pytest.approx(85.9, abs=0.05)


def test_w23_latent_attention_keeps_its_latents() -> None:
    # DeepSeek-V3: 61 layers of 512 compressed and 64 rotated values in 16 bit.
    assert kv_cache_bytes_per_token(model("deepseek-v3")) == 61 * (512 + 64) * 2


def test_w24_six_is_two_forward_and_four_backward_and_attention_is_beside() -> None:
    profile = model_profile(model("llama-2-7b"), workload())
    assert profile.matmul_flops_per_token == 6 * profile.matmul_parameters
    assert profile.attention_flops_per_token == 6 * 32 * 4096 * 4096
    assert naive_flops(profile.total_parameters, 1.0) < profile.flops_per_token


@pytest.mark.parametrize("device", ["ascend-910a", "ascend-310p", "ascend-310"])
def test_w25_parts_without_bf16_have_no_bf16_peak(capsys: Capture, device: str) -> None:
    assert run(["catalog", "accelerators", device, "--json"]) == 0
    peaks = json.loads(capsys.readouterr().out)["dense_peak"]
    assert "bf16" not in peaks
    assert "fp16" in peaks


def test_w26_a_full_replica_takes_most_memory() -> None:
    sizes = [static_bytes_per_device(7e9, MEGATRON_BF16_GRADIENTS, stage, 8) for stage in range(4)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == pytest.approx(112e9)


def test_w27_sharded_weights_cross_the_network_three_times_a_micro_batch() -> None:
    # 134.4 s where no byte stays at home; three of four servers' parts arrive over the network.
    everything = 3 * 2 * 70e9 / 3.125e9
    assert everything == pytest.approx(134.4)
    assert zero3_traffic_bytes(70e9, 4) / 3.125e9 == pytest.approx(everything * 3 / 4)
    assert zero3_traffic_bytes(70e9, 1) == 0
    with pytest.raises(ValueError, match="at least one server"):
        zero3_traffic_bytes(70e9, 0)


# Runs that were published, with the stack that the source names. A run is a true claim: nothing in it may be
# called beyond belief.


@dataclass(frozen=True)
class Published:
    """A run as its makers published it."""

    flags: str
    source: str


RUNS: dict[str, Published] = {
    # 30.84M hours on 16,384 devices are 78.4 days.
    "llama-3.1-405b-on-16384-h100": Published(
        "--model llama-3.1-405b --tokens 15T --accelerator h100-sxm --accelerators 16384 --days 78.4 "
        "--sequence-length 8192 --global-batch-tokens 16777216",
        "Llama 3.1 model card: 30.84M H100 hours",
    ),
    "llama-3-405b-mfu-on-16384-h100": Published(
        "--model llama-3.1-405b --accelerator h100-sxm --accelerators 16384 --mfu 41% "
        "--sequence-length 8192 --global-batch-tokens 16777216",
        "The Llama 3 Herd of Models, table 4",
    ),
    "llama-3.1-405b-on-1024-h100": Published(
        "--model llama-3.1-405b --accelerator h100-sxm --accelerators 1024 "
        "--tokens-per-s-per-accelerator 206.45 --sequence-length 8192 --global-batch-tokens 4194304 "
        "--set workload.stack=dgxc-recipes",
        "NVIDIA DGX Cloud benchmarking recipes",
    ),
    "llama-2-7b-on-910b": Published(
        "--model llama-2-7b --accelerator ascend-910b2 --accelerators 8 "
        "--tokens-per-s-per-accelerator 4672 --global-batch-tokens 1048576 "
        "--set workload.stack=mindspeed",
        "ModelLink README, model table",
    ),
    "llama-2-70b-on-910b": Published(
        "--model llama-2-70b --accelerator ascend-910b2 --accelerators 32 "
        "--tokens-per-s-per-accelerator 439 --global-batch-tokens 4194304 "
        "--set workload.stack=mindspeed",
        "ModelLink README, model table",
    ),
    "llama-2-70b-finetuned-on-910b": Published(
        "--model llama-2-70b --task full-finetune --accelerator ascend-910b3 --accelerators 32 "
        "--tokens-per-s-per-accelerator 337 --global-batch-tokens 1048576 "
        "--set workload.stack=mindformers",
        "MindFormers model cards, performance tables",
    ),
    # 2.664M hours on 2,048 devices are 54.2 days.
    "deepseek-v3-on-2048-h800": Published(
        "--model deepseek-v3 --tokens 14.8T --accelerator h800-sxm --accelerators 2048 --days 54.2 "
        "--precision fp8 --global-batch-tokens 62914560",
        "DeepSeek-V3 README: 2.664M H800 hours",
    ),
    # 135,168 hours on 2,048 devices are 2.75 days.
    "llama-13b-on-2048-a100": Published(
        "--model llama-2-13b --tokens 1T --accelerator a100-80-sxm --accelerators 2048 --days 2.75 "
        "--sequence-length 2048 --global-batch-tokens 4194304",
        "LLaMA, 2302.13971, table 15",
    ),
    # 1,082,990 hours on 384 devices are 117.5 days.
    "bloom-176b-on-384-a100": Published(
        "--model bloom-176b --tokens 366B --accelerator a100-80-sxm --accelerators 384 --days 117.5 "
        "--sequence-length 2048 --global-batch-tokens 4194304 --set workload.stack=megatron-2021",
        "BLOOM, 2211.05100, and its carbon study",
    ),
    "llama-2-7b-on-128-a100": Published(
        "--model llama-2-7b --accelerator a100-80-sxm --accelerators 128 "
        "--tokens-per-s-per-accelerator 3700 --global-batch-tokens 1048576 "
        "--set workload.stack=pytorch-fsdp",
        "Maximizing training throughput using PyTorch FSDP, 2024",
    ),
    "internlm-7b-on-1024-a100": Published(
        "--model internlm-7b --accelerator a100-80-sxm --accelerators 1024 --tokens-per-s 3712000 "
        "--sequence-length 2048 --global-batch-tokens 16777216 --set workload.stack=internevo",
        "InternEvo training performance document: 3,625 tokens/s a device",
    ),
    "llama-3-70b-lora-on-8-h100": Published(
        "--model llama-3-70b --task lora --accelerator h100-sxm --accelerators 8 "
        "--tokens-per-s-per-accelerator 1796.89 --global-batch-tokens 131072 "
        "--set workload.stack=dgxc-recipes",
        "NVIDIA DGX Cloud benchmarking recipes",
    ),
    "llama-2-70b-lora-on-8-mi300x": Published(
        "--model llama-2-70b --task lora --accelerator mi300x --accelerators 8 --precision fp8 "
        "--tokens-per-s-per-accelerator 2076 --sequence-length 8192 --global-batch-tokens 65536 "
        "--set workload.stack=mlperf",
        "MLPerf Training v5.0 results",
    ),
    "llama-2-13b-lora-memory-on-a100-40": Published(
        "--model llama-2-13b --task lora --accelerator a100-40-sxm --accelerators 1 --memory 38.12_GB "
        "--sequence-length 1304",
        "LitGPT resource tables, 2023",
    ),
}


@cache
def verdict_of(name: str) -> str:
    """Return the verdict on a published run, and check it once."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        assert run(["check", *flags(RUNS[name].flags), "--json"]) == 0
    return str(json.loads(said.getvalue())["claims"][0]["verdict"])


@pytest.mark.parametrize("name", RUNS)
def test_a_published_run_is_never_called_beyond_belief(name: str) -> None:
    assert verdict_of(name) not in BEYOND_BELIEF | {"not-computable"}, RUNS[name].source


def test_most_published_runs_are_within_the_range() -> None:
    # The range is one of 80 %; a run in five may lie outside, a slow one as "pessimistic".
    within = [name for name in RUNS if verdict_of(name) == "plausible"]
    assert len(within) >= 0.7 * len(RUNS)


def test_each_wrong_claim_names_its_source_and_only_published_runs_pass() -> None:
    assert {case.source for case in WRONG.values()} == {NPU_ARTICLE, GPU_ARTICLE}
    assert all(case.verdicts <= CAUGHT for case in WRONG.values())
    assert len(RUNS) >= 12
