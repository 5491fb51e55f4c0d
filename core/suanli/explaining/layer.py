"""Time of one layer and of the LM head for one micro-batch, from matrix shapes to the smooth maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.estimation.gemm import attention_gemms, head_gemm, mlp_gemms, moe_gemms

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray
    from suanli.estimation.gemm import Gemm
    from suanli.explaining.lines import Book
    from suanli.explaining.subject import Subject

__all__ = ["explain_head", "explain_layer", "state_layout"]

_LATENT: Final = ("q", "q-down", "q-up", "kv-down", "kv-up")
_SUFFIX: Final = {False: "d", True: "m"}
_KIND: Final = {False: "dense", True: "routed"}


def state_layout(subject: Subject, book: Book) -> None:
    """State the layout, and add the tokens that a device sees at a time."""
    layout = subject.layout
    sizes = {
        "tp": layout.tp,
        "pp": layout.pp,
        "cp": layout.cp,
        "dp": layout.dp,
        "ep": layout.ep,
        "b": layout.micro_batch_size,
        "m": layout.micro_batches,
        "v": layout.virtual_pipeline,
        "sp": float(subject.layouts.norm_split[0]),
        "etp": float(subject.layouts.expert_tp[0]),
    }
    for symbol, value in sizes.items():
        book.given(symbol, value)
    book.line("layer.tokens", "T", "b·s/cp", "tokens")
    if subject.model("moe_layers"):
        book.line("layer.tokens-routed", "T_l", "T/tp" if layout.ep > 1 else "T", "tokens")
        # Without a capacity factor a balanced router is assumed, so that experts work on tokens alone.
        book.given("κ", subject.problem.workload.capacity_factor or 1.0)
        book.line("layer.copies", "k_c", "top_k·κ", "copies")
    _state_factor(subject, book)


def _state_factor(subject: Subject, book: Book) -> None:
    """Add the multiplier on compute time: that of the stack, times that of the device's family under it."""
    device, origins = subject.sizing.device, subject.origins
    pair = device.calibration.stack_factors.get(device.stack.id)
    own = 1.0 if pair is None else pair.si
    book.given("f_stack", subject.constant("compute_factor") / own, *origins.constant("compute_factor"))
    book.given("f_pair", own, *origins.stack_factor())
    book.line("layer.compute-factor", "f", "f_stack" if pair is None else "f_stack·f_pair", "")


def _gemms(subject: Subject, *, routed: bool) -> dict[str, Gemm]:
    """Return the products of one layer that are there, by name."""
    posed, layouts = subject.problem, subject.layouts
    found = attention_gemms(posed, layouts)
    names = ["output", *(_LATENT if subject.model("latent") else ("qkv",))]
    if routed:
        names += ["expert-up", "expert-down", "shared-up", "shared-down"]
        found = [*found, *moe_gemms(posed, layouts)]
    else:
        names += ["mlp-up", "mlp-down"]
        found = [*found, *mlp_gemms(posed, layouts)]
    return {name: gemm for name, gemm in zip(names, found, strict=True) if _first(gemm.count)}


def _first(value: FloatArray) -> float:
    """Return the one entry of an array over the one layout."""
    return float(np.ravel(value)[0])


def _product(subject: Subject, book: Book, name: str, gemm: Gemm, suffix: str) -> tuple[str, str]:
    """Add time and efficiency of one product; return the symbols of its forward and backward time."""
    key, tag = f"layer.{name}", f"{name.replace('-', '_')}_{suffix}"
    for symbol, side in (("M", gemm.m), ("K", gemm.k), ("W", gemm.n)):
        book.given(symbol, _first(side))
    count = _first(gemm.count)
    copies = "" if count == 1 else "n·"
    book.given("n", count)
    times = f"{copies}f"
    if gemm.grouped:
        origins = subject.origins
        book.given("g_over", subject.shared("grouped_overhead"), *origins.constant("grouped_overhead"))
        book.given("g_stack", subject.constant("moe_gemm_factor"), *origins.constant("moe_gemm_factor"))
        times += "·g_over·g_stack"
    wide = gemm.sixteen_bit and bool(subject.constant("narrow"))
    function, peak = ("g16", "P16") if wide else ("g", "P")
    forward, backward = f"t_{tag}", f"u_{tag}"
    book.line(f"{key}.forward", forward, f"{times}·{function}(M, K, W)", "s")
    # The gradient of the input, and of the weight unless it is frozen.
    back = f"{function}(M, W, K)"
    if not subject.problem.adapter:
        back = f"({back} + {function}(K, M, W))"
    book.line(f"{key}.backward", backward, f"{times}·{back}", "s")
    book.line(f"{key}.efficiency", f"η_{tag}", f"2·{copies}M·K·W/({peak}·{forward})", "share of peak")
    return forward, backward


