"""The pages on calibration and validation against what is shipped: written again after every fit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.plugins.catalogue_data import CATALOGUE

from suanli.domain.vendor import Fit, FitScope
from suanli.validation.traps import read_traps

if TYPE_CHECKING:
    from suanli.domain.figure import Figure

ROOT = Path(__file__).parents[2]
CALIBRATION = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
VALIDATION = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
FITS = CATALOGUE.all(Fit)


def table(page: str, name: str) -> dict[str, list[str]]:
    """Return the first cell of each row of a generated table with the cells after it."""
    body = page.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- end {name} -->")[0]
    rows = [line.strip("| ").split(" | ") for line in body.splitlines() if line.startswith("| ")]
    return {row[0].strip("`"): row[1:] for row in rows[1:]}


def percent(figure: Figure | None, digits: int) -> str:
    assert figure is not None
    return f"{figure.si * 100:.{digits}f}"


@pytest.mark.parametrize("fit", [one for one in FITS if one.scope is not FitScope.SHARED], ids=str)
def test_the_page_has_groups_and_errors_of_every_fit(fit: Fit) -> None:
    rows = table(CALIBRATION, "devices" if fit.scope is FitScope.DEVICE else "stacks")
    error = f"{percent(fit.median_error, 1)} / {percent(fit.p90_error, 0)}"
    assert [rows[fit.subject][0], rows[fit.subject][2]] == [str(fit.groups), error]


def test_the_page_has_every_shared_constant_as_it_is_shipped() -> None:
    (shared,) = [one for one in FITS if one.scope is FitScope.SHARED]
    shown = table(CALIBRATION, "shared")
    assert set(shown) == set(shared.constants)
    for name, figure in shared.constants.items():
        scale = 1e3 if figure.unit == "s" else 1.0
        assert float(shown[name][2].removesuffix(" ms")) == pytest.approx(figure.si * scale, rel=5e-3)


def test_every_run_that_misleads_is_listed_with_its_reason() -> None:
    known = read_traps(ROOT / "benchmarks" / "runs")
    assert {name: cells[-1] for name, cells in table(VALIDATION, "traps").items()} == dict(known)


def test_the_readme_states_the_error_of_the_shipped_fit() -> None:
    (shared,) = [one for one in FITS if one.scope is FitScope.SHARED]
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    median, p90 = percent(shared.median_error, 0), percent(shared.p90_error, 0)
    assert f"the rate is off by {median} % in the median and {p90} % at the 90th percentile" in readme


@pytest.mark.parametrize("page", [CALIBRATION, VALIDATION], ids=["calibration", "validation"])
def test_every_place_of_a_table_is_filled(page: str) -> None:
    names = re.findall(r"<!-- (?!end )([a-z]+) -->", page)
    assert len(names) >= 9
    for name in names:
        assert table(page, name), name
