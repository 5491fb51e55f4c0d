"""What the library answers to each published case, under the convention that the case states."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.expressions import Constant, evaluate
from suanli.costing.formulas import net_amount, net_of_vat
from suanli.costing.words import amount_in_words
from suanli.finance import depreciation, loans, rates
from suanli.finance.amounts import exact
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
from suanli.finance.emissions import accelerator_hours, run_carbon, run_energy
from suanli.finance.inference_cost import InferenceServer, Serving, serving_cost
from suanli.finance.leases import Lease, lease_start
from suanli.finance.payback import static_payback
from suanli.finance.service_margin import ComputeService, service_margin
from suanli.finance.site_cost import Hall, hall_cost, pue_saving
from suanli.finance.time_value import Timing, future_value, level_payment, present_value
from suanli.finance.training_cost import (
    AmortisedRun,
    InterconnectBasis,
    accelerator_hours_of_flops,
    amortised_run_cost,
    purchase_cost,
    rental_cost,
    years_between,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.reference.cost_cases import Answer, CostCase

    from suanli.finance.emissions import RunEnergy

MILLION = 1_000_000
KWH_PER_MWH = KG_PER_T = 1000.0


def amortised_run(case: CostCase) -> Mapping[str, Answer]:
    start, first = (date.fromisoformat(case.inputs[key]) for key in ("training_start", "first_availability"))
    assert (start - first).days == case.count("whole_days_between")
    cost = amortised_run_cost(
        AmortisedRun(
            price=case.money("server_price_per_chip_usd"),
            years_since_available=years_between(first, start),
            chip_hours=case.number("chip_hours"),
            falling_per_year=case.money("price_performance_ooms_per_year"),
            hours_per_year=case.number("hours_per_year"),
            interconnect_share=case.money("interconnect_share_of_cluster"),
            interconnect_basis=InterconnectBasis.CLUSTER,
            server_over_chip_cost=case.money("server_cost_over_chip_cost"),
            chip_tdp_w=case.number("chip_tdp_w"),
            server_multiplier=case.number("server_to_chip_power"),
            power_share=case.number("average_power_fraction"),
            pue=case.number("pue"),
            electricity_price=case.money("electricity_usd_per_kwh"),
        )
    )
    return {
        "value_per_chip_at_start": cost.value_per_chip,
        "amortised_server": cost.servers,
        "of_which_accelerator_chip": cost.accelerators,
        "interconnect": cost.interconnect,
        "energy": cost.energy,
        "total": cost.total,
        "total_per_chip_hour": cost.per_chip_hour,
    }


def purchase(case: CostCase, basis: InterconnectBasis = InterconnectBasis.CLUSTER) -> Mapping[str, Answer]:
    price, share = case.money("server_price_per_chip_usd"), case.money("interconnect_share_of_cluster")
    bought = purchase_cost(case.count("chips"), price, share, basis)
    return {"purchase": bought.total, "interconnect_part": bought.interconnect}


def hours_of_work(case: CostCase) -> Mapping[str, Answer]:
    flops, peak = case.number("training_flop"), case.number("peak_flop_per_s")
    return {"chip_hours": accelerator_hours_of_flops(flops, peak, case.number("mfu"))}


def period(case: CostCase) -> Mapping[str, Answer]:
    accelerators = case.count("accelerators")
    capex = accelerators * case.money("unit_price_usd") * case.money("infrastructure_multiplier")
    cost = period_cost(
        capex,
        case.count("days"),
        life_years=case.count("amortisation_years"),
        maintenance_share=case.money("maintenance_fraction_of_full_capex_per_year"),
        energy_kwh=case.number("facility_energy_kwh"),
        electricity_price=case.money("energy_price_usd_per_kwh"),
        days_per_year=case.count("days_per_year"),
    )
    return {
        "capex_period": cost.capex,
        "maintenance": cost.maintenance,
        "energy": cost.energy,
        "total": cost.total,
    }


def cluster(case: CostCase) -> Cluster:
    return Cluster(
        nodes=case.count("nodes"),
        accelerators_per_node=case.count("gpus_per_node"),
        node_price=case.money("node_price_usd"),
        switches=case.count("switches_64x400g"),
        switch_price=case.money("switch_price_usd"),
        cabling=case.money("connectors_and_cables_usd"),
        lifetime_operation_per_node=case.money("facility_and_ops_lifetime_usd_per_node"),
    )


def lifetime(case: CostCase) -> Mapping[str, Answer]:
    cost = lifetime_cost(cluster(case))
    return {
        "total": cost.total,
        "per_node": cost.per_node,
        "per_gpu": cost.per_accelerator,
        "network_share_of_hardware": cost.network_share_of_hardware,
    }


def at_the_price_that_a_total_implies(case: CostCase) -> Mapping[str, Answer]:
    """Return the right total, and the published one from the node price that it turns out to use."""
    stated = next(one.value for one in case.expect if one.name == "published_total")
    assert isinstance(stated, float)
    terms = cluster(case)
    wrong = implied_node_price(terms, int(stated))
    right = lifetime_cost(terms).total
    return {"total": right, "published_total": right - (terms.node_price - wrong) * terms.nodes}


def rented(case: CostCase) -> Mapping[str, Answer]:
    monthly = case.items("monthly_items_usd") | {"debugging": case.money("debugging_usd_per_month")}
    cost = rented_cost(
        RentedCluster(
            case.count("gpus"),
            case.money("rate_usd_per_gpu_hour"),
            case.number("hours_per_month"),
            case.count("term_months"),
            monthly,
            case.money("setup_one_time_usd"),
        )
    )
    return {
        "gpu_month": cost.accelerator_month,
        "month_amortised": cost.month,
        "total_36_months": cost.total,
    }


def serving(case: CostCase) -> Mapping[str, Answer]:
    server = InferenceServer(
        case.money("server_price_usd"),
        case.count("gpus_per_server"),
        case.count("depreciation_years"),
        case.money("licence_usd_per_gpu_year"),
        case.money("hosting_usd_per_server_year"),
    )
    job = Serving(
        case.number("peak_requests_per_s"),
        case.number("requests_per_s_per_instance"),
        case.count("gpus_per_instance"),
        case.number("input_tokens"),
        case.number("output_tokens"),
        case.money("api_price_in_usd_per_m"),
        case.money("api_price_out_usd_per_m"),
    )
    cost = serving_cost(server, job)
    return {
        "instances": cost.instances,
        "servers": cost.servers,
        "server_year": cost.server_year,
        "year_for_fractional_servers": cost.year,
        "year_for_whole_servers": cost.whole_year,
        "per_1000_prompts": cost.per_1000_prompts,
        "per_m_input_tokens": cost.per_million_input_tokens,
        "per_m_output_tokens": cost.per_million_output_tokens,
    }


def storage(case: CostCase) -> Mapping[str, Answer]:
    disks, flash = (
        sum((Decimal(repr(cost)) for cost in case.inputs["usd_million"][kind].values()), Decimal(0))
        for kind in ("hdd", "flash")
    )
    return {"hdd_total": disks, "flash_total": flash, "saving": 100 * relative_saving(disks, flash)}


def shares(case: CostCase) -> Mapping[str, Answer]:
    hourly = case.money("electricity_usd_per_gpu_hour") / case.money("total_usd_per_gpu_hour")
    return {
        "gpu_share_of_tco": 100 * cost_share(case.money("capex_share"), case.money("gpu_share_of_capex")),
        "electricity_share_of_tco": 100
        * cost_share(case.money("opex_share"), case.money("electricity_share_of_opex")),
        "electricity_over_hourly_cost": 100 * hourly,
    }


def rental(case: CostCase) -> Mapping[str, Answer]:
    cost = rental_cost(case.inputs["h800_hours"], case.money("rate_usd_per_gpu_hour"))
    stages = {stage: amount / MILLION for stage, amount in cost.stages.items()}
    return {**stages, "total_hours": cost.hours, "total": cost.total / MILLION}


def used(case: CostCase) -> RunEnergy:
    """Return the energy of a run whose hours are those of all accelerators, or number and days."""
    if "gpu_hours" in case.inputs:
        return run_energy(case.number("gpu_hours"), case.number("power_w_per_gpu"), case.number("pue"))
    hours = accelerator_hours(case.count("accelerators"), days=case.number("days"))
    return run_energy(hours, case.number("measured_power_w_per_accelerator"), case.number("pue"))


def energy_and_carbon(case: CostCase) -> Mapping[str, Answer]:
    energy = used(case).facility_kwh
    answers: dict[str, Answer] = {"facility_energy": energy / KWH_PER_MWH}
    if "grid_kg_per_kwh" in case.inputs:
        answers["carbon"] = run_carbon(energy, case.number("grid_kg_per_kwh")).total_kg / KG_PER_T
    return answers


def life_cycle(case: CostCase) -> Mapping[str, Answer]:
    """Return the parts of a run's carbon; the published dynamic part has no PUE."""
    energy = run_energy(case.number("gpu_hours"), case.number("power_w_per_gpu"))
    carbon = run_carbon(
        energy.facility_kwh,
        case.number("grid_g_per_kwh") / 1000,
        idle_kwh=case.number("idle_and_overhead_kwh"),
        embodied_kg=case.number("embodied_t") * KG_PER_T,
    )
    return {
        "dynamic_energy": energy.facility_kwh,
        "dynamic": carbon.use_kg / KG_PER_T,
        "idle": carbon.idle_kg / KG_PER_T,
        "total": carbon.total_kg / KG_PER_T,
    }


