"""The rules that give the quantities of the networks, in both languages."""

from __future__ import annotations

from suanli.domain.record import Text

__all__ = ["NETWORK_RULES"]

NETWORK_RULES: dict[str, Text] = {
    "leaf-switches-rails": Text(
        zh="{tiers} 层轨道网络：{rails} 条轨道 × {servers} 台服务器，每台叶交换机下联 {down} 口",
        en="{tiers}-tier network of {rails} rails: {servers} servers on each, {down} ports down per leaf",
    ),
    "cables-host": Text(
        zh="{all} 根服务器线缆中的 {cables} 根，最长约 {longest} 米",
        en="{cables} of {all} cables from servers, {longest} m at most",
    ),
    "cables-switch": Text(
        zh="{all} 根交换机互连线缆中的 {cables} 根，最长约 {longest} 米",
        en="{cables} of {all} cables between these switches, {longest} m at most",
    ),
    "host-modules": Text(
        zh="每根光缆在服务器侧一只，共 {count} 只",
        en="one at the server end of each optical cable, {count} in all",
    ),
    "switch-modules": Text(
        zh="接入光缆每个交换机口一只，交换机互连光缆每根两只，共 {count} 只",
        en="one for each switch port to servers, two for each optical cable between switches, {count} in all",
    ),
    "network-cabling": Text(
        zh=(
            "每个计算网口一份：服务器线缆 {cables} 根、交换机互连 {links} 根"
            "（铜缆 {copper}、多模 {multimode}、单模 {single}），光模块 {modules} 只，{tiers} 层网络"
        ),
        en=(
            "one for each compute port: {cables} cables to servers, {links} between switches "
            "({copper} copper, {multimode} multimode, {single} single-mode), {modules} transceivers, "
            "{tiers} tiers"
        ),
    ),
    "storage-switches": Text(
        zh="{ports} 个端口，分 {planes} 个平面，每台 {radix} 口，收敛比 {ratio}:1",
        en="{ports} ports on {planes} planes, {radix} ports per switch, {ratio}:1",
    ),
    "storage-links": Text(
        zh="服务器、存储与带外交换机 {ports} 条，加交换机互连 {links} 条",
        en="{ports} to servers, storage and out-of-band switches, plus {links} between switches",
    ),
    "storage-nics": Text(
        zh="服务器资料未列存储网口，每台补 {ports} 口，共 {cards} 块",
        en="servers name no storage port: {ports} ports added to each, {cards} adapters",
    ),
}
"""Formula texts by key; the names in braces are the rule's numbers."""
