"""Bytes, durations, power, carbon intensity, fractions and PUE."""

from __future__ import annotations

from decimal import Decimal

from suanli.project.quantities.reading import QuantityError, parse_text, split_number, within

__all__ = [
    "BYTE_UNITS",
    "CARBON_UNITS",
    "DAY_S",
    "DURATION_UNITS",
    "MONTH_S",
    "POWER_UNITS",
    "YEAR_S",
    "parse_bytes",
    "parse_carbon",
    "parse_days",
    "parse_duration",
    "parse_fraction",
    "parse_months",
    "parse_power",
    "parse_pue",
    "parse_years",
    "scaled",
]

DAY_S = Decimal(86_400)
YEAR_S = Decimal("365.25") * DAY_S
MONTH_S = YEAR_S / 12

BYTE_UNITS: dict[str, Decimal] = {
    **{
        f"{prefix}B": Decimal(10) ** (3 * power) for power, prefix in enumerate(["", "k", "M", "G", "T", "P"])
    },
    **{
        f"{prefix}iB": Decimal(2) ** (10 * power)
        for power, prefix in enumerate(["K", "M", "G", "T", "P"], start=1)
    },
}

_DURATIONS: dict[Decimal, tuple[str, ...]] = {
    Decimal(1): ("s", "sec", "second", "seconds", "秒"),
    Decimal(60): ("min", "mins", "minute", "minutes", "分钟"),
    Decimal(3600): ("h", "hr", "hour", "hours", "小时"),
    DAY_S: ("d", "day", "days", "天", "日"),
    7 * DAY_S: ("w", "week", "weeks", "周"),
    MONTH_S: ("month", "months", "个月", "月"),
    YEAR_S: ("y", "yr", "year", "years", "年"),
}
DURATION_UNITS: dict[str, Decimal] = {name: size for size, names in _DURATIONS.items() for name in names}

POWER_UNITS: dict[str, Decimal] = {"W": Decimal(1), "kW": Decimal(10) ** 3, "MW": Decimal(10) ** 6}

CARBON_UNITS: dict[str, Decimal] = {
    f"{mass}{gas}/{energy}": Decimal(str(factor))
    for gas in ("", "CO2", "CO2e", " CO2", " CO2e")
    for mass, energy, factor in (
        ("kg", "kWh", 1),
        ("g", "kWh", "0.001"),
        ("t", "MWh", 1),
        ("kg", "MWh", "0.001"),
    )
}

_LONGEST_S = 100 * YEAR_S


def scaled(value: object, units: dict[str, Decimal], allowed: str, example: str) -> tuple[Decimal, str]:
    """Return a number in the base unit, and the text it came from.

    Raises:
        QuantityError: no unit, or an unknown one.
    """
    text = parse_text(value, allowed)
    number, unit = split_number(text, allowed, f"write for example {example}")
    if unit == "":
        raise QuantityError(f'"{text}" has no unit', allowed, f"write for example {example}")
    if unit not in units:
        twin = next((name for name in units if name.casefold() == unit.casefold()), "")
        raise QuantityError(
            f'"{text}": "{unit}" is not a known unit', allowed, f'did you mean "{twin}"?' if twin else ""
        )
    return number * units[unit], text


def parse_bytes(value: object) -> int:
    """Read an amount of memory in bytes: GB is 10⁹, GiB is 2³⁰.

    Raises:
        QuantityError: the text is no positive amount with a unit of bytes.

    >>> parse_bytes("64 GiB"), parse_bytes("64 GB")
    (68719476736, 64000000000)
    """
    allowed = (
        "an amount above 0 in kB, MB, GB, TB, PB (powers of ten) or KiB, MiB, GiB, TiB, PiB (powers of two)"
    )
    number, text = scaled(value, BYTE_UNITS, allowed, "64 GB")
    within(number, text, allowed, high=Decimal(10) ** 21)
    if number != number.to_integral_value():
        raise QuantityError(f'"{text}" is not a whole number of bytes', allowed)
    return int(number)


def parse_duration(value: object) -> float:
    """Read a duration in seconds; a month is 365.25 / 12 days.

    Raises:
        QuantityError: the text is no positive duration with a unit.

    >>> parse_duration("90 days") == parse_duration("90d") == 90 * 86400
    True
    """
    allowed = "a duration above 0, at most 100 years, in s, min, h, days, weeks, months or years"
    if isinstance(value, str) and value.strip().endswith("m") and value.strip()[:-1].strip().isdigit():
        raise QuantityError(f'"{value.strip()}" could be minutes or months', allowed, "write min or months")
    number, text = scaled(value, DURATION_UNITS, allowed, "120 days")
    return float(within(number, text, allowed, high=_LONGEST_S))