def clock_hours(case: CostCase) -> Mapping[str, Answer]:
    hours = accelerator_hours(case.count("gpus"), wall_clock_hours=case.number("hours"))
    energy = run_energy(hours, case.number("tdp_w"), case.number("pue")).facility_kwh
    carbon = run_carbon(energy, case.number("grid_g_per_kwh") / 1000)
    return {"facility_energy": energy, "carbon": carbon.total_kg}


def hall(case: CostCase) -> Mapping[str, Answer]:
    cost = hall_cost(
        Hall(
            case.number("it_mw") * 1000,
            case.number("utilisation"),
            case.number("pue"),
            case.money("tariff_usd_per_mwh") / 1000,
            {name: amount * MILLION for name, amount in case.items("fixed_opex_musd").items()},
        )
    )
    share = 100 * cost.energy_share
    return {
        "energy_cost": cost.energy / MILLION,
        "total": cost.total / MILLION,
        "energy_share": share,
        "published_energy_share": share,
    }


def retrofit(case: CostCase) -> Mapping[str, Answer]:
    before, after = case.number("pue_before"), case.number("pue_after")
    saving = pue_saving(case.number("it_kw"), before, after, case.money("tariff"), case.number("hours"))
    return {"energy_saved": saving.energy_kwh, "cost_saved": saving.cost}


