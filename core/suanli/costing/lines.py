"""Small makers of ledger entries, and the ids that inputs, lines, tables and documents agree on."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from suanli.costing.expressions import Expression, Ref, Sum
from suanli.costing.ledger import Line
from suanli.domain.record import Text
from suanli.domain.workload import Hall
from suanli.planning.results import BillCategory, BillItem, ClusterPlan, VatClass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.workload import Requirement

__all__ = [
    "CATEGORY_NAMES",
    "VAT_NAMES",
    "Costed",
    "decimal_of",
    "fx_id",
    "line",
    "price_id",
    "ref",
    "sum_of",
    "text",
    "vat_rate_id",
]


def text(zh: str, en: str) -> Text:
    """Return a paired text."""
    return Text(zh=zh, en=en)


CATEGORY_NAMES = {
    BillCategory.COMPUTE: text("计算", "Compute"),
    BillCategory.NETWORK: text("网络", "Network"),
    BillCategory.STORAGE: text("存储", "Storage"),
    BillCategory.MANAGEMENT: text("管理", "Management"),
    BillCategory.FACILITY: text("机柜与配电", "Racks and power distribution"),
    BillCategory.SOFTWARE: text("软件", "Software"),
    BillCategory.SERVICES: text("工程与服务", "Works and services"),
    BillCategory.SPARES: text("备机备件", "Spares"),
}
VAT_NAMES = {
    VatClass.GOODS: text("货物", "Goods"),
    VatClass.WORKS: text("工程", "Works"),
    VatClass.SERVICES: text("服务", "Services"),
}


def ref(entry: str) -> Ref:
    """Return the value of an entry."""
    return Ref(entry)


def sum_of(ids: Iterable[str]) -> Sum:
    """Return the sum of entries."""
    return Sum(tuple(Ref(entry) for entry in ids))


def line(entry: str, label: Text, expression: Expression, unit: str, *, incomplete: bool = False) -> Line:
    """Return a computed entry."""
    return Line(entry, label, expression, unit, incomplete)


_DIGITS = 4
"""Significant digits that a small quantity keeps."""


def decimal_of(value: float, places: int) -> Decimal:
    """Return a measured or estimated quantity as a decimal of so many places.

    A small one gets as many more as four digits need, so that it never becomes zero and is never divided by.

    >>> decimal_of(12.3456789, 4), decimal_of(0.000012345, 4)
    (Decimal('12.3457'), Decimal('0.00001234'))
    """
    exact = Decimal(repr(float(value)))
    needed = _DIGITS - 1 - exact.adjusted() if exact else 0
    return exact.quantize(Decimal(1).scaleb(-max(places, needed)))


def vat_rate_id(vat: VatClass) -> str:
    """Return the id of a VAT rate."""
    return f"general.vat_{vat.value}"


def fx_id(base: str, quote: str) -> str:
    """Return the id of an exchange rate: the price of one `base` in `quote`."""
    return f"general.fx.{base}.{quote}"


def price_id(price: str) -> str:
    """Return the id of a price input; one price is one input, however many options use it."""
    return f"price.{price}"


@dataclass(frozen=True)
class Costed:
    """One option on its way through the ledger; what every line asks for is worked out once."""

    key: str
    plan: ClusterPlan
    requirement: Requirement
    colocated: bool
    """True where the site's rack space is priced."""
    staffed: bool
    """True where number and cost of staff are known."""
    rented: bool = False
    """True where the same hours can be compared with renting."""

    @property
    def currency(self) -> str:
        """Return the project's currency."""
        return self.requirement.commercial.currency

    @property
    def years(self) -> range:
        """Return the years after the purchase, 1 to the horizon."""
        return range(1, self.requirement.commercial.horizon_years + 1)

    @property
    def horizon_years(self) -> int:
        """Return the years of operation that are counted."""
        return self.requirement.commercial.horizon_years

    @property
    def built(self) -> bool:
        """Tell whether the hall is built, and paid for with the purchase."""
        return self.requirement.site.hall is Hall.BUILD

    @cached_property
    def capital(self) -> tuple[BillItem, ...]:
        """Return the items that are bought once."""
        return tuple(item for item in self.plan.bill if not item.recurring)

    @cached_property
    def bought(self) -> tuple[BillItem, ...]:
        """Return the items bought once that have a usable price."""
        return tuple(item for item in self.capital if self.payable(item))

    @cached_property
    def subscribed(self) -> tuple[BillItem, ...]:
        """Return the items paid every year that have a usable price."""
        return tuple(item for item in self.plan.bill if item.recurring and self.payable(item))

    @cached_property
    def capital_incomplete(self) -> bool:
        """Tell whether some item that is bought once has no usable price."""
        return len(self.bought) < len(self.capital)

    @cached_property
    def operation_incomplete(self) -> bool:
        """Tell whether some yearly cost is unknown."""
        recurring = [item for item in self.plan.bill if item.recurring]
        hardware_missing = any(item.vat is VatClass.GOODS and not self.payable(item) for item in self.capital)
        return (
            hardware_missing
            or len(self.subscribed) < len(recurring)
            or not (self.plan.energy and (self.colocated or self.built) and self.staffed)
        )

    def payable(self, item: BillItem) -> bool:
        """Tell whether an item has a price that can be taken to the project's currency."""
        return item.price is not None and self.convertible(item.price.currency)

    def convertible(self, currency: str) -> bool:
        """Tell whether a currency is the project's or has an exchange rate to it."""
        return currency == self.currency or self.rate_of(currency) is not None

    def rate_of(self, currency: str) -> tuple[str, bool] | None:
        """Return the id of the exchange rate of a currency, and whether it has to be divided by."""
        for rate in self.requirement.commercial.exchange_rates:
            if (rate.base, rate.quote) == (currency, self.currency):
                return fx_id(rate.base, rate.quote), False
            if (rate.base, rate.quote) == (self.currency, currency):
                return fx_id(rate.base, rate.quote), True
        return None

    def quantity_of(self, item: BillItem) -> str:
        """Return the id of an item's quantity; boards priced apart share their servers'."""
        shared = item.rule.key == "same-as-servers"
        return self.id("quantity", item.id.replace("accelerators", "servers") if shared else item.id)

    def id(self, *parts: str) -> str:
        """Return the id of an entry of this option."""
        return ".".join((self.key, *parts))
