"""The page as a whole in a browser: quiet, offline, readable on a phone, on paper and without scripts."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import pikepdf
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driver import Browser

PAGES = ["zh", "en", "bilingual", "many"]
WIDER = """
const seen = (element) => element.offsetParent !== null && !element.closest('.scroll, .unseen, .skip');
return [...document.querySelectorAll('body *')]
  .filter((element) => seen(element) && element.getBoundingClientRect().right > innerWidth + 1)
  .map((element) => `${element.tagName}.${element.className} ${element.textContent.slice(0, 40)}`);
"""


@pytest.mark.parametrize("name", PAGES)
def test_the_page_says_nothing_to_the_console_and_asks_for_itself_only(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    browser.open(pages[name])
    browser.run("window.scrollTo(0, document.body.scrollHeight)")
    browser.run("document.querySelectorAll('#explorer th button').forEach((button) => button.click())")
    assert browser.complaints() == []
    asked = [address for address in browser.requests() if address != "about:blank"]
    assert asked == [pages[name].as_uri()]


def test_a_script_that_gets_into_the_page_does_not_run(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    planted = tmp_path / "planted.html"
    text = pages["en"].read_text(encoding="utf-8")
    planted.write_text(text.replace("<main>", "<main><script>window.planted = 1</script>"), encoding="utf-8")
    browser.open(planted)
    assert browser.run("return window.planted ?? null") is None
    assert any("Content Security Policy" in message for message in browser.complaints())
    assert browser.run("return document.querySelectorAll('button.sort').length") > 5


@pytest.mark.parametrize("width", [360, 640])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_reaches_beyond_a_narrow_screen(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    browser.size(width)
    browser.open(pages[name], "#options?compare=A,B")
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run(WIDER) == []


def test_without_scripts_all_options_and_no_controls_are_seen(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(pages["many"])
    browser.command("Emulation.setScriptExecutionDisabled", value=False)
    seen = """return [...document.querySelectorAll(arguments[0])]
        .filter((element) => element.offsetParent !== null).length"""
    assert browser.run("return document.documentElement.className") == ""
    assert browser.run(seen, "#explorer tbody tr") == 40
    assert browser.run(seen, "button, input, select") == 0
    assert browser.run(seen, ".contents a") > 80
    assert browser.run(seen, "section.chapter > h1") > 20


def test_on_paper_all_options_return_in_their_order_and_no_controls_are_seen(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["many"], "#options?sort=days&dir=desc&verdict=recommended")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    browser.command("Emulation.setEmulatedMedia", media="print")
    seen = """return [...document.querySelectorAll(arguments[0])]
        .filter((element) => element.offsetParent !== null).length"""
    assert browser.run(seen, "#explorer tbody tr") == 40
    assert browser.run(seen, "button:not(.sort), input") == 0
    first = "return document.querySelector('#explorer tbody tr').dataset.verdict"
    assert browser.run(first) == "recommended"
    browser.command("Emulation.setEmulatedMedia", media="screen")
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(seen, "#explorer tbody tr") == 1


@pytest.mark.parametrize("name", PAGES)
def test_a_printed_page_keeps_its_text_inside_the_paper(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    browser.open(pages[name])
    printed: dict[str, Any] = browser.command("Page.printToPDF", preferCSSPageSize=True)
    # A4 less its margins, in pixels of the page.
    browser.size(673)
    browser.command("Emulation.setEmulatedMedia", media="print")
    assert browser.run("return document.documentElement.scrollWidth") <= 673
    with pikepdf.open(io.BytesIO(base64.b64decode(printed["data"]))) as document:
        assert len(document.pages) > 20
        assert {round(float(page.mediabox[2])) for page in document.pages} <= {594, 595, 596}


def test_the_contents_mark_the_chapter_that_is_read(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["en"])
    for chapter in ("network", "glossary", "summary"):
        browser.run("document.getElementById(arguments[0]).scrollIntoView()", chapter)
        marked = browser.post(
            "execute/async",
            {
                "script": "setTimeout(() => arguments[0]([...document.querySelectorAll('[aria-current]')]"
                ".map((link) => link.hash)), 150)",
                "args": [],
            },
        )
        assert marked == [f"#{chapter}"]


def test_a_reference_key_shows_its_entry_on_hover_and_on_focus(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["en"])
    state = "const card = document.querySelector('#source-card'); return card.hidden ? '' : card.textContent"
    key = 'sup.ref a[href^="#ref-S"]'
    browser.hover(browser.one(key))
    title = "return document.querySelector(document.querySelector(arguments[0]).hash).cells[1].textContent"
    entry = browser.run(title, key)
    assert entry in browser.run(state)
    browser.press("Escape")
    assert browser.run(state) == ""
    browser.run("document.querySelector(arguments[0]).focus()", key)
    assert entry in browser.run(state)
    assert browser.run("return document.querySelector(arguments[0]).ariaDescribedByElements.length", key) == 1


def test_a_table_is_copied_as_text_with_tabs(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["en"])
    # The clipboard of a page without a window is closed: what the page hands over is caught instead.
    browser.run(
        "navigator.clipboard.writeText = (text) => { window.taken = text; return Promise.resolve(); }"
    )
    browser.one("#explorer .copy").click()
    lines = browser.run("return window.taken").split("\n")
    assert len(lines) == 5
    assert {line.count("\t") for line in lines} == {11}
    assert lines[1].startswith("A\N{EN SPACE}") or lines[1].startswith("A ")
    assert browser.one("#explorer .copy").text == "Copied"


def test_a_copied_text_cannot_start_a_formula(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["en"])
    browser.run(
        "navigator.clipboard.writeText = (text) => { window.taken = text; return Promise.resolve(); }"
    )
    browser.run("document.querySelector('#explorer tbody tr').cells[1].textContent = arguments[0]", "=1+1")
    browser.one("#explorer .copy").click()
    assert browser.run("return window.taken").split("\n")[1].startswith("'=1+1\t")


@pytest.mark.parametrize("name", ["zh", "en", "bilingual"])
def test_everything_that_takes_the_focus_has_a_name(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    browser.size(360)
    browser.open(pages[name])
    nameless = """
    const name = (element) => element.ariaLabel || element.textContent.trim()
      || [...(element.labels ?? [])].map((label) => label.textContent.trim()).join(' ');
    return [...document.querySelectorAll('a, button, input, [tabindex="0"]')]
      .filter((element) => !name(element)).map((element) => element.outerHTML.slice(0, 80));
    """
    assert browser.run(nameless) == []
