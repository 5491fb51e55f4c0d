from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import host
from tests.core.calibration.calibration_cases import RUNS, of_families, selection

from suanli.calibration.runs import resettled, without_fits
from suanli.calibration.selection import measured_runs
from suanli.domain.vendor import Calibration, Fit
from suanli.errors import InputError
from suanli.validation.records import Metric, read_runs, selected, truth
from suanli.validation.traps import TRAPS_FILE, read_traps

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the runs of two families and the list of traps."""
    for name in ("dgxc_benchmarking.yaml", "simumax_b200.yaml"):
        shutil.copy(RUNS / name, tmp_path)
    (tmp_path / TRAPS_FILE).parent.mkdir()
    shutil.copy(RUNS / TRAPS_FILE, tmp_path / TRAPS_FILE)
    return tmp_path


def test_every_clean_record_with_a_rate_is_a_run() -> None:
    records, traps = read_runs(RUNS), read_traps(RUNS)
    wanted = [one.id for one in selected(records, Metric.THROUGHPUT) if truth(one, Metric.THROUGHPUT)]
    found = {run.posed.record.id: run for run in selection().runs}
    assert list(found) == wanted
    assert {name for name, run in found.items() if run.trap} == set(traps) & set(wanted)
    assert selection().family is None


def test_rates_are_per_device_as_software_sees_it() -> None:
    for run in selection().runs:
        stated = truth(run.posed.record, Metric.THROUGHPUT)
        assert stated is not None
        assert run.measured * run.posed.devices_per_unit == pytest.approx(stated)


def test_groups_are_those_of_the_records() -> None:
    assert all(run.group == run.posed.record.group for run in selection().runs)


def test_a_fit_starts_from_the_plugins_and_not_from_an_earlier_fit() -> None:
    assert all(run.problem.device.device_fit is None for run in selection().runs)
    assert all(run.problem.device.shared is None for run in selection().runs)
    catalogue = host().catalogue
    assert catalogue.all(Fit)
    assert without_fits(catalogue).all(Fit) == ()
    assert without_fits(catalogue).all(Calibration) == catalogue.all(Calibration)


def test_what_one_device_starts_from_is_what_is_loaded(folder: Path) -> None:
    chosen = measured_runs(folder, host().catalogue, "b200")
    assert chosen.family == "b200"
    assert {run.family for run in chosen.runs} == {"b200"}
    assert all(run.problem.device.device_fit is not None for run in chosen.runs)


def test_a_relative_stands_for_its_family(folder: Path) -> None:
    chosen = measured_runs(folder, host().catalogue, "h200-sxm")
    assert chosen.family == "h100"
    assert {run.problem.device.accelerator.id for run in chosen.runs} == {"h100-sxm"}


def test_memory_is_that_of_clean_records_that_state_it(folder: Path) -> None:
    records, traps = read_runs(folder), read_traps(folder)
    stated = [one for one in selected(records, Metric.MEMORY) if truth(one, Metric.MEMORY)]
    logs = measured_runs(folder, host().catalogue).memory
    assert len(logs) == len([one for one in stated if one.id not in traps]) > 5
    assert abs(float(logs.mean())) < 0.2


def test_a_folder_without_a_list_of_traps_has_none(folder: Path) -> None:
    (folder / TRAPS_FILE).unlink()
    assert all(run.trap is None for run in measured_runs(folder, host().catalogue).runs)


def test_an_unknown_accelerator_is_wrong_input_with_the_nearest_name(folder: Path) -> None:
    with pytest.raises(InputError, match="h100") as caught:
        measured_runs(folder, host().catalogue, "h100-sxn")
    assert caught.value.faults[0].key == "--accelerator"


@pytest.mark.parametrize(
    ("accelerator", "text"),
    [("mi300x", "mi300x or its family"), (None, "of any device that the plugins have")],
)
def test_a_folder_without_a_measured_run_is_wrong_input(
    tmp_path: Path, accelerator: str | None, text: str
) -> None:
    (tmp_path / "runs.yaml").write_text("- {id: a, use: {throughput: false}}\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"holds no measured run .*{text}"):
        measured_runs(tmp_path, host().catalogue, accelerator)


def test_a_folder_of_traps_alone_is_wrong_input(folder: Path) -> None:
    ids = [record.id for record in read_runs(folder)]
    (folder / TRAPS_FILE).write_text(
        "".join(f"- {{id: {one}, reason: r}}\n" for one in ids), encoding="utf-8"
    )
    with pytest.raises(InputError, match="holds no measured run"):
        measured_runs(folder, host().catalogue)


def test_settling_again_keeps_what_is_stated_and_asks_other_constants_for_the_rest() -> None:
    runs = of_families("gb200")
    problems = [run.problem for run in runs]
    again = resettled(runs, problems)
    assert [run.layouts.tp.tolist() for run in again] == [run.layouts.tp.tolist() for run in runs]
    # With a network that costs nothing, no layout is chosen to spare it.
    free = [
        replace(one, constants=replace(one.constants, nic_bytes_per_s=one.constants.nic_bytes_per_s * 1e6))
        for one in problems
    ]
    for run, other in zip(runs, resettled(runs, free), strict=True):
        if run.posed.pins.tp is not None:
            assert other.layouts.tp.tolist() == [float(run.posed.pins.tp)]
        assert (other.problem, other.measured, other.group) == (run.problem, run.measured, run.group)
