"""Figures that the plan of the hall needs and project files do not ask for, each shown as an assumption."""

from __future__ import annotations

from typing import Final

from suanli.planning.assumed import Row, assumptions_of

__all__ = [
    "AISLE_KG_PER_M2",
    "AISLE_M",
    "CABINET_KG",
    "CHASSIS_PORTS_PER_UNIT",
    "CIRCUIT_RATINGS_A",
    "CONTINUOUS_SHARE",
    "FLOOR_LIMIT_KG_PER_M2",
    "LINE_VOLTAGE_V",
    "LIQUID_SHARE",
    "OTHER_RATINGS_A",
    "OTHER_VOLTAGE_V",
    "POWER_FACTOR",
    "RACKS_PER_ROW",
    "RACK_AREA_M",
    "RAISED_FLOOR_KG_PER_M2",
    "SHARED_COMPUTE_RACKS",
    "SUPPORT_BOXES",
    "TRANSFORMER_LIMIT_VA",
    "TRANSFORMER_SIZES_VA",
    "UNIT_LOAD_SHARE",
    "UNKNOWN_SERVER_UNITS",
    "UPS_SIZES_VA",
    "facility_assumptions",
]

RACKS_PER_ROW: Final = 12
"""Racks of one row: 9.6 m at 0.8 m each."""
SHARED_COMPUTE_RACKS: Final = 2
"""Racks of servers up to which switches and the like stand among the servers, where all of them fit."""
UNKNOWN_SERVER_UNITS: Final = 8
"""Height with which a server of unknown height is drawn; its number in a rack follows power alone."""
CHASSIS_PORTS_PER_UNIT: Final = 32
"""Ports of one rack unit of a chassis switch whose height is unknown."""
SUPPORT_BOXES: Final[dict[str, tuple[int, float, float]]] = {
    "storage": (2, 1200.0, 900.0),
    "capacity": (4, 1200.0, 900.0),
    "management": (2, 800.0, 500.0),
    "out-of-band": (1, 98.0, 98.0),
}
"""Height in U, peak and typical power in W of boxes that the catalogue has no record of."""

LINE_VOLTAGE_V: Final[dict[str, float]] = {"CN": 380.0, "EU": 400.0, "US": 415.0, "CA": 415.0}
"""Three-phase voltage between lines."""
OTHER_VOLTAGE_V: Final = 400.0
CIRCUIT_RATINGS_A: Final[dict[str, tuple[int, ...]]] = {"US": (20, 30, 60), "CA": (20, 30, 60)}
"""Circuits of rack power distribution units."""
OTHER_RATINGS_A: Final = (16, 32, 63)
CONTINUOUS_SHARE: Final = 0.8
"""Share of a breaker's rating that a load of hours may draw."""
POWER_FACTOR: Final = 0.95
"""Real over apparent power of servers: 0.95-0.98, the low end taken."""
UNIT_LOAD_SHARE: Final = 0.8
"""Share of its rating to which a UPS or a transformer is loaded."""
UPS_SIZES_VA: Final = tuple(
    1e3 * size for size in (20, 40, 60, 80, 100, 120, 160, 200, 250, 300, 400, 500, 600)
)
TRANSFORMER_SIZES_VA: Final = tuple(
    1e3 * size for size in (315, 400, 500, 630, 800, 1000, 1250, 1600, 2000, 2500)
)
TRANSFORMER_LIMIT_VA: Final = 100e3
"""Load below which no transformer of its own is planned."""

LIQUID_SHARE: Final = (0.7, 0.8, 0.95)
"""Share of a liquid-cooled server's heat that cold plates catch: low, middle, high."""

RACK_AREA_M: Final = (0.8, 1.2)
"""Width and depth of a rack."""
AISLE_M: Final = 1.2
"""Width of each of the two aisles at a rack, half of which is the rack's."""
CABINET_KG: Final = 150.0
"""An empty rack with its power distribution."""
AISLE_KG_PER_M2: Final = 73.0
"""Live load on the aisles: 15 lb/ft2."""
RAISED_FLOOR_KG_PER_M2: Final = 49.0
"""A raised floor with cables: 10 lb/ft2."""
FLOOR_LIMIT_KG_PER_M2: Final = 1224.0
"""Live load of a hall of class 3 of TIA-942, 12 kPa at 9.80665 N/kg."""


def _boxes() -> str:
    return "; ".join(
        f"{key} {units} U {peak:g}/{work:g} W" for key, (units, peak, work) in SUPPORT_BOXES.items()
    )


