"""The acceptance kit: plan, pass values, scripts with the plan's values in them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import EXAMPLES, proposal

from suanli.acceptance.kit import accepted_option, kit_files, pass_values
from suanli.acceptance.scripts_filled import filled_scripts, script_text
from suanli.acceptance.texts import STATUSES, TOOLS, WORDS
from suanli.cli.main import run
from suanli.domain.vendor import AcceptanceBasis, Deliverability
from suanli.errors import InputError, PluginError
from suanli.proposal.model import Option, Verdict

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = "pretrain-70b"


def option(accelerator: str) -> Option:
    return next(one for one in proposal(EXAMPLE).options if one.accelerator == accelerator)


def threshold(subject: Option, basis: AcceptanceBasis) -> str:
    view = next(test for test in subject.acceptance if test.basis is basis)
    assert view.threshold is not None
    return str(view.threshold.value)


def test_the_recommended_option_is_the_one_that_is_accepted() -> None:
    shown = proposal(EXAMPLE)
    assert accepted_option(shown).verdict is Verdict.RECOMMENDED


def test_without_a_recommendation_the_first_cluster_is_accepted() -> None:
    shown = proposal(EXAMPLE)
    summary = shown.summary.model_copy(update={"recommended": ""})
    barred = tuple(one for one in shown.options if one.verdict is Verdict.BARRED)
    found = accepted_option(shown.model_copy(update={"summary": summary, "options": barred}))
    assert found == barred[0]


def test_a_project_without_a_cluster_has_nothing_to_accept() -> None:
    shown = proposal(EXAMPLE)
    summary = shown.summary.model_copy(update={"recommended": ""})
    with pytest.raises(InputError, match="nothing to accept"):
        accepted_option(shown.model_copy(update={"summary": summary, "options": ()}))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_plan_names_every_test_with_its_pass_value(language: str) -> None:
    subject = accepted_option(proposal(EXAMPLE))
    text = kit_files(subject, proposal(EXAMPLE), [language])[f"acceptance.{language}.md"].decode()
    for number, test in enumerate(subject.acceptance, start=1):
        name = test.name.zh if language == "zh" else test.name.en
        assert f"### {number}. {name}" in text
        if test.threshold is not None:
            assert f"{'<=' if test.at_most else '>='} {test.threshold.value:,f}" in text
        for rung in test.rungs:
            assert f"| {rung.nodes} | {rung.ranks} |" in text
    assert "None" not in text


def test_english_holds_no_chinese_but_the_project_and_its_sources() -> None:
    shown = proposal(EXAMPLE)
    text = kit_files(accepted_option(shown), shown, ["en"])["acceptance.en.md"].decode()
    body = text.partition("## Sources")[0].replace(shown.project.name.en, "")
    assert re.search(r"[\u4e00-\u9fff]", body) is None


def test_a_barred_option_says_that_it_is_not_recommended() -> None:
    subject = option("h100-sxm")
    assert subject.compliance.deliverability is Deliverability.LICENCE
    files = kit_files(subject, proposal(EXAMPLE), ["zh", "en"])
    assert "需出口许可" in files["acceptance.zh.md"].decode()
    assert "it is not recommended" in files["acceptance.en.md"].decode()


def test_pass_values_are_written_into_the_scripts() -> None:
    subject = option("h100-sxm")
    scripts = filled_scripts(subject.acceptance)
    assert set(scripts) == {"gemm_torch.py", "nccl_tests.sh", "bandwidth_torch.py", "storage_fio.sh"}
    gemm = threshold(subject, AcceptanceBasis.GEMM)
    assert f"MINIMUM_TFLOPS: float | None = {gemm}\n" in scripts["gemm_torch.py"]
    write = threshold(subject, AcceptanceBasis.STORAGE_WRITE)
    assert f': "${{MIN_WRITE_GB_PER_S:={write}}}"' in scripts["storage_fio.sh"]
    assert f"\t1) echo {threshold(subject, AcceptanceBasis.INTRA_NODE)} ;;" in scripts["nccl_tests.sh"]
    ladder = next(test for test in subject.acceptance if test.rungs)
    for rung in ladder.rungs:
        assert f"\t{rung.nodes}) echo {rung.threshold.value} ;;" in scripts["nccl_tests.sh"]


def test_scripts_start_as_many_ranks_as_software_sees_devices() -> None:
    """A package of two dies is two devices: eight packages are sixteen ranks."""
    scripts = filled_scripts(option("ascend-910c").acceptance)
    assert ': "${RANKS_PER_NODE:=16}"' in scripts["hccl_test.sh"]


@pytest.mark.parametrize("accelerator", ["ascend-910c", "h100-sxm", "mi300x"])
def test_filled_scripts_are_sound_and_hold_no_marks(accelerator: str) -> None:
    for name, text in filled_scripts(option(accelerator).acceptance).items():
        assert "PASS_VALUES" not in text
        if name.endswith(".py"):
            compile(text, name, "exec")


@pytest.mark.parametrize("script", ["no_such_package:x.sh", "suanli:no/such.sh", "suanli"])
def test_a_script_that_is_not_there_is_the_fault_of_its_plugin(script: str) -> None:
    with pytest.raises(PluginError, match="cannot be read"):
        script_text(script)


def test_pass_values_are_data_too() -> None:
    subject = option("h100-sxm")
    document = pass_values(subject, proposal(EXAMPLE))
    tests = {row["id"]: row for row in document["tests"]}
    assert tests["nvidia-nccl-node"]["pass"] == {"at_least": 460.0, "unit": "GB/s"}
    assert tests["nvidia-nccl-node"]["basis"] == "published"
    assert tests["any-stability"]["interruptions_allowed"] >= 0
    assert tests["any-handover"]["pass"] is None
    assert json.loads(json.dumps(document)) == json.loads(json.dumps(document))


def test_every_text_is_in_both_languages() -> None:
    for texts in (WORDS, STATUSES, TOOLS):
        for text in texts.values():
            assert set(re.findall(r"{(\w+)}", text.zh)) == set(re.findall(r"{(\w+)}", text.en))
    assert set(STATUSES) == {one.value for one in Deliverability}


# --- the command ---


def test_the_command_writes_plan_data_and_scripts_that_can_be_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "kit"
    words = ["acceptance", str(EXAMPLES / "lora-13b.yaml"), "-o", str(out), "--lang", "en", "--json"]
    assert run(words) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert document == json.loads((out / "acceptance.json").read_text(encoding="utf-8"))
    names = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert {"acceptance.en.md", "acceptance.json", "scripts/bandwidth_torch.py"} <= names
    assert "acceptance.zh.md" not in names
    assert all(path.stat().st_mode & 0o111 for path in (out / "scripts").iterdir())


def test_the_command_takes_a_vendor_that_may_not_be_delivered(tmp_path: Path) -> None:
    out = tmp_path / "kit"
    words = ["acceptance", str(EXAMPLES / "lora-13b.yaml"), "--vendor", "nvidia", "-o", str(out)]
    assert run(words) == 0
    document = json.loads((out / "acceptance.json").read_text(encoding="utf-8"))
    assert document["deliverability"] in {"licence", "barred"}
    assert (out / "scripts" / "nccl_tests.sh").is_file()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["missing.yaml"], 2, "missing.yaml"),
        ([str(EXAMPLES / "lora-13b.yaml"), "--lang", "fr"], 2, '"fr" is not known'),
        ([str(EXAMPLES / "lora-13b.yaml"), "--vendor", "acme"], 2, "acme"),
    ],
)
def test_a_wrong_command_is_told_with_its_exit_code(
    words: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["acceptance", *words, "-o", str(tmp_path / "kit")]) == code
    assert said in capsys.readouterr().err
    assert not (tmp_path / "kit").exists()


def test_an_output_that_is_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "kit"
    place.write_text("here")
    assert run(["acceptance", str(EXAMPLES / "lora-13b.yaml"), "-o", str(place)]) == 2
    assert str(place) in capsys.readouterr().err
