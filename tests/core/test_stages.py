"""The stages: sizing every device, fitting a budget, choosing, auditing claims."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tests.core.built_in import NAMES, SMALL, host, proposal

from suanli.claiming import audit_claims
from suanli.domain.catalogue import Catalogue, Provenance
from suanli.domain.market import Reliability
from suanli.errors import InputError
from suanli.estimation.flops import model_profile
from suanli.estimation.goodput import DEFAULT_FAILURES
from suanli.estimation.results import Constraint, RemedyKind
from suanli.pipeline import build_proposal, complete
from suanli.project.load import parse_project
from suanli.proposal.model import ClaimVerdict, Option, Proposal, Verdict
from suanli.stages import failures_of

VENDORS = {"ascend", "nvidia", "amd"}


@pytest.mark.parametrize("name", NAMES)
def test_every_example_sizes_an_option_of_each_vendor(name: str) -> None:
    sized = {option.vendor for option in proposal(name).options if option.layout is not None}
    assert sized >= VENDORS


@pytest.mark.parametrize("name", NAMES)
def test_every_example_recommends_at_most_one_deliverable_option(name: str) -> None:
    recommended = [option for option in proposal(name).options if option.verdict is Verdict.RECOMMENDED]
    assert len(recommended) == 1
    assert recommended[0].compliance.deliverability.value not in {"barred", "licence"}
    assert proposal(name).options[0] is recommended[0]


def feasible(name: str) -> list[Option]:
    return [option for option in proposal(name).options if option.layout is not None]


@pytest.mark.parametrize("name", NAMES)
def test_clusters_are_whole_servers_that_hold_the_layout(name: str) -> None:
    for option in feasible(name):
        layout = option.layout
        assert layout is not None
        assert option.accelerators is not None
        devices = layout.tp * layout.pp * layout.cp * layout.dp
        assert option.accelerators == -(-devices // layout.devices_per_accelerator)
        assert option.servers is not None
        per_server = -(-option.accelerators // option.servers)
        assert per_server * option.servers >= option.accelerators > per_server * (option.servers - 1)


@pytest.mark.parametrize("name", NAMES)
def test_the_slow_end_of_the_range_meets_the_deadline(name: str) -> None:
    deadline = proposal(name).workload.deadline
    assert deadline is not None
    for option in feasible(name):
        assert option.days is not None
        assert option.days.high is not None
        assert option.days.high <= deadline.value
        assert option.deadline_met


@pytest.mark.parametrize("name", NAMES)
def test_no_duration_is_below_the_time_at_the_dense_peak(name: str) -> None:
    for option in feasible(name):
        assert option.days is not None
        assert option.bound_days is not None
        assert option.days.low is not None
        assert option.days.low > option.bound_days.value


def test_the_claims_of_the_articles_are_refuted_with_the_right_size() -> None:
    client, *claims = proposal("pretrain-70b").claims
    assert client.verdict is ClaimVerdict.PLAUSIBLE
    assert {claim.verdict for claim in claims} == {ClaimVerdict.IMPOSSIBLE}
    first = claims[0]
    assert first.right_days is not None
    # 844 days at 400 TFLOPS and 45 %; at the Cube-only peak it takes longer, never hundreds of times less.
    assert Decimal(800) < first.right_days.value < Decimal(1300)
    assert first.implied_mfu is not None
    assert first.implied_mfu.value > Decimal(50)


@pytest.mark.parametrize("name", NAMES)
def test_the_shown_money_is_the_ledgers_to_the_cent(name: str) -> None:
    document = proposal(name)
    values = document.ledger.values()
    for option in document.options:
        if option.money is None:
            continue
        shown = {
            "capex.net": option.money.capex_net,
            "capex.vat": option.money.capex_vat,
            "capex.gross": option.money.capex_gross,
            "tco.net": option.money.tco_net,
        }
        for entry, figure in shown.items():
            assert figure.value == values[f"{option.key}.{entry}"].quantize(Decimal("0.01"))
        blocks = sum(block.gross for block in option.money.blocks)
        assert blocks == option.money.capex_gross.value
    assert values["check.master"] == 0


def budget(amount: str) -> Proposal:
    settings = (
        "solve_for=best-within-budget",
        f"commercial.budget={amount}",
        "workload.deadline=365 days",
        "vendors.accelerators=[ascend-910c]",
    )
    return proposal("pretrain-70b", *settings)


def test_the_best_cluster_within_a_budget_costs_no_more_and_the_next_server_would() -> None:
    small_one, large = budget("60M CNY").options[0], budget("120M CNY").options[0]
    for option, amount in ((small_one, 60), (large, 120)):
        assert option.money is not None
        assert option.money.capex_gross.value <= amount * 1_000_000
        assert option.binding is Constraint.BUDGET
        server = next(row for row in option.bill if row.id == "servers")
        assert server.unit_price is not None
        assert option.accelerators is not None
        # Servers that the fastest affordable layout leaves idle are not bought.
        assert server.quantity == -(-option.accelerators // 8)
    assert small_one.accelerators is not None
    assert large.accelerators is not None
    assert large.accelerators > small_one.accelerators


def test_a_budget_below_the_smallest_cluster_is_infeasible_and_says_what_would_do() -> None:
    option = budget("1M CNY").options[0]
    assert option.verdict is Verdict.INFEASIBLE
    assert option.binding is Constraint.BUDGET
    assert option.remedies[0].value is not None
    enough = option.remedies[0].value.value
    assert enough > 1_000_000
    assert budget(f"{enough} CNY").options[0].verdict is Verdict.RECOMMENDED
    assert budget(f"{enough * Decimal('0.99')} CNY").options[0].verdict is Verdict.INFEASIBLE


def test_a_device_without_the_precision_offers_the_one_it_has() -> None:
    failed = [one for one in proposal("pretrain-70b", "workload.precision=fp8").options if one.layout is None]
    assert {one.accelerator for one in failed} == {"ascend-910b2", "ascend-910c"}
    for option in failed:
        assert option.verdict is Verdict.NOT_COMPUTABLE
        assert [(one.kind, one.detail) for one in option.remedies] == [(RemedyKind.OTHER_PRECISION, "bf16")]


def test_a_deadline_counts_as_met_with_the_confidence_that_was_asked_for() -> None:
    option = proposal("pretrain-70b", "workload.deadline_confidence=50%").options[0]
    assert option.days is not None
    assert option.days.high is not None
    assert option.days.value < 120 < option.days.high
    assert option.deadline_met


def test_a_run_of_milliseconds_is_costed_like_any_other() -> None:
    option = proposal("lora-13b", "workload.tokens=4k", "workload.epochs=1").options[0]
    assert option.days is not None
    assert 0 < option.days.value < Decimal("0.0001")
    assert option.money is not None
    assert option.money.tco_net.value > 0


def test_fewer_tokens_are_those_that_the_project_states() -> None:
    # Three epochs: the project's key holds the tokens of one.
    settings = ("model=llama-3.1-405b", "vendors.accelerators=[h20]")
    remedies = proposal("lora-13b", *settings, "workload.tokens=4B").options[0].remedies
    fewer = next(one.value for one in remedies if one.kind is RemedyKind.FEWER_TOKENS)
    assert fewer is not None
    assert 200_000_000 < fewer.value < 1_000_000_000
    again = proposal("lora-13b", *settings, f"workload.tokens={fewer.value}").options[0]
    assert again.layout is not None


def test_the_order_in_which_devices_are_listed_changes_nothing() -> None:
    plain = proposal("pretrain-70b", "claims=[]")
    mixed = proposal(
        "pretrain-70b",
        "claims=[]",
        "vendors.accelerators=[mi300x, ascend-910c, h100-sxm, ascend-910b2]",
        "vendors.consider=[amd, nvidia, ascend]",
    )
    assert mixed.options == plain.options
    assert mixed.summary == plain.summary


def test_what_a_reader_must_know_of_dies_and_runs_is_a_notice() -> None:
    settings = (
        "workload.runs_per_year=100",
        "vendors.accelerators=[ascend-910c]",
    )
    document = proposal("pretrain-70b", *settings)
    texts = [notice.text.en for notice in document.notices]
    layout = document.options[0].layout
    assert layout is not None
    assert layout.devices_per_accelerator == 2
    devices = layout.tp * layout.pp * layout.cp * layout.dp
    for part in (
        "holds 2 dies",
        f"({devices} devices)",
        "of the 100 runs a year fit",
    ):
        assert sum(part in text for text in texts) == 1, part


def test_failure_rates_come_from_the_catalogue() -> None:
    rates = failures_of(host().catalogue)
    assert host().catalogue.records["sources"].get(rates.source) is not None


def test_fixed_accelerators_give_the_days_they_need() -> None:
    text = SMALL.replace("deadline: 7 days, ", "")
    document = build_proposal(parse_project(text, "project.yaml", ["cluster.accelerators=8"]), host())
    assert document.options[0].accelerators == 8
    assert document.options[0].deadline_met is None


def test_a_project_without_any_unknown_is_refused_with_all_three_keys() -> None:
    with pytest.raises(InputError, match="accelerators"):
        build_proposal(parse_project(SMALL.replace("deadline: 7 days, ", ""), "project.yaml"), host())


def within_budget(devices: str, *settings: str) -> Proposal:
    text = SMALL.replace("deadline: 7 days, ", "").replace("[ascend-910b3]", devices)
    text = text.replace("commercial: {", "solve_for: best-within-budget\ncommercial: {budget: 10M CNY, ")
    return build_proposal(parse_project(text, "project.yaml", settings), host())


def test_a_device_without_a_price_is_never_within_a_budget_and_offers_none() -> None:
    (option,) = within_budget("[mi325x]").options
    assert option.verdict is Verdict.INFEASIBLE
    assert option.binding is Constraint.BUDGET
    # What would do is unknown, so that neither a larger need nor a way out is made up.
    assert option.shortfall is not None
    assert option.shortfall[0].value == option.shortfall[1].value == 10_000_000
    assert option.remedies == ()


def test_a_model_that_no_cluster_holds_is_not_blamed_on_the_budget() -> None:
    settings = ("model=llama-3.1-405b", "layout.tp=1", "layout.pp=1", "workload.task=lora")
    (option,) = within_budget("[ascend-910b3]", *settings, "layout.zero_stage=1").options
    assert option.verdict is Verdict.INFEASIBLE
    assert option.binding is not Constraint.BUDGET


def claimed(*settings: str, accelerators: int = 8, device: str = "ascend-910b3") -> Proposal:
    claim = f"{{by: a, says: b, accelerator: {device}, accelerators: {accelerators}, days: 30}}"
    return build_proposal(parse_project(SMALL, "project.yaml", (f"claims=[{claim}]", *settings)), host())


def test_a_claimed_cluster_that_cannot_hold_the_model_lends_the_smallest_that_can() -> None:
    (claim,) = claimed("model=llama-3.1-405b", accelerators=1).claims
    assert claim.verdict in {ClaimVerdict.DOES_NOT_FIT, ClaimVerdict.IMPOSSIBLE}
    assert claim.fits is False
    assert claim.right_days is not None
    assert claim.right_accelerators is not None
    assert claim.right_accelerators % 8 == 0


def test_a_claim_on_a_device_without_the_precision_cannot_be_computed() -> None:
    (claim,) = claimed("workload.precision=fp8", "vendors.accelerators=[h20]").claims
    assert claim.verdict is ClaimVerdict.NOT_COMPUTABLE
    assert claim.right_days is None


def test_a_claim_does_not_depend_on_what_else_the_project_looks_at() -> None:
    (alone,), (beside,) = claimed().claims, claimed("vendors.accelerators=[h20, mi300x]").claims
    assert alone.right_days is not None
    assert beside.right_days is not None
    assert alone.right_days.value == beside.right_days.value
    assert (alone.verdict, alone.right_accelerators) == (beside.verdict, beside.right_accelerators)


def test_without_the_tokens_of_a_run_no_claim_is_judged() -> None:
    asked = complete(parse_project(SMALL), host())
    profile = model_profile(asked.model.architecture, asked.workload)
    assert audit_claims(asked, profile, None, host().catalogue) == ()


def test_every_stage_and_every_device_is_told_as_it_starts() -> None:
    told: list[str] = []
    build_proposal(parse_project(SMALL), host(), told.append)
    assert told == ["sizing", "ascend-910b3", "planning", "costing", "expansion", "proposal"]


def test_the_failure_rate_that_was_read_best_is_planned_with_whatever_its_id() -> None:
    catalogue = host().catalogue
    records = {record.id: record for record in catalogue.all(Reliability)}
    recalled = records["opt-175b"].model_copy(update={"id": "aaa"})
    assert failures_of(Catalogue.of([(recalled, ORIGIN), (records["llama-3-405b"], ORIGIN)])) == failures_of(
        catalogue
    )
    assert failures_of(Catalogue.of([(recalled, ORIGIN)])).failures_per_1000_device_days == pytest.approx(1.8)
    assert failures_of(Catalogue()) == DEFAULT_FAILURES


ORIGIN = Provenance("test", "test", "0")


def test_a_cluster_that_waits_for_repairs_beyond_its_deadline_is_sized_again() -> None:
    """The 70B example on 910C within 114 days: failures alone are in time, missing servers are not."""
    settings = ("workload.deadline=114 days", "vendors.accelerators=[ascend-910c]")
    usual = proposal("pretrain-70b", *settings).options[0]
    bare = proposal("pretrain-70b", *settings, "cluster.spare_nodes=0").options[0]
    for option in (usual, bare):
        assert option.deadline_met
        assert option.verdict is Verdict.RECOMMENDED
        assert option.availability is not None
    assert usual.accelerators is not None
    assert bare.accelerators is not None
    assert bare.accelerators > usual.accelerators


def test_an_oversubscribed_network_lengthens_the_run_and_may_cost_the_recommendation() -> None:
    only = "vendors.accelerators=[ascend-910c]"
    plain, narrow = (
        proposal("base-405b", only, f"cluster.oversubscription={ratio}").options[0] for ratio in (1, 8)
    )
    assert plain.accelerators is not None
    assert narrow.accelerators is not None
    assert narrow.accelerators > plain.accelerators
    assert narrow.communication_share is not None
    assert plain.communication_share is not None
    assert narrow.communication_share > 2 * plain.communication_share
    assert (plain.deadline_met, plain.verdict) == (True, Verdict.RECOMMENDED)
    assert (narrow.deadline_met, narrow.verdict) == (False, Verdict.ALTERNATE)
