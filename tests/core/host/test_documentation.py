"""Every hook is documented and tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from suanli.host.hookspecs import HOOKS, HookSpecs

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
TESTS = (Path(__file__).parent / "test_hooks.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_chapter_in_the_guide(hook: str) -> None:
    assert f"### `{hook}()`" in GUIDE


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_test_named_after_it(hook: str) -> None:
    assert f"def test_{hook}_" in TESTS


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_says_what_it_yields_with_an_example(hook: str) -> None:
    text = getattr(HookSpecs, hook).__doc__ or ""
    assert text.startswith("Yield ")
    assert f"def {hook}():" in text


def test_the_guide_names_no_hook_that_does_not_exist() -> None:
    named = set(
        re.findall(r"\bsuanli_(?:records|scenarios|renderers|cost_lines|sections|[a-z_]+)\(\)", GUIDE)
    )
    assert named == {f"{hook}()" for hook in HOOKS}
