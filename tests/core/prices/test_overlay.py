"""Quotations of a project file: in force for its run, cited, marked when stale, refused by file and row."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.built_in import SMALL, host
from tests.core.prices.sheets import answered, asked, decided

from suanli.domain.figure import Confidence
from suanli.domain.market import Price
from suanli.errors import InputError
from suanli.manifest import Written, manifest
from suanli.pipeline import build_proposal, decide
from suanli.planning.bill import unpriced
from suanli.planning.prices import PriceOrigin
from suanli.project.load import parse_project
from suanli.proposal.build import assemble

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.project.schema import Project

ALL = "vendors.consider=[ascend, nvidia, amd]"


def small(folder: Path, *files: str, text: str = SMALL) -> Project:
    """Return the small project with quotations that lie beside it."""
    path = folder / "small.yaml"
    path.write_text(text, encoding="utf-8")
    return parse_project(text, path, [f"commercial.quotes=[{', '.join(files)}]"])


@pytest.mark.parametrize("name", ["lora-13b", "pretrain-70b"])
def test_a_fully_filled_sheet_leaves_no_line_of_any_option_without_a_price(name: str, tmp_path: Path) -> None:
    path = answered(tmp_path / "q.xlsx", asked(name, ALL))
    before, after = decided(name, ALL), decided(name, ALL, f"commercial.quotes=[{path}]")
    assert any(unpriced(plan.bill) for plan in before.plans.values())
    assert len(after.plans) == len(before.plans)
    for plan in after.plans.values():
        assert unpriced(plan.bill) == ()
        assert {item.price.confidence for item in plan.bill if item.price} == {Confidence.QUOTE}
    assert after.ledger.whole == frozenset(after.plans)


def test_a_rack_scale_system_and_its_spare_trays_are_quoted_too(tmp_path: Path) -> None:
    settings = ("vendors.consider=[nvidia]", "vendors.accelerators=[gb200]", "vendors.delivery_region=US")
    rows = asked("base-405b", *settings)
    assert "line:spare-trays@gb200" in {row.key for row in rows}
    path = answered(tmp_path / "q.xlsx", rows)
    for plan in decided("base-405b", *settings, f"commercial.quotes=[{path}]").plans.values():
        assert unpriced(plan.bill) == ()


def test_quotations_are_cited_and_counted_in_the_proposal(tmp_path: Path) -> None:
    answered(tmp_path / "q.xlsx", asked("small"))
    proposal = build_proposal(small(tmp_path, "./q.xlsx"), host())
    (best,) = proposal.options
    assert best.money is not None
    priced = sum(row.price is not None for row in best.bill)
    assert best.money.price_origins == {**dict.fromkeys(PriceOrigin, 0), PriceOrigin.QUOTE: priced}
    assert (best.money.unpriced, best.money.stale_prices, best.money.weak_prices) == ((), 0, 0)
    cited = [source for source in proposal.sources if source.publisher == "某供应商"]
    assert [(source.published, source.ref) for source in cited] == [("2026-11-20", "Q-1")]
    assert not any("quotes" in notice.text.en for notice in proposal.notices)
    entry = next(entry for entry in proposal.ledger.inputs if entry.id.startswith("price.quote-"))
    assert (entry.dated, entry.valid_to) == ("2026-11-20", date(2027, 1, 31))


def test_a_quotation_is_stale_after_the_day_that_it_states_and_no_sooner(tmp_path: Path) -> None:
    answered(tmp_path / "old.xlsx", asked("small"), dated=date(2026, 1, 5), valid_until=date(2026, 11, 29))
    answered(tmp_path / "long.xlsx", asked("small"), dated=date(2026, 1, 5), valid_until=date(2026, 11, 30))
    old, long = (
        build_proposal(small(tmp_path, name), host()).options[0].money for name in ("old.xlsx", "long.xlsx")
    )
    assert old is not None
    assert long is not None
    # 329 days are more than the 90 that the project allows other prices.
    assert (old.stale_prices, long.stale_prices) == (old.price_origins[PriceOrigin.QUOTE], 0)


def test_quotations_hold_for_their_run_only(tmp_path: Path) -> None:
    before = host().catalogue.all(Price)
    answered(tmp_path / "q.xlsx", asked("small"))
    decide(small(tmp_path, "q.xlsx"), host())
    assert host().catalogue.all(Price) == before


def test_the_newest_of_two_quotations_is_used_and_the_reader_is_told(tmp_path: Path) -> None:
    rows = asked("small")
    answered(tmp_path / "a.xlsx", rows, unit_price=100, supplier="甲", dated=date(2026, 11, 2))
    answered(tmp_path / "b.xlsx", rows, unit_price=200, supplier="乙", dated=date(2026, 11, 3))
    found = decide(small(tmp_path, "a.xlsx", "b.xlsx"), host())
    (plan,) = found.plans.values()
    assert {item.price.amount for item in plan.bill if item.price} == {Decimal(200)}
    told = [notice.en for notice in found.notices if "2 quotations (乙, 甲)" in notice.en]
    assert len(told) == len(rows)
    assert all("乙, 2026-11-03" in notice for notice in told)


def faults(folder: Path, *files: str, text: str = SMALL) -> list[Any]:
    with pytest.raises(InputError) as raised:
        decide(small(folder, *files, text=text), host())
    return list(raised.value.faults)


def test_a_missing_file_is_a_fault_of_the_project_with_the_nearest_name(tmp_path: Path) -> None:
    answered(tmp_path / "quote.xlsx", asked("small"))
    (fault,) = faults(tmp_path, "qoute.xlsx")
    assert (fault.what, fault.key) == ("there is no such file", "commercial.quotes")
    assert "quote.xlsx" in fault.cure


def test_faults_of_all_files_and_of_the_project_are_said_at_once(tmp_path: Path) -> None:
    answered(tmp_path / "a.xlsx", asked("small")[:1], currency="?")
    answered(tmp_path / "b.xlsx", asked("small")[:1], dated=date(2026, 12, 1))
    text = SMALL.replace("llama-2-13b", "lama-2-13b")
    found = faults(tmp_path, "a.xlsx", "b.xlsx", "c.txt", text=text)
    assert len(found) == 4
    assert any("row" in fault.where and "a.xlsx" in fault.where for fault in found)
    assert any("in the future" in fault.what for fault in found)
    assert any("lama-2-13b" in fault.what for fault in found)


def test_a_currency_without_an_exchange_rate_is_a_fault_and_not_an_unpriced_line(tmp_path: Path) -> None:
    answered(tmp_path / "q.xlsx", asked("small")[:1], currency="EUR")
    (fault,) = faults(tmp_path, "q.xlsx")
    assert fault.what == "is in EUR, totals are in CNY"
    assert "row" in fault.where
    assert "commercial.fx" in fault.cure


def test_the_same_quotation_in_two_files_is_a_fault(tmp_path: Path) -> None:
    for name in ("a.xlsx", "b.xlsx"):
        answered(tmp_path / name, asked("small")[:1])
    (fault,) = faults(tmp_path, "a.xlsx", "b.xlsx")
    assert "is there already" in fault.what
    assert "a.xlsx" in fault.why


RECORD = """\
sources:
  - {id: own, title: Offer, publisher: Supplier, retrieved: 2026-11-20}
