from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.core.costing.hand_example import hand_plan
from tests.factories import catalogue, commercial, price, requirement, shop, sizing

from suanli.costing.build import build_ledger
from suanli.domain.market import PriceKind
from suanli.planning.cluster import plan_cluster

if TYPE_CHECKING:
    from suanli.costing.ledger import Ledger, Table
    from suanli.domain.workload import Requirement

RENT = price("rent", "4.50", PriceKind.CLOUD, "USD", prices=("acme-x1",), per="device-hour")


def ledger(needed: Requirement | None = None, *, rented: bool = False) -> Ledger:
    needed = needed or requirement()
    goods = catalogue(*shop(), *([RENT] if rented else []))
    plans = [(key, hand_plan(nodes, needed, goods)) for key, nodes in (("A", 4), ("B", 8))]
    return build_ledger(plans, needed, goods)


def table(book: Ledger, table_id: str) -> Table:
    return next(table for table in book.tables if table.id == table_id)


def test_the_ledger_equals_the_example_worked_by_hand() -> None:
    """Every figure here was computed apart from the ledger; docs/costing.md shows the arithmetic."""
    values = ledger().values()
    expected = {
        "A.bill.servers.unit_price": "2130000.00",
        "A.bill.servers.net": "8520000.00",
        "A.bill.servers.vat": "1107600.00",
        "A.bill.spare-servers.net": "2130000.00",
        "A.block.network.net": "343600.00",
        "A.block.storage.net": "292500.00",
        "A.block.management.net": "189000.00",
        "A.block.facility.net": "66000.00",
        "A.vat.goods.net": "11541100.00",
        "A.vat.goods.vat": "1500343.00",
        "A.vat.works.vat": "36000.00",
        "A.vat.services.vat": "18000.00",
        "A.capex.net": "12241100.00",
        "A.capex.vat": "1554343.00",
        "A.capex.gross": "13795443.00",
        "A.energy.kwh_run": "48250",
        "A.energy.kwh_year": "270570",
        "A.electricity": "113639.40",
        "A.colocation": "350460.00",
        "A.maintenance": "923288.00",
        "A.spare_parts": "115411.00",
        "A.staff": "1200000.00",
        "A.opex.year1": "1779510.40",
        "A.opex.year4": "2702798.40",
        "A.residual.value": "577055.00",
        "A.cash.year5": "2125743.40",
        "A.tco.net": "22408173.00",
        "A.tco.discounted": "20969744.66",
        "A.depreciation.year1": "2332809.00",
        "A.book.year5": "577055.00",
        "A.cost.billion_tokens": "2240.8173",
        "A.carbon.kg_run": "24125",
    }

    assert {key: values[key] for key in expected} == {key: Decimal(value) for key, value in expected.items()}


def test_all_checks_pass() -> None:
    values = ledger().values()

    assert {key: value for key, value in values.items() if key.startswith("check.") and value} == {}


def test_a_pue_below_one_fails_the_master_check() -> None:
    assert ledger().values({"site.pue": Decimal("0.9")})["check.master"] == 1


def test_changing_a_price_changes_every_option_that_uses_it() -> None:
    book = ledger()
    before, after = book.values(), book.values({"price.p-box": Decimal(400_000)})

    for key in ("A", "B"):
        assert after[f"{key}.tco.net"] > before[f"{key}.tco.net"]
    assert after["check.master"] == 0


def test_a_shorter_horizon_drops_the_later_years_and_moves_the_residual() -> None:
    values = ledger().values({"general.horizon": Decimal(3)})

    assert values["A.cash.year4"] == 0
    assert values["A.residual.year3"] == -values["A.residual.value"]
    assert values["A.residual.year5"] == 0
    assert values["A.disposal.loss"] > 0
    assert values["check.master"] == 0


def test_purchase_and_depreciation_never_stand_in_one_sum() -> None:
    book = ledger()
    cash = {cell for row in table(book, "tco:A").rows for cell in row.cells.values()}
    accounting = {cell for row in table(book, "accounting:A").rows for cell in row.cells.values()}

    assert not any("depreciation" in cell for cell in cash)
    assert "A.capex.net" not in accounting


def test_tables_have_year_zero_to_the_horizon_and_a_total() -> None:
    book = ledger(requirement(commercial(horizon_years=3)))
    columns = table(book, "tco:A").columns

    assert columns == ("year0", "year1", "year2", "year3", "total")
    for row in table(book, "tco:A").rows:
        if "total" in row.cells:
            assert set(row.cells) == set(columns)


