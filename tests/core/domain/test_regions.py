"""Where the figures of a place are looked for."""

from __future__ import annotations

import pytest

from suanli.domain.regions import country, region_chain


@pytest.mark.parametrize(
    ("region", "home"), [("CN-GZ", "CN"), ("CN", "CN"), ("US-CA", "US"), ("SG", "SG"), ("", "")]
)
def test_a_region_lies_in_a_country(region: str, home: str) -> None:
    assert country(region) == home


@pytest.mark.parametrize(
    ("region", "chain"),
    [
        ("CN-NM", ("CN-NM", "CN")),
        ("CN", ("CN",)),
        ("DE-BE", ("DE-BE", "DE", "EU")),
        ("FR", ("FR", "EU")),
        ("NO", ("NO",)),  # not a member
        ("GB", ("GB",)),  # no longer one
        ("CH", ("CH",)),
    ],
)
def test_the_nearest_place_comes_first_and_members_fall_back_on_the_union(
    region: str, chain: tuple[str, ...]
) -> None:
    assert region_chain(region) == chain
