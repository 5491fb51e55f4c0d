"""Regions: the country of a place, and the wider places whose figures may stand in for its own."""

from __future__ import annotations

from typing import Final

__all__ = ["country", "region_chain"]

# fmt: off
_EUROPEAN_UNION: Final = frozenset((
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU",
    "IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
))
# fmt: on
"""ISO 3166-1 codes of the members."""


def country(region: str) -> str:
    """Return the ISO 3166-1 country of a region code.

    >>> country("CN-GZ"), country("DE")
    ('CN', 'DE')
    """
    return region.partition("-")[0]


def region_chain(region: str) -> tuple[str, ...]:
    """Return a region and those that stand in for it: its country, and the European Union for members.

    >>> region_chain("CN-GZ"), region_chain("DE")
    (('CN-GZ', 'CN'), ('DE', 'EU'))
    """
    home = country(region)
    union = ("EU",) if home in _EUROPEAN_UNION else ()
    return tuple(dict.fromkeys((region, home, *union)))
