"""Words of the terminal output in both languages; documents have their own message catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.domain.record import Text

from typing import Final

__all__ = ["LABELS", "UNITS", "WORDS", "Voice"]

LABELS: Final[dict[str, tuple[str, str]]] = {
    "accelerators": ("加速卡", "accelerators"),
    "servers": ("服务器", "servers"),
    "spares": ("备用 {0} 台", "{0} spare"),
    "layout": ("并行布局", "layout"),
    "days": ("训练天数 P50", "days, P50"),
    "range": ("P10–P90", "P10–P90"),
    "recipes": ("调优 / 未调优团队", "tuned / untuned team"),
    "mfu": ("MFU", "MFU"),
    "memory": ("显存 用量/可用", "memory used / usable"),
    "capex": ("采购总价（含税）", "CapEx incl. tax"),
    "tco": ("TCO（不含税）", "TCO excl. tax"),
    "energy": ("单次训练电量", "energy per run"),
    "binding": ("约束条件", "binding"),
    "verdict": ("结论", "verdict"),
    "compliance": ("交付", "delivery"),
    "shortfall": ("需要 / 现有", "need / have"),
    "remedies": ("出路", "ways out"),
    "incomplete": ("（不完整）", " (incomplete)"),
    "recommended": ("推荐方案：{0}", "recommended: {0}"),
    "none": ("没有可推荐的方案", "no option can be recommended"),
    "feasible": ("{0} 个方案中 {1} 个可行", "{1} of {0} options are feasible"),
    "claims": ("说法核查", "claims"),
    "assumptions": ("由工具选定的取值", "chosen by the tool"),
    "rules": ("另有 {0} 条规划取值，用 --explain 列出", "{0} planning rules beside; --explain lists them"),
    "worked": ("方案 {0} 的计算过程", "worked calculation of option {0}"),
    "notices": ("注意", "note"),
    "stale": ("推荐方案中 {0} 个价格已过有效期", "{0} prices of the recommended option are stale"),
    "weak": ("推荐方案依据 {0} 个低可信度数据", "{0} figures of the recommended option are of weak grade"),
    "prices": ("推荐方案的价格：{0} · 未定价 {1}", "prices of the recommended option: {0} · not priced {1}"),
    "origin-quote": ("报价", "quotation"),
    "origin-list": ("公开标价", "list"),
    "origin-press": ("媒体与社区", "press"),
    "origin-estimate": ("推算", "estimate"),
    "model": ("模型", "model"),
    "parameters": ("参数量", "parameters"),
    "active": ("激活参数量", "active parameters"),
    "work": ("每词元训练计算量", "training work per token"),
    "tokens": ("词元", "tokens"),
    "deadline": ("期限", "deadline"),
    "keep-inside": (
        "成本测算表、数据与项目文件列有各方案的型号与价格，只供内部使用，不随本文件发出。",
        "Cost sheet, data and project file name every option with its prices: they stay inside the house.",
    ),
    "written": ("已写入 {0} 个文件到 {1}", "wrote {0} files to {1}"),
    "setting": ("键", "key"),
    "value": ("取值", "value"),
    "reason": ("理由", "reason"),
    "sources": ("来源", "sources"),
    "formula": ("公式", "formula"),
    "numbers": ("代入数值", "numbers"),
    "result": ("结果", "result"),
    "claimed": ("声称", "claimed"),
    "implied": ("隐含 MFU", "implied MFU"),
    "fits": ("显存放得下", "fits in memory"),
    "static": ("每卡模型状态", "model states per device"),
    "implied-bandwidth": ("隐含带宽 / 实有", "implied bandwidth / there is"),
    "bound": ("物理界限", "physical bound"),
    "right": ("合理值", "right value"),
    "usable": ("每卡可用显存", "usable memory per device"),
    "least-accelerators": ("放得下的最少加速卡", "fewest accelerators that hold it"),
    "claimed-tokens_per_s": ("集群吞吐", "rate of all"),
    "claimed-tokens_per_s_per_accelerator": ("单卡吞吐", "rate of each"),
    "claimed-mfu": ("MFU", "MFU"),
    "claimed-fits": ("够用", "enough"),
    "claimed-memory": ("单卡显存峰值", "peak memory of each"),
    "claimed-states": ("全模型状态", "states of the model"),
    "claimed-optimizer": ("优化器状态", "optimizer states"),
    "claimed-weights": ("常驻权重", "resident weights"),
    "claimed-kv_cache": ("单条序列 KV 缓存", "KV cache of one sequence"),
    "claimed-time_per_output_token": ("单词元解码时间", "time per output token"),
    "claimed-network": ("服务器网络", "network of a server"),
    "claimed-peak": ("稠密峰值", "dense peak"),
    "claimed-device_memory": ("显存容量", "memory"),
    "claimed-none": ("", ""),
    "right-days": ("实际需要天数", "really needs, days"),
    "right-accelerators": ("如期所需加速卡", "accelerators for the claimed time"),
    "factor": ("相差倍数", "off by a factor of"),
    "yes": ("是", "yes"),
    "no": ("否", "no"),
    "unknown": ("未知", "unknown"),
    "bill": ("清单", "bill"),
    "wrote": ("已写入 {0}", "wrote {0}"),
    "next": ("下一步：{0}", "next: {0}"),
    "layouts": (
        "方案 {0} 的布局：比较 {1} 种，其中速度、显存与卡数均无更优者",
        "layouts of option {0}: of {1} looked at, those that none beats in rate, memory and devices",
    ),
    "fell": ("淘汰：{0}", "fell: {0}"),
    "rate": ("词元/秒", "tokens/s"),
    "step-s": ("步时 秒", "step, s"),
    "memory-gb": ("显存 GB", "memory, GB"),
    "headroom": ("余量", "head-room"),
    "further": ("其余 {0} 个方案，--json 列出全部数据", "{0} further options; --json has every figure"),
    "option": ("方案", "option"),
    "not-computable": ("无法计算的型号", "devices that cannot be computed"),
}
"""Labels and sentences, Chinese first."""

WORDS: Final[dict[str, tuple[str, str]]] = {
    # verdicts of options
    "recommended": ("推荐", "recommended"),
    "alternate": ("备选", "alternate"),
    "infeasible": ("不可行", "infeasible"),
    "barred": ("不得交付", "barred"),
    "over-budget": ("超预算", "over budget"),
    "not-computable": ("无法计算", "not computable"),
    # verdicts of claims
    "plausible": ("合理", "plausible"),
    "optimistic": ("偏乐观", "optimistic"),
    "impossible": ("物理上不可能", "physically impossible"),
    "does-not-fit": ("显存容纳不下", "does not fit"),
    "pessimistic": ("偏悲观", "pessimistic"),
    "implausible": ("不可信", "implausible"),
    "impractical": ("不现实", "impractical"),
    "not-expressible": ("无法量化核查", "not expressible"),
    # what binds
    "deadline": ("期限", "deadline"),
    "memory": ("显存", "memory"),
    "network": ("网络", "network"),
    "batch": ("批大小", "batch"),
    "budget": ("预算", "budget"),
    "node": ("整机", "whole node"),
    "pinned": ("用户指定", "pinned"),
    "precision": ("精度", "precision"),
    "calibration": ("无标定数据", "no calibration"),
    # delivery
    "free": ("可交付", "free"),
    "licence": ("需许可", "licence"),
    "unknown": ("未知", "unknown"),
    # ways out
    "more-time": ("放宽期限", "more time"),
    "more-accelerators": ("增加加速卡", "more accelerators"),
    "fewer-tokens": ("减少词元", "fewer tokens"),
    "more-budget": ("增加预算", "more budget"),
    "recompute": ("重计算", "recompute"),
    "shard-more": ("提高切分", "shard more"),
    "larger-memory": ("更大显存", "larger memory"),
    "larger-batch": ("增大批次", "larger batch"),
    "shorter-sequence": ("缩短序列", "shorter sequence"),
    "unpin": ("取消固定", "unpin"),
    "other-precision": ("更换精度", "other precision"),
    "lora": ("改用 LoRA", "use LoRA"),
    "offload": ("状态卸载到主机", "offload to the host"),
    "chunked-loss": ("损失分块计算", "loss in pieces"),
    # why layouts fell
    "fell-stack": ("软件栈不支持", "unsupported by the stack"),
    "fell-tp-heads": ("TP 不能整除注意力头或宽度", "heads or width not divisible by TP"),
    "fell-tp-domain": ("TP 超出高速互联域", "TP beyond the scale-up domain"),
    "fell-pp-layers": ("层数不能按 PP 均分", "layers not divisible by PP"),
    "fell-cp-sequence": ("序列不能按 CP 切分", "sequence not divisible by CP"),
    "fell-devices": ("所需卡数超出集群", "group larger than the cluster"),
    "fell-ep-data-parallel": ("EP 超出数据并行", "EP beyond data parallelism"),
    "fell-virtual-pipeline": ("虚拟级不能整除", "virtual stages not divisible"),
    "fell-batch": ("批量不能整除", "batch not divisible"),
    "fell-zero-pipeline": ("ZeRO 级别与流水线不兼容", "ZeRO stage incompatible with the pipeline"),
    "fell-shard-group": ("分片组不能整除", "shard group not divisible"),
    "fell-memory": ("显存不足", "memory"),
    "fell-exposed-communication": ("未掩盖通信超限", "too much exposed communication"),
}
"""Words for the values of enumerations."""

UNITS: Final[dict[str, tuple[str, str]]] = {
    "day": ("天", "days"),
    "device": ("卡", "devices"),
    "tokens/s": ("词元/秒", "tokens/s"),
    "token": ("词元", "tokens"),
    "sequence": ("条序列", "sequences"),
    "share": ("", ""),
    "times": ("倍", "×"),
    "count": ("", ""),
}
"""Unit keys that are words; the others are symbols and stand for themselves."""


class Voice:
    """Says a key in one language."""

    def __init__(self, language: str) -> None:
        """Speak Chinese where it is asked for; English to everybody else."""
        self.chinese = language == "zh"

    def __call__(self, key: str, *parts: object) -> str:
        """Return a label with its parts put in."""
        return self._pick(LABELS[key]).format(*parts)

    def word(self, key: str) -> str:
        """Return the word for a value of an enumeration, or the value itself."""
        return self._pick(WORDS[key]) if key in WORDS else key

    def unit(self, key: str) -> str:
        """Return a unit."""
        return self._pick(UNITS[key]) if key in UNITS else key

    def name(self, zh: str, en: str) -> str:
        """Return the name in this language."""
        return zh if self.chinese else en

    def said(self, text: Text) -> str:
        """Return a paired text in this language."""
        return self.name(text.zh, text.en)

    def _pick(self, pair: tuple[str, str]) -> str:
        return pair[0] if self.chinese else pair[1]
