"""Every published run becomes a problem of the estimator or a reason; each rule by a table of cases."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.built_in import host

from suanli.domain.hardware import Accelerator, Precision
from suanli.domain.transformer import count_parameters
from suanli.domain.vendor import Calibration, SoftwareStack
from suanli.domain.workload import Recompute, Task
from suanli.errors import InputError
from suanli.estimation.problem import Problem, pose
from suanli.validation.options import Evidence
from suanli.validation.posing import Posed, pose_run
from suanli.validation.records import read_runs, record_from
from suanli.validation.run_devices import RUN_DEVICES, accelerator_of
from suanli.validation.stacks import FAMILY_STACKS, HABITS
from suanli.validation.traps import read_traps

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.validation.records import RunRecord

RUNS = Path(__file__).resolve().parents[3] / "benchmarks" / "runs"

LLAMA = {
    "layers": 32,
    "hidden": 4096,
    "ffn_hidden": 14336,
    "heads": 32,
    "kv_heads": 8,
    "head_dim": 128,
    "vocab": 128256,
    "gated_mlp": True,
    "tied_embeddings": False,
    "total_params_b": 8.03,
}
RUN: dict[str, Any] = {
    "id": "a-run",
    "source": {"family": "nobody-knows", "year": 2024},
    "vendor": "nvidia",
    "accelerator": "H100-80GB-SXM",
    "num_accelerators": 64,
    "accelerators_per_node": 8,
    "model": LLAMA,
    "task": "pretrain",
    "sequence_length": 8192,
    "global_batch": {"samples": 128, "tokens": 128 * 8192},
    "micro_batch": 1,
    "parallel": {"tp": 4, "pp": 2, "dp": 8, "cp": 1},
    "recompute": "none",
    "precision": "bf16",
}


def catalogue() -> Catalogue:
    return host().catalogue


@cache
def runs() -> tuple[RunRecord, ...]:
    return read_runs(RUNS)


@cache
def answers() -> dict[str, Posed | str]:
    return {record.id: pose_run(record, catalogue()) for record in runs()}


def posed(family: str = "nobody-knows", **changes: object) -> Posed:
    """Pose the run above with other fields; a mapping changes single keys."""
    item = copy.deepcopy(RUN)
    item["source"]["family"] = family
    for key, value in changes.items():
        item[key] = {**item[key], **value} if isinstance(value, dict) and item.get(key) else value
    answer = pose_run(record_from(item), catalogue())
    assert isinstance(answer, Posed), answer
    return answer


def test_every_published_run_poses_or_says_why_not() -> None:
    reasons = Counter(answer for answer in answers().values() if isinstance(answer, str))
    assert len(answers()) == len(runs()) == 570
    assert reasons == {
        "no plugin has the device Gaudi2": 4,
        "the shape of the model is not stated: layers and hidden size are needed": 7,
    }


def test_the_estimator_takes_every_posed_run() -> None:
    found = [one for one in answers().values() if isinstance(one, Posed)]
    for one in found:
        problem = pose(one.device, one.architecture, one.workload, one.recipe)
        assert isinstance(problem, Problem), one.record.id


def test_layouts_divide_devices_and_batches_evenly() -> None:
    checked = 0
    for one in answers().values():
        if isinstance(one, str) or one.pins.tp is None or one.pins.pp is None or one.pins.cp is None:
            continue
        replicas, rest = divmod(one.devices, one.pins.tp * one.pins.pp * one.pins.cp)
        assert rest == 0, one.record.id
        if one.micro_batches is not None and one.pins.micro_batch_size is not None:
            batch = one.pins.micro_batch_size * one.micro_batches * replicas
            assert batch == one.workload.global_batch_size, one.record.id
            checked += 1
    assert checked > 250


def test_reconstructed_shapes_have_the_stated_parameters() -> None:
    off = [
        one.record.id
        for one in answers().values()
        if isinstance(one, Posed)
        and one.record.model.total_params_b
        and abs(count_parameters(one.architecture).total / 1e9 / one.record.model.total_params_b - 1) > 0.03
    ]
    # Its record counts the one layer as dense, with the width of an expert.
    assert off == ["mindspeed-ci-pretrain-minimax27-4k-a3-ptd-l1tp1pp1ep4"]


def test_classes_of_evidence_of_the_runs_with_a_rate() -> None:
    traps = read_traps(RUNS)
    clean = [
        one.evidence
        for one in answers().values()
        if isinstance(one, Posed) and one.record.use.throughput and one.record.id not in traps
    ]
    assert Counter(clean) == {
        Evidence.LAYOUT_KNOWN: 248,
        Evidence.OPTIONS_UNKNOWN: 155,
        Evidence.LAYOUT_UNKNOWN: 34,
    }


def test_ids_and_names_change_nothing() -> None:
    for record in runs():
        one = answers()[record.id]
        if isinstance(one, str):
            continue
        source = replace(record.source, title=None, where=None, path_or_url=None, reliability=None)
        model = replace(record.model, name="no name", params_source=None)
        nameless = replace(record, id="x", source=source, model=model, notes=None, as_reported=None)
        other = pose_run(nameless, catalogue())
        assert isinstance(other, Posed)
        assert (other.pins, other.workload, other.recipe) == (one.pins, one.workload, one.recipe)


def test_all_devices_and_stacks_of_the_tables_are_in_the_catalogue() -> None:
    constants = {one.accelerator for one in catalogue().all(Calibration)}
    stacks = {one.id for one in catalogue().all(SoftwareStack)}
    assert {name for name in RUN_DEVICES.values() if catalogue().find(Accelerator, name) is None} == set()
    assert set(RUN_DEVICES.values()) <= constants
    assert set(FAMILY_STACKS.values()) | set(HABITS) <= stacks


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ascend-910B@Atlas-800T-A2", "ascend-910b3"),
        ("Ascend-910B@Atlas-900-A2-PODc", "ascend-910b2"),
        ("Ascend-910B3@somewhere", "ascend-910b3"),
        ("h100-sxm", "h100-sxm"),
        ("H100-80GB-PCIe", "h100-pcie"),
        ("A100-80GB-PCIe", "a100-80-pcie"),
        ("H100", "h100-sxm"),
        ("H20-96GB", "h20"),
        ("MI250X", "mi250x"),
        ("MI250X-GCD", "mi250x"),
        ("V100-32GB-SXM2", "v100-sxm2"),
        ("910B", "ascend-910b2"),
        ("Gaudi3", None),
        ("TPU-v5p", None),
        ("RTX-5090", None),
        (None, None),
    ],
)
def test_devices_by_name(name: str | None, expected: str | None) -> None:
    found = accelerator_of(name, catalogue())
    assert (found.id if found else None) == expected


@pytest.mark.parametrize(
    ("changes", "unit", "devices", "replicas"),
    [
        ({"accelerator": "Ascend-910C@Atlas-900-A3-SuperPoD", "num_accelerators": 8}, 2, 16, 2),
        ({"accelerator": "Ascend-910C-die", "num_accelerators": 16}, 1, 16, 2),
        ({"accelerator": "Ascend-910C", "num_accelerators": 16, "accelerators_per_node": 16}, 1, 16, 2),
        ({"accelerator": "Ascend-910C", "num_accelerators": 16, "accelerators_per_node": 8}, 2, 32, 4),
        ({"num_accelerators": 64}, 1, 64, 8),
        ({"num_accelerators": 60}, 1, 64, 8),
        ({"num_accelerators": None}, 1, 64, 8),
    ],
)
def test_dies_packages_and_devices(
    changes: dict[str, object], unit: int, devices: int, replicas: int
) -> None:
    one = posed("huawei_mindspeed", **changes)
    assert (one.devices_per_unit, one.devices) == (unit, devices)
    assert one.accelerators == devices / unit
    assert one.micro_batches == 128 // replicas


@pytest.mark.parametrize(
    ("accelerator", "node", "link", "server", "domain"),
    [
        ("GB200", 4, "NVLink 5", "gb200-nvl72", None),
        ("GB300", 4, None, "gb200-nvl72", None),
        ("H100-96GB-HBM2e-500W", 8, "NVLink", "dgx-h100", None),
        ("MI350X", 8, None, "smc-as-a126gs-tnmr", None),
        ("H200-NVL-141GB", 8, "4-way NVIDIA NVLINK bridge", "node-of-8-h200-nvl", 4),
        ("RTX-4090", 1, None, "node-of-1-rtx-4090", None),
        ("V100-SXM2", None, None, "node-of-8-v100-sxm2", None),
    ],
)
def test_servers_and_scale_up_domains(
    accelerator: str, node: int | None, link: str | None, server: str, domain: int | None
) -> None:
    one = posed(accelerator=accelerator, accelerators_per_node=node, intra_node_link=link, precision=None)
    assert (one.device.server.id, one.domain) == (server, domain)
    if accelerator.startswith("GB"):
        assert one.device.server.scale_up_domain == 72
    if server.startswith("node-of") or accelerator in {"GB300", "MI350X", "H100-96GB-HBM2e-500W"}:
        assert "server" in one.device.borrowed


@pytest.mark.parametrize(
    ("text", "node", "expected"),
    [
        ("4 x 100 Gb/s RoCE", 8, 6.25),
        ("800 Gb/s", 8, 12.5),
        ("800 Gb/s (from the repository configuration)", 8, 12.5),
        ("1600 Gb/s RoCE node-to-node", 8, 25),
        ("RoCE 200 Gb/s per device", 8, 25),
        ("RDMA 400 Gb/s per GPU", 8, 50),
        ("25 GB/s per GPU", 8, 25),
        ("3.2 Tb/s", 8, 50),
        ("400 Gb/s", 8, 50),  # the rate of one port of the server
        ("InfiniBand HDR, 8 per node (Selene)", 8, 25),
        ("InfiniBand HDR (Selene)", 8, 25),
        ("Omni-Path, 4 links per node", 8, 6.25),
        ("4x ConnectX-7 IB NDR 400Gb/s", 4, 50),
        ("4x ConnectX-8 IB XDR 800 Gb/s", 4, 100),
        ("8x ConnectX-7 IB NDR 400Gb/s + 200Gb/s Ethernet NIC", 8, 50),
        ("Storage&Compute: 4x ConnectX-7 IB NDR 400Gb/s, Management: 25Gb/s Ethernet NIC", 8, 25),
        ("Storage: 2x ConnectX-7 IB NDR 400Gb/s, Compute: 8x ConnectX-7 IB NDR 400Gb/s", 8, 50),
        ("InfiniBand; Data bandwidth for GPU-PCIe: 504 GB/s; PCIe-NIC: 500 GB/s", 8, None),
        ("10G Ethernet", 8, None),
        ("Infiniband, Ethernet", 8, None),
        ("carrier pigeons", 8, None),
        (None, 8, None),
    ],
)
def test_network_text(text: str | None, node: int, expected: float | None) -> None:
    rate = posed(inter_node_link=text, accelerators_per_node=node).nic_bytes_per_s
    assert rate == (None if expected is None else pytest.approx(expected * 1e9))


def test_a_bare_rate_that_is_no_port_of_the_server_is_that_of_the_node() -> None:
    rate = posed(accelerator="A100-80GB-SXM", inter_node_link="400 Gb/s").nic_bytes_per_s
    assert rate == pytest.approx(6.25e9)


@pytest.mark.parametrize(
    ("changes", "stack"),
    [
        ({"family": "megatron_lm", "source": {"year": 2021}}, "megatron-2021"),
        ({"family": "megatron_lm", "source": {"year": 2024}}, "megatron-core"),
        ({"family": "megatron_bridge"}, "megatron-bridge"),
        ({"family": "nobody-knows"}, "megatron-core"),
        ({"family": "nobody-knows", "source": {"year": 2022}}, "megatron-2021"),
        ({"family": "nobody-knows", "source": {"year": None}}, "megatron-core"),
        ({"family": "nobody-knows", "task": "lora"}, "huggingface-deepspeed"),
        ({"family": "nobody-knows", "parallel": {"pp": 1, "zero_stage": 3}}, "pytorch-fsdp"),
        ({"family": "nobody-knows", "parallel": {"pp": 1, "fsdp": "fsdp2"}}, "pytorch-fsdp"),
        ({"family": "nobody-knows", "accelerator": "MI300X"}, "primus"),
        ({"family": "nobody-knows", "accelerator": "MI300X", "task": "qlora"}, "huggingface-deepspeed"),
        ({"family": "torchtitan", "accelerator": "MI300X"}, "primus"),
        ({"family": "megatron_lm", "accelerator": "Ascend-910B"}, "mindspeed"),
        ({"family": "nobody-knows", "accelerator": "Ascend-910B", "task": "lora"}, "mindspeed"),
    ],
)
def test_the_stack_follows_family_vendor_and_year(changes: dict[str, Any], stack: str) -> None:
    assert posed(**changes).device.stack.id == stack


@pytest.mark.parametrize(
    ("family", "changes", "pins", "micro_batches"),
    [
        # Local batch under a pipeline: one micro-batch for each stage.
        (
            "torchtitan",
            {
                "num_accelerators": 512,
                "global_batch": {"samples": 256},
                "micro_batch": 32,
                "parallel": {"tp": 8, "pp": 8, "dp": 8, "cp": None, "fsdp": "fsdp2"},
                "recompute": "full",
            },
            {
                "micro_batch_size": 4,
                "virtual_pipeline": 1,
                "zero_stage": 3,
                "cp": 1,
                "sequence_parallel": True,
            },
            8,
        ),
        (
            "torchtitan",
            {"micro_batch": 2, "parallel": {"tp": 1, "pp": 1, "dp": 64}, "recompute": "selective"},
            {"micro_batch_size": 2, "recompute": Recompute.SELECTIVE, "sequence_parallel": False},
            1,
        ),
        # The same number is a micro-batch elsewhere.
        ("megatron_lm", {"micro_batch": 4}, {"micro_batch_size": 4}, 4),
        # More sequences than the batch has are no micro-batch.
        ("megatron_lm", {"micro_batch": 128}, {"micro_batch_size": None}, None),
        # One sequence a rank: the micro-batch follows.
        (
            "nobody-knows",
            {"micro_batch": None, "global_batch": {"samples": 8, "tokens": None}},
            {"micro_batch_size": 1},
            1,
        ),
        ("nobody-knows", {"micro_batch": None}, {"micro_batch_size": None}, None),
        # Virtual stages: stated, told by silence, unknown in tuned recipes.
        ("megatron_bridge", {"parallel": {"virtual_pipeline": 4}}, {"virtual_pipeline": 4}, 16),
        ("megatron_bridge", {}, {"virtual_pipeline": None, "sequence_parallel": True}, 16),
        ("mlperf_training", {}, {"virtual_pipeline": None}, 16),
        ("nemo_2407", {}, {"virtual_pipeline": None}, 16),
        ("dgxc_benchmarking", {}, {"virtual_pipeline": None}, 16),
        ("vtrain", {"recompute": None}, {"virtual_pipeline": 1, "sequence_parallel": False}, 16),
        ("simumax_b200", {}, {"virtual_pipeline": 1}, 16),
        ("nobody-knows", {"recompute": None}, {"virtual_pipeline": None, "recompute": None}, 16),
        ("megatron_bridge", {"parallel": {"pp": 1, "dp": 16}}, {"virtual_pipeline": 1}, 8),
        # Sharding, by its spellings.
        (
            "llm_foundry",
            {"parallel": {"tp": 1, "pp": 1, "dp": 64, "fsdp": "FULL_SHARD"}},
            {"zero_stage": 3},
            2,
        ),
        (
            "megatron_bridge",
            {"parallel": {"tp": 1, "pp": 1, "dp": 64, "fsdp": 8}},
            {"zero_stage": 3, "shard_group": 8},
            2,
        ),
        (
            "megatron_bridge",
            {"parallel": {"tp": 1, "pp": 1, "dp": 64, "fsdp": "64"}},
            {"zero_stage": 3, "shard_group": None},
            2,
        ),
        (
            "internevo",
            {"parallel": {"tp": 1, "pp": 1, "dp": 64, "zero_stage": 1}},
            {"zero_stage": 1, "shard_group": 8},
            2,
        ),
        ("megatron_lm", {"parallel": {"zero_stage": 0}}, {"zero_stage": 0}, 16),
        ("megatron_lm", {}, {"zero_stage": None, "shard_group": None, "sequence_parallel": None}, 16),
        # Context parallelism: what dp leaves, or the least that lets the batch have a sequence for each rank.
        ("mlperf_training", {"parallel": {"dp": 4, "cp": None}}, {"cp": 2}, 32),
        (
            "mlperf_training",
            {"parallel": {"dp": None, "cp": None}, "global_batch": {"samples": 2, "tokens": None}},
            {"cp": 4},
            1,
        ),
        ("mlperf_training", {"parallel": {"dp": None, "cp": None}}, {"cp": 1}, 16),
        # Hugging Face scripts recompute unless they are told not to.
        ("qwen_finetune", {"recompute": None, "task": "lora"}, {"recompute": Recompute.FULL}, 16),
    ],
)
def test_pins(
    family: str, changes: dict[str, Any], pins: dict[str, object], micro_batches: int | None
) -> None:
    one = posed(family, **changes)
    assert {name: getattr(one.pins, name) for name in pins} == pins
    assert one.micro_batches == micro_batches


@pytest.mark.parametrize(
    ("text", "virtual", "mode", "layers"),
    [
        ("none", None, Recompute.NONE, None),
        ("selective", None, Recompute.SELECTIVE, None),
        ("full", None, Recompute.FULL, None),
        ("full, method uniform, layers 1", None, Recompute.FULL, None),
        ("full, method block, layers 1", 4, Recompute.FULL, 4),
        ("full, method block, layers 8", None, Recompute.FULL, 8),
        ("full (first 11 layers, block)", None, Recompute.FULL, 11),
        ("full (first 21 layers, block)", None, Recompute.FULL, None),  # more than a stage of 16 has
        ("partial [8, 8, 8, 7, 7, 5, 4, 2]", None, Recompute.FULL, 8),
        ("partial [0, 0]", None, None, None),
        ("by the light of the moon", None, None, None),
        (None, None, None, None),
    ],
)
def test_recomputation_text(
    text: str | None, virtual: int | None, mode: Recompute | None, layers: int | None
) -> None:
    pins = posed(recompute=text, parallel={"virtual_pipeline": virtual}).pins
    assert (pins.recompute, pins.recompute_layers) == (mode, layers)


@pytest.mark.parametrize(
    ("changes", "evidence"),
    [
        ({}, Evidence.LAYOUT_KNOWN),
        ({"micro_batch": None}, Evidence.OPTIONS_UNKNOWN),
        ({"recompute": None}, Evidence.OPTIONS_UNKNOWN),
        ({"family": "qwen_finetune", "recompute": None}, Evidence.OPTIONS_UNKNOWN),
        ({"parallel": {"tp": None}}, Evidence.LAYOUT_UNKNOWN),
        ({"parallel": {"pp": None}}, Evidence.LAYOUT_UNKNOWN),
    ],
)
def test_evidence(changes: dict[str, Any], evidence: Evidence) -> None:
    assert posed(**changes).evidence is evidence


@pytest.mark.parametrize(
    ("accelerator", "family", "stated", "expected"),
    [
        ("H100-80GB-SXM", "megatron_bridge", "mxfp8", Precision.FP8),
        ("B200-180GB-SXM", "mlperf_training", "nvfp4", Precision.FP4),
        ("H100-80GB-SXM", "mlperf_training", "fp4", Precision.FP8),
        ("H100-80GB-SXM", "mlperf_training", None, Precision.FP8),
        ("A100-80GB", "mlperf_training", None, Precision.BF16),
        ("H100-80GB-SXM", "nobody-knows", None, Precision.BF16),
        ("V100-SXM2", "nobody-knows", "bf16", Precision.FP16),
        ("A100-80GB", "qwen_finetune", "int4-weights+fp16", Precision.FP16),
    ],
)
def test_precision(accelerator: str, family: str, stated: str | None, expected: Precision) -> None:
    assert posed(family, accelerator=accelerator, precision=stated).workload.precision is expected


@pytest.mark.parametrize(
    ("changes", "sequence", "batch", "assumed"),
    [
        ({"sequence_length": None}, 8192, 128, ()),
        (
            {"sequence_length": None, "global_batch": None, "extra": {"longest_example_tokens": 1304}},
            1304,
            80,
            ("global_batch",),
        ),
        ({"global_batch": {"samples": None}}, 8192, 128, ()),
        # 10 micro-batches on two stages, 8 ranks; without a pipeline one a rank.
        ({"global_batch": None}, 8192, 80, ("global_batch",)),
        ({"global_batch": None, "parallel": {"pp": 1, "dp": 16}}, 8192, 16, ("global_batch",)),
        # Not beyond 16.8 M tokens of a step: 32 of 80 micro-batches.
        (
            {"global_batch": None, "num_accelerators": 8192, "parallel": {"tp": 8, "pp": 16, "dp": 64}},
            8192,
            2048,
            ("global_batch",),
        ),
        # Layout unknown: about 4 M tokens, a multiple of the devices.
        ({"global_batch": None, "parallel": {"tp": None, "pp": None}}, 8192, 512, ("global_batch",)),
        (
            {"global_batch": None, "parallel": None, "num_accelerators": None, "sequence_length": None},
            4096,
            1024,
            ("sequence_length", "num_accelerators", "global_batch"),
        ),
        (
            {"global_batch": None, "parallel": None, "num_accelerators": None, "task": "full_finetune"},
            8192,
            8,
            ("num_accelerators", "global_batch"),
        ),
    ],
)
def test_what_a_problem_needs_is_assumed_and_said(
    changes: dict[str, Any], sequence: int, batch: int, assumed: tuple[str, ...]
) -> None:
    one = posed(**changes)
    assert (one.workload.sequence_length, one.workload.global_batch_size) == (sequence, batch)
    assert one.assumed == assumed


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({"head_dim": None}, {"head_dim": 128}),
        ({"head_dim": None, "heads": None}, {"attention_heads": 32, "head_dim": 128}),
        ({"kv_heads": None}, {"kv_heads": 32}),
        ({"kv_heads": 5}, {"kv_heads": 32}),
        ({"ffn_hidden": None}, {"ffn_hidden_size": 14336}),
        ({"ffn_hidden": None, "total_params_b": None}, {"ffn_hidden_size": 11008}),
        ({"ffn_hidden": 16384, "gated_mlp": None}, {"mlp_type": "gelu"}),
        ({"gated_mlp": None}, {"mlp_type": "swiglu"}),
        ({"vocab": None}, {"vocab_size": 32000}),
        ({"mla": True, "head_dim": 56, "kv_heads": None}, {"head_dim": 192, "kv_heads": 32}),
    ],
)
def test_odd_dense_shapes(model: dict[str, object], expected: dict[str, object]) -> None:
    shape = posed(model=model).architecture
    assert {name: getattr(shape, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({"ffn_hidden": None, "dense_layers": None}, {"expert_ffn_hidden_size": 2048, "dense_layers": 0}),
        ({"moe_ffn_hidden": None}, {"expert_ffn_hidden_size": 14336}),
        ({"top_k": None}, {"top_k": 8}),
        ({"top_k": None, "experts": 8}, {"top_k": 2}),
        ({"layers": 4, "dense_layers": 4}, {"dense_layers": 1}),
        ({"layers": 1, "dense_layers": 1}, {"dense_layers": 0}),
        ({"layers": 4, "dense_layers": 3}, {"dense_layers": 3}),
    ],
)
def test_odd_routed_shapes(model: dict[str, object], expected: dict[str, object]) -> None:
    routed = {"family": "moe", "experts": 64, "top_k": 8, "moe_ffn_hidden": 2048, "dense_layers": 0}
    moe = posed(model={**routed, **model}).architecture.moe
    assert moe is not None
    assert {name: getattr(moe, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("hidden", "dims", "rank"),
    [
        (7168, None, 1536),
        (2048, None, None),
        (7168, {"kv_lora_rank": 512, "q_lora_rank": None}, None),
        (7168, {"kv_lora_rank": 256, "q_lora_rank": 768}, 768),
    ],
)
def test_latent_attention_without_stated_ranks(
    hidden: int, dims: dict[str, object] | None, rank: int | None
) -> None:
    mla = posed(model={"hidden": hidden, "heads": 16, "mla": True, "mla_dims": dims}).architecture.mla
    assert mla is not None
    assert (mla.q_lora_rank, mla.qk_nope_head_dim + mla.qk_rope_head_dim, mla.v_head_dim) == (rank, 192, 128)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model": {"layers": None}}, "layers and hidden size"),
        ({"model": {"hidden": None}}, "layers and hidden size"),
        ({"model": {"family": "moe"}}, "mixture of experts"),
        ({"model": {"experts": 8, "top_k": 9, "moe_ffn_hidden": 64}}, "contradicts itself"),
        ({"accelerator": "Gaudi2"}, "no plugin has the device Gaudi2"),
        ({"accelerator": None}, "no plugin has the device"),
    ],
)
def test_reasons(changes: dict[str, Any], reason: str) -> None:
    item = {**RUN, **changes, "model": {**LLAMA, **changes.get("model", {})}}
    answer = pose_run(record_from(item), catalogue())
    assert isinstance(answer, str)
    assert reason in answer


@pytest.mark.parametrize(
    ("family", "changes", "figures"),
    [
        ("megatron_lm", {}, {"gradient_bytes": 4, "total_bytes": 18, "logit_bytes": 2}),
        ("megatron_bridge", {}, {"gradient_bytes": 2, "total_bytes": 16, "logit_bytes": 2}),
        ("nemo_2407", {}, {"gradient_bytes": 2, "logit_bytes": 2}),
        ("huawei_modellink", {"accelerator": "Ascend-910B"}, {"gradient_bytes": 2, "logit_bytes": 4}),
        ("torchtitan", {}, {"total_bytes": 16, "logit_bytes": 14, "constant_bytes": 0.5e9}),
        (
            "qwen_finetune",
            {"task": "full_finetune"},
            {"total_bytes": 20, "logit_bytes": 8, "constant_bytes": 2e9},
        ),
        ("qwen_finetune", {"task": "qlora"}, {"total_bytes": 18, "frozen_linear_bytes": 0.56}),
        ("megatron_bridge", {"task": "lora"}, {"total_bytes": 18, "frozen_bytes": 2.0}),
        (
            "torchtune",
            {"task": "full_finetune", "num_accelerators": 1, "parallel": {"tp": 1, "pp": 1, "dp": 1}},
            {"total_bytes": 2, "logit_bytes": 1},
        ),
        ("torchtune", {"task": "full_finetune"}, {"total_bytes": 20, "logit_bytes": 1}),
        ("torchtune", {"task": "lora"}, {"total_bytes": 8, "logit_bytes": 1, "constant_bytes": 0.2e9}),
    ],
)
def test_memory_recipes(family: str, changes: dict[str, Any], figures: dict[str, float]) -> None:
    recipe = posed(family, **changes).recipe
    assert {name: getattr(recipe, name) for name in figures} == figures


@pytest.mark.parametrize(
    ("targets", "mla", "expected"),
    [
        ("attention projections", False, ("q", "k", "v", "o")),
        ("attention projections", True, ("q_down", "q_up", "kv_down", "kv_up", "o")),
        (".*wq|.*wk|.*wv", False, ("q", "k", "v")),
        ("linear_qkv, linear_proj", False, ("q", "k", "v")),
        ("q_proj, v_proj", False, ("q", "v")),
        ("gate_proj, up_proj", False, ("gate", "up")),
        ("attention and MLP projections", False, ("q", "k", "v", "o", "gate", "up", "down")),
        ("all linear layers", False, ("q", "k", "v", "o", "gate", "up", "down")),
        ("see script", False, None),
        (None, False, None),
    ],
)
def test_adapted_matrices(targets: str | None, mla: bool, expected: tuple[str, ...] | None) -> None:  # noqa: FBT001
    one = posed(task="lora", lora={"rank": 16, "targets": targets}, model={"hidden": 7168, "mla": mla})
    assert one.lora_targets == expected
    assert one.workload.lora_rank == 16


def test_full_training_has_no_adapters() -> None:
    one = posed(lora={"rank": 16, "targets": "attention"})
    assert (one.workload.task, one.workload.lora_rank, one.lora_targets) == (Task.PRETRAIN, 0, None)


def _leaves(item: dict[str, Any], at: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for key, value in item.items():
        found.append((*at, key))
        if isinstance(value, dict):
            found += _leaves(value, (*at, key))
    return found


@pytest.mark.parametrize("path", _leaves(RUN), ids=".".join)
@pytest.mark.parametrize("value", [None, 0, 7, "a word nobody knows"])
def test_any_field_may_be_null_or_odd(path: tuple[str, ...], value: object) -> None:
    item = copy.deepcopy(RUN)
    inner = item
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    answer = pose_run(record_from(item), catalogue())
    if isinstance(answer, str):
        assert path[0] in {"model", "accelerator"}
    else:
        assert answer.devices >= 1
        assert answer.workload.global_batch_size >= 1
        assert answer.micro_batches is None or answer.micro_batches >= 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "traps").mkdir()
    return tmp_path


def test_the_traps_are_runs_that_may_score_a_rate_each_with_a_reason() -> None:
    traps = read_traps(RUNS)
    scoring = {record.id for record in runs() if record.use.throughput}
    assert len(traps) == 28
    assert set(traps) <= scoring
    assert all(len(reason) > 20 for reason in traps.values())


def test_a_folder_without_a_list_has_no_traps(tmp_path: Path) -> None:
    assert read_traps(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("- {id: a, reason: odd}\n- {id: a, reason: twice}\n- {id: b}\n- 3\n", 3),
        ("a: odd\n", 1),
        ("- [\n", 1),
    ],
)
def test_a_wrong_list_of_traps_is_told_at_once(folder: Path, text: str, faults: int) -> None:
    (folder / "traps" / "traps.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_traps(folder)
    assert len(caught.value.faults) == faults
    assert "traps.yaml" in str(caught.value)
