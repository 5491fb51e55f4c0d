"""Published finance cases: rounding, tax, depreciation, present value, break-even and cost of tokens."""

from __future__ import annotations

from decimal import Decimal

import pytest

from suanli.costing.expressions import Constant, Expression, Round, evaluate
from suanli.costing.formulas import (
    breakeven_months,
    net_of_vat,
    per_million_tokens,
    present_value,
    straight_line_up_to,
)
from suanli.domain.money import round_half_up
from suanli.planning.energy import carbon_kg, facility_kwh, it_kwh


def number(value: str | int) -> Constant:
    return Constant(Decimal(value))


def value(node: Expression) -> Decimal:
    return evaluate(node, {})


@pytest.mark.parametrize(
    ("given", "rounded"), [("2.675", "2.68"), ("2953.125", "2953.13"), ("0.605", "0.61"), ("0.625", "0.63")]
)
def test_half_a_cent_is_rounded_up(given: str, rounded: str) -> None:
    """Cents that binary floats and half-even rounding get wrong."""
    assert round_half_up(Decimal(given)) == Decimal(rounded)
    assert value(Round(number(given))) == Decimal(rounded)


def test_tco_of_eight_cards_counts_the_purchase_once() -> None:
    """8 cards of 35,000, overhead 0.4, 4 years, 0.7 kW, PUE 1.4, 0.12/kWh, 400 h a month, rent 4.50."""
    capex = Decimal(8) * 35_000 * Decimal("1.4")
    year = value(straight_line_up_to(Constant(capex), number(4), 1))
    energy = Decimal(repr(facility_kwh(it_kwh(400, 8 * 700), 1.4))) * Decimal("0.12")
    rent = Decimal(8) * 400 * Decimal("4.5")
    running = energy + 3000
    months = value(breakeven_months(Constant(capex), Constant(rent), Constant(running)))

    assert capex == 392_000
    assert round_half_up(year / 12) == Decimal("8166.67")
    assert float(energy) == pytest.approx(376.32, abs=0.01)
    assert float(year / 12 + running) == pytest.approx(11542.99, abs=0.01)
    assert rent == 14_400
    assert float(months) == pytest.approx(35.6, abs=0.1)


def test_cost_of_a_million_tokens() -> None:
    """4.00 an hour and 2,000 tokens a second; half the utilisation costs twice as much."""
    full = value(per_million_tokens(number("4.00"), number(2000), number(1)))
    half = value(per_million_tokens(number("4.00"), number(2000), number("0.5")))

    assert float(full) == pytest.approx(0.5556, abs=0.0001)
    assert half == pytest.approx(2 * full)


def test_financial_net_present_value_without_rounded_factors() -> None:
    """Flows at the ends of years 1 to 7 at 8 %; four-digit factors would give 242.76."""
    flows = [number(flow) for flow in (0, -4200, -4700, 2000, 2500, 2500, 2500, 2500)]

    assert float(value(present_value(flows, number("0.08")))) == pytest.approx(242.47, abs=0.01)


def test_a_price_with_vat_is_separated_by_the_statutes_formula() -> None:
    """3,300,000 with 13 % VAT."""
    net = value(net_of_vat(number(3_300_000), number("0.13")))

    assert net == Decimal("2920353.98")
    assert 3_300_000 - net == Decimal("379646.02")


ENERGY = {
    # run: GPU-hours, W a GPU, PUE, kg/kWh, MWh, t
    "llama-7b": (82_432, 400, 1.1, 0.385, 36, 14),
    "llama-65b": (1_022_362, 400, 1.1, 0.385, 449, 173),
    "llama-2-70b": (1_720_320, 400, 1.1, 0.385, 756.94, 291.42),
    "llama-2-7b": (184_320, 400, 1.1, 0.385, 81.1, 31.22),
}


@pytest.mark.parametrize("run", ENERGY.values(), ids=ENERGY)
def test_published_energy_and_carbon(run: tuple[float, float, float, float, float, float]) -> None:
    """arXiv:2302.13971, table 15; Llama 2 model card."""
    hours, watts, pue, factor, mwh, tonnes = run
    kwh = facility_kwh(it_kwh(hours, watts), pue)

    assert kwh / 1e3 == pytest.approx(mwh, rel=0.02)
    assert carbon_kg(kwh, factor) / 1e3 == pytest.approx(tonnes, rel=0.02)
