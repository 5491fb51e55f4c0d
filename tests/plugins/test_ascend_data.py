"""The figures of the Huawei Ascend plugin against the documents they were read in."""

from __future__ import annotations

from math import isclose

import pytest
from tests.plugins.catalogue_data import CATALOGUE, Golden, absent, figure_at, golden_name

from suanli.domain.figure import Grade
from suanli.domain.hardware import Accelerator, Precision, Server, Topology
from suanli.domain.market import Price
from suanli.domain.vendor import SkuStatus

GIB = 2**30
CUBE_FLOPS_PER_CORE_AND_CYCLE = 8192
"""FP16 tile of a Cube core: 16 x 16 x 16 multiply-adds, two operations each."""

GOLDEN: list[Golden] = [
    ("accelerators", "ascend-910b1", "dense_peak.bf16", 363.7, "TFLOPS", "ascend-cannini"),
    ("accelerators", "ascend-910b2", "dense_peak.bf16", 353.8944, "TFLOPS", "ascend-ttnpu"),
    ("accelerators", "ascend-910b3", "dense_peak.bf16", 294.912, "TFLOPS", "ascend-ttnpu"),
    ("accelerators", "ascend-910b4", "dense_peak.bf16", 245.76, "TFLOPS", "ascend-ttnpu"),
    ("accelerators", "ascend-910b4-64", "dense_peak.bf16", 245.76, "TFLOPS", "ascend-ttnpu"),
    ("accelerators", "ascend-910c", "dense_peak.bf16", 707.8, "TFLOPS", "ascend-ttnpu"),
    ("accelerators", "ascend-910c-20core", "dense_peak.bf16", 589.8, "TFLOPS", "ascend-cannini"),
    ("accelerators", "ascend-910a", "dense_peak.fp16", 256, "TFLOPS", "ascend-ata"),
    ("accelerators", "ascend-310", "dense_peak.int8", 16, "TOPS", "ascend-hc31"),
    ("accelerators", "ascend-310", "dense_peak.fp16", 8, "TFLOPS", "ascend-hc31"),
    ("accelerators", "ascend-310p", "dense_peak.int8", 140, "TOPS", "ascend-ailemon"),
    ("accelerators", "ascend-310p", "dense_peak.fp16", 70, "TFLOPS", "ascend-ailemon"),
    ("accelerators", "ascend-910b1", "dense_peak.int8", 727.4, "TOPS", "ascend-cannini"),
    ("accelerators", "ascend-910b2", "dense_peak.int8", 707.8, "TOPS", "ascend-cannini"),
    ("accelerators", "ascend-910b3", "dense_peak.int8", 589.8, "TOPS", "ascend-cannini"),
    ("accelerators", "ascend-910b4", "dense_peak.int8", 491.5, "TOPS", "ascend-cannini"),
    ("accelerators", "ascend-910c", "dense_peak.int8", 1415.6, "TOPS", "ascend-cannini"),
    ("accelerators", "ascend-950pr", "dense_peak.fp8", 1000, "TFLOPS", "ascend-connect25"),
    ("accelerators", "ascend-950pr", "dense_peak.fp4", 2000, "TFLOPS", "ascend-connect25"),
    ("accelerators", "ascend-950pr", "dense_peak.bf16", 432, "TFLOPS", "ascend-ttnpu"),
    ("accelerators", "ascend-910b2", "memory", 64, "GiB", "ascend-msm"),
    ("accelerators", "ascend-910b4", "memory", 32, "GiB", "ascend-msm"),
    ("accelerators", "ascend-910c", "memory", 128, "GB", "ascend-cm384"),
    ("accelerators", "ascend-910b4", "usable_memory", 29.50, "GiB", "ascend-oom"),
    ("accelerators", "ascend-910b2", "usable_memory", 60.97, "GiB", "ascend-oom"),
    ("accelerators", "ascend-910b3", "usable_memory", 60.97, "GiB", "ascend-oom"),
    ("accelerators", "ascend-910b2", "memory_bandwidth", 1600, "GB/s", "ascend-msm"),
    ("accelerators", "ascend-910b4", "memory_bandwidth", 800, "GB/s", "ascend-msm"),
    ("accelerators", "ascend-910c", "memory_bandwidth", 3200, "GB/s", "ascend-cm384"),
    ("accelerators", "ascend-910b2", "scale_up.per_device", 196, "GB/s", "ascend-msm"),
    ("accelerators", "ascend-910b2", "scale_up.pairwise", 28, "GB/s", "ascend-acr"),
    ("accelerators", "ascend-910c", "scale_up.per_device", 392, "GB/s", "ascend-cm384"),
    ("accelerators", "ascend-910a", "scale_up.per_device", 90, "GB/s", "ascend-hpca"),
    ("servers", "cloudmatrix-384", "max_power", 600, "kW", "ascend-semi"),
    ("servers", "atlas-800t-a3", "max_power", 16200, "W", "ascend-spod"),
    ("servers", "atlas-800t-a2", "nics[0].rate", 200, "Gbit/s", "ascend-msm"),
    ("links", "hccs-910b", "efficiency", 0.7, "fraction", "ascend-msm"),
    ("collectives", "ascend-910b-2", "allreduce_busbw", 18, "GB/s", "ascend-limulidae"),
]


