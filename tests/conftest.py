"""What every test shares: the path to the test factories, and one deterministic profile for properties.

Importlib mode leaves the repository off the path. Properties run without a deadline and with fixed examples,
so that a slow or busy machine gives the same answer as a fast one; ``--hypothesis-profile=search`` looks for
new examples.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

_ROOT = str(Path(__file__).parents[1])
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)

settings.register_profile(
    "fixed", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("fixed")
