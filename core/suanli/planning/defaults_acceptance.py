"""Figures that acceptance needs and project files do not ask for, each shown as an assumption."""

from __future__ import annotations

from typing import Final

from suanli.domain.record import Text
from suanli.domain.workload import Assumption
from suanli.planning.acceptance.burn_in import BUYER_RISK, SELLER_RISK

__all__ = ["ACCEPTANCE_ASSUMPTIONS", "GEMM_SIDE", "REPEATS", "TOLERANCE", "UNHEALTHY_SHARE"]

TOLERANCE: Final = 0.05
"""Share below a figure of the plan at which a test still passes."""
UNHEALTHY_SHARE: Final = 0.6
"""Share of the expected bus bandwidth below which a fabric is faulty rather than slow."""
REPEATS: Final = 3
"""Runs of a bandwidth test, of which the worst counts."""
GEMM_SIDE: Final = 8192
"""Rows and columns of the matrices of the single-device test."""

ACCEPTANCE_ASSUMPTIONS: Final = (
    Assumption(
        "acceptance.tolerance",
        f"{TOLERANCE:.0%}",
        Text(
            zh="带宽测试三次取最低值，较方案数值低于此比例以内判为合格",
            en="worst of three bandwidth runs; a result within this share below the plan's figure passes",
        ),
    ),
    Assumption(
        "acceptance.unhealthy",
        f"{UNHEALTHY_SHARE:.0%}",
        Text(
            zh="低于预期总线带宽的此比例判为网络故障，先排障再测；公开案例中 6 节点实测不足预期六成",
            en="below this share of the expected bus bandwidth the fabric is faulty and is repaired first; a "
            "published case of six nodes measured less than six tenths",
        ),
    ),
    Assumption(
        "acceptance.risks",
        f"{SELLER_RISK:.0%} / {BUYER_RISK:.0%}",
        Text(
            zh="烤机判定的供方风险与需方风险：合格集群被拒、不合格集群被收的概率",
            en="risks of seller and buyer in the burn-in: a good cluster rejected, a bad one accepted",
        ),
    ),
)
