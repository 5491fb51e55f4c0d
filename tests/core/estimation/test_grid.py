from __future__ import annotations

import numpy as np
import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, h100, problem, workload

from suanli.domain.workload import LayoutPins
from suanli.estimation.grid import frames, states_of
from suanli.estimation.space import FULL, state_options


@pytest.mark.parametrize("stack", ["megatron-core", "pytorch-fsdp"])
@pytest.mark.parametrize("devices", [13, 24, 64])
def test_a_group_of_shards_has_a_whole_number_of_ranks(stack: str, devices: int) -> None:
    posed = problem(h100(stack), LLAMA2_7B, workload())
    found = frames(posed, devices, LayoutPins(tp=1, pp=1), FULL, {})
    placed = states_of(posed, found, state_options(posed, FULL, LayoutPins(), offload=False))
    split = placed.exists & np.isfinite(placed.group)
    assert split.any()
    assert np.array_equal(placed.group[split], np.floor(placed.group[split]))
    # Thirteen ranks cannot be split into equal groups of two and more.
    assert not split[:, found.dp * found.cp == 13].any()
