"""The Huawei Ascend plugin: every record of the data files beside this module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.plugin import Record, hookimpl, load_records

if TYPE_CHECKING:
    from collections.abc import Iterable

API_VERSION = 1


@hookimpl
def suanli_records() -> Iterable[Record]:
    """Yield every record of the data files."""
    yield from load_records("suanli_ascend")
