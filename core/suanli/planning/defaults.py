"""Figures that planning rules need and project files do not ask for, each shown as an assumption."""

from __future__ import annotations

from typing import TypeAlias

from suanli.domain.record import Text
from suanli.domain.workload import Assumption
from suanli.planning.defaults_acceptance import ACCEPTANCE_ASSUMPTIONS
from suanli.planning.defaults_bill import bill_assumptions
from suanli.planning.defaults_delivery import DELIVERY_ASSUMPTIONS
from suanli.planning.defaults_expansion import expansion_assumptions
from suanli.planning.defaults_facility import facility_assumptions
from suanli.planning.defaults_network import network_assumptions
from suanli.planning.defaults_storage import FLASH_CODE, FLASH_DRIVE_TB, storage_assumptions

__all__ = [
    "CHECKPOINT_STALL_S",
    "HARDWARE_FAULT_SHARE",
    "HOST_SHARE",
    "IDLE_SHARE",
    "LOCAL_DRIVES_BYTES",
    "LOCAL_USABLE_SHARE",
    "NODES_PER_MANAGEMENT_SERVER",
    "OUT_OF_BAND_PORTS",
    "OUT_OF_BAND_PORTS_PER_SERVER",
    "RACK_UNITS",
    "RACK_UNITS_RESERVED",
    "RAW_TEXT_BYTES_PER_TOKEN",
    "REPAIR_S",
    "RESTART_READ_SHARE",
    "SMALL_CLUSTER_SERVERS",
    "SPARE_CONFIDENCE",
    "SPREAD_HIGH",
    "SPREAD_LOW",
    "STORAGE_FILL_SHARE",
    "STORAGE_SERVER_TB",
    "STORAGE_USABLE_SHARE",
    "SUPPORT_DEVICE_RACK_UNITS",
    "SWAP_S",
    "TALL_RACK_UNITS",
    "TOKEN_ID_BYTES",
    "TRAINING_SHARE",
    "TRAY_ACCELERATORS",
    "planning_assumptions",
]

TOKEN_ID_BYTES = 4.0
"""Bytes of one token id on disk: 32-bit integers, which every vocabulary above 65,536 entries needs."""
RAW_TEXT_BYTES_PER_TOKEN = 4.0
"""Bytes of source text behind one token, kept so that the data can be tokenised again."""
CHECKPOINT_STALL_S = 60.0
"""Seconds in which one checkpoint is written where the sizing states none."""
STORAGE_FILL_SHARE = 0.8
"""Share of the capacity that is planned to be filled; parallel file systems slow down beyond it."""
STORAGE_USABLE_SHARE = FLASH_CODE.usable_share
"""Usable over raw flash: eight data and two parity strips."""
SMALL_CLUSTER_SERVERS = 4
"""Servers, spares included, up to which a cluster has no storage and management servers of its own."""
LOCAL_DRIVES_BYTES = 8 * 3.84e12
"""Drives that an 8-way training server takes where its own are unknown: eight of 3.84 TB."""
LOCAL_USABLE_SHARE = 0.5
"""Usable over raw flash inside a server: mirrored drives."""
RESTART_READ_SHARE = 0.5
"""Share of the restart time that reading the checkpoint may take; the rest is detection and start-up."""

TRAINING_SHARE = (0.7, 0.8, 0.9)
"""Low, middle and high of training power over nameplate, where no power model of the server is known."""
IDLE_SHARE = 0.35
"""Idle power over nameplate, where no power model says."""
HOST_SHARE = (0.38, 0.5, 0.82)
"""Host, fans and NICs over device TDP where no power model says: training average, its peak, nameplate."""
SPREAD_LOW = 0.9
"""P10 over P50 of a training power whose source gives no range."""
SPREAD_HIGH = 1.1
"""P90 over P50 of a training power whose source gives no range."""

RACK_UNITS = 42
"""Height of a standard rack."""
TALL_RACK_UNITS = 48
"""Height of the racks that rack-scale systems bring with them."""
RACK_UNITS_RESERVED = 2
"""Rack units at the top that patch panels take."""
STORAGE_SERVER_TB = 24 * FLASH_DRIVE_TB
"""Raw flash of one storage server of two rack units: 24 drives of 15.36 TB."""
SUPPORT_DEVICE_RACK_UNITS = 2
"""Height of a switch whose height and ports are unknown."""

