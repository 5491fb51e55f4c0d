from __future__ import annotations

import pytest
from tests.core.calibration.calibration_cases import selection

from suanli.calibration.outcome import Calibrated, calibrate


@pytest.fixture(scope="session")
def calibrated() -> Calibrated:
    """Return the calibration on all runs of the repository, made once."""
    chosen = selection()
    return calibrate(chosen.runs, chosen.memory)
