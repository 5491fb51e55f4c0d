"""Quantities are read with their units, refused with a reason, and spelt so that they read back."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suanli.domain.money import Money
from suanli.project import quantities as q

if TYPE_CHECKING:
    from collections.abc import Callable

DAY = 86_400.0

READ: list[tuple[Callable[[Any], object], object, object]] = [
    (q.parse_count, "1T tokens", 10**12),
    (q.parse_count, "1.5T", 1_500_000_000_000),
    (q.parse_count, "300B", 300 * 10**9),
    (q.parse_count, "300G", 300 * 10**9),
    (q.parse_count, "4M", 4_000_000),
    (q.parse_count, "4,194,304", 4_194_304),
    (q.parse_count, "1e12", 10**12),
    (q.parse_count, 2_000_000, 2_000_000),
    (q.parse_count, "２Ｔ", 2 * 10**12),
    (q.parse_count, "3万亿", 3 * 10**12),
    (q.parse_count, "500亿 tokens", 50 * 10**9),
    (q.parse_bytes, "64 GiB", 64 * 2**30),
    (q.parse_bytes, "64 GB", 64 * 10**9),
    (q.parse_bytes, "1.5TB", 1_500_000_000_000),
    (q.parse_duration, "90 days", 90 * DAY),
    (q.parse_duration, "90d", 90 * DAY),
    (q.parse_duration, "９０ 天", 90 * DAY),
    (q.parse_duration, "1 month", 365.25 / 12 * DAY),
    (q.parse_duration, "1 year", 365.25 * DAY),
    (q.parse_duration, "2 weeks", 14 * DAY),
    (q.parse_duration, "36 h", 1.5 * DAY),
    (q.parse_duration, "30 min", 1800.0),
    (q.parse_years, "5 years", 5),
    (q.parse_years, "60 months", 5),
    (q.parse_days, "90 days", 90),
    (q.parse_power, "35 kW", 35_000.0),
    (q.parse_power, "1.2MW", 1_200_000.0),
    (q.parse_money, "200M CNY", Money(Decimal(200_000_000), "CNY")),
    (q.parse_money, "CNY 200M", Money(Decimal(200_000_000), "CNY")),
    (q.parse_money, "2亿 CNY", Money(Decimal(200_000_000), "CNY")),
    (q.parse_money, "2亿元", Money(Decimal(200_000_000), "CNY")),
    (q.parse_money, "３００万元", Money(Decimal(3_000_000), "CNY")),
    (q.parse_money, "1,234.56 USD", Money(Decimal("1234.56"), "USD")),
    (q.parse_money, "5 MXN", Money(Decimal(5), "MXN")),
    (q.parse_money, "5M MXN", Money(Decimal(5_000_000), "MXN")),
    (q.parse_energy_price, "0.65 CNY/kWh", Money(Decimal("0.65"), "CNY")),
    (q.parse_energy_price, "0.65元/度", Money(Decimal("0.65"), "CNY")),
    (q.parse_energy_price, "98 USD/MWh", Money(Decimal("0.098"), "USD")),
    (q.parse_carbon, "0.53 kg/kWh", Decimal("0.53")),
    (q.parse_carbon, "530 gCO2e/kWh", Decimal("0.530")),
    (q.parse_carbon, "0.53 kgCO2/kWh", Decimal("0.53")),
    (q.parse_fraction, "6%", Decimal("0.06")),
    (q.parse_fraction, "0.06", Decimal("0.06")),
    (q.parse_fraction, "６％", Decimal("0.06")),
    (q.parse_fraction, "0", Decimal(0)),
    (q.parse_pue, "1.25", Decimal("1.25")),
    (q.parse_pue, "1", Decimal(1)),
    (q.parse_ratio, "2:1", Decimal(2)),
    (q.parse_ratio, "1.0", Decimal("1.0")),
    (q.parse_multiple, "2x", Decimal(2)),
    (q.parse_date, "2026-11-30", date(2026, 11, 30)),
    (q.parse_date, "２０２６－１１－３０", date(2026, 11, 30)),
    (q.parse_region, "CN-GZ", "CN-GZ"),
    (q.parse_region, "US", "US"),
    (q.parse_region, "US-TX", "US-TX"),
    (q.parse_currency_pair, "USD/CNY", ("USD", "CNY")),
]


@pytest.mark.parametrize(("reader", "text", "value"), READ)
def test_a_quantity_is_read(reader: Callable[[Any], object], text: object, value: object) -> None:
    assert reader(text) == value


REFUSED: list[tuple[Callable[[Any], object], object, str]] = [
    (q.parse_whole, "4 kg", "is not part of a whole number"),
    (q.parse_ratio, "2 kg", 'has a unit, "kg"'),
    (q.parse_ratio, "2:3", "is not a ratio to 1"),
    (q.parse_bytes, "1.5 B", "is not a whole number of bytes"),
    (q.parse_count, "2", 'write "2T"'),
    (q.parse_count, "1.0", "ambiguous"),
    (q.parse_count, 2, "ambiguous"),
    (q.parse_count, "72b", 'did you mean "72B"?'),
    (q.parse_count, "0T", "above 0"),
    (q.parse_count, "-1T", "above 0"),
    (q.parse_count, "nan", "not a finite number"),
    (q.parse_count, ".inf", "not a finite number"),
    (q.parse_count, "inf T", "not a finite number"),
    (q.parse_count, "1e999999999 T", "out of any range"),
    (q.parse_count, "2 tonnes", "not a suffix"),
    (q.parse_count, "1.0000000000001T", "not a whole number"),
    (q.parse_count, "", "no value"),
    (q.parse_count, ["2T"], "a list"),
    (q.parse_count, {"a": "2T"}, "a mapping"),
    (q.parse_count, "9" * 300 + "T", "characters long"),
    (q.parse_bytes, "64 G", "not a known unit"),
    (q.parse_bytes, "64 gib", 'did you mean "GiB"?'),
    (q.parse_bytes, "64", "has no unit"),
    (q.parse_bytes, "0 GB", "above 0"),
    (q.parse_duration, "90", "has no unit"),
    (q.parse_duration, "5m", "minutes or months"),
    (q.parse_duration, "-3 days", "above 0"),
    (q.parse_duration, "0 days", "above 0"),
    (q.parse_duration, "3 fortnights", "not a known unit"),
    (q.parse_duration, "500 years", "at most 100 years"),
    (q.parse_days, "3 months", "not a whole number of days"),
    (q.parse_years, "18 months", "not a whole number of years"),
    (q.parse_years, "40 years", "from 1 to 30"),
    (q.parse_power, "35 kw", 'did you mean "kW"?'),
    (q.parse_power, "35", "has no unit"),
    (q.parse_money, "200M", 'write "200M CNY"'),
    (q.parse_money, "200M RMB", 'did you mean "CNY"?'),
    (q.parse_money, "$5M", "by a symbol"),
    (q.parse_money, "￥200M", "CNY or JPY"),
    (q.parse_money, "0 CNY", "above 0"),
    (q.parse_money, "-5 CNY", "above 0"),
    (q.parse_money, "NaN CNY", "not a finite number"),
    (q.parse_money, "5 XYZ", "not a currency code"),
    (q.parse_energy_price, "0.65 CNY", "not a price of energy"),
    (q.parse_energy_price, "0.65 CNY/h", "not a unit of energy"),
    (q.parse_energy_price, "0.65/kWh", "has no currency"),
    (q.parse_carbon, "530 kg/kWh", "from 0 to 2"),
    (q.parse_carbon, "0.53", "has no unit"),
    (q.parse_fraction, "6", 'write "6%" or "0.06"'),
    (q.parse_fraction, "150%", "up to 1"),
    (q.parse_fraction, "-1%", "from 0"),
    (q.parse_fraction, "nan", "not a finite number"),
    (q.parse_pue, "0.9", "never below 1"),
    (q.parse_pue, "125%", "has a unit"),
    (q.parse_pue, "9", "from 1 to 5"),
    (q.parse_ratio, "0.5", "from 1"),
    (q.parse_ratio, "3:2", "not a ratio to 1"),
    (q.parse_multiple, "2", 'write "2x"'),
    (q.parse_date, "2026/11/30", 'write "2026-11-30"'),
    (q.parse_date, "2026年11月3日", 'write "2026-11-03"'),
    (q.parse_date, "2026-02-30", "not a day of the calendar"),
    (q.parse_date, "30.11.2026", "ISO 8601"),
    (q.parse_region, "贵州", 'write "CN-GZ"'),
    (q.parse_region, "Guizhou", 'write "CN-GZ"'),
    (q.parse_region, "cn-gz", 'did you mean "CN-GZ"?'),
    (q.parse_region, "CN-QQ", "not a province"),
    (q.parse_region, "XX", "not a country code"),
    (q.parse_country, "USA", 'did you mean "US"?'),
    (q.parse_country, "CN-GZ", 'did you mean "CN"?'),
    (q.parse_currency, "YUAN", 'did you mean "CNY"?'),
    (q.parse_currency_pair, "USDCNY", 'write "USD/CNY"'),
    (q.parse_currency_pair, "CNY/CNY", "twice"),
    (q.parse_whole, "3.5", "not whole"),
    (q.parse_whole, "0", "from 1"),
    (q.parse_whole, True, "no text"),
    (q.parse_number, "3 days", "has a unit"),
]


@pytest.mark.parametrize(("reader", "text", "message"), REFUSED)
def test_a_wrong_quantity_is_refused_with_what_is_allowed(
    reader: Callable[[Any], object], text: object, message: str
) -> None:
    with pytest.raises(q.QuantityError) as caught:
        reader(text)
    assert message in str(caught.value)
    assert caught.value.allowed, "every refusal says what is allowed"


def test_a_refused_quantity_keeps_its_parts() -> None:
    with pytest.raises(q.QuantityError) as caught:
        q.parse_fraction("6")
    assert caught.value.found == '"6" is over 1 where a fraction is meant'
    assert caught.value.suggestion == 'write "6%" or "0.06"'


shares = st.decimals(0, 1, places=6)
amounts = st.decimals("0.01", 10**12, places=2).map(lambda amount: Money(amount, "CNY"))


@given(st.integers(10**6, 10**17))
def test_counts_read_back(count: int) -> None:
    assert q.parse_count(q.spell_count(count)) == count


@given(st.integers(1, 2**60))
def test_bytes_read_back(number: int) -> None:
    assert q.parse_bytes(q.spell_bytes(number)) == number


@given(st.floats(1e-3, 3e9, allow_nan=False))
def test_durations_read_back_exactly(seconds: float) -> None:
    assert q.parse_duration(q.spell_duration(seconds)) == seconds


@given(st.floats(1e-2, 1e9, allow_nan=False))
def test_powers_read_back_exactly(watts: float) -> None:
    assert q.parse_power(q.spell_power(watts)) == watts


@given(shares)
def test_fractions_read_back(share: Decimal) -> None:
    assert q.parse_fraction(q.spell_fraction(share)) == share


@given(amounts)
def test_money_reads_back(money: Money) -> None:
    assert q.parse_money(q.spell_money(money)) == money


@given(st.decimals("0.0001", 100, places=4))
def test_energy_prices_and_intensities_read_back(number: Decimal) -> None:
    assert q.parse_energy_price(q.spell_energy_price(Money(number, "EUR"))) == Money(number, "EUR")
    assert q.parse_carbon(q.spell_carbon(number / 100)) == number / 100


@given(st.text(max_size=40))
def test_no_text_escapes_as_another_exception_or_as_nan(text: str) -> None:
    for reader in (
        q.parse_count,
        q.parse_duration,
        q.parse_money,
        q.parse_fraction,
        q.parse_pue,
        q.parse_region,
    ):
        try:
            value: object = reader(text)
        except q.QuantityError:
            continue
        assert value == value  # noqa: PLR0124 - NaN is the one value unlike itself


@given(st.integers(1, 999), st.sampled_from(["T", "B", "M"]))
def test_full_width_text_reads_like_half_width(number: int, suffix: str) -> None:
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in f"{number}{suffix}")
    assert q.parse_count(wide) == q.parse_count(f"{number}{suffix}")
