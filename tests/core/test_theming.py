"""Which theme a run uses, and how the project file that is written names it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.factories import requirement

from suanli.domain.record import Text
from suanli.errors import Fault, InputError, PluginError
from suanli.host.host import Host
from suanli.project.load import load_project
from suanli.proposal.contributions import Renderer, Theme
from suanli.theming import check_theme, theme_folder, theme_setting, with_written_theme

if TYPE_CHECKING:
    from suanli.project.schema import Project

EXAMPLE = Path(__file__).parents[2] / "examples" / "lora-13b.yaml"
ACME = Theme("acme-house", Text(zh="顶峰", en="Acme"), "theming_acme", "look")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    """Return a host with one theme in a package."""
    (tmp_path / "theming_acme" / "look").mkdir(parents=True)
    (tmp_path / "theming_acme" / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "theming_acme", raising=False)
    return Host(themes={ACME.id: ACME})


def project(folder: Path, theme: str) -> Project:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "project.yaml"
    path.write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    return load_project(path, [f"project.theme={theme}"])


def test_a_name_is_a_theme_of_a_plugin_and_default_is_none(tmp_path: Path, host: Host) -> None:
    assert theme_folder(project(tmp_path, "acme-house"), host) == tmp_path / "theming_acme" / "look"
    assert theme_folder(project(tmp_path, "default"), host) is None
    assert theme_folder(load_project(EXAMPLE), host) is None


def test_a_path_is_relative_to_the_project_file(tmp_path: Path, host: Host) -> None:
    (tmp_path / "a" / "house（一）").mkdir(parents=True)
    found = theme_folder(project(tmp_path / "a", "./house（一）"), host)
    assert found == tmp_path / "a" / "house（一）"


def test_an_unknown_name_is_answered_with_those_installed(tmp_path: Path, host: Host) -> None:
    (tmp_path / "acme-huose").mkdir()
    with pytest.raises(InputError) as caught:
        theme_folder(project(tmp_path, "acme-huose"), host)
    said = str(caught.value)
    assert "installed: default, acme-house" in said
    assert 'did you mean "acme-house"?' in said
    assert "project.theme" in said


def test_a_bare_name_of_a_folder_is_told_how_to_be_written(tmp_path: Path) -> None:
    (tmp_path / "house").mkdir()
    with pytest.raises(InputError, match=r"write \./house"):
        theme_folder(project(tmp_path, "house"), Host())


def test_an_option_becomes_a_setting_relative_to_the_project(
    tmp_path: Path, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "looks" / "house").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "looks")
    place = tmp_path / "projects" / "p.yaml"
    assert theme_setting("house", place, host) == "project.theme=../looks/house"
    assert theme_setting("acme-house", place, host) == "project.theme=acme-house"
    assert theme_setting("default", place, host) == "project.theme=default"
    with pytest.raises(InputError, match='--theme: no theme "nothing"'):
        theme_setting("nothing", place, host)
    with pytest.raises(InputError, match="there is no such folder"):
        theme_setting("./nothing", place, host)


def test_the_written_project_finds_the_theme_again(tmp_path: Path, host: Host) -> None:
    (tmp_path / "in" / "house").mkdir(parents=True)
    loaded = project(tmp_path / "in", "./house")
    written = with_written_theme(requirement(), loaded, tmp_path / "out" / "one").project.theme
    assert written == "../../in/house"
    again = project(tmp_path / "out" / "one", written)
    found = theme_folder(again, host)
    assert found is not None
    assert found.resolve() == tmp_path / "in" / "house"


def test_a_name_is_written_as_it_was_given(tmp_path: Path) -> None:
    wanted = requirement()
    assert with_written_theme(wanted, project(tmp_path, "acme-house"), tmp_path / "out") == wanted


def test_a_wrong_folder_is_wrong_input_and_a_wrong_theme_of_a_plugin_is_the_plugins(
    tmp_path: Path, host: Host
) -> None:
    fault = Fault("is wrong")
    renderer = Renderer(
        id="md",
        name=Text(zh="文本", en="Text"),
        stem="proposal",
        suffix=".md",
        per_language=True,
        render=lambda job: job.language.encode(),
        theme_faults=lambda folder: (replace(fault, where=folder.name),),
    )
    folder = tmp_path / "house"
    with pytest.raises(InputError, match="house: is wrong"):
        check_theme(project(tmp_path, "./house"), host, folder, (renderer, replace(renderer, id="b")))
    with pytest.raises(PluginError):
        check_theme(project(tmp_path, "acme-house"), host, folder, (renderer,))
    check_theme(project(tmp_path, "default"), host, None, (renderer,))