HARDWARE_FAULT_SHARE = 0.78
"""Share of interruptions that take a server out for repair."""
REPAIR_S = 3 * 86400.0
"""Time from a server's failure to its return: diagnosis, part on site, burn-in."""
SPARE_CONFIDENCE = 0.95
"""Probability with which the spare servers cover those under repair."""

SWAP_S = 4 * 3600.0
"""Time to swap a tray of a rack-scale system for one that lies on site."""
TRAY_ACCELERATORS = 8
"""Devices of the largest part that is swapped as one; rack-scale systems are repaired by tray."""

NODES_PER_MANAGEMENT_SERVER = 32
"""Training servers that one management server looks after, beyond the three of a quorum."""
OUT_OF_BAND_PORTS = 48
"""Ports of one out-of-band management switch."""
OUT_OF_BAND_PORTS_PER_SERVER = 2
"""Management ports of a server: its controller and its in-band host port."""


_Row: TypeAlias = tuple[str, object, str, str]
"""Key, value, and the reason in Chinese and English."""


def _range(triple: tuple[float, float, float]) -> str:
    return f"{triple[1]:g} ({triple[0]:g}-{triple[2]:g})"


_STORAGE: tuple[_Row, ...] = (
    (
        "raw-text-bytes-per-token",
        f"{RAW_TEXT_BYTES_PER_TOKEN:g} B",
        "每个词元约对应 4 字节原始文本；保留原文以便重新分词。",
        "About 4 bytes of source text stand behind one token; it is kept for tokenising again.",
    ),
    (
        "checkpoint-stall",
        f"{CHECKPOINT_STALL_S:g} s",
        "测算未给出检查点写入时间时，要求一分钟内写完。",
        "One minute for writing a checkpoint, where the sizing states no write time.",
    ),
    (
        "storage-fill",
        STORAGE_FILL_SHARE,
        "并行文件系统填充率超过八成后性能下降，按八成规划。",
        "Parallel file systems slow down when more than four fifths full.",
    ),
    (
        "storage-usable-share",
        STORAGE_USABLE_SHARE,
        "闪存按 8+2 纠删码，可用容量为裸容量的八成。",
        "Eight data and two parity strips leave four fifths of the raw flash usable.",
    ),
    (
        "small-cluster",
        f"{SMALL_CLUSTER_SERVERS} servers, {LOCAL_DRIVES_BYTES / 1e12:g} TB",
        (
            "不超过 4 台（含备机）且数据与检查点放得下时，用服务器本地镜像 NVMe 盘，每台存一份，"
            "不设存储与管理服务器；本地盘未知时以 8 × 3.84 TB 为上限。"
        ),
        (
            "Up to 4 servers, spares included, keep data and checkpoints on mirrored drives of their own, a "
            "copy in each, where these are large enough (8 x 3.84 TB where unknown), and need no storage or "
            "management servers."
        ),
    ),
    (
        "restart-read-share",
        RESTART_READ_SHARE,
        "恢复时间的一半用于读取检查点，其余用于故障发现与进程拉起。",
        "Half of the restart time reads the checkpoint; the rest is detection and start-up.",
    ),
)
_POWER: tuple[_Row, ...] = (
    (
        "training-power-share",
        _range(TRAINING_SHARE),
        "8 卡 H100 服务器实测：平均不超过铭牌的 76%，峰值 82%（Latif 等，2024）；其他机型无公开实测。",
        (
            "Measured on 8 x H100 servers: average up to 76 %, peak 82 % of nameplate (Latif et al., 2024); "
            "no public measurement of others."
        ),
    ),
    (
        "idle-power-share",
        IDLE_SHARE,
        "服务器空闲功率约为铭牌的 35%（公开 TCO 工具的取值，属估计）。",
        "Idle servers draw about 35 % of nameplate, as published TCO tools assume (an estimate).",
    ),
    (
        "host-share",
        _range(HOST_SHARE),
        (
            "铭牌未知时训练功率按“卡数 × TDP ×（1 + 主机占比）”估算，不用电源额定之和；"
            "8 卡 H100 服务器卡功率 5.6 kW，实测均值 7.75 kW、峰值 8.4 kW、铭牌 10.2 kW 给出低、中、高值。"
        ),
        (
            "Where the nameplate is unknown, power in training is devices x TDP x (1 + host share), "
            "never the power supplies; 8 x H100 servers with 5.6 kW of devices give 7.75 kW on average, "
            "8.4 kW at peak, 10.2 kW of nameplate."
        ),
    ),
    (
        "training-power-spread",
        f"{SPREAD_LOW:g}-{SPREAD_HIGH:g}",
        "来源未给区间时，训练功率按 ±10% 给出 P10–P90。",
        "Where a source gives no range, training power is shown with 10 % either way.",
    ),
)
_RACKS: tuple[_Row, ...] = (
    (
        "rack-units",
        f"{RACK_UNITS} U, {RACK_UNITS_RESERVED} U, {TALL_RACK_UNITS} U",
        "标准机柜 42U，其中顶部 2U 留给配线；整柜系统自带的机柜按 48U 计。",
        "A standard rack has 42 U, the top 2 U for patching; racks of rack-scale systems have 48 U.",
    ),
    (
        "storage-server",
        f"{STORAGE_SERVER_TB:g} TB",
        f"每台 2U 存储服务器装 24 块 15.36 TB 闪存盘，至少 {FLASH_CODE.least_servers} 台。",
        f"24 flash drives of 15.36 TB in a server of 2 U, at least {FLASH_CODE.least_servers} servers.",
    ),
    (
        "support-device-height",
        f"{SUPPORT_DEVICE_RACK_UNITS} U",
        "高度与端口数均未知的交换机按 2U 计。",
        "Switches of unknown height and port count take 2 U.",
    ),
)
_SPARES: tuple[_Row, ...] = (
    (
        "hardware-fault-share",
        HARDWARE_FAULT_SHARE,
        "Llama 3 405B 训练的意外中断约 78% 由硬件引起（Meta，2024，3.3.4 节）。",
        "About 78 % of the unexpected interruptions of Llama 3 405B were hardware (Meta, 2024, 3.3.4).",
    ),
    (
        "repair-time",
        f"{REPAIR_S / 86400:g} days",
        "故障节点定位、备件到场、压测复位按三天计。",
        "Three days for diagnosis, a part on site and burn-in of a failed server.",
    ),
    (
        "spare-confidence",
        SPARE_CONFIDENCE,
        (
            "备机数取两者较大：以 95% 的概率覆盖维修中的节点（泊松分布）；"
            "每增加一台备机所缩短的工期大于同样一台投入训练。"
        ),
        (
            "Spare servers: the larger of those that cover what is under repair with a probability of 95 % "
            "(Poisson) and those that each shorten a run by more than the same server at work would."
        ),
    ),
    (
        "tray-accelerators",
        TRAY_ACCELERATORS,
        "整柜系统按 8 卡托盘更换：备托盘存放在现场，不备整柜。",
        "Rack-scale systems are repaired by trays of 8 devices: spare trays lie on site, not spare racks.",
    ),
    (
        "tray-swap",
        f"{SWAP_S / 3600:g} h",
        "整柜系统的故障托盘由现场人员在 4 小时内更换（估计）。",
        "A failed tray of a rack-scale system is swapped on site within 4 hours (an estimate).",
    ),
)
_MANAGEMENT: tuple[_Row, ...] = (
    (
        "nodes-per-management-server",
        NODES_PER_MANAGEMENT_SERVER,
        "三台组成高可用，此后每 32 台训练服务器增加一台管理服务器。",
        "Three for a quorum, then one more management server for every 32 training servers.",
    ),
    (
        "out-of-band-ports",
        f"{OUT_OF_BAND_PORTS_PER_SERVER}/{OUT_OF_BAND_PORTS}",
        "每台服务器两个管理口，带外交换机 48 口。",
        "Two management ports a server, 48 ports a management switch.",
    ),
)


def planning_assumptions() -> tuple[Assumption, ...]:
    """Return every default of the planning rules, so that a document can list them with their reasons."""
    rows = (*_STORAGE, *_POWER, *_RACKS, *_SPARES, *_MANAGEMENT)
    own = tuple(
        Assumption(key=f"planning.{key}", value=str(value), reason=Text(zh=zh, en=en))
        for key, value, zh, en in rows
    )
    return (
        *own,
        *expansion_assumptions(),
        *storage_assumptions,
        *bill_assumptions,
        *network_assumptions(),
        *facility_assumptions,
        *ACCEPTANCE_ASSUMPTIONS,
        *DELIVERY_ASSUMPTIONS,
    )
