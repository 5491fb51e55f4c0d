"""Defaults of the network design, each shown as an assumption with its reason."""

from __future__ import annotations

from suanli.domain.record import Text
from suanli.domain.workload import Assumption

__all__ = [
    "BOX_PORTS",
    "COPPER_REACH_M",
    "FRONT_END_OVERSUBSCRIPTION",
    "FRONT_END_PORTS",
    "IN_RACK_CABLE_M",
    "MULTIMODE_REACH_M",
    "RACKS_PER_ROW",
    "RACK_WIDTH_M",
    "RISE_M",
    "ROW_PITCH_M",
    "STORAGE_PORTS_PER_SERVER",
    "STORAGE_PORT_GBIT",
    "SWITCHES_PER_RACK",
    "network_assumptions",
]

COPPER_REACH_M = 3.0
"""Longest passive copper cable at 400 Gbit/s."""
MULTIMODE_REACH_M = 50.0
"""Longest link over multimode fibre at 400 Gbit/s."""
IN_RACK_CABLE_M = 2.0
"""Length of a cable inside a rack."""
RISE_M = 2.5
"""Cable from a device up to the tray above the rack, slack included, at each end."""
RACK_WIDTH_M = 0.6
ROW_PITCH_M = 3.0
"""From the middle of one row of racks to that of the next: a rack's depth and an aisle."""
RACKS_PER_ROW = 16
SWITCHES_PER_RACK = 20
"""Switches of a network rack where their height is unknown: two rack units each."""
BOX_PORTS = 256
"""Most ports of a switch that is one box; more are a chassis, which takes a rack of its own."""

STORAGE_PORTS_PER_SERVER = 2
"""Storage ports of a server whose document names none, on two switches."""
STORAGE_PORT_GBIT = 100
"""Rate of such a port."""
FRONT_END_PORTS = 2
"""Least ports of a machine on the storage network, on two switches: the loss of one does not cut it off."""
FRONT_END_OVERSUBSCRIPTION = 3.0
"""Largest oversubscription of the storage and in-band networks."""

_ROWS: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "copper-reach",
        f"{COPPER_REACH_M:g} m",
        "400G 无源铜缆（DAC）最长 3 米，只用于机柜内。",
        "Passive copper at 400G reaches 3 m, and is used inside a rack only.",
        "common-nvidia-mcp7y00",
    ),
    (
        "multimode-reach",
        f"{MULTIMODE_REACH_M:g} m",
        "400G 多模光模块（OM4）传输距离 50 米，更长的链路用单模。",
        "400G multimode modules reach 50 m on OM4 fibre; longer links are single-mode.",
        "common-nvidia-mma4z00",
    ),
    (
        "cable-route",
        (
            f"{IN_RACK_CABLE_M:g} m, {RISE_M:g} m, {RACK_WIDTH_M:g} m, {ROW_PITCH_M:g} m, "
            f"{RACKS_PER_ROW}, {SWITCHES_PER_RACK}, {BOX_PORTS}"
        ),
        (
            "柜内线缆按 2 米；跨柜线缆每端上走线架按 2.5 米，柜宽 0.6 米，排间距 3 米，每排 16 柜，"
            "网络机柜居中；高度未知的交换机每柜 20 台，超过 256 口的框式设备独占一柜。以现场勘测为准。"
        ),
        (
            "2 m inside a rack; between racks 2.5 m up to the tray at each end, racks 0.6 m wide, rows 3 m "
            "apart, 16 racks a row, network racks in the middle. Of unknown height, 20 switches fill a rack, "
            "and a chassis of more than 256 ports has one of its own. A survey of the site decides."
        ),
        "",
    ),
    (
        "storage-ports",
        f"{STORAGE_PORTS_PER_SERVER} x {STORAGE_PORT_GBIT} Gbit/s",
        "服务器资料未给出存储网口时，按一块双口 100GbE 网卡计，分接两台交换机。",
        (
            "Where a server's document names no storage port, one adapter of two 100GbE ports is added, on "
            "two switches."
        ),
        "common-amd-mi3xx-reference",
    ),
    (
        "front-end-ports",
        str(FRONT_END_PORTS),
        "管理、登录与监控服务器以及带外管理交换机各以两口接入存储网络，存储服务器不少于两口，分接两台交换机。",
        (
            "Management, login and monitoring servers and out-of-band switches have two ports each on the "
            "storage network, storage servers two at least, on two switches."
        ),
        "",
    ),
    (
        "front-end-oversubscription",
        f"{FRONT_END_OVERSUBSCRIPTION:g}",
        "存储与带内网络的收敛比不超过 3:1，且不低于存储方案所需带宽。",
        "Storage and in-band networks are oversubscribed 3:1 at most, and never below what storage needs.",
        "common-juniper-jvd-amd",
    ),
)


def network_assumptions() -> tuple[Assumption, ...]:
    """Return the defaults of the network design with their reasons and sources."""
    return tuple(
        Assumption(f"planning.{key}", value, Text(zh=zh, en=en), source)
        for key, value, zh, en, source in _ROWS
    )
