"""The money of one option as it is shown: looked up in the ledger's values, never computed here."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.words import amount_in_words
from suanli.domain.figure import Grade
from suanli.domain.money import round_half_up
from suanli.domain.units import S_PER_DAY
from suanli.planning.prices import PriceOrigin, origin_of
from suanli.planning.results import BillCategory, BillItem, ClusterPlan, VatClass
from suanli.planning.rules import quantity_text
from suanli.proposal.decision_view import (
    delivery_months,
    financing_view,
    rent_view,
    scenario_rows,
    unit_costs,
)
from suanli.proposal.model import (
    BillRow,
    CategoryTotal,
    LeadTimeView,
    MoneyView,
    PaymentView,
    Shown,
    TcoRow,
    YearView,
)
from suanli.proposal.rounding import money, significant
from suanli.proposal.waterfall_view import waterfall_steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.costing.ledger import Ledger, TableRow
    from suanli.domain.market import Price
    from suanli.domain.workload import Commercial
    from suanli.planning.results import LeadTime
    from suanli.proposal.references import References

__all__ = ["Books", "bill_rows", "money_view"]


@dataclass(frozen=True, slots=True)
class Books:
    """A ledger with its values, looked up by id."""

    ledger: Ledger
    values: Mapping[str, Decimal]
    low: Mapping[str, Decimal]
    high: Mapping[str, Decimal]
    """Values with every input at the end that its source gives."""
    commercial: Commercial
    references: References

    @classmethod
    def of(cls, ledger: Ledger, commercial: Commercial, references: References) -> Books:
        """Return a ledger evaluated, with its envelope."""
        low, high = ledger.envelope()
        return cls(ledger, ledger.values(), low, high, commercial, references)

    def amount(self, entry_id: str, *, ranged: bool = False) -> Shown:
        """Return the value of a line as money, marked where the sum misses an unpriced part.

        Args:
            entry_id: the line.
            ranged: show the ends too; only where the prices that make most of the sum have ends of their own.
        """
        line = next((line for line in self.ledger.lines if line.id == entry_id), None)
        incomplete = line.incomplete if line else False
        figure = money(self.values[entry_id], self.ledger.currency, incomplete=incomplete)
        ends = sorted((self.low[entry_id], self.high[entry_id]))
        if not ranged or ends[0] == ends[1]:
            return figure
        return figure.model_copy(update={"low": round_half_up(ends[0]), "high": round_half_up(ends[1])})

    def optional(self, entry_id: str) -> Decimal | None:
        """Return a value rounded to the cent, or None where the ledger has no such entry."""
        value = self.values.get(entry_id)
        return None if value is None else round_half_up(value)

    def rows(self, table_id: str) -> tuple[TableRow, ...]:
        """Return the rows of a table, none where the ledger has no such table."""
        return next((table.rows for table in self.ledger.tables if table.id == table_id), ())


def _vat_rate(commercial: Commercial, vat: VatClass) -> Decimal:
    rates = {
        VatClass.GOODS: commercial.vat_goods,
        VatClass.WORKS: commercial.vat_works,
        VatClass.SERVICES: commercial.vat_services,
    }
    return rates[vat]


def bill_rows(key: str, plan: ClusterPlan, books: Books, stale: Mapping[str, bool]) -> tuple[BillRow, ...]:
    """Return the bill of an option with the ledger's money; an unpriced line has none."""
    return tuple(
        _bill_row(f"{key}-{number}", _prefix(key, item), item, books, stale)
        for number, item in enumerate(plan.bill, start=1)
    )


def _prefix(key: str, item: BillItem) -> str:
    # The ledger keeps yearly prices apart from the purchase: they are an operating cost.
    return f"{key}.subscription.{item.id}" if item.recurring else f"{key}.bill.{item.id}"


def _bill_row(number: str, prefix: str, item: BillItem, books: Books, stale: Mapping[str, bool]) -> BillRow:
    priced = f"{prefix}.net" in books.values
    quantity_refs = tuple(key for source in item.refs for key in books.references.source(source))
    return BillRow(
        number=number,
        id=item.id,
        category=item.category,
        name=item.name,
        quantity=item.quantity,
        quantity_as_sized=item.as_sized,
        unit=item.unit,
        rule=item.rule.key,
        rule_text=quantity_text(item),
        rule_numbers=dict(item.rule.numbers),
        vat_class=item.vat,
        price=_price(item.price, books.references) if item.price and priced else None,
        unit_price=books.optional(f"{prefix}.unit_price"),
        net=None if item.recurring else books.optional(f"{prefix}.net"),
        vat_rate=_vat_rate(books.commercial, item.vat),
        vat=books.optional(f"{prefix}.vat"),
        gross=books.optional(f"{prefix}.gross"),
        recurring=item.recurring,
        origin=origin_of(item.price) if item.price and priced else None,
        stale=bool(item.price and priced and stale.get(item.price.id, False)),
        refs=quantity_refs,
        lead_time=_lead_time(item.lead_time, books.references) if item.lead_time else None,
    )


def _lead_time(lead: LeadTime, references: References) -> LeadTimeView:
    return LeadTimeView(
        low_weeks=significant(lead.low_s / _S_PER_WEEK, 2),
        high_weeks=significant(lead.high_s / _S_PER_WEEK, 2),
        open_ended=lead.open_ended,
        as_of=lead.as_of,
        refs=references.source(lead.source, weak=lead.weak),
    )


