"""A wheel built from the sources, and a fresh environment with it and two plugins of strangers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```[a-z]+ (\S+\.(?:toml|py|yaml))\n(.*?)^```$", re.MULTILINE | re.DOTALL)

BROKEN = {
    "pyproject.toml": """
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "suanli-broken"
version = "0.2.0"

[project.entry-points."suanli.plugins"]
broken = "suanli_broken.plugin"
""",
    "suanli_broken/__init__.py": "",
    "suanli_broken/plugin.py": "import a_module_that_nobody_has\n\nAPI_VERSION = 1\n",
}


def documented_plugin() -> dict[str, str]:
    """Return the files of the example in the guide for plugin authors."""
    guide = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    return {"suanli_acme/__init__.py": "", **dict(_BLOCK.findall(guide))}


def write_tree(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def run(*words: str | Path) -> None:
    """Run a tool and show what it says if it fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@dataclass(frozen=True)
class Installation:
    """A fresh environment in which suanli and two strangers' plugins are installed."""

    folder: Path

    @property
    def bin(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    def suanli(self, *words: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run the installed program from the environment's folder and check its exit code."""
        done = subprocess.run(  # noqa: S603 - our own program
            [str(self.bin / "suanli"), *(str(word) for word in words)],
            capture_output=True,
            encoding="utf-8",
            check=False,
            cwd=self.folder,
            env={
                name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}
            },
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done


@pytest.fixture(scope="session")
def installation(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Install without a network: third-party libraries are those of the environment that runs the tests.

    A folder that a ``.pth`` file adds is searched for modules, but its own ``.pth`` files are not read, so an
    editable installation of suanli in it stays invisible.
    """
    made = Installation(tmp_path_factory.mktemp("environment"))
    venv.create(made.folder, with_pip=False, symlinks=os.name != "nt")
    python = made.bin / "python"
    where = subprocess.run(  # noqa: S603 - an interpreter that we made
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    site = Path(where.stdout.strip())
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    sources = tmp_path_factory.mktemp("strangers")
    good = write_tree(sources / "acme", documented_plugin())
    broken = write_tree(sources / "broken", BROKEN)
    options = ("install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed")
    run(sys.executable, "-m", "pip", "--python", python, *options, wheel, good, broken)
    return made
