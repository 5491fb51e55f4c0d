"""One optimizer step by cause: micro-batches on the slowest stage, bubble, communication, optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.workload import Recompute
from suanli.estimation.memory import local_parameters
from suanli.estimation.numbers import stage_layers
from suanli.explaining.communication import (
    explain_data_parallel,
    explain_gathers,
    explain_transfer,
    layer_communication,
)
from suanli.explaining.layer import explain_head, explain_layer

if TYPE_CHECKING:
    from suanli.explaining.lines import Book
    from suanli.explaining.subject import Subject

__all__ = ["CAUSES", "explain_step"]

CAUSES: Final = (
    "compute_s",
    "recompute_s",
    "tp_exposed_s",
    "cp_exposed_s",
    "ep_exposed_s",
    "pp_exposed_s",
    "bubble_s",
    "dp_exposed_s",
    "optimizer_s",
    "other_s",
)
"""Causes as `suanli.estimation.results.StepTime` names them; the same names are symbols of the path."""
_ZERO3: Final = 3
_HOST_ADAM_BYTES, _HOST_MEMORY_BYTES_PER_S = 28.0, 25e9


def explain_step(subject: Subject, book: Book) -> None:
    """Add layers, head, communication and the step by cause."""
    kinds = [routed for routed in (False, True) if subject.model("moe_layers" if routed else "dense_layers")]
    sums: dict[str, list[str]] = {}
    for routed in kinds:
        explain_layer(subject, book, routed=routed)
        for cause, term in _layer_terms(subject, book, routed=routed).items():
            sums.setdefault(cause, []).append(term)
    explain_head(subject, book)
    for cause, symbol in _PASSES.items():
        book.line(f"step.layers-{cause}", symbol, " + ".join(sums.get(cause, ["0"])), "s")
    explain_transfer(subject, book)
    _state_local(subject, book)
    _stage(subject, book)
    explain_data_parallel(subject, book)
    _optimizer(subject, book)
    _stretch(subject, book)
    _causes(subject, book)


_PASSES: Final = {
    "forward": "F_s",
    "backward": "U_s",
    "again": "R_s",
    "tp": "X_tp",
    "cp": "X_cp",
    "ep": "X_ep",
}
"""Seconds of all layers for one micro-batch, as if on one stage, by symbol."""


def _layer_terms(subject: Subject, book: Book, *, routed: bool) -> dict[str, str]:
    """Return the terms of one kind of layer in the sums over all layers."""
    suffix, count = ("m", "L_m") if routed else ("d", "L_d")
    again, repeats = _recompute(subject, book, suffix)
    waits = layer_communication(subject, book, routed=routed)
    passes = {"tp": "2", "cp": "3", "ep": "2"}
    terms = {"forward": f"{count}·t_{suffix}", "backward": f"{count}·u_{suffix}"}
    if again:
        terms["again"] = f"{count}·{again}·t_{suffix}"
    for cause, symbol in waits.items():
        times = f"({passes[cause]} + {repeats})" if repeats else passes[cause]
        terms[cause] = f"{count}·{symbol}·{times}"
    return terms


def _recompute(subject: Subject, book: Book, suffix: str) -> tuple[str, str]:
    """Add the share of a forward pass that is repeated; return its symbol and that of its collectives."""
    mode, paper = subject.layout.recompute, subject.origins.paper("korthikanti")
    if mode is Recompute.NONE:
        return "", ""
    if mode is Recompute.FULL:
        layers = float(stage_layers(subject.problem, subject.layouts)[0])
        book.given("L_s", layers)
        book.given("L_again", subject.layout.recompute_layers or layers)
        book.line("step.recompute-share", "ρ", "min(L_again/L_s, 1)", "share", paper)
        return "ρ", "ρ"
    symbol = f"ρ_{suffix}"
    if subject.constant("fully_sharded"):
        share = subject.shared("selective_fsdp_share")
        book.given("c_sel", share, *subject.origins.constant("selective_fsdp_share"))
        book.line("step.recompute-share", symbol, "c_sel", "share", paper)
    else:
        scores = " + A + 5·S" if subject.constant("unfused") else ""
        book.line(
            "step.recompute-share", symbol, f"min(1, (Y_{suffix}·y/B{scores})/t_{suffix})", "share", paper
        )
    return symbol, ""


def _state_local(subject: Subject, book: Book) -> None:
    local = local_parameters(subject.problem, subject.layouts, last=False)
    book.given("Q_d", float(local.dense[0]))
    book.given("Q_e", float(local.experts.ravel()[0]))


def _stage(subject: Subject, book: Book) -> None:
    """Add the mean stage, the gathers it waits for, and the excess of the slowest stage."""
    layers = "F_s + U_s + R_s + X_tp + X_cp + X_ep"
    book.line("step.stage", "stage", f"({layers} + t_head)/pp", "s")
    explain_gathers(subject, book)
    if book.values["z"]:
        origins = subject.origins.constant("fsdp_contention")
        book.given("c_z", subject.constant("fsdp_contention"), *origins)
        book.line("step.sharded-exposed", "z_x", "(stage^4 + z^4)^(1/4) + c_z·z − stage", "s")
    else:
        book.given("z_x", 0.0)
    fullest = float(stage_layers(subject.problem, subject.layouts)[0])
    if subject.layout.pp == 1:
        book.given("excess", 0.0)
    elif fullest * subject.layout.pp == subject.model("layers"):
        book.given("c_head", subject.shared("head_on_slowest"), *subject.origins.constant("head_on_slowest"))
        book.line("step.slowest", "excess", "c_head·t_head·(1 − 1/pp)", "s")
    else:
        book.given("L_max", fullest)
        formula = f"max(0, max(L_max/L − 1/pp, 0)·({layers}) − t_head/pp)"
        book.line("step.slowest", "excess", formula, "s")


def _optimizer(subject: Subject, book: Book) -> None:
    """Add the optimizer's pass over local states."""
    layouts, origins, layout = subject.layouts, subject.origins, subject.layout
    book.given("φ_a", subject.model("adapter_share"))
    book.given("r_s", float(layouts.shards[0]))
    book.given("r_x", float(layouts.expert_shards[0]))
    if layout.offload.value != "none":
        _host_optimizer(subject, book)
        return

    def passed(ranks: str) -> str:
        if layout.zero_stage >= _ZERO3:
            return f"30/{ranks}"
        return f"(8 + 24/{ranks})" if layout.zero_stage >= 1 else "32"

    book.given("c_opt", subject.shared("optimizer_cost"), *origins.constant("optimizer_cost"))
    experts = f" + Q_e·{passed('r_x')}" if subject.model("moe_layers") else ""
    formula = f"c_opt·φ_a·(Q_d·{passed('r_s')}{experts})/B"
    book.line("step.optimizer", "opt", formula, "s", origins.paper("zero"))