@pytest.mark.parametrize("golden", GOLDEN, ids=golden_name)
def test_a_figure_is_the_one_of_its_document(golden: Golden) -> None:
    kind, record_id, path, *expected = golden
    figure = figure_at(kind, record_id, path)
    assert [figure.value, figure.unit, figure.source] == expected


@pytest.mark.parametrize(
    ("device", "cores", "ghz", "dies"),
    [
        # Cores and clocks: CANN platform configuration files (.ini).
        ("ascend-910b1", 24, 1.85, 1),
        ("ascend-910b2", 24, 1.80, 1),
        ("ascend-910b3", 20, 1.80, 1),
        ("ascend-910b4", 20, 1.50, 1),
        ("ascend-910b4-64", 20, 1.50, 1),
        ("ascend-910c", 24, 1.80, 2),
        ("ascend-910c-20core", 20, 1.80, 2),
    ],
)
def test_the_dense_peak_is_cube_cores_times_clock(device: str, cores: int, ghz: float, dies: int) -> None:
    expected = dies * cores * ghz * 1e9 * CUBE_FLOPS_PER_CORE_AND_CYCLE
    for precision in ("bf16", "fp16"):
        assert isclose(
            figure_at("accelerators", device, f"dense_peak.{precision}").si, expected, rel_tol=2e-4
        )


@pytest.mark.parametrize(
    ("device", "headline"),
    [
        ("ascend-910b1", 400),
        ("ascend-910b2", 376),
        ("ascend-910b3", 313),
        ("ascend-910b4", 280),
        ("ascend-910b4-64", 280),
        ("ascend-910c", 752),
    ],
)
def test_the_headline_with_vector_units_is_kept_apart(device: str, headline: float) -> None:
    figure = figure_at("accelerators", device, "headline_peak.fp16 cube+vector")
    assert figure.value == headline
    assert figure_at("accelerators", device, "dense_peak.bf16").si < figure.si


@pytest.mark.parametrize("device", ["ascend-310", "ascend-310p", "ascend-910a"])
def test_the_first_generation_has_no_bf16_peak(device: str) -> None:
    assert CATALOGUE.get(Accelerator, device).peak_flops_per_s(Precision.BF16) is None


@pytest.mark.parametrize("device", ["ascend-910a", "ascend-910b2", "ascend-910c"])
def test_no_device_before_950_has_fp8(device: str) -> None:
    assert CATALOGUE.get(Accelerator, device).peak_flops_per_s(Precision.FP8) is None


@pytest.mark.parametrize("device", ["ascend-310", "ascend-310p"])
def test_inference_parts_are_not_offered_for_training(device: str) -> None:
    assert not CATALOGUE.get(Accelerator, device).trains


@pytest.mark.parametrize("device", ["ascend-910b1", "ascend-910b2", "ascend-910b3", "ascend-910b4-64"])
def test_hccs_of_910b_is_a_mesh_whose_seven_pairs_add_up(device: str) -> None:
    link = CATALOGUE.get(Accelerator, device).scale_up
    assert link is not None
    assert link.topology is Topology.MESH
    assert link.pairwise is not None
    assert 7 * link.pairwise.si == link.per_device.si


