"""A headless browser for all tests, and the pages that they open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.browser.driver import Browser, binaries
from tests.reports.conftest import sample_proposal
from tests.reports.many_options import with_many_options

from suanli.proposal.contributions import RenderJob
from suanli_reports import html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from suanli.proposal.model import Proposal


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return one browser for all tests, with a profile of its own."""
    found = binaries()
    if found is None:
        pytest.fail("Chromium or its driver is missing: apt-get install chromium chromium-driver")
    with Browser(*found, tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def browser(chromium: Browser) -> Browser:
    """Return the browser as it is at the start: a desk's window, scripts on, screen, empty logs."""
    chromium.command("Emulation.setScriptExecutionDisabled", value=False)
    chromium.command("Emulation.setEmulatedMedia", media="screen")
    chromium.size(1280)
    chromium.requests()
    chromium.complaints()
    return chromium


def _written(folder: Path, name: str, proposal: Proposal, language: str) -> Path:
    path = folder / f"{name}.{language}.html"
    path.write_bytes(html.render(RenderJob(proposal=proposal, language=language)))
    return path


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the sample in each language, and one with 40 options in English, named ``many``."""
    folder = tmp_path_factory.mktemp("pages")
    sample = sample_proposal()
    found = {language: _written(folder, "few", sample, language) for language in ("zh", "en", "bilingual")}
    return {**found, "many": _written(folder, "many", with_many_options(sample), "en")}
