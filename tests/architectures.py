"""Published models that several tests compute with; their records in the catalogue cite the configs."""

from __future__ import annotations

from typing import Final

from suanli.domain.architecture import Architecture, LatentAttention, MixtureOfExperts

LLAMA_2_7B: Final = Architecture(
    layers=32,
    hidden_size=4096,
    ffn_hidden_size=11008,
    attention_heads=32,
    kv_heads=32,
    head_dim=128,
    vocab_size=32000,
)
LLAMA_3_70B: Final = Architecture(
    layers=80,
    hidden_size=8192,
    ffn_hidden_size=28672,
    attention_heads=64,
    kv_heads=8,
    head_dim=128,
    vocab_size=128256,
)
DEEPSEEK_V3: Final = Architecture(
    layers=61,
    hidden_size=7168,
    ffn_hidden_size=18432,
    attention_heads=128,
    kv_heads=128,
    head_dim=192,
    vocab_size=129280,
    moe=MixtureOfExperts(
        experts=256,
        top_k=8,
        expert_ffn_hidden_size=2048,
        shared_expert_ffn_hidden_size=2048,
        dense_layers=3,
        router_bias=True,
    ),
    mla=LatentAttention(
        q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128
    ),
)
