"""The page on expansion states what the code computes, and its arithmetic is right."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

import pytest
from tests.docs.page_checks import broken_links, differences, incomplete_formulas, wrong_lines
from tests.docs.worked_examples import DOCS, Example, chapters_of, examples_of

from suanli.planning.defaults_expansion import EARLY_SWITCH_PORT_SHARE, EXPANSION_FACTORS
from suanli.planning.expansion.growth import scaling_efficiency
from suanli.planning.expansion.results import Change, Kind, Pod, Wiring
from suanli.planning.expansion.wiring import built_out, changes, kept_links

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PAGE: Final = DOCS / "planning" / "expansion.md"
EXAMPLES: Final = {one.name: one for one in examples_of(PAGE)}

SMALL: Final = Wiring(2, (Pod(16, 8),), 0, 64, 32, 32, 512)
LARGE: Final = Wiring(2, (Pod(32, 16),), 0, 64, 32, 32, 1024)


def change(before: Wiring, after: Wiring, kind: Kind) -> Change:
    return next(one for one in changes(before, after, (64, 128)) if one.kind is kind)


def _efficiency() -> dict[str, float]:
    return {"efficiency": scaling_efficiency(100.0, 60.0, 8, 16)}


def _links() -> dict[str, float]:
    found = change(SMALL, LARGE, Kind.LEAF_SPINE_LINKS)
    assert found.kept == kept_links(16 * 8, Fraction(4), Fraction(2))
    return {"kept": found.kept, "moved": found.moved, "added": found.added}


def _hosts() -> dict[str, float]:
    alone = Wiring(1, (Pod(1, 0),), 0, 64, 64, 0, 64)
    found = change(alone, Wiring(2, (Pod(4, 2),), 0, 64, 32, 32, 128), Kind.HOST_CABLES)
    return {"kept": found.kept, "moved": found.moved, "added": found.added}


def _worth() -> dict[str, float]:
    early = built_out(LARGE, SMALL.host_cables)
    moved = change(SMALL, LARGE, Kind.LEAF_SPINE_LINKS).moved
    on_path = change(early, LARGE, Kind.LEAF_SPINE_LINKS).moved
    extra = early.switches - SMALL.switches
    return {
        "early": extra,
        "spared": moved - on_path,
        "each": (moved - on_path) / extra,
        "least": EARLY_SWITCH_PORT_SHARE * LARGE.radix,
    }


COMPUTED: Final[Mapping[str, Callable[[], dict[str, float]]]] = {
    "scaling-efficiency": _efficiency,
    "links-that-stay": _links,
    "host-cables-that-stay": _hosts,
    "worth-of-a-switch": _worth,
}


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_every_line_of_an_example_is_what_its_arithmetic_gives(example: Example) -> None:
    assert wrong_lines(example) == {}


@pytest.mark.parametrize("name", COMPUTED)
def test_an_example_is_what_the_code_computes(name: str) -> None:
    assert differences(EXAMPLES[name], COMPUTED[name]()) == {}


def test_every_example_is_compared_with_the_code() -> None:
    assert sorted(EXAMPLES) == sorted(COMPUTED)


def test_every_formula_has_its_parts_and_one_example() -> None:
    assert incomplete_formulas(PAGE) == []
    assert len(chapters_of(PAGE)) == len(EXAMPLES)


def test_the_page_names_the_default_sizes_and_the_stated_share() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert "without it they are " + " and ".join(f"{factor}x" for factor in EXPANSION_FACTORS) in text
    assert f"f the stated share, {EARLY_SWITCH_PORT_SHARE:g}." in text


def test_every_link_of_the_page_leads_somewhere() -> None:
    assert broken_links(PAGE) == []
