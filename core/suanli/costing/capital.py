"""Capital expenditure: net, VAT and gross of every bill line, and their sums by block and by VAT rate."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.expressions import Expression, Round
from suanli.costing.formulas import converted, net_amount, net_of_vat, vat_amount
from suanli.costing.lines import (
    CATEGORY_NAMES,
    VAT_NAMES,
    Costed,
    line,
    price_id,
    ref,
    sum_of,
    text,
    vat_rate_id,
)
from suanli.domain.market import Price, VatTreatment
from suanli.planning.results import BillCategory, BillItem, VatClass

if TYPE_CHECKING:
    from suanli.costing.ledger import Line

__all__ = ["SUMS", "blocks", "capital_lines", "hardware", "unit_price", "vat_classes"]

SUMS = {"net": text("不含税", "net"), "vat": text("税额", "VAT"), "gross": text("含税", "gross")}
"""The three sums of every amount."""


def blocks(option: Costed) -> tuple[BillCategory, ...]:
    """Return the blocks of the bill that have money in them, in the order of the document."""
    present = {item.category for item in option.bought}
    return tuple(block for block in BillCategory if block in present)


def vat_classes(option: Costed) -> tuple[VatClass, ...]:
    """Return the VAT classes that have money in them."""
    present = {item.vat for item in option.bought}
    return tuple(kind for kind in VatClass if kind in present)


def hardware(option: Costed) -> bool:
    """Tell whether any goods are priced, which residual, maintenance and spare parts are shares of."""
    return VatClass.GOODS in vat_classes(option)


def unit_price(option: Costed, price: Price, vat: VatClass, factor: Expression | None) -> Expression:
    """Return the net unit price in the project's currency, rounded to the cent.

    The price is converted, and taken net where the source says that it includes VAT, in one step with one
    rounding.
    """
    rate = option.rate_of(price.currency) if price.currency != option.currency else None
    amount = converted(
        ref(price_id(price.id)),
        factor,
        None if rate is None else ref(rate[0]),
        inverse=bool(rate and rate[1]),
    )
    return net_of_vat(amount, ref(vat_rate_id(vat))) if price.vat is VatTreatment.INCLUDED else Round(amount)


def capital_lines(option: Costed) -> tuple[Line, ...]:
    """Return all lines of the purchase of one option; none where nothing is priced."""
    items = tuple(entry for item in option.plan.bill for entry in _item(option, item))
    if not option.bought:
        return items
    return (*items, *_block_sums(option), *_vat_sums(option), *_totals(option))


def _item(option: Costed, item: BillItem) -> tuple[Line, ...]:
    """Return quantity, unit price, net, VAT and gross of a line; the quantity alone where not bought once."""
    names = {
        "quantity": text("数量", "quantity"),
        "unit_price": text("不含税单价", "net unit price"),
        "net": text("不含税金额", "net amount"),
        "vat": text("税额", "VAT"),
        "gross": text("含税金额", "gross amount"),
    }

    def entry(key: str, expression: Expression, unit: str) -> Line:
        label = text(f"{item.name.zh}：{names[key].zh}", f"{item.name.en}: {names[key].en}")
        return line(option.id("bill", item.id, key), label, expression, unit)

    quantity = entry("quantity", ref(option.quantity_of(item)), item.unit)
    if item.price is None or item.recurring or not option.payable(item):
        return (quantity,)
    # A factor of one would only clutter the formula in the sheet.
    factor = None if item.price_factor == Decimal(1) else ref(option.id("factor", item.id))
    count, price, net, vat = (
        ref(option.id("bill", item.id, key)) for key in ("quantity", "unit_price", "net", "vat")
    )
    rate = ref(vat_rate_id(item.vat))
    policy = option.requirement.commercial.rounding
    return (
        quantity,
        entry("unit_price", unit_price(option, item.price, item.vat, factor), option.currency),
        entry("net", net_amount(count, price), option.currency),
        entry("vat", vat_amount(count, price, net, rate, policy), option.currency),
        entry("gross", net + vat, option.currency),
    )


def _block_sums(option: Costed) -> tuple[Line, ...]:
    """Return net, VAT and gross of each block."""
    entries: list[Line] = []
    for block in blocks(option):
        members = [item for item in option.bought if item.category is block]
        # An unpriced line has no money, so the sum without it must say that it is one.
        missing = any(item.category is block and not option.payable(item) for item in option.capital)
        name = CATEGORY_NAMES[block]
        for key, what in SUMS.items():
            label = text(f"{name.zh}小计（{what.zh}）", f"{name.en}, subtotal, {what.en}")
            total = sum_of(option.id("bill", item.id, key) for item in members)
            entries.append(
                line(option.id("block", block.value, key), label, total, option.currency, incomplete=missing)
            )
    return tuple(entries)


def _vat_sums(option: Costed) -> tuple[Line, ...]:
    """Return net, VAT and gross by VAT class.

    Where the policy is to round the document, the VAT is rounded here and only here.
    """
    entries: list[Line] = []
    for kind in vat_classes(option):
        members = [item for item in option.bought if item.vat is kind]
        missing = any(item.vat is kind and not option.payable(item) for item in option.capital)
        name = VAT_NAMES[kind]
        net, vat, gross = (option.id("vat", kind.value, key) for key in SUMS)
        expressions: tuple[tuple[str, Expression], ...] = (
            (net, sum_of(option.id("bill", item.id, "net") for item in members)),
            (vat, Round(sum_of(option.id("bill", item.id, "vat") for item in members))),
            (gross, ref(net) + ref(vat)),
        )
        for (entry, expression), what in zip(expressions, SUMS.values(), strict=True):
            label = text(f"{name.zh}（{what.zh}）", f"{name.en}, {what.en}")
            entries.append(line(entry, label, expression, option.currency, incomplete=missing))
    return tuple(entries)


def _totals(option: Costed) -> tuple[Line, ...]:
    """Return the whole purchase: net, VAT and gross."""
    names = {
        "net": text("资本性支出合计（不含税）", "Total capital expenditure, net"),
        "vat": text("资本性支出税额", "VAT on capital expenditure"),
        "gross": text("资本性支出合计（含税）", "Total capital expenditure, gross"),
    }
    return tuple(
        line(
            option.id("capex", key),
            label,
            sum_of(option.id("vat", kind.value, key) for kind in vat_classes(option)),
            option.currency,
            incomplete=option.capital_incomplete,
        )
        for key, label in names.items()
    )
