"""The table of options in a browser: sorted, filtered, compared, and repeated from its address."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driver import Browser

SHOWN = """
const rows = [...document.querySelectorAll('#explorer > .scroll tbody tr')].filter((row) => !row.hidden);
return rows.map((row) => row.querySelector('input.pick').value);
"""
COLUMN = """
const head = document.querySelector(`#explorer th[data-key="${arguments[0]}"]`);
return [...document.querySelectorAll('#explorer > .scroll tbody tr')]
  .map((row) => row.cells[head.cellIndex].dataset.v);
"""


def shown(browser: Browser) -> list[str]:
    """Return the keys of the options that are seen, in their order."""
    return list(browser.run(SHOWN))


def column(browser: Browser, key: str) -> list[str]:
    """Return the plain numbers of a column, from top to bottom."""
    return list(browser.run(COLUMN, key))


def click_head(browser: Browser, key: str) -> None:
    browser.one(f'#explorer th[data-key="{key}"] button').click()


def fragment(browser: Browser) -> str:
    return str(browser.run("return location.hash"))


def count(browser: Browser) -> str:
    return str(browser.run("return document.querySelector('#explorer-count').textContent"))


@pytest.mark.parametrize(
    "key", ["accelerators", "days", "mfu", "headroom", "capex", "tco", "energy", "verdict", "option"]
)
def test_a_column_of_figures_sorts_by_value_both_ways_with_unknowns_last(
    browser: Browser, pages: dict[str, Path], key: str
) -> None:
    browser.open(pages["many"])
    before = column(browser, key)
    known = sorted(float(value) for value in before if value)
    click_head(browser, key)
    up = column(browser, key)
    click_head(browser, key)
    down = column(browser, key)
    unknown = [""] * before.count("")
    assert [float(value) for value in up if value] == known
    assert [float(value) for value in down if value] == known[::-1]
    assert up[len(known) :] == down[len(known) :] == unknown
    click_head(browser, key)
    assert column(browser, key) == before


def test_what_is_equal_keeps_the_order_of_the_document(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["many"])
    order = {key: index for index, key in enumerate(shown(browser))}
    for _ in range(2):
        click_head(browser, "days")
        pairs = list(zip(column(browser, "days"), shown(browser), strict=True))
        ties = [(a, b) for a, b in pairwise(pairs) if a[0] == b[0]]
        assert len(ties) > 10
        assert all(order[a[1]] < order[b[1]] for a, b in ties)


def test_the_sorted_column_says_so_and_no_other_does(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["en"])
    said = """return [...document.querySelectorAll('#explorer th[aria-sort]')]
        .map((head) => `${head.dataset.key} ${head.ariaSort}`)"""
    assert browser.run(said) == []
    click_head(browser, "tco")
    assert browser.run(said) == ["tco ascending"]
    click_head(browser, "tco")
    assert browser.run(said) == ["tco descending"]
    click_head(browser, "maker")
    assert browser.run(said) == ["maker ascending"]


def test_the_table_sorts_by_keyboard_alone_and_keeps_the_focus(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["en"])
    browser.run("document.querySelector('#explorer-reset').focus()")
    focused = "return document.activeElement.closest('th')?.dataset.key ?? ''"
    for _ in range(8):
        browser.press("Tab")
        if browser.run(focused) == "verdict":
            break
    browser.press("Enter")
    assert fragment(browser) == "#options?sort=verdict"
    assert browser.run(focused) == "verdict"
    browser.press("Space")
    assert fragment(browser) == "#options?sort=verdict&dir=desc"


def test_filters_leave_what_fits_and_the_count_is_told(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["en"])
    everything = shown(browser)
    assert len(everything) == 4
    assert count(browser) == "4 of 4 options shown"
    browser.one('input[name="verdict"][value="recommended"]').click()
    assert shown(browser) == ["A"]
    assert count(browser) == "1 of 4 options shown"
    browser.one('input[name="verdict"][value="alternate"]').click()
    assert shown(browser) == ["A", "B"]
    assert browser.run("return document.querySelector('#explorer-count').ariaLive") == "polite"
    browser.one("#explorer-reset").click()
    assert shown(browser) == everything
    assert fragment(browser) == "#options"


@pytest.mark.parametrize("facet", ["vendor", "delivery"])
def test_a_box_shows_its_options_and_no_others(browser: Browser, pages: dict[str, Path], facet: str) -> None:
    browser.open(pages["many"])
    box = browser.run(
        f"const box = document.querySelector('input[name={facet}]'); box.click(); return box.value"
    )
    kinds = f"""return [...document.querySelectorAll('#explorer > .scroll tbody tr')]
        .map((row) => [row.dataset.{facet}, row.hidden])"""
    found = browser.run(kinds)
    assert {hidden for kind, hidden in found if kind == box} == {False}
    assert {hidden for kind, hidden in found if kind != box} == {True}


def test_a_limit_compares_with_the_figure_that_is_read(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["many"])
    values = dict(zip(shown(browser), column(browser, "tco"), strict=True))
    limit = min(float(value) for value in values.values() if value)
    browser.one("#explorer-tco").type(f"{limit}")
    kept = [key for key, value in values.items() if value and float(value) <= limit]
    assert shown(browser) == kept
    unknown = sum(not value for value in values.values())
    assert count(browser) == (
        f"{len(kept)} of 40 options shown; {unknown} left out because a figure is unknown"
    )


def test_a_search_finds_every_word_of_it(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["many"])
    browser.one("#explorer-q").type("NO. 17")
    assert shown(browser) == ["Q"]


def test_an_address_repeats_the_whole_state(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["many"])
    browser.one("#explorer-q").type("no.")
    browser.one("#explorer-days").type("130")
    browser.one('input[name="verdict"][value="alternate"]').click()
    click_head(browser, "days")
    click_head(browser, "days")
    for key in shown(browser)[:2]:
        browser.one(f'input.pick[value="{key}"]').click()
    state = [fragment(browser), shown(browser), count(browser)]
    compared = browser.one("#compare").text
    browser.open(pages["many"], str(state[0]))
    assert [fragment(browser), shown(browser), count(browser)] == state
    assert browser.one("#compare").text == compared
    assert len(state[1]) > 3


def test_an_address_with_nonsense_shows_everything(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["en"], "#options?sort=moon&vendor=acme&days=soon&compare=Z,%3Cb%3E&q=")
    assert len(shown(browser)) == 4
    assert browser.complaints() == []


def test_options_side_by_side_mark_what_differs_and_can_hide_the_rest(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["en"])
    rows = """return [...document.querySelectorAll('.compared tbody tr')]
        .map((row) => [row.hidden, row.classList.contains('differs'), ...[...row.cells].slice(1)
        .map((cell) => { cell = cell.cloneNode(true); cell.querySelectorAll('sup').forEach((s) => s.remove());
        return cell.textContent.trim(); })])"""
    browser.one('input.pick[value="A"]').click()
    assert browser.run("return document.querySelector('#compare').hidden") is True
    browser.one('input.pick[value="B"]').click()
    found = browser.run(rows)
    assert len(found) > 20
    assert all(differs == (a != b) for _, differs, a, b in found)
    assert not any(hidden for hidden, *_ in found)
    browser.one("#compare-only").click()
    assert all(hidden != differs for hidden, differs, *_ in browser.run(rows))
    browser.one('input.pick[value="C"]').click()
    assert browser.run("return document.querySelectorAll('input.pick:disabled').length") == 1


def test_options_of_different_tables_stand_side_by_side(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["many"], "#options?compare=A,AN")
    heads = "return [...document.querySelectorAll('.compared thead th')].map((head) => head.textContent)"
    first, second = browser.run(heads)
    assert first.startswith("A\N{EN SPACE}")
    assert second.startswith("AN\N{EN SPACE}")
