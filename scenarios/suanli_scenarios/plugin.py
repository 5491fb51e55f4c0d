"""The plugin of the built-in scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.plugin import hookimpl
from suanli_scenarios import base, lora, pretrain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.plugin import Scenario

API_VERSION = 1


@hookimpl
def suanli_scenarios() -> Iterable[Scenario]:
    """Yield the three kinds of training project."""
    yield lora.SCENARIO
    yield pretrain.SCENARIO
    yield base.SCENARIO