def _whole_units(value: object, size_s: Decimal, name: str, high: int, low: int = 1) -> int:
    """Read a whole number of days, months or years; a bare number is refused, as for any duration."""
    allowed = f"a whole number of {name} from {low} to {high}, such as 5 {name}"
    number, text = scaled(value, DURATION_UNITS, allowed, f"5 {name}")
    units = number / size_s
    if abs(units - round(units)) > Decimal("1e-9"):
        raise QuantityError(f'"{text}" is not a whole number of {name}', allowed)
    whole = within(Decimal(round(units)), text, allowed, low=Decimal(low), open_low=False, high=Decimal(high))
    return int(whole)


def parse_years(value: object, *, high: int = 30) -> int:
    """Read a whole number of years.

    Raises:
        QuantityError: the text is no whole number of years from 1 to `high`.

    >>> parse_years("60 months")
    5
    """
    return _whole_units(value, YEAR_S, "years", high)


def parse_days(value: object, *, low: int = 1, high: int = 3650) -> int:
    """Read a whole number of days.

    Raises:
        QuantityError: the text is no whole number of days from `low` to `high`.
    """
    return _whole_units(value, DAY_S, "days", high, low)


def parse_months(value: object, *, low: int = 1, high: int = 360) -> int:
    """Read a whole number of months; years are twelve of them.

    Raises:
        QuantityError: the text is no whole number of months from `low` to `high`.

    >>> parse_months("5 years")
    60
    """
    return _whole_units(value, MONTH_S, "months", high, low)


def parse_power(value: object) -> float:
    """Read a power in watts.

    Raises:
        QuantityError: the text is no positive power with a unit.

    >>> parse_power("35 kW")
    35000.0
    """
    allowed = "a power above 0, at most 10,000 MW, in W, kW or MW"
    number, text = scaled(value, POWER_UNITS, allowed, "35 kW")
    return float(within(number, text, allowed, high=Decimal(10) ** 10))


def parse_carbon(value: object) -> Decimal:
    """Read the carbon intensity of electricity in kg CO₂ per kWh.

    Raises:
        QuantityError: the text is no intensity between 0 and 2 kg/kWh.

    >>> parse_carbon("530 g/kWh")
    Decimal('0.530')
    """
    allowed = (
        "an intensity from 0 to 2 kg/kWh, in kg/kWh, g/kWh or t/MWh (CO2 or CO2e may stand after the mass)"
    )
    number, text = scaled(value, CARBON_UNITS, allowed, "0.53 kg/kWh")
    return within(number, text, allowed, open_low=False, high=Decimal(2))


def parse_fraction(value: object, *, open_low: bool = False, high: Decimal = Decimal(1)) -> Decimal:
    """Read a share between 0 and 1, written ``6%`` or ``0.06``.

    Raises:
        QuantityError: the text is not a share, or a bare number over 1.

    >>> parse_fraction("6%") == parse_fraction("0.06")
    True
    """
    allowed = f"a fraction {'above' if open_low else 'from'} 0 up to {high}, written 6% or 0.06"
    text = parse_text(value, allowed)
    number, unit = split_number(text, allowed)
    if unit not in {"", "%"}:
        raise QuantityError(f'"{text}": "{unit}" is not the unit of a fraction', allowed)
    if unit == "" and number > 1:
        raise QuantityError(
            f'"{text}" is over 1 where a fraction is meant',
            allowed,
            f'write "{number}%" or "{number / 100}"' if number <= 100 * high else "",
        )
    share = number / 100 if unit else number
    return within(share, text, allowed, open_low=open_low, high=high)


def parse_pue(value: object) -> Decimal:
    """Read a power usage effectiveness, at least 1.

    Raises:
        QuantityError: the number is below 1 or above 5.

    >>> parse_pue("1.25")
    Decimal('1.25')
    """
    allowed = "a PUE from 1 to 5: energy of the facility over energy of its IT equipment, so never below 1"
    text = parse_text(value, allowed)
    number, unit = split_number(text, allowed)
    if unit:
        raise QuantityError(
            f'"{text}" has a unit, "{unit}", where none is meant', allowed, "write for example 1.25"
        )
    return within(number, text, allowed, low=Decimal(1), open_low=False, high=Decimal(5))
