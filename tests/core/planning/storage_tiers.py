"""A tier of a storage plan, for tests that know that it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.planning.results import StoragePlan
    from suanli.planning.storage_results import StorageTier, TierKind

__all__ = ["tier_of"]


def tier_of(plan: StoragePlan, kind: TierKind) -> StorageTier:
    """Return the tier of a kind."""
    return next(tier for tier in plan.tiers if tier.kind is kind)
