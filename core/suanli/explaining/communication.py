"""What one layer, and one step, has to wait for: collectives by volume, bandwidth and what hides them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.workload import Offload
from suanli.explaining.rates import bandwidth

if TYPE_CHECKING:
    from suanli.explaining.lines import Book
    from suanli.explaining.subject import Subject

__all__ = ["explain_data_parallel", "explain_gathers", "explain_transfer", "layer_communication"]

_ZERO2, _ZERO3 = 2, 3


def layer_communication(subject: Subject, book: Book, *, routed: bool) -> dict[str, str]:
    """Add the exposed communication of one layer's forward pass; return its symbols by cause."""
    layout, found = subject.layout, dict[str, str]()
    if layout.tp > 1:
        found["tp"] = _tensor(subject, book, routed=routed)
    if layout.cp > 1:
        found["cp"] = _context(subject, book)
    if routed and layout.ep > 1:
        found["ep"] = _expert(subject, book)
    return found


def _latency(subject: Subject, book: Book) -> None:
    origins = subject.origins.constant("collective_latency_s")
    book.given("α", subject.constant("collective_latency_s"), *origins)


def _tensor(subject: Subject, book: Book, *, routed: bool) -> str:
    """Add the all-reduces of tensor parallelism: one after attention, one after the block."""
    if "w_tp" not in book.values:
        bandwidth(subject, book, "tp", float(subject.layout.tp), 1.0)
    _latency(subject, book)
    book.given("hid_tp", subject.constant("tp_hidden"), *subject.origins.constant("tp_hidden"))
    once = routed and subject.layout.ep > 1 and not subject.model("shared_ffn")
    symbol = "x_tp_m" if routed else "x_tp_d"
    times = "" if once else "2·"
    formula = f"{times}(2·(tp − 1)/tp·2·T·h/w_tp + 2·α·log2(tp))·(1 − hid_tp)"
    key = f"layer.{'routed' if routed else 'dense'}.tensor-parallel"
    book.line(key, symbol, formula, "s", subject.origins.paper("shoeybi"))
    return symbol


def _context(subject: Subject, book: Book) -> str:
    if "x_cp" in book.values:
        return "x_cp"
    bandwidth(subject, book, "cp", float(subject.layout.cp), float(subject.layout.tp))
    book.given("cover", subject.shared("attention_cover"), *subject.origins.constant("attention_cover"))
    formula = "max(0, (cp − 1)·2·T·(d_q + d_v)·max(n_kv/tp, 1)/w_cp − cover·A)"
    book.line("layer.context-parallel", "x_cp", formula, "s", subject.origins.paper("ring"))
    return "x_cp"


def _expert(subject: Subject, book: Book) -> str:
    """Add dispatch and combine: the larger of the part inside the domain and the part that leaves it."""
    book.given("D", subject.constant("domain"))
    book.given("exp_ep", subject.shared("expert_exposed"), *subject.origins.constant("expert_exposed"))
    book.line("layer.expert-outside", "out", "1 − min(D, ep)/ep", "share")
    book.line("layer.expert-bytes", "X", "4·T/tp·k_c·h", "bytes")
    outside = "out·X/w_nic" if book.values["out"] else "0"
    formula = f"exp_ep·max((1 − out)·X/w_link, {outside})"
    book.line("layer.expert-parallel", "x_ep", formula, "s", subject.origins.paper("thakur"))
    return "x_ep"


def explain_transfer(subject: Subject, book: Book) -> None:
    """Add the transfer between pipeline stages for one micro-batch."""
    if subject.layout.pp == 1:
        book.given("x_pp", 0.0)
        return
    crosses = subject.layout.devices > subject.constant("domain")
    bus = "w_nic" if crosses else "w_link"
    book.given("exp_pp", subject.shared("pipeline_exposed"), *subject.origins.constant("pipeline_exposed"))
    paper = subject.origins.paper("narayanan")
    book.line("step.transfer", "x_pp", f"exp_pp·2·(2·T·h/sp)/{bus}·v", "s", paper)