_S_PER_WEEK = 7 * S_PER_DAY


def _price(price: Price, references: References) -> Shown:
    return Shown(
        value=price.amount,
        unit=price.currency,
        low=price.low,
        high=price.high,
        refs=references.cited(price.source, price.check, price.confidence),
        grade=price.grade,
    )


def money_view(key: str, bill: tuple[BillRow, ...], books: Books) -> MoneyView:
    """Return all money of an option.

    Args:
        key: the option's key.
        bill: its bill as shown.
        books: the ledger and its values.
    """
    # A range that leaves out the servers' price would look like certainty.
    ranged = _servers_ranged(bill)
    gross = books.amount(f"{key}.capex.gross", ranged=ranged)
    tco = books.amount(f"{key}.tco.net", ranged=ranged)
    blocks, cash = _blocks(bill), _cash(key, books)
    return MoneyView(
        capex_net=books.amount(f"{key}.capex.net", ranged=ranged),
        capex_vat=books.amount(f"{key}.capex.vat", ranged=ranged),
        capex_gross=gross,
        capex_in_words=amount_in_words(gross.value) if books.ledger.currency == "CNY" else "",
        opex_first_year=books.amount(f"{key}.opex.year1"),
        tco_net=tco.model_copy(update={"refs": (books.references.formula("tco"),)}),
        tco_discounted=books.amount(f"{key}.tco.discounted"),
        per_accelerator_hour=_maybe(f"{key}.cost.accelerator_hour", books),
        per_billion_tokens=_maybe(f"{key}.cost.billion_tokens", books),
        blocks=blocks,
        cash=cash,
        waterfall=waterfall_steps(blocks, cash),
        accounting=_accounting(key, books),
        unpriced=tuple(row.name for row in bill if row.net is None and not row.recurring),
        stale_prices=sum(row.stale for row in bill),
        weak_prices=sum(row.price is not None and row.price.grade is Grade.WEAK for row in bill),
        price_origins={origin: sum(row.origin is origin for row in bill) for origin in PriceOrigin},
        electricity_share=_electricity_share(key, books),
        payments=_payments(key, books),
        annuity=_maybe(f"{key}.tco.annuity", books),
        delivery_months=delivery_months(key, books),
        unit_costs=unit_costs(key, books),
        rent=rent_view(key, books),
        financing=financing_view(key, books),
        scenarios=scenario_rows(key, books),
    )


def _payments(key: str, books: Books) -> tuple[PaymentView, ...]:
    return tuple(
        PaymentView(
            name=one.name,
            after_days=one.after_days,
            share=one.share,
            net=round_half_up(books.values[f"{key}.payment.{number}.net"]),
            vat=round_half_up(books.values[f"{key}.payment.{number}.vat"]),
            gross=round_half_up(books.values[f"{key}.payment.{number}.gross"]),
        )
        for number, one in enumerate(books.commercial.milestones, start=1)
    )


def _servers_ranged(bill: tuple[BillRow, ...]) -> bool:
    """Tell whether the sources give both ends of the prices of all servers."""
    prices = [row.price for row in bill if row.category is BillCategory.COMPUTE]
    return all(price is not None and None not in {price.low, price.high} for price in prices)


def _maybe(entry_id: str, books: Books) -> Shown | None:
    return books.amount(entry_id) if entry_id in books.values else None


def _blocks(bill: tuple[BillRow, ...]) -> tuple[CategoryTotal, ...]:
    categories = tuple(dict.fromkeys(row.category for row in bill))
    return tuple(
        CategoryTotal(
            category=category,
            net=sum((row.net for row in rows if row.net is not None), Decimal(0)),
            vat=sum((row.vat for row in rows if row.vat is not None), Decimal(0)),
            gross=sum((row.gross for row in rows if row.gross is not None), Decimal(0)),
            incomplete=any(row.net is None and not row.recurring for row in rows),
        )
        for category in categories
        for rows in [[row for row in bill if row.category is category]]
    )


def _cash(key: str, books: Books) -> tuple[TcoRow, ...]:
    return tuple(
        TcoRow(
            key=row.id,
            label=row.label,
            years=tuple(
                round_half_up(books.values[entry])
                for column, entry in row.cells.items()
                if column.startswith("year")
            ),
            total=round_half_up(books.values[row.cells["total"]]),
            style=row.style,
        )
        for row in books.rows(f"tco:{key}")
        if "total" in row.cells
    )


def _accounting(key: str, books: Books) -> tuple[YearView, ...]:
    views: list[YearView] = []
    year = 1
    while f"{key}.depreciation.year{year}" in books.values:
        views.append(
            YearView(
                year=year,
                depreciation=round_half_up(books.values[f"{key}.depreciation.year{year}"]),
                book_value=round_half_up(books.values[f"{key}.book.year{year}"]),
            )
        )
        year += 1
    return tuple(views)


def _electricity_share(key: str, books: Books) -> Decimal | None:
    electricity, total = books.values.get(f"{key}.electricity.total"), books.values[f"{key}.tco.net"]
    return None if electricity is None or not total else round_half_up(electricity / total, 3)
