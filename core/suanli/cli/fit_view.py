"""What ``suanli fit`` shows: the answer as plain data, and on the terminal."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from suanli.cli.fit_texts import say
from suanli.cli.tables import print_table
from suanli.domain.units import BYTES_PER_GB
from suanli.domain.workload import Offload, Recompute
from suanli.fitting.answer import chosen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.cli.texts import Voice
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Layout, Range
    from suanli.fitting.answer import Answer
    from suanli.fitting.trial import Placed
    from suanli.fitting.ways import Way

__all__ = ["fit_document", "print_fit"]

_GIB: Final = 2.0**30
_TERMS: Final = ("weights", "gradients", "optimizer", "activations", "logits", "buffers")
_STATES: Final = _TERMS[:3]
_SIZES: Final = ("tp", "pp", "cp", "dp", "ep")
_ZERO3: Final = 3


def fit_document(answers: Sequence[Answer], requirement: Requirement) -> dict[str, Any]:
    """Return the answer as plain data: the method that is shown in full, and every method compared."""
    shown = chosen(answers)
    model = requirement.model
    return {
        "model": model.reference or model.name.en,
        "parameters": shown.placed.problem.counts.total if shown.placed.problem else None,
        **_entry(shown),
        "methods": [_entry(one) for one in answers],
    }


def _entry(one: Answer) -> dict[str, Any]:
    placed, trial = one.placed, one.placed.trial
    device = trial.card.device
    problem = placed.problem
    return {
        "method": one.method,
        "verdict": placed.verdict.value,
        "fits": placed.fits_somehow,
        "binding": placed.binding or None,
        "accelerator": device.accelerator.id,
        "server": device.server.id if trial.card.server_known else None,
        "accelerators": trial.cards,
        "servers": -(-trial.cards // trial.card.per_server),
        "stack": device.stack.id,
        "recipe": asdict(problem.recipe) if problem else None,
        "precision": trial.workload.precision.value,
        "sequence_length": trial.workload.sequence_length,
        "layout": _layout_data(placed.layout) if placed.layout else None,
        **_bytes(placed),
        "tokens_per_s_per_accelerator": _range(placed.rate),
        "fewest_cards": one.fewest_cards,
        "longest_sequence": one.longest_sequence,
        "remedies": [_way_data(way) for way in one.ways],
    }


def _bytes(placed: Placed) -> dict[str, Any]:
    """Return memory by part and phase, what is needed and what there is."""
    use = placed.memory
    if use is None:
        return {
            "memory_bytes": None,
            "phases_bytes": {},
            "host_memory_bytes": None,
            "need": None,
            "have": None,
        }
    host = placed.trial.card.host_memory_bytes
    of_host = placed.binding == "host-memory"
    parts = placed.phases["step"]
    return {
        "memory_bytes": {
            **{name: round(getattr(parts, name)) for name in _TERMS},
            "total": round(parts.total),
            "p10": None if use.peak_bytes is None else round(use.peak_bytes.p10),
            "p90": None if use.peak_bytes is None else round(use.peak_bytes.p90),
            "usable": round(use.usable_bytes),
            "usable_measured": use.usable_measured,
            "reserve_share": use.reserve_share,
            "headroom_share": round(1 - placed.peak_bytes / use.usable_bytes, 4),
        },
        "phases_bytes": {
            phase: {**{name: round(getattr(terms, name)) for name in _TERMS}, "total": round(terms.total)}
            for phase, terms in placed.phases.items()
        },
        "host_memory_bytes": {
            "need": round(placed.host_bytes),
            "have": None if host is None else round(host),
        },
        "need": round(placed.host_bytes if of_host else placed.peak_bytes),
        "have": round(host or 0.0) if of_host else round(use.usable_bytes),
    }


def _layout_data(layout: Layout) -> dict[str, Any]:
    sizes = ("micro_batch_size", "micro_batches", "virtual_pipeline", "zero_stage", "recompute_layers")
    return {
        **{name: getattr(layout, name) for name in (*_SIZES, *sizes, "shard_group", "sequence_parallel")},
        "recompute": layout.recompute.value,
        "offload": layout.offload.value,
        "loss_chunks": layout.loss_chunks,
    }


def _range(rate: Range | None) -> dict[str, float] | None:
    return None if rate is None else {name: round(getattr(rate, name), 1) for name in ("p10", "p50", "p90")}


def _way_data(way: Way) -> dict[str, Any]:
    placed = way.placed
    return {
        "kind": way.changes[-1].kind.value,
        "changes": [{"kind": one.kind.value, "value": one.value} for one in way.changes],
        "accelerators": placed.trial.cards,
        "peak_bytes": round(placed.peak_bytes),
        "host_memory_bytes": round(placed.host_bytes),
        "layout": _layout_data(placed.layout) if placed.layout else None,
    }


def print_fit(answers: Sequence[Answer], requirement: Requirement, voice: Voice) -> None:
    """Print the methods side by side where several were compared, then one of them in full."""
    shown = chosen(answers)
    placed, name = shown.placed, requirement.model.name
    total = placed.problem.counts.total / 1e9 if placed.problem else 0.0
    length = f"{placed.trial.workload.sequence_length:,}"
    click.echo(say(voice, "title", voice.name(name.zh, name.en), f"{total:,.2f}", length))
    if len(answers) > 1:
        _print_methods(answers, voice)
    _print_card(shown, voice)
    if placed.memory is not None:
        _print_setting(placed, voice)
        _print_table(placed, voice)
        _print_room(placed, voice)
    click.echo(_verdict(placed, voice))
    _print_limits(shown, requirement, voice)
    _print_rate(placed, voice)
    for number, way in enumerate(shown.ways, start=1):
        click.echo(_way(number, way, voice))
    if not placed.fits and not shown.ways:
        click.echo(say(voice, "no-way"))


def _print_methods(answers: Sequence[Answer], voice: Voice) -> None:
    heads: tuple[str, ...] = (
        "method",
        "verdict",
        "recompute",
        "cards",
        "peak",
        "peak-gib",
        "fewest-cards",
        "longest-sequence",
    )
    told = [one.longest_sequence is not None for one in answers]
    heads = heads if any(told) else heads[:-1]
    rows = [_method_row(one, voice)[: len(heads)] for one in answers]
    print_table([say(voice, key) for key in heads], rows, title=say(voice, "compared"), right=range(3, 8))


def _method_row(one: Answer, voice: Voice) -> list[str]:
    peak = one.placed.peak_bytes if one.placed.phases else None
    return [
        say(voice, one.method),
        say(voice, one.placed.verdict.value),
        "–" if one.placed.layout is None else one.placed.layout.recompute.value,
        f"{one.placed.trial.cards:,}",
        _gb(peak),
        _gib(peak),
        "–" if one.fewest_cards is None else f"{one.fewest_cards:,}",
        "–" if one.longest_sequence is None else f"{one.longest_sequence:,}",
    ]


def _gb(size: float | None) -> str:
    return "–" if size is None else f"{size / BYTES_PER_GB:,.2f}"


def _gib(size: float | None) -> str:
    return "–" if size is None else f"{size / _GIB:,.2f}"


def _print_card(one: Answer, voice: Voice) -> None:
    trial = one.placed.trial
    device = trial.card.device
    name = voice.name(device.accelerator.name.zh, device.accelerator.name.en)
    if trial.card.generic:
        name = say(voice, "generic", f"{device.accelerator.memory.value:g}")
    line = say(voice, "on", say(voice, one.method), f"{trial.cards:,}", name)
    if trial.card.server_known:
        server = device.server.name
        servers = f"{-(-trial.cards // trial.card.per_server):,}"
        line += say(voice, "servers", servers, voice.name(server.zh, server.en))
    click.echo(line)


def _print_setting(placed: Placed, voice: Voice) -> None:
    layout, problem = placed.layout, placed.problem
    if layout is None or problem is None:
        return
    mode = layout.recompute.value
    if layout.recompute_layers is not None and layout.recompute is Recompute.FULL:
        mode = say(voice, "layers", mode, layout.recompute_layers)
    line = say(
        voice,
        "setting",
        placed.trial.card.device.stack.id,
        _split_text(layout),
        layout.micro_batch_size,
        mode,
        layout.zero_stage,
    )
    if layout.offload is not Offload.NONE:
        line += say(voice, "offloaded", layout.offload.value)
    if layout.loss_chunks > 1:
        line += say(voice, "loss-pieces", layout.loss_chunks)
    click.echo(line)
    recipe = problem.recipe
    sizes = (recipe.total_bytes, recipe.weight_bytes, recipe.gradient_bytes, recipe.optimizer_bytes)
    text = say(voice, "recipe", *(f"{size:g}" for size in sizes), recipe.name)
    if problem.adapter:
        text += say(voice, "frozen", f"{recipe.frozen_linear_bytes:g}")
    click.echo(text)


def _split_text(layout: Layout) -> str:
    sizes = [(name, int(getattr(layout, name))) for name in _SIZES]
    return " ".join(f"{name}{size}" for name, size in sizes if size > 1 or name == "dp")


def _print_table(placed: Placed, voice: Voice) -> None:
    dies = placed.trial.card.device.accelerator.dies
    phases = [name for name in ("load", "step", "save") if name in placed.phases]
    head = [
        say(voice, "per-card" if dies == 1 else "per-die"),
        *(say(voice, name) for name in phases),
        say(voice, "step-gib"),
        say(voice, "holds"),
    ]
    rows = [
        [
            say(voice, term),
            *(_gb(getattr(placed.phases[phase], term)) for phase in phases),
            _gib(getattr(placed.phases["step"], term)),
            _held(placed, term, voice) if term != "total" else "",
        ]
        for term in (*_TERMS, "total")
    ]
    print_table(head, rows, right=range(1, len(phases) + 2))


def _held(placed: Placed, term: str, voice: Voice) -> str:
    """Return which part of a term of the whole model each card holds."""
    layout = placed.layout
    if layout is None:
        return ""
    if term not in _STATES:
        return say(voice, "own")
    away = {
        Offload.OPTIMIZER: {"gradients", "optimizer"},
        Offload.WEIGHTS: {"weights", "gradients", "optimizer"},
    }
    if term in away.get(layout.offload, ()):
        return say(voice, "in-host")
    parts = _parts(placed, term)
    return say(voice, "whole") if parts == 1 else say(voice, "part", parts)


def _parts(placed: Placed, term: str) -> int:
    """Return over how many cards the weights, gradients or optimizer states of the model are spread."""
    layout, problem = placed.layout, placed.problem
    if layout is None or problem is None:
        return 1
    sharded_from = {"weights": _ZERO3, "gradients": problem.recipe.gradients_sharded_from, "optimizer": 1}
    ranks = layout.dp * layout.cp
    shards = min(ranks, layout.shard_group or ranks) if layout.zero_stage >= sharded_from[term] else 1
    return layout.tp * layout.pp * shards


def _print_room(placed: Placed, voice: Voice) -> None:
    use = placed.memory
    if use is None:
        return
    how = say(voice, "measured" if use.usable_measured else "nominal")
    kept = use.usable_bytes * (1 - use.reserve_share)
    parts = (_gb(use.usable_bytes), _gib(use.usable_bytes), how, f"{use.reserve_share:.0%}", _gb(kept))
    click.echo(say(voice, "usable", *parts))
    if use.peak_bytes is not None:
        ends = (_gb(use.peak_bytes.p10), _gb(use.peak_bytes.p90))
        click.echo(say(voice, "peak-range", *ends))
    if placed.host_bytes > 0:
        have = placed.trial.card.host_memory_bytes
        there = (
            say(voice, "host-unknown")
            if have is None
            else say(voice, "host-has", f"{have / BYTES_PER_GB:,.0f}")
        )
        click.echo(say(voice, "host", f"{placed.host_bytes / BYTES_PER_GB:,.0f}", there))


def _verdict(placed: Placed, voice: Voice) -> str:
    use = placed.memory
    if placed.problem is None:
        return say(voice, "verdict-other", voice.word(placed.binding))
    if use is None:
        return say(voice, "verdict-layout")
    if placed.binding == "host-memory":
        have = placed.trial.card.host_memory_bytes or 0.0
        of_host = (f"{size / BYTES_PER_GB:,.0f}" for size in (placed.host_bytes, have))
        return say(voice, "verdict-host-memory", *of_host)
    if placed.fits:
        return say(voice, "verdict-fits", f"{1 - placed.peak_bytes / use.usable_bytes:.1%}")
    if placed.fits_somehow:
        kept = use.usable_bytes * (1 - use.reserve_share)
        return say(voice, "verdict-fits-with-warning", _gb(placed.peak_bytes), _gb(kept))
    sizes = (_gb(placed.peak_bytes), _gb(use.usable_bytes), _gib(placed.peak_bytes))
    return say(voice, "verdict-memory", *sizes)


def _print_limits(one: Answer, requirement: Requirement, voice: Voice) -> None:
    """Print the fewest cards, the longest sequence where it was looked for, and that cards do not add up."""
    placed = one.placed
    copied = any(_parts(placed, term) == 1 for term in _STATES)
    if not placed.fits and placed.trial.cards > 1 and copied:
        click.echo(say(voice, "copies"))
    fewest = one.fewest_cards
    click.echo(say(voice, "fewest-none") if fewest is None else say(voice, "fewest", f"{fewest:,}"))
    if one.longest_sequence is None:
        return
    text = say(voice, "longest", f"{one.longest_sequence:,}")
    context = requirement.model.architecture.max_context
    if context is not None and one.longest_sequence > context:
        text += say(voice, "context", f"{context:,}")
    click.echo(text)


def _print_rate(placed: Placed, voice: Voice) -> None:
    card, rate = placed.trial.card, placed.rate
    if rate is not None:
        click.echo(say(voice, "rate", *(f"{size:,.0f}" for size in (rate.p50, rate.p10, rate.p90))))
    elif not card.timed and card.server_known:
        click.echo(say(voice, "no-rate-stack", card.device.stack.id))
    elif not card.timed:
        click.echo(say(voice, "no-rate"))
    elif not card.server_known and placed.fits_somehow:
        click.echo(say(voice, "no-rate-server"))


def _way(number: int, way: Way, voice: Voice) -> str:
    placed = way.placed
    changes = [say(voice, f"change-{one.kind.value}", one.value) for one in way.changes]
    more = ""
    if placed.host_bytes > 0:
        more += say(voice, "way-host", f"{placed.host_bytes / BYTES_PER_GB:,.0f}")
    if placed.layout is not None and _split_text(placed.layout) != f"dp{placed.layout.dp}":
        more += say(voice, "way-layout", _split_text(placed.layout))
    sizes = (_gb(placed.peak_bytes), _gib(placed.peak_bytes))
    return say(voice, "way", number, " + ".join(changes), *sizes, more)
