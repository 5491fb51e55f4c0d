"""Puts the repository on the path, which importlib mode leaves off, so that tests share `tests.factories`."""

from __future__ import annotations

import sys
from pathlib import Path

_ROOT = str(Path(__file__).parents[1])
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)
