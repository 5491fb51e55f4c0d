"""The assembled proposal: ordered, cited, and complete even where nothing can be recommended."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tests.core.built_in import SMALL, host, proposal

from suanli.pipeline import build_proposal
from suanli.project.load import parse_project
from suanli.proposal.build import option_key
from suanli.proposal.model import Proposal, Verdict


def built(*settings: str) -> Proposal:
    return build_proposal(parse_project(SMALL, "project.yaml", settings), host())


@pytest.mark.parametrize(
    ("index", "key"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (701, "ZZ"), (702, "AAA")]
)
def test_options_are_lettered_like_the_columns_of_a_sheet(index: int, key: str) -> None:
    assert option_key(index) == key


def test_options_are_keyed_in_the_order_of_the_document() -> None:
    options = proposal("pretrain-70b").options
    assert [option.key for option in options] == [option_key(index) for index in range(len(options))]
    feasible = [option.layout is not None for option in options]
    assert feasible == sorted(feasible, reverse=True)


def keys(document: Proposal) -> list[str]:
    """Return the keys of every source and formula that is listed."""
    return [source.key for source in document.sources] + [formula.key for formula in document.formulas]


def test_every_reference_of_a_figure_is_listed_once() -> None:
    document = proposal("pretrain-70b")
    listed = keys(document)
    assert len(listed) == len(set(listed))
    used = {ref for option in document.options for row in option.bill for ref in row.refs}
    used |= {ref for option in document.options for line in option.calculation for ref in line.refs}
    used |= {ref for claim in document.claims for ref in claim.refs}
    assert used <= set(listed)


def test_references_are_numbered_without_gaps() -> None:
    document = proposal("pretrain-70b")
    for letter in "SRCF":
        numbers = [int(key[1:]) for key in keys(document) if key.startswith(letter)]
        assert sorted(numbers) == list(range(1, len(numbers) + 1))


def test_assumptions_are_numbered_and_name_their_setting() -> None:
    document = built()
    assert [item.key for item in document.assumptions] == [
        f"A{number}" for number in range(1, len(document.assumptions) + 1)
    ]
    assert {"workload.precision", "planning.storage-fill"} <= {item.setting for item in document.assumptions}


ABROAD = ("site.region=IS", "site.electricity=0.2 USD/kWh")


def test_only_rules_of_the_sites_country_are_named() -> None:
    assert built().rules
    assert built(*ABROAD).rules == ()


def test_an_unknown_grid_has_no_carbon_anywhere() -> None:
    document = built(*ABROAD)
    assert document.site_carbon is None
    energies = [option.energy for option in document.options if option.energy is not None]
    assert energies
    assert all(energy.carbon_per_year is None for energy in energies)


def test_a_known_grid_is_cited() -> None:
    carbon = built().site_carbon
    assert carbon is not None
    assert carbon.unit == "kg/kWh"
    assert carbon.refs


def test_exchange_rates_are_shown_by_pair() -> None:
    (rate,) = built().exchange_rates
    assert (rate.unit, rate.value) == ("USD/CNY", Decimal("7.10"))


def test_the_summary_counts_what_the_options_are() -> None:
    document = proposal("pretrain-70b")
    summary = document.summary
    assert summary.feasible == sum(option.layout is not None for option in document.options)
    assert document.recommended is not None
    assert document.recommended.verdict is Verdict.RECOMMENDED
    assert document.recommended.key == summary.recommended


def test_without_a_feasible_option_the_document_still_says_why() -> None:
    document = built("workload.deadline=1 s", "vendors.accelerators=[ascend-910b3]")
    assert document.summary.recommended == ""
    assert document.recommended is None
    assert document.summary.sensitivities == ()
    assert document.risks[0].key == "no-recommendation"
    (option,) = document.options
    assert option.verdict is Verdict.INFEASIBLE
    assert option.remedies


def test_an_unknown_option_key_is_an_error() -> None:
    with pytest.raises(KeyError, match="ZZ"):
        built().option("ZZ")


def test_the_work_of_the_run_is_work_per_token_times_tokens() -> None:
    document = built()
    work = document.workload
    assert work.tokens is not None
    assert work.total_flops is not None
    per_token = document.profile.flops_per_token.value
    assert float(work.total_flops.value) == pytest.approx(float(per_token * work.tokens.value), rel=2e-3)
    assert work.optimal_tokens is not None
    assert float(work.optimal_tokens.value) == pytest.approx(
        20 * document.profile.active_parameters, rel=5e-3
    )
