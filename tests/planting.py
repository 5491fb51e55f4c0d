"""Plants real distributions with an entry point, so that the host meets plugins as it meets a stranger's."""

from __future__ import annotations

import importlib
import sys
import textwrap
from dataclasses import dataclass, field
from importlib.metadata import distributions
from typing import TYPE_CHECKING

import pytest

from suanli.host.hookspecs import ENTRY_POINT_GROUP
from suanli.host.loader import load_host

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint
    from pathlib import Path

    from suanli.host.host import Host

HEADER = """
from suanli.plugin import *
from suanli.plugin import Check, Confidence, Record, Source, hookimpl
from datetime import date

API_VERSION = 1

def source(name):
    return Source(id=name, title="Data sheet", publisher="Acme", retrieved=date(2026, 11, 1))
"""


@dataclass
class Greenhouse:
    """Distributions in a folder of their own."""

    folder: Path
    modules: list[str] = field(default_factory=list[str])

    def plant(
        self, name: str, code: str, *, distribution: str = "", version: str = "0.1", header: bool = True
    ) -> None:
        """Install a plugin of one module whose code is given."""
        distribution = distribution or f"{name}-plugin"
        module = f"planted_{distribution.replace('-', '_')}_{name}"
        self.modules.append(module)
        text = (HEADER if header else "") + textwrap.dedent(code)
        (self.folder / f"{module}.py").write_text(text, encoding="utf-8")
        info = self.folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n", encoding="utf-8"
        )
        (info / "entry_points.txt").write_text(
            f"[{ENTRY_POINT_GROUP}]\n{name} = {module}\n", encoding="utf-8"
        )
        importlib.invalidate_caches()

    def entry_points(self) -> list[EntryPoint]:
        """Return the entry points of everything planted, in the order of the file system."""
        return [
            entry
            for distribution in distributions(path=[str(self.folder)])
            for entry in distribution.entry_points
            if entry.group == ENTRY_POINT_GROUP
        ]

    def load(self, *disabled: str) -> Host:
        """Load a host with the planted plugins only."""
        return load_host(self.entry_points(), disabled=disabled)


@pytest.fixture
def greenhouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Greenhouse]:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    place = Greenhouse(tmp_path)
    yield place
    for module in place.modules:
        sys.modules.pop(module, None)
