"""The ``model`` section of the project file: a reference, a bare parameter count, or a shape written out."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, model_validator

from suanli.project import kinds
from suanli.project.kinds import about

__all__ = ["Keys", "MlaKeys", "ModelKeys", "MoeKeys"]


class Keys(BaseModel):
    """A mapping with a fixed set of keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class MoeKeys(Keys):
    """Routed feed-forward blocks of a mixture of experts."""

    experts: Annotated[kinds.Size, about("Routed experts per layer.", "每层路由专家数。", 256)]
    top_k: Annotated[kinds.Size, about("Routed experts a token passes.", "每个词元激活的路由专家数。", 8)]
    expert_ffn_hidden: Annotated[kinds.Size, about("Width of one expert.", "单个专家的中间层宽度。", 2048)]
    shared_expert_ffn_hidden: Annotated[
        kinds.SizeOrZero, about("Width of all shared experts together.", "共享专家的合计宽度。", 2048)
    ] = 0
    dense_layers: Annotated[
        kinds.SizeOrZero, about("Leading layers without experts.", "前部不含专家的层数。", 3)
    ] = 0
    shared_expert_gate: Annotated[
        kinds.YesNo | None,
        about("Whether a gate weighs the shared experts.", "共享专家是否带门控。", "false"),
    ] = None
    router_bias: Annotated[
        kinds.YesNo | None, about("Whether the router has a bias.", "路由器是否带偏置。", "false")
    ] = None
    expert_bias: Annotated[
        kinds.YesNo | None, about("Whether experts have biases.", "专家是否带偏置。", "false")
    ] = None
    layer_interval: Annotated[
        kinds.Size, about("Every how many layers one is routed.", "每隔几层设置一个专家层。", 1)
    ] = 1


class MlaKeys(Keys):
    """Multi-head latent attention."""

    kv_lora_rank: Annotated[kinds.Size, about("Rank of the key-value compression.", "键值压缩的秩。", 512)]
    qk_nope_head_dim: Annotated[kinds.Size, about("Head width without rotation.", "不旋转部分的头宽。", 128)]
    qk_rope_head_dim: Annotated[kinds.Size, about("Head width with rotation.", "旋转部分的头宽。", 64)]
    v_head_dim: Annotated[kinds.Size, about("Head width of values.", "值的头宽。", 128)]
    q_lora_rank: Annotated[
        kinds.Size | None, about("Rank of the query compression.", "查询压缩的秩。", 1536)
    ] = None


class ModelKeys(Keys):
    """The model: a reference (catalogue id or path to a config.json), a bare parameter count, or a shape."""

    reference: Annotated[
        kinds.Name | None,
        about(
            "Catalogue id or path to a Hugging Face config.json; as writing it in place of the mapping.",
            "模型目录标识，或 Hugging Face config.json 的路径；与直接写该值等效。",
            "qwen2.5-72b",
        ),
    ] = None
    parameters: Annotated[
        kinds.Parameters | None,
        about(
            "Bare parameter count; the shape is then assumed.", "仅给出参数量；结构按同规模模型假定。", "72B"
        ),
    ] = None
    name: Annotated[
        kinds.Line | None, about("Name to print for the model.", "模型在文档中的名称。", "House 72B")
    ] = None
    layers: Annotated[kinds.Size | None, about("Transformer layers.", "层数。", 80)] = None
    hidden: Annotated[kinds.Size | None, about("Hidden size.", "隐藏层宽度。", 8192)] = None
    ffn_hidden: Annotated[kinds.Size | None, about("Feed-forward width.", "前馈层宽度。", 29568)] = None
    heads: Annotated[kinds.Size | None, about("Attention heads.", "注意力头数。", 64)] = None
    kv_heads: Annotated[
        kinds.Size | None, about("Key-value heads; left out: as heads.", "键值头数；省略则同头数。", 8)
    ] = None
    head_dim: Annotated[
        kinds.Size | None, about("Head width; left out: hidden / heads.", "头宽；省略则为宽度除以头数。", 128)
    ] = None
    vocab: Annotated[kinds.Size | None, about("Vocabulary size.", "词表大小。", 152064)] = None
    mlp: Annotated[kinds.MlpKind | None, about("Feed-forward block.", "前馈层类型。", "swiglu")] = None
    tied_embeddings: Annotated[
        kinds.YesNo | None,
        about("Whether input and output share embeddings.", "输入输出嵌入是否共享。", "false"),
    ] = None
    qkv_bias: Annotated[
        kinds.YesNo | None,
        about("Whether query, key and value have biases.", "查询、键、值是否带偏置。", "true"),
    ] = None
    qk_norm: Annotated[
        kinds.YesNo | None, about("Whether query and key are normalised.", "查询和键是否归一化。", "false")
    ] = None
    output_bias: Annotated[
        kinds.YesNo | None,
        about("Whether the attention output has a bias.", "注意力输出是否带偏置。", "false"),
    ] = None
    mlp_bias: Annotated[
        kinds.YesNo | None, about("Whether feed-forward layers have biases.", "前馈层是否带偏置。", "false")
    ] = None
    norm_bias: Annotated[
        kinds.YesNo | None, about("Whether norms have biases.", "归一化层是否带偏置。", "false")
    ] = None
    norms_per_layer: Annotated[kinds.Size | None, about("Norms per layer.", "每层归一化的个数。", 2)] = None
    learned_positions: Annotated[
        kinds.SizeOrZero | None, about("Rows of a learned position table.", "可学习位置表的行数。", 0)
    ] = None
    extra_parameters: Annotated[
        kinds.AnySize | None,
        about("Parameters of tensors that no other key describes.", "其他键未描述的张量的参数量。", 0),
    ] = None
    max_context: Annotated[kinds.Size | None, about("Longest context.", "最大上下文长度。", 131072)] = None
    moe: Annotated[
        MoeKeys | None,
        about("Mixture of experts.", "混合专家。", {"experts": 8, "top_k": 2, "expert_ffn_hidden": 14336}),
    ] = None
    mla: Annotated[
        MlaKeys | None,
        about(
            "Latent attention.",
            "潜在注意力。",
            {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128},
        ),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _take_reference(cls, value: object) -> object:
        return {"reference": value} if isinstance(value, str | int | float) else value
