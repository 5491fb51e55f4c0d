"""The rules that give quantities, as formulas with names, in both languages.

A `Rule` of the bill holds a key of `RULES` and its numbers; `rule_text` puts the two together for a reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.record import Text

if TYPE_CHECKING:
    from suanli.planning.results import Rule

__all__ = ["RULES", "rule_text"]

RULES: dict[str, Text] = {
    "servers": Text(
        zh="加速器 {accelerators} ÷ 每台 {per_server}，向上取整",
        en="ceil({accelerators} accelerators / {per_server} per server)",
    ),
    "spare-servers": Text(
        zh="维修中节点期望 {mean} 台，按 {confidence} 概率覆盖（泊松分布）",
        en="{mean} servers expected under repair, covered with probability {confidence} (Poisson)",
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
    "host-cables": Text(
        zh="{servers} 台服务器 × 每台 {ports} 个计算网口",
        en="{servers} servers x {ports} compute ports",
    ),
    "fabric-cables": Text(
        zh="交换机之间的上联链路 {links} 条",
        en="{links} links between switches",
    ),
    "host-transceivers": Text(
        zh="每根光缆在服务器侧一只，共 {cables} 根",
        en="one at the server end of each of {cables} optical cables",
    ),
    "switch-transceivers": Text(
        zh="服务器侧光缆 {cables} 根 ÷ 每口 {per_port} 根，加交换机间 {links} 条 × 2",
        en="{cables} host cables / {per_port} per port, plus 2 for each of {links} links between switches",
    ),
    "storage-flash": Text(
        zh="（数据 {dataset} TB + 检查点 {kept} × {checkpoint} TB）÷ 填充 {fill} ÷ 可用 {usable}，向上取整",
        en="ceil(({dataset} TB data + {kept} x {checkpoint} TB checkpoints) / fill {fill} / usable {usable})",
    ),
    "storage-local": Text(
        zh="{servers} 台各存一份：{capacity} TB ÷ 镜像 {usable}，向上取整，装入服务器",
        en="a copy in each of {servers} servers: ceil({capacity} TB / mirrored {usable}), fitted into them",
    ),
    "network-cabling": Text(
        zh="每个计算网口一份：光缆 {cables} 根、交换机互连 {links} 条、光模块 {modules} 端，{tiers} 层网络",
        en="one for each compute port: {cables} host cables, {links} links between switches, {modules} "
        "transceiver ends, {tiers} tiers",
    ),
    "storage-servers": Text(
        zh="裸容量 {raw} TB ÷ 每台 {per_server} TB，向上取整，至少 {minimum}",
        en="max({minimum}, ceil({raw} TB raw / {per_server} TB per server))",
    ),
    "management-servers": Text(
        zh="3 + 服务器 {servers} ÷ {per_server} 向上取整 − 1",
        en="3 + ceil({servers} servers / {per_server}) - 1",
    ),
    "management-switches": Text(
        zh="（服务器 {servers} × {ports} 口 + 管理服务器 {managers} × {ports} 口）÷ {radix} 口，向上取整",
        en="ceil(({servers} servers + {managers} management servers) x {ports} ports / {radix} ports)",
    ),
    "racks": Text(
        zh="服务器 {servers} 台 ÷ 每柜 {per_rack} 台，加网络、存储、管理 {support} 柜",
        en="{servers} servers / {per_rack} per rack, plus {support} for network, storage and management",
    ),
    "racks-unknown": Text(
        zh="服务器功率未知，机柜数待报价确定",
        en="server power unknown; number of racks to be fixed by quotation",
    ),
    "pdus": Text(zh="机柜 {racks} 个 × 每柜 {per_rack} 个", en="{racks} racks x {per_rack}"),
    "same-as-servers": Text(zh="与服务器数量相同：{servers} 台", en="one for each of {servers} servers"),
    "software-devices": Text(
        zh="每张加速卡一份，共 {accelerators} 份", en="one for each of {accelerators} devices"
    ),
    "once": Text(zh="整个项目一项", en="once for the project"),
}
"""Formula texts by key; the names in braces are the rule's numbers."""


def rule_text(rule: Rule) -> Text:
    """Return a rule with its numbers put in, in both languages.

    A key that is not in `RULES` is a plugin's own formula and is shown as it stands.

    Raises:
        KeyError: a number of the formula is missing.
    """
    template = RULES.get(rule.key, Text(zh=rule.key, en=rule.key))
    numbers = dict(rule.numbers)
    return Text(zh=template.zh.format_map(numbers), en=template.en.format_map(numbers))
