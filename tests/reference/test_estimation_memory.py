"""Measured peaks of memory, and a verdict that follows from states alone."""

from __future__ import annotations

import pytest
from tests.core.estimation.estimation_cases import device, layout, model, problem, workload

from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.memory import memory
from suanli.estimation.recipes import MEGATRON_BF16_GRADIENTS, static_bytes_per_device


def test_thirty_two_devices_of_32_gigabytes_cannot_hold_the_states_of_seventy_billion() -> None:
    assert static_bytes_per_device(70e9, MEGATRON_BF16_GRADIENTS, 3, 32) > 29.5 * 2**30


@pytest.mark.parametrize(
    ("layers", "tp", "pp", "dp", "micro_batches", "peak_gb"),
    [
        # SimuMax B200 release v1.2, real Megatron-LM runs: 70B truncated to 12 layers
        (12, 1, 2, 4, 4, 71.458),
    ],
)
def test_measured_peaks_of_megatron_are_reproduced(  # noqa: PLR0913, PLR0917 - one argument a field
    layers: int, tp: int, pp: int, dp: int, micro_batches: int, peak_gb: float
) -> None:
    shape = model("llama-3-70b").model_copy(update={"layers": layers})
    posed = problem(device("b200", "dgx-b200", "megatron-core"), shape, workload())
    found = memory(posed, LayoutArrays.of(layout(tp=tp, pp=pp, dp=dp, micro_batches=micro_batches)))
    assert found.total[0] / 1e9 == pytest.approx(peak_gb, rel=0.05)
