"""Parameters and work per token, from the sizes of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.transformer import lora_parameters
from suanli.estimation.flops import LORA_RANK

if TYPE_CHECKING:
    from suanli.explaining.lines import Book
    from suanli.explaining.subject import Subject

__all__ = ["explain_work"]


def explain_work(subject: Subject, book: Book) -> None:
    """Add parameters, work per token and its cross-check."""
    _state_model(subject, book)
    _parameters(subject, book)
    _work(subject, book)


def _state_model(subject: Subject, book: Book) -> None:
    counts, source = subject.problem.counts, subject.origins.source(subject.requirement.model.source)
    sizes = {
        "L": counts.layers,
        "L_d": counts.dense_layers,
        "L_m": counts.moe_layers,
        "attn": counts.attention_matrices + counts.attention_vectors,
        "attn_w": counts.attention_matrices,
        "mlp": counts.mlp_matrices + counts.mlp_vectors,
        "mlp_w": counts.mlp_matrices,
        "norms": counts.layer_norms,
        "shared": counts.shared_matrices + counts.shared_vectors,
        "shared_w": counts.shared_matrices,
        "expert": counts.expert_matrices + counts.expert_vectors,
        "expert_w": counts.expert_matrices,
        "E": counts.experts,
        "top_k": counts.top_k,
        "embedding": counts.embedding,
        "head": counts.lm_head,
        "head_w": counts.head_matrix,
        "other": counts.positions + counts.final_norm + counts.extra,
    }
    for symbol, value in sizes.items():
        book.given(symbol, value, *source)
    names = {"h": "hidden", "n_q": "heads", "n_kv": "kv_heads", "d_q": "query_width", "d_v": "value_width"}
    names |= {"ffn": "ffn", "up": "up", "V": "vocab", "ffn_e": "expert_ffn", "ffn_s": "shared_ffn"}
    for symbol, name in names.items():
        book.given(symbol, subject.model(name), *source)
    book.given("s", subject.problem.workload.sequence_length)


def _parameters(subject: Subject, book: Book) -> None:
    counts = subject.problem.counts
    if counts.dense_layers:
        book.line("work.dense-layer", "p_d", "attn + mlp + norms", "parameters")
    if counts.moe_layers:
        book.line("work.routed-layer", "p_m", "attn + shared + norms", "parameters")
        book.line("work.experts", "p_x", "E·expert", "parameters")
    layers = " + ".join(
        term
        for term, has in (("L_d·p_d", counts.dense_layers), ("L_m·(p_m + p_x)", counts.moe_layers))
        if has
    )
    book.line("work.parameters", "N", f"{layers} + embedding + head + other", "parameters")
    if counts.moe_layers:
        dense = "L_d·p_d + " if counts.dense_layers else ""
        formula = f"{dense}L_m·(p_m + top_k·expert) + embedding + head + other"
        book.line("work.active", "N_act", formula, "parameters")
    else:
        book.line("work.active", "N_act", "N", "parameters")


def _work(subject: Subject, book: Book) -> None:
    counts, paper = subject.problem.counts, subject.origins.paper
    blocks = "L_d·mlp_w" if counts.dense_layers else ""
    routed = "L_m·(shared_w + top_k·expert_w)" if counts.moe_layers else ""
    formula = " + ".join(part for part in ("L·attn_w", blocks, routed, "head_w") if part)
    book.line("work.multiplied", "N_mm", formula, "parameters")
    if subject.problem.adapter:
        architecture, job = subject.problem.architecture, subject.problem.workload
        active = lora_parameters(architecture, job.lora_rank or LORA_RANK, active=True)
        book.given("N_lora", active, paper("lora"))
        book.line("work.matrix-flops", "F_mm", "4·N_mm + 6·N_lora", "FLOPs/token", paper("lora"))
    else:
        book.line("work.matrix-flops", "F_mm", "6·N_mm", "FLOPs/token", paper("kaplan"))
    book.line("work.attention-flops", "F_att", "3·L·s·n_q·(d_q + d_v)", "FLOPs/token", paper("flash"))
    book.line("work.flops", "F", "F_mm + F_att", "FLOPs/token")
    book.line("work.six-n", "six_n", "6·N_act/F", "share", paper("kaplan"))