def explain_layer(subject: Subject, book: Book, *, routed: bool) -> None:
    """Add the time of one dense or routed layer: matrices, attention, vector work, launches."""
    suffix = _SUFFIX[routed]
    pairs = [
        _product(subject, book, name, gemm, suffix) for name, gemm in _gemms(subject, routed=routed).items()
    ]
    kind = _KIND[routed]
    book.sum(f"layer.{kind}.matrices-forward", f"G_{suffix}", [one for one, _ in pairs], "s")
    book.sum(f"layer.{kind}.matrices-backward", f"U_{suffix}", [one for _, one in pairs], "s")
    _attention(subject, book)
    _vector(subject, book, routed=routed)
    _whole_layer(subject, book, routed=routed)


def _attention(subject: Subject, book: Book) -> None:
    """Add causal attention, fused or not, of one layer; once for both kinds."""
    if "A" in book.values:
        return
    origins, wide = subject.origins, bool(subject.constant("narrow"))
    if subject.constant("unfused"):
        book.given("e_unf", subject.shared("unfused_efficiency"), *origins.constant("unfused_efficiency"))
        rate = "R16" if wide else "P·e"
        formula = f"f·2·T·s·n_q·(d_q + d_v)/tp/({rate}·e_unf)"
        book.line("layer.attention", "A", formula, "s", origins.paper("flash"))
        book.line("layer.score-bytes", "S", "2·n_q·T·s/tp/B", "s")
        return
    book.given("e_att", subject.constant("attention_efficiency"), *origins.constant("attention_efficiency"))
    book.given("f_att", subject.constant("attention_factor"), *origins.constant("attention_factor"))
    half = subject.shared("attention_half_length")
    book.given("s_half", half, *origins.constant("attention_half_length"))
    ring = subject.layout.cp > 1
    book.line("layer.attention-fill", "φ", "1/(1 + s_half·2·cp/s)" if ring else "1/(1 + s_half/s)", "share")
    times = "f"
    if ring:
        book.given("ring", subject.constant("ring_factor"), *origins.constant("ring_factor"))
        times = "f·ring"
    peak = "P16" if wide else "P"
    formula = f"{times}·T·s·n_q·(d_q + d_v)/tp/({peak}·e_att·f_att·φ)"
    book.line("layer.attention", "A", formula, "s", origins.paper("flash"))


def _vector(subject: Subject, book: Book, *, routed: bool) -> None:
    """Add the bytes of vector work, its time, and the launches."""
    origins, suffix, kind = subject.origins, _SUFFIX[routed], _KIND[routed]
    common = "2·T·(8·h/sp + 2·(n_q + n_kv)·d_q/tp"
    if routed:
        shared = " + (up + 1)·ffn_s/tp" if subject.model("shared_ffn") else ""
        formula = f"{common}{shared}) + 2·T_l·k_c·(up + 1)·ffn_e/etp + 8·T_l·k_c·h"
    else:
        formula = f"{common} + (up + 1)·ffn/tp)"
    book.line(f"layer.{kind}.vector-bytes", f"Y_{suffix}", formula, "bytes", origins.paper("roofline"))
    book.given("y", subject.constant("vector_factor"), *origins.constant("vector_factor"))
    moved = [f"Y_{suffix}·y"]
    if subject.constant("narrow"):
        book.given("c_cast", subject.shared("cast_bytes"), *origins.constant("cast_bytes"))
        cast = "c_cast·T·(2·h + (n_q·d_v + ffn)/tp)"
        book.line(f"layer.{kind}.cast-bytes", f"C_{suffix}", cast, "bytes")
        moved.append(f"C_{suffix}")
    if subject.problem.adapter:
        _adapter_bytes(subject, book, suffix, kind)
        moved.append(f"D_{suffix}")
    _launches(subject, book, routed=routed)
    formula = f"({' + '.join(moved)})/B + j_{suffix}·γ"
    book.line(f"layer.{kind}.vector", f"v_{suffix}", formula, "s")


