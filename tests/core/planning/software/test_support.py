from __future__ import annotations

from datetime import date

import pytest
from pydantic import ValidationError
from tests.factories import catalogue, device
from tests.launching import DENSE, feature_matrix, posed

from suanli.domain.software import Launcher, StackFeature
from suanli.planning.software.plan import plan_software
from suanli.planning.software.results import Need, Status
from suanli.planning.software.support import conflicts, judge, matrix_of

TP, PP, ZERO_3 = StackFeature.TENSOR_PARALLEL, StackFeature.PIPELINE_PARALLEL, StackFeature.ZERO_3


@pytest.mark.parametrize(
    ("known", "status"),
    [
        ({TP: True}, Status.SUPPORTED),
        ({TP: False}, Status.UNSUPPORTED),
        ({TP: None}, Status.UNKNOWN),
        ({}, Status.UNKNOWN),
    ],
)
def test_what_a_matrix_does_not_settle_is_unknown(
    known: dict[StackFeature, bool | None], status: Status
) -> None:
    (finding,) = judge([Need(TP, "tp", 8)], feature_matrix(supported=known))

    assert finding.status is status


def test_without_a_matrix_everything_is_unknown() -> None:
    (finding,) = judge([Need(TP)], None)

    assert (finding.status, finding.support) == (Status.UNKNOWN, None)
    assert conflicts([Need(TP)], None) == ()


def test_an_exclusion_holds_where_all_its_features_are_needed() -> None:
    matrix = feature_matrix(exclusions=((ZERO_3, PP),))

    assert conflicts([Need(ZERO_3), Need(TP)], matrix) == ()
    assert [one.features for one in conflicts([Need(ZERO_3), Need(PP)], matrix)] == [(ZERO_3, PP)]


def test_the_newest_matrix_of_a_stack_is_used() -> None:
    old = feature_matrix()
    new = old.model_copy(update={"id": "framework-0", "as_of": date(2026, 9, 1)})
    stranger = old.model_copy(update={"id": "other", "stacks": ("other",), "as_of": date(2027, 1, 1)})

    assert matrix_of(device().stack, catalogue(old, new, stranger)) == new
    assert matrix_of(device().stack, catalogue(stranger)) is None


def test_a_plan_refuses_what_the_framework_is_known_not_to_run() -> None:
    sized, wanted = posed(DENSE)
    refused = plan_software(sized, wanted, catalogue(feature_matrix(supported={TP: False})))
    silent = plan_software(sized, wanted, catalogue(feature_matrix()))

    assert refused.refused
    assert [one.need.feature for one in refused.of(Status.UNSUPPORTED)] == [TP]
    assert not silent.refused
    assert len(silent.of(Status.UNKNOWN)) == len(silent.findings)


def test_a_stack_without_mapped_arguments_has_no_launch_and_no_rules() -> None:
    sized, wanted = posed(DENSE)
    plan = plan_software(sized, wanted, catalogue(feature_matrix()))

    assert plan.launch is None
    assert plan.rules == ()
    assert plan_software(sized, wanted, catalogue(feature_matrix(Launcher.MEGATRON_LM))).launch is not None


def test_an_exclusion_names_two_features_at_least_and_none_twice() -> None:
    with pytest.raises(ValidationError, match="at least 2"):
        feature_matrix(exclusions=((TP,),))
    with pytest.raises(ValidationError, match="twice"):
        feature_matrix(exclusions=((TP, TP),))
