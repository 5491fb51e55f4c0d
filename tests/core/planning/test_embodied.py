"""Embodied carbon of a server is what a document states, or unknown."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from tests.core.built_in import host
from tests.factories import accelerator, server

from suanli.domain.embodied import EmbodiedCarbon, EmbodiedScope
from suanli.domain.figure import Check, Confidence, Grade, KgCo2e
from suanli.domain.hardware import Accelerator, Server
from suanli.planning.embodied import server_embodied_kg


def embodied(value: float, scope: EmbodiedScope, devices: int = 1, **fields: Any) -> EmbodiedCarbon:  # noqa: ANN401
    figure = KgCo2e(
        value=value,
        unit="kgCO2e",
        source="pcf",
        confidence=Confidence.DATASHEET,
        check=Check.DIRECT,
        **fields,
    )
    return EmbodiedCarbon(carbon=figure, scope=scope, devices=devices)


def chip(carbon: EmbodiedCarbon | None) -> Accelerator:
    return accelerator().model_copy(update={"embodied_carbon": carbon})


def box(carbon: EmbodiedCarbon | None = None, count: int = 8) -> Server:
    update = {"embodied_carbon": carbon, "accelerator_count": count, "scale_up_domain": count}
    return server().model_copy(update=update)


def test_nothing_is_known_where_no_document_says_anything() -> None:
    assert server_embodied_kg(box(), chip(None)) is None


def test_devices_are_counted_one_by_one() -> None:
    found = server_embodied_kg(box(), chip(embodied(127.6, EmbodiedScope.DEVICE)))

    assert found is not None
    assert found.kg == pytest.approx(1020.8)
    assert not found.whole
    assert found.refs == ("pcf",)
    assert found.grade is Grade.DIRECT
    assert "lower bound" in found.covers.en
    assert "下限" in found.covers.zh


@pytest.mark.parametrize(("count", "kg"), [(8, 1312), (16, 2624), (4, None), (12, None)])
def test_a_board_is_counted_whole_or_not_at_all(count: int, kg: float | None) -> None:
    found = server_embodied_kg(box(count=count), chip(embodied(1312, EmbodiedScope.BASEBOARD, 8)))

    assert (None if found is None else found.kg) == kg


def test_the_server_s_own_figure_comes_first() -> None:
    whole = box(embodied(4000, EmbodiedScope.SERVER, 8))
    found = server_embodied_kg(whole, chip(embodied(127.6, EmbodiedScope.DEVICE)))

    assert found is not None
    assert found.kg == 4000
    assert found.whole


def test_a_server_s_figure_does_not_hold_for_another_device_in_it() -> None:
    whole = box(embodied(4000, EmbodiedScope.SERVER, 8))
    other = accelerator("acme-x2").model_copy(update={"embodied_carbon": None})

    assert server_embodied_kg(whole, other) is None


def test_a_refuted_figure_is_no_figure() -> None:
    assert server_embodied_kg(box(), chip(embodied(1, EmbodiedScope.DEVICE, barred=True))) is None


@pytest.mark.parametrize(
    ("record", "carbon", "words"),
    [
        (accelerator(), embodied(4000, EmbodiedScope.SERVER, 8), "belongs to the server"),
        (server(), embodied(1312, EmbodiedScope.BASEBOARD, 8), "belongs to the accelerator"),
        (server(), embodied(4000, EmbodiedScope.SERVER, 3), "3 devices"),
    ],
)
def test_a_figure_in_the_wrong_place_is_refused(
    record: Accelerator | Server, carbon: EmbodiedCarbon, words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        type(record).model_validate({**record.model_dump(), "embodied_carbon": carbon.model_dump()})


@pytest.mark.parametrize(
    ("box_id", "device", "kg"),
    [("dgx-h100", "h100-sxm", 1312), ("dgx-b200", "b200", 2274), ("dgx-a100", "a100-40-sxm", 1020.8)],
)
def test_servers_of_the_catalogue_have_the_boards_of_their_devices(
    box_id: str, device: str, kg: float
) -> None:
    catalogue = host().catalogue
    found = server_embodied_kg(catalogue.get(Server, box_id), catalogue.get(Accelerator, device))

    assert found is not None
    assert found.kg == pytest.approx(kg)
    assert found.grade is Grade.SECONDARY


@pytest.mark.parametrize(
    ("box_id", "device"),
    [("atlas-800t-a2", "ascend-910b2"), ("dgx-h200", "h200-sxm"), ("dgx-a100", "a100-80-sxm")],
)
def test_nothing_is_borrowed_from_a_relative(box_id: str, device: str) -> None:
    catalogue = host().catalogue
    assert server_embodied_kg(catalogue.get(Server, box_id), catalogue.get(Accelerator, device)) is None
