from __future__ import annotations

from decimal import Decimal

import pytest
from tests.core.built_in import host

from suanli.domain.market import Price
from suanli.project.quantities import QuantityError
from suanli.sweep.grid import parse_grid
from suanli.sweep.prices import change_prices, price_faults, read_change

PRICE = next(
    price for price in host().catalogue.all(Price) if price.currency == "CNY" and price.low is not None
)
SHARE = next(price for price in host().catalogue.all(Price) if price.currency in {"%", "fraction"})


def changed(change: str, pattern: str = PRICE.id) -> Price:
    return change_prices(host().catalogue, [(pattern, change)]).get(Price, PRICE.id)


@pytest.mark.parametrize(
    ("change", "factor"),
    [("0.8x", "0.8"), ("1.25 ×", "1.25"), ("-20%", "0.8"), ("+12.5%", "1.125"), ("0.8Ｘ", "0.8")],
)
def test_a_factor_moves_the_amount_and_its_range(change: str, factor: str) -> None:
    new = changed(change)
    assert new.amount == PRICE.amount * Decimal(factor)
    assert PRICE.low is not None
    assert new.low == PRICE.low * Decimal(factor)
    assert new.currency == PRICE.currency
    assert new.source == PRICE.source


def test_an_amount_replaces_price_and_currency_and_has_no_range() -> None:
    new = changed("1.8M USD")
    assert (new.amount, new.currency, new.low, new.high) == (Decimal(1_800_000), "USD", None, None)


def test_a_pattern_changes_every_price_that_it_names_and_no_other() -> None:
    before, after = host().catalogue, change_prices(host().catalogue, [("nvidia-*", "2x")])
    for price in before.all(Price):
        factor = 2 if price.id.startswith("nvidia-") else 1
        assert after.get(Price, price.id).amount == price.amount * factor


def test_changes_of_one_price_follow_each_other() -> None:
    catalogue = change_prices(host().catalogue, [("*", "2x"), (PRICE.id, "-50%")])
    assert catalogue.get(Price, PRICE.id).amount == PRICE.amount


def test_the_catalogue_itself_stays_as_it_is() -> None:
    changed("2x")
    assert host().catalogue.get(Price, PRICE.id) == PRICE
    assert change_prices(host().catalogue, []) is host().catalogue


@pytest.mark.parametrize("change", ["0.8", "0x", "-100%", "cheap", "-5 CNY", "0 CNY", "¥5"])
def test_an_unreadable_change_is_refused(change: str) -> None:
    with pytest.raises(QuantityError):
        read_change(change)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"price.{PRICE.id}=0.8", "allowed: a factor such as 0.8x"),
        (f"price.{PRICE.id}x=0.8x", f'did you mean "{PRICE.id}"?'),
        ("price.nothing-*=0.8x", '"nothing-*" matches no price'),
        ("price.nvidia-*=1M CNY", "one amount for many prices"),
        (f"price.{SHARE.id}=1M CNY", "this row is a share"),
    ],
)
def test_wrong_prices_are_faults_that_name_key_and_value(text: str, expected: str) -> None:
    (fault,) = price_faults(parse_grid([text]).axes, host().catalogue)
    assert expected in str(fault)
    assert fault.key == text.partition("=")[0]


def test_sound_prices_have_no_fault() -> None:
    texts = [f"price.{PRICE.id}=1M CNY,-10%", "price.nvidia-*=0.9x", "site.pue=1.1"]
    assert not list(price_faults(parse_grid(texts).axes, host().catalogue))
