"""Records of hardware and models refuse shapes that contradict themselves."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from tests.factories import server

from suanli.domain.architecture import Architecture, MixtureOfExperts
from suanli.domain.hardware import NicRole, Server

SHAPE: dict[str, object] = {
    "layers": 2,
    "hidden_size": 64,
    "ffn_hidden_size": 128,
    "attention_heads": 8,
    "kv_heads": 2,
    "head_dim": 8,
    "vocab_size": 100,
}


@pytest.mark.parametrize(("top_k", "good"), [(1, True), (8, True), (9, False)])
def test_a_token_cannot_visit_more_experts_than_there_are(top_k: int, good: bool) -> None:  # noqa: FBT001
    if good:
        assert MixtureOfExperts(experts=8, top_k=top_k, expert_ffn_hidden_size=16).top_k == top_k
        return
    with pytest.raises(ValidationError, match="top_k 9 is above the number of experts 8"):
        MixtureOfExperts(experts=8, top_k=top_k, expert_ffn_hidden_size=16)


@pytest.mark.parametrize("kv_heads", [1, 2, 4, 8])
def test_query_heads_share_key_heads_evenly(kv_heads: int) -> None:
    assert Architecture.model_validate(SHAPE | {"kv_heads": kv_heads}).kv_heads == kv_heads


@pytest.mark.parametrize("kv_heads", [3, 5, 16])
def test_heads_that_cannot_be_shared_evenly_are_refused(kv_heads: int) -> None:
    with pytest.raises(ValidationError):
        Architecture.model_validate(SHAPE | {"kv_heads": kv_heads})


@pytest.mark.parametrize("key", ["layers", "hidden_size", "attention_heads", "vocab_size"])
def test_a_size_is_at_least_one(key: str) -> None:
    with pytest.raises(ValidationError):
        Architecture.model_validate(SHAPE | {key: 0})


def boxed(count: int, domain: int) -> Server:
    fields = server().model_dump() | {"accelerator_count": count, "scale_up_domain": domain}
    return Server.model_validate(fields)


@pytest.mark.parametrize(("count", "domain"), [(8, 8), (8, 1), (8, 4), (4, 72), (16, 384)])
def test_a_fast_domain_is_a_part_or_a_multiple_of_a_server(count: int, domain: int) -> None:
    assert boxed(count, domain).scale_up_domain == domain


@pytest.mark.parametrize(("count", "domain"), [(8, 3), (8, 12), (16, 72)])
def test_a_domain_that_cuts_a_server_is_refused(count: int, domain: int) -> None:
    with pytest.raises(ValidationError, match=f"scale_up_domain {domain} does not fit"):
        boxed(count, domain)


def test_ports_of_another_role_say_nothing_of_the_compute_network() -> None:
    assert server().nic_bytes_per_s() == 8 * 50e9
    assert server().nic_bytes_per_s(NicRole.STORAGE) is None
