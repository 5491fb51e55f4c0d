from __future__ import annotations

import pytest
from tests.core.estimation.estimation_cases import catalogue

from suanli.domain.hardware import Accelerator
from suanli.domain.naming import accelerators_meant, resolve_accelerator
from suanli.errors import InputError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("h100-sxm", "h100-sxm"),
        ("H100_SXM", "h100-sxm"),
        ("H100 SXM", "h100-sxm"),
        (" h100-sxm ", "h100-sxm"),
        ("MI300", "mi300x"),
        ("昇腾910B2", "ascend-910b2"),
        ("910b3", "ascend-910b3"),
        ("Ascend 910B3", "ascend-910b3"),
    ],
)
def test_an_id_or_alias_finds_its_device_however_it_is_separated(name: str, expected: str) -> None:
    assert resolve_accelerator(catalogue(), name).id == expected


@pytest.mark.parametrize(
    ("name", "choices"), [("H100", ("h100-sxm", "h100-pcie")), ("910B", ("ascend-910b2", "ascend-910b3"))]
)
def test_an_ambiguous_name_asks_which_device_is_meant(name: str, choices: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="may mean several devices") as raised:
        resolve_accelerator(catalogue(), name, key="claims")
    (fault,) = raised.value.faults
    assert fault.key == "claims"
    assert all(choice in fault.why and choice in fault.cure for choice in choices)


def test_the_choices_are_told_apart_by_their_dense_peak() -> None:
    with pytest.raises(InputError) as raised:
        resolve_accelerator(catalogue(), "H100")
    assert "989 TFLOPS bf16 dense" in raised.value.faults[0].why


def test_an_unknown_name_is_never_replaced_but_the_nearest_is_offered() -> None:
    with pytest.raises(InputError, match="not among the accelerators") as raised:
        resolve_accelerator(catalogue(), "h100-sxmm")
    assert raised.value.faults[0].cure == 'did you mean "h100-sxm"?'


def test_every_id_of_the_catalogue_means_itself() -> None:
    known = catalogue()
    assert [resolve_accelerator(known, one.id) for one in known.all(Accelerator)] == list(
        known.all(Accelerator)
    )


@pytest.mark.parametrize(("name", "number"), [("910B", 5), ("h100-sxm", 1), ("nothing-like-it", 0)])
def test_every_device_that_a_name_may_mean_is_listed(name: str, number: int) -> None:
    meant = [one.id for one in accelerators_meant(catalogue(), name)]
    assert len(meant) == number
    assert all(one.startswith("ascend-910b") for one in meant if number > 1)