def net_present_value(case: CostCase) -> Mapping[str, Answer]:
    """Return present values: the first flow at the end of year 1, after an outlay today if there is one."""
    rate, flows = case.money("rate"), case.moneys("end_of_year_flows")
    returns = present_value(rate, flows, first_year=1)
    if "outlay_year_0" not in case.inputs:
        return {
            "npv": returns,
            "fnpv_exact": returns,
            "fnpv_four_digit_factors": present_value(rate, flows, first_year=1, factor_places=4),
        }
    whole = [-case.money("outlay_year_0"), *flows]
    return {"pv_of_returns": returns, "npv": present_value(rate, whole, first_year=0)}


def internal_rate(case: CostCase) -> Mapping[str, Answer]:
    return {"irr": 100 * rates.internal_rate_of_return(case.moneys("flows"))}


def payment(case: CostCase) -> Mapping[str, Answer]:
    timing = Timing.START if case.inputs.get("timing") == "start of period" else Timing.END
    periods, principal = case.count("periods"), case.money("principal")
    return {"payment": level_payment(case.money("period_rate"), periods, principal, timing=timing)}


def span(case: CostCase) -> Mapping[str, Answer]:
    rows = loans.level_payment_schedule(
        case.money("principal"), case.money("period_rate"), case.count("periods")
    )
    first, last = case.count("from"), case.count("to")
    return {
        "interest": loans.interest_between(rows, first, last),
        "principal": loans.principal_between(rows, first, last),
    }


def effective(case: CostCase) -> Mapping[str, Answer]:
    return {"effective": 100 * rates.effective_annual_rate(case.money("nominal"), case.count("periods"))}


def grown(case: CostCase) -> Mapping[str, Answer]:
    initial, payments = case.money("initial"), case.money("payment")
    rate, periods = case.money("period_rate"), case.count("periods")
    return {"fv": future_value(rate, periods, initial=initial, payment=payments)}


def charges(case: CostCase) -> Mapping[str, Answer]:
    cost, salvage = case.money("cost"), case.money("salvage")
    years = case.count("life_years" if "life_years" in case.inputs else "years")
    declining = depreciation.double_declining(cost, salvage, years)
    digits = depreciation.sum_of_years_digits(cost, salvage, years)
    return {
        "straight_line": depreciation.straight_line(cost, salvage, years)[0],
        "syd": digits,
        "years": digits,
        "ddb_year_1": declining[0],
        "year_1": declining[0],
        "year_10": declining[-1],
    }


def lease(case: CostCase) -> Mapping[str, Answer]:
    timing = {"start of year": Timing.START, "end of year": Timing.END}[case.inputs["paid"]]
    start = lease_start(
        Lease(
            (case.money("annual_rent"),) * case.count("years"),
            case.money("incremental_borrowing_rate"),
            timing,
            initial_direct_costs=case.money("initial_direct_costs"),
            incentives=case.money("lessor_reimbursement"),
        )
    )
    return {"lease_liability": start.liability, "right_of_use_asset": start.right_of_use_asset}


def payback(case: CostCase) -> Mapping[str, Answer]:
    years = static_payback(case.moneys("end_of_year_flows"), first_year=1)
    assert years is not None
    return {"static_payback": years}


