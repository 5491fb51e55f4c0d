"""The audit of what a claim states of a model or a device alone: bytes, peaks and decoding time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Precision
from suanli.domain.units import BYTES_PER_GB, BYTES_PER_TB, FLOPS_PER_TFLOP
from suanli.domain.workload import ClaimQuantity
from suanli.estimation.bounds import decode_bound_s, kv_cache_bytes_per_token
from suanli.estimation.memory import usable_memory
from suanli.estimation.recipes import MEGATRON_BF16_GRADIENTS, MEGATRON_FP32_GRADIENTS, ZERO_FP16
from suanli.estimation.results import Range
from suanli.proposal.claim_words import both, count, num, sentence
from suanli.proposal.model import ClaimVerdict, ClaimView
from suanli.proposal.rounding import shown, shown_range

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from suanli.domain.figure import Figure
    from suanli.domain.record import Text
    from suanli.proposal.claim_facts import ClaimFacts
    from suanli.proposal.references import References

__all__ = ["quantity_view"]

_NEAR: Final = 0.02
"""Rounding that two figures of the same quantity may differ by."""
_BINARY: Final = 0.08
"""What GB and GiB of the same amount differ by, and a little rounding."""
_LEAST_WEIGHT_BYTES: Final = 0.5
"""A weight in 4 bit, the narrowest format that devices multiply."""
_MS: Final = 1e-3
_UNKNOWN: Final = both("目录中没有该设备的这项数据", "the catalogue has no such figure of this device")


def quantity_view(facts: ClaimFacts, references: References) -> ClaimView:
    """Return the audit of a claim about a model or a device alone."""
    audits: dict[ClaimQuantity, Callable[[ClaimFacts, ClaimView, References], ClaimView]] = {
        ClaimQuantity.STATES: _states,
        ClaimQuantity.OPTIMIZER: _optimizer,
        ClaimQuantity.WEIGHTS: _weights,
        ClaimQuantity.KV_CACHE: _kv_cache,
        ClaimQuantity.TIME_PER_OUTPUT_TOKEN: _decoding,
        ClaimQuantity.PEAK: _peak,
        ClaimQuantity.DEVICE_MEMORY: _device_memory,
    }
    claim = facts.claim
    audit = audits.get(claim.quantity)
    view = ClaimView(
        by=claim.by,
        says=claim.says,
        quantity=claim.quantity,
        accelerator_name=facts.accelerator.name if facts.accelerator else None,
        accelerators=claim.accelerators,
        verdict=ClaimVerdict.NOT_COMPUTABLE if audit else ClaimVerdict.NOT_EXPRESSIBLE,
    )
    if audit is None:
        return view.model_copy(update={"statement": _inexpressible()})
    return audit(facts, view, references)


def _inexpressible() -> Text:
    return sentence(
        ClaimVerdict.NOT_EXPRESSIBLE,
        both(
            "该说法未给出可核查的量；可核查的有工期、吞吐、MFU、卡数是否够用、单卡显存、模型状态、优化器状态、"
            "常驻权重、KV 缓存、解码时间、服务器网络、稠密峰值与显存容量，不含公式、扩展性与工程经验",
            "the claim states no quantity; a time, a rate, an MFU, that devices are enough, memory, states, "
            "optimizer states, weights, a KV cache, a decoding time, a network, a peak and device memory can "
            "be checked, formulas, scaling and practice cannot",
        ),
    )


def _gb(value: float) -> float:
    return value / BYTES_PER_GB


def _between(value: float, low: float, high: float) -> ClaimVerdict:
    """Return how a value lies to the span of published recipes, with room for rounding."""
    if value < low * (1 - _NEAR):
        return ClaimVerdict.IMPLAUSIBLE
    return ClaimVerdict.PESSIMISTIC if value > high * (1 + _NEAR) else ClaimVerdict.PLAUSIBLE


def _per_parameter(
    facts: ClaimFacts, view: ClaimView, spans: tuple[float, float, float], reason: Text
) -> ClaimView:
    """Return the audit of bytes that a number of bytes a parameter explains."""
    value, parameters = facts.claim.value or 0.0, facts.profile.total_parameters
    low, middle, high = spans
    # Nothing that is trained takes less than its own 16-bit weight or one byte of each moment.
    verdict = (
        ClaimVerdict.IMPOSSIBLE
        if value < 2.0 * parameters * (1 - _NEAR)
        else _between(value, low * parameters, high * parameters)
    )
    right = Range(low * parameters, middle * parameters, high * parameters)
    line = f"{num(_gb(value))} GB ÷ {count(parameters)}"
    each = num(value / parameters, 3)
    shown_right = shown_range(right, "GB", scale=1 / BYTES_PER_GB)
    span = f"{shown_right.low:,f}–{shown_right.high:,f} GB"
    return view.model_copy(
        update={
            "claimed": shown(_gb(value), "GB"),
            "right": shown_right,
            "verdict": verdict,
            "arithmetic": both(f"{line} 参数 = 每参数 {each} 字节", f"{line} parameters = {each} bytes each"),
            "statement": sentence(
                verdict,
                both(
                    f"相当于每参数 {num(value / parameters, 3)} 字节",
                    f"{num(value / parameters, 3)} bytes a parameter",
                ),
                reason,
                both(f"应为 {span}", f"{span} is right"),
            ),
        }
    )


def _states(facts: ClaimFacts, view: ClaimView, _: References) -> ClaimView:
    low, middle, high = (
        recipe.total_bytes for recipe in (MEGATRON_BF16_GRADIENTS, MEGATRON_FP32_GRADIENTS, ZERO_FP16)
    )
    reason = both(
        "混合精度 Adam 每参数为 2（权重）+ 2（梯度）+ 4（主权重）+ 4 + 4（动量）= 16 字节，"
        f"梯度用 32 位时为 {middle:g} 字节，另留 32 位累加缓冲时为 {high:g} 字节",
        "Adam in mixed precision keeps 2 (weights) + 2 (gradients) + 4 (master copy) + 4 + 4 (moments) = 16, "
        f"{middle:g} with 32-bit gradients, {high:g} with a 32-bit accumulation buffer beside",
    )
    return _per_parameter(facts, view, (low, middle, high), reason)


def _optimizer(facts: ClaimFacts, view: ClaimView, _: References) -> ClaimView:
    recipe = MEGATRON_BF16_GRADIENTS
    moments, whole = recipe.moment1_bytes + recipe.moment2_bytes, recipe.optimizer_bytes
    reason = both(
        f"Adam 两个 32 位动量为 {moments:g} 字节，连同 32 位主权重为 {whole:g} 字节",
        f"the two 32-bit moments of Adam take {moments:g}, with the 32-bit master copy {whole:g}",
    )
    return _per_parameter(facts, view, (moments, whole, whole), reason)


def _weights(facts: ClaimFacts, view: ClaimView, _: References) -> ClaimView:
    """Return whether the weights that must be resident are right: all of them, active or not."""
    value, profile = facts.claim.value or 0.0, facts.profile
    each = 1.0 if facts.precision is Precision.FP8 else 2.0
    right, least = each * profile.total_parameters, _LEAST_WEIGHT_BYTES * profile.total_parameters
    verdict = ClaimVerdict.IMPOSSIBLE if value < least * (1 - _NEAR) else _between(value, right, right)
    routed = profile.active_parameters < profile.total_parameters
    total, active = count(profile.total_parameters), count(profile.active_parameters)
    reason = both(
        f"全部 {total} 参数都须常驻，每词元只计算其中 {active}" if routed else f"{total} 参数都须常驻",
        f"all {total} parameters must be resident, {active} of them compute for one token"
        if routed
        else f"all {total} parameters must be resident",
    )
    size = num(_gb(right))
    return view.model_copy(
        update={
            "claimed": shown(_gb(value), "GB"),
            "right": shown(_gb(right), "GB"),
            "bound": shown(_gb(least), "GB"),
            "verdict": verdict,
            "arithmetic": both(
                f"{total} 参数 × {each:g} 字节 = {size} GB",
                f"{total} parameters × {each:g} bytes = {size} GB",
            ),
            "statement": sentence(
                verdict,
                reason,
                both(
                    f"应为 {num(_gb(right))} GB，4 位量化也需 {num(_gb(least))} GB",
                    f"{num(_gb(right))} GB is right, and {num(_gb(least))} GB even in 4 bit",
                ),
            ),
        }
    )


def _kv_cache(facts: ClaimFacts, view: ClaimView, _: References) -> ClaimView:
    """Return whether a cache of one sequence is right; the length is the sequence length of the job."""
    value, shape, length = facts.claim.value or 0.0, facts.architecture, facts.sequence_length
    per_token = kv_cache_bytes_per_token(shape)
    right = per_token * length
    # The cache may be kept in 8 bit as well.
    verdict = _between(value, right / 2, right)
    if verdict is ClaimVerdict.IMPLAUSIBLE and value < right * _LEAST_WEIGHT_BYTES / 2 * (1 - _NEAR):
        verdict = ClaimVerdict.IMPOSSIBLE
    factors = (
        f"({shape.mla.kv_lora_rank} + {shape.mla.qk_rope_head_dim}) × {shape.layers} × 2 B"
        if shape.mla
        else f"2 × {shape.layers} × {shape.kv_heads} × {shape.head_dim} × 2 B"
    )
    each = num(per_token, 6)
    line = f"{factors} = {each} B; × {num(length, 6)} = {num(_gb(right), 3)} GB"
    heads = both(
        f"缓存按 {shape.kv_heads} 个键值头计，不是 {shape.attention_heads} 个注意力头",
        f"the cache has {shape.kv_heads} key-value heads, not {shape.attention_heads} attention heads",
    )
    return view.model_copy(
        update={
            "claimed": shown(_gb(value), "GB"),
            "right": shown(_gb(right), "GB"),
            "verdict": verdict,
            "arithmetic": both(line.replace("; ", "；"), line),
            "statement": sentence(
                verdict,
                heads if shape.mla is None and shape.kv_heads < shape.attention_heads else None,
                both(
                    f"每词元 {each} 字节，{num(length, 6)} 词元应为 {num(_gb(right), 3)} GB",
                    f"{each} bytes a token, {num(length, 6)} tokens take {num(_gb(right), 3)} GB",
                ),
            ),
        }
    )


def _decoding(facts: ClaimFacts, view: ClaimView, references: References) -> ClaimView:
    """Return whether a decoding time is possible: each active weight is read once for each token."""
    device, value = facts.accelerator, facts.claim.value or 0.0
    figure = device.memory_bandwidth if device else None
    if device is None or figure is None or figure.barred:
        return view.model_copy(update={"statement": sentence(ClaimVerdict.NOT_COMPUTABLE, _UNKNOWN)})
    devices, each = facts.claim.accelerators or 1, 1.0 if facts.precision is Precision.FP8 else 2.0
    bound = decode_bound_s(facts.profile.active_parameters, each, devices, figure.si)
    verdict = ClaimVerdict.IMPOSSIBLE if value < bound * (1 - _NEAR) else ClaimVerdict.PLAUSIBLE
    moved = facts.profile.active_parameters * each
    usable = usable_memory(device)[0] * device.dies
    fits = each * facts.profile.total_parameters <= usable * devices
    if verdict is ClaimVerdict.PLAUSIBLE and not fits:
        verdict = ClaimVerdict.DOES_NOT_FIT
    weights, speed = count(facts.profile.active_parameters), num(figure.si / BYTES_PER_TB)
    tail = f"÷ ({devices} × {speed} TB/s) = {num(bound / _MS, 3)} ms"
    return view.model_copy(
        update={
            "claimed": shown(value / _MS, "ms"),
            "bound": shown(bound / _MS, "ms"),
            "right": shown(bound / _MS, "ms"),
            "implied_bandwidth": shown(moved / value / BYTES_PER_TB, "TB/s"),
            "bandwidth": shown(devices * figure.si / BYTES_PER_TB, "TB/s", refs=references.figure(figure)),
            "fits": fits,
            "verdict": verdict,
            "arithmetic": both(
                f"{weights} 参数 × {each:g} 字节 {tail}", f"{weights} parameters × {each:g} bytes {tail}"
            ),
            "statement": sentence(
                verdict, *_decoding_words(moved / value, devices * figure.si, bound, fits=fits)
            ),
            "refs": references.figure(figure),
        }
    )


def _decoding_words(implied: float, bandwidth: float, bound: float, *, fits: bool) -> tuple[Text | None, ...]:
    needed, known = num(implied / BYTES_PER_TB, 3), num(bandwidth / BYTES_PER_TB, 3)
    return (
        both(
            f"每个词元须读一遍权重，隐含带宽 {needed} TB/s，显存带宽为 {known} TB/s",
            f"each token reads the weights once: that takes {needed} TB/s, and memory has {known} TB/s",
        ),
        both(
            f"受带宽所限，单条序列不低于 {num(bound / _MS, 3)} ms",
            f"bound by bandwidth, a single sequence takes at least {num(bound / _MS, 3)} ms",
        ),
        None if fits else both("权重本身也放不下", "the weights do not even fit"),
    )


def _peak(facts: ClaimFacts, view: ClaimView, references: References) -> ClaimView:
    """Return whether a peak is the dense one of the catalogue."""
    device, value = facts.accelerator, facts.claim.value or 0.0
    figure = device.dense_peak.get(facts.precision) if device else None
    if device is None or figure is None or figure.barred:
        return view.model_copy(update={"statement": sentence(ClaimVerdict.NOT_COMPUTABLE, _UNKNOWN)})
    known = num(figure.si / FLOPS_PER_TFLOP)
    headline = _headline(value, device.headline_peak)
    if value > figure.si * (1 + _NEAR):
        verdict = ClaimVerdict.OPTIMISTIC if headline else ClaimVerdict.IMPOSSIBLE
    else:
        verdict = ClaimVerdict.PESSIMISTIC if value < figure.si * (1 - _NEAR) else ClaimVerdict.PLAUSIBLE
    precision = facts.precision.value
    line = f"{num(value / FLOPS_PER_TFLOP)} ÷ {known} TFLOPS = {num(value / figure.si, 3)}"
    return view.model_copy(
        update={
            "claimed": shown(value / FLOPS_PER_TFLOP, "TFLOPS", digits=4),
            "right": shown(figure.si / FLOPS_PER_TFLOP, "TFLOPS", digits=4, refs=references.figure(figure)),
            "bound": shown(figure.si / FLOPS_PER_TFLOP, "TFLOPS", digits=4),
            "peak": shown(figure.si / FLOPS_PER_TFLOP, "TFLOPS", digits=4),
            "verdict": verdict,
            "arithmetic": both(line, line),
            "statement": sentence(
                verdict,
                both(f"该值为宣传口径（{headline}）", f"the figure is that of marketing ({headline})")
                if headline
                else None,
                both(
                    f"{precision} 稠密峰值为 {known} TFLOPS",
                    f"the dense peak in {precision} is {known} TFLOPS",
                ),
            ),
            "refs": references.figure(figure),
        }
    )


def _headline(value: float, headlines: Mapping[str, Figure]) -> str:
    """Return the name of the headline figure that a value repeats, or nothing."""
    return next((name for name, one in headlines.items() if abs(value / one.si - 1) <= _NEAR), "")


def _device_memory(facts: ClaimFacts, view: ClaimView, references: References) -> ClaimView:
    """Return whether a device has the claimed memory, and how much of it can be allocated."""
    device, value = facts.accelerator, facts.claim.value or 0.0
    if device is None:
        return view
    nominal, usable = device.memory.si, usable_memory(device)[0] * device.dies
    if value > nominal * (1 + _BINARY):
        verdict = ClaimVerdict.IMPOSSIBLE
    else:
        verdict = ClaimVerdict.PESSIMISTIC if value < usable * (1 - _BINARY) else ClaimVerdict.PLAUSIBLE
    line = f"{num(_gb(value))} ÷ {num(_gb(nominal))} GB = {num(value / nominal, 3)}"
    return view.model_copy(
        update={
            "claimed": shown(_gb(value), "GB"),
            "right": shown(_gb(nominal), "GB", refs=references.figure(device.memory)),
            "usable_memory": shown(_gb(usable), "GB"),
            "verdict": verdict,
            "arithmetic": both(line, line),
            "statement": sentence(
                verdict,
                both(
                    f"标称 {num(_gb(nominal), 3)} GB，可分配 {num(_gb(usable), 3)} GB",
                    f"it has {num(_gb(nominal), 3)} GB, of which {num(_gb(usable), 3)} GB can be allocated",
                ),
            ),
            "refs": references.figure(device.memory),
        }
    )
