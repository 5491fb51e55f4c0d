"""Names of features of a training framework and of the structural rules of launchers, as readers see them.

They stand here and not among the messages of the templates because notices name them too, and notices are
shown by commands that render nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.record import Text
from suanli.domain.software import StackFeature

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["feature_name", "listed", "rule_name"]

_FEATURES: Final = {
    StackFeature.BF16: Text(zh="BF16 训练", en="BF16 training"),
    StackFeature.FP16: Text(zh="FP16 训练", en="FP16 training"),
    StackFeature.FP8: Text(zh="FP8 训练", en="FP8 training"),
    StackFeature.FLASH_ATTENTION: Text(
        zh="FlashAttention 类融合注意力", en="Fused attention (FlashAttention)"
    ),
    StackFeature.MLA: Text(zh="多头潜在注意力（MLA）", en="Multi-head latent attention (MLA)"),
    StackFeature.MOE: Text(zh="混合专家（MoE）", en="Mixture of experts (MoE)"),
    StackFeature.LORA: Text(zh="LoRA 适配器", en="LoRA adapters"),
    StackFeature.QLORA: Text(zh="QLoRA（4 比特底座）", en="QLoRA (4-bit base)"),
    StackFeature.ZERO_1: Text(zh="优化器状态分片（ZeRO-1）", en="Sharded optimizer states (ZeRO-1)"),
    StackFeature.ZERO_2: Text(zh="梯度分片（ZeRO-2）", en="Sharded gradients (ZeRO-2)"),
    StackFeature.ZERO_3: Text(zh="权重分片（ZeRO-3、FSDP）", en="Sharded weights (ZeRO-3, FSDP)"),
    StackFeature.HSDP: Text(zh="混合分片（HSDP）", en="Hybrid sharding (HSDP)"),
    StackFeature.TENSOR_PARALLEL: Text(zh="张量并行", en="Tensor parallelism"),
    StackFeature.SEQUENCE_PARALLEL: Text(zh="序列并行", en="Sequence parallelism"),
    StackFeature.PIPELINE_PARALLEL: Text(zh="流水线并行", en="Pipeline parallelism"),
    StackFeature.INTERLEAVED_PIPELINE: Text(
        zh="交错流水线（虚拟级）", en="Interleaved pipeline (virtual stages)"
    ),
    StackFeature.CONTEXT_PARALLEL: Text(zh="上下文并行", en="Context parallelism"),
    StackFeature.EXPERT_PARALLEL: Text(zh="专家并行", en="Expert parallelism"),
    StackFeature.SELECTIVE_RECOMPUTE: Text(zh="选择性重计算", en="Selective recomputation"),
    StackFeature.FULL_RECOMPUTE: Text(zh="全部重计算", en="Full recomputation"),
    StackFeature.PARTIAL_RECOMPUTE: Text(zh="部分层重计算", en="Recomputation of some layers"),
    StackFeature.CHUNKED_LOSS: Text(zh="损失分块计算", en="Loss in pieces"),
    StackFeature.OPTIMIZER_OFFLOAD: Text(zh="优化器状态卸载", en="Optimizer offload"),
    StackFeature.WEIGHTS_OFFLOAD: Text(zh="权重卸载", en="Weights offload"),
    StackFeature.DISTRIBUTED_CHECKPOINT: Text(zh="分布式检查点", en="Distributed checkpoints"),
    StackFeature.ASYNC_CHECKPOINT: Text(zh="异步检查点", en="Asynchronous checkpoints"),
}
_RULES: Final = {
    "whole-nodes": Text(zh="每台服务器运行的设备数相同", en="Every server runs the same number of devices"),
    "heads-by-tp": Text(zh="注意力头数能被 TP 整除", en="TP divides the attention heads"),
    "groups-by-tp": Text(zh="键值头数与 TP 一方能整除另一方", en="Key-value heads and TP divide one another"),
    "layers-by-stages": Text(
        zh="层数能被流水线级数与虚拟级数之积整除", en="Stages times virtual stages divide the layers"
    ),
    "micro-batches-by-pp": Text(
        zh="交错流水线的微批次数能被级数整除",
        en="Under an interleaved pipeline the stages divide the micro-batches",
    ),
    "sequence-by-cp": Text(zh="序列长度能被 CP 的两倍整除", en="Twice CP divides the sequence length"),
    "sequence-by-tp": Text(
        zh="序列并行时序列长度能被 TP 与 CP 之积整除",
        en="TP times CP divides the sequence length under sequence parallelism",
    ),
    "experts-by-ep": Text(zh="专家数能被 EP 整除", en="EP divides the experts"),
    "ranks-by-ep": Text(zh="每个流水线级的设备数能被 EP 整除", en="EP divides the devices of a stage"),
    "experts-with-tp": Text(zh="EP 与 TP 同用时须开启序列并行", en="EP beside TP needs sequence parallelism"),
    "dense-below-stage": Text(zh="流水线各级不得只含稠密层", en="No stage may hold dense layers alone"),
    "empty-below-stage": Text(
        zh="LoRA 训练补入的空层少于一个虚拟级的层数",
        en="Under LoRA fewer empty layers are added than a virtual stage holds",
    ),
    "stages-by-layers": Text(
        zh="按每级层数切分得到的级数与布局一致",
        en="The layers of a stage give as many stages as the layout has",
    ),
    "shards-by-cp": Text(zh="分片组由完整的 CP 组构成", en="A group of shards holds whole CP groups"),
    "heads-by-cp": Text(zh="注意力头数能被 CP 整除", en="CP divides the attention heads"),
}


def feature_name(feature: StackFeature) -> Text:
    """Return the name of a feature."""
    return _FEATURES[feature]


def rule_name(key: str) -> Text:
    """Return the name of a structural rule, or its key where it has none."""
    return _RULES.get(key, Text(zh=key, en=key))


def listed(names: Iterable[Text]) -> Text:
    """Return names one after the other, in the punctuation of each language.

    >>> listed([Text(zh="甲", en="a"), Text(zh="乙", en="b")])
    Text(zh='甲；乙', en='a; b')
    """
    every = tuple(names)
    return Text(zh="；".join(one.zh for one in every), en="; ".join(one.en for one in every))
