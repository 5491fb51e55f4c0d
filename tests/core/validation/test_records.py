"""Reading runs: tolerant of fields, strict about files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suanli.errors import InputError
from suanli.validation.records import (
    Metric,
    RunMeasured,
    RunParallel,
    read_runs,
    record_from,
    selected,
    truth,
)

if TYPE_CHECKING:
    from pathlib import Path


def folder(tmp_path: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / f"{name}.yaml").write_bytes(data)
    return tmp_path


def faults(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_runs(path)
    return [str(fault).replace(f"{path}/", "") for fault in caught.value.faults]


def test_files_are_read_in_order_of_name_and_items_in_order_of_line(tmp_path: Path) -> None:
    path = folder(tmp_path, b="- {id: b1}\n- {id: b2}\n", a="- {id: a1}\n", c="")
    (path / "README.md").write_text("# not a run", encoding="utf-8")
    assert [record.id for record in read_runs(path)] == ["a1", "b1", "b2"]


def test_a_record_without_keys_knows_nothing_but_where_it_stands(tmp_path: Path) -> None:
    (record,) = read_runs(folder(tmp_path, odd="- {}\n"))
    assert record.id == "odd[0]"
    assert record.group == "odd[0]"
    assert {record.model.layers, record.lora, record.task, record.num_accelerators} == {None}
    assert record.parallel == RunParallel()
    assert record.measured == RunMeasured()
    assert selected([record], Metric.THROUGHPUT) == ()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (8, 8),
        (8.0, 8),
        ("8", 8),
        (8.5, None),
        (-8, None),
        ("many", None),
        (True, None),
        ([8], None),
        (None, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
    ],
    ids=["whole", "float", "text", "half", "negative", "word", "yes", "list", "absent", "nan", "inf", "huge"],
)
def test_a_count_is_a_whole_number_or_unknown(given: object, expected: int | None) -> None:
    found = record_from({"id": "a", "num_accelerators": given}).num_accelerators
    assert found == expected
    assert found is None or type(found) is int


@pytest.mark.parametrize(
    ("given", "expected"), [(2, 2.0), ("4.05e12", 4.05e12), ("1,000", None), (False, None), (-0.5, -0.5)]
)
def test_a_figure_is_a_finite_number_or_unknown(given: object, expected: float | None) -> None:
    assert record_from({"measured": {"total_tokens": given}}).measured.total_tokens == expected


@pytest.mark.parametrize(
    ("key", "known", "unknown"),
    [("task", "qlora", "dreaming"), ("precision", "mxfp8", "int3"), ("precision", "nvfp4", 16)],
)
def test_a_word_that_is_not_in_the_list_is_unknown(key: str, known: str, unknown: object) -> None:
    assert getattr(record_from({key: known}), key) == known
    assert getattr(record_from({key: unknown}), key) is None


@pytest.mark.parametrize("part", ["source", "model", "parallel", "measured", "use", "check", "extra", "lora"])
@pytest.mark.parametrize("odd", ["words", 3, [1, 2], None])
def test_a_part_of_the_wrong_kind_is_an_empty_part(part: str, odd: object) -> None:
    assert record_from({"id": "a", part: odd}) == record_from({"id": "a"})


def test_the_text_of_recomputation_and_sharding_is_kept_as_it_is() -> None:
    record = record_from({"recompute": "partial [8, 8, 4]", "parallel": {"fsdp": 64}})
    assert record.recompute == "partial [8, 8, 4]"
    assert record.parallel.fsdp == "64"


def test_nested_parts_and_extra_facts_are_read() -> None:
    record = record_from(
        {
            "model": {"mla": True, "mla_dims": {"q_lora_rank": None, "kv_lora_rank": 512}},
            "lora": {"rank": 16, "targets": "attention"},
            "check": {"flags": ["unit_ambiguous"]},
            "extra": {"power_scope": "GPU only", "odd_fact": 3},
        }
    )
    assert record.model.mla_dims is not None
    assert (record.model.mla_dims.q_lora_rank, record.model.mla_dims.kv_lora_rank) == (None, 512)
    assert record.lora is not None
    assert record.lora.rank == 16
    assert record.check.flags == ("unit_ambiguous",)
    assert record.extra.power_scope == "GPU only"
    assert record.extra.facts["odd_fact"] == 3


@pytest.mark.parametrize(
    ("metric", "item", "expected"),
    [
        ("throughput", {"measured": {"tokens_per_s_per_accelerator": 9}, "derived": {}}, 9),
        (
            "throughput",
            {
                "measured": {"tokens_per_s_per_accelerator": 9},
                "derived": {"tokens_per_s_per_accelerator": 8},
            },
            9,
        ),
        ("throughput", {"derived": {"tokens_per_s_per_accelerator": 8}}, 8),
        ("throughput", {"measured": {"tokens_per_s_per_accelerator": 0}}, None),
        ("memory", {"measured": {"peak_memory_gb": 71.458}}, 71.458),
        ("energy", {"measured": {"energy_mwh": 131}}, 131),
        ("run_totals", {"measured": {"accelerator_hours": 184320}}, 184320),
        ("run_totals", {"measured": {"accelerator_hours": -1}}, None),
        ("energy", {}, None),
    ],
)
def test_each_metric_has_one_true_value(metric: str, item: dict[str, object], expected: float | None) -> None:
    assert truth(record_from(item), metric) == expected


def test_only_use_that_is_true_selects() -> None:
    records = [
        record_from({"id": str(value), "use": {"memory": value}}) for value in (True, False, None, "yes")
    ]
    assert [record.id for record in selected(records, "memory")] == ["True"]


def test_all_faults_of_a_folder_are_named_at_once_with_file_and_line(tmp_path: Path) -> None:
    path = folder(
        tmp_path,
        a="- {id: one}\n- just words\n-\n",
        b="# a note\nid: one\n",
        c="- {id: one}\n- {id: [}\n",
        d=b"- {id: one}\n- {id: \xff}\n",
        e="- {id: one}\n",
    )
    assert faults(path) == [
        'a.yaml:2: item 2 is "just words", not a mapping',
        "a.yaml:3: item 3 is empty, not a mapping",
        "b.yaml:2: is a mapping, not a list of runs\n  a file is a list of mappings, one a run",
        "c.yaml:2: is not YAML: while parsing a flow node did not find expected node content",
        "d.yaml:2: byte 19 is not UTF-8\n  save the file as UTF-8",
        'e.yaml:1: id: the id "one" stands 2 times\n  also at a.yaml:1',
    ]


@pytest.mark.parametrize(
    "content",
    [
        "[" * 2000,
        "- {when: 2026-02-30}\n",
        "- &a {b: *a}\n- *missing\n",
        "- a\x07b\n",
        "- {id: a}\n---\n- {id: b}\n",
    ],
    ids=["deep", "no-such-day", "no-such-anchor", "control-character", "two-documents"],
)
def test_what_yaml_cannot_mean_is_a_fault_and_no_crash(tmp_path: Path, content: str) -> None:
    (fault,) = faults(folder(tmp_path, odd=content))
    assert fault.startswith("odd.yaml")
    assert "is not YAML" in fault


def test_a_folder_that_is_none_or_holds_nothing_is_wrong_input(tmp_path: Path) -> None:
    assert "there is no such folder" in faults(tmp_path / "nowhere")[0]
    assert "holds no *.yaml file" in faults(tmp_path)[0]
    file = tmp_path / "runs.yaml"
    file.write_text("- {id: a}\n", encoding="utf-8")
    (fault,) = faults(file)
    assert "is not a folder" in fault
    assert f"name the folder: {tmp_path}" in fault


def test_an_id_that_is_no_text_is_still_an_id() -> None:
    assert record_from({"id": 7}).id == "7"
    assert record_from({"id": ""}, fallback="a[3]").id == "a[3]"
    assert record_from({"id": [1]}).id == "[1]"
