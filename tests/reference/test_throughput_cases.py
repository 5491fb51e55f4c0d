"""Published rates and totals, asked of the sizing."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from tests.core.estimation.estimation_cases import DAY_S, model, requirement, shipped, workload
from tests.reference.case_files import Answer, Case, Shape, assert_met, cases_of, expectations

from suanli.cli.main import run
from suanli.domain.hardware import Precision
from suanli.domain.scaling import architecture_from_parameters
from suanli.domain.workload import SolveFor
from suanli.estimation.crosscheck import implied_mfu
from suanli.estimation.results import Range, Sizing
from suanli.estimation.sizing import size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.reference.case_files import Unit

    from suanli.domain.architecture import Architecture

HOUR_S = 3600.0


def architecture(case: Case) -> Architecture:
    if "catalogue_model" in case.inputs:
        return model(case.text("catalogue_model"))
    if "model" in case.inputs:
        return Shape.model_validate(case.inputs["model"]).architecture
    return architecture_from_parameters(case.number("parameters"))


def sized(case: Case, cards: int, tokens: float) -> Sizing:
    accelerator, server, stack = case.texts("device")
    job = workload(
        sequence_length=case.count("sequence_length"),
        global_batch_size=int(case.inputs.get("batch", 512)),
        tokens=tokens,
        precision=Precision(case.inputs.get("precision", "bf16")),
    )
    wanted = requirement(architecture(case), job, SolveFor.DAYS, cards)
    found = size(shipped(accelerator, server, stack), wanted)
    assert isinstance(found, Sizing)
    return found


def to_untuned(found: Sizing) -> Range:
    """Return the range of the duration whose slow end is that of a team that starts with the stack."""
    slow = max(found.duration_s.p90, found.untuned_duration_s)
    return Range(found.duration_s.p10, found.duration_s.p50, slow)


def rate(case: Case) -> Mapping[str, Answer]:
    found = sized(case, case.count("cards"), case.number("tokens"))
    return {
        "tokens_per_s": found.tokens_per_s_per_accelerator,
        "days": found.duration_s.scaled(1 / DAY_S),
        "gpu_hours": found.duration_s.scaled(found.accelerators / HOUR_S),
        "days_to_untuned": to_untuned(found).scaled(1 / DAY_S),
        "gpu_hours_to_untuned": to_untuned(found).scaled(found.accelerators / HOUR_S),
        "untuned_gpu_hours": found.untuned_duration_s * found.accelerators / HOUR_S,
    }


def command(*words: str) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON that a command prints."""
    out = io.StringIO()
    with redirect_stdout(out):
        assert run([*words, "--json"]) == 0
    return json.loads(out.getvalue())


def claimed_hours(case: Case) -> Mapping[str, Answer]:
    claimed: dict[str, Any] = case.inputs["claimed"]
    (found,) = command(
        "check",
        f"--model={claimed['model']}",
        f"--tokens={claimed['tokens']}",
        f"--accelerator={case.texts('device')[0]}",
        f"--accelerators={case.count('cards')}",
        f"--days={claimed['hours']} h",
    )["claims"]
    return {**rate(case), "verdict_on_32_hours": str(found["verdict"])}


def definition(case: Case) -> Mapping[str, Answer]:
    shape = case.architecture
    per_token = 6 * case.number("published_parameters") + 12 * shape.layers * shape.hidden_size * case.number(
        "sequence_length"
    )
    mfu = implied_mfu(per_token, case.number("published_rate"), 1.0, 1, case.number("published_peak"))
    return {**rate(case), "mfu_of_the_published_rate": mfu}


def small_run(case: Case) -> Mapping[str, Answer]:
    short = sized(case, 8, 22e9).duration_s.scaled(1 / HOUR_S)
    return {**rate(case), "hours_of_22b_tokens_on_8": short}


def routed(case: Case) -> Mapping[str, Answer]:
    answers = rate(case)
    hours = answers["gpu_hours"]
    assert isinstance(hours, Range)
    found = sized(case, case.count("cards"), case.number("tokens"))
    dense_peak = found.device.accelerator.peak_flops_per_s(Precision.FP8) or 0.0
    all_at_work = 6.0 * found.profile.total_parameters * case.number("tokens") / (hours.p10 * HOUR_S)
    return {**answers, "all_experts_at_work_are_above_the_peak": all_at_work > dense_peak}


def utilisation(case: Case) -> Mapping[str, Answer]:
    seconds = case.number("hours") * HOUR_S
    mfu = implied_mfu(
        6 * case.number("parameters"),
        case.number("tokens"),
        seconds,
        case.count("cards"),
        case.number("peak"),
    )
    return {"mfu": mfu, "claimed_over_true": 0.45 / mfu}


ANSWERS = {
    "thr-001": claimed_hours,
    "thr-002": rate,
    "thr-003": rate,
    "thr-004": rate,
    "thr-006": rate,
    "thr-008": definition,
    "thr-011": small_run,
    "thr-012": rate,
    "thr-014": routed,
    "thr-015": rate,
    "thr-016": utilisation,
}


@expectations("throughput")
def test_a_published_rate_is_met(unit: Unit) -> None:
    assert_met(unit, ANSWERS)


def test_every_throughput_case_is_asked() -> None:
    assert set(ANSWERS) == set(cases_of("throughput"))


def test_a_trillion_tokens_of_seven_billion_parameters_on_eight_devices_take_most_of_a_year() -> None:
    case = cases_of("throughput")["thr-001"]
    assert sized(case, 8, 1e12).duration_s.p10 > 200 * DAY_S
