"""The way back from a cost sheet: what an edit does to the project, and what follows everywhere from it."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from tests.full_project import FULL_PROJECT
from tests.workbook_press import PRESS

from suanli import round_trip
from suanli.costing.ledger import Line
from suanli.domain.figure import Grade
from suanli.errors import InputError
from suanli.host.loader import load_host
from suanli.pipeline import build_proposal
from suanli.project.load import parse_project
from suanli.project.writing import requirement_yaml
from suanli.proposal.contributions import RenderJob
from suanli.round_trip import Errand, apply_sheet
from suanli_reports import workbook_reading
from suanli_reports.workbook_grid import arrange

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from suanli.host.host import Host
    from suanli.project.schema import Project
    from suanli.proposal.model import BillRow, Proposal
    from suanli.round_trip import Changed


def load(settings: Sequence[str]) -> Project:
    return parse_project(FULL_PROJECT, overrides=settings)


@pytest.fixture(autouse=True)
def _press(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_reading, "load_layout", PRESS.layout)
    monkeypatch.setattr(workbook_reading, "render_xlsx", PRESS.sheet)
    monkeypatch.setattr(workbook_reading, "open_book", PRESS.opened)
    monkeypatch.setattr(round_trip, "build_proposal", PRESS.proposed)


@pytest.fixture(scope="module")
def host() -> Host:
    return load_host()


@dataclass(frozen=True, slots=True)
class Desk:
    """The cost sheet of the project, to be edited by ledger id."""

    host: Host
    proposal: Proposal
    folder: Path

    def edited(self, changes: Mapping[str, object], proposal: Proposal | None = None) -> Path:
        job = RenderJob(proposal or self.proposal, "en")
        grid = arrange(PRESS.layout(job), job.proposal.ledger, "en")
        book: Any = openpyxl.load_workbook(io.BytesIO(PRESS.sheet(job)))
        for entry, value in changes.items():
            home = grid.homes[entry]
            book[grid.sheets[home.sheet].name].cell(home.row + 1, home.column + 1).value = value
        path = self.folder / "edited.xlsx"
        book.save(path)
        return path

    def apply(
        self, changes: Mapping[str, object], *settings: str, proposal: Proposal | None = None
    ) -> Changed:
        return apply_sheet(Errand(load, settings, self.edited(changes, proposal)), self.host)

    def proposed(self, changed: Changed) -> Proposal:
        return build_proposal(
            changed.project, self.host, changes=changed.sheet.changes if changed.sheet else ()
        )


@pytest.fixture(scope="module")
def proposal(host: Host) -> Proposal:
    return PRESS.proposed(load(()), host)


@pytest.fixture
def desk(host: Host, proposal: Proposal, tmp_path: Path) -> Desk:
    return Desk(host, proposal, tmp_path)


EDITS: dict[str, object] = {
    "site.pue": 1.42,
    "general.fx.USD.CNY": 6.9,
    "general.milestone.1": 0.2,
    "site.tariff.3.price": 1.2,
    "price.offer-any": 31,
    "general.staff_cost": 350_000.5,
    "price.ascend-price-910b-train-node": 2_000_000,
    "site.colocation": 480,
    "A.quantity.servers": 3,
    "A.energy.hours_run": 20.5,
    "B.energy.kw_training": 5.1,
}
"""Keys of the project, prices of the catalogue, and figures of the sizing."""


@pytest.fixture(scope="module")
def changed(host: Host, proposal: Proposal, tmp_path_factory: pytest.TempPathFactory) -> Changed:
    return Desk(host, proposal, tmp_path_factory.mktemp("desk")).apply(EDITS)


@pytest.fixture(scope="module")
def after(host: Host, changed: Changed) -> Proposal:
    assert changed.sheet is not None
    return build_proposal(changed.project, host, changes=changed.sheet.changes)


def test_the_whole_ledger_is_what_the_sheet_shows(proposal: Proposal, after: Proposal) -> None:
    values = {name: Decimal(str(value)) for name, value in EDITS.items()}
    assert after.ledger.values() == proposal.ledger.values(values)


def test_an_edit_is_told_with_its_place_before_and_after(changed: Changed) -> None:
    told = {change.entry.id: (change.entry.value, change.value) for change in changed.changes}
    assert set(told) == set(EDITS)
    assert told["site.pue"] == (Decimal("1.35"), Decimal("1.42"))
    assert all(change.place.startswith("Inputs!") for change in changed.changes)


def test_the_documents_list_every_edit_before_and_after(after: Proposal) -> None:
    shown = {edit.key: (edit.before, edit.after) for edit in after.edits}
    assert len(after.edits) == len(EDITS)
    assert shown["site.pue"] == (Decimal("1.35"), Decimal("1.42"))
    assert shown["commercial.milestones.0.share"] == (Decimal("0.3"), Decimal("0.2"))
    assert shown["A.quantity.servers"] == (Decimal(1), Decimal(3))
    assert shown["price.ascend-price-910b-train-node"] == (Decimal(2_122_000), Decimal(2_000_000))


def _row(proposal: Proposal, key: str, item: str) -> BillRow:
    return next(row for row in proposal.option(key).bill if row.id == item)


def test_a_changed_quantity_stands_in_the_bill_beside_what_the_rule_gives(after: Proposal) -> None:
    row = _row(after, "A", "servers")
    assert (row.quantity, row.quantity_as_sized) == (3, 1)
    assert row.rule_text.en.startswith("changed by hand (by the rule: 1); ceil(")
    assert after.option("A").servers == 1
    assert any("as sized 1" in notice.text.en for notice in after.notices)


def test_a_changed_price_counts_as_a_quotation_of_the_cost_sheet(after: Proposal) -> None:
    row = _row(after, "A", "servers")
    assert row.price is not None
    assert (row.price.value, row.price.low) == (Decimal(2_000_000), None)
    assert (row.price.grade, row.stale) == (Grade.DIRECT, False)
    source = next(source for source in after.sources if source.key in row.price.refs)
    assert (source.id, source.title) == ("edited-cost-sheet", "成本测算表（人工改动）")


def test_energy_and_carbon_follow_a_changed_run_time(after: Proposal, proposal: Proposal) -> None:
    values, energy = after.ledger.values(), after.option("A").energy
    assert energy is not None
    assert energy.per_run.value == pytest.approx(values["A.energy.kwh_run"] / 1000, rel=Decimal("0.005"))
    assert energy.per_run.low is None
    assert energy.carbon_per_year is not None
    before = proposal.option("A").energy
    assert before is not None
    assert before.carbon_per_year is not None
    assert energy.carbon_per_year.value > before.carbon_per_year.value


def test_the_project_itself_is_changed_where_it_has_a_key(after: Proposal) -> None:
    rules, site = after.requirement.commercial, after.requirement.site
    assert (site.pue, site.tariff[2].price.amount) == (Decimal("1.42"), Decimal("1.2"))
    assert [one.share for one in rules.milestones] == [Decimal(x) for x in ("0.2", "0.5", "0.15", "0.15")]
    assert rules.rent is not None
    assert rules.rent.price.amount == 31
    assert (rules.exchange_rates[0].rate, rules.exchange_rates[0].source) == (
        Decimal("6.9"),
        "edited-cost-sheet",
    )
    assert after.site_pue.value == Decimal("1.42")


@pytest.mark.parametrize(
    ("saved", "dated"),
    [
        (date(2026, 11, 12), date(2026, 11, 12)),
        (date(2027, 1, 5), date(2026, 11, 30)),
        (None, date(2026, 11, 30)),
    ],
    ids=["before the document", "after it", "unknown"],
)
def test_an_edited_exchange_rate_has_the_day_of_the_sheet_and_at_most_that_of_the_document(
    saved: date | None, dated: date, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.proposal.project.day == date(2026, 11, 30)
    monkeypatch.setattr(
        workbook_reading, "open_book", lambda *file: replace(PRESS.opened(*file), saved=saved)
    )
    found = desk.proposed(desk.apply({"general.fx.USD.CNY": 6.9}))
    rate = found.requirement.commercial.exchange_rates[0]
    assert (rate.rate, rate.day) == (Decimal("6.9"), dated)
    shown = next(entry for entry in found.ledger.inputs if entry.id == "general.fx.USD.CNY")
    assert (shown.dated, shown.source) == (dated.isoformat(), "edited-cost-sheet")
    assert next(one for one in found.sources if one.id == shown.source).retrieved == dated
    kept = desk.proposed(desk.apply({"site.pue": 1.5})).requirement.commercial.exchange_rates[0]
    assert kept == desk.proposal.requirement.commercial.exchange_rates[0]


def test_proposing_the_written_project_file_gives_the_same_figures(
    host: Host, after: Proposal, changed: Changed
) -> None:
    again = build_proposal(parse_project(requirement_yaml(changed.project, after.requirement)), host)
    assert again.ledger.values() == after.ledger.values()
    for option, other in zip(after.options, again.options, strict=True):
        assert option.money == other.money
        assert option.verdict is other.verdict
    # What is a key of the project is no edit of it any more.
    keys = {edit.key for edit in after.edits}
    by_hand = {key for key in keys if key in EDITS and key not in {"site.pue", "site.grid_carbon"}}
    assert {edit.key for edit in again.edits} == by_hand


def test_a_sheet_written_with_edits_can_be_edited_again(
    host: Host, after: Proposal, changed: Changed, tmp_path: Path
) -> None:
    text = requirement_yaml(changed.project, after.requirement)
    sheet = Desk(host, after, tmp_path).edited({"A.quantity.servers": 4, "site.pue": 1.5})
    twice = apply_sheet(Errand(lambda more: parse_project(text, overrides=more), (), sheet), host)
    assert [change.entry.id for change in twice.changes] == ["site.pue", "A.quantity.servers"]
    final = build_proposal(twice.project, host)
    values = final.ledger.values()
    assert (values["site.pue"], values["A.quantity.servers"]) == (Decimal("1.5"), Decimal(4))
    assert values["site.colocation"] == 480


def test_nothing_is_changed_by_a_sheet_that_nobody_edited(desk: Desk) -> None:
    found = desk.apply({})
    assert (found.changes, found.kept, found.ignored, found.sheet) == ((), (), (), None)
    assert desk.proposed(found) == desk.proposal


def test_the_order_of_the_section_decides_nothing(changed: Changed, host: Host, after: Proposal) -> None:
    rows = [
        row.strip()
        for row in requirement_yaml(changed.project, after.requirement).splitlines()
        if "{input:" in row
    ]
    shuffled = rows[::-1]
    assert shuffled != rows
    flow = ", ".join(row.removeprefix("- ") for row in shuffled)
    scenario = host.scenario("finetune-lora")
    other = scenario.complete(load([f"edits=[{flow}]"]), host.catalogue)
    assert other.edits == after.requirement.edits


OTHERS = (
    "vendors.accelerators=[h20, mi300x]",
    "vendors.consider=[nvidia, amd]",
    "vendors.delivery_region=US",
)


def test_figures_follow_their_device_when_an_edit_changes_the_order_of_the_options(desk: Desk) -> None:
    def other(settings: Sequence[str]) -> Project:
        return load([*OTHERS, *settings])

    before = PRESS.proposed(other(()), desk.host)
    assert [option.accelerator for option in before.options] == ["mi300x", "h20"]
    sheet = desk.edited({"A.quantity.servers": 90}, before)
    found = build_proposal(apply_sheet(Errand(other, (), sheet), desk.host).project, desk.host)
    assert [option.accelerator for option in found.options] == ["h20", "mi300x"]
    assert _row(found, "B", "servers").quantity == 90
    assert _row(found, "A", "servers").quantity == 1
    assert found.summary.recommended == "A"


def test_what_a_default_would_move_stays_as_the_sheet_shows_it(host: Host, tmp_path: Path) -> None:
    text = FULL_PROJECT.replace("  residual: 5%\n", "")

    def without(settings: Sequence[str]) -> Project:
        return parse_project(text, overrides=settings)

    before = build_proposal(without(()), host)
    sheet = Desk(host, before, tmp_path).edited({"general.horizon": 2})
    found = apply_sheet(Errand(without, (), sheet), host)
    assert [name.en for name in found.kept] == ["Residual rate"]
    after = build_proposal(found.project, host).requirement.commercial
    assert (after.horizon_years, after.residual_share) == (2, before.requirement.commercial.residual_share)
    moved = build_proposal(without(["commercial.horizon=2 years"]), host).requirement.commercial
    assert moved.residual_share != after.residual_share


def test_an_edit_wins_over_a_setting_that_the_sheet_was_written_with(desk: Desk) -> None:
    setting = "site.pue=1.3"
    written = build_proposal(load([setting]), desk.host)
    found = desk.apply({"site.pue": 1.5}, setting, proposal=written)
    assert [(c.entry.value, c.value) for c in found.changes] == [(Decimal("1.3"), Decimal("1.5"))]
    assert desk.proposed(found).requirement.site.pue == Decimal("1.5")


def test_settings_act_beside_the_edits_of_a_sheet_that_was_written_without_them(desk: Desk) -> None:
    found = desk.apply({"site.pue": 1.5, "A.quantity.servers": 7}, "commercial.discount_rate=8%")
    after = desk.proposed(found)
    assert after.requirement.commercial.discount_rate == Decimal("0.08")
    assert after.ledger.values()["A.quantity.servers"] == 7


def test_a_setting_that_says_otherwise_than_the_sheet_is_a_conflict(desk: Desk) -> None:
    with pytest.raises(
        InputError, match=r"Inputs!B\d+: site.pue: sets site.pue to 1.5, --set sets it to 1.3"
    ):
        desk.apply({"site.pue": 1.5}, "site.pue=1.3")
    assert desk.apply({"site.pue": 1.5}, "site.pue=1.5").changes


@pytest.mark.parametrize(
    ("edits", "told"),
    [
        (
            {"general.milestone.1": 0.9},
            [r"Inputs!B\d+: .*90% makes the shares of the payments more than 100%"],
        ),
        ({"site.tariff.1.hours": 9}, [r"Inputs!B\d+: .*add up to 25 hours"]),
        ({"general.warranty_years": 0}, [r"Inputs!B\d+: commercial.warranty_years: .*0"]),
        ({"site.pue": 7, "general.staff_fte": 2000}, [r"site.pue", r"commercial.staff.posts"]),
    ],
    ids=["milestones", "tariff", "warranty", "several"],
)
def test_what_the_project_file_does_not_take_is_refused_at_its_cell(
    edits: dict[str, object], told: list[str], desk: Desk
) -> None:
    with pytest.raises(InputError) as refused:
        desk.apply(edits)
    faults = [str(fault) for fault in refused.value.faults]
    assert len(faults) == len(told)
    for text, pattern in zip(faults, told, strict=True):
        assert re.search(pattern, text), text
        assert text.startswith("Inputs!B")


def test_a_figure_that_no_option_uses_any_more_is_said_to_have_no_effect(host: Host) -> None:
    rows = (
        "{input: price.no-such, value: 3, date: 2026-12-01}",
        "{input: energy.kw_idle, accelerator: mi300x, value: 3, date: 2026-12-01}",
    )
    found = build_proposal(load([f"edits=[{', '.join(rows)}]"]), host)
    said = [notice.text.en for notice in found.notices if "has no effect" in notice.text.en]
    assert len(said) == 2
    assert found.edits == ()


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("{input: quantity.servers, value: 3, date: 2026-12-01}", "name its accelerator"),
        ("{input: price.x, accelerator: h20, value: 3, date: 2026-12-01}", "leave accelerator out"),
        ("{input: quantity.servers, accelerator: h21, value: 3, date: 2026-12-01}", 'did you mean "h20"'),
        ("{input: site.colocation, value: much, date: 2026-12-01}", "does not begin with a number"),
    ],
)
def test_a_wrong_row_of_the_section_is_refused(row: str, told: str, host: Host) -> None:
    with pytest.raises(InputError, match=told):
        host.scenario("finetune-lora").complete(load([f"edits=[{row}]"]), host.catalogue)


def test_every_line_of_an_edited_ledger_is_still_checked(after: Proposal) -> None:
    values = after.ledger.values()
    checks = [e.id for e in after.ledger.entries if isinstance(e, Line) and e.id.startswith("check.")]
    assert len(checks) > 10
    assert all(values[name] == 0 for name in checks)
