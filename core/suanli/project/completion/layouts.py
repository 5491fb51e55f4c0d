"""Pinned layout and cluster, checked against the model: what cannot be launched is said before sizing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.hardware import Accelerator
from suanli.domain.pin_conflicts import pin_conflicts
from suanli.domain.vendor import SoftwareStack
from suanli.domain.workload import ClusterWish, LayoutPins
from suanli.project.completion.draft import Default

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture
    from suanli.domain.workload import Workload
    from suanli.project.completion.draft import Draft

__all__ = ["complete_cluster", "complete_pins"]


def divisors(number: int) -> list[int]:
    """Return all divisors in ascending order.

    >>> divisors(28)
    [1, 2, 4, 7, 14, 28]
    """
    return [size for size in range(1, number + 1) if number % size == 0]


def complete_pins(draft: Draft, architecture: Architecture, workload: Workload) -> LayoutPins:
    """Return the pinned dimensions; each must divide what it splits."""
    keys = draft.project.file.layout
    _check_tensor(draft, keys.tp, architecture.attention_heads)
    _check_pipeline(draft, keys.pp, keys.virtual_pipeline, architecture.layers)
    _check_experts(draft, keys.ep, architecture)
    _check_batch(draft, keys.micro_batch_size, keys.cp, workload)
    stack = draft.catalogue.find(SoftwareStack, workload.stack)
    stages = (keys.pp or 1) > 1 and not (stack is not None and stack.pipeline_with_zero3)
    if keys.zero_stage == 3 and stages:  # noqa: PLR2004 - stage 3 shards the weights
        why = "sharded weights would be gathered again for every micro-batch of every stage"
        draft.fault(
            "layout.zero_stage",
            "stage 3 cannot be combined with pipeline stages",
            why,
            "use stage 1, pp: 1, or a stack that keeps weights gathered between stages",
        )
    pins = LayoutPins(
        tp=keys.tp,
        pp=keys.pp,
        cp=keys.cp,
        ep=keys.ep,
        micro_batch_size=keys.micro_batch_size,
        virtual_pipeline=keys.virtual_pipeline,
        recompute=keys.recompute,
        recompute_layers=keys.recompute_layers,
        zero_stage=keys.zero_stage,
        shard_group=keys.shard_group,
        offload=keys.offload,
        sequence_parallel=keys.sequence_parallel,
        loss_chunks=keys.loss_chunks,
    )
    for one in pin_conflicts(pins):
        draft.fault(f"layout.{one.key}", one.what, one.why, one.cure)
    return pins


def _check_tensor(draft: Draft, tp: int | None, heads: int) -> None:
    if tp is None or heads % tp == 0:
        return
    valid = divisors(heads)
    near = [max(size for size in valid if size < tp), *[size for size in valid if size > tp][:1]]
    draft.fault(
        "layout.tp",
        f"{tp} does not divide the {heads} attention heads",
        f"allowed: {', '.join(map(str, valid))}",
        f"use {' or '.join(map(str, near))}, and pipeline parallel (layout.pp) for the rest",
    )


def _check_pipeline(draft: Draft, pp: int | None, virtual: int | None, layers: int) -> None:
    stages = (pp or 1) * (virtual or 1)
    if stages > layers:
        key = "layout.pp" if (pp or 1) > layers else "layout.virtual_pipeline"
        draft.fault(key, f"{stages} stages for {layers} layers", f"allowed: at most {layers} stages in all")


def _check_experts(draft: Draft, ep: int | None, architecture: Architecture) -> None:
    if ep is None or ep == 1:
        return
    if architecture.moe is None:
        draft.fault(
            "layout.ep",
            f"{ep} for a model without experts",
            "expert parallel splits routed experts",
            "remove it",
        )
    elif architecture.moe.experts % ep:
        valid = ", ".join(map(str, divisors(architecture.moe.experts)))
        draft.fault(
            "layout.ep", f"{ep} does not divide the {architecture.moe.experts} experts", f"allowed: {valid}"
        )


def _check_batch(draft: Draft, micro: int | None, cp: int | None, workload: Workload) -> None:
    if micro is not None and micro > workload.global_batch_size:
        why = (
            f"the global batch is {workload.global_batch_size} sequences of {workload.sequence_length} tokens"
        )
        draft.fault("layout.micro_batch_size", f"{micro} is above the global batch", why, "use 1")
    if cp is not None and workload.sequence_length % cp:
        why = f"a sequence has {workload.sequence_length} tokens"
        draft.fault("layout.cp", f"{cp} does not divide the sequence", why)


def _dies(draft: Draft) -> set[int]:
    """Return the devices that software sees in one accelerator, over all that may be considered."""
    known = draft.catalogue.all(Accelerator)
    named = set(draft.project.file.vendors.accelerators or ())
    chosen = {one.dies for one in known if one.id in named or named.intersection(one.aliases)}
    return chosen or {one.dies for one in known if one.trains} or {1}


def complete_cluster(draft: Draft, pins: LayoutPins) -> ClusterWish:
    """Return what is fixed about the cluster."""
    keys = draft.project.file.cluster
    group = (pins.tp or 1) * (pins.pp or 1) * (pins.cp or 1)
    # A package of two dies is two devices to software; a count that suits one considered part is let through.
    if keys.accelerators is not None and all(keys.accelerators * dies % group for dies in _dies(draft)):
        near = [
            count
            for count in (keys.accelerators // group * group, -(-keys.accelerators // group) * group)
            if count
        ]
        why = f"the layout pins groups of {group} (tp x pp x cp)"
        draft.fault(
            "cluster.accelerators",
            f"{keys.accelerators} is no multiple of the pinned layout",
            why,
            f"use {' or '.join(map(str, near))}",
        )
    ratio = draft.given_or(
        None if keys.oversubscription is None else float(keys.oversubscription),
        "cluster.oversubscription",
        1.0,
        Default("1", "训练网络默认无收敛。", "Training fabrics are non-blocking unless told otherwise."),
    )
    return ClusterWish(
        accelerators=keys.accelerators,
        spare_nodes=keys.spare_nodes,
        oversubscription=ratio,
        exposed_communication_max=None
        if keys.exposed_communication_max is None
        else float(keys.exposed_communication_max),
        expansion=tuple(float(multiple) for multiple in keys.expansion or ()),
    )
