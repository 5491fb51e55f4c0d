"""The money of an option as it is shown: bill of quantities, totals, the cash and the accounting view."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from suanli.domain.record import Part, Text
from suanli.planning.prices import PriceOrigin
from suanli.planning.results import BillCategory, VatClass
from suanli.proposal.model.decision import FinancingView, RentView, ScenarioRow, UnitCost
from suanli.proposal.model.figures import Shown
from suanli.proposal.model.words import Words

__all__ = [
    "BillRow",
    "CategoryTotal",
    "LeadTimeView",
    "MoneyView",
    "PaymentView",
    "SensitivityView",
    "TcoRow",
    "WaterfallStep",
    "YearView",
]


class LeadTimeView(Part):
    """Time from order to delivery as a source stated it."""

    low_weeks: Decimal
    high_weeks: Decimal
    open_ended: bool
    """True where the source says that it takes longer."""
    as_of: str
    refs: tuple[str, ...] = ()


class BillRow(Part):
    """One line of the bill of quantities with its money."""

    number: str
    id: str
    category: BillCategory
    name: Text
    quantity: int
    quantity_as_sized: int | None = None
    """What the rule gives, where the quantity was changed by hand in a cost sheet; None where it was not."""
    unit: str
    rule: str
    """Key of the rule that gave the quantity."""
    rule_text: Text
    """The rule with its numbers, as a reader checks it."""
    rule_numbers: dict[str, str] = Field(default_factory=dict[str, str])
    vat_class: VatClass
    price: Shown | None
    """Unit price as the source gives it, in its currency; None: not priced."""
    unit_price: Decimal | None
    """Net unit price in the project's currency."""
    net: Decimal | None
    vat_rate: Decimal
    vat: Decimal | None
    gross: Decimal | None
    recurring: bool = False
    """True for a yearly price: it is an operating cost and has no purchase amount."""
    stale: bool = False
    origin: PriceOrigin | None = None
    """Where the price comes from; None: not priced."""
    refs: tuple[str, ...] = ()
    lead_time: LeadTimeView | None = None
    """None where no source states one."""


class CategoryTotal(Part):
    """A block's total."""

    category: BillCategory
    net: Decimal
    vat: Decimal
    gross: Decimal
    incomplete: bool


class TcoRow(Part):
    """One row of the cash view: year 0 first."""

    key: str
    label: Text
    years: tuple[Decimal, ...]
    total: Decimal
    style: str = "row"


class WaterfallStep(Part):
    """A step from the servers to the total cost, or a sum on the way, in the project's currency."""

    key: str
    label: Text
    start: Decimal
    end: Decimal
    total: bool = False
    """True for a sum, which starts at zero."""


class YearView(Part):
    """A year of the accounting view."""

    year: int
    depreciation: Decimal
    book_value: Decimal


class PaymentView(Part):
    """What falls due at a milestone."""

    name: Words
    after_days: int | None
    """Days after the order; None: when the milestone is reached."""
    share: Decimal
    net: Decimal
    vat: Decimal
    gross: Decimal


class MoneyView(Part):
    """The money of one option, equal to the ledger's values."""

    capex_net: Shown
    capex_vat: Shown
    capex_gross: Shown
    capex_in_words: str
    """The gross total in Chinese capitals; empty for a currency without such a custom."""
    opex_first_year: Shown
    tco_net: Shown
    tco_discounted: Shown
    per_accelerator_hour: Shown | None
    per_billion_tokens: Shown | None
    blocks: tuple[CategoryTotal, ...]
    cash: tuple[TcoRow, ...]
    accounting: tuple[YearView, ...]
    unpriced: tuple[Text, ...]
    stale_prices: int
    weak_prices: int
    price_origins: dict[PriceOrigin, int] = Field(default_factory=lambda: dict.fromkeys(PriceOrigin, 0))
    """Priced lines of the bill by where their prices come from, every origin with its count."""
    electricity_share: Decimal | None = None
    """Share of electricity in the TCO."""
    payments: tuple[PaymentView, ...] = ()
    """Payment schedule of the purchase; empty where the project states no milestones."""
    annuity: Shown | None = None
    """Equivalent annual cost; None where there is no total."""
    delivery_months: Decimal | None = None
    """From the order to operation; None where neither project nor source states it, and none is counted."""
    unit_costs: tuple[UnitCost, ...] = ()
    rent: RentView | None = None
    """Buying against renting; None where no rent is known."""
    financing: FinancingView | None = None
    scenarios: tuple[ScenarioRow, ...] = ()
    waterfall: tuple[WaterfallStep, ...] = ()
    """From the blocks of the purchase over its sum to the total cost of ownership."""


class SensitivityView(Part):
    """How the recommended option's TCO moves when one input moves."""

    label: Text
    change: Decimal
    """Relative change of the input, up and down."""
    low: Decimal
    """TCO with the input lowered, in the project's currency."""
    high: Decimal
    spread: Decimal
    """Absolute difference of the two over the base TCO."""
