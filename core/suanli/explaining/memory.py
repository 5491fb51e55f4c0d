"""Memory of the fullest device, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.workload import Offload, Recompute
from suanli.estimation.activations import kept_activations, layer_activations
from suanli.estimation.memory import (
    local_parameters,
    micro_batches_in_flight,
    stage_memory,
    stage_split,
    usable_memory,
)
from suanli.estimation.ranges import memory_ratio
from suanli.explaining.origins import Origin

if TYPE_CHECKING:
    from suanli.estimation.memory import MemoryArrays
    from suanli.explaining.lines import Book
    from suanli.explaining.subject import Subject

__all__ = ["PARTS", "explain_memory"]

PARTS: Final = ("weights", "gradients", "optimizer", "activations", "logits", "buffers")
"""Parts as `suanli.estimation.results.MemoryUse` names them; with a prefix the symbols of the path."""
_ZERO3: Final = 3


def explain_memory(subject: Subject, book: Book) -> None:
    """Add the parts of the fullest of the first and the last stage, their sum, and what is usable."""
    stages = {last: stage_memory(subject.problem, subject.layouts, last=last) for last in (False, True)}
    last = float(stages[True].total.ravel()[0]) > float(stages[False].total.ravel()[0])
    _local(subject, book, last=last)
    _states(subject, book)
    _activations(subject, book, stages[last], last=last)
    book.sum("memory.total", "mem", [f"mem_{part}" for part in PARTS], "bytes")
    ratio, fit = memory_ratio(subject.problem), subject.sizing.device.shared
    fitted = () if fit is None else (subject.origins.fit(fit),)
    for name, end in (("r_mem10", ratio.p10), ("r_mem90", ratio.p90)):
        book.given(name, end, *fitted)
    book.line("memory.low", "mem_p10", "mem·r_mem10", "bytes")
    book.line("memory.high", "mem_p90", "mem·r_mem90", "bytes")
    accelerator = subject.sizing.device.accelerator
    usable, _ = usable_memory(accelerator)
    book.given("usable", usable, *subject.origins.figure(accelerator.usable_memory or accelerator.memory))
    book.line("memory.free", "free", "1 − mem/usable", "share")


def _local(subject: Subject, book: Book, *, last: bool) -> None:
    """Add the parameters of the stage on one device, before sharding."""
    problem, layouts = subject.problem, subject.layouts
    dense, moe = (float(part.ravel()[0]) for part in stage_split(problem, layouts, last=last))
    book.given("S_d", dense)
    book.given("S_m", moe)
    whole = subject.layout.pp == 1
    ends = "embedding + head + other" if whole else "head_w"
    layers = " + ".join(part for part, has in (("S_d·p_d", dense), ("S_m·p_m", moe)) if has)
    book.line("memory.dense-parameters", "q_d", f"({layers} + {ends})/tp", "parameters")
    book.line(
        "memory.head-parameters", "q_h", "(embedding + head)/tp" if whole else "head_w/tp", "parameters"
    )
    if moe:
        book.line("memory.expert-parameters", "q_x", "S_m·p_x/(ep·etp)", "parameters")
    else:
        book.given("q_x", float(local_parameters(problem, layouts, last=last).experts.ravel()[0]))


def _states(subject: Subject, book: Book) -> None:
    """Add weights, gradients and optimizer by the recipe's bytes and what shards them."""
    layout, layouts = subject.layout, subject.layouts
    recipe, zero = subject.problem.recipe, subject.origins.paper("zero")
    named = Origin(recipe.name, "plugin", "memory recipe of the stack")
    book.given("φ_a", subject.model("adapter_share"))
    book.given("r_s", float(layouts.shards[0]))
    book.given("r_x", float(layouts.expert_shards[0]))
    from_stage = {"weights": 3.0, "gradients": recipe.gradients_sharded_from, "optimizer": 1.0}
    away = {Offload.OPTIMIZER: ("gradients", "optimizer"), Offload.WEIGHTS: PARTS[:3]}
    for part, stage in from_stage.items():
        sharded = layout.zero_stage >= stage
        local = "(q_d/r_s + q_x/r_x)" if sharded else "(q_d + q_x)"
        book.given(
            f"q_{part}",
            subject.recipe(f"{part.removesuffix('s')}_bytes" if part != "optimizer" else "optimizer_bytes"),
            named,
        )
        formula = f"φ_a·q_{part}·{local}"
        if part == "weights" and subject.problem.adapter:
            book.given("q_frozen", subject.recipe("frozen_bytes"), named)
            book.given("q_linear", subject.recipe("frozen_linear_bytes"), named)
            shards = "/r_s" if sharded else ""
            formula += f" + (q_frozen·q_h + q_linear·(q_d − q_h + q_x)){shards}"
        if part in away.get(layout.offload, ()):
            formula = "0"
        book.line(f"memory.{part}", f"mem_{part}", formula, "bytes", zero)


