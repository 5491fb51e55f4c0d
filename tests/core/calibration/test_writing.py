from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from suanli.calibration.writing import fits_yaml
from suanli.domain.figure import Check, Confidence, Number, Seconds
from suanli.domain.vendor import Fit, FitScope
from suanli.plugin import load_records

if TYPE_CHECKING:
    import pytest


def number(value: float, low: float | None = None, high: float | None = None) -> Number:
    return Number(
        value=value,
        unit="fraction",
        source="suanli-fit",
        confidence=Confidence.ESTIMATE,
        check=Check.DIRECT,
        low=low,
        high=high,
    )


SECONDS = Seconds(
    value=2.22e-06,
    unit="s",
    source="suanli-fit",
    confidence=Confidence.ESTIMATE,
    check=Check.DIRECT,
    low=1e-06,
    high=3e-06,
)
FITS = (
    Fit(
        id="fit-stack-nemo-24.07",
        scope=FitScope.STACK,
        subject="nemo-24.07",
        constants={"compute_factor": number(1.002, 0.9, 1.1)},
        groups=7,
    ),
    Fit(
        id="fit-device-x1",
        scope=FitScope.DEVICE,
        subject="x1",
        constants={"kernel_gap_s": SECONDS, "gemm_efficiency": number(0.7)},
        stack_factors={"nemo-24.07": number(0.95)},
        groups=2,
        run_ids=("run: with a colon", "run-2", "0123", "yes"),
        median_error=number(0.05),
        p90_error=number(0.1),
    ),
    Fit(
        id="fit-shared-all",
        scope=FitScope.SHARED,
        subject="all",
        constants={},
        scales={"base": number(0.07), "p10": number(-1.4)},
        groups=9,
    ),
)


def test_fits_come_back_as_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "fitted_round_trip" / "data"
    data.mkdir(parents=True)
    (data.parent / "__init__.py").touch()
    (data / "fitted.yaml").write_text(fits_yaml(FITS), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    read = list(load_records("fitted_round_trip"))
    assert {one.id: one for one in read} == {one.id: one for one in FITS}


def test_the_order_is_that_of_scope_and_subject() -> None:
    text = fits_yaml(FITS)
    assert text == fits_yaml(FITS[::-1])
    scopes = [row["scope"] for row in yaml.safe_load(text)["fits"]]
    assert scopes == ["device", "shared", "stack"]


def test_a_figure_is_one_line_whatever_its_length() -> None:
    text = fits_yaml(FITS)
    lines = [line for line in text.splitlines() if "unit:" in line]
    count = sum(len(one.constants) + len(one.stack_factors) + len(one.scales) for one in FITS)
    assert len(lines) == count + 2
    assert all(line.endswith("}") and "value:" in line for line in lines)


def test_the_file_says_where_it_comes_from_and_ends_in_one_line_feed() -> None:
    text = fits_yaml(FITS)
    assert text.startswith("# Written by suanli calibrate")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_the_files_of_the_plugins_were_written_this_way() -> None:
    plugins = Path(__file__).resolve().parents[3] / "plugins"
    files = sorted(plugins.glob("*/suanli_*/data/fitted.yaml"))
    assert len(files) == 4
    for path in files:
        text = path.read_text(encoding="utf-8")
        fits = [Fit.model_validate(row) for row in yaml.safe_load(text)["fits"]]
        assert fits_yaml(fits) == text, path