def _host_optimizer(subject: Subject, book: Book) -> None:
    book.given("w_host", subject.constant("host_bytes_per_s"))
    book.given("q_gr", subject.recipe("gradient_bytes"))
    book.line("step.owned", "own", "φ_a·(Q_d/r_s + Q_e/r_x)", "parameters")
    adam = f"{_HOST_ADAM_BYTES:.0f}·own/{_HOST_MEMORY_BYTES_PER_S:.0f}"
    paper = subject.origins.paper("zero-offload")
    book.line("step.optimizer", "opt", f"(q_gr + 2)·own/w_host + {adam}", "s", paper)


def _stretch(subject: Subject, book: Book) -> None:
    origins = subject.origins
    book.given("devices", subject.layout.devices)
    book.given("node", subject.constant("devices_per_node"))
    book.given("c_str", subject.shared("straggler"), *origins.constant("straggler"))
    book.line("step.stretch", "st", "1 + c_str·log2(max(1, devices/node))", "")
    constant = (*origins.constant("step_constant_s"), *origins.constant("step_factor"))
    book.given("t_const", subject.shared("step_constant_s"), *constant)
    book.given("f_const", subject.constant("step_factor"))


def _causes(subject: Subject, book: Book) -> None:
    """Add the step by cause and their sum; each symbol is the name of its cause."""
    parts = {
        "compute_s": "st·m·(F_s + U_s + t_head)/pp",
        "recompute_s": "st·m·R_s/pp",
        "tp_exposed_s": "st·m·X_tp/pp",
        "cp_exposed_s": "st·m·X_cp/pp",
        "ep_exposed_s": "st·m·X_ep/pp",
        "pp_exposed_s": "st·m·x_pp",
        "bubble_s": "st·(m·excess + (pp − 1)/v·x_pp + (pp − 1)/v·(stage + z_x))",
        "dp_exposed_s": "st·(m·z_x + once − hidden)",
        "optimizer_s": "st·opt",
        "other_s": "t_const·f_const",
    }
    bubble = subject.origins.paper("narayanan")
    for cause in CAUSES:
        cited = (bubble,) if cause == "bubble_s" else ()
        book.line(f"step.{cause.removesuffix('_s')}", cause, parts[cause], "s", *cited)
    book.sum("step.total", "t_step", list(CAUSES), "s")
