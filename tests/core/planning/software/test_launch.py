"""Launch arguments against what the frameworks' documents say, and parsed back into the layout."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

import pytest
from tests.launching import (
    DEEPSEEK,
    DENSE,
    LLAMA,
    SHARDED,
    arguments,
    feature_matrix,
    file_of,
    job,
    read_json,
    read_toml,
    read_yaml,
    words,
)

from suanli.domain.architecture import Architecture, MlpType
from suanli.domain.hardware import Precision
from suanli.domain.software import Launcher
from suanli.domain.workload import Offload, Recompute, Task
from suanli.planning.software.launch_megatron import pipeline_layout
from suanli.planning.software.plan import launch

if TYPE_CHECKING:
    from suanli.estimation.results import Layout
    from suanli.planning.software.results import Launch

EXPERTS = replace(DENSE, tp=2, pp=8, dp=8, ep=16, virtual_pipeline=1, micro_batches=16)


def launched(
    launcher: Launcher,
    layout: Layout,
    model: Architecture = LLAMA,
    task: Task = Task.PRETRAIN,
    *,
    precision: Precision = Precision.BF16,
) -> Launch | None:
    return launch(job(layout, model, task, precision=precision), feature_matrix(launcher))


MEGATRON_GOLDEN = {
    # README and parallelism guide of Megatron-LM core_v0.19.0, by hand.
    "--nproc_per_node": "8",
    "--nnodes": "8",
    "--node_rank": "<node-rank>",
    "--master_addr": "<master-address>",
    "--master_port": "<master-port>",
    "--tensor-model-parallel-size": "8",
    "--sequence-parallel": "",
    "--pipeline-model-parallel-size": "4",
    "--num-virtual-stages-per-pipeline-rank": "2",
    "--context-parallel-size": "1",
    "--num-layers": "80",
    "--hidden-size": "8192",
    "--ffn-hidden-size": "28672",
    "--num-attention-heads": "64",
    "--kv-channels": "128",
    "--group-query-attention": "",
    "--num-query-groups": "8",
    "--seq-length": "4096",
    "--max-position-embeddings": "8192",
    "--position-embedding-type": "rope",
    "--rotary-base": "<rotary-base>",
    "--normalization": "RMSNorm",
    "--swiglu": "",
    "--disable-bias-linear": "",
    "--untie-embeddings-and-output-weights": "",
    "--vocab-size": "128256",
    "--tokenizer-type": "HuggingFaceTokenizer",
    "--tokenizer-model": "<tokenizer-path>",
    "--micro-batch-size": "1",
    "--global-batch-size": "64",
    "--train-iters": "1000",
    "--lr": "<learning-rate>",
    "--lr-decay-style": "<learning-rate-schedule>",
    "--bf16": "",
    "--use-distributed-optimizer": "",
    "--overlap-grad-reduce": "",
    "--overlap-param-gather": "",
    "--data-path": "<data-path>",
    "--split": "<data-split>",
    "--ckpt-format": "torch_dist",
    "--save": "<checkpoint-path>",
    "--save-interval": "3600",
    "--load": "<checkpoint-path>",
}


def test_megatron_trains_a_dense_model_with_these_arguments() -> None:
    found = launched(Launcher.MEGATRON_LM, DENSE)

    assert arguments(found) == MEGATRON_GOLDEN
    assert file_of(found, "launch.sh").splitlines()[1] == "export CUDA_DEVICE_MAX_CONNECTIONS=1"


MINDSPEED_GOLDEN = {
    # examples/mcore/deepseek3 of MindSpeed LLM 26.1.0: 61 layers are filled up to 64.
    "--nproc_per_node": "8",
    "--nnodes": "16",
    "--node_rank": "<node-rank>",
    "--master_addr": "<master-address>",
    "--master_port": "<master-port>",
    "--use-mcore-models": "",
    "--tensor-model-parallel-size": "2",
    "--sequence-parallel": "",
    "--pipeline-model-parallel-size": "8",
    "--context-parallel-size": "1",
    "--expert-model-parallel-size": "16",
    "--expert-tensor-parallel-size": "1",
    "--num-layers": "64",
    "--hidden-size": "7168",
    "--ffn-hidden-size": "18432",
    "--num-attention-heads": "128",
    "--multi-latent-attention": "",
    "--q-lora-rank": "1536",
    "--kv-lora-rank": "512",
    "--qk-head-dim": "128",
    "--qk-pos-emb-head-dim": "64",
    "--v-head-dim": "128",
    "--qk-layernorm": "",
    "--seq-length": "4096",
    "--max-position-embeddings": "163840",
    "--position-embedding-type": "rope",
    "--rotary-base": "<rotary-base>",
    "--normalization": "RMSNorm",
    "--swiglu": "",
    "--disable-bias-linear": "",
    "--untie-embeddings-and-output-weights": "",
    "--noop-layers": "61,62,63",
    "--use-flash-attn": "",
    "--use-rotary-position-embeddings": "",
    "--tokenizer-type": "PretrainedFromHF",
    "--tokenizer-name-or-path": "<tokenizer-path>",
    "--make-vocab-size-divisible-by": "1",
    "--padded-vocab-size": "129280",
    "--num-experts": "256",
    "--moe-router-topk": "8",
    "--moe-ffn-hidden-size": "2048",
    "--moe-shared-expert-intermediate-size": "2048",
    "--first-k-dense-replace": "3",
    "--moe-layer-freq": "1",
    "--moe-grouped-gemm": "",
    "--moe-token-dispatcher-type": "alltoall",
    "--micro-batch-size": "1",
    "--global-batch-size": "128",
    "--train-iters": "1000",
    "--lr": "<learning-rate>",
    "--lr-decay-style": "<learning-rate-schedule>",
    "--bf16": "",
    "--transformer-impl": "local",
    "--use-distributed-optimizer": "",
    "--overlap-grad-reduce": "",
    "--overlap-param-gather": "",
    "--data-path": "<data-path>",
    "--split": "<data-split>",
    "--ckpt-format": "torch_dist",
    "--save": "<checkpoint-path>",
    "--save-interval": "3600",
    "--load": "<checkpoint-path>",
    "--distributed-backend": "nccl",
}


def test_mindspeed_trains_deepseek_with_these_arguments() -> None:
    assert arguments(launched(Launcher.MINDSPEED_LLM, EXPERTS, DEEPSEEK)) == MINDSPEED_GOLDEN


DEEPSPEED_GOLDEN = {
    # Configuration reference of DeepSpeed v0.19.5, by hand.
    "train_batch_size": 128,
    "train_micro_batch_size_per_gpu": 2,
    "gradient_accumulation_steps": 1,
    "bf16": {"enabled": True},
    "zero_optimization": {
        "stage": 3,
        "overlap_comm": True,
        "contiguous_gradients": True,
        "reduce_scatter": True,
        "offload_optimizer": {"device": "cpu", "pin_memory": True},
        "offload_param": {"device": "cpu", "pin_memory": True},
    },
}


def test_deepspeed_takes_this_configuration_and_command() -> None:
    layout = replace(SHARDED, micro_batch_size=2, offload=Offload.WEIGHTS)
    found = launched(Launcher.DEEPSPEED, layout)

    assert read_json(found, "ds_config.json") == DEEPSPEED_GOLDEN
    assert words(found) == [
        *("deepspeed", "--hostfile", "<hostfile>", "--master_addr", "<master-address>"),
        *("--master_port", "<master-port>", "--num_nodes", "8", "--num_gpus", "8", "<training-script>"),
        *("--deepspeed", "--deepspeed_config", "ds_config.json"),
    ]


def test_accelerate_takes_this_configuration_and_command() -> None:
    # examples/torch_native_parallelism/configs/tp_hsdp.yaml of Accelerate v1.14.0, by hand.
    layout = replace(SHARDED, shard_group=8, recompute=Recompute.FULL, micro_batches=4)
    found = launched(Launcher.ACCELERATE, layout, task=Task.QLORA)

    assert read_yaml(found, "fsdp_config.yaml") == {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "FSDP",
        "fsdp_config": {
            "fsdp_version": 2,
            "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "fsdp_reshard_after_forward": True,
            "fsdp_activation_checkpointing": True,
            "fsdp_offload_params": False,
            "fsdp_state_dict_type": "SHARDED_STATE_DICT",
        },
        "mixed_precision": "bf16",
        "num_machines": 8,
        "num_processes": 64,
        "parallelism_config": {
            "parallelism_config_dp_replicate_size": 8,
            "parallelism_config_dp_shard_size": 8,
            "parallelism_config_tp_size": 1,
            "parallelism_config_cp_size": 1,
        },
        "rdzv_backend": "static",
    }
    flags = arguments(found)
    assert flags["--per_device_train_batch_size"] == "1"
    assert flags["--gradient_accumulation_steps"] == "4"
    assert (flags["--lora_r"], flags["--use_4bit_quantization"]) == ("16", "True")


def test_torchtitan_takes_this_job() -> None:
    # torchtitan/config/job_config.py of v0.2.2, by hand.
    layout = replace(SHARDED, tp=2, pp=4, dp=8, micro_batches=16, virtual_pipeline=2, sequence_parallel=True)
    found = launched(Launcher.TORCHTITAN, layout, precision=Precision.FP8)

    assert read_toml(found, "job.toml") == {
        "model": {
            "name": "<model-name>",
            "flavor": "<model-flavor>",
            "hf_assets_path": "<tokenizer-path>",
            "converters": ["quantize.linear.float8"],
        },
        "optimizer": {"name": "AdamW", "lr": "<learning-rate>"},
        "training": {
            "dataset": "<dataset>",
            "seq_len": 4096,
            "local_batch_size": 16,
            "global_batch_size": 128,
            "steps": 1000,
            "enable_cpu_offload": False,
        },
        "parallelism": {
            "data_parallel_replicate_degree": 1,
            "data_parallel_shard_degree": 8,
            "fsdp_reshard_after_forward": "default",
            "tensor_parallel_degree": 2,
            "context_parallel_degree": 1,
            "expert_parallel_degree": 1,
            "pipeline_parallel_degree": 4,
            "pipeline_parallel_schedule": "Interleaved1F1B",
            "pipeline_parallel_microbatch_size": 1,
            "pipeline_parallel_layers_per_stage": 10,
            "pipeline_parallel_first_stage_less_layers": 0,
            "pipeline_parallel_last_stage_less_layers": 0,
        },
        "activation_checkpoint": {"mode": "none"},
        "checkpoint": {"enable": True, "folder": "<checkpoint-path>", "interval": 3600},
    }


def test_primus_takes_megatrons_names_with_underscores() -> None:
    # docs/03-configuration-reference/megatron-parameters.md of Primus v26.5.1, by hand.
    found = launched(Launcher.PRIMUS, replace(DENSE, recompute=Recompute.FULL), precision=Precision.FP8)
    experiment = read_yaml(found, "experiment.yaml")
    trainer = experiment["modules"]["pre_trainer"]
    keys = trainer["overrides"]

    assert (trainer["framework"], trainer["config"]) == ("megatron", "pre_trainer.yaml")
    assert keys["tensor_model_parallel_size"] == 8
    assert keys["num_virtual_stages_per_pipeline_rank"] == 2
    assert keys["sequence_parallel"] is True
    assert keys["add_bias_linear"] is False
    assert "disable_bias_linear" not in keys
    assert (keys["fp8"], keys["bf16"]) == ("hybrid", True)
    assert keys["recompute_granularity"] == "full"
    assert keys["train_data_path"] == "<data-path>"
    assert words(found) == [
        *("./runner/primus-cli", "slurm", "srun", "-N", "8", "-p", "<partition>", "--"),
        *("train", "pretrain", "--config", "experiment.yaml"),
    ]


LAYOUTS = [
    DENSE,
    replace(DENSE, dp=16, micro_batches=8),
    replace(DENSE, tp=4, cp=2, dp=4, micro_batch_size=2),
    replace(DENSE, tp=1, pp=1, dp=8, virtual_pipeline=1, sequence_parallel=False),
    replace(DENSE, pp=6, dp=1, virtual_pipeline=1, micro_batches=12),
    SHARDED,
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("launcher", [Launcher.MEGATRON_LM, Launcher.MINDSPEED_LLM])
def test_arguments_of_the_megatron_family_read_back_as_the_layout(launcher: Launcher, layout: Layout) -> None:
    found = arguments(launched(launcher, layout))
    world = int(found["--nproc_per_node"]) * int(found["--nnodes"])
    sizes = [int(found[f"--{name}-parallel-size"]) for name in ("tensor-model", "pipeline-model", "context")]
    # Megatron takes what is left of the ranks as data parallelism, and accumulates up to the global batch.
    left = world // prod(sizes)
    micro, whole = int(found["--micro-batch-size"]), int(found["--global-batch-size"])

    assert (*sizes, left) == (layout.tp, layout.pp, layout.cp, layout.dp)
    assert (micro, whole) == (layout.micro_batch_size, micro * left * layout.micro_batches)
    assert ("--sequence-parallel" in found) == (layout.sequence_parallel and layout.tp > 1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_primus_experiment_reads_back_as_the_layout(layout: Layout) -> None:
    found = launched(Launcher.PRIMUS, layout)
    keys = read_yaml(found, "experiment.yaml")["modules"]["pre_trainer"]["overrides"]
    sizes = [keys[f"{name}_parallel_size"] for name in ("tensor_model", "pipeline_model", "context")]

    assert sizes == [layout.tp, layout.pp, layout.cp]
    assert keys["global_batch_size"] == keys["micro_batch_size"] * layout.dp * layout.micro_batches


@pytest.mark.parametrize(
    "layout", [SHARDED, replace(SHARDED, micro_batch_size=4, micro_batches=3), replace(SHARDED, tp=4, dp=16)]
)
def test_a_deepspeed_configuration_reads_back_as_the_layout(layout: Layout) -> None:
    found = launched(Launcher.DEEPSPEED, layout)
    config, flags = read_json(found, "ds_config.json"), arguments(found)
    world = int(flags["--num_nodes"]) * int(flags["--num_gpus"].split()[0])
    tp = config.get("tensor_parallel", {"autotp_size": 1})["autotp_size"]

    # train_batch_size = train_micro_batch_size_per_gpu x gradient_accumulation_steps x data-parallel ranks
    assert world // tp == layout.dp
    assert config["train_batch_size"] == (
        config["train_micro_batch_size_per_gpu"] * config["gradient_accumulation_steps"] * (world // tp)
    )
    assert config["zero_optimization"]["stage"] == layout.zero_stage


@pytest.mark.parametrize(
    "layout",
    [
        SHARDED,
        replace(SHARDED, shard_group=8),
        replace(SHARDED, cp=4, dp=16, shard_group=8),
        replace(SHARDED, tp=8, dp=8),
    ],
)
def test_sharded_frameworks_read_back_as_the_world(layout: Layout) -> None:
    config = read_yaml(launched(Launcher.ACCELERATE, layout), "fsdp_config.yaml")
    titan = read_toml(launched(Launcher.TORCHTITAN, layout), "job.toml")["parallelism"]
    sizes = config["parallelism_config"]

    assert prod(sizes.values()) == config["num_processes"] == layout.devices
    # dp_replicate * dp_shard * cp * tp * pp == world size
    degrees = ("data_parallel_replicate", "data_parallel_shard", "context_parallel", "tensor_parallel")
    assert prod(titan[f"{name}_degree"] for name in degrees) == layout.devices
    assert titan["data_parallel_shard_degree"] == sizes["parallelism_config_dp_shard_size"]


def test_uneven_stages_are_spelt_out_for_megatron() -> None:
    found = arguments(launched(Launcher.MEGATRON_LM, replace(EXPERTS, pp=16, dp=4), DEEPSEEK))
    stages = found["--pipeline-model-parallel-layout"].split("|")

    assert [stage.count("t") for stage in stages] == [4] * 13 + [3] * 3
    assert stages[0][0] == "E"
    assert stages[-1][-1] == "L"
    assert "--num-virtual-stages-per-pipeline-rank" not in found
    assert found["--moe-layer-freq"] == "([0]*3+[1]*58)"


def test_the_layout_string_of_one_stage_holds_everything() -> None:
    assert pipeline_layout((2,)) == "EttL"


@pytest.mark.parametrize(
    ("layout", "flags"),
    [
        (replace(DENSE, recompute=Recompute.SELECTIVE), {"--recompute-granularity": "selective"}),
        (
            replace(DENSE, recompute=Recompute.FULL),
            {
                "--recompute-granularity": "full",
                "--recompute-method": "uniform",
                "--recompute-num-layers": "1",
            },
        ),
        # Seven layers of a device with two virtual stages: four of each chunk.
        (
            replace(DENSE, recompute=Recompute.FULL, recompute_layers=7),
            {"--recompute-granularity": "full", "--recompute-method": "block", "--recompute-num-layers": "4"},
        ),
        (
            replace(DENSE, offload=Offload.OPTIMIZER),
            {"--optimizer-cpu-offload": "", "--use-precision-aware-optimizer": ""},
        ),
        (
            replace(DENSE, dp=16, shard_group=4),
            {"--num-distributed-optimizer-instances": "4"},
        ),
        (
            SHARDED,
            {
                "--use-megatron-fsdp": "",
                "--data-parallel-sharding-strategy": "optim_grads_params",
                "--ckpt-format": "fsdp_dtensor",
            },
        ),
        (
            replace(SHARDED, zero_stage=2),
            {"--use-megatron-fsdp": "", "--data-parallel-sharding-strategy": "optim_grads"},
        ),
    ],
)
def test_memory_choices_have_their_flags_in_megatron(layout: Layout, flags: dict[str, str]) -> None:
    found = arguments(launched(Launcher.MEGATRON_LM, layout))

    assert {name: found.get(name) for name in flags} == flags


def test_fsdp_runs_without_the_single_queue() -> None:
    sharded = replace(SHARDED, tp=2, dp=32)

    assert "CUDA_DEVICE_MAX_CONNECTIONS" not in file_of(launched(Launcher.MEGATRON_LM, sharded), "launch.sh")
    assert "CUDA_DEVICE_MAX_CONNECTIONS" not in file_of(
        launched(Launcher.MINDSPEED_LLM, sharded), "launch.sh"
    )


@pytest.mark.parametrize(
    ("layout", "flags"),
    [
        (replace(DENSE, recompute=Recompute.SELECTIVE), {"--recompute-activations": ""}),
        (
            replace(DENSE, recompute=Recompute.FULL, recompute_layers=7),
            {
                "--recompute-method": "block",
                "--recompute-num-layers": "7",
                "--enable-recompute-layers-per-pp-rank": "",
            },
        ),
        (replace(DENSE, offload=Offload.OPTIMIZER), {"--swap-optimizer": ""}),
        (SHARDED, {"--use-custom-fsdp": "", "--no-gradient-accumulation-fusion": ""}),
        (replace(DENSE, cp=2), {"--context-parallel-algo": "megatron_cp_algo"}),
        (DENSE, {"--num-layers-per-virtual-pipeline-stage": "10"}),
    ],
)
def test_memory_choices_have_their_flags_in_mindspeed(layout: Layout, flags: dict[str, str]) -> None:
    found = arguments(launched(Launcher.MINDSPEED_LLM, layout))

    assert {name: found.get(name) for name in flags} == flags


def test_mindspeed_trains_adapters_with_its_own_script() -> None:
    found = launched(Launcher.MINDSPEED_LLM, replace(EXPERTS, ep=1), DEEPSEEK, Task.LORA)
    flags = arguments(found)

    assert "posttrain_gpt.py" in words(found)
    assert flags["--lora-r"] == "16"
    assert flags["--lora-target-modules"] == "linear_qkv linear_proj linear_fc1 linear_fc2"
    # Adapters on routed experts run with this dispatcher alone.
    assert flags["--moe-token-dispatcher-type"] == "alltoall_seq"
    assert flags["--load"] == "<base-checkpoint-path>"


@pytest.mark.parametrize(
    ("launcher", "task"),
    [
        (Launcher.MEGATRON_LM, Task.LORA),
        (Launcher.MEGATRON_LM, Task.QLORA),
        (Launcher.MINDSPEED_LLM, Task.QLORA),
        (Launcher.PRIMUS, Task.LORA),
        (Launcher.TORCHTITAN, Task.LORA),
    ],
)
def test_jobs_that_a_launcher_has_no_arguments_for_are_not_exported(launcher: Launcher, task: Task) -> None:
    assert launched(launcher, SHARDED, task=task) is None


@pytest.mark.parametrize("launcher", list(Launcher))
def test_what_the_team_fills_in_is_listed_and_nothing_else_is_open(launcher: Launcher) -> None:
    found = launched(launcher, SHARDED)

    assert found is not None
    for name in found.placeholders:
        assert any(f"<{name}>" in one.text for one in found.files)
    assert all(one.text.count("<") == one.text.count(">") for one in found.files)
    assert "None" not in "".join(one.text for one in found.files)


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"mlp_type": MlpType.GEGLU}, "geglu"),
        ({"mlp_bias": True}, "biases"),
    ],
)
def test_what_flags_cannot_say_of_a_model_is_noted(changes: dict[str, object], note: str) -> None:
    found = launched(Launcher.MEGATRON_LM, DENSE, LLAMA.model_copy(update=changes))

    assert found is not None
    assert note in found.notes


def test_a_single_server_needs_no_rendezvous() -> None:
    alone = replace(DENSE, pp=1, dp=1, virtual_pipeline=1)
    found = launched(Launcher.MEGATRON_LM, alone)

    assert found is not None
    assert {"node-rank", "master-address", "master-port"}.isdisjoint(found.placeholders)
    assert "direct" in words(launched(Launcher.PRIMUS, alone))


def test_the_loss_in_pieces_is_left_to_the_models_code() -> None:
    for launcher in Launcher:
        found = launched(launcher, replace(SHARDED, loss_chunks=8))
        assert found is not None
        assert "chunked-loss" in found.notes
