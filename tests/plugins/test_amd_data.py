"""The figures of the AMD plugin against the documents they were read in."""

from __future__ import annotations

from math import isclose

import pytest
from tests.plugins.catalogue_data import CATALOGUE, Golden, absent, figure_at, golden_name

from suanli.domain.hardware import Accelerator, Precision, Topology
from suanli.domain.vendor import Deliverability, SkuStatus

GOLDEN: list[Golden] = [
    ("accelerators", "mi210", "dense_peak.bf16", 181, "TFLOPS", "amd-anandtech"),
    ("accelerators", "mi250x", "dense_peak.bf16", 383, "TFLOPS", "amd-mle"),
    ("accelerators", "mi300x", "dense_peak.bf16", 1307.4, "TFLOPS", "amd-mi300page"),
    ("accelerators", "mi300x", "dense_peak.fp8", 2614.9, "TFLOPS", "amd-formula"),
    ("accelerators", "mi300x", "dense_peak.tf32", 653.7, "TFLOPS", "amd-mle"),
    ("accelerators", "mi325x", "dense_peak.bf16", 1307.4, "TFLOPS", "amd-formula"),
    ("accelerators", "mi350x", "dense_peak.bf16", 2306.9, "TFLOPS", "amd-formula"),
    ("accelerators", "mi355x", "dense_peak.bf16", 2516.6, "TFLOPS", "amd-formula"),
    ("accelerators", "mi355x", "dense_peak.fp8", 5033.2, "TFLOPS", "amd-formula"),
    ("accelerators", "mi355x", "dense_peak.fp4", 10066.3, "TFLOPS", "amd-formula"),
    ("accelerators", "mi300x", "memory", 192, "GB", "amd-mle"),
    ("accelerators", "mi325x", "memory", 256, "GB", "amd-mle"),
    ("accelerators", "mi355x", "memory", 288, "GB", "amd-mle"),
    ("accelerators", "mi300x", "memory_bandwidth", 5300, "GB/s", "amd-mle"),
    ("accelerators", "mi325x", "memory_bandwidth", 6000, "GB/s", "amd-mle"),
    ("accelerators", "mi300x", "tdp", 750, "W", "amd-mle"),
    ("accelerators", "mi355x", "tdp", 1400, "W", "amd-mle"),
    ("links", "xgmi-mi300x", "per_device", 448, "GB/s", "amd-mle-net"),
    ("links", "xgmi-mi355x", "per_device", 535.5, "GB/s", "amd-mle-net"),
    ("links", "xgmi-mi250x", "per_device", 350, "GB/s", "amd-mle-net"),
    ("collectives", "mi300x-8", "allreduce_busbw", 320, "GB/s", "amd-rocm"),
]


@pytest.mark.parametrize("golden", GOLDEN, ids=golden_name)
def test_a_figure_is_the_one_of_its_document(golden: Golden) -> None:
    kind, record_id, path, *expected = golden
    figure = figure_at(kind, record_id, path)
    assert [figure.value, figure.unit, figure.source] == expected


@pytest.mark.parametrize(
    ("device", "precision", "compute_units", "flops_per_unit_and_cycle", "ghz"),
    [
        # AMD's peak formula: compute units x operations per unit and cycle x peak engine clock.
        ("mi300x", "bf16", 304, 2048, 2.1),
        ("mi300x", "fp8", 304, 4096, 2.1),
        ("mi325x", "fp8", 304, 4096, 2.1),
        ("mi350x", "bf16", 256, 4096, 2.2),
        ("mi350x", "fp8", 256, 8192, 2.2),
        ("mi355x", "bf16", 256, 4096, 2.4),
        ("mi355x", "fp8", 256, 8192, 2.4),
        ("mi355x", "fp4", 256, 16384, 2.4),
    ],
)
def test_the_dense_peak_follows_the_formula(
    device: str, precision: str, compute_units: int, flops_per_unit_and_cycle: int, ghz: float
) -> None:
    expected = compute_units * flops_per_unit_and_cycle * ghz * 1e9
    assert isclose(figure_at("accelerators", device, f"dense_peak.{precision}").si, expected, rel_tol=1e-4)


@pytest.mark.parametrize(
    ("device", "precision", "sparse"),
    [
        ("mi300x", "bf16", 2614.9),
        ("mi325x", "bf16", 2614.9),
        ("mi355x", "bf16", 5033.2),
        ("mi355x", "fp8", 10066.3),
    ],
)
def test_no_dense_peak_is_the_sparse_figure_of_marketing(device: str, precision: str, sparse: float) -> None:
    assert isclose(
        figure_at("accelerators", device, f"dense_peak.{precision}").value, sparse / 2, rel_tol=0.01
    )


@pytest.mark.parametrize("device", ["mi300x", "mi325x", "mi350x", "mi355x"])
def test_seven_links_of_the_mesh_add_up(device: str) -> None:
    link = CATALOGUE.get(Accelerator, device).scale_up
    assert link is not None
    assert link.topology is Topology.MESH
    assert link.pairwise is not None
    assert isclose(7 * link.pairwise.si, link.per_device.si)


def test_mi250x_is_one_package_of_two_dies() -> None:
    assert CATALOGUE.get(Accelerator, "mi250x").dies == 2


@pytest.mark.parametrize("device", ["mi210", "mi250x"])
def test_cdna2_has_no_fp8(device: str) -> None:
    assert CATALOGUE.get(Accelerator, device).peak_flops_per_s(Precision.FP8) is None


@pytest.mark.parametrize(
    "server", ["smc-as-8125gs-tnmr2", "smc-mi325x", "smc-as-a126gs-tnmr", "lenovo-sr685a-v3"]
)
def test_a_sum_of_power_supplies_is_no_nameplate(server: str) -> None:
    assert absent("servers", server, "max_power")


@pytest.mark.parametrize(
    ("device", "tpp", "in_china"),
    [
        ("mi210", 2896, Deliverability.LICENCE),
        ("mi250x", 6128, Deliverability.LICENCE),
        ("mi300x", 20918, Deliverability.LICENCE),
        ("mi325x", 20918, Deliverability.LICENCE),
        ("mi350x", 36910, Deliverability.BARRED),
        ("mi355x", 40265, Deliverability.BARRED),
    ],
)
def test_status_rows_are_split_by_device(device: str, tpp: float, in_china: Deliverability) -> None:
    rows = {row.region: row for row in CATALOGUE.all(SkuStatus) if row.accelerator == device}
    assert rows["CN"].deliverability is in_china
    assert rows["CN"].tpp_dense is not None
    assert rows["CN"].tpp_dense.value == tpp
