"""What the code computes for the worked examples on parameters and FLOPs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.architectures import DEEPSEEK_V3, LLAMA_2_7B, LLAMA_3_70B
from tests.docs.computed_run import hfu_over_mfu

from suanli.domain.hardware import Precision
from suanli.domain.transformer import count_parameters, linears
from suanli.domain.workload import Task, Workload
from suanli.estimation.crosscheck import implied_mfu, naive_days, peak_bound_s
from suanli.estimation.flops import model_profile, training_flops

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from suanli.domain.architecture import Architecture
    from suanli.estimation.results import ModelProfile


def profile(
    architecture: Architecture, sequence_length: int, task: Task = Task.PRETRAIN, rank: int = 0
) -> ModelProfile:
    """Return the work of a model."""
    job = Workload(task, sequence_length, 64, Precision.BF16, 1e12, lora_rank=rank)
    return model_profile(architecture, job)


def dense_parameters() -> dict[str, float]:
    counts = count_parameters(LLAMA_2_7B)
    return {
        "attention": counts.attention_matrices,
        "block": counts.mlp_matrices,
        "layer": counts.dense_layer,
        "embedding": counts.embedding,
        "total": counts.total,
    }


def grouped_query_parameters() -> dict[str, float]:
    counts = count_parameters(LLAMA_3_70B)
    return {
        "attention": counts.attention_matrices,
        "layer": counts.dense_layer,
        "total": counts.total,
    }


def latent_attention_parameters() -> dict[str, float]:
    counts = count_parameters(DEEPSEEK_V3)
    sizes = {one.name: one.matrix_parameters for one in linears(DEEPSEEK_V3)}
    return {
        "queries": sizes["q_down"] + sizes["q_up"],
        "keys_values": sizes["kv_down"] + sizes["kv_up"],
        "output": sizes["o"],
        "attention": counts.attention_matrices,
        "norms": counts.attention_vectors,
    }


def expert_parameters() -> dict[str, float]:
    counts = count_parameters(DEEPSEEK_V3)
    return {
        "common": counts.layer_common,
        "dense_layer": counts.dense_layer,
        "expert": counts.expert_matrices,
        "routed_layer": counts.moe_layer_without_experts,
        "outside": counts.non_expert,
        "total": counts.total,
        "active": counts.active,
    }


def matmul_flops() -> dict[str, float]:
    counts, work = count_parameters(LLAMA_3_70B), profile(LLAMA_3_70B, 8192)
    return {
        "layer": counts.attention_matrices + counts.mlp_matrices,
        "matrices": work.matmul_parameters,
        "flops": work.matmul_flops_per_token,
    }


def attention_flops() -> dict[str, float]:
    work = profile(LLAMA_3_70B, 8192)
    return {
        "flops": work.attention_flops_per_token,
        "matrices": work.matmul_flops_per_token,
        "share": work.attention_flops_per_token / work.flops_per_token,
    }


def lora_work() -> dict[str, float]:
    tuned, full = profile(LLAMA_2_7B, 4096, Task.LORA, 16), profile(LLAMA_2_7B, 4096)
    return {
        "adapters": tuned.trainable_parameters,
        "flops": tuned.matmul_flops_per_token,
        "saving": 1 - tuned.matmul_flops_per_token / full.matmul_flops_per_token,
    }


def run_work() -> dict[str, float]:
    work = profile(LLAMA_2_7B, 4096)
    return {
        "per_token": work.flops_per_token,
        "work": training_flops(work, 1e12),
        "bound": peak_bound_s(work, 1e12, 8, 400e12),
        "rough": naive_days(work.total_parameters, 1e12, 8, 400e12, 0.45) * 86400,
    }


def mfu_and_hfu() -> dict[str, float]:
    work = profile(LLAMA_3_70B, 8192)
    mfu = implied_mfu(work.flops_per_token, 900.0, 1.0, 1, 989e12)
    return {"per_token": work.flops_per_token, "mfu": mfu, "hfu": mfu * (1 + 1.5 / 6.0) * hfu_over_mfu()}


COMPUTED: Final[Mapping[str, Callable[[], dict[str, float]]]] = {
    "dense-parameters": dense_parameters,
    "grouped-query-parameters": grouped_query_parameters,
    "latent-attention-parameters": latent_attention_parameters,
    "expert-parameters": expert_parameters,
    "matmul-flops": matmul_flops,
    "attention-flops": attention_flops,
    "lora-work": lora_work,
    "run-work": run_work,
    "mfu-and-hfu": mfu_and_hfu,
}
