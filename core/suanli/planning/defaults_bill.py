"""Figures behind support servers, services and the kit of spare parts, each shown as an assumption."""

from __future__ import annotations

from typing import Final

from suanli.planning.assumed import Row, assumptions_of

__all__ = [
    "CABLE_SPARE_SHARE",
    "DRIVE_SPARE_SHARE",
    "LOGIN_SERVERS",
    "MONITORING_SERVERS",
    "NODES_PER_LOGIN_SERVER",
    "NODES_PER_MONITORING_SERVER",
    "TRAINING_DAYS",
    "TRAINING_POSTS",
    "TRANSCEIVER_SPARE_SHARE",
    "bill_assumptions",
]

LOGIN_SERVERS: Final = 2
"""Login servers that survive the loss of one."""
NODES_PER_LOGIN_SERVER: Final = 128
"""Training servers whose users one further login server takes."""
MONITORING_SERVERS: Final = 2
"""Servers for metrics, logs and alarms that survive the loss of one."""
NODES_PER_MONITORING_SERVER: Final = 128
"""Training servers whose metrics and logs one further monitoring server takes."""
TRAINING_POSTS: Final = 4
"""Operators who are trained where the project states no posts."""
TRAINING_DAYS: Final = 5
"""Days of training for each of them."""
TRANSCEIVER_SPARE_SHARE: Final = 0.02
"""Spare transceivers over those installed."""
CABLE_SPARE_SHARE: Final = 0.02
"""Spare cables over those installed."""
DRIVE_SPARE_SHARE: Final = 0.03
"""Spare drives over those installed, whole ones."""

_ROWS: Final[tuple[Row, ...]] = (
    (
        "login-servers",
        f"{LOGIN_SERVERS} + 1/{NODES_PER_LOGIN_SERVER}",
        "登录服务器两台互备，超过 128 台训练服务器后每满 128 台增加一台。",
        "Two login servers stand in for each other; one more for every 128 training servers beyond 128.",
    ),
    (
        "monitoring-servers",
        f"{MONITORING_SERVERS} + 1/{NODES_PER_MONITORING_SERVER}",
        "监控与日志服务器两台互备，超过 128 台训练服务器后每满 128 台增加一台。",
        (
            "Two servers for metrics and logs stand in for each other; one more for every 128 training "
            "servers beyond 128."
        ),
    ),
    (
        "operator-training",
        f"{TRAINING_POSTS} x {TRAINING_DAYS} days",
        "运维培训每岗 5 天；项目未给出岗位数时按 4 岗计。",
        "Operators are trained for 5 days each, 4 of them where the project states no posts.",
    ),
    (
        "spare-parts-kit",
        f"{TRANSCEIVER_SPARE_SHARE:.0%} / {CABLE_SPARE_SHARE:.0%} / {DRIVE_SPARE_SHARE:.0%}",
        "首批备件：光模块与线缆各 2%，存储盘按块数 3%，均向上取整（估计），使故障件当天更换。",
        (
            "First kit of spares: 2 % of transceivers and cables, 3 % of drives, rounded up to whole parts "
            "(an estimate), so that a failed part is replaced the same day."
        ),
    ),
)

bill_assumptions: Final = assumptions_of(_ROWS)
"""Every default behind support servers, services and spare parts."""
