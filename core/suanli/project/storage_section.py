"""The sections on storage and failures: what a project knows better than the planning defaults."""

from __future__ import annotations

from typing import Annotated

from suanli.project import kinds  # noqa: TC001 - pydantic reads the annotations
from suanli.project.kinds import about
from suanli.project.model_section import Keys

__all__ = ["ReliabilitySection", "StorageSection"]


class StorageSection(Keys):
    """Checkpoints and data, where the planning defaults do not suit."""

    checkpoint_stall: Annotated[
        kinds.Duration | None,
        about(
            "Longest time that training stands still for one checkpoint.",
            "写一个检查点允许训练停顿的最长时间。",
            "30 s",
        ),
    ] = None
    asynchronous: Annotated[
        kinds.YesNo | None,
        about(
            "Whether training goes on while a checkpoint is written from host memory.",
            "检查点是否异步写入（复制到主机内存后训练继续）。",
            "true",
        ),
    ] = None
    checkpoint_write: Annotated[
        kinds.Duration | None,
        about(
            "Time until an asynchronous checkpoint is on the storage.",
            "异步检查点写完的时限。",
            "5 min",
        ),
    ] = None
    checkpoints_kept: Annotated[
        kinds.Whole | None,
        about("Full checkpoints kept for recovery.", "用于恢复的完整检查点份数。", 2),
    ] = None
    milestones: Annotated[
        kinds.WholeOrZero | None,
        about(
            "Full checkpoints of each run that are kept for good.", "每次训练长期留存的完整检查点份数。", 10
        ),
    ] = None
    source_data: Annotated[
        kinds.ByteAmount | None,
        about("Source data kept beside the tokens.", "除词元外保留的原始数据量。", "200 TB"),
    ] = None
    scratch: Annotated[
        kinds.ByteAmount | None,
        about("Room to clean and tokenise the data in.", "数据清洗与分词的暂存空间。", "50 TB"),
    ] = None


class ReliabilitySection(Keys):
    """Failures, where the project knows its own."""

    interruptions: Annotated[
        kinds.Rate | None,
        about(
            "Interruptions per 1,000 accelerator-days; left out: a published rate.",
            "每千卡日中断次数；省略则取公开记录。",
            0.5,
        ),
    ] = None
    restart: Annotated[
        kinds.Duration | None,
        about(
            "Time from an interruption to the first new step.",
            "从中断到恢复训练的时间。",
            "5 min",
        ),
    ] = None
    repair: Annotated[
        kinds.Duration | None,
        about("Time from the failure of a server to its return.", "故障服务器的修复时间。", "3 days"),
    ] = None
