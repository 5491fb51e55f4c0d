"""Lengths of tasks that no project file states, each shown as an assumption."""

from __future__ import annotations

from typing import Final

from suanli.domain.record import Text
from suanli.domain.workload import Assumption

__all__ = ["DELIVERY_ASSUMPTIONS", "INSTALLATION_DAYS", "TRIAL_RUN_DAYS"]

INSTALLATION_DAYS: Final = 15
"""Days of installation, cabling, commissioning and tests before the burn-in."""
TRIAL_RUN_DAYS: Final = 30
"""Days of the trial run between preliminary and final acceptance."""

DELIVERY_ASSUMPTIONS: Final = (
    Assumption(
        "planning.installation-days",
        f"{INSTALLATION_DAYS} days",
        Text(
            zh="设备安装、布线、联调与单项测试按 15 天计（估计）；以投标承诺为准。",
            en="15 days for installation, cabling, commissioning and single tests (an estimate); the bid's "
            "commitment takes its place.",
        ),
    ),
    Assumption(
        "planning.trial-run",
        f"{TRIAL_RUN_DAYS} days",
        Text(
            zh="初验至终验之间试运行 30 天（估计）；由合同约定。",
            en="A trial run of 30 days between preliminary and final acceptance (an estimate); the "
            "contract decides.",
        ),
    ),
)
