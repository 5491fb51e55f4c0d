"""The hooks of the plugin contract, version 1.

A plugin is an entry point in the group ``suanli.plugins`` whose value is a module with an integer
``API_VERSION`` and functions marked `hookimpl`. Hooks take nothing and yield frozen records; they may be
generators. The host drains each one apart, checks type, id and duplicates, and goes on without what fails.
The order in which plugins load never changes a result: the host sorts by id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from suanli.domain.record import Record
    from suanli.project.scenario import Scenario
    from suanli.proposal.contributions import CostLines, Renderer, Section, Theme

__all__ = ["ENTRY_POINT_GROUP", "HOOKS", "HookSpecs", "hookimpl"]

ENTRY_POINT_GROUP = "suanli.plugins"

_NAMESPACE = "suanli"
_spec = cast("Callable[[Callable[..., Any]], Callable[..., Any]]", pluggy.HookspecMarker(_NAMESPACE))

F = TypeVar("F", bound="Callable[..., Any]")


def hookimpl(function: F) -> F:
    """Mark a function of a plugin as the implementation of the hook that it is named after."""
    return pluggy.HookimplMarker(_NAMESPACE)(function)


class HookSpecs:
    """Every hook a plugin may implement. All are stable within one `suanli.API_VERSION`."""

    @_spec
    def suanli_records(self) -> Iterable[Record]:
        """Yield catalogue records of any kind; the host files each under its type.

        Figures carry value, unit, source, confidence and check; unknown is absent, never zero. Example:

            @hookimpl
            def suanli_records():
                yield from load_records("suanli_acme")
        """
        raise AssertionError

    @_spec
    def suanli_scenarios(self) -> Iterable[Scenario]:
        """Yield kinds of project: each completes a project file into a requirement and ships a starter file.

        Example:
            @hookimpl
            def suanli_scenarios():
                yield Scenario(id="distil", name=Text(zh="蒸馏", en="Distillation"), ...)
        """
        raise AssertionError

    @_spec
    def suanli_renderers(self) -> Iterable[Renderer]:
        """Yield output formats: each returns the bytes of one file from a proposal.

        Example:
            @hookimpl
            def suanli_renderers():
                yield Renderer(id="md", stem="proposal", suffix=".md", per_language=True, ...)
        """
        raise AssertionError

    @_spec
    def suanli_cost_lines(self) -> Iterable[CostLines]:
        """Yield providers of extra lines for the bill of quantities, such as a vendor's licence.

        Quantities are counts (pieces, licences, TB); prices are records, so that the ledger computes the
        money. Example:

            @hookimpl
            def suanli_cost_lines():
                yield CostLines(id="acme-licence", items=licence_items)
        """
        raise AssertionError

    @_spec
    def suanli_sections(self) -> Iterable[Section]:
        """Yield chapters for the document: a title in both languages and a template in the plugin's package.

        Example:
            @hookimpl
            def suanli_sections():
                yield Section(id="esg", after="tco", title=Text(zh="环境", en="Environment"),
                package="suanli_acme", template="esg.html.j2")
        """
        raise AssertionError

    @_spec
    def suanli_themes(self) -> Iterable[Theme]:
        """Yield looks of the documents: each a folder of the plugin's package with a ``theme.yaml``.

        Example:
            @hookimpl
            def suanli_themes():
                yield Theme(id="acme-house", name=Text(zh="顶峰", en="Acme"), package="suanli_acme")
        """
        raise AssertionError


HOOKS = tuple(name for name in vars(HookSpecs) if name.startswith("suanli_"))
"""Names of all hooks."""
