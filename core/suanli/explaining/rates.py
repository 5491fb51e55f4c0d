"""Rates of one device as software sees it: data-sheet figures times fitted shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.hardware import NicRole, Precision
from suanli.estimation.constants import nic_line_bytes_per_s

if TYPE_CHECKING:
    from suanli.explaining.lines import Book
    from suanli.explaining.subject import Subject

__all__ = ["bandwidth", "explain_rates"]


def explain_rates(subject: Subject, book: Book) -> None:
    """Add peaks, matrix rates, and the bandwidth of memory, links and network."""
    _peaks(subject, book)
    _matrix_rates(subject, book)
    _bandwidths(subject, book)
    _products(subject, book)


def _products(subject: Subject, book: Book) -> None:
    """Add the time of a product of M x K and K x W as a formula: compute with its shape, or memory."""
    roofline = subject.origins.paper("roofline")
    memory = "2·(M·K + K·W + M·W)/B"
    sides = ("M", "K", "W")
    compute = "2·M·K·W/R·(1 + σ·(k_K/K + k_M/M + k_N/W))"
    book.define("rates.product", "g", sides, f"max({compute}, {memory})", "s", roofline)
    if subject.constant("narrow"):
        compute = "2·M·K·W/R16·(1 + σ16·(k_K/K + k_M/M + k_N/W))"
        book.define("rates.product-16", "g16", sides, f"max({compute}, {memory})", "s", roofline)


def _peaks(subject: Subject, book: Book) -> None:
    device, precision = subject.sizing.device, subject.problem.workload.precision
    accelerator = device.accelerator
    book.given("dies", accelerator.dies)
    figure = accelerator.dense_peak.get(precision)
    peak = accelerator.peak_flops_per_s(precision) or 0.0
    book.given("P_card", peak, *subject.origins.figure(figure))
    book.line("rates.peak", "P", "P_card/dies", "FLOP/s")
    if not subject.constant("narrow"):
        return
    wide = next(
        one for one in (Precision.BF16, Precision.FP16) if accelerator.peak_flops_per_s(one) is not None
    )
    peak16 = accelerator.peak_flops_per_s(wide) or 0.0
    book.given("P16_card", peak16, *subject.origins.figure(accelerator.dense_peak.get(wide)))
    book.line("rates.peak-16", "P16", "P16_card/dies", "FLOP/s")


def _matrix_rates(subject: Subject, book: Book) -> None:
    origins, roofline = subject.origins, subject.origins.paper("roofline")
    narrow = bool(subject.constant("narrow"))
    book.given("e", subject.constant("gemm16_efficiency"), *origins.constant("gemm_efficiency"))
    book.given("κ", subject.constant("shape_chip"), *origins.constant("shape_chip"))
    for side in ("k", "m", "n"):
        name = f"shape_{side}"
        book.given(f"k_{side.upper()}", subject.constant(name), *origins.constant(name))
    if narrow:
        name = f"{subject.problem.workload.precision.value}_efficiency"
        own = subject.constant("gemm_efficiency") / subject.constant("gemm16_efficiency")
        book.given("e_narrow", own, *origins.constant(name))
        book.line("rates.matrix", "R", "P·e·e_narrow", "FLOP/s", roofline)
        book.line("rates.matrix-16", "R16", "P16·e", "FLOP/s", roofline)
        book.line("rates.shape-scale-16", "σ16", "√(R16/312000000000000)·κ", "")
    else:
        book.line("rates.matrix", "R", "P·e", "FLOP/s", roofline)
    # The shape constants are stated for a chip of 312 TFLOP/s.
    book.line("rates.shape-scale", "σ", "√(R/312000000000000)·κ", "")


def _bandwidths(subject: Subject, book: Book) -> None:
    origins, device = subject.origins, subject.sizing.device
    accelerator = device.accelerator
    memory = accelerator.memory_bandwidth
    book.given("B_card", 0.0 if memory is None else memory.si, *origins.figure(memory))
    share = subject.constant("hbm_bytes_per_s") * accelerator.dies / book.values["B_card"]
    book.given("e_mem", share, *origins.constant("hbm_efficiency"))
    book.line("rates.memory", "B", "B_card·e_mem/dies", "bytes/s")
    if subject.layout.devices == 1:
        return
    link = None if accelerator.scale_up is None else accelerator.scale_up.per_device
    reached = subject.constant("link_bytes_per_s") * accelerator.dies
    e_link = device.calibration.constants.get("allreduce_efficiency")
    line_rate = link.si if link is not None else reached / (e_link.si if e_link is not None else 1.0)
    book.given("w_card", line_rate, *origins.figure(link or accelerator.pcie_generation))
    book.given("e_link", reached / line_rate, *origins.constant("allreduce_efficiency"))
    book.line("rates.link", "w_link", "w_card·e_link/dies", "bytes/s")
    if subject.layout.devices > subject.problem.domain:
        _network(subject, book)


def _network(subject: Subject, book: Book) -> None:
    device = subject.sizing.device
    line_rate = nic_line_bytes_per_s(device)
    ports = next((nic for nic in device.server.nics if nic.role is NicRole.COMPUTE), None)
    book.given("w_port", line_rate, *subject.origins.figure(None if ports is None else ports.rate))
    share = subject.constant("nic_bytes_per_s") * device.accelerator.dies / line_rate
    book.given("e_nic", share, *subject.origins.constant("nic_efficiency"))
    book.line("rates.network", "w_nic", "w_port·e_nic/dies", "bytes/s")


def bandwidth(subject: Subject, book: Book, name: str, ranks: float, inner: float) -> str:
    """Add the bandwidth per rank of a group whose neighbours are `inner` devices apart; return its symbol."""
    domain, symbol = subject.constant("domain"), f"w_{name}"
    inside = min(max(float(int(domain / inner)), 1.0), ranks)
    link = "w_link"
    if (
        inner == 1
        and ranks == domain
        and subject.constant("domain_bytes_per_s") != subject.constant("link_bytes_per_s")
    ):
        measured = [one for one in subject.sizing.device.collectives if one.allreduce_busbw is not None]
        cited = [origin for one in measured for origin in subject.origins.figure(one.allreduce_busbw)]
        book.given("w_domain", subject.constant("domain_bytes_per_s"), *cited)
        link = "w_domain"
    group = inside if inside > 1 else domain
    if subject.constant("mesh") and group > 1 and domain > 1:
        book.given("k_mesh", group)
        book.given("D", domain)
        link = f"{link}·min(1, (k_mesh − 1)/max(D − 1, 1))"
    formula = link
    if ranks * inner > domain:
        book.given(f"i_{name}", inside)
        formula = f"min({link}, i_{name}·w_nic)"
    book.line(f"rates.group-{name}", symbol, formula, "bytes/s", subject.origins.paper("thakur"))
    return symbol
