"""Figures that the storage rules need and project files may leave out, each shown as an assumption."""

from __future__ import annotations

from typing import Final

from suanli.domain.units import S_PER_DAY
from suanli.estimation.goodput import ASYNCHRONOUS_STALL_S, BACKGROUND_WRITE_S
from suanli.planning.assumed import Row, assumptions_of
from suanli.planning.erasure import ErasureCode

__all__ = [
    "CAPACITY_CODE",
    "CAPACITY_DRIVE_TB",
    "CAPACITY_FILL_SHARE",
    "CAPACITY_SERVER_BYTES_PER_S",
    "CAPACITY_SERVER_TB",
    "CAPACITY_TIER_FROM_TB",
    "CHECKPOINTS_KEPT",
    "EVALUATION_LOAD_S",
    "FLASH_CODE",
    "FLASH_DRIVE_TB",
    "FLASH_SERVER_READ_BYTES_PER_S",
    "FLASH_SERVER_WRITE_BYTES_PER_S",
    "HOME_BYTES_PER_SERVER",
    "INGEST_S",
    "LOG_BYTES_PER_SERVER_DAY",
    "LOG_DAYS",
    "MILESTONES",
    "MILESTONE_COPY_S",
    "NARROW_VOCABULARY",
    "storage_assumptions",
]

NARROW_VOCABULARY: Final = 65_536
"""Entries up to which a token id fits into 16 bits."""
CHECKPOINTS_KEPT: Final = 2
"""Full checkpoints kept for recovery; the one being written needs room beside them."""
MILESTONES: Final = 10
"""Full checkpoints of a run that are kept for good: one after every tenth of it."""
CAPACITY_TIER_FROM_TB: Final = 200.0
"""Usable TB of cold data from which a tier of disks is bought; below, they stay on the flash."""
CAPACITY_FILL_SHARE: Final = 0.85
"""Share of the disks' usable capacity that is planned to be filled."""
CAPACITY_CODE: Final = ErasureCode(data=12, parity=4)
"""Strips of the disks: three quarters usable, on four servers at least."""
FLASH_CODE: Final = ErasureCode(data=8, parity=2)
"""Strips of the flash: four fifths usable, on five servers at least."""
FLASH_DRIVE_TB: Final = 15.36
"""Capacity of one flash drive."""
CAPACITY_DRIVE_TB: Final = 20.0
"""Capacity of one disk."""
CAPACITY_SERVER_TB: Final = 60 * CAPACITY_DRIVE_TB
"""Raw disks of one server of four rack units: 60 of 20 TB."""
CAPACITY_SERVER_BYTES_PER_S: Final = 60 * 0.1e9
"""Sequential rate of one such server: 0.1 GB/s a disk, parity and competing streams included."""
FLASH_SERVER_READ_BYTES_PER_S: Final = 40e9
"""Sequential read of one flash server: four fifths of two ports of 200 Gbit/s, which its drives exceed."""
FLASH_SERVER_WRITE_BYTES_PER_S: Final = 20e9
"""Sequential write of one flash server: parity and its way to other servers take half of the ports."""
EVALUATION_LOAD_S: Final = 120.0
"""Seconds in which a server that evaluates reads the weights."""
INGEST_S: Final = 7 * S_PER_DAY
"""Time in which the source data arrive and are tokenised."""
MILESTONE_COPY_S: Final = 3600.0
"""Time in which a milestone is copied off the flash."""
LOG_BYTES_PER_SERVER_DAY: Final = 1e9
"""Logs, metrics and traces of one server and day."""
LOG_DAYS: Final = 180
"""Days that logs are kept: six months, as the Cybersecurity Law of China asks of network logs."""
HOME_BYTES_PER_SERVER: Final = 0.1e12
"""Code, images, environments and results of users for each server."""

