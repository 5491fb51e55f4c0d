"""The built-in plugins pass the suite that a stranger's plugin is held to."""

from __future__ import annotations

import pytest

from suanli.testing import BoundCheck, conformance_checks

BUILT_IN = ("amd", "ascend", "common", "nvidia", "reports", "scenarios")


@pytest.mark.parametrize("check", [check for name in BUILT_IN for check in conformance_checks(name)], ids=str)
def test_built_in_plugin(check: BoundCheck) -> None:
    check()