def _loss(subject: Subject, book: Book) -> None:
    """Add what the loss holds: logits of one piece, the head's gradient, the last norm."""
    recipe = subject.problem.recipe
    named = Origin(recipe.name, "plugin", "memory recipe of the stack")
    book.given("q_logit", recipe.logit_bytes, named)
    book.given("n_loss", subject.layout.loss_chunks)
    trained = "" if subject.problem.adapter else " + q_head·V·h/tp"
    if trained:
        book.given("q_head", recipe.head_gradient_bytes, named)
    book.line("memory.logits", "mem_logits", f"q_logit·T·V/(tp·n_loss){trained} + 6·T·h/sp", "bytes")


def _activations(subject: Subject, book: Book, parts: MemoryArrays, *, last: bool) -> None:
    """Add activations in flight, logits and buffers; what a layer keeps is counted in `activations`."""
    problem, layouts = subject.problem, subject.layouts
    paper = subject.origins.paper("korthikanti")
    flight = float(micro_batches_in_flight(layouts, last=last).ravel()[0])
    dense, moe = stage_split(problem, layouts, last=last)
    kept, _ = kept_activations(problem, layouts, dense, moe)
    selective = subject.layout.recompute is Recompute.SELECTIVE
    each, each_routed = layer_activations(problem, layouts, selective=selective)
    book.given("flight", flight, subject.origins.paper("narayanan"))
    tokens = book.values["T"]
    book.given("a_d", float(each.ravel()[0]) / tokens, paper)
    book.given("a_m", float(each_routed.ravel()[0]) / tokens, paper)
    layers = " + ".join(
        term for term, has in (("S_d·a_d", book.values["S_d"]), ("S_m·a_m", book.values["S_m"])) if has
    )
    if subject.layout.recompute is Recompute.FULL:
        again = subject.layout.recompute_layers
        book.given("L_again", book.values["S_d"] + book.values["S_m"] if again is None else again)
        book.given("L_here", book.values["S_d"] + book.values["S_m"])
        share = "min(L_again/L_here, 1)"
        formula = f"T·({layers}) + {share}·(L_here·2·T·h/sp − T·({layers}))"
    else:
        formula = f"T·({layers})"
    book.line("memory.kept", "kept", formula, "bytes", paper)
    total = float(parts.activations.ravel()[0])
    book.given("work_set", max(total - flight * float(kept.ravel()[0]), 0.0), paper)
    book.line("memory.activations", "mem_activations", "flight·kept + work_set", "bytes", paper)
    if float(parts.logits.ravel()[0]):
        _loss(subject, book)
    else:
        book.given("mem_logits", 0.0)
    book.given("const", problem.recipe.constant_bytes)
    book.given("gathered", float(parts.buffers.ravel()[0]) - problem.recipe.constant_bytes)
    book.line("memory.buffers", "mem_buffers", "const + gathered", "bytes")
