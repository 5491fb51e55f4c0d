from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = [
    PurePosixPath(path).name for path in PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
]


@pytest.fixture(scope="session")
def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_holds_nothing_but_our_packages(names: list[str]) -> None:
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == set(PACKAGES)
    assert all(name == "suanli" or name.startswith("suanli_") for name in PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_that_it_is_typed(names: list[str], package: str) -> None:
    assert f"{package}/py.typed" in names


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_of_a_package_is_in_the_wheel(names: list[str], package: str) -> None:
    (source,) = [
        ROOT / path
        for path in PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
        if PurePosixPath(path).name == package
    ]
    files = {
        f"{package}/{path.relative_to(source).as_posix()}"
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files
    assert files <= set(names)


def test_the_wheel_declares_the_program_and_the_plugins(wheel: Path, names: list[str]) -> None:
    (declared,) = [name for name in names if name.endswith(".dist-info/entry_points.txt")]
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(declared).decode()
    for name, value in PYPROJECT["project"]["entry-points"]["suanli.plugins"].items():
        assert f"{name} = {value}" in text
    assert "suanli = suanli.cli.main:main" in text


def test_the_wheel_carries_the_licence_of_the_fonts(names: list[str]) -> None:
    licences = [name for name in names if ".dist-info/licenses/" in name]
    assert any(name.endswith("/OFL.txt") for name in licences)
