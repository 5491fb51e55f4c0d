"""The rules that give the quantities of the hall, in both languages."""

from __future__ import annotations

from typing import Final

from suanli.domain.record import Text

__all__ = ["FACILITY_RULES"]

FACILITY_RULES: Final[dict[str, Text]] = {
    "racks": Text(
        zh="服务器 {servers} 台按单柜功率与高度装 {compute} 柜，加网络、存储、管理 {support} 柜",
        en="{servers} servers by rack power and height in {compute} racks, plus {support} for network, "
        "storage and management",
    ),
    "racks-brought": Text(
        zh="整柜系统自带 {brought} 柜，不另购；网络、存储、管理 {support} 柜",
        en="the systems bring {brought} racks; {support} more for network, storage and management",
    ),
    "racks-unknown": Text(
        zh="服务器功率未知，机柜数待报价确定",
        en="server power unknown; number of racks to be fixed by quotation",
    ),
    "pdus": Text(
        zh="{racks} 个机柜，每柜 {sources} 路电源，每路按电流配回路，每回路一个",
        en="{racks} racks with {sources} source(s) each, circuits of each by current, one for each circuit",
    ),
    "cdu": Text(
        zh="服务器峰值功率 × 冷板占比上限，合计 {capacity} kW",
        en="peak power of the servers x the most that cold plates catch, {capacity} kW in all",
    ),
    "hall-construction": Text(
        zh="IT 设备峰值功率 {kilowatts} kW；单价按每兆瓦关键负荷，含供配电与制冷",
        en="peak power of the IT equipment, {kilowatts} kW; priced by MW of critical load, power plant and "
        "cooling included",
    ),
    "ups": Text(
        zh="IT 负荷 {load} kVA，每台 {unit} kVA 用到八成，需 {needed} 台，按 {redundancy} 配置",
        en="IT load of {load} kVA, units of {unit} kVA loaded to 80 %: {needed}; redundancy {redundancy}",
    ),
    "transformers": Text(
        zh="机房负荷 {load} kVA，每台 {unit} kVA 用到八成，需 {needed} 台，按 {redundancy} 配置",
        en="site load of {load} kVA, units of {unit} kVA loaded to 80 %: {needed}; redundancy {redundancy}",
    ),
}
"""Formula texts by key; the names in braces are the rule's numbers."""