def test_the_32_gb_bin_has_no_hccs() -> None:
    link = CATALOGUE.get(Accelerator, "ascend-910b4").scale_up
    assert link is not None
    assert link.topology is Topology.PCIE
    assert link.per_device.si == 64e9


def test_every_910b_bin_is_named_and_knows_that_910b_is_ambiguous() -> None:
    bins = {record.id for record in CATALOGUE.all(Accelerator) if record.family == "ascend-910b"}
    assert bins == {"ascend-910b1", "ascend-910b2", "ascend-910b3", "ascend-910b4", "ascend-910b4-64"}
    for device in bins:
        record = CATALOGUE.get(Accelerator, device)
        assert "ascend-910b" in record.aliases
        assert set(record.ambiguous_with) == bins - {device}


def test_the_names_of_the_two_b4_variants_state_their_memory() -> None:
    assert "32 GB" in CATALOGUE.get(Accelerator, "ascend-910b4").name.en
    assert "64 GB" in CATALOGUE.get(Accelerator, "ascend-910b4-64").name.zh


@pytest.mark.parametrize("device", ["ascend-910c", "ascend-910c-20core"])
def test_910c_counts_packages_of_two_dies(device: str) -> None:
    record = CATALOGUE.get(Accelerator, device)
    assert record.dies == 2
    assert record.memory.si == 128 * 10**9
    assert any("die" in note for note in record.notes)
    assert record.usable_memory is not None
    assert isclose(record.usable_memory.si, 2 * 60.97 * GIB)
    assert record.usable_memory.sibling == "ascend-910b2"


def test_the_bandwidth_of_b1_is_borrowed_and_says_so() -> None:
    figure = figure_at("accelerators", "ascend-910b1", "memory_bandwidth")
    assert (figure.value, figure.sibling, figure.grade) == (1600, "ascend-910b2", Grade.SIBLING)


@pytest.mark.parametrize(
    ("kind", "record_id", "path"),
    [
        ("accelerators", "ascend-910c", "tdp"),
        ("accelerators", "ascend-910c-20core", "tdp"),
        ("servers", "atlas-800t-a2", "max_power"),
        ("servers", "atlas-800i-a2", "max_power"),
        ("servers", "atlas-900-a2-pod", "max_power"),
        ("switches", "xh9x", "ports"),
        ("switches", "ce9860", "ports"),
    ],
)
def test_what_no_document_gives_stays_absent(kind: str, record_id: str, path: str) -> None:
    assert absent(kind, record_id, path)


def test_the_a2_server_is_catalogued_with_b3_and_sold_with_its_siblings() -> None:
    server = CATALOGUE.get(Server, "atlas-800t-a2")
    assert server.accelerator == "ascend-910b3"
    assert set(server.sibling_accelerators) == {"ascend-910b1", "ascend-910b2"}


def test_the_first_atlas_joins_groups_of_four() -> None:
    assert CATALOGUE.get(Server, "atlas-800-9000").scale_up_domain == 4


@pytest.mark.parametrize(
    ("device", "tpp"),
    [
        ("ascend-910a", 4096),
        ("ascend-910b1", 6400),
        ("ascend-910b2", 6016),
        ("ascend-910b3", 5008),
        ("ascend-910b4", 4480),
        ("ascend-910c", 12032),
    ],
)
def test_the_processing_performance_is_split_by_bin(device: str, tpp: float) -> None:
    rows = [row for row in CATALOGUE.all(SkuStatus) if row.accelerator == device]
    assert {row.region for row in rows} == {"CN", "*"}
    assert {row.tpp_dense.value for row in rows if row.tpp_dense} == {tpp}


def test_rental_offers_judged_fabricated_are_barred() -> None:
    barred = {
        price.id for price in CATALOGUE.all(Price) if price.barred and price.source.startswith("ascend-")
    }
    assert barred == {
        "ascend-cloud-anygpu-china-910b3-2026-05-od",
        "ascend-cloud-anygpu-china-910b4-2026-05-od",
    }
