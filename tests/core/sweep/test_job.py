"""What a job carries, and that neither a resumed sweep nor a worker mixes rows of different origin."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import SMALL, host

from suanli.errors import RenderError
from suanli.project.load import load_project
from suanli.sweep.grid import parse_grid
from suanli.sweep.job import Job, compute_points, make_job

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "intermediate_size": 11008,
    "vocab_size": 32000,
}


def job(path: Path, *varied: str, settings: tuple[str, ...] = ()) -> Job:
    grid = parse_grid(varied or ["site.pue=1.1,1.2"])
    return make_job(load_project(path, (*settings, *grid.settings(0))), settings, grid, host())


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_the_same_sweep_has_the_same_identity(small: Path) -> None:
    assert job(small) == job(small)
    assert job(small).identity.differences(job(small).identity) == ()


@pytest.mark.parametrize(
    ("varied", "settings", "name"),
    [
        (("site.pue=1.1,1.3",), (), "the varied keys or their values"),
        (("site.pue=1.2,1.1",), (), "the varied keys or their values"),
        (("site.pue=1.1,1.2",), ("workload.deadline=9d",), "--set and --vendor"),
    ],
)
def test_another_grid_or_setting_is_another_sweep(
    small: Path, varied: tuple[str, ...], settings: tuple[str, ...], name: str
) -> None:
    assert job(small).identity.differences(job(small, *varied, settings=settings).identity) == (name,)


def test_a_changed_project_file_is_another_sweep(small: Path) -> None:
    before = job(small)
    small.write_text(SMALL.replace("7 days", "8 days"), encoding="utf-8")
    assert before.identity.differences(job(small).identity) == ("the project file",)


@pytest.mark.parametrize(
    ("reference", "file"),
    [
        ("./config.json", "config.json"),
        ("./shapes", "shapes/config.json"),
        ("shapes/config.json", "shapes/config.json"),
        ("./my shapes/large.json", "my shapes/large.json"),
    ],
)
@pytest.mark.parametrize("varied", [False, True], ids=["in the project", "in the grid"])
def test_a_changed_model_file_is_another_sweep(
    small: Path, reference: str, file: str, *, varied: bool
) -> None:
    path = small.parent / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    if not varied:
        small.write_text(SMALL.replace("llama-2-13b", reference), encoding="utf-8")
    grid = (f"model=llama-2-13b,{reference}",) if varied else ()
    before = job(small, *grid)
    path.write_text(json.dumps({**CONFIG, "vocab_size": 64000}), encoding="utf-8")
    name = "a model file that the project names"
    assert before.identity.differences(job(small, *grid).identity) == (name,)


def test_a_job_travels_to_a_worker_and_is_computed_there(small: Path) -> None:
    there = pickle.loads(pickle.dumps(job(small)))  # noqa: S301 - made here
    outcomes = compute_points(there, (1, 0))
    assert [outcome.point for outcome in outcomes] == [1, 0]
    assert outcomes == compute_points(job(small), (1, 0))


def test_a_worker_with_another_catalogue_refuses_the_work(small: Path) -> None:
    here = job(small)
    foreign = replace(here, identity=replace(here.identity, catalogue="other", suanli="0.0.1"))
    with pytest.raises(
        RenderError, match="a worker differs in: the version of suanli, the catalogue"
    ) as caught:
        compute_points(foreign, (0,))
    assert "on every worker" in caught.value.faults[0].cure
