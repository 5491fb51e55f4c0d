"""Words of the acceptance plan as text, in both languages."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from suanli.domain.record import Text

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PHASES", "WORDS", "word"]


def _text(zh: str, en: str) -> Text:
    return Text(zh=zh, en=en)


PHASES: Final[Mapping[str, Text]] = MappingProxyType(
    {
        "factory": _text("出厂", "Factory"),
        "arrival": _text("到货", "Arrival"),
        "single-node": _text("单节点", "Single node"),
        "cross-node": _text("跨节点", "Cross-node"),
        "storage": _text("存储", "Storage"),
        "burn-in": _text("烤机", "Burn-in"),
        "pilot": _text("试训", "Pilot"),
        "handover": _text("移交", "Handover"),
    }
)
"""Names of the phases, by their keys."""

STATUSES: Final[Mapping[str, Text]] = MappingProxyType(
    {
        "free": _text("可交付", "deliverable"),
        "licence": _text("需出口许可", "licence required"),
        "barred": _text("不得交付", "not deliverable"),
        "unknown": _text("未知", "unknown"),
    }
)
"""Delivery statuses, by their keys."""

TOOLS: Final[Mapping[str, Text]] = MappingProxyType(
    {
        one.en: one
        for one in (
            _text("供应商测试记录", "supplier test records"),
            _text("dmidecode、lspci、厂商清单工具", "dmidecode, lspci, vendor inventory tool"),
            _text("rdma、ethtool、交换机命令行、chronyc", "rdma, ethtool, switch CLI, chronyc"),
            _text("通信库日志、端口计数器", "collective library log, port counters"),
            _text("训练框架", "training framework"),
            _text("训练框架、调度器", "training framework, scheduler"),
            _text("管理控制器、配电单元计量", "BMC, PDU metering"),
            _text("机房计量", "site metering"),
            _text("核对清单", "checklist"),
            _text("MindSpeed-LLM 或 MindFormers", "MindSpeed-LLM or MindFormers"),
            _text("Megatron-Core 或 NeMo", "Megatron-Core or NeMo"),
            _text("DCGM 诊断（3、4 级）、nccl-tests", "DCGM diagnostics levels 3 and 4, nccl-tests"),
            _text("ROCm 验证套件、rccl-tests", "ROCm validation suite, rccl-tests"),
            _text("amd-smi、ROCm 验证套件", "amd-smi, ROCm validation suite"),
            _text("ascend-dmi 压力测试项、hccl_test", "ascend-dmi stress items, hccl_test"),
            _text("perftest ib_write_bw（启用 GPUDirect）", "perftest ib_write_bw with GPUDirect"),
            _text("perftest ib_write_bw（使用 GPU 显存）", "perftest ib_write_bw with GPU memory"),
        )
    }
)
"""Tools whose name in the data is words of English; others are the same in both languages."""

WORDS: Final[Mapping[str, Text]] = MappingProxyType(
    {
        "title": _text("验收方案：{project}", "Acceptance plan: {project}"),
        "subject": _text(
            "方案 {option}：{device}，{servers} 台服务器，{devices} 张加速卡；基准日 {day}",
            "Option {option}: {device}, {servers} servers, {devices} accelerators; as of {day}",
        ),
        "barred": _text(
            "注意：该方案的交付状态为“{status}”，不是推荐方案。",
            'Note: the delivery status of this option is "{status}"; it is not recommended.',
        ),
        "order": _text(
            "逐级进行，前一级签认后方可进入后一级；带宽测试三次取最低值。",
            "Each phase begins when the one before is signed off; of three bandwidth runs the worst counts.",
        ),
        "tool": _text("工具", "Tool"),
        "procedure": _text("方法", "Procedure"),
        "command": _text("命令", "Command"),
        "sizes": _text("规模", "Sizes"),
        "metric": _text("指标", "Metric"),
        "expected": _text("预期", "Expected"),
        "threshold": _text("通过值", "Pass value"),
        "rule": _text("判定", "Pass rule"),
        "sample": _text("抽样", "Sample"),
        "after": _text("前置", "After"),
        "script": _text("脚本", "Script"),
        "source": _text("来源", "Source"),
        "published": _text("公开通过值", "published"),
        "plan": _text("本方案测算", "worked out from this plan"),
        "supplier": _text("未公开，由供应商承诺", "none published: the supplier commits to one"),
        "pass-fail": _text("符合要求", "as required"),
        "allowed": _text(
            "不超过 {allowed} 次中断（{hours} h，平均无中断时间 {mtbf} h，期望 {expected} 次；"
            "达 {factor} 倍者九成被拒）",
            "at most {allowed} interruptions ({hours} h, mean time between interruptions {mtbf} h, mean "
            "{expected}; {factor} times the rate is rejected nine times in ten)",
        ),
        "nodes": _text("节点数", "Nodes"),
        "ranks": _text("进程数", "Ranks"),
        "line": _text("线速上限 GB/s", "Line-rate limit GB/s"),
        "counted": _text("方案所用值 GB/s", "Used by the plan GB/s"),
        "fault": _text("故障线 GB/s", "Fault line GB/s"),
        "sources": _text("资料来源", "Sources"),
    }
)
"""Texts by key; braces are filled in."""


def word(key: str, language: str, **values: object) -> str:
    """Return a text in a language, filled in."""
    text = WORDS[key]
    return (text.zh if language == "zh" else text.en).format(**values)
