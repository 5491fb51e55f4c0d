"""Figures that a decision rests on, looked up in the ledger's values and rounded."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from suanli.costing.calendar import month_key
from suanli.domain.figure import Grade
from suanli.domain.money import round_half_up
from suanli.proposal.model import FinancingView, FinancingYear, RentView, ScenarioRow, Shown, UnitCost

if TYPE_CHECKING:
    from suanli.proposal.money_view import Books

__all__ = ["delivery_months", "financing_view", "rent_view", "scenario_rows", "unit_costs"]

_UNIT_COSTS: Final = (
    "accelerator_hour",
    "busy_accelerator_hour",
    "run",
    "billion_tokens",
    "e23_flops",
    "pflop_day",
    "million_served_tokens",
)
_MONTHS_PER_YEAR: Final = 12
_PLACES: Final = {"h": 0, "kWh": 0}
"""Places of what is no money and no factor."""


def unit_costs(key: str, books: Books) -> tuple[UnitCost, ...]:
    """Return the unit costs of an option, those that the ledger has."""
    labels = {line.id: line.label for line in books.ledger.lines}
    ids = ((name, f"{key}.cost.{name}") for name in _UNIT_COSTS)
    return tuple(
        UnitCost(key=name, label=labels[entry], figure=_unit(entry, books))
        for name, entry in ids
        if entry in books.values
    )


def _unit(entry: str, books: Books) -> Shown:
    """Return a unit cost to the cent; below one, where the cent would be coarse, as the ledger has it."""
    figure, exact = books.amount(entry), books.values[entry]
    return figure if abs(exact) >= 1 else figure.model_copy(update={"value": exact})


def delivery_months(key: str, books: Books) -> Decimal | None:
    """Return the months from order to operation; None where they are unknown and therefore not counted."""
    entry = next(one for one in books.ledger.inputs if one.id == f"{key}.schedule.delivery_months")
    unknown = entry.grade is Grade.WEAK and not entry.source
    return None if unknown and not books.values[entry.id] else books.values[entry.id]


def rent_view(key: str, books: Books) -> RentView | None:
    """Return buying against renting; None where no rent is known."""
    if f"{key}.rent.npv" not in books.values:
        return None
    months = int(books.values[f"{key}.rent.payback_months"])
    last = _MONTHS_PER_YEAR * books.values["general.years"]
    return RentView(
        hour=books.amount(f"{key}.rent.hour"),
        total=books.amount(f"{key}.rent.total"),
        saving=books.amount(f"{key}.rent.saving"),
        npv=books.amount(f"{key}.rent.npv"),
        irr=_rounded(books, f"{key}.rent.irr", 3),
        payback_months=months if months <= last else None,
        breakeven_months=_rounded(books, f"{key}.rent.breakeven_months", 1),
        saved=_saved(key, books),
        breakeven_utilisation=round_half_up(books.values[f"{key}.rent.breakeven_utilisation"], 3),
    )


def _saved(key: str, books: Books) -> tuple[Decimal, ...]:
    """Return the cash that buying is ahead of renting by month, as long as the ledger goes."""
    found: list[Decimal] = []
    while (entry := f"{key}.saved.{month_key(len(found))}") in books.values:
        found.append(round_half_up(books.values[entry]))
    return tuple(found)


def _rounded(books: Books, entry: str, places: int) -> Decimal | None:
    value = books.values.get(entry)
    # A return that the issued inputs have may be lost when a reviewer moves them.
    return None if value is None or value.is_nan() else round_half_up(value, places)


def financing_view(key: str, books: Books) -> FinancingView | None:
    """Return the loan or lease; None where there is none."""
    terms = books.commercial.financing
    if terms is None or f"{key}.financing.amount" not in books.values:
        return None

    def amount(name: str) -> Shown:
        return books.amount(f"{key}.financing.{name}")

    return FinancingView(
        method=terms.method,
        share=books.values["general.financing.share"],
        rate=books.values["general.financing.rate"],
        term_months=int(books.values["general.financing.term"]),
        grace_months=int(books.values.get("general.financing.grace", Decimal(0))),
        amount=amount("amount"),
        instalment=amount("level"),
        interest=amount("interest_total"),
        present=amount("present"),
        gain=amount("gain"),
        total=amount("tco"),
        years=_years(key, books, terms.term_months),
    )


def _years(key: str, books: Books, term_months: int) -> tuple[FinancingYear, ...]:
    def total(row: str, months: range) -> Decimal:
        found = (books.values[f"{key}.financing.{row}.{month_key(month)}"] for month in months)
        return round_half_up(sum(found, Decimal(0)))

    years: list[FinancingYear] = []
    for first in range(1, term_months + 1, _MONTHS_PER_YEAR):
        months = range(first, min(first + _MONTHS_PER_YEAR, term_months + 1))
        closing = books.values[f"{key}.financing.closing.{month_key(months[-1])}"]
        years.append(
            FinancingYear(
                year=len(years) + 1,
                interest=total("interest", months),
                principal=total("principal", months),
                instalments=total("instalment", months),
                closing=round_half_up(closing),
            )
        )
    return tuple(years)


def scenario_rows(key: str, books: Books) -> tuple[ScenarioRow, ...]:
    """Return the factors and the costs of an option in the three scenarios."""
    units = {entry.id: entry.unit for entry in books.ledger.entries}
    rows: list[ScenarioRow] = []
    for row in books.rows(f"scenarios:{key}"):
        unit = units[row.cells["base"]]
        values = {
            name: _plain(round_half_up(books.values[row.cells[name]], _PLACES.get(unit, 4)))
            for name in ("optimistic", "base", "pessimistic")
        }
        rows.append(
            ScenarioRow(
                key=row.id.rpartition(".")[2],
                label=row.label,
                unit=unit,
                factor=unit == "factor",
                **values,
            )
        )
    return tuple(rows)


def _plain(value: Decimal) -> Decimal:
    """Return a decimal without the zeros at its end, and without an exponent.

    >>> _plain(Decimal("1.2000")), _plain(Decimal("1300.00"))
    (Decimal('1.2'), Decimal('1300'))
    """
    return Decimal(f"{value.normalize():f}")
