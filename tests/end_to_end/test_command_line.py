"""The journeys as they are typed: init, estimate, propose, verify."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suanli.cli.main import run

if TYPE_CHECKING:
    from tests.planting import Greenhouse

Capture = pytest.CaptureFixture[str]
EXAMPLES = Path(__file__).parents[2] / "examples"
SCENARIOS = ("finetune-lora", "pretrain-34b-70b", "base-100b")
LORA = EXAMPLES / "lora-13b.yaml"


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_starter_file_can_be_estimated(
    scenario: str, language: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "acme.yaml"
    assert run(["init", scenario, "--lang", language, "-o", str(path)]) == 0
    assert run(["estimate", str(path), "--vendor", "amd", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["options"]


def test_a_starter_file_does_not_replace_another_unless_told(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "acme.yaml"
    path.write_text("mine", encoding="utf-8")
    words = ["init", "finetune-lora", "-o", str(path)]
    assert run(words) == 2
    assert "--force replaces it" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "mine"
    assert run([*words, "--force"]) == 0
    assert "finetune-lora" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("language", "label"), [("zh", "推荐方案"), ("en", "recommended:")])
def test_a_starter_file_speaks_its_language_and_compares_few_devices(
    tmp_path: Path, capsys: Capture, language: str, label: str
) -> None:
    path = tmp_path / "acme.yaml"
    assert run(["init", "finetune-lora", "--lang", language, "-o", str(path)]) == 0
    assert ("下一步" in capsys.readouterr().err) is (language == "zh")
    assert run(["estimate", str(path)]) == 0
    out = capsys.readouterr().out
    assert label in out
    # Two screens of 45 lines.
    assert len(out.splitlines()) <= 90


def test_a_starter_file_is_not_written_over_a_folder(tmp_path: Path, capsys: Capture) -> None:
    assert run(["init", "finetune-lora", "--force", "-o", str(tmp_path)]) == 2
    assert f"such as {tmp_path / 'finetune-lora.yaml'}" in capsys.readouterr().err


def test_many_options_are_shown_on_two_screens_and_every_one_is_named(capsys: Capture) -> None:
    words = ["estimate", str(LORA), "--set", "vendors.accelerators=[]"]
    assert run([*words, "--json"]) == 0
    options = json.loads(capsys.readouterr().out)["options"]
    assert len(options) > 20
    assert run(words) == 0
    out = capsys.readouterr().out
    before, _, after = out.partition("其余 ")
    assert "无法计算的型号" in after
    assert before.count("结论") == 2
    further = " ".join(after.split())
    for option in options[8:]:
        assert f"{option['key']} {option['accelerator_name']['zh'][:2]}" in further


def test_a_starter_file_goes_to_stdout_alone(capsys: Capture) -> None:
    assert run(["init", "finetune-lora", "-o", "-"]) == 0
    assert "scenario: finetune-lora" in capsys.readouterr().out


def test_an_estimate_shows_options_side_by_side_and_what_was_assumed(capsys: Capture) -> None:
    assert run(["estimate", str(EXAMPLES / "pretrain-70b.yaml")]) == 0
    out = capsys.readouterr().out
    for label in (
        "推荐方案",
        "加速卡",
        "训练天数 P50",
        "采购总价",
        "TCO",
        "约束条件",
        "由工具选定的取值",
        "隐含 MFU",
    ):
        assert label in out
    assert "\x1b" not in out
    assert all(line == line.rstrip() for line in out.splitlines())


def test_explain_adds_the_steps_with_their_numbers_and_sources(capsys: Capture) -> None:
    assert run(["estimate", str(LORA)]) == 0
    short = capsys.readouterr().out
    assert run(["estimate", str(LORA), "--explain"]) == 0
    long = capsys.readouterr().out
    assert "计算过程" in long
    assert "计算过程" not in short
    assert len(long) > len(short)


def test_settings_change_the_result_and_only_what_depends_on_them(capsys: Capture) -> None:
    documents: list[dict[str, dict[str, object]]] = []
    for deadline in ("90 days", "180 days"):
        words = [
            "estimate",
            str(EXAMPLES / "pretrain-70b.yaml"),
            "--json",
            "--set",
            f"workload.deadline={deadline}",
        ]
        assert run(words) == 0
        documents.append(json.loads(capsys.readouterr().out))
    tight, loose = documents
    assert tight["profile"] == loose["profile"]
    assert tight["workload"] != loose["workload"]
    counts = [
        {option["accelerator"]: option["accelerators"] for option in document["options"]}  # type: ignore[index]
        for document in documents
    ]
    assert all(counts[0][device] >= counts[1][device] for device in counts[1])


def test_vendors_are_chosen_on_the_command_line(capsys: Capture) -> None:
    assert run(["estimate", str(LORA), "--vendor", "ascend", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {option["vendor"] for option in document["options"]} == {"ascend"}


def propose(out: Path, *words: str) -> int:
    return run(["propose", str(LORA), "-o", str(out), "--formats", "json,xlsx", *words])


def test_a_proposal_is_written_reported_and_verified(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "a" / "out"
    assert propose(out, "--lang", "en") == 0
    report = capsys.readouterr().out
    names = {path.name for path in out.iterdir()}
    assert names == {"proposal.json", "cost-sheet.en.xlsx", "project.yaml", "manifest.json"}
    assert all(str(out / name) in report for name in names)
    assert "recommended" in report
    assert run(["verify", str(out)]) == 0
    assert "✓ proposal.json" in capsys.readouterr().out


def test_the_terminal_speaks_the_projects_language_where_a_document_has_both(
    tmp_path: Path, capsys: Capture
) -> None:
    assert propose(tmp_path, "--lang", "bilingual") == 0
    assert "推荐方案" in capsys.readouterr().out
    assert (tmp_path / "cost-sheet.bilingual.xlsx").is_file()


def test_a_changed_and_a_missing_file_are_found(tmp_path: Path, capsys: Capture) -> None:
    assert propose(tmp_path, "--lang", "en") == 0
    with (tmp_path / "project.yaml").open("a", encoding="utf-8") as stream:
        stream.write("# changed\n")
    (tmp_path / "proposal.json").unlink()
    assert run(["verify", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "project.yaml: changed" in error
    assert "proposal.json: missing" in error


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert propose(tmp_path / name, "--lang", "zh") == 0
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_wrong_input_leaves_no_folder(tmp_path: Path, capsys: Capture) -> None:
    assert propose(tmp_path / "out", "--set", "workload.tokens=2X") == 2
    assert not (tmp_path / "out").exists()
    assert "workload.tokens" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--lang", "fr"), '--lang: "fr"'),
        (("--formats", "pdff"), 'did you mean "pdf"?'),
        (("--theme", "nothing"), '--theme: no theme "nothing"'),
        (("--theme", "defualt"), "installed: default"),
        (("--theme", "./nothing"), "there is no such folder"),
        (("--set", "project.theme=./nothing"), "there is no such folder"),
        (("--vendor", "nvidea"), '--vendor: "nvidea" is not among the vendors'),
        (("--vendor", ""), "--vendor: names nothing"),
        (("--formats", ","), "--formats: names nothing"),
    ],
)
def test_a_wrong_option_is_said_before_anything_is_done(
    tmp_path: Path, capsys: Capture, words: tuple[str, ...], expected: str
) -> None:
    assert run(["propose", str(LORA), "-o", str(tmp_path / "out"), *words]) == 2
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_theme_shows_in_the_document_and_in_the_project_that_is_written(tmp_path: Path) -> None:
    theme = EXAMPLES / "themes" / "consultancy"
    assert propose(tmp_path / "out", "--lang", "en", "--formats", "html", "--theme", str(theme)) == 0
    assert "Prepared by" in (tmp_path / "out" / "proposal.en.html").read_text(encoding="utf-8")
    written = re.search(
        r'^  theme: "?([^"\n]+?)"?$',
        (tmp_path / "out" / "project.yaml").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert written is not None
    assert (tmp_path / "out" / written[1]).resolve() == theme


def test_without_any_format_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("SUANLI_DISABLE_PLUGINS", "reports")
    assert run(["propose", str(LORA), "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert '"pdf" is not among the renderers' in error
    assert "SUANLI_DISABLE_PLUGINS leaves out reports, which may have it" in error
    assert not (tmp_path / "out").exists()


def test_an_output_folder_that_may_not_be_written_to_is_said_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != tmp_path)
    assert propose(tmp_path / "a" / "b") == 4
    assert f"{tmp_path}: -o: may not be written to" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


def test_an_output_folder_that_is_a_file_is_refused(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "out").write_text("mine", encoding="utf-8")
    assert propose(tmp_path / "out") == 2
    assert "is not a folder" in capsys.readouterr().err
    assert (tmp_path / "out").read_text(encoding="utf-8") == "mine"


def test_a_full_disk_ends_with_4_and_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert propose(tmp_path / "out") == 4
    assert "No space left on device" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.part"))


def test_a_broken_plugin_is_a_warning_unless_it_is_needed(
    greenhouse: Greenhouse, tmp_path: Path, capsys: Capture
) -> None:
    greenhouse.plant("broken", "import no_such_module_here")
    assert propose(tmp_path / "out") == 0
    assert 'warning: plugin "broken"' in capsys.readouterr().err
    assert propose(tmp_path / "strict", "--strict") == 3
    assert propose(tmp_path / "needed", "--vendor", "broken") == 3
    assert 'vendor "broken" is needed' in capsys.readouterr().err
    assert not (tmp_path / "strict").exists()
    assert not (tmp_path / "needed").exists()


def test_a_rival_record_of_a_stranger_bars_only_what_it_touches(
    greenhouse: Greenhouse, capsys: Capture
) -> None:
    sheet = "id='nvidia-mle', title='Another', publisher='Acme', retrieved=date(2026, 11, 1)"
    greenhouse.plant("acme", f"@hookimpl\ndef suanli_records(): yield Source({sheet})\n")
    only = ["estimate", str(LORA), "--json", "--set", "vendors.accelerators=[ascend-910b3]"]
    assert run(only) == 0
    assert {option["vendor"] for option in json.loads(capsys.readouterr().out)["options"]} == {"ascend"}
    assert run(["estimate", str(LORA), "--vendor", "nvidia"]) == 3
    error = capsys.readouterr().err
    assert 'plugin "nvidia"' in error
    assert 'plugin "acme" (acme-plugin 0.1)' in error
