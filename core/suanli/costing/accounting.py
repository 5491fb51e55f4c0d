"""The accounting view: depreciation, book value, disposal, and the cost as the accounts see it.

It has the depreciation where the cash view has the purchase, never both; a check reconciles the two. There is
no impairment: straight line to the residual value of the goods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.capital import hardware
from suanli.costing.formulas import constant, straight_line_up_to
from suanli.costing.lines import Costed, line, ref, sum_of, text
from suanli.costing.operating import operating_kinds
from suanli.costing.tco import incomplete, owned, removed

if TYPE_CHECKING:
    from suanli.costing.expressions import Expression
    from suanli.costing.ledger import Line
    from suanli.domain.record import Text

__all__ = ["accounting_lines"]


def accounting_lines(option: Costed) -> tuple[Line, ...]:
    """Return depreciation and book value by year, the loss on disposal, and the cost over the horizon.

    Only the goods leave a residual value; works and services are depreciated whole.
    """
    if not owned(option):
        return ()
    capex = ref(option.id("capex", "net"))
    base = text("应计折旧额", "Depreciable amount")
    opening = text("账面净值：第 0 年", "Book value, year 0")
    return (
        _booked(option, ("depreciation", "base"), base, capex - _residual_value(option)),
        _booked(option, ("book", "year0"), opening, capex),
        *(entry for year in option.years for entry in _depreciation(option, year)),
        *_disposal(option),
    )


def _booked(option: Costed, key: tuple[str, str], label: Text, expression: Expression) -> Line:
    """Return a line of the books; like the purchase, it is incomplete where something has no price."""
    return line(option.id(*key), label, expression, option.currency, incomplete=option.capital_incomplete)


def _residual_value(option: Costed) -> Expression:
    return ref(option.id("residual", "value")) if hardware(option) else constant(0)


def _depreciation(option: Costed, year: int) -> tuple[Line, Line]:
    """Return the depreciation of a year and the book value at its end."""
    base, life = ref(option.id("depreciation", "base")), ref("general.depreciation_years")
    # The difference of two rounded sums, so that the years add up to the base to the cent.
    grown = straight_line_up_to(base, life, year) - straight_line_up_to(base, life, year - 1)
    charge = grown * ref(f"general.active.year{year}")
    left = ref(option.id("book", f"year{year - 1}")) - ref(option.id("depreciation", f"year{year}"))
    charged = text(f"折旧：第 {year} 年", f"Depreciation, year {year}")
    booked = text(f"账面净值：第 {year} 年", f"Book value, year {year}")
    return (
        _booked(option, ("depreciation", f"year{year}"), charged, charge),
        _booked(option, ("book", f"year{year}"), booked, left),
    )


def _disposal(option: Costed) -> tuple[Line, ...]:
    """Return all depreciation, the loss when the rest is sold, and the cost as the accounts see it."""
    closing = ref(option.id("book", f"year{option.years.stop - 1}"))
    operating: Expression = ref(option.id("opex", "total")) if operating_kinds(option) else constant(0)
    if removed(option):
        operating = operating + ref(option.id("decommissioning", "total"))
    total, loss = option.id("depreciation", "total"), option.id("disposal", "loss")
    charged = sum_of(option.id("depreciation", f"year{year}") for year in option.years)
    lost = text("期末处置损失", "Loss on disposal at the end")
    return (
        _booked(option, ("depreciation", "total"), text("折旧合计", "Depreciation, total"), charged),
        _booked(option, ("disposal", "loss"), lost, closing - _residual_value(option)),
        line(
            option.id("accounting", "total"),
            text("会计口径成本合计", "Total cost, accounting view"),
            ref(total) + ref(loss) + operating,
            option.currency,
            incomplete=incomplete(option),
        ),
    )
