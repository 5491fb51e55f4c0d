"""Models, generic links, prices and sites of the common plugin against the documents they were read in."""

from __future__ import annotations

from decimal import Decimal
from math import isclose

import pytest
from tests.plugins.catalogue_data import CATALOGUE, Golden, figure_at, golden_name

from suanli.domain.architecture import ModelRecord
from suanli.domain.hardware import Link
from suanli.domain.market import GridCarbon, Price, Tariff
from suanli.domain.transformer import count_parameters

MODELS = CATALOGUE.all(ModelRecord)

GOLDEN: list[Golden] = [
    ("links", "pcie4-x16", "per_device", 31, "GB/s", "common-ml-engineering"),
    ("links", "pcie5-x16", "per_device", 63, "GB/s", "common-ml-engineering"),
    ("links", "ib-hdr", "per_device", 25, "GB/s", "common-ml-engineering"),
    ("links", "ib-ndr", "per_device", 50, "GB/s", "common-ml-engineering"),
    ("links", "ib-xdr", "per_device", 100, "GB/s", "common-ml-engineering"),
    ("links", "roce-200", "per_device", 25, "GB/s", "common-ml-engineering"),
    ("links", "roce-400", "per_device", 50, "GB/s", "common-ml-engineering"),
    ("links", "ib-ndr", "latency", 2.8, "us", "common-deepseek-isca"),
    ("links", "roce-400", "latency", 3.6, "us", "common-deepseek-isca"),
    ("links", "ib-ndr", "efficiency", 0.74, "fraction", "common-ml-engineering"),
    ("grid-carbon", "cn-2023", "intensity", 0.5306, "kgCO2/kWh", "common-mee-factors"),
    ("grid-carbon", "cn-2022", "intensity", 0.5366, "kgCO2/kWh", "common-mee-factors"),
    ("grid-carbon", "cn-2023-fossil", "intensity", 0.8273, "kgCO2/kWh", "common-mee-2023"),
    ("grid-carbon", "cn-2023-residual", "intensity", 0.6096, "kgCO2/kWh", "common-mee-2023"),
    ("grid-carbon", "cn-grid-south-2023", "intensity", 0.4042, "kgCO2/kWh", "common-mee-2023"),
    ("grid-carbon", "us-2023", "intensity", 349.7, "gCO2e/kWh", "common-egrid-2023"),
    ("grid-carbon", "fr-2023-life-cycle", "intensity", 56.039, "gCO2e/kWh", "common-codecarbon"),
    ("pue", "limit-cn-new-large", "pue", 1.25, "PUE", "common-ndrc-2024"),
    ("pue", "limit-cn-hub-node", "pue", 1.2, "PUE", "common-ndrc-2024"),
    ("site-figures", "training-energy-gpt-3", "figure", 1287, "MWh", "common-patterson-2021"),
    ("site-figures", "optics-power-400g-dr4", "figure", 9, "W", "common-nvidia-transceivers"),
    ("site-figures", "optics-power-800g-2xdr4", "figure", 17, "W", "common-nvidia-transceivers"),
    ("site-figures", "optics-power-800g-2xsr4", "figure", 15, "W", "common-nvidia-transceivers"),
]


@pytest.mark.parametrize("golden", GOLDEN, ids=golden_name)
def test_a_figure_is_the_one_of_its_document(golden: Golden) -> None:
    kind, record_id, path, *expected = golden
    figure = figure_at(kind, record_id, path)
    assert [figure.value, figure.unit, figure.source] == expected


@pytest.mark.parametrize(
    ("link", "gbit_per_s"),
    [
        ("ib-hdr", 200),
        ("ib-ndr", 400),
        ("ib-xdr", 800),
        ("roce-100", 100),
        ("roce-200", 200),
        ("roce-400", 400),
    ],
)
def test_a_network_link_is_its_line_rate_in_one_direction(link: str, gbit_per_s: float) -> None:
    assert CATALOGUE.get(Link, link).per_device.si == gbit_per_s * 1e9 / 8


