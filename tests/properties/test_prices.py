"""Properties of choosing a price, over the whole catalogue and any place."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.built_in import host, proposal

from suanli.domain.figure import Confidence
from suanli.domain.hardware import Accelerator, Server
from suanli.domain.market import Price
from suanli.planning.prices import class_price, item_price, server_price, subscription_price

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue

PLACES = ("", "CN", "CN-GZ", "US", "DE")


@cache
def rows() -> tuple[Price, ...]:
    return host().catalogue.all(Price)


def with_row(row: Price) -> Catalogue:
    """Return the catalogue with one of its prices in another form."""
    known = host().catalogue
    prices = MappingProxyType({**known.records[Price.kind], row.id: row})
    return replace(known, records=MappingProxyType({**known.records, Price.kind: prices}))


def found_for(row: Price, catalogue: Catalogue, place: str) -> list[Price]:
    """Return what is chosen for everything that a row could price."""
    servers = [one for one in catalogue.all(Server) if one.id in row.prices]
    devices = [one for one in catalogue.all(Accelerator) if one.id in row.prices]
    chosen = [
        class_price(catalogue, row.basis, place) if row.basis else None,
        *(item_price(catalogue, name, row.what, place) for name in row.prices),
        *(subscription_price(catalogue, vendor, place) for vendor in ("ascend", "nvidia", "amd")),
        *(
            server_price(catalogue, server, device, place)
            for server in servers
            for device in (*devices, catalogue.get(Accelerator, server.accelerator))
        ),
    ]
    return [price for price in chosen if price is not None]


def test_no_refuted_price_is_ever_chosen_for_anything() -> None:
    assert any(row.barred for row in rows())
    for row in rows():
        for place in PLACES:
            assert not any(price.barred for price in found_for(row, host().catalogue, place))


@given(st.data(), st.sampled_from(PLACES))
@settings(max_examples=60, deadline=None)
def test_a_price_that_is_refuted_is_chosen_no_more(data: st.DataObject, place: str) -> None:
    row = data.draw(st.sampled_from(rows()))
    refuted = with_row(row.model_copy(update={"barred": True, "preferred": True}))
    assert row.id not in {price.id for price in found_for(row, refuted, place)}


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_quotation_is_chosen_before_every_other_price(data: st.DataObject) -> None:
    usable = [row for row in rows() if not row.barred and row.currency.isalpha() and len(row.currency) == 3]
    row = data.draw(st.sampled_from(usable))
    quoted = with_row(
        row.model_copy(update={"confidence": Confidence.QUOTE, "preferred": False, "region": ""})
    )
    if row.basis:
        chosen = [class_price(quoted, row.basis, "CN-GZ")]
    else:
        chosen = [item_price(quoted, name, row.what, "CN-GZ") for name in row.prices]
    assert {price.id for price in chosen if price} == ({row.id} if row.basis or row.prices else set())


def test_no_document_of_an_example_rests_on_a_refuted_price() -> None:
    refuted = {f"price.{row.id}" for row in rows() if row.barred}
    for name in ("lora-13b", "pretrain-70b"):
        assert refuted.isdisjoint(entry.id for entry in proposal(name).ledger.inputs)
