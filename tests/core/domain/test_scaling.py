from __future__ import annotations

import pytest

from suanli.domain.scaling import architecture_from_parameters
from suanli.domain.transformer import count_parameters
from suanli.errors import InputError


@pytest.mark.parametrize("count", [0.5e9, 1e9, 3e9, 7e9, 13e9, 34e9, 70e9, 72e9, 130e9, 175e9, 405e9, 1e12])
def test_the_assumed_shape_has_the_stated_count_within_one_percent(count: float) -> None:
    assert count_parameters(architecture_from_parameters(count)).total == pytest.approx(count, rel=0.01)


def test_seventy_billion_parameters_look_like_llama_70b() -> None:
    shape = architecture_from_parameters(70e9)
    assert (shape.layers, shape.hidden_size, shape.attention_heads, shape.kv_heads) == (80, 8192, 64, 8)


@pytest.mark.parametrize("count", [7e9, 13e9, 70e9, 405e9])
def test_heads_of_large_shapes_allow_tensor_parallelism_of_eight(count: float) -> None:
    assert architecture_from_parameters(count).attention_heads % 8 == 0


@pytest.mark.parametrize("count", [70.0, 1e6, 1e15])
def test_counts_outside_the_family_are_refused(count: float) -> None:
    with pytest.raises(InputError, match="parameters"):
        architecture_from_parameters(count)
