"""Money is exact, has a currency, and is rounded as Excel rounds."""

from __future__ import annotations

from decimal import Decimal

import pytest

from suanli.domain.money import Money, round_half_up


@pytest.mark.parametrize(
    ("value", "places", "rounded"),
    [
        ("2.675", 2, "2.68"),
        ("-2.675", 2, "-2.68"),
        ("2.665", 2, "2.67"),
        ("0.005", 2, "0.01"),
        ("0.0049999", 2, "0.00"),
        ("1234.5", 0, "1235"),
        ("0.12345", 4, "0.1235"),
    ],
)
def test_halves_go_away_from_zero(value: str, places: int, rounded: str) -> None:
    assert str(round_half_up(Decimal(value), places)) == rounded


def test_amounts_of_one_currency_add_up() -> None:
    assert Money(Decimal("0.10"), "CNY") + Money(Decimal("0.20"), "CNY") == Money(Decimal("0.30"), "CNY")


def test_amounts_of_two_currencies_are_never_added() -> None:
    with pytest.raises(ValueError, match="cannot add USD to CNY without an exchange rate"):
        _ = Money(Decimal(1), "CNY") + Money(Decimal(1), "USD")


def test_a_binary_float_is_refused_because_it_is_not_exact() -> None:
    with pytest.raises(TypeError, match="money takes a Decimal, not float"):
        Money(0.1, "CNY")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "-Infinity"])
def test_an_amount_is_a_number(amount: str) -> None:
    with pytest.raises(ValueError, match="money must be finite"):
        Money(Decimal(amount), "CNY")


@pytest.mark.parametrize("code", ["", "cny", "RMB元", "CN", "CNYY", "CNY\n"])
def test_a_currency_is_an_iso_code(code: str) -> None:
    with pytest.raises(ValueError, match="not an ISO 4217 currency code"):
        Money(Decimal(1), code)


def test_money_is_written_with_its_currency() -> None:
    assert str(Money(Decimal("200.50"), "CNY")) == "200.50 CNY"
