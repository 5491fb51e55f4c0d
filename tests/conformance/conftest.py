from __future__ import annotations

from tests.planting import greenhouse

__all__ = ["greenhouse"]
