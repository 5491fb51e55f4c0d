"""The figures of the NVIDIA plugin against the documents they were read in."""

from __future__ import annotations

from decimal import Decimal
from math import isclose

import pytest
from tests.plugins.catalogue_data import CATALOGUE, Golden, absent, figure_at, golden_name

from suanli.domain.hardware import Accelerator, Collective, Precision, Server, Switch, Topology
from suanli.domain.market import Price
from suanli.domain.vendor import ComplianceEvent, Deliverability, SkuStatus

MIB = 2**20

GOLDEN: list[Golden] = [
    ("accelerators", "a100-80-sxm", "dense_peak.bf16", 312, "TFLOPS", "nvidia-mle"),
    ("accelerators", "a100-80-sxm", "dense_peak.tf32", 156, "TFLOPS", "nvidia-mle"),
    ("accelerators", "a100-80-sxm", "dense_peak.fp32", 19.5, "TFLOPS", "nvidia-mle"),
    ("accelerators", "a100-80-sxm", "dense_peak.int8", 624, "TOPS", "nvidia-mle"),
    ("accelerators", "h100-sxm", "dense_peak.bf16", 989, "TFLOPS", "nvidia-mle"),
    ("accelerators", "h100-sxm", "dense_peak.fp8", 1979, "TFLOPS", "nvidia-mle"),
    ("accelerators", "h100-pcie", "dense_peak.bf16", 756, "TFLOPS", "nvidia-mle"),
    ("accelerators", "h200-sxm", "dense_peak.bf16", 989, "TFLOPS", "nvidia-mle"),
    ("accelerators", "h20", "dense_peak.bf16", 148, "TFLOPS", "nvidia-acr"),
    ("accelerators", "l40s", "dense_peak.bf16", 362, "TFLOPS", "nvidia-mle"),
    ("accelerators", "b200", "dense_peak.bf16", 2250, "TFLOPS", "nvidia-mle"),
    ("accelerators", "b200", "dense_peak.fp4", 9000, "TFLOPS", "nvidia-mle"),
    ("accelerators", "b200", "dense_peak.fp32", 75, "TFLOPS", "nvidia-hgx"),
    ("accelerators", "b300", "dense_peak.fp4", 13500, "TFLOPS", "nvidia-hgx"),
    ("accelerators", "b300", "dense_peak.int8", 153.5, "TOPS", "nvidia-aic"),
    ("accelerators", "b300", "dense_peak.fp32", 75, "TFLOPS", "nvidia-buds"),
    ("accelerators", "gb200", "dense_peak.bf16", 2500, "TFLOPS", "nvidia-mle"),
    ("accelerators", "gb300", "dense_peak.fp4", 15000, "TFLOPS", "nvidia-minimal"),
    ("accelerators", "v100-sxm2", "dense_peak.fp16", 125, "TFLOPS", "nvidia-minimal"),
    ("accelerators", "a100-80-sxm", "memory_bandwidth", 2039, "GB/s", "nvidia-aic"),
    ("accelerators", "h100-sxm", "memory_bandwidth", 3350, "GB/s", "nvidia-mle"),
    ("accelerators", "h200-sxm", "memory_bandwidth", 4800, "GB/s", "nvidia-mle"),
    ("accelerators", "b200", "memory_bandwidth", 7700, "GB/s", "nvidia-aic"),
    ("accelerators", "b300", "memory_bandwidth", 7700, "GB/s", "nvidia-buds"),
    ("accelerators", "b200", "memory", 180, "GB", "nvidia-mle"),
    ("accelerators", "b300", "memory", 270, "GB", "nvidia-mlperf51"),
    ("accelerators", "h100-sxm", "usable_memory", 81559, "MiB", "nvidia-smi"),
    ("accelerators", "h200-sxm", "usable_memory", 143771, "MiB", "nvidia-smi"),
    ("accelerators", "b200", "usable_memory", 183359, "MiB", "nvidia-smi"),
    ("accelerators", "gb200", "usable_memory", 189471, "MiB", "nvidia-smi"),
    ("accelerators", "b300", "usable_memory", 275040, "MiB", "nvidia-mlperf51"),
    ("accelerators", "gb300", "usable_memory", 284208, "MiB", "nvidia-smi"),
    ("accelerators", "h100-sxm", "tdp", 700, "W", "nvidia-mle"),
    ("accelerators", "b300", "tdp", 1100, "W", "nvidia-aic"),
    ("accelerators", "gb200", "tdp", 1200, "W", "nvidia-mle"),
    ("accelerators", "a100-40-sxm", "embodied_carbon.carbon", 127.6, "kgCO2e", "nvidia-a100-lca"),
    ("accelerators", "h100-sxm", "embodied_carbon.carbon", 1312, "kgCO2e", "nvidia-pcf-hgx-h100"),
    ("accelerators", "b200", "embodied_carbon.carbon", 2274, "kgCO2e", "nvidia-pcf-hgx-b200"),
    ("servers", "dgx-a100", "max_power", 6500, "W", "nvidia-dgxa"),
    ("servers", "dgx-h100", "max_power", 10200, "W", "nvidia-dgxh"),
    ("servers", "dgx-h100", "typical_power", 8400, "W", "nvidia-latif"),
    ("servers", "dgx-b200", "max_power", 14300, "W", "nvidia-dgxb200"),
    ("servers", "dgx-b300", "max_power", 14500, "W", "nvidia-dgxb300"),
    ("servers", "gb200-nvl72", "max_power", 132, "kW", "nvidia-bcm"),
    ("servers", "dgx-h100", "nics[0].rate", 400, "Gbit/s", "nvidia-mlperf41"),
    ("servers", "dgx-b300", "nics[0].rate", 800, "Gbit/s", "nvidia-mlperf51"),
    ("links", "nvlink3", "per_device", 300, "GB/s", "nvidia-mle-net"),
    ("links", "nvlink4", "per_device", 450, "GB/s", "nvidia-mle-net"),
    ("links", "nvlink5", "per_device", 900, "GB/s", "nvidia-mle-net"),
    ("links", "nvlink4-h800", "per_device", 200, "GB/s", "nvidia-dsisca"),
    ("links", "nvlink4", "efficiency", 0.82, "fraction", "nvidia-mle-net"),
    ("links", "nvlink5", "efficiency", 0.78, "fraction", "nvidia-aic"),
    ("switches", "qm9700", "capacity", 25.6, "Tbit/s", "nvidia-rackula"),
    ("switches", "q3400-ra", "capacity", 115.2, "Tbit/s", "nvidia-rackula"),
    ("collectives", "h100-sxm-8", "allreduce_busbw", 445.0, "GB/s", "nvidia-aic"),
    ("collectives", "h800-sxm-8", "allreduce_busbw", 215, "GB/s", "nvidia-ncclissue"),
    ("collectives", "a100-sxm-8", "alltoall_busbw", 203.1, "GB/s", "nvidia-aic"),
]


