"""Words of the terminal output in both languages; documents have their own message catalogue."""

from __future__ import annotations

from typing import Final

__all__ = ["LABELS", "UNITS", "WORDS", "Voice"]

LABELS: Final[dict[str, tuple[str, str]]] = {
    "accelerators": ("加速卡", "accelerators"),
    "servers": ("服务器", "servers"),
    "spares": ("备用 {0} 台", "{0} spare"),
    "layout": ("并行布局", "layout"),
    "days": ("训练天数 P50", "days, P50"),
    "range": ("P10–P90", "P10–P90"),
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
    "model": ("模型", "model"),
    "parameters": ("参数量", "parameters"),
    "active": ("激活参数量", "active parameters"),
    "work": ("每词元训练计算量", "training work per token"),
    "tokens": ("词元", "tokens"),
    "deadline": ("期限", "deadline"),
    "written": ("已写入 {0} 个文件到 {1}", "wrote {0} files to {1}"),
    "setting": ("键", "key"),
    "value": ("取值", "value"),
    "reason": ("理由", "reason"),
    "sources": ("来源", "sources"),
    "step": ("步骤", "step"),
    "numbers": ("代入数值", "numbers"),
    "result": ("结果", "result"),
    "claimed": ("声称", "claimed"),
    "implied": ("隐含 MFU", "implied MFU"),
    "fits": ("显存放得下", "fits in memory"),
    "static": ("每卡模型状态", "model states per device"),
    "right-days": ("实际需要天数", "really needs, days"),
    "right-accelerators": ("如期所需加速卡", "accelerators for the claimed time"),
    "factor": ("相差倍数", "off by a factor of"),
    "yes": ("是", "yes"),
    "no": ("否", "no"),
    "unknown": ("未知", "unknown"),
    "bill": ("清单", "bill"),
    "wrote": ("已写入 {0}", "wrote {0}"),
    "next": ("下一步：{0}", "next: {0}"),
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
    "plausible": ("可信", "plausible"),
    "optimistic": ("偏乐观", "optimistic"),
    "impossible": ("不可能", "impossible"),
    "does-not-fit": ("显存放不下", "does not fit"),
    "pessimistic": ("偏保守", "pessimistic"),
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
}
"""Words for the values of enumerations."""

UNITS: Final[dict[str, tuple[str, str]]] = {
    "day": ("天", "days"),
    "device": ("卡", "devices"),
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

    def _pick(self, pair: tuple[str, str]) -> str:
        return pair[0] if self.chinese else pair[1]
