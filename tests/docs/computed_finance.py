"""What the code computes for the worked examples on finance, cost and emissions."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from tests.core.built_in import host

from suanli.domain.hardware import Accelerator, Server
from suanli.finance import depreciation, loans, rates
from suanli.finance.cluster_cost import (
    Cluster,
    RentedCluster,
    cost_share,
    implied_node_price,
    lifetime_cost,
    period_cost,
    relative_saving,
    rented_cost,
)
from suanli.finance.emissions import accelerator_hours, embodied_kg_per_hour, run_carbon, run_energy
from suanli.finance.inference_cost import InferenceServer, Serving, server_year, serving_cost
from suanli.finance.leases import Lease, lease_schedule, lease_start
from suanli.finance.payback import discounted_payback, profitability_index, static_payback
from suanli.finance.service_margin import ComputeService, service_margin
from suanli.finance.site_cost import Hall, electricity_bill, hall_cost, pue_saving
from suanli.finance.time_value import (
    Timing,
    annuity_factor,
    annuity_present_value,
    discount_factor,
    equivalent_annual_cost,
    future_value,
    level_payment,
    number_of_payments,
    present_value,
)
from suanli.finance.training_cost import (
    AmortisedRun,
    InterconnectBasis,
    accelerator_hours_of_flops,
    amortised_run_cost,
    interconnect_cost,
    purchase_cost,
    rental_cost,
    training_kwh,
    years_between,
)
from suanli.planning.embodied import server_embodied_kg

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def worth_today() -> dict[str, Decimal]:
    flows = [-10_000, 3_000, 4_200, 6_800]
    return {
        "end_of_year_1": present_value(Decimal("0.1"), flows, first_year=1),
        "today": present_value(Decimal("0.1"), flows, first_year=0),
    }


def factors() -> dict[str, Decimal]:
    return {
        "factor": discount_factor(Decimal("0.08"), 2),
        "annuity": annuity_factor(Decimal("0.05"), 9),
    }


def payment() -> dict[str, Decimal]:
    rate = Decimal("0.075") / 12
    arrears, advance = (level_payment(rate, 180, 200_000, timing=timing) for timing in Timing)
    assert round(annuity_present_value(rate, 180, arrears), 9) == 200_000
    return {"rate": rate, "arrears": arrears, "advance": advance}


def grown() -> dict[str, Decimal]:
    return {"value": future_value(Decimal("0.05") / 12, 120, initial=100, payment=100)}


def payments() -> dict[str, Decimal]:
    return {"payments": number_of_payments(Decimal("0.01"), 100, 1_000)}


def yearly_cost() -> dict[str, Decimal]:
    return {"cost": equivalent_annual_cost(Decimal("0.06"), 3, 15, yearly=5)}


def internal() -> dict[str, Decimal]:
    flows = [-70_000, 12_000, 15_000, 18_000, 21_000, 26_000]
    (only,) = rates.internal_rates(flows)
    assert only == rates.internal_rate_of_return(flows)
    return {"rate": only, "value": present_value(Decimal("0.08663"), flows, first_year=0)}


def modified() -> dict[str, Decimal]:
    flows = [-120_000, 39_000, 30_000, 21_000, 37_000, 46_000]
    return {"rate": rates.modified_internal_rate(flows, Decimal("0.1"), Decimal("0.12"))}


def interpolated() -> dict[str, Decimal]:
    trials = (Decimal(text) for text in ("0.10", "501.84", "0.11", "-25.75"))
    return {"rate": rates.interpolated_internal_rate(*trials)}


def dated() -> dict[str, Decimal]:
    days = (date(2008, 1, 1), date(2008, 3, 1), date(2008, 10, 30), date(2009, 2, 15), date(2009, 4, 1))
    flows = list(zip(days, (-10_000, 2_750, 4_250, 3_250, 2_750), strict=True))
    assert rates.dated_present_value(rates.dated_internal_rate(flows), flows) < Decimal("1e-6")
    return {"value": rates.dated_present_value(Decimal("0.09"), flows)}


def compounded() -> dict[str, Decimal]:
    effective = rates.effective_annual_rate(Decimal("0.0525"), 4)
    return {"effective": effective, "nominal": rates.nominal_annual_rate(effective, 4)}


def charged() -> dict[str, Decimal]:
    return {"rate": rates.annuity_rate(12, Decimal("88.8488"), 1_000)}


def paid_back() -> dict[str, Decimal]:
    flows = [-600, -900, 300, 500, 500, 500, 500, 500]
    years = static_payback(flows, first_year=1)
    assert years is not None
    assert discounted_payback(0, flows, first_year=1) == years
    return {"behind": sum(map(Decimal, flows[:5]), Decimal(0)), "years": years}


def index() -> dict[str, Decimal]:
    return {"index": profitability_index(Decimal("0.1"), 100, [132])}


def level_schedule() -> dict[str, Decimal]:
    rows = loans.level_payment_schedule(1_000_000, Decimal("0.049") / 12, 360)
    assert loans.principal_between(rows, 1, 1) == rows[0].principal
    return {
        "payment": rows[0].payment,
        "first_interest": loans.interest_between(rows, 1, 1),
        "first_principal": rows[0].principal,
        "interest": loans.total_interest(rows),
    }


def equal_schedule() -> dict[str, Decimal]:
    rows = loans.equal_principal_schedule(1_000_000, Decimal("0.049") / 12, 360)
    return {
        "first": rows[0].payment,
        "fall": rows[0].payment - rows[1].payment,
        "interest": loans.total_interest(rows),
    }


def construction() -> dict[str, Decimal]:
    interest = loans.construction_interest([300, 600, 400], Decimal("0.12"))
    return dict(zip(("first", "second", "third"), interest, strict=True))


def level_charge() -> dict[str, Decimal]:
    return {"charge": depreciation.straight_line(10_000, 1_000, 5)[0]}


def digits() -> dict[str, Decimal]:
    charges = depreciation.sum_of_years_digits(1_000_000, 4_000, 5)
    return {"first": charges[0], "last": charges[-1]}


def declining() -> dict[str, Decimal]:
    charges = depreciation.double_declining(2_400, 300, 10)
    return {"first": charges[0], "left": 2_400 - sum(charges[:9], Decimal(0)), "tenth": charges[9]}


def declining_china() -> dict[str, Decimal]:
    charges = depreciation.double_declining_china(1_000_000, 4_000, 5)
    western = depreciation.double_declining(1_000_000, 4_000, 5)
    left = 1_000_000 - sum(charges[:3], Decimal(0))
    return {"third": charges[2], "left": left, "last": charges[4], "western": western[4]}


def fixed() -> dict[str, Decimal]:
    charges = depreciation.fixed_declining(1_000_000, 100_000, 6, first_year_months=7)
    return {"first": charges[0], "second": charges[1]}


def output() -> dict[str, Decimal]:
    return {"second": depreciation.by_output(1_000, 100, 9_000, [3_000, 6_000])[1]}


def calendar() -> dict[str, Decimal]:
    found = depreciation.by_calendar_year([1_200, 600], date(2026, 9, 15))
    return {f"year_{year}": charge for year, charge in found.items()}


def lease_begins() -> dict[str, Decimal]:
    rents = (50_000,) * 10
    lease = Lease(rents, Decimal("0.05"), Timing.START, initial_direct_costs=20_000, incentives=5_000)
    start = lease_start(lease)
    return {"liability": start.liability, "asset": start.right_of_use_asset}


def lease_goes_on() -> dict[str, Decimal]:
    lease = Lease((100, 100), Decimal("0.1"), Timing.END)
    rows = lease_schedule(lease)
    return {
        "liability": lease_start(lease).liability,
        "first_interest": rows[0].interest,
        "second_interest": rows[1].interest,
        "depreciation": rows[0].depreciation,
    }


def amortised() -> dict[str, Decimal]:
    years = years_between(date(2020, 8, 12), date(2022, 5, 12))
    cost = amortised_run_cost(
        AmortisedRun(
            price=24_875,
            years_since_available=years,
            chip_hours=57e6,
            falling_per_year=Decimal("0.14"),
            hours_per_year=8_766,
            interconnect_share=Decimal("0.19"),
            interconnect_basis=InterconnectBasis.CLUSTER,
            server_over_chip_cost=Decimal("1.66"),
            chip_tdp_w=400,
            server_multiplier=2.03125,
            power_share=0.75,
            pue=1.25,
            electricity_price=Decimal("0.0806"),
        )
    )
    return {
        "years": years,
        "value": cost.value_per_chip,
        "servers": cost.servers,
        "interconnect": cost.interconnect,
        "energy": cost.energy,
        "total": cost.total,
    }


def purchase() -> dict[str, Decimal]:
    share = Decimal("0.19")
    bought = purchase_cost(25_000, 24_875, share, InterconnectBasis.CLUSTER)
    mark_up = interconnect_cost(bought.servers, share, InterconnectBasis.SERVERS)
    return {
        "servers": bought.servers,
        "interconnect": bought.interconnect,
        "purchase": bought.total,
        "mark_up": bought.servers + mark_up,
    }


def rated() -> dict[str, float]:
    return {"energy": training_kwh(1_000, 400, 2, 0.75, 1.25)}


def hours_of_work() -> dict[str, float]:
    return {"hours": accelerator_hours_of_flops(1.0001e25, 989.4e12, 0.375)}


def rental() -> dict[str, float]:
    stages = {"pre-training": 2_664_000, "context extension": 119_000, "post-training": 5_000}
    cost = rental_cost(stages, 2)
    return {"hours": cost.hours, "total": float(cost.total)}


def period() -> dict[str, Decimal]:
    cost = period_cost(
        512 * 25_000,
        30,
        life_years=3,
        maintenance_share=Decimal("0.05"),
        energy_kwh=167_628,
        electricity_price=Decimal("0.1"),
    )
    return {
        "capex": cost.capex,
        "maintenance": cost.maintenance,
        "energy": cost.energy,
        "total": cost.total,
    }


def lifetime() -> dict[str, Decimal]:
    cost = lifetime_cost(Cluster(64, 8, 310_000, 8, 36_000, 675_840, 50_000))
    larger = Cluster(1_024, 8, 310_000, 384, 36_000, 20_971_520, 50_000)
    return {
        "total": cost.total,
        "network": cost.network_share_of_hardware,
        "implied": implied_node_price(larger, 393_195_520),
    }


def rented() -> dict[str, Decimal]:
    monthly = {"goodput": 202_015, "debugging": 16_667}
    cost = rented_cost(RentedCluster(4_096, 2, 720, 36, monthly, 3_015_787))
    return {"accelerators": cost.accelerator_month, "month": cost.month}


def savings() -> dict[str, Decimal]:
    assert cost_share(Decimal("0.5"), Decimal("0.5")) == Decimal("0.25")
    return {"saving": relative_saving(Decimal("85.62"), Decimal("35.19"))}


def serving() -> dict[str, float]:
    server = InferenceServer(370_000, 8, 3, 4_500, 20_000)
    cost = serving_cost(server, Serving(100, 18.9164733840835, 1, 1_000, 200, 1, 3))
    return {
        "instances": cost.instances,
        "servers": cost.servers,
        "year": float(server_year(server)),
        "fraction": float(cost.year),
        "prompts": float(cost.per_1000_prompts),
        "input": float(cost.per_million_input_tokens),
    }


def service() -> dict[str, Decimal]:
    found = service_margin(
        ComputeService(
            servers=64,
            years=5,
            server_price_per_month=90_000,
            cabinet_price_per_kw_month=650,
            cabinet_cost_per_kw_month=440,
            kw_per_server=Decimal("10.625"),
            bandwidth_price_per_gbps_month=4_000,
            bandwidth_cost_per_gbps_month=4_500,
            gbps_per_server=5,
            server_cost=3_300_000,
            network_cost_per_server=300_000,
            maintenance_per_server_year=30_000,
            capital_rate=Decimal("0.1"),
        )
    )
    return {
        "compute": found.revenue_compute,
        "cabinets": found.revenue_cabinet - found.cost_cabinet,
        "bandwidth": found.bandwidth_margin,
        "hardware": found.cost_servers + found.cost_network + found.cost_maintenance,
        "margin": found.margin,
    }


def hall() -> dict[str, Decimal]:
    cost = hall_cost(Hall(100_000, 0.3, 1.3, Decimal("0.08"), {"fixed": 31_800_000}))
    assert cost.energy == electricity_bill(30_000, 8_760, 1.3, Decimal("0.08"))
    return {"energy": cost.energy, "total": cost.total, "share": cost.energy_share}


def retrofit() -> dict[str, float]:
    saving = pue_saving(1_000, 1.5, 1.2, Decimal("0.08"))
    return {"saved": saving.energy_kwh, "cost": float(saving.cost)}


def run() -> dict[str, float]:
    hours = accelerator_hours(1_720_320, wall_clock_hours=1)
    energy = run_energy(hours, 400, 1.1)
    return {"energy": energy.facility_kwh, "carbon": run_carbon(energy.facility_kwh, 0.385).total_kg}


def embodied_hour() -> dict[str, float]:
    server, device = (embodied_kg_per_hour(kg, 6, 0.85) for kg in (2_500, 150))
    return {
        "server": server,
        "device": device,
        "run": 1_082_990 / 8 * server + 1_082_990 * device,
    }


def embodied_server() -> dict[str, float]:
    catalogue = host().catalogue
    chip = catalogue.get(Accelerator, "h100-sxm")
    found = server_embodied_kg(catalogue.get(Server, "dgx-h100"), chip)
    assert found is not None
    assert chip.embodied_carbon is not None
    return {"device": chip.embodied_carbon.kg_per_device, "server": found.kg}


COMPUTED: Final[Mapping[str, Callable[[], Mapping[str, float | Decimal]]]] = {
    "present-value": worth_today,
    "factors": factors,
    "level-payment": payment,
    "future-value": grown,
    "number-of-payments": payments,
    "equivalent-annual-cost": yearly_cost,
    "internal-rate": internal,
    "modified-rate": modified,
    "interpolated-rate": interpolated,
    "dated-flows": dated,
    "effective-rate": compounded,
    "annuity-rate": charged,
    "payback": paid_back,
    "profitability-index": index,
    "level-schedule": level_schedule,
    "equal-principal": equal_schedule,
    "construction-interest": construction,
    "straight-line": level_charge,
    "years-digits": digits,
    "double-declining": declining,
    "double-declining-china": declining_china,
    "fixed-declining": fixed,
    "by-output": output,
    "calendar-years": calendar,
    "lease-start": lease_begins,
    "lease-schedule": lease_goes_on,
    "amortised-cost": amortised,
    "purchase": purchase,
    "training-energy": rated,
    "hours-of-work": hours_of_work,
    "rental": rental,
    "period-cost": period,
    "lifetime-cost": lifetime,
    "rented-cluster": rented,
    "savings": savings,
    "serving": serving,
    "compute-service": service,
    "hall-cost": hall,
    "pue-saving": retrofit,
    "run-carbon": run,
    "embodied-hour": embodied_hour,
    "embodied-server": embodied_server,
}