@pytest.mark.parametrize("golden", GOLDEN, ids=golden_name)
def test_a_figure_is_the_one_of_its_document(golden: Golden) -> None:
    kind, record_id, path, *expected = golden
    figure = figure_at(kind, record_id, path)
    assert [figure.value, figure.unit, figure.source] == expected


@pytest.mark.parametrize(
    ("device", "precision", "sparse"),
    [
        ("a100-80-sxm", "bf16", 624),
        ("a100-40-sxm", "bf16", 624),
        ("a800-80-sxm", "bf16", 624),
        ("h100-sxm", "bf16", 1979),
        ("h100-sxm", "fp8", 3958),
        ("h800-sxm", "bf16", 1979),
        ("h200-sxm", "bf16", 1979),
        ("h20", "bf16", 296),
        ("l40s", "bf16", 733),
        ("b200", "bf16", 4500),
        ("b300", "int8", 307),
        ("gb200", "bf16", 5000),
    ],
)
def test_no_dense_peak_is_the_sparse_figure_of_marketing(device: str, precision: str, sparse: float) -> None:
    assert isclose(
        figure_at("accelerators", device, f"dense_peak.{precision}").value, sparse / 2, rel_tol=0.02
    )


@pytest.mark.parametrize(
    ("device", "format_name", "sparse"),
    [("h100-sxm", "bf16", 1979), ("h100-sxm", "fp8", 3958), ("l40s", "bf16", 733), ("b300", "int8", 307)],
)
def test_sparse_figures_are_kept_apart(device: str, format_name: str, sparse: float) -> None:
    assert figure_at("accelerators", device, f"headline_peak.{format_name} 2:4 sparse").value == sparse


@pytest.mark.parametrize(
    ("device", "reported_mib", "nominal_gb"),
    [
        # What the driver reports: nvidia-smi totals in MLPerf v5.1 system descriptions and AIConfigurator.
        ("h100-sxm", 81559, 80),
        ("h200-sxm", 143771, 141),
        ("b200", 183359, 180),
        ("b300", 275040, 270),
    ],
)
def test_the_label_in_gb_is_kept_beside_what_the_driver_reports(
    device: str, reported_mib: int, nominal_gb: int
) -> None:
    record = CATALOGUE.get(Accelerator, device)
    assert record.memory.si == nominal_gb * 10**9
    assert record.usable_memory is not None
    assert record.usable_memory.si == reported_mib * MIB
    # The label behaves like GiB: the driver reports more bytes than the label does in units of 10⁹.
    assert record.usable_memory.si > record.memory.si