prices:
  - id: own-rack
    item: {zh: 机柜, en: Rack}
    what: rack
    basis: rack
    amount: 3000
    currency: CNY
    per: rack
    dated: "2026-11-20"
    valid_from: 2026-11-20
    valid_to: 2026-11-20
    source: own
    confidence: quote
    check: direct
    vat: excluded
"""


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("confidence: quote", "confidence: press", 'confidence is "press"'),
        ("source: own", "source: owm", 'source "owm" is unknown'),
        ("basis: rack", "basis: rak", 'basis "rak" is unknown'),
        ("basis: rack", "prices: [dgx-h10]", '"dgx-h10" is in no catalogue'),
        ("    basis: rack\n", "", "prices nothing"),
        ("per: rack", "per: server", '"server" is not the unit of rack'),
        ("amount: 3000", "amount: 0", "the amount is 0"),
        ("valid_from: 2026-11-20", "valid_from: 2026-12-20", "is in the future"),
        ("id: own-rack", "id: nvidia-price-h100-node", "is there already"),
        ("    vat: excluded\n", "", "does not say whether VAT is in the price"),
        ("vat: excluded", "vat: unknown", "does not say whether VAT is in the price"),
        ("amount:", "amonut:", "is not a key"),
        ("prices:\n", "tariffs:\n", "is no list of prices or sources"),
        ("prices:\n", "prices: [\n", "not readable as YAML"),
    ],
)
def test_records_of_a_hand_are_checked_as_the_catalogue_is(
    tmp_path: Path, old: str, new: str, what: str
) -> None:
    assert old in RECORD
    (tmp_path / "p.yaml").write_text(RECORD, encoding="utf-8")
    (plan,) = decide(small(tmp_path, "p.yaml"), host()).plans.values()
    assert next(item.price.id for item in plan.bill if item.id == "racks" and item.price) == "own-rack"
    (tmp_path / "p.yaml").write_text(RECORD.replace(old, new), encoding="utf-8")
    found = faults(tmp_path, "p.yaml")
    assert any(what in fault.what for fault in found)
    assert all("p.yaml" in fault.where for fault in found)


def test_the_manifest_names_every_quotation_by_its_digest(tmp_path: Path) -> None:
    path = answered(tmp_path / "q.xlsx", asked("small"))
    project = small(tmp_path, "./q.xlsx")
    first = manifest(Written({}), project, host())
    assert b'"./q.xlsx": "' in first
    answered(path, asked("small"), unit_price=7)
    assert manifest(Written({}), project, host()) != first
    assert b"quotes" not in manifest(Written({}), small(tmp_path), host())


def test_a_lump_sum_is_for_the_servers_that_it_was_quoted_for(tmp_path: Path) -> None:
    rows = tuple(row for row in asked("lora-13b", ALL) if row.key == "line:installation@mi300x")
    path = answered(tmp_path / "q.xlsx", rows)
    plans = decided("lora-13b", ALL, f"commercial.quotes=[{path}]").plans.values()
    priced = {
        plan.sizing.device.accelerator.id: item.price is not None
        for plan in plans
        for item in plan.bill
        if item.id == "installation"
    }
    assert {device for device, known in priced.items() if known} == {"mi300x"}
    assert len(priced) > 1


def test_the_views_are_made_with_the_catalogue_of_the_run(tmp_path: Path) -> None:
    answered(tmp_path / "q.xlsx", asked("small"))
    found = decide(small(tmp_path, "q.xlsx"), host())
    assert assemble(found, found.catalogue).sources != assemble(found, host().catalogue).sources
