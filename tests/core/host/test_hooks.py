"""One test named after each hook, as `test_documentation` demands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suanli.host.plugins import PluginStatus
from suanli.testing import run_checks

if TYPE_CHECKING:
    from tests.planting import Greenhouse

SCENARIO = """
@hookimpl
def suanli_scenarios():
    yield Scenario(
        id="distil", name=Text(zh="蒸馏", en="Distillation"),
        summary=Text(zh="蒸馏小模型", en="Distil a small model"), tasks=(),
        complete=lambda project, catalogue: None, starter=lambda language: "scenario: distil",
    )
"""
RENDERER = """
@hookimpl
def suanli_renderers():
    yield Renderer(
        id="md", name=Text(zh="文本", en="Text"), stem="proposal", suffix=".md", per_language=True,
        render=lambda job: job.language.encode(), default=False,
    )
"""
COST_LINES = """
@hookimpl
def suanli_cost_lines():
    yield CostLines(id="acme-licence", items=lambda plan, requirement: ())
"""
SECTION = """
@hookimpl
def suanli_sections():
    yield Section(
        id="esg", after="tco", title=Text(zh="环境", en="Environment"),
        package="PACKAGE", template="esg.html.j2",
    )
"""
THEME = """
@hookimpl
def suanli_themes():
    yield Theme(id="acme-house", name=Text(zh="顶峰", en="Acme"), package="PACKAGE")
"""


@pytest.fixture
def theme(greenhouse: Greenhouse) -> str:
    package = greenhouse.folder / "planted_theme"
    (package / "theme").mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    text = "name: {zh: 顶峰, en: Acme}\ndescription: {zh: 顶峰的样式, en: The look of Acme}\n"
    (package / "theme" / "theme.yaml").write_text(text, encoding="utf-8")
    greenhouse.modules.append("planted_theme")
    return THEME.replace("PACKAGE", "planted_theme")


@pytest.fixture
def section(greenhouse: Greenhouse) -> str:
    package = greenhouse.folder / "planted_templates"
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "templates" / "esg.html.j2").write_text(
        "<p>{{ proposal.project.name.en }}</p>", encoding="utf-8"
    )
    greenhouse.modules.append("planted_templates")
    return SECTION.replace("PACKAGE", "planted_templates")


def test_suanli_records_are_filed_by_kind_and_id(greenhouse: Greenhouse) -> None:
    greenhouse.plant("acme", "@hookimpl\ndef suanli_records(): return [source('b'), source('a')]")
    host = greenhouse.load()
    assert list(host.catalogue.records["sources"]) == ["a", "b"]
    assert host.plugin("acme").counts == {"sources": 2}


def test_suanli_scenarios_are_found_by_id(greenhouse: Greenhouse) -> None:
    greenhouse.plant("acme", SCENARIO)
    host = greenhouse.load()
    assert host.scenario("distil").name.en == "Distillation"
    assert host.plugin("acme").counts == {"scenarios": 1}


def test_suanli_renderers_are_found_by_format(greenhouse: Greenhouse) -> None:
    greenhouse.plant("acme", RENDERER)
    host = greenhouse.load()
    assert host.renderer("md").suffix == ".md"
    assert host.plugin("acme").counts == {"renderers": 1}


def test_suanli_cost_lines_are_listed(greenhouse: Greenhouse) -> None:
    greenhouse.plant("acme", COST_LINES)
    host = greenhouse.load()
    assert [lines.id for lines in host.cost_lines] == ["acme-licence"]
    assert host.plugin("acme").counts == {"cost-lines": 1}


def test_suanli_sections_are_listed_if_their_template_is_there(greenhouse: Greenhouse, section: str) -> None:
    greenhouse.plant("acme", section)
    host = greenhouse.load()
    assert [part.id for part in host.sections] == ["esg"]
    assert host.plugin("acme").counts == {"sections": 1}


def test_suanli_themes_are_listed_by_name_if_their_folder_is_there(
    greenhouse: Greenhouse, theme: str
) -> None:
    greenhouse.plant("acme", theme)
    host = greenhouse.load()
    assert list(host.themes) == ["acme-house"]
    assert host.plugin("acme").themes == ("acme-house",)
    assert host.plugin("acme").counts == {"themes": 1}


def test_the_conformance_suite_asks_the_renderers_about_the_themes_of_a_plugin(
    greenhouse: Greenhouse, theme: str
) -> None:
    wrong = 'default=False, theme_faults=lambda folder: (Fault("is ugly", where=folder.name),),'
    code = "from suanli.errors import Fault\n" + theme + RENDERER.replace("default=False,", wrong)
    greenhouse.plant("acme", code)
    found = {outcome.check: outcome.faults for outcome in run_checks("acme", greenhouse.load())}
    faults = found["themes are read without a fault"]
    assert [(fault.where, fault.what) for fault in faults] == [("theme", "is ugly")]


@pytest.mark.parametrize(
    ("code", "old", "new", "key", "what"),
    [
        (SCENARIO, 'starter=lambda language: "scenario: distil"', 'starter="x"', "starter", "is a str"),
        (SCENARIO, 'name=Text(zh="蒸馏", en="Distillation")', 'name="蒸馏"', "name", "is a str"),
        (RENDERER, "render=lambda job: job.language.encode()", "render=None", "render", "is a NoneType"),
        (RENDERER, 'stem="proposal"', 'stem="../proposal"', "stem", "cannot be part of a file name"),
        (RENDERER, 'suffix=".md"', 'suffix="md"', "suffix", "cannot be part of a file name"),
        (COST_LINES, "items=lambda plan, requirement: ()", "items=()", "items", "is a tuple"),
        (SECTION, '"PACKAGE"', '"no_such_package_here"', "package", "cannot be imported"),
        (THEME, '"PACKAGE"', '"no_such_package_here"', "package", "cannot be imported"),
        (THEME, '"PACKAGE"', '"suanli"', "folder", "does not exist"),
        (THEME, '"acme-house"', '"default"', "id", "is the look that is shipped"),
        (SECTION, '"PACKAGE"', '"suanli"', "template", "'esg.html.j2' does not exist"),
    ],
)
def test_a_contribution_that_the_host_could_not_use_is_refused(  # noqa: PLR0913, PLR0917 - a row of the table
    greenhouse: Greenhouse, code: str, old: str, new: str, key: str, what: str
) -> None:
    assert old in code
    greenhouse.plant("acme", code.replace(old, new))
    plugin = greenhouse.load().plugin("acme")
    assert plugin.status is PluginStatus.FAILED
    assert plugin.faults[0].key.endswith(f".{key}")
    assert what in plugin.faults[0].what
    assert plugin.counts == {}


@pytest.mark.parametrize("code", [SCENARIO, RENDERER, COST_LINES])
def test_of_two_contributions_with_one_id_none_is_kept_and_both_plugins_are_named(
    greenhouse: Greenhouse, code: str
) -> None:
    greenhouse.plant("acme", code)
    greenhouse.plant("zeta", code)
    host = greenhouse.load()
    assert (host.scenarios, host.renderers, host.cost_lines) == ({}, {}, ())
    for name in ("acme", "zeta"):
        (fault,) = host.plugin(name).faults
        assert 'plugin "acme" (acme-plugin 0.1)' in fault.what
        assert 'plugin "zeta" (zeta-plugin 0.1)' in fault.what
        assert "SUANLI_DISABLE_PLUGINS=zeta" in fault.cure
