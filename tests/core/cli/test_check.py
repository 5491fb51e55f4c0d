"""`suanli check`: what a claim may state, in which forms, and how it is answered."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from suanli.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
DEVICES = ("--accelerator", "h100-sxm", "--accelerators", "8")


def claims(capsys: Capture, *words: str | Path) -> list[dict[str, Any]]:
    assert run(["check", *(str(word) for word in words), "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["claims"]
    return found


def refused(capsys: Capture, *words: str | Path) -> list[str]:
    assert run(["check", *(str(word) for word in words)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return [line for line in captured.err.splitlines() if line.startswith("error:")]


def written(folder: Path, text: str) -> Path:
    path = folder / "claims.yaml"
    path.write_text(text, encoding="utf-8")
    return path


ONE = {
    "mapping": "{model: 7B, tokens: 1T, accelerator: h100-sxm, accelerators: 8, days: 5}",
    "list": "- {model: 7B, tokens: 1T, accelerator: h100-sxm, accelerators: 8, days: 5}",
    "short project": "model: 7B\nworkload: {tokens: 1T}\n"
    "claims: [{by: a, says: b, accelerator: h100-sxm, accelerators: 8, days: 5}]",
    "claim with a run of its own": "claims: [{by: a, says: b, model: 7B, tokens: 1T, "
    "accelerator: h100-sxm, accelerators: 8, days: 5}]",
}


@pytest.mark.parametrize("text", ONE.values(), ids=ONE.keys())
def test_every_form_of_a_file_gives_the_answer_of_the_flags(
    capsys: Capture, tmp_path: Path, text: str
) -> None:
    (by_flags,) = claims(capsys, "--model", "7B", "--tokens", "1T", *DEVICES, "--days", "5")
    (by_file,) = claims(capsys, written(tmp_path, text))
    for name in ("verdict", "implied_mfu", "right_days", "right_accelerators", "arithmetic", "statement"):
        assert by_file[name] == by_flags[name]


def test_each_claim_of_a_list_has_its_own_run(capsys: Capture, tmp_path: Path) -> None:
    text = "- {model: 7B, tokens: 1T, accelerator: h100-sxm, accelerators: 8, days: 5}\n"
    text += "- {model: 70B, states: 1120 GB, by: b, says: c}\n"
    first, second = claims(capsys, written(tmp_path, text))
    assert (first["quantity"], second["quantity"]) == ("days", "states")
    assert (first["by"], second["by"]) == ("claim 1", "b")
    assert second["verdict"] == "plausible"


def test_a_claim_of_two_quantities_is_two_claims(capsys: Capture) -> None:
    views = claims(capsys, "--model", "7B", "--tokens", "1T", *DEVICES, "--days", "5", "--mfu", "52%")
    assert [view["quantity"] for view in views] == ["days", "mfu"]
    # Five days would take several times the peak, whatever utilisation is claimed beside them.
    assert [view["verdict"] for view in views] == ["impossible", "plausible"]


RATES = [("--mfu", "45%", 1), ("--tokens-per-s-per-accelerator", "10000", 1), ("--tokens-per-s", "80k", 8)]


@pytest.mark.parametrize(("flag", "value", "devices"), RATES)
def test_rates_and_utilisation_are_the_same_claim(
    capsys: Capture, flag: str, value: str, devices: int
) -> None:
    (view,) = claims(capsys, "--model", "llama-2-7b", *DEVICES, flag, value)
    (right,) = claims(capsys, "--model", "llama-2-7b", *DEVICES, flag, view["right"]["value"])
    assert right["verdict"] == "plausible"
    low, high = (float(view["right"][end]) for end in ("low", "high"))
    assert low < float(view["right"]["value"]) < high
    # 6 · 6.607e9 weights and causal attention: 42.9 GFLOPs a token, 23,074 tokens/s at the peak of one.
    bound = 1.0 if flag == "--mfu" else 23_074 * devices
    assert float(view["bound"]["value"]) == pytest.approx(bound, rel=0.001)
    (wild,) = claims(capsys, "--model", "llama-2-7b", *DEVICES, flag, "101%" if flag == "--mfu" else "200k")
    assert wild["verdict"] == "impossible"


def test_between_the_range_and_the_peak_a_claim_is_optimistic_then_implausible(capsys: Capture) -> None:
    words = ("--model", "llama-2-7b", *DEVICES, "--mfu")
    high = float(claims(capsys, *words, "45%")[0]["right"]["high"])
    verdicts = [
        claims(capsys, *words, f"{100 * share:.2f}%")[0]["verdict"]
        for share in (high * 0.99, high * 1.04, 0.99)
    ]
    assert verdicts == ["plausible", "optimistic", "implausible"]


MEMORY = [("1 GB", "impossible"), ("8 GB", "implausible"), ("80 GB", "plausible"), ("200 GB", "does-not-fit")]


@pytest.mark.parametrize(("value", "verdict"), MEMORY)
def test_a_peak_of_memory_lies_between_the_states_and_the_device(
    capsys: Capture, value: str, verdict: str
) -> None:
    # 16 bytes of 6.74e9 parameters over 8 devices are 13.5 GB; the weights alone are 1.7 GB.
    (view,) = claims(capsys, "--model", "llama-2-7b", *DEVICES, "--memory", value)
    assert view["verdict"] == verdict
    assert float(view["static_memory"]["value"]) == pytest.approx(13.5, abs=0.05)


def test_states_of_adapters_are_those_of_a_frozen_base(capsys: Capture) -> None:
    words = ("--model", "llama-2-7b", *DEVICES, "--fits", "--task")
    lora, quantised = (claims(capsys, *words, task)[0] for task in ("lora", "qlora"))
    assert float(lora["static_memory"]["value"]) == pytest.approx(2 * 6.74 / 8, rel=0.1)
    assert float(quantised["static_memory"]["value"]) == pytest.approx(0.56 * 6.74 / 8, rel=0.2)


SPANS = [
    ("--states", "10 GB", "impossible"),
    ("--states", "60 GB", "implausible"),
    ("--states", "112 GB", "plausible"),
    ("--states", "126 GB", "plausible"),
    ("--states", "280 GB", "pessimistic"),
    ("--optimizer", "28 GB", "implausible"),
    ("--optimizer", "84 GB", "plausible"),
    ("--weights", "14 GB", "plausible"),
    ("--weights", "28 GB", "pessimistic"),
    ("--weights", "1 GB", "impossible"),
]


@pytest.mark.parametrize(("flag", "value", "verdict"), SPANS)
def test_bytes_of_a_model_are_held_against_bytes_a_parameter(
    capsys: Capture, flag: str, value: str, verdict: str
) -> None:
    (view,) = claims(capsys, "--model", "7B", flag, value)
    assert view["verdict"] == verdict
    assert view["accelerator_name"] is None


DECODING = [("6.9 ms", "impossible", 2), ("7.5 ms", "plausible", 2), ("14 ms", "does-not-fit", 1)]


@pytest.mark.parametrize(("value", "verdict", "devices"), DECODING)
def test_decoding_takes_at_least_one_reading_of_the_weights(
    capsys: Capture, value: str, verdict: str, devices: int
) -> None:
    # Qwen3 of 14.8e9 parameters: 29.5 GB over 2 · 2,039 GB/s are 7.2 ms; one device of 24 GB cannot hold it.
    device = "a100-80-sxm" if devices == 2 else "rtx-4090"
    words = ("--model", "qwen3-14b", "--accelerator", device, "--accelerators", str(devices))
    value = value if devices == 2 else "40 ms"
    (view,) = claims(capsys, *words, "--time-per-output-token", value)
    assert view["verdict"] == verdict


def test_a_faster_network_turns_the_verdict(capsys: Capture) -> None:
    words = ("--model", "7B", "--accelerator", "h100-sxm", "--accelerators", "16", "--network")
    slow, fast = (claims(capsys, *words, rate)[0] for rate in ("10 Gbit/s", "3.2 Tbit/s"))
    assert slow["verdict"] in {"optimistic", "implausible"}
    assert fast["verdict"] == "plausible"


def test_no_time_is_shown_where_nobody_gave_the_tokens(capsys: Capture) -> None:
    words = ("--model", "7B", *DEVICES, "--fits")
    assert claims(capsys, *words)[0]["right_days"] is None
    assert claims(capsys, *words, "--tokens", "100B")[0]["right_days"] is not None


def test_a_claim_above_the_peak_is_refuted_on_a_device_that_cannot_be_sized(capsys: Capture) -> None:
    words = ("--model", "70B", "--tokens", "1T", "--accelerator", "ascend-910a", "--precision", "fp16")
    (view,) = claims(capsys, *words, "--accelerators", "8", "--days", "1")
    assert view["verdict"] == "impossible"


WORDS = [
    ("--model", "70B", "--tokens", "1T", *DEVICES, "--days", "5"),
    ("--model", "70B", *DEVICES, "--fits"),
    ("--model", "7B", *DEVICES, "--memory", "40 GB"),
    ("--model", "70B", "--states", "840 GB"),
    ("--accelerator", "ascend-910b2", "--peak", "400 TFLOPS"),
    ("--says", "words alone", "--model", "7B"),
]


@pytest.mark.parametrize("words", WORDS, ids=lambda words: words[-2])
def test_the_verdict_is_said_in_both_languages_with_the_same_numbers(
    capsys: Capture, words: tuple[str, ...]
) -> None:
    said = {}
    for language in ("zh", "en"):
        assert run(["check", *words, "--lang", language]) == 0
        said[language] = capsys.readouterr().out
    assert said["zh"] != said["en"]
    (view,) = claims(capsys, *words)
    assert view["statement"]["zh"] in said["zh"]
    assert view["statement"]["en"] in said["en"]


def test_a_wrong_key_of_a_listed_claim_is_named_with_its_place(capsys: Capture, tmp_path: Path) -> None:
    text = "- {model: 7B, acelerator: h100-sxm, accelerators: 8, days: 5}"
    (error,) = refused(capsys, written(tmp_path, text))
    assert "claims.yaml: claim 1: acelerator" in error


def test_a_claim_that_is_no_mapping_is_refused(capsys: Capture, tmp_path: Path) -> None:
    (error,) = refused(capsys, written(tmp_path, "- 32 cards"))
    assert "claim 1: a claim is a mapping" in error


INCOMPLETE = {
    "no quantity": ("{by: a, says: b, accelerator: h100-sxm}", "states no quantity"),
    "no device": ("{by: a, says: b, mfu: 40%}", "of no device"),
    "no number": ("{by: a, says: b, mfu: 40%, accelerator: h100-sxm}", "of no number of devices"),
    "denied": ("{by: a, says: b, fits: false, accelerator: h100-sxm, accelerators: 8}", "no claim"),
    "no unit": ("{by: a, says: b, states: 840}", "has no unit"),
}


@pytest.mark.parametrize(("claim", "expected"), INCOMPLETE.values(), ids=INCOMPLETE.keys())
def test_an_incomplete_claim_is_refused(capsys: Capture, tmp_path: Path, claim: str, expected: str) -> None:
    (error,) = refused(capsys, written(tmp_path, f"model: 7B\nclaims: [{claim}]"))
    assert "claims.yaml:2: claims.0" in error
    assert expected in error


def test_a_quantity_without_its_subject_names_the_missing_flag(capsys: Capture) -> None:
    assert refused(capsys, "--mfu", "40%", "--model", "7B") == [
        "error: --accelerator: is missing",
        "error: --accelerators: is missing",
    ]
