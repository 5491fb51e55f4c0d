from __future__ import annotations

from datetime import date

import pytest
from tests.factories import accelerator, catalogue, price, server

from suanli.domain.figure import Check, Confidence
from suanli.domain.market import Price, PriceKind
from suanli.planning.prices import (
    PriceOrigin,
    class_price,
    item_price,
    last_day,
    line_price,
    origin_of,
    server_price,
    stale,
    subscription_price,
    without_lump_sums,
)

BOX = ("acme-box",)


def chosen(*rows: object, region: str = "CN-GZ") -> str | None:
    found = server_price(catalogue(*rows), server(), accelerator(), region)  # type: ignore[arg-type]
    return None if found is None else found.id


def test_the_preferred_row_is_used() -> None:
    assert chosen(price("a", "1", prices=BOX), price("b", "2", prices=BOX, preferred=True)) == "b"


def test_a_quotation_outranks_the_preferred_row() -> None:
    quote = price("q", "3", prices=BOX, confidence=Confidence.QUOTE)

    assert chosen(price("b", "2", prices=BOX, preferred=True), quote) == "q"


def test_a_refuted_row_is_never_used_even_if_it_is_the_only_one() -> None:
    assert chosen(price("a", "1", prices=BOX, barred=True, preferred=True)) is None


def test_the_best_grade_comes_before_the_newest() -> None:
    weak = price("new", "1", prices=BOX, confidence=Confidence.PRESS, valid_to=date(2026, 11, 29))
    listed = price("old", "2", prices=BOX, valid_to=date(2025, 1, 1), valid_from=date(2025, 1, 1))

    assert chosen(weak, listed) == "old"


def test_among_equals_the_newest_is_used() -> None:
    old = price("old", "2", prices=BOX, valid_to=date(2025, 1, 1), valid_from=date(2025, 1, 1))

    assert chosen(old, price("new", "1", prices=BOX)) == "new"


def test_the_price_of_the_same_country_comes_before_a_world_price() -> None:
    assert chosen(price("a-world", "1", prices=BOX), price("cn", "2", prices=BOX, region="CN")) == "cn"


def test_rack_space_abroad_does_not_price_rack_space_here() -> None:
    abroad = price("us", "200", PriceKind.COLOCATION, "USD", basis="colocation-kw-month", region="US")

    assert class_price(catalogue(abroad), "colocation-kw-month", "CN-GZ") is None
    assert class_price(catalogue(abroad), "colocation-kw-month", "US-TX") is not None


def test_a_share_is_no_price_of_a_thing() -> None:
    share = price("share", "8", PriceKind.SUPPORT, "%", basis="maintenance-share-year")

    assert class_price(catalogue(share), "maintenance-share-year", "CN") is None


def test_a_sibling_device_is_not_priced_by_its_relatives_server() -> None:
    relative = accelerator("acme-x2")
    rows = catalogue(price("a", "1", prices=BOX))

    assert server_price(rows, server(), accelerator(), "CN") is not None
    assert server_price(rows, server(), relative, "CN") is None


def test_a_row_that_names_the_sibling_device_prices_it() -> None:
    rows = catalogue(price("a", "1", prices=(*BOX, "acme-x2"), confidence=Confidence.PRESS))

    assert server_price(rows, server(), accelerator("acme-x2"), "CN") is not None


def test_buying_is_not_priced_by_renting() -> None:
    rows = catalogue(price("rent", "20", PriceKind.CLOUD, prices=("acme-x1",), per="device-hour"))

    assert item_price(rows, "acme-x1", PriceKind.ACCELERATOR, "CN") is None
    assert item_price(rows, "acme-x1", PriceKind.CLOUD, "CN") is not None


def test_only_the_preferred_subscription_of_the_vendor_is_used() -> None:
    fields = {"basis": "software-nvidia-suite-year", "per": "device-year"}
    special = price("edu", "100", PriceKind.SOFTWARE, **fields)
    usual = price("full", "4500", PriceKind.SOFTWARE, preferred=True, **fields)

    assert subscription_price(catalogue(special), "nvidia", "CN") is None
    assert subscription_price(catalogue(special, usual), "nvidia", "CN") == usual
    assert subscription_price(catalogue(special, usual), "amd", "CN") is None


def test_a_price_is_stale_the_day_after_its_validity() -> None:
    row = price("a", "1", valid_to=date(2026, 8, 1), valid_from=date(2026, 8, 1), check=Check.DIRECT)

    assert not stale(row, date(2026, 10, 30))
    assert stale(row, date(2026, 10, 31))
    assert stale(row, date(2026, 9, 2), validity_days=30)


def quote(record_id: str, amount: str, what: PriceKind = PriceKind.SERVER, **fields: object) -> Price:
    return price(record_id, amount, what, "CNY", confidence=Confidence.QUOTE, **fields)


def test_a_quotation_holds_until_its_own_day_whatever_the_project_allows_others() -> None:
    row = quote("q", "1", validity_days=365)
    assert last_day(row, 90) == date(2027, 11, 20)
    assert not stale(row, date(2027, 11, 20), 90)
    assert stale(row, date(2027, 11, 21), 90)
    assert last_day(price("p", "1", validity_days=365), 90) == date(2027, 2, 18)


def test_a_price_for_one_device_prices_no_other_and_goes_before_that_of_all() -> None:
    one = quote(
        "one", "1", basis="installation", prices=("acme-x1",), what=PriceKind.CONSTRUCTION, per="item"
    )
    everybody = quote("all", "2", basis="installation", what=PriceKind.CONSTRUCTION, per="item")
    both = catalogue(one, everybody)
    assert class_price(both, "installation", "CN", "acme-x1") == one
    assert class_price(both, "installation", "CN", "acme-x2") == everybody
    assert class_price(both, "installation", "CN") == everybody
    assert item_price(both, "acme-x1", PriceKind.CONSTRUCTION, "CN") is None
    assert class_price(without_lump_sums(both), "installation", "CN", "acme-x1") == everybody


@pytest.mark.parametrize(
    ("unit", "device", "found"),
    [("item", "acme-x1", True), ("set", "acme-x1", False), ("item", "acme-x2", False)],
)
def test_a_line_is_priced_by_a_quotation_of_its_unit_and_device(
    unit: str, device: str, *, found: bool
) -> None:
    row = quote("line", "1", basis="extra", prices=("acme-x1",), per="item")
    assert (line_price(catalogue(row), "extra", unit, device, "CN") is not None) is found


@pytest.mark.parametrize(
    ("confidence", "origin"),
    [
        (Confidence.QUOTE, PriceOrigin.QUOTE),
        (Confidence.LIST, PriceOrigin.LIST),
        (Confidence.OFFICIAL_SOFTWARE, PriceOrigin.LIST),
        (Confidence.COMMUNITY, PriceOrigin.PRESS),
        (Confidence.ESTIMATE, PriceOrigin.ESTIMATE),
    ],
)
def test_every_price_has_an_origin(confidence: Confidence, origin: PriceOrigin) -> None:
    assert origin_of(price("p", "1", confidence=confidence)) is origin
