"""The rules that give quantities, as formulas with names, in both languages.

A `Rule` of the bill holds a key of `RULES` and its numbers; `rule_text` puts the two together for a reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.planning.rules_bill import BILL_RULES
from suanli.planning.rules_facility import FACILITY_RULES
from suanli.planning.rules_network import NETWORK_RULES

if TYPE_CHECKING:
    from suanli.planning.results import BillItem, Rule

__all__ = ["RULES", "quantity_text", "rule_text"]

RULES: dict[str, Text] = {
    "servers": Text(
        zh="加速器 {accelerators} ÷ 每台 {per_server}，向上取整",
        en="ceil({accelerators} accelerators / {per_server} per server)",
    ),
    "spare-servers-stated": Text(zh="项目文件给定", en="stated in the project file"),
    "leaf-switches": Text(
        zh="{tiers} 层网络：{endpoints} 个端口，每台叶交换机下联 {down} 口",
        en="{tiers}-tier network: {endpoints} ports, {down} ports down per leaf",
    ),
    "spine-switches": Text(
        zh="叶 {leaf} 台 × 上联 {up} 口，交换机 {radix} 口，链路均匀分布",
        en="{leaf} leaves x {up} ports up, switches of {radix} ports, links spread evenly",
    ),
    "core-switches": Text(
        zh="汇聚上联 {links} 条 ÷ {radix} 口，向上取整",
        en="ceil({links} links up from the spines / {radix} ports)",
    ),
    "network-unknown": Text(
        zh="交换机型号或端口数未知，数量待报价确定",
        en="switch model or port count unknown; to be fixed by quotation",
    ),
    "storage-local": Text(
        zh="{servers} 台各存一份：{capacity} TB ÷ 镜像 {usable}，向上取整，装入服务器",
        en="a copy in each of {servers} servers: ceil({capacity} TB / mirrored {usable}), fitted into them",
    ),
    "management-servers": Text(
        zh="3 + 服务器 {servers} ÷ {per_server} 向上取整 − 1",
        en="3 + ceil({servers} servers / {per_server}) - 1",
    ),
    "same-as-servers": Text(zh="与服务器数量相同：{servers} 台", en="one for each of {servers} servers"),
    "software-devices": Text(
        zh="每张加速卡一份，共 {accelerators} 份", en="one for each of {accelerators} devices"
    ),
    "once": Text(zh="整个项目一项", en="once for the project"),
    **BILL_RULES,
    **NETWORK_RULES,
    **FACILITY_RULES,
}
"""Formula texts by key; the names in braces are the rule's numbers."""


def quantity_text(item: BillItem) -> Text:
    """Return the rule of a quantity; where it was changed by hand, what the rule gives is said first."""
    rule = rule_text(item.rule)
    if item.as_sized is None:
        return rule
    return Text(
        zh=f"人工改动（按规则为 {item.as_sized:,}）；{rule.zh}",
        en=f"changed by hand (by the rule: {item.as_sized:,}); {rule.en}",
    )


def rule_text(rule: Rule) -> Text:
    """Return a rule with its numbers put in, in both languages.

    A key that is not in `RULES` is a plugin's own formula and is shown as it stands.

    Raises:
        KeyError: a number of the formula is missing.
    """
    template = RULES.get(rule.key, Text(zh=rule.key, en=rule.key))
    numbers = dict(rule.numbers)
    return Text(zh=template.zh.format_map(numbers), en=template.en.format_map(numbers))
