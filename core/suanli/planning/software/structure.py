"""Structural rules of the launchers: what must divide what, as their argument checks have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.software import Launcher
from suanli.domain.workload import Task
from suanli.planning.software.results import Outcome, RuleFinding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suanli.planning.software.job import LaunchJob

__all__ = ["structural_rules"]

_Finding = tuple[str, Outcome, dict[str, int]]

_SAME_EVERYWHERE: Final = {Launcher.PRIMUS, Launcher.ACCELERATE}


def structural_rules(job: LaunchJob, launcher: Launcher | None, source: str) -> tuple[RuleFinding, ...]:
    """Return every rule of a launcher that concerns a layout, met or not.

    Args:
        job: the sized job.
        launcher: the program; None where the framework's rules are not known.
        source: source id of the launcher's documents.
    """
    if launcher is None:
        return ()
    found = [*_whole_nodes(job, launcher), *(item for rule in _RULES[launcher] for item in rule(job))]
    return tuple(RuleFinding(key, outcome, tuple(numbers.items()), source) for key, outcome, numbers in found)


def _divides(key: str, *, whole: int, part: int, **named: int) -> Iterator[_Finding]:
    yield key, Outcome.BROKEN if whole % part else Outcome.HOLDS, named


def _whole_nodes(job: LaunchJob, launcher: Launcher) -> Iterator[_Finding]:
    """Some launchers start the same number of ranks on every server; others take it of each."""
    each, last = job.ranks_per_node, job.last_node_ranks
    uneven = Outcome.BROKEN if launcher in _SAME_EVERYWHERE else Outcome.ADAPTED
    outcome = Outcome.HOLDS if each == last else uneven
    yield "whole-nodes", outcome, {"devices": job.layout.devices, "nodes": job.nodes, "last": last}


def _heads(job: LaunchJob) -> Iterator[_Finding]:
    heads, groups, tp = job.architecture.attention_heads, job.architecture.kv_heads, job.layout.tp
    if tp == 1:
        return
    yield from _divides("heads-by-tp", whole=heads, part=tp, heads=heads, tp=tp)
    if groups != heads and job.architecture.mla is None:
        whole, part = max(groups, tp), min(groups, tp)
        yield from _divides("groups-by-tp", whole=whole, part=part, groups=groups, tp=tp)


def _layers(job: LaunchJob) -> Iterator[_Finding]:
    """Uneven stages are spelt out by the exported arguments, so that they are adapted rather than broken."""
    layers, layout = job.architecture.layers, job.layout
    if layout.pp > 1:
        outcome = Outcome.ADAPTED if layers % job.segments else Outcome.HOLDS
        numbers = {"layers": layers, "pp": layout.pp, "v": layout.virtual_pipeline}
        yield "layers-by-stages", outcome, numbers


def _interleaving(job: LaunchJob) -> Iterator[_Finding]:
    layout = job.layout
    if layout.virtual_pipeline > 1:
        numbers = {"micro_batches": layout.micro_batches, "pp": layout.pp}
        broken = layout.pp == 1 or layout.micro_batches % layout.pp
        yield "micro-batches-by-pp", Outcome.BROKEN if broken else Outcome.HOLDS, numbers


def _sequence(job: LaunchJob) -> Iterator[_Finding]:
    length, layout = job.workload.sequence_length, job.layout
    if layout.cp > 1:
        yield from _divides("sequence-by-cp", whole=length, part=2 * layout.cp, length=length, cp=layout.cp)
    if layout.tp > 1 and layout.sequence_parallel:
        parts = layout.tp * layout.cp
        yield from _divides("sequence-by-tp", whole=length, part=parts, length=length, tp=layout.tp)


def _experts(job: LaunchJob) -> Iterator[_Finding]:
    layout, moe = job.layout, job.architecture.moe
    if layout.ep == 1 or moe is None:
        return
    yield from _divides("experts-by-ep", whole=moe.experts, part=layout.ep, experts=moe.experts, ep=layout.ep)
    ranks = layout.tp * job.replicas
    yield from _divides("ranks-by-ep", whole=ranks, part=layout.ep, ranks=ranks, ep=layout.ep)
    if layout.tp > 1:
        outcome = Outcome.HOLDS if layout.sequence_parallel else Outcome.BROKEN
        yield "experts-with-tp", outcome, {"ep": layout.ep, "tp": layout.tp}


def _leading_dense(job: LaunchJob) -> Iterator[_Finding]:
    """No stage of MindSpeed may hold dense layers alone where the first layers are dense."""
    moe, pp = job.architecture.moe, job.layout.pp
    if moe is None or moe.dense_layers == 0 or pp == 1:
        return
    # The check divides the layers with empty ones added.
    each = -(-job.architecture.layers // job.segments) * job.layout.virtual_pipeline
    outcome = Outcome.HOLDS if moe.dense_layers < each else Outcome.BROKEN
    yield "dense-below-stage", outcome, {"dense": moe.dense_layers, "stage": each}


def _loaded_stages(job: LaunchJob) -> Iterator[_Finding]:
    """No virtual stage may hold empty layers alone where adapters are trained; other training may."""
    added = -job.architecture.layers % job.segments
    if added and job.workload.task is Task.LORA:
        each = -(-job.architecture.layers // job.segments)
        outcome = Outcome.BROKEN if added >= each else Outcome.HOLDS
        yield "empty-below-stage", outcome, {"empty": added, "stage": each}


def _titan_stages(job: LaunchJob) -> Iterator[_Finding]:
    layers, segments = job.architecture.layers, job.segments
    if job.layout.pp > 1:
        each = -(-layers // segments)
        outcome = Outcome.HOLDS if -(-layers // each) == segments else Outcome.BROKEN
        yield "stages-by-layers", outcome, {"layers": layers, "pp": job.layout.pp, "stage": each}


def _shards_with_context(job: LaunchJob) -> Iterator[_Finding]:
    """FSDP shards over context-parallel ranks too, so that a group of shards holds whole ones of them."""
    cp, shards = job.layout.cp, job.shards
    if job.layout.shard_group is not None:
        broken = shards % cp or job.replicas % shards
        yield "shards-by-cp", Outcome.BROKEN if broken else Outcome.HOLDS, {"group": shards, "cp": cp}


def _ulysses(job: LaunchJob) -> Iterator[_Finding]:
    heads, cp = job.architecture.attention_heads, job.layout.cp
    if cp > 1:
        yield from _divides("heads-by-cp", whole=heads, part=cp, heads=heads, cp=cp)


_CORE: Final = (_heads, _layers, _interleaving, _sequence, _experts)
_RULES: Final[dict[Launcher, tuple[Callable[[LaunchJob], Iterator[_Finding]], ...]]] = {
    Launcher.MEGATRON_LM: _CORE,
    Launcher.PRIMUS: _CORE,
    Launcher.MINDSPEED_LLM: (*_CORE, _leading_dense, _loaded_stages),
    Launcher.DEEPSPEED: (_heads, _ulysses),
    Launcher.ACCELERATE: (_heads, _shards_with_context),
    Launcher.TORCHTITAN: (_heads, _titan_stages, _shards_with_context),
}