def trial_rates(case: CostCase) -> Mapping[str, Answer]:
    trials = (case.money(key) for key in ("i1", "npv1", "i2", "npv2"))
    return {"firr": 100 * rates.interpolated_internal_rate(*trials)}


def mortgage(case: CostCase) -> Mapping[str, Answer]:
    terms = case.money("principal"), case.money("annual_rate") / 12, case.count("months")
    level, equal = loans.level_payment_schedule(*terms), loans.equal_principal_schedule(*terms)
    return {
        "level_payment": level[0].payment,
        "level_total_interest": loans.total_interest(level),
        "equal_principal_first": equal[0].payment,
        "equal_principal_monthly_decrease": equal[0].payment - equal[1].payment,
        "equal_principal_total_interest": loans.total_interest(equal),
    }


def contracts(case: CostCase) -> Mapping[str, Answer]:
    return {
        "amounts": [
            evaluate(net_amount(Constant(exact(one["qty"])), Constant(exact(one["unit_wan"]))), {})
            for one in case.inputs["contracts"]
        ]
    }


def without_vat(case: CostCase) -> Mapping[str, Answer]:
    price = case.money("price_incl_vat")
    net = evaluate(net_of_vat(Constant(price), Constant(case.money("vat"))), {})
    return {"excl": net, "vat": price - net}


def service(case: CostCase) -> Mapping[str, Answer]:
    found = service_margin(
        ComputeService(
            servers=case.count("servers"),
            years=case.count("years"),
            server_price_per_month=case.money("gpu_service_cny_per_server_month"),
            cabinet_price_per_kw_month=case.money("cabinet_price_cny_per_kw_month"),
            cabinet_cost_per_kw_month=case.money("cabinet_cost_cny_per_kw_month"),
            kw_per_server=case.money("kw_per_server"),
            bandwidth_price_per_gbps_month=case.money("bandwidth_price_cny_per_gbps_month"),
            bandwidth_cost_per_gbps_month=case.money("bandwidth_cost_cny_per_gbps_month"),
            gbps_per_server=case.money("gbps_per_server"),
            server_cost=case.money("server_price_cny"),
            network_cost_per_server=case.money("network_cny_per_server"),
            maintenance_per_server_year=case.money("maintenance_cny_per_server_year"),
            capital_rate=case.money("capital_rate"),
        )
    )
    return {
        "revenue_gpu": found.revenue_compute,
        "revenue_cabinet": found.revenue_cabinet,
        "revenue_bandwidth": found.revenue_bandwidth,
        "cost_machine": found.cost_servers,
        "cost_network": found.cost_network,
        "cost_maintenance": found.cost_maintenance,
        "cost_cabinet": found.cost_cabinet,
        "cost_bandwidth": found.cost_bandwidth,
        "cost_capital": found.cost_capital,
        "margin": found.margin,
    }


def in_words(case: CostCase) -> Mapping[str, Answer]:
    return {"text": [amount_in_words(Decimal(amount)) for amount in case.inputs["amounts"]]}


ANSWERS: Mapping[str, Callable[[CostCase], Mapping[str, Answer]]] = {
    **dict.fromkeys(("amo-001", "amo-002", "amo-005", "amo-006", "amo-007"), amortised_run),
    "amo-009": purchase,
    "amo-011": hours_of_work,
    "tco-001": period,
    "tco-003": lifetime,
    "tco-005": at_the_price_that_a_total_implies,
    "tco-006": lifetime,
    "tco-007": rented,
    "tco-009": rented,
    "tco-010": serving,
    "tco-012": storage,
    "tco-013": shares,
    "tco-014": rental,
    **dict.fromkeys(("car-001", "car-002", "car-004", "car-006"), energy_and_carbon),
    "car-007": life_cycle,
    **dict.fromkeys(("car-008", "car-009", "car-011"), energy_and_carbon),
    "car-013": clock_hours,
    **dict.fromkeys(("fac-001", "fac-002", "fac-005"), hall),
    "fac-006": retrofit,
    **dict.fromkeys(("fin-101", "fin-102", "fin-104", "cnf-001"), net_present_value),
    **dict.fromkeys(("fin-105", "fin-106"), internal_rate),
    **dict.fromkeys(("fin-110", "fin-111", "fin-113"), payment),
    "fin-114": span,
    "fin-116": effective,
    "fin-117": grown,
    **dict.fromkeys(("fin-118", "fin-120", "cnf-008"), charges),
    "fin-121": lease,
    "cnf-002": payback,
    "cnf-004": trial_rates,
    "cnf-006": mortgage,
    "cnf-009": contracts,
    "cnf-010": without_vat,
    "cnf-011": service,
    "cnf-013": in_words,
}
