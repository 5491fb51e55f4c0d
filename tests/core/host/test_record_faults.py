"""What is wrong with a data file is said with file, line or key, what is allowed, and the nearest name."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from suanli.errors import Fault, PluginError
from suanli.plugin import Record, load_records

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Load = Callable[[bytes], tuple[list[Record], tuple[Fault, ...]]]

SOURCE = "- {id: sheet, title: Sheet, publisher: Acme, retrieved: 2026-11-01}"
FIGURE = "source: sheet, confidence: datasheet, check: direct"
DEVICE = f"""
accelerators:
  - id: x1
    name: {{zh: 甲, en: A}}
    vendor: acme
    maker: {{zh: 甲, en: Acme}}
    dense_peak: {{bf16: {{value: 400, unit: TFLOPS, {FIGURE}}}}}
    memory: {{value: 96, unit: GB, {FIGURE}}}
    scale_up: {{name: Link, topology: switched, per_device: {{value: 300, unit: GB/s, {FIGURE}}}}}
    tdp: {{value: 450, unit: W, {FIGURE}}}
calibrations:
  - id: calibration-x1
    accelerator: x1
    constants:
      gemm_efficiency: {{value: 0.7, unit: fraction, {FIGURE}}}
"""
GOOD = f"sources:\n  {SOURCE}\n{DEVICE}"


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    package = tmp_path / "planted_records"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "planted_records", raising=False)

    def records(content: bytes) -> tuple[list[Record], tuple[Fault, ...]]:
        (package / "data" / "hardware.yaml").write_bytes(content)
        found: list[Record] = []
        try:
            for record in load_records("planted_records"):
                found.append(record)  # noqa: PERF402 - what came before the fault counts
        except PluginError as error:
            return found, error.faults
        return found, ()

    return records


def test_good_records_have_no_fault(load: Load) -> None:
    records, faults = load(GOOD.encode())
    assert [record.id for record in records] == ["sheet", "x1", "calibration-x1"]
    assert faults == ()


@pytest.mark.parametrize(
    ("old", "new", "key", "what", "cure"),
    [
        ("    tdp:", "    tpd:", "accelerators[x1].tpd", "is not a key", 'did you mean "tdp"?'),
        (
            "switched, per_device",
            "switched, pairwise: null, per_devise",
            "accelerators[x1].scale_up.per_devise",
            "is not a key",
            'did you mean "per_device"?',
        ),
        (
            "unit: TFLOPS, source: sheet,",
            "unit: TFLOPS,",
            "accelerators[x1].dense_peak.bf16.source",
            "is missing",
            "add the key; a record without it is not used",
        ),
        ("{zh: 甲, en: A}", "A", "accelerators[x1].name", "is one text ('A')", "write {zh: …, en: …}"),
        ("unit: W,", "unit: Watt,", "accelerators[x1].tdp", 'unit "Watt" is not one of W, kW, MW', ""),
        (
            "check: direct}}\n    memory",
            "check: drect}}\n    memory",
            "accelerators[x1].dense_peak.bf16.check",
            '"drect" is not known',
            'did you mean "direct"?',
        ),
        (
            "{value: 450, unit: W",
            "{value: much, unit: W",
            "accelerators[x1].tdp.value",
            "input should be a valid number, unable to parse string as a number (found 'much')",
            "",
        ),
        (
            "{value: 450, unit: W",
            "{value: .nan, unit: W",
            "accelerators[x1].tdp.value",
            "input should be a finite number (found nan)",
            "",
        ),
        (
            "{value: 0.7, unit: fraction, source",
            "{value: 0.7, unit: fraction, high: 0.5, source",
            "calibrations[calibration-x1].constants.gemm_efficiency",
            "high 0.5 is below the value 0.7",
            "",
        ),
    ],
    ids=["key", "inner-key", "missing", "one-text", "unit", "word", "number", "not-a-number", "range"],
)
def test_a_wrong_record_is_left_out_and_said_in_the_words_of_the_file(  # noqa: PLR0913, PLR0917 - a table row
    load: Load, old: str, new: str, key: str, what: str, cure: str
) -> None:
    assert old in GOOD
    records, faults = load(GOOD.replace(old, new, 1).encode())
    assert len(records) == 2
    (fault,) = [fault for fault in faults if fault.key == key]
    assert (fault.where, fault.what, fault.cure) == ("planted_records/data/hardware.yaml", what, cure)


def test_a_figure_of_a_wrong_unit_that_may_be_of_several_dimensions_is_one_fault(load: Load) -> None:
    _, faults = load(GOOD.replace("{value: 0.7, unit: fraction", "{value: 0.7, unit: parts", 1).encode())
    assert len(faults) == 1
    assert faults[0].what.count('unit "parts" is not one of') == 2


@pytest.mark.parametrize(
    ("content", "where", "what", "cure"),
    [
        (b"sources:\n\t- a\n", ":2", "not readable as YAML", "YAML is indented with spaces; replace the tab"),
        (b"sources: [\n", ":2", "not readable as YAML", ""),
        (GOOD.encode("gb18030"), "", "is not UTF-8", "save the file as UTF-8"),
        (b"source: []\n", "", '"source" is no kind of record', 'did you mean "sources"?'),
        (b"sources: {}\n", "", '"sources" is no list', ""),
        (b"- a\n", "", "a data file holds lists of records by kind", ""),
    ],
    ids=["tab", "bracket", "encoding", "kind", "mapping", "list"],
)
def test_a_file_that_cannot_be_read_is_named_with_its_line(
    load: Load, content: bytes, where: str, what: str, cure: str
) -> None:
    records, (fault,) = load(content)
    assert records == []
    assert fault.where == f"planted_records/data/hardware.yaml{where}"
    assert what in fault.what
    assert "\n" not in fault.what
    assert fault.cure == cure


@pytest.mark.parametrize("content", [b"", b"# to be filled in\n"])
def test_a_file_with_nothing_in_it_is_no_fault(load: Load, content: bytes) -> None:
    assert load(content) == ([], ())


@pytest.mark.parametrize(
    ("package", "folder", "what"),
    [
        ("no_such_package_here", "data", 'there is no package "no_such_package_here"'),
        ("suanli_common", "dta", 'the package "suanli_common" has no folder "dta"'),
    ],
)
def test_a_package_or_folder_that_is_not_there_is_named(package: str, folder: str, what: str) -> None:
    with pytest.raises(PluginError) as caught:
        list(load_records(package, folder))
    assert caught.value.faults[0].what == what
