"""Forms of server of one device: only those that the catalogue has."""

from __future__ import annotations

from tests.core.built_in import host, proposal
from tests.factories import catalogue, server

from suanli.domain.hardware import Server
from suanli.planning.expansion.forms import other_servers


def form(record_id: str, count: int, domain: int, accelerator: str = "acme-x1", *siblings: str) -> Server:
    return server(record_id).model_copy(
        update={
            "accelerator": accelerator,
            "accelerator_count": count,
            "scale_up_domain": domain,
            "sibling_accelerators": siblings,
        }
    )


def test_other_forms_are_those_of_another_size_or_domain_the_smaller_first() -> None:
    chosen = form("box", 8, 8)
    records = catalogue(
        chosen, form("twin", 8, 8), form("rack", 64, 64), form("pod", 64, 8), form("other", 4, 4, "acme-y")
    )

    assert [one.id for one in other_servers(records, chosen, "acme-x1")] == ["pod", "rack"]


def test_a_server_that_is_sold_with_the_device_as_a_sibling_counts_and_its_own_comes_first() -> None:
    chosen = form("box", 8, 8)
    records = catalogue(chosen, form("a-rack", 64, 64, "acme-y", "acme-x1"), form("b-rack", 64, 64))

    assert [one.id for one in other_servers(records, chosen, "acme-x1")] == ["b-rack"]


def test_a_device_in_one_form_has_no_other() -> None:
    chosen = form("box", 8, 8)

    assert other_servers(catalogue(chosen), chosen, "acme-x1") == ()


def test_every_form_of_the_examples_is_a_server_of_the_catalogue() -> None:
    known = {one.name.en: one for one in host().catalogue.all(Server)}
    for name in ("pretrain-70b", "base-405b"):
        expansion = proposal(name).options[0].expansion
        assert expansion is not None
        assert [one.chosen for one in expansion.forms] == [True] + [False] * (len(expansion.forms) - 1)
        for one in expansion.forms:
            server_record = known[one.server.en]
            assert (one.per_server, one.domain) == (
                server_record.accelerator_count,
                server_record.scale_up_domain,
            )
            assert one.bought == (one.servers + one.spare_servers) * one.per_server


def test_the_same_number_of_accelerators_works_on_every_form() -> None:
    option = proposal("pretrain-70b").options[0]
    assert option.expansion is not None
    assert option.accelerators is not None
    for one in option.expansion.forms:
        assert not one.other_device
        assert (one.servers - 1) * one.per_server < option.accelerators <= one.servers * one.per_server


def test_a_device_in_one_form_is_not_compared_with_invented_hardware() -> None:
    expansion = proposal("lora-13b").options[0].expansion

    assert expansion is not None
    assert len(expansion.forms) == 1
