"""Golden values of finance and energy: present value, tax in a price, published energy and carbon of runs."""

from __future__ import annotations

from decimal import Decimal

import pytest

from suanli.costing.expressions import Constant, Expression, evaluate
from suanli.costing.formulas import net_of_vat, present_value
from suanli.planning.energy import carbon_kg, facility_kwh, it_kwh


def number(value: str | int) -> Constant:
    return Constant(Decimal(value))


def value(node: Expression) -> Decimal:
    return evaluate(node, {})


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
