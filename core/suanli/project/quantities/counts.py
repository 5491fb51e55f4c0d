"""Counts of tokens, parameters, devices and layers; plain numbers, ratios and multiples."""

from __future__ import annotations

from decimal import Decimal

from suanli.project.quantities.reading import QuantityError, parse_text, split_number, within

__all__ = ["COUNT_UNITS", "parse_count", "parse_multiple", "parse_number", "parse_ratio", "parse_whole"]

COUNT_UNITS: dict[str, Decimal] = {
    "": Decimal(1),
    "k": Decimal(10) ** 3,
    "K": Decimal(10) ** 3,
    "M": Decimal(10) ** 6,
    "B": Decimal(10) ** 9,
    "G": Decimal(10) ** 9,
    "T": Decimal(10) ** 12,
    "P": Decimal(10) ** 15,
    "万": Decimal(10) ** 4,
    "亿": Decimal(10) ** 8,
    "万亿": Decimal(10) ** 12,
}
"""Suffixes of counts, powers of ten; the Chinese ones are as the language counts."""

_HIGHEST = Decimal(10) ** 18


def _count_unit(unit: str, nouns: tuple[str, ...]) -> str | None:
    """Return the suffix of a unit such as ``T tokens``, or None where it is not one."""
    for noun in nouns:
        stem = unit.removesuffix(noun).removesuffix(noun.removesuffix("s"))
        if stem != unit:
            unit = stem.strip()
            break
    return unit if unit in COUNT_UNITS else None


def parse_count(
    value: object, *, what: str = "tokens", bare_from: int = 1_000_000, example: str = "T"
) -> int:
    """Read a count such as ``2T``, ``1.5T tokens``, ``300B`` or ``4M``.

    A bare number below `bare_from` is refused: whether ``2`` means 2 billion or 2 trillion is a factor of a
    thousand. Larger whole numbers (``4194304``, ``1e12``) can only be meant as they stand.

    Args:
        value: What stands in the file.
        what: Noun of the thing counted, in the plural.
        bare_from: Smallest number that needs no suffix.
        example: Suffix to suggest for a bare number.

    Raises:
        QuantityError: the text is not a positive whole count.

    >>> parse_count("1.5T tokens")
    1500000000000
    >>> parse_count("3万亿")
    3000000000000
    """
    allowed = f"a count of {what} above 0 with one of the suffixes k M B G T P, powers of ten (or 万, 亿)"
    text = parse_text(value, allowed)
    number, unit = split_number(text, allowed, f"write for example 2{example}")
    suffix = _count_unit(unit, (what, "tokens", "token", "params", "个"))
    if suffix is None:
        upper = unit[:1].upper()
        known = upper in COUNT_UNITS and upper != ""
        raise QuantityError(
            f'"{text}": "{unit}" is not a suffix of a count',
            allowed,
            f'did you mean "{number}{upper}"?' if known else "",
        )
    if suffix == "" and 0 < number < bare_from:
        raise QuantityError(
            f'"{text}" is ambiguous: a bare number could be thousands, billions or trillions of {what}',
            allowed,
            f'write "{_plain(number)}{example}" if that is meant; from {bare_from:,} on it needs no suffix',
        )
    count = within(number * COUNT_UNITS[suffix], text, allowed, high=_HIGHEST)
    if count != count.to_integral_value():
        raise QuantityError(f'"{text}" is not a whole number of {what}', allowed)
    return int(count)


def _plain(number: Decimal) -> str:
    """Return a number without exponent and without trailing zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def parse_whole(value: object, *, low: int = 1, high: int = 10_000_000, what: str = "a whole number") -> int:
    """Read a whole number such as ``576`` or ``4k``.

    Raises:
        QuantityError: the text is not a whole number between `low` and `high`.

    >>> parse_whole("4,096")
    4096
    """
    allowed = f"{what} from {low} to {high:,}"
    text = parse_text(value, allowed)
    number, unit = split_number(text, allowed)
    if unit not in COUNT_UNITS:
        raise QuantityError(f'"{text}": "{unit}" is not part of a whole number', allowed)
    number *= COUNT_UNITS[unit]
    within(number, text, allowed, low=Decimal(low), open_low=False, high=Decimal(high))
    if number != number.to_integral_value():
        raise QuantityError(f'"{text}" is not whole', allowed)
    return int(number)


def parse_number(
    value: object, *, low: int = 0, open_low: bool = True, high: int = 10**12, what: str = "a number"
) -> Decimal:
    """Read a plain number without a unit.

    Raises:
        QuantityError: the text is not a number between `low` and `high`.
    """
    allowed = f"{what} {'above' if open_low else 'from'} {low}, at most {high:,}"
    text = parse_text(value, allowed)
    number, unit = split_number(text, allowed)
    if unit:
        raise QuantityError(f'"{text}" has a unit, "{unit}", where none is meant', allowed)
    return within(number, text, allowed, low=Decimal(low), open_low=open_low, high=Decimal(high))


def parse_ratio(value: object) -> Decimal:
    """Read a ratio of at least 1, such as an oversubscription of ``1.0`` or ``2:1``.

    Raises:
        QuantityError: the text is not a ratio between 1 and 100.

    >>> parse_ratio("3:1")
    Decimal('3')
    """
    allowed = "a ratio from 1 (non-blocking) to 100, such as 1.0 or 2:1"
    text = parse_text(value, allowed)
    head, _, tail = text.partition(":")
    if tail and tail.strip() != "1":
        raise QuantityError(f'"{text}" is not a ratio to 1', allowed)
    number, unit = split_number(head.strip(), allowed)
    if unit:
        raise QuantityError(f'"{text}" has a unit, "{unit}"', allowed)
    return within(number, text, allowed, low=Decimal(1), open_low=False, high=Decimal(100))


def parse_capacity(value: object) -> Decimal:
    """Read a capacity factor of routed experts, such as ``1.25``; ``none`` gives 0.

    Raises:
        QuantityError: the text is neither ``none`` nor a number between 1 and 100.

    >>> parse_capacity("1.25"), parse_capacity("none")
    (Decimal('1.25'), Decimal('0'))
    """
    allowed = "none (no padding, no token dropped), or a number from 1 to 100, such as 1.25"
    text = parse_text(value, allowed)
    if text.casefold() == "none":
        return Decimal(0)
    number, unit = split_number(text, allowed)
    if unit:
        raise QuantityError(f'"{text}" has a unit, "{unit}"', allowed)
    return within(number, text, allowed, low=Decimal(1), open_low=False, high=Decimal(100))


def parse_multiple(value: object) -> Decimal:
    """Read a multiple of a size, such as ``2x``.

    Raises:
        QuantityError: the text is not a multiple above 1.

    >>> parse_multiple("2x")
    Decimal('2')
    """
    allowed = "a multiple above 1, at most 100, such as 2x"
    text = parse_text(value, allowed)
    number, unit = split_number(text, allowed)
    if unit not in {"x", "X", "×", "倍"}:
        raise QuantityError(
            f'"{text}" is not a multiple', allowed, f'write "{_plain(number)}x" if that is meant'
        )
    return within(number, text, allowed, low=Decimal(1), high=Decimal(100))
