"""What the code computes for the worked examples on memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tests.architectures import DEEPSEEK_V3, LLAMA_2_7B, LLAMA_3_70B
from tests.core.estimation.estimation_cases import plain_device
from tests.docs.at_rest import PLAIN, constants, first, layouts, posed

from suanli.domain.workload import Offload, Recompute, Task
from suanli.estimation.activations import kept_activations, layer_activations
from suanli.estimation.memory import (
    RESERVE_SHARE,
    host_bytes,
    local_parameters,
    memory,
    micro_batches_in_flight,
    peak_bytes,
    phases,
    stage_memory,
    stage_split,
    usable_memory,
)
from suanli.estimation.numbers import stage_layers
from suanli.estimation.recipes import MEGATRON_BF16_GRADIENTS, static_bytes_per_device

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from suanli.estimation.arrays import LayoutArrays
    from suanli.estimation.memory import MemoryArrays
    from suanli.estimation.problem import Batch
    from suanli.estimation.recipes import MemoryRecipe

BARE = replace(PLAIN, constant_bytes=0.0)


def states(parts: MemoryArrays) -> float:
    """Return weights, gradients and optimizer."""
    return first(parts.weights) + first(parts.gradients) + first(parts.optimizer)


def kept(problem: Batch, spread: LayoutArrays) -> float:
    """Return the activations that the only stage keeps."""
    return first(kept_activations(problem, spread, *stage_split(problem, spread, last=False))[0])


def stage_parameters() -> dict[str, float]:
    problem, spread = posed(LLAMA_3_70B), layouts(tp=8, pp=4)
    return {
        "layers": first(stage_layers(problem, spread)),
        "parameters": first(local_parameters(problem, spread, last=False).dense),
    }


def expert_shards() -> dict[str, float]:
    problem, spread = posed(DEEPSEEK_V3), layouts(pp=16, dp=128, ep=64)
    _, routed = stage_split(problem, spread, last=True)
    last = local_parameters(problem, spread, last=True)
    dense_share = 12 * first(last.dense / spread.shards)
    return {
        "layers": first(routed),
        "experts": first(last.experts),
        "replicas": first(spread.expert_shards),
        "optimizer": first(stage_memory(problem, spread, last=True).optimizer) - dense_share,
    }


def zero_states() -> dict[str, float]:
    return {
        f"zero_{stage}": static_bytes_per_device(7.5e9, MEGATRON_BF16_GRADIENTS, stage, 64)
        for stage in range(4)
    }


def hybrid_sharding() -> dict[str, float]:
    problem = posed(LLAMA_2_7B)
    return {
        "over_all": states(memory(problem, layouts(dp=64, zero_stage=3))),
        "in_groups": states(memory(problem, layouts(dp=64, zero_stage=3, shard_group=8))),
    }


def frozen_base() -> dict[str, float]:
    recipe = replace(PLAIN, frozen_linear_bytes=0.56)
    parts = memory(posed(LLAMA_2_7B, task=Task.QLORA, recipe=recipe), layouts())
    return {
        "weights": first(parts.weights),
        "trained": first(parts.gradients) + first(parts.optimizer),
        "states": states(parts),
    }


def gathered_weights() -> dict[str, float]:
    problem, spread = posed(LLAMA_2_7B, recipe=BARE), layouts(dp=8, zero_stage=3)
    local = local_parameters(problem, spread, last=False)
    return {
        "ends": first(local.head),
        "layer": (first(local.dense) - first(local.head)) / 32,
        "gathered": first(memory(problem, spread).buffers),
    }


def layer_activations_of_a_dense_layer() -> dict[str, float]:
    problem, packing = posed(LLAMA_2_7B), posed(LLAMA_2_7B, recipe=replace(PLAIN, packed_projections=1.0))
    return {
        "layer": first(layer_activations(problem, layouts(), selective=False)[0]),
        "packed": first(layer_activations(packing, layouts(), selective=False)[0]),
        "model": kept(problem, layouts()),
    }


def routed_activations() -> dict[str, float]:
    problem, spread = posed(DEEPSEEK_V3), layouts(dp=64, ep=64)
    dense, routed = layer_activations(problem, spread, selective=False)
    block = 2 * 4096 * (2 * 7168 + 3 * 18432)
    return {"attention": first(dense) - block, "layer": first(routed)}


def score_matrix() -> dict[str, float]:
    fused, unfused = posed(LLAMA_2_7B), posed(LLAMA_2_7B, device=constants(unfused=1.0))
    each = [layer_activations(problem, layouts(), selective=False)[0] for problem in (unfused, fused)]
    return {
        "scores": first(each[0] - each[1]),
        "model": kept(unfused, layouts()) - kept(fused, layouts()),
    }


def recomputed_activations() -> dict[str, float]:
    problem, sharded = posed(LLAMA_2_7B), posed(LLAMA_2_7B, device=constants(fully_sharded=1.0))
    selective = layouts(recompute=Recompute.SELECTIVE)
    return {
        "selective_layer": first(layer_activations(problem, layouts(), selective=True)[0]),
        "selective": kept(problem, selective),
        "second_layer": first(layer_activations(sharded, layouts(), selective=True)[0]),
        "every_second": kept(sharded, selective),
        "eight": kept(problem, layouts(recompute=Recompute.FULL, recompute_layers=8)),
        "full": kept(problem, layouts(recompute=Recompute.FULL)),
    }


def working_set() -> dict[str, float]:
    problem = posed(LLAMA_2_7B)

    def beside(recompute: Recompute) -> float:
        spread = layouts(recompute=recompute)
        return first(kept_activations(problem, spread, *stage_split(problem, spread, last=False))[1])

    return {"gradients": beside(Recompute.NONE), "recomputed": beside(Recompute.FULL)}


def in_flight() -> dict[str, float]:
    def held(count: int, chunks: int, *, last: bool) -> float:
        spread = layouts(pp=8, micro_batches=count, virtual_pipeline=chunks)
        return first(micro_batches_in_flight(spread, last=last))

    return {
        "plain": held(64, 1, last=False),
        "interleaved": held(64, 4, last=False),
        "last": held(64, 4, last=True),
        "few": held(4, 4, last=False),
    }


def logit_memory() -> dict[str, float]:
    def loss(recipe: MemoryRecipe, pieces: int = 1) -> float:
        problem = posed(LLAMA_3_70B, sequence_length=8192, recipe=recipe)
        spread = layouts(tp=8, pp=4, loss_chunks=pieces)
        return first(stage_memory(problem, spread, last=True).logits)

    without = replace(PLAIN, logit_bytes=0.0, head_gradient_bytes=0.0)
    norm = loss(without)
    return {
        "logits": loss(replace(without, logit_bytes=8.0)) - norm,
        "gradient": loss(replace(without, head_gradient_bytes=2.0)) - norm,
        "norm": norm,
        "loss": loss(PLAIN),
        "in_pieces": loss(PLAIN, 8),
    }


def optimizer_update() -> dict[str, float]:
    spread = layouts(dp=8, recompute=Recompute.FULL)

    def parts(update: float) -> MemoryArrays:
        recipe = replace(BARE, update_bytes=update)
        return memory(posed(LLAMA_2_7B, sequence_length=512, recipe=recipe), spread)

    added = first(parts(8.0).buffers)
    return {
        "activations": first(parts(8.0).activations),
        "loss": first(parts(8.0).logits),
        "temporaries": added + first(parts(8.0).activations) + first(parts(8.0).logits),
        "added": added - first(parts(0.0).buffers),
    }


def host_memory() -> dict[str, float]:
    def needed(offload: Offload) -> float:
        return first(host_bytes(posed(LLAMA_2_7B), layouts(dp=8, zero_stage=3, offload=offload)))

    return {"optimizer": needed(Offload.OPTIMIZER), "weights_too": needed(Offload.WEIGHTS)}


def peak_memory() -> dict[str, float]:
    problem, spread = posed(LLAMA_2_7B), layouts(dp=8, micro_batches=4)
    parts = memory(problem, spread)
    usable, _ = usable_memory(plain_device(memory_gb=80.0).accelerator)
    return {
        "states": states(parts),
        "activations": first(parts.activations),
        "loss": first(parts.logits),
        "peak": first(peak_bytes(problem, spread)),
        "allowed": usable * (1 - RESERVE_SHARE),
    }


def loading_and_saving() -> dict[str, float]:
    problem, spread = posed(LLAMA_2_7B), layouts(dp=8, zero_stage=3)
    peaks = phases(problem, spread)
    return {
        "states": states(memory(problem, spread)),
        "load": first(peaks.load),
        "save": first(peaks.save),
    }


COMPUTED: Final[Mapping[str, Callable[[], dict[str, float]]]] = {
    "stage-parameters": stage_parameters,
    "expert-shards": expert_shards,
    "zero-states": zero_states,
    "hybrid-sharding": hybrid_sharding,
    "frozen-base": frozen_base,
    "gathered-weights": gathered_weights,
    "layer-activations": layer_activations_of_a_dense_layer,
    "routed-activations": routed_activations,
    "score-matrix": score_matrix,
    "recomputed-activations": recomputed_activations,
    "working-set": working_set,
    "micro-batches-in-flight": in_flight,
    "logit-memory": logit_memory,
    "optimizer-update": optimizer_update,
    "host-memory": host_memory,
    "peak-memory": peak_memory,
    "loading-and-saving": loading_and_saving,
}
