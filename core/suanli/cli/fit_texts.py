"""Words of the answer to ``suanli fit``, Chinese first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from suanli.cli.texts import Voice

__all__ = ["say"]

_TEXTS: Final[dict[str, tuple[str, str]]] = {
    "full": ("全参数微调", "full"),
    "lora": ("LoRA", "LoRA"),
    "qlora": ("QLoRA（4 位基座）", "QLoRA (4-bit base)"),
    "pretrain": ("预训练", "pre-training"),
    "fits": ("放得下", "fits"),
    "fits-with-warning": ("勉强放得下（低于预留）", "fits with warning (below the reserve)"),
    "does-not-fit": ("放不下", "does not fit"),
    "title": ("{0}，{1} B 参数，序列 {2} 词元", "{0}, {1} B parameters, sequences of {2} tokens"),
    "on": ("{0}：{1} × {2}", "{0} on {1} × {2}"),
    "servers": ("，{0} × {1}", " in {0} × {1}"),
    "generic": ("{0} GB 显存的卡", "card of {0} GB"),
    "setting": (
        "软件栈 {0} · {1} · 微批 {2} · 重计算 {3} · ZeRO {4}",
        "stack {0} · {1} · micro-batch {2} · recompute {3} · ZeRO {4}",
    ),
    "layers": ("{0}（{1} 层）", "{0} ({1} layers)"),
    "loss-pieces": (" · 损失分 {0} 块", " · loss in {0} pieces"),
    "offloaded": (" · 卸载 {0}", " · offload {0}"),
    "recipe": (
        "每个可训练参数 {0} 字节：权重 {1}、梯度 {2}、优化器 {3}（{4}）",
        "{0} bytes a trained parameter: weights {1}, gradients {2}, optimizer {3} ({4})",
    ),
    "frozen": ("；冻结矩阵每参数 {0} 字节", "; {0} bytes a frozen matrix weight"),
    "per-card": ("每卡", "each card"),
    "per-die": ("每裸片", "each die"),
    "load": ("加载 GB", "load GB"),
    "step": ("训练步 GB", "step GB"),
    "save": ("保存 GB", "save GB"),
    "step-gib": ("训练步 GiB", "step GiB"),
    "holds": ("每卡持有", "holds of it"),
    "weights": ("权重", "weights"),
    "gradients": ("梯度", "gradients"),
    "optimizer": ("优化器状态", "optimizer"),
    "activations": ("激活值", "activations"),
    "logits": ("输出层与损失", "logits and loss"),
    "buffers": ("缓冲、通信与聚合", "buffers and gathered"),
    "total": ("合计", "total"),
    "whole": ("全部", "all"),
    "part": ("1/{0}", "1/{0}"),
    "own": ("自己的序列", "its own"),
    "in-host": ("在主机内存", "in host memory"),
    "usable": (
        "可用 {0} GB = {1} GiB（{2}）；留 {3} 预留后 {4} GB",
        "usable {0} GB = {1} GiB ({2}); {4} GB after the reserve of {3}",
    ),
    "peak-range": ("单步峰值 P10–P90：{0}–{1} GB", "peak of a step, P10 to P90: {0} to {1} GB"),
    "measured": ("实测", "measured"),
    "nominal": ("标称减去约定份额", "nominal less a stated share"),
    "host": ("每台服务器需主机内存 {0} GB，{1}", "host memory of each server: needs {0} GB, {1}"),
    "host-has": ("现有 {0} GB", "has {0} GB"),
    "host-unknown": ("现有多少未知", "what it has is not known"),
    "verdict-fits": ("结论：放得下，余量 {0}", "verdict: fits, {0} free"),
    "verdict-fits-with-warning": (
        "结论：放得下但有风险：峰值 {0} GB 超出预留线 {1} GB，碎片或更长的批次会使其溢出",
        "verdict: fits with warning: the peak of {0} GB is above {1} GB; fragmentation breaks it",
    ),
    "verdict-memory": (
        "结论：放不下：最省的布局每卡需 {0} GB（{2} GiB），可用 {1} GB",
        "verdict: does not fit: the leanest layout needs {0} GB ({2} GiB) a card, {1} GB are usable",
    ),
    "verdict-host-memory": (
        "结论：主机内存太小：每台需 {0} GB，现有 {1} GB",
        "verdict: host memory is too small: each server needs {0} GB and has {1} GB",
    ),
    "verdict-layout": (
        "结论：这样的布局无法启动",
        "verdict: no layout of this kind can be launched",
    ),
    "verdict-other": ("结论：无法计算：{0}", "verdict: cannot be computed: {0}"),
    "copies": (
        "多卡显存不能相加：表中标“全部”的部分每卡各持有一份",
        "memory of cards does not add up: each holds a copy of what the table marks with all",
    ),
    "rate": ("每卡约 {0} 词元/秒（P10–P90 {1}–{2}）", "about {0} tokens/s a card (P10–P90 {1}–{2})"),
    "no-rate": (
        "只核算显存：该卡的算力与服务器未知，不给出时间",
        "memory only: neither peak nor server of the card is known, so no time is told",
    ),
    "no-rate-stack": (
        "不给出时间：软件栈 {0} 在该卡上没有标定",
        "no time is told: stack {0} is not calibrated on this card",
    ),
    "no-rate-server": (
        "不给出时间：该卡的服务器与互联未知",
        "no time is told: server and links of the card are not known",
    ),
    "fewest": ("最少 {0} 张卡", "fewest cards: {0}"),
    "fewest-none": ("任何卡数都放不下", "no number of cards holds it in this way"),
    "longest": ("这些卡上最长序列 {0} 词元", "longest sequence on these cards: {0} tokens"),
    "longest-none": ("这些卡上任何序列长度都放不下", "no sequence length fits on these cards"),
    "context": ("（模型公布的上下文为 {0}）", " (the model's published context is {0})"),
    "way": ("出路 {0}：{1} → 每卡峰值 {2} GB（{3} GiB）{4}", "way out {0}: {1} → {2} GB ({3} GiB) a card{4}"),
    "way-cards": ("，{0} 张卡", ", {0} cards"),
    "way-host": ("，主机内存 {0} GB", ", host memory {0} GB"),
    "way-layout": ("，{0}", ", {0}"),
    "no-way": ("没有试到出路", "no way out was found"),
    "change-chunked-loss": ("损失分 {0} 块计算", "loss in {0} pieces"),
    "change-recompute": ("完全重计算", "full recomputation"),
    "change-micro-batch": ("微批 {0}", "micro-batch {0}"),
    "change-zero": ("ZeRO-{0}", "ZeRO-{0}"),
    "change-split-model": ("切分模型（{0}）", "split the model ({0})"),
    "change-offload": ("卸载 {0} 到主机", "offload {0} to the host"),
    "change-more-host-memory": ("增加主机内存", "more host memory"),
    "change-lora": ("改用 LoRA", "LoRA instead"),
    "change-qlora": ("改用 QLoRA", "QLoRA instead"),
    "change-shorter-sequence": ("序列缩短到 {0}", "sequences of {0} tokens"),
    "change-more-cards": ("{0} 张卡", "{0} cards"),
    "change-larger-card": ("换更大的卡 {0}", "larger card {0}"),
    "recompute": ("重计算", "recompute"),
    "method": ("方法", "method"),
    "verdict": ("结论", "verdict"),
    "cards": ("卡数", "cards"),
    "peak": ("峰值 GB", "peak GB"),
    "peak-gib": ("峰值 GiB", "peak GiB"),
    "fewest-cards": ("最少卡数", "fewest cards"),
    "longest-sequence": ("最长序列", "longest sequence"),
    "compared": ("各方法对比", "methods"),
}


def say(voice: Voice, key: str, *parts: object) -> str:
    """Return a text in the voice's language with its parts put in."""
    return voice.name(*_TEXTS[key]).format(*parts)
