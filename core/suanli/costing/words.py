"""Amounts in Chinese capitals (大写金额), as contracts and bank instruments write them.

Source: People's Bank of China, Basic Rules for the Correct Completion of Negotiable Instruments and
Settlement Vouchers (annex 1 to the Payment and Settlement Measures, 1997), articles 1 to 4.
"""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.money import round_half_up
from suanli.errors import Fault, InputError

__all__ = ["amount_in_words"]

_DIGITS = "零壹贰叁肆伍陆柒捌玖"
_PLACES = ("", "拾", "佰", "仟")
_GROUPS = ("", "万", "亿", "万亿")
_GROUP = 10_000
_MOST_DIGITS = 16


def amount_in_words(amount: Decimal) -> str:
    """Return an amount of yuan in Chinese capitals with 人民币 in front, rounded half up to the fen.

    整 stands after 元 and after 角, never after 分; any run of zeros inside is written as one 零.

    Args:
        amount: yuan, at most 16 digits before the point.

    Raises:
        InputError: the amount is not finite or has more than 16 digits before the point.

    >>> amount_in_words(Decimal("16409.02"))
    '人民币壹万陆仟肆佰零玖元零贰分'
    """
    if not amount.is_finite() or abs(amount) >= Decimal(10) ** _MOST_DIGITS:
        raise InputError(
            Fault(
                f"{amount} cannot be written in Chinese capitals",
                why=f"amounts of up to {_MOST_DIGITS} digits before the decimal point can be",
                cure="give the amount in figures",
            )
        )
    fen = int(round_half_up(abs(amount)).scaleb(2))
    if fen >= 10 ** (_MOST_DIGITS + 2):
        # Rounding may carry into a seventeenth digit.
        return amount_in_words(Decimal("Infinity"))
    yuan, rest = divmod(fen, 100)
    sign = "负" if amount < 0 and fen else ""
    return f"人民币{sign}{_whole(yuan)}{_fraction(rest, after_yuan=yuan > 0)}"


def _whole(yuan: int) -> str:
    """Return the yuan part with 元, empty for none."""
    if not yuan:
        return ""
    text, pending_zero = "", False
    groups = _split(yuan)
    for index, group in reversed(list(enumerate(groups))):
        if not group:
            # An empty 亿 level under 万亿 must still name 亿.
            pending_zero = True
            text += "亿" if index == 2 and len(groups) > 3 else ""  # noqa: PLR2004 - positions in _GROUPS
            continue
        gap = bool(text) and (pending_zero or group < _GROUP // 10)
        name = "万" if _GROUPS[index] == "万亿" else _GROUPS[index]
        text += ("零" if gap else "") + _four(group) + name
        pending_zero = False
    return f"{text}元"


def _split(yuan: int) -> list[int]:
    groups: list[int] = []
    while yuan:
        yuan, group = divmod(yuan, _GROUP)
        groups.append(group)
    return groups


def _four(group: int) -> str:
    """Return up to four digits with their places, inner zeros folded into one, none at either end."""
    text, zero = "", False
    for place in (3, 2, 1, 0):
        digit = group // 10**place % 10
        if not digit:
            zero = bool(text)
            continue
        text += ("零" if zero else "") + _DIGITS[digit] + _PLACES[place]
        zero = False
    return text


def _fraction(fen: int, *, after_yuan: bool) -> str:
    """Return 角 and 分 with 整 where it belongs."""
    jiao, last = divmod(fen, 10)
    if not fen:
        return "整" if after_yuan else "零元整"
    tens = f"{_DIGITS[jiao]}角" if jiao else ("零" if after_yuan else "")
    return tens + (f"{_DIGITS[last]}分" if last else "整")
