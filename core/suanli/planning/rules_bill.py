"""Formula texts of storage, support servers, services and spares."""

from __future__ import annotations

from suanli.domain.record import Text

__all__ = ["BILL_RULES"]

BILL_RULES: dict[str, Text] = {
    "spare-units": Text(
        zh="max（覆盖 {cover}，划算 {paying}）：维修中期望 {mean}，覆盖概率 {confidence}；"
        "划算指每增加一台所缩短的工期大于 {units} 分之一",
        en="max({cover} for cover, {paying} that pay): {mean} expected under repair, cover {confidence}; a "
        "spare pays where it shortens a run by more than 1/{units}",
    ),
    "storage-flash": Text(
        zh="max（存放 {stored} TB ÷ 填充 {fill} ÷ 可用 {usable}，条带 {strips} 块盘 × {drive} TB），向上取整",
        en="ceil(max({stored} TB stored / fill {fill} / usable {usable}, a stripe of {strips} drives x "
        "{drive} TB))",
    ),
    "storage-disks": Text(
        zh="max（冷数据 {stored} TB ÷ 填充 {fill} ÷ 可用 {usable}，"
        "条带 {strips} 块盘 × {drive} TB），向上取整",
        en="ceil(max({stored} TB of cold data / fill {fill} / usable {usable}, a stripe of {strips} drives x "
        "{drive} TB))",
    ),
    "storage-tier-servers": Text(
        zh="max（容量 {raw} TB ÷ {raw_each} TB，读 {read} ÷ {read_each} GB/s，"
        "写 {write} ÷ {write_each} GB/s，至少 {minimum}），各向上取整",
        en="max(ceil({raw} TB / {raw_each} TB), ceil(read {read} / {read_each} GB/s), ceil(write {write} / "
        "{write_each} GB/s), at least {minimum})",
    ),
    "login-servers": Text(
        zh="{base} + 服务器 {servers} ÷ {per_server} 向上取整 − 1",
        en="{base} + ceil({servers} servers / {per_server}) - 1",
    ),
    "management-switches": Text(
        zh="（（服务器 {servers} + 管理、登录与监控 {managers} + 存储 {storage}）× {ports} 口 "
        "+ 交换机 {switches} 口）÷ {radix} 口，向上取整",
        en="ceil((({servers} servers + {managers} for management, login and monitoring + {storage} for "
        "storage) x {ports} ports + {switches} switches) / {radix} ports)",
    ),
    "management-cables": Text(
        zh="每个带外管理口一根，共 {ports} 根", en="one for each of {ports} out-of-band ports"
    ),
    "cabling-works": Text(
        zh="计算网络 {compute} 根 + 存储网络 {storage} 根 + 带外管理 {management} 根",
        en="{compute} cables of the compute network + {storage} of storage + {management} out-of-band",
    ),
    "cabling-works-open": Text(
        zh="存储网络 {storage} 根 + 带外管理 {management} 根；计算网络线缆待报价确定后补充",
        en="{storage} cables of storage + {management} out-of-band; those of an unknown network not included",
    ),
    "operator-training": Text(zh="{posts} 岗 × {days} 天，向上取整", en="ceil({posts} posts x {days} days)"),
    "software-servers": Text(
        zh="每台训练服务器一份，共 {servers} 份", en="one for each of {servers} training servers"
    ),
    "spare-drives": Text(
        zh="在用 {installed} TB ÷ 单盘 {drive} TB 得 {drives} 块，× {share}，向上取整",
        en="ceil({drives} drives x {share}), {installed} TB installed in drives of {drive} TB",
    ),
    "spare-share": Text(
        zh="在用 {installed} × {share}，向上取整", en="ceil({installed} installed x {share})"
    ),
    "nics-unknown": Text(
        zh="服务器网卡配置未注明，数量待报价确定",
        en="network cards of the server not stated; to be fixed by quotation",
    ),
}
"""Formula texts by key; the names in braces are the rule's numbers."""