@pytest.mark.parametrize(
    ("device", "link"),
    [
        ("a100-40-sxm", "nvlink3"),
        ("a100-80-sxm", "nvlink3"),
        ("a800-80-sxm", "nvlink3-a800"),
        ("h100-sxm", "nvlink4"),
        ("h200-sxm", "nvlink4"),
        ("h20", "nvlink4"),
        ("h800-sxm", "nvlink4-h800"),
        ("b200", "nvlink5"),
        ("b300", "nvlink5"),
        ("gb200", "nvlink5"),
    ],
)
def test_a_device_and_its_link_agree_per_direction(device: str, link: str) -> None:
    expected = figure_at("links", link, "per_device").si
    assert figure_at("accelerators", device, "scale_up.per_device").si == expected


@pytest.mark.parametrize("device", ["a100-40-pcie", "a100-80-pcie", "h100-pcie", "l40s", "h200-nvl"])
def test_cards_without_a_switch_cross_pcie(device: str) -> None:
    link = CATALOGUE.get(Accelerator, device).scale_up
    assert link is not None
    assert link.topology is Topology.PCIE
    assert link.per_device.si <= 64e9


@pytest.mark.parametrize("device", ["a100-80-sxm", "a800-80-sxm", "v100-sxm2", "rtx-a6000"])
def test_devices_before_ada_have_no_fp8(device: str) -> None:
    assert CATALOGUE.get(Accelerator, device).peak_flops_per_s(Precision.FP8) is None


def test_v100_has_no_bf16() -> None:
    assert CATALOGUE.get(Accelerator, "v100-sxm2").peak_flops_per_s(Precision.BF16) is None


@pytest.mark.parametrize("switch", ["qm8700", "qm9700", "q3400-ra", "sn5600", "sn5400"])
def test_the_capacity_of_a_switch_is_ports_times_rate_one_way(switch: str) -> None:
    record = CATALOGUE.get(Switch, switch)
    assert record.ports is not None
    assert record.port_rate is not None
    assert record.capacity is not None
    assert isclose(record.capacity.si, record.ports.si * record.port_rate.si)


def test_h100_is_measured_with_and_without_the_reduction_of_eight_gpus() -> None:
    measured = {
        row.devices: row.allreduce_busbw.value
        for row in CATALOGUE.all(Collective)
        if row.id in {"h100-sxm-8", "h100-sxm-4"} and row.allreduce_busbw
    }
    assert measured == {8: 445.0, 4: 350.2}


def test_the_rack_is_one_domain_of_72() -> None:
    server = CATALOGUE.get(Server, "gb200-nvl72")
    assert (server.accelerator_count, server.scale_up_domain) == (72, 72)
    assert server.nic_bytes_per_s() == 72 * 50e9


@pytest.mark.parametrize(
    "server", ["smc-821ge-tnhr", "dell-xe9680-h100", "inspur-nf5688m6", "inspur-nf5688g7"]
)
def test_servers_without_a_published_nameplate_have_none(server: str) -> None:
    assert absent("servers", server, "max_power")


@pytest.mark.parametrize(
    ("device", "tpp", "in_china"),
    [
        ("a100-80-sxm", 4992, Deliverability.LICENCE),
        ("h100-sxm", 15832, Deliverability.LICENCE),
        ("h200-sxm", 15832, Deliverability.LICENCE),
        ("h20", 2368, Deliverability.LICENCE),
        ("b200", 36000, Deliverability.BARRED),
        ("gb200", 40000, Deliverability.BARRED),
        ("b300", 54000, Deliverability.BARRED),
    ],
)
def test_status_rows_are_split_by_device(device: str, tpp: float, in_china: Deliverability) -> None:
    rows = {row.region: row for row in CATALOGUE.all(SkuStatus) if row.accelerator == device}
    assert rows["CN"].deliverability is in_china
    assert rows["CN"].tpp_dense is not None
    assert rows["CN"].tpp_dense.value == tpp


def test_the_affiliates_rule_is_treated_as_back_in_force_until_checked() -> None:
    event = next(row for row in CATALOGUE.all(ComplianceEvent) if row.day == "2025-09-29")
    assert event.status is not None
    assert "2026-11-09" in event.status.en
    assert "until checked" in event.status.en


@pytest.mark.parametrize(
    ("price", "amount", "currency"),
    [
        ("nvidia-price-h100-card", "27500", "USD"),
        ("nvidia-price-nvaie-1y", "4500", "USD"),
        ("nvidia-cloud-aws-a100-40-sxm-2026-07-28-od", "2.7447", "USD"),
    ],
)
def test_a_price_is_the_one_of_its_document(price: str, amount: str, currency: str) -> None:
    row = CATALOGUE.get(Price, price)
    assert (row.amount, row.currency) == (Decimal(amount), currency)


@pytest.mark.parametrize(
    "price",
    [
        "nvidia-price-h100-card-cn",
        "nvidia-price-b300-node",
        "nvidia-price-nvl72-cn",
        "nvidia-price-qm9700-outlier",
    ],
)
def test_grey_imports_and_refuted_prices_are_barred_with_a_reason(price: str) -> None:
    row = CATALOGUE.get(Price, price)
    assert row.barred
    assert row.note
