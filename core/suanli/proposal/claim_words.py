"""Sentences of an audited claim in both languages: the arithmetic that a reader repeats, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.record import Text
from suanli.proposal.model import ClaimVerdict
from suanli.proposal.rounding import significant

if TYPE_CHECKING:
    from suanli.proposal.model import Shown

__all__ = ["VERDICTS", "amount", "both", "count", "num", "percent", "sentence", "spread"]

VERDICTS: Final[dict[ClaimVerdict, tuple[str, str]]] = {
    ClaimVerdict.PLAUSIBLE: ("合理", "Plausible"),
    ClaimVerdict.OPTIMISTIC: ("偏乐观", "Optimistic"),
    ClaimVerdict.IMPLAUSIBLE: ("不可信", "Implausible"),
    ClaimVerdict.IMPOSSIBLE: ("物理上不可能", "Physically impossible"),
    ClaimVerdict.DOES_NOT_FIT: ("显存容纳不下", "Does not fit"),
    ClaimVerdict.PESSIMISTIC: ("偏悲观", "Pessimistic"),
    ClaimVerdict.IMPRACTICAL: ("不现实", "Impractical"),
    ClaimVerdict.NOT_COMPUTABLE: ("无法核查", "Cannot be checked"),
    ClaimVerdict.NOT_EXPRESSIBLE: ("无法量化核查", "Not a quantity that can be checked"),
}
"""Verdicts as sentences begin with them, Chinese first."""

_UNITS: Final[dict[str, tuple[str, str]]] = {
    "day": ("天", "days"),
    "tokens/s": ("词元/秒", "tokens/s"),
    "times": ("倍", "×"),
}
_MANY = 10
_PLAIN_BELOW = 1e9
_MANY_DIGITS = 4


def num(value: float, digits: int = _MANY_DIGITS) -> str:
    """Return a number with its thousands grouped, in powers of ten where it is large.

    >>> num(45090.0), num(0.14), num(4.391e22)
    ('45,090', '0.14', '4.391e22')
    """
    if value >= _PLAIN_BELOW:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    text = f"{significant(value, digits):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(value: float) -> str:
    """Return a count of parameters or tokens with its suffix.

    >>> count(6.74e9), count(1e12)
    ('6.74B', '1T')
    """
    for size, name in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if value >= size:
            return f"{num(value / size)}{name}"
    return num(value)


def percent(share: float) -> str:
    """Return a share in per cent, or as a multiple where it is many times the whole.

    >>> percent(0.4638), percent(127.4)
    ('46.4 %', '12,740 %')
    """
    return f"{share * 100:.1f} %" if share < _MANY else f"{float(significant(share * 100, 4)):,.0f} %"


def amount(shown: Shown, *, chinese: bool) -> str:
    """Return a shown figure with its unit in one language."""
    if shown.unit == "share":
        return percent(float(shown.value))
    name = _UNITS.get(shown.unit, (shown.unit, shown.unit))[0 if chinese else 1]
    return f"{shown.value:,f} {name}"


def spread(shown: Shown) -> str:
    """Return the range of a shown figure in brackets, or nothing."""
    if shown.low is None or shown.high is None:
        return ""
    if shown.unit == "share":
        return f" (P10–P90 {percent(float(shown.low))} – {percent(float(shown.high))})"
    return f" (P10–P90 {shown.low:,f}–{shown.high:,f})"


def both(zh: str, en: str) -> Text:
    """Return a text in both languages."""
    return Text(zh=zh, en=en)


def sentence(verdict: ClaimVerdict, *parts: Text | None) -> Text:
    """Return the verdict with its reasons as one paragraph in each language."""
    kept = [part for part in parts if part is not None]
    zh, en = VERDICTS[verdict]
    return Text(
        zh=f"{zh}：{'；'.join(part.zh for part in kept)}。" if kept else f"{zh}。",
        en=f"{en}: {'; '.join(part.en for part in kept)}." if kept else f"{en}.",
    )