_ROWS: Final[tuple[Row, ...]] = (
    (
        "token-id-bytes",
        "2 / 4 B",
        f"词表不超过 {NARROW_VOCABULARY:,} 项时词元编号占 2 字节，超过时占 4 字节。",
        f"A token id takes 2 bytes up to a vocabulary of {NARROW_VOCABULARY:,} entries and 4 beyond.",
    ),
    (
        "checkpoints-kept",
        CHECKPOINTS_KEPT,
        "保留最近两份完整检查点用于恢复，另为正在写入的一份留出空间。",
        "The last two full checkpoints are kept for recovery, with room for the one being written.",
    ),
    (
        "milestones",
        MILESTONES,
        "每完成训练的十分之一留存一份完整检查点，可由此续训或分支。",
        "A full checkpoint is kept after every tenth of a run, to go on or branch from.",
    ),
    (
        "capacity-tier",
        f"{CAPACITY_TIER_FROM_TB:g} TB",
        "冷数据不足 200 TB 时，另建硬盘存储的服务器与运维费用高于所省的闪存，因此并入闪存。",
        "Below 200 TB of cold data the servers and upkeep of a second system cost more than the flash saved.",
    ),
    (
        "capacity-fill",
        CAPACITY_FILL_SHARE,
        "硬盘存储按可用容量的 85% 规划，留出扩容与重建余地。",
        "Disks are planned to be 85 % full, which leaves room for growth and rebuilding.",
    ),
    (
        "capacity-usable-share",
        CAPACITY_CODE.usable_share,
        "硬盘按 12+4 纠删码，可用容量为裸容量的四分之三。",
        "Twelve data and four parity strips leave three quarters of the raw disks usable.",
    ),
    (
        "storage-servers-minimum",
        f"{FLASH_CODE} / {CAPACITY_CODE}: {FLASH_CODE.least_servers} / {CAPACITY_CODE.least_servers}",
        (
            f"条带均匀分布于各服务器，任一台失效所损失的条带不得多于校验条带：闪存 {FLASH_CODE} 至少 "
            f"{FLASH_CODE.least_servers} 台，硬盘 {CAPACITY_CODE} 至少 {CAPACITY_CODE.least_servers} 台。"
        ),
        (
            "Strips are spread evenly over the servers, and the loss of one server must not take more of "
            f"them than are parity: at least {FLASH_CODE.least_servers} servers of flash at {FLASH_CODE} and "
            f"{CAPACITY_CODE.least_servers} of disks at {CAPACITY_CODE}."
        ),
    ),
    (
        "capacity-server",
        f"{CAPACITY_SERVER_TB:g} TB, {CAPACITY_SERVER_BYTES_PER_S / 1e9:g} GB/s",
        "每台 4U 服务器装 60 块 20 TB 硬盘，每块按 0.1 GB/s 计，校验与并发流的损耗计入在内。",
        "60 disks of 20 TB in a server of 4 U, at 0.1 GB/s each with parity and competing streams.",
    ),
    (
        "flash-server-bandwidth",
        f"{FLASH_SERVER_READ_BYTES_PER_S / 1e9:g} / {FLASH_SERVER_WRITE_BYTES_PER_S / 1e9:g} GB/s",
        (
            "每台闪存服务器按两个 200 Gb/s 端口的八成线速读取，写入时校验数据占去一半；"
            "存储网络速率较低时以更多端口承载。以中标产品实测值为准。"
        ),
        (
            "Four fifths of two ports of 200 Gbit/s a flash server for reading, half of that for writing "
            "because of parity traffic; on a slower storage network more ports carry it. The measured rates "
            "of the product bought take their place."
        ),
    ),
    (
        "evaluation-load",
        f"{EVALUATION_LOAD_S:g} s",
        "评测服务器在两分钟内读入权重。",
        "A server that evaluates reads the weights within two minutes.",
    ),
    (
        "ingest-time",
        f"{INGEST_S / S_PER_DAY:g} days",
        "源数据在一周内导入并完成分词。",
        "The source data arrive and are tokenised within a week.",
    ),
    (
        "milestone-copy",
        f"{MILESTONE_COPY_S / 3600:g} h",
        "里程碑检查点在一小时内转存。",
        "A milestone is copied off the flash within an hour.",
    ),
    (
        "logs",
        f"{LOG_BYTES_PER_SERVER_DAY / 1e9:g} GB x {LOG_DAYS} days",
        (
            "每台服务器每天产生 1 GB 日志与监控数据（估计），留存 180 天："
            "《网络安全法》要求网络日志留存不少于六个月。"
        ),
        (
            "1 GB of logs and metrics for each server and day (an estimate), kept for 180 days: the "
            "Cybersecurity Law of China asks for six months of network logs."
        ),
    ),
    (
        "home-directories",
        f"{HOME_BYTES_PER_SERVER / 1e12:g} TB",
        "每台服务器对应 0.1 TB 的代码、镜像、环境与结果文件（估计）。",
        "0.1 TB of code, images, environments and results for each server (an estimate).",
    ),
    (
        "asynchronous-checkpoint",
        f"{ASYNCHRONOUS_STALL_S:g} s, {BACKGROUND_WRITE_S:g} s",
        "异步检查点：状态复制到主机内存时训练停顿 5 秒，随后在 5 分钟内后台写入存储。",
        (
            "Asynchronous checkpoints stall training for 5 s while states are copied to host memory and are "
            "written to the storage within 5 minutes."
        ),
    ),
)

storage_assumptions: Final = assumptions_of(_ROWS, {"logs": "common-cybersecurity-law"})
"""Every default of the storage rules."""
