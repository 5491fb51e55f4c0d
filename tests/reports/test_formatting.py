"""Numbers, amounts and dates as each language writes them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suanli_reports import formatting


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("17175.20"), "17,175.20"),
        (704, "704"),
        (Decimal("-3.5"), "−3.5"),
        (Decimal(0), "0"),
        (Decimal("0.0492"), "0.0492"),
        (Decimal("1E+3"), "1,000"),
        (Decimal("1085812958.50"), "1,085,812,958.50"),
    ],
)
def test_a_number_keeps_its_digits_and_gets_separators(value: Decimal | int, expected: str) -> None:
    assert formatting.number(value) == expected


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (Decimal("2.675"), 2, "2.68"),
        (Decimal("1.005"), 2, "1.01"),
        (Decimal(5), 2, "5.00"),
        (Decimal("-0.5"), 0, "−1"),
    ],
)
def test_fixed_decimals_are_rounded_half_up(value: Decimal, decimals: int, expected: str) -> None:
    assert formatting.number(value, decimals=decimals) == expected


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (Decimal("0.41"), "41%"),
        (Decimal("0.412"), "41.2%"),
        (Decimal(1), "100%"),
        (Decimal("184.7"), "18,470%"),
        (Decimal("0.0038"), "0.38%"),
    ],
)
def test_a_share_is_written_as_percent(share: Decimal, expected: str) -> None:
    assert formatting.percent(share) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("9.04E+23"), ("9.04", 23)),
        (Decimal(904238472398472398472398), ("9.042", 23)),
        (Decimal(70553706496), ("7.055", 10)),
        (Decimal("9.99996E+12"), ("10", 12)),
        (Decimal(1000000), ("1", 6)),
    ],
)
def test_a_large_figure_is_a_mantissa_and_a_power_of_ten(value: Decimal, expected: tuple[str, int]) -> None:
    mantissa, exponent = formatting.scientific(value)
    assert Decimal(mantissa).scaleb(exponent) == Decimal(expected[0]).scaleb(expected[1])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("2E+12"), "2T"),
        (Decimal("1.45E+12"), "1.45T"),
        (3964928, "3.965M"),
        (4096, "4,096"),
        (10**9, "1B"),
    ],
)
def test_counts_are_abbreviated_as_they_are_spoken_of(value: Decimal | int, expected: str) -> None:
    assert formatting.abbreviated(value) == expected


@pytest.mark.parametrize(
    ("amount", "language", "key", "text"),
    [
        (Decimal(165522080), "zh", "yi", "1.6552"),
        (Decimal("57534742.70"), "zh", "wan", "5,753.47"),
        (Decimal("5.87"), "zh", "one", "5.87"),
        (Decimal(165522080), "en", "million", "165.52"),
        (Decimal("8412.55"), "en", "one", "8,412.55"),
        (Decimal(-12345678), "zh", "wan", "−1,234.57"),
        (Decimal("99999949.99"), "zh", "wan", "9,999.99"),
        (Decimal(99999950), "zh", "yi", "1.0000"),
        (Decimal(-99999950), "zh", "yi", "−1.0000"),
        (Decimal("9999.995"), "zh", "wan", "1.00"),
        (Decimal("9999.99"), "zh", "one", "9,999.99"),
        (Decimal("999999.995"), "en", "million", "1.00"),
    ],
)
def test_an_amount_is_written_in_the_scale_of_its_language(
    amount: Decimal, language: str, key: str, text: str
) -> None:
    scale = formatting.compact_scale(amount, language)
    assert (scale.key, formatting.scaled(amount, scale, language)) == (key, text)


AMOUNTS = st.decimals("-1e15", "1e15", places=2)


@given(AMOUNTS, st.sampled_from(["zh", "en"]))
def test_an_amount_is_off_by_at_most_half_of_its_last_shown_digit(amount: Decimal, language: str) -> None:
    for scale in (formatting.compact_scale(amount, language), formatting.table_scale(language)):
        text = formatting.scaled(amount, scale, language).replace(",", "").replace("−", "-")
        half = Decimal(5).scaleb(scale.exponent - scale.decimals - 1)
        assert len(text.partition(".")[2]) == scale.decimals
        assert abs(Decimal(text).scaleb(scale.exponent) - amount) <= half


@given(AMOUNTS, st.sampled_from(["zh", "en"]))
def test_an_amount_below_the_largest_scale_never_shows_a_whole_of_the_next(
    amount: Decimal, language: str
) -> None:
    scale = formatting.compact_scale(amount, language)
    shown = abs(Decimal(formatting.scaled(amount, scale, language).replace(",", "").replace("−", "-")))
    ceiling = {"zh": {"one": 10_000, "wan": 10_000}, "en": {"one": 1_000_000}}[language].get(scale.key)
    assert ceiling is None or shown < ceiling
    assert scale.key == "one" or shown >= 1


def test_dates_are_written_out() -> None:
    day = date(2026, 1, 5)
    assert (formatting.day(day, "zh"), formatting.day(day, "en")) == ("2026年1月5日", "5 January 2026")


def test_countries_have_names_and_unknown_codes_have_none() -> None:
    assert formatting.country("SG", "zh") == "新加坡"
    assert not formatting.country("XX-99", "en")
