"""The ``claims`` section of the project file: what somebody stated, and of which quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Self

from pydantic import model_validator

from suanli.domain.units import S_PER_DAY
from suanli.domain.workload import ClaimQuantity
from suanli.project import kinds  # noqa: TC001 - pydantic reads the annotations
from suanli.project.kinds import about
from suanli.project.model_section import Keys
from suanli.project.quantities import QuantityError

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["NEEDS_ACCELERATOR", "NEEDS_ACCELERATORS", "QUANTITY_KEYS", "ClaimKeys"]

QUANTITY_KEYS: Final = tuple(one.value for one in ClaimQuantity if one is not ClaimQuantity.NONE)
"""Keys of which a claim states at least one."""
NEEDS_ACCELERATORS: Final = frozenset(
    {
        ClaimQuantity.DAYS,
        ClaimQuantity.TOKENS_PER_S,
        ClaimQuantity.TOKENS_PER_S_PER_ACCELERATOR,
        ClaimQuantity.MFU,
        ClaimQuantity.FITS,
        ClaimQuantity.MEMORY,
        ClaimQuantity.NETWORK,
    }
)
"""Quantities of a run, which need a device and a number of them."""
NEEDS_ACCELERATOR: Final = NEEDS_ACCELERATORS | {
    ClaimQuantity.TIME_PER_OUTPUT_TOKEN,
    ClaimQuantity.PEAK,
    ClaimQuantity.DEVICE_MEMORY,
}
"""Quantities that need a device; the others follow from the model alone."""


class ClaimKeys(Keys):
    """A claim that somebody made, to be audited."""

    by: Annotated[kinds.Words, about("Who made it.", "提出方。", "vendor X")]
    says: Annotated[kinds.Words, about("In which words.", "原话。", "32 accelerators finish in 5 days")]
    accelerator: Annotated[
        kinds.Name | None,
        about(
            "Device meant; left out for a model alone.", "所指加速卡标识；只涉及模型时省略。", "ascend-910b2"
        ),
    ] = None
    accelerators: Annotated[kinds.Whole | None, about("Number of devices.", "加速卡数量。", 32)] = None
    days: Annotated[
        kinds.ClaimDays | None,
        about("Claimed days, or a duration.", "声称的天数，或带单位的时长。", 5),
    ] = None
    tokens_per_s: Annotated[
        kinds.ClaimRate | None,
        about("Claimed rate of all devices.", "声称的集群吞吐（词元/秒）。", "1.2M"),
    ] = None
    tokens_per_s_per_accelerator: Annotated[
        kinds.ClaimRate | None,
        about("Claimed rate of one device.", "声称的单卡吞吐（词元/秒）。", 4672),
    ] = None
    mfu: Annotated[
        kinds.ClaimShare | None,
        about("Claimed share of the dense peak.", "声称的 MFU（占稠密峰值）。", "55%"),
    ] = None
    fits: Annotated[
        kinds.Agreed | None,
        about("That these devices are enough.", "声称这些卡就够用。", "true"),
    ] = None
    memory: Annotated[
        kinds.ByteAmount | None,
        about("Claimed peak memory of one device.", "声称的单卡显存峰值。", "40 GB"),
    ] = None
    states: Annotated[
        kinds.ByteAmount | None,
        about(
            "Claimed weights, gradients and optimizer of the whole model.",
            "声称的全模型状态（权重、梯度、优化器）。",
            "840 GB",
        ),
    ] = None
    optimizer: Annotated[
        kinds.ByteAmount | None,
        about("Claimed optimizer states of the whole model.", "声称的全模型优化器状态。", "28 GB"),
    ] = None
    weights: Annotated[
        kinds.ByteAmount | None,
        about("Claimed weights that must be resident.", "声称的须常驻权重。", "74 GB"),
    ] = None
    kv_cache: Annotated[
        kinds.ByteAmount | None,
        about("Claimed keys and values of one sequence.", "声称的单条序列 KV 缓存。", "85.9 GB"),
    ] = None
    time_per_output_token: Annotated[
        kinds.Latency | None,
        about("Claimed decoding time per token.", "声称的单词元解码时间。", "0.14 ms"),
    ] = None
    network: Annotated[
        kinds.Bandwidth | None,
        about("Network of a server that is claimed to do.", "声称够用的单服务器网络带宽。", "25 Gbit/s"),
    ] = None
    peak: Annotated[
        kinds.Flops | None,
        about("Claimed dense peak of the device.", "声称的单卡稠密峰值。", "400 TFLOPS"),
    ] = None
    device_memory: Annotated[
        kinds.ByteAmount | None,
        about("Claimed memory of the device.", "声称的单卡显存容量。", "32 GB"),
    ] = None

    @model_validator(mode="after")
    def _check_subject(self) -> Self:
        stated = self.stated()
        if not stated and (self.accelerator or self.accelerators):
            raise QuantityError("the claim states no quantity", f"one of: {', '.join(QUANTITY_KEYS)}")
        for quantity in stated:
            if quantity in NEEDS_ACCELERATOR and self.accelerator is None:
                raise QuantityError(f"{quantity} is claimed of no device", "give accelerator")
            if quantity in NEEDS_ACCELERATORS and self.accelerators is None:
                raise QuantityError(f"{quantity} is claimed of no number of devices", "give accelerators")
        return self

    def stated(self) -> dict[ClaimQuantity, float]:
        """Return every quantity that is stated, in SI units."""
        found: dict[ClaimQuantity, float] = {}
        for quantity in ClaimQuantity:
            value: float | Decimal | None = getattr(self, quantity.value, None)
            if value is not None:
                found[quantity] = float(value) * (S_PER_DAY if quantity is ClaimQuantity.DAYS else 1.0)
        return found