def test_every_cell_of_every_table_is_an_entry() -> None:
    book = ledger(rented=True)
    known = {entry.id for entry in book.entries}

    for one in book.tables:
        for row in one.rows:
            assert set(row.cells.values()) <= known
            assert set(row.cells) | set(row.texts) <= set(one.columns)


def test_every_input_stands_in_exactly_one_inputs_table() -> None:
    book = ledger(rented=True)
    shown = [row.cells["value"] for one in book.tables if one.id.startswith("inputs:") for row in one.rows]

    assert sorted(shown) == sorted(entry.id for entry in book.inputs)


def test_totals_show_the_options_side_by_side() -> None:
    row = next(row for row in table(ledger(), "totals").rows if row.id == "tco.net")

    assert row.cells == {"A": "A.tco.net", "B": "B.tco.net"}


def test_energy_of_the_ledger_equals_the_plans() -> None:
    needed, goods = requirement(), catalogue(*shop())
    plan = plan_cluster(sizing(7, 1234.5), needed, goods)
    values = build_ledger([("A", plan)], needed, goods).values()

    assert plan.energy is not None
    assert float(values["A.energy.kwh_run"]) == pytest.approx(plan.energy.facility_kwh_per_run.p50, rel=1e-6)
    assert float(values["A.energy.kwh_year"]) == pytest.approx(
        plan.energy.facility_kwh_per_year.p50, rel=1e-6
    )


def test_maintenance_is_paid_after_the_warranty_only() -> None:
    values = ledger().values()

    assert values["A.maintenance.year3"] == 0
    assert values["A.maintenance.year4"] == values["A.maintenance"]


def test_unknown_staff_leaves_operation_incomplete_without_a_line() -> None:
    book = ledger(requirement(replace(commercial(), staff_fte=None)))
    entries = {entry.id: entry for entry in book.lines}

    assert "A.staff.year1" not in entries
    assert entries["A.opex.year1"].incomplete
    assert not entries["A.capex.net"].incomplete
    assert entries["A.tco.net"].incomplete


def test_a_yearly_subscription_is_operating_not_capital_expenditure() -> None:
    fields = {"basis": "software-nvidia-suite-year", "per": "device-year", "preferred": True}
    suite = price("suite", "4500", PriceKind.SOFTWARE, "USD", **fields)
    needed, goods = requirement(), catalogue(*shop(), suite)
    book = build_ledger([("A", plan_cluster(sizing(), needed, goods))], needed, goods)
    values = book.values()

    assert values["A.software.year1"] == Decimal(40) * Decimal("31950.00")
    assert "A.bill.software.net" not in values
    # The purchase is what it is where nothing is charged for each device and year.
    bare = catalogue(*shop())
    without = build_ledger([("A", plan_cluster(sizing(), needed, bare))], needed, bare).values()
    assert values["A.capex.net"] == without["A.capex.net"]
    assert values["check.master"] == 0


def test_renting_breaks_even_where_its_cash_meets_the_purchase() -> None:
    values = ledger(rented=True).values()
    rent_year = 32 * 2000 * Decimal("31.95")
    running = values["A.opex.year1"]

    assert values["A.rent.year"] == rent_year
    assert values["A.rent.total"] == 5 * rent_year
    months = values["A.capex.net"] / ((rent_year - running) / 12)
    assert values["A.rent.breakeven_months"] == pytest.approx(months)
    share = values["A.tco.net"] / (32 * 8760 * 5 * Decimal("31.95"))
    assert values["A.rent.breakeven_utilisation"] == pytest.approx(share)


def test_unit_costs_are_not_shown_without_the_price_of_the_servers() -> None:
    needed = requirement()
    goods = catalogue(*(record for record in shop() if record.id != "p-box"), RENT)
    values = build_ledger([("A", plan_cluster(sizing(), needed, goods))], needed, goods).values()

    assert "A.tco.net" in values
    assert "A.cost.accelerator_hour" not in values
    assert "A.rent.year" not in values


def test_unknown_power_leaves_energy_out_instead_of_counting_nothing() -> None:
    needed, goods = requirement(), catalogue(*shop())
    plan = replace(plan_cluster(sizing(), needed, goods), power=None, energy=None)
    book = build_ledger([("A", plan)], needed, goods)
    values = book.values()

    assert "A.energy.kwh_run" not in values
    assert "A.electricity.year1" not in values
    assert next(line for line in book.lines if line.id == "A.opex.year1").incomplete
    assert values["check.master"] == 0
