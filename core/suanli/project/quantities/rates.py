"""What claims state beside days: bandwidths, peaks, latencies and bytes that need not be whole."""

from __future__ import annotations

from decimal import Decimal

from suanli.project.quantities.physical import BYTE_UNITS, DURATION_UNITS, scaled
from suanli.project.quantities.reading import within
from suanli.project.quantities.spelling import shortest

__all__ = [
    "parse_bandwidth",
    "parse_byte_amount",
    "parse_flops",
    "parse_latency",
    "spell_bandwidth",
    "spell_byte_amount",
    "spell_flops",
    "spell_latency",
]

_BITS = {f"{prefix}bit/s": Decimal(10) ** power / 8 for prefix, power in (("M", 6), ("G", 9), ("T", 12))}
_BANDWIDTHS: dict[str, Decimal] = {
    **{f"{name}/s": size for name, size in BYTE_UNITS.items()},
    **_BITS,
    **{f"{name[0]}bps": size for name, size in _BITS.items()},
}
_FLOPS: dict[str, Decimal] = {
    f"{prefix}{word}": Decimal(10) ** power
    for word in ("FLOPS", "FLOP/s")
    for prefix, power in (("G", 9), ("T", 12), ("P", 15))
}
_LATENCIES: dict[str, Decimal] = {
    "us": Decimal("1e-6"),
    "µs": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "毫秒": Decimal("1e-3"),
    **DURATION_UNITS,
}


def parse_bandwidth(value: object) -> float:
    """Read a bandwidth in bytes per second.

    Raises:
        QuantityError: the text is no positive bandwidth with a unit.

    >>> parse_bandwidth("25 Gbit/s"), parse_bandwidth("50 GB/s")
    (3125000000.0, 50000000000.0)
    """
    allowed = "a bandwidth above 0 in Gbit/s, Tbit/s, GB/s or TB/s"
    number, text = scaled(value, _BANDWIDTHS, allowed, "25 Gbit/s")
    return float(within(number, text, allowed, high=Decimal(10) ** 18))


def parse_flops(value: object) -> float:
    """Read a peak in FLOP/s.

    Raises:
        QuantityError: the text is no positive rate with a unit.

    >>> parse_flops("400 TFLOPS")
    400000000000000.0
    """
    allowed = "a rate above 0 in GFLOPS, TFLOPS or PFLOPS"
    number, text = scaled(value, _FLOPS, allowed, "400 TFLOPS")
    return float(within(number, text, allowed, high=Decimal(10) ** 24))


def parse_latency(value: object) -> float:
    """Read a short time in seconds.

    Raises:
        QuantityError: the text is no positive time with a unit.

    >>> parse_latency("0.14 ms")
    0.00014
    """
    allowed = "a time above 0 in us, ms or s"
    number, text = scaled(value, _LATENCIES, allowed, "42 ms")
    return float(within(number, text, allowed, high=Decimal(86_400)))


def parse_byte_amount(value: object) -> float:
    """Read an amount of memory in bytes that need not be whole, as claims round it.

    Raises:
        QuantityError: the text is no positive amount with a unit of bytes.

    >>> parse_byte_amount("85.9 GB"), parse_byte_amount("2.6 GiB")
    (85900000000.0, 2791728742.4)
    """
    allowed = "an amount above 0 in MB, GB, TB (powers of ten) or MiB, GiB, TiB (powers of two)"
    number, text = scaled(value, BYTE_UNITS, allowed, "840 GB")
    return float(within(number, text, allowed, high=Decimal(10) ** 21))


def _spelled(value: float, units: list[tuple[str, Decimal]]) -> str:
    return " ".join(shortest(Decimal(repr(value)), units))


def spell_bandwidth(bytes_per_s: float) -> str:
    """Return a bandwidth in TB/s, GB/s or Gbit/s, whichever is short.

    >>> spell_bandwidth(3.125e9)
    '25 Gbit/s'
    """
    return _spelled(bytes_per_s, [(name, _BANDWIDTHS[name]) for name in ("Gbit/s", "TB/s", "GB/s", "B/s")])


def spell_flops(flops_per_s: float) -> str:
    """Return a rate in PFLOPS, TFLOPS or GFLOPS.

    >>> spell_flops(400e12)
    '400 TFLOPS'
    """
    return _spelled(flops_per_s, [(name, _FLOPS[name]) for name in ("TFLOPS", "PFLOPS", "GFLOPS")])


def spell_latency(seconds: float) -> str:
    """Return a short time in s, ms or us.

    >>> spell_latency(0.0418)
    '41.8 ms'
    """
    return _spelled(seconds, [(name, _LATENCIES[name]) for name in ("s", "ms", "us")])


def spell_byte_amount(number: float) -> str:
    """Return an amount of memory that need not be whole.

    >>> spell_byte_amount(85.9e9), spell_byte_amount(30.5 * 2**30)
    ('85.9 GB', '30.5 GiB')
    """
    names = ("PB", "TB", "GB", "MB", "PiB", "TiB", "GiB", "MiB", "B")
    return _spelled(number, [(name, BYTE_UNITS[name]) for name in names])