def _adapter_bytes(subject: Subject, book: Book, suffix: str, kind: str) -> None:
    widths = "2·T·(4·h + 2·((n_q + 2·n_kv)·d_q + 3·ffn))/tp"
    if subject.problem.quantised:
        unpack = subject.origins.constant("dequantise_bytes")
        book.given("c_unpack", subject.shared("dequantise_bytes"), *unpack)
        widths += f" + c_unpack·p_{suffix}/tp"
    book.line(f"layer.{kind}.adapter-bytes", f"D_{suffix}", widths, "bytes", subject.origins.paper("lora"))


def _launches(subject: Subject, book: Book, *, routed: bool) -> None:
    origins, suffix, kind = subject.origins, _SUFFIX[routed], _KIND[routed]
    base = "moe_kernels" if routed else "dense_kernels"
    book.given(f"j_base_{suffix}", subject.shared(base), *origins.constant(base))
    terms = [f"j_base_{suffix}"]
    if subject.problem.adapter:
        book.given("j_ad", subject.shared("adapter_kernels"), *origins.constant("adapter_kernels"))
        book.given("n_ad", subject.model("adapters_per_layer"))
        terms.append("j_ad·n_ad")
    if subject.constant("narrow"):
        book.given("j_narrow", subject.shared("narrow_kernels"), *origins.constant("narrow_kernels"))
        terms.append("j_narrow")
    book.line(f"layer.{kind}.launches", f"j_{suffix}", " + ".join(terms), "kernels")
    book.given("γ", subject.constant("kernel_gap_s"), *origins.constant("kernel_gap_s"))
    book.given("τ_k", subject.constant("host_s_per_kernel"), *origins.constant("host_s_per_kernel"))
    formula = f"j_{suffix}·τ_k"
    if routed:
        book.given("τ_m", subject.constant("moe_host_s_per_layer"), *origins.constant("moe_host_s_per_layer"))
        formula += " + τ_m"
    book.line(f"layer.{kind}.host", f"H_{suffix}", formula, "s")


def _whole_layer(subject: Subject, book: Book, *, routed: bool) -> None:
    suffix, kind = _SUFFIX[routed], _KIND[routed]
    unfused = bool(subject.constant("unfused"))
    scores, scores_back = (" + 5·S", " + 6·S") if unfused else ("", "")
    attention = "2·A" if unfused else "2.5·A"
    forward = f"((G_{suffix} + A + v_{suffix}{scores})^4 + H_{suffix}^4)^(1/4)"
    backward = f"((U_{suffix} + {attention} + 2·v_{suffix}{scores_back})^4 + (2·H_{suffix})^4)^(1/4)"
    book.line(f"layer.{kind}.forward", f"t_{suffix}", forward, "s")
    book.line(f"layer.{kind}.backward", f"u_{suffix}", backward, "s", subject.origins.paper("flash"))


def explain_head(subject: Subject, book: Book) -> None:
    """Add the time of the LM head and the loss for one micro-batch."""
    origins = subject.origins
    forward, backward = _product(subject, book, "head", head_gemm(subject.problem, subject.layouts), "h")
    book.given("c_loss", subject.shared("loss_bytes_per_logit"), *origins.constant("loss_bytes_per_logit"))
    book.given("f_loss", subject.constant("loss_factor"), *origins.constant("loss_factor"))
    book.line("layer.loss", "t_loss", "f_loss·c_loss·T·V/tp/B", "s", origins.paper("roofline"))
    book.line("layer.head", "t_head", f"{forward} + {backward} + t_loss", "s")
