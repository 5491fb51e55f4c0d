"""Published finance cases, computed by the formulas of the ledger."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tests.reference.case_files import Answer, Case, assert_met, cases_of, expectations

from suanli.costing.expressions import Constant, Expression, Round, evaluate
from suanli.costing.formulas import (
    breakeven_months,
    net_amount,
    per_million_tokens,
    straight_line_up_to,
    vat_amount,
)
from suanli.costing.words import amount_in_words
from suanli.domain.money import round_half_up
from suanli.domain.workload import Rounding
from suanli.errors import InputError
from suanli.planning.energy import facility_kwh, it_kwh

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.reference.case_files import Unit


def number(value: str | float | Decimal) -> Constant:
    return Constant(Decimal(str(value)))


def value(node: Expression) -> Decimal:
    return evaluate(node, {})


def line(case: Case, policy: Rounding) -> tuple[Decimal, Decimal]:
    """Return net amount and tax of a line under a rounding policy."""
    quantity, price = number(case.count("quantity")), number(case.text("unit_price"))
    net = net_amount(quantity, price)
    return value(net), value(vat_amount(quantity, price, net, number(case.text("rate")), policy))


def tax_by_policy(case: Case) -> Mapping[str, Answer]:
    unit_net, unit_tax = line(case, Rounding.UNIT)
    line_net, line_tax = line(case, Rounding.LINE)
    return {
        "by_unit": str(unit_net + unit_tax),
        "by_line": str(line_net + line_tax),
        "unit_tax": str(unit_tax),
        "line_tax": str(line_tax),
    }


def half_a_cent(case: Case) -> Mapping[str, Answer]:
    given = [Decimal(text) for text in case.texts("values")]
    rounded = [round_half_up(one) for one in given]
    return {
        "rounded": " ".join(map(str, rounded)),
        "ledger_rounds_alike": rounded == [value(Round(Constant(one))) for one in given],
    }


def capitals(case: Case) -> Mapping[str, Answer]:
    answers: dict[str, Answer] = {text: amount_in_words(Decimal(text)) for text in case.texts("amounts")}
    if "out_of_range" in case.inputs:
        try:
            answers["out_of_range"] = amount_in_words(Decimal(case.text("out_of_range")))
        except InputError as error:
            answers["out_of_range"] = str(error)
    return answers


def own_or_rent(case: Case) -> Mapping[str, Answer]:
    cards, hours = case.count("cards"), case.number("hours_per_month")
    capex = Decimal(cards) * Decimal(case.text("unit_cost")) * (1 + Decimal(case.text("overhead")))
    year = value(straight_line_up_to(Constant(capex), number(case.count("years")), 1))
    kwh = facility_kwh(it_kwh(hours, cards * case.number("w_per_card")), case.number("pue"))
    energy = Decimal(repr(kwh)) * Decimal(case.text("tariff"))
    rent = Decimal(cards) * Decimal(str(hours)) * Decimal(case.text("rent_per_hour"))
    running = energy + Decimal(case.text("site_per_month"))
    months = value(breakeven_months(Constant(capex), Constant(rent), Constant(running)))
    own = year / 12 + running
    return {
        "capex": float(capex),
        "amortisation_a_month": float(year / 12),
        "energy_a_month": float(energy),
        "own_a_month": float(own),
        "rent_a_month": float(rent),
        "break_even_months": float(months),
        "buying_saves_a_month": float(rent - own),
    }


def scopes(case: Case) -> Mapping[str, Answer]:
    device_kwh = it_kwh(case.number("seconds") / 3600, case.number("it_w"))
    return {"it_kwh": device_kwh, "facility_kwh": facility_kwh(device_kwh, case.number("pue"))}


def tokens(case: Case) -> Mapping[str, Answer]:
    cost, rate = number(case.text("cost_per_hour")), number(case.count("tokens_per_s"))
    full, half = (value(per_million_tokens(cost, rate, number(share))) for share in ("1", "0.5"))
    return {"per_million": float(full), "half_the_use_costs_twice": abs(half - 2 * full) < Decimal("1e-20")}


ANSWERS = {
    "fin-001": tax_by_policy,
    "fin-003": half_a_cent,
    "fin-004": capitals,
    "fin-006": capitals,
    "fin-007": capitals,
    "fin-008": own_or_rent,
    "fin-009": scopes,
    "fin-012": tax_by_policy,
    "fin-013": tokens,
}


@expectations("finance")
def test_a_published_finance_case_is_met(unit: Unit) -> None:
    assert_met(unit, ANSWERS)


def test_every_finance_case_is_asked() -> None:
    assert set(ANSWERS) == set(cases_of("finance"))