_ROWS: tuple[Row, ...] = (
    (
        "racks-per-row",
        RACKS_PER_ROW,
        "每列 12 个机柜，柜宽 0.8 m，列长 9.6 m；整柜系统以整套成列。",
        "Twelve racks of 0.8 m make a row of 9.6 m; rack-scale systems stand in rows of whole systems.",
    ),
    (
        "shared-racks",
        SHARED_COMPUTE_RACKS,
        "服务器不超过 2 柜且余位够用时，交换机等与服务器同柜；否则另设机柜。",
        "Up to 2 racks of servers take switches and the like where all fit; else these stand apart.",
    ),
    (
        "support-boxes",
        _boxes(),
        "存储、管理服务器与带外交换机按此高度与峰值、常态功率计；带外交换机取 48 口千兆交换机的典型功率。",
        (
            "Height, peak and typical power of storage and management servers; out-of-band switches at the "
            "typical power of a 48-port gigabit switch."
        ),
    ),
    (
        "chassis-height",
        f"{CHASSIS_PORTS_PER_UNIT} ports/U",
        "高度未知的交换机按每 U 32 口估高，不低于 2U；实际高度以厂商为准。",
        "A switch of unknown height takes a unit for every 32 ports, at least 2 U; to be confirmed.",
    ),
    (
        "line-voltage",
        f"CN {LINE_VOLTAGE_V['CN']:g} V, US {LINE_VOLTAGE_V['US']:g} V, {OTHER_VOLTAGE_V:g} V",
        "三相线电压：中国标称 220/380 V，北美高密机柜用 240/415 V，其余 230/400 V。",
        "Three phases: 220/380 V in China, 240/415 V for dense racks in North America, else 230/400 V.",
    ),
    (
        "circuit-ratings",
        "16/32/63 A, 20/30/60 A",
        "机柜三相回路规格：北美 20、30、60 A，其他地区 16、32、63 A；一路不够时并列多路。",
        (
            "Three-phase circuits of racks: 20, 30, 60 A in North America, else 16, 32, 63 A; several where "
            "one is too small."
        ),
    ),
    (
        "continuous-share",
        CONTINUOUS_SHARE,
        "断路器按额定电流的 80% 承担连续负荷；北美规范要求，其他地区作为三相不平衡的余量。",
        (
            "Breakers carry continuous loads up to 80 %: the code of North America, elsewhere a margin for "
            "unequal phases."
        ),
    ),
    (
        "power-factor",
        POWER_FACTOR,
        "服务器电源功率因数 0.95–0.98，取低值。",
        "Servers have a power factor of 0.95-0.98; the low end is taken.",
    ),
    (
        "unit-load-share",
        UNIT_LOAD_SHARE,
        "UPS 与变压器按额定容量的 80% 配置，留出增长与不平衡余量。",
        "UPS and transformers are loaded to 80 % of their rating, which leaves room for growth.",
    ),
    (
        "liquid-share",
        f"{LIQUID_SHARE[1]:g} ({LIQUID_SHARE[0]:g}-{LIQUID_SHARE[2]:g})",
        "冷板带走服务器热量的 70%–95%：液冷侧按 95%、风冷侧按余下 30% 配置；全冷板服务器约 95%。",
        (
            "Cold plates catch 70-95 % of a server's heat: the liquid loop is sized for 95 %, the air for "
            "the 30 % that may remain; servers with every part on cold plates reach 95 %."
        ),
    ),
    (
        "floor-loading",
        f"{CABINET_KG:g} kg, {RACK_AREA_M[0]:g} x {RACK_AREA_M[1]:g} m, {AISLE_M:g} m",
        "荷载 =（整柜重量 + 通道活荷载 + 架空地板）÷（占地 + 半幅通道）；空柜含 PDU 150 kg，通道 1.2 m。",
        (
            "Load = (rack + live load of the aisles + raised floor) over the rack and half of its aisles; an "
            "empty rack with PDUs weighs 150 kg, aisles are 1.2 m wide."
        ),
    ),
    (
        "floor-limit",
        f"{FLOOR_LIMIT_KG_PER_M2:g} kg/m2",
        "对照值取 TIA-942 三级机房楼面活荷载 12 kPa；国内按 GB 50174 由机柜重量与布置核算。",
        (
            "Compared with 12 kPa, the live load of TIA-942 class 3; in China GB 50174 asks for a "
            "calculation from rack weights."
        ),
    ),
)
_SOURCES = {
    "circuit-ratings": "common-hp-power-basics",
    "continuous-share": "common-hp-power-basics",
    "power-factor": "common-ups-power-factor",
    "liquid-share": "common-full-cold-plate",
    "floor-loading": "common-ibm-floor-loading",
    "floor-limit": "common-tia-942-floor",
}
"""Documents that defaults rest on, by their key."""


facility_assumptions = assumptions_of(_ROWS, _SOURCES)
"""Every default of the hall with its reason, for the assumption register."""