@pytest.mark.parametrize(
    ("model", "total"),
    [
        # Totals of the published weight files (safetensors indices).
        ("llama-2-7b", 6738415616),
        ("llama-3.1-70b", 70553706496),
        ("llama-3.1-405b", 405853388800),
        ("qwen2.5-72b", 72706203648),
        ("mixtral-8x7b", 46702792704),
        ("deepseek-v3", 671026419200),
        ("qwen3-coder-480b-a35b", 480154875392),
        ("internlm-7b", 7321948160),
        ("bloom-176b", 176247271424),
    ],
)
def test_the_count_of_a_model_is_that_of_its_weights(model: str, total: int) -> None:
    assert count_parameters(CATALOGUE.get(ModelRecord, model).architecture).total == total


@pytest.mark.parametrize(
    "model", [model for model in MODELS if model.published_total_parameters], ids=lambda m: m.id
)
def test_every_published_total_is_reproduced_exactly(model: ModelRecord) -> None:
    assert count_parameters(model.architecture).total == model.published_total_parameters


def test_most_models_have_a_published_total_to_be_held_to() -> None:
    assert len(MODELS) == 48
    assert sum(model.published_total_parameters is not None for model in MODELS) >= 45


@pytest.mark.parametrize(
    ("model", "active"),
    [
        # Headlines of the model cards, in 10⁹ parameters.
        ("mixtral-8x7b", 12.9),
        ("deepseek-v2", 21),
        ("deepseek-v3", 37),
        ("qwen3-235b-a22b", 22),
        ("qwen3-30b-a3b", 3.3),
    ],
)
def test_the_active_parameters_match_the_headline(model: str, active: float) -> None:
    counted = count_parameters(CATALOGUE.get(ModelRecord, model).architecture).active
    assert isclose(counted / 1e9, active, rel_tol=0.03)


@pytest.mark.parametrize(
    ("tariff", "region", "amount", "currency"),
    [
        ("cn-gd-pearl-river-35kv-2025", "CN-GD", "0.7172", "CNY"),
        ("cn-ha-low-voltage-2024-11", "CN-HA", "0.66297", "CNY"),
        ("us-industrial-2026-07", "US", "0.0977", "USD"),
        ("us-tx-industrial-2026-07", "US-TX", "0.0707", "USD"),
        ("eu-non-household-2025-h1", "EU", "0.1902", "EUR"),
        ("eu-non-household-2024-h2", "EU", "0.1941", "EUR"),
        ("ca-qc-rate-lg-2025", "CA-QC", "0.0439", "USD"),
    ],
)
def test_a_tariff_is_the_one_of_its_document(tariff: str, region: str, amount: str, currency: str) -> None:
    row = CATALOGUE.get(Tariff, tariff)
    assert (row.region, row.amount, row.currency) == (region, Decimal(amount), currency)


@pytest.mark.parametrize(
    ("region", "zh", "value"),
    [
        # Provincial factors of 2022, announcement of the Ministry of Ecology and Environment.
        ("CN-SH", "上海", 0.5849),
        ("CN-GD", "广东", 0.4403),
        ("CN-GZ", "贵州", 0.4989),
        ("CN-NM", "内蒙古", 0.6849),
        ("CN-SC", "四川", 0.1404),
        ("CN-YN", "云南", 0.1073),
    ],
)
def test_a_province_has_its_own_factor(region: str, zh: str, value: float) -> None:
    rows = [row for row in CATALOGUE.all(GridCarbon) if row.region == region]
    assert [(row.year, row.intensity.value) for row in rows] == [(2022, value)]
    assert zh in rows[0].name.zh


def test_the_factors_of_mainland_provinces_are_complete_but_for_xizang() -> None:
    provinces = {row.region for row in CATALOGUE.all(GridCarbon) if row.region.startswith("CN-")}
    assert len(provinces) == 30
    assert "CN-XZ" not in provinces


@pytest.mark.parametrize(
    ("price", "amount", "currency"),
    [
        ("common-fx-usd-cny", "7.1875", "CNY"),
        ("common-vat-cn-goods", "13", "%"),
        ("common-vat-cn-services", "6", "%"),
        ("common-vat-cn-rental", "9", "%"),
        ("common-network-per-endpoint-ft2", "4390", "USD"),
        ("common-network-per-endpoint-ft3", "7500", "USD"),
        ("common-construction-frankfurt", "11600000", "USD"),
        ("common-residual-a100-12m", "52.5", "%"),
    ],
)
def test_a_price_is_the_one_of_its_document(price: str, amount: str, currency: str) -> None:
    row = CATALOGUE.get(Price, price)
    assert (row.amount, row.currency) == (Decimal(amount), currency)