def _gather(subject: Subject, book: Book, name: str, size: str, *, sharded: bool) -> str:
    """Add one all-gather of dense and expert parameters of a size in bytes; return its symbol."""
    layouts, layout = subject.layouts, subject.layout
    ranks = float((layouts.shards if sharded else layouts.replicas)[0])
    _latency(subject, book)
    bus = bandwidth(subject, book, f"{name}", ranks, float(layout.tp))
    book.given(f"r_{name}", ranks)
    formula = f"(r_{name} − 1)/r_{name}·{size}·Q_d/{bus} + α·log2(r_{name})"
    if subject.model("moe_layers"):
        spread = float((layouts.expert_shards if sharded else layouts.expert_replicas)[0])
        inner = float(layout.ep * layouts.expert_tp[0])
        bus = bandwidth(subject, book, f"{name}_e", spread, inner)
        book.given(f"r_{name}_e", spread)
        formula += f" + (r_{name}_e − 1)/r_{name}_e·{size}·Q_e/{bus} + α·log2(r_{name}_e)"
    book.line(f"step.{name}", f"t_{name}", formula, "s", subject.origins.paper("zero"))
    return f"t_{name}"


def explain_gathers(subject: Subject, book: Book) -> None:
    """Add the gathers and reductions of one micro-batch under ZeRO-3."""
    layout = subject.layout
    if layout.zero_stage < _ZERO3 or layout.dp * layout.cp == 1:
        book.given("z", 0.0)
        return
    trained = not subject.problem.adapter
    book.given("q_g", 2.0 if trained else subject.recipe("frozen_linear_bytes"))
    _gather(subject, book, "gather", "q_g", sharded=True)
    formula = "2·t_gather"
    if trained:
        _gather(subject, book, "reduce", "q_g", sharded=False)
        formula += " + t_reduce"
    if layout.offload is Offload.WEIGHTS:
        # Each rank fetches its own shard from the host for both passes.
        book.given("r_s", float(subject.layouts.shards[0]))
        book.given("r_x", float(subject.layouts.expert_shards[0]))
        book.given("w_host", subject.constant("host_bytes_per_s"))
        formula += " + 2·q_g·(Q_d/r_s + Q_e/r_x)/w_host"
    book.line("step.sharded", "z", formula, "s", subject.origins.paper("zero"))


def explain_data_parallel(subject: Subject, book: Book) -> None:
    """Add the reduction of gradients and the gathering of weights once a step, and what of it hides."""
    layout = subject.layout
    trained = not subject.problem.adapter
    if (layout.zero_stage >= _ZERO3 and trained) or layout.dp * layout.cp == 1:
        book.given("once", 0.0)
        book.given("hidden", 0.0)
        return
    book.given("share", subject.model("adapter_share"))
    widest = 2.0 if subject.constant("unfused") else 4.0
    book.given("q_grad", min(subject.recipe("gradient_bytes"), widest))
    _gather(subject, book, "grads", "share·q_grad", sharded=False)
    # Without ZeRO gradients are all-reduced, which moves them twice, and no weights follow.
    formula = "2·t_grads"
    often = "m·" if layout.zero_stage == _ZERO2 else ""
    if layout.zero_stage:
        _gather(subject, book, "weights", "share·2", sharded=False)
        formula = f"{often}t_grads + t_weights"
    book.line("step.data-parallel", "once", formula, "s", subject.origins.paper("zero"))
    book.given("hid_dp", subject.constant("dp_hidden"), *subject.origins.constant("dp_hidden"))
    book.given("cover_dp", subject.shared("dp_cover"), *subject.origins.constant("dp_cover"))
    book.line("step.hidden", "hidden", f"min(hid_dp·once, cover_dp·{often}(F_s + U_s)/pp)", "s")
