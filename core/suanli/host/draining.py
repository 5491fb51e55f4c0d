"""Calls the hooks of one plugin at a time and keeps what each yields, up to the first thing that goes wrong.

A hook that is a generator runs only when it is iterated, outside pluggy and without its plugin's name;
pluggy checks argument names but not what is returned. Hence each implementation is drained here, inside a
try of its own, and every item is checked at the boundary.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import pluggy

from suanli.domain.record import Record
from suanli.errors import Fault, PluginError, nearest
from suanli.host.checks import contribution_fault
from suanli.host.discovery import describe
from suanli.host.hookspecs import HOOKS, HookSpecs
from suanli.project.scenario import Scenario
from suanli.proposal.contributions import CostLines, Renderer, Section, Theme

if TYPE_CHECKING:
    from types import ModuleType

    from pluggy import HookimplOpts

_MARKERS: Final = "suanli"
"""Name that the markers of the hook specifications carry."""

__all__ = ["HOOK_TYPES", "Contribution", "Drained", "HookManager", "drain"]

Contribution = Record | Scenario | Renderer | CostLines | Section | Theme
"""Anything that a hook may yield."""

HOOK_TYPES: Final[Mapping[str, type[Contribution]]] = {
    "suanli_records": Record,
    "suanli_scenarios": Scenario,
    "suanli_renderers": Renderer,
    "suanli_cost_lines": CostLines,
    "suanli_sections": Section,
    "suanli_themes": Theme,
}
"""What each hook yields."""


@dataclass(frozen=True, slots=True)
class Drained:
    """What one plugin yielded, in its own order, and what went wrong."""

    hooks: tuple[str, ...] = ()
    items: tuple[Contribution, ...] = ()
    faults: tuple[Fault, ...] = ()


class HookManager(pluggy.PluginManager):
    """A plugin manager that sets aside hooks it cannot call instead of refusing the whole plugin."""

    def __init__(self) -> None:
        """Start with the hooks of the contract and no plugin."""
        super().__init__(_MARKERS)
        self.add_hookspecs(HookSpecs)
        self._set_aside: list[Fault] = []

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> HookimplOpts | None:  # noqa: ANN401 - pluggy's signature
        """Return the options of a marked function that can be called; asked for each name of a module."""
        options = super().parse_hookimpl_opts(plugin, name)
        if options is None:
            return None
        function: object = getattr(plugin, name)
        fault = _hook_fault(function, options.get("specname") or name, f"{plugin.__name__}.{name}")
        if fault is not None:
            self._set_aside.append(fault)
            return None
        return options

    def admit(self, module: ModuleType, name: str) -> tuple[Fault, ...]:
        """Register a module and return what is wrong with its hooks; the good ones can be drained."""
        self._set_aside.clear()
        try:
            self.register(module, name)
            self.check_pending()
        except Exception as error:  # noqa: BLE001 - pluggy looks at every name of the module, which may run its code
            if self.has_plugin(name):
                self.unregister(name=name)
            message, _ = describe(error)
            return (*self._set_aside, Fault(f"cannot be registered: {message}", where=module.__name__))
        return (*self._set_aside, *_unmarked(module))

    def implementations(self, hook: str, plugin: str) -> tuple[pluggy.HookImpl, ...]:
        """Return one plugin's implementations of a hook."""
        caller = cast("pluggy.HookCaller", getattr(self.hook, hook))
        return tuple(found for found in caller.get_hookimpls() if found.plugin_name == plugin)


def _unmarked(module: ModuleType) -> Iterator[Fault]:
    """Yield every function that has the name of a hook without the mark, and so would never be called."""
    for name in HOOKS:
        function = vars(module).get(name)
        if inspect.isfunction(function) and not hasattr(function, f"{_MARKERS}_impl"):
            yield Fault(
                "has the name of a hook but is not marked as one",
                where=f"{module.__name__}.{name}",
                why="it is not called",
                cure="write @hookimpl above it",
            )


def _hook_fault(function: object, hook: str, where: str) -> Fault | None:
    if hook not in HOOKS:
        what = f'"{hook}" is marked as a hook, but there is none of that name'
        return Fault(what, where=where, why=f"hooks: {', '.join(HOOKS)}", cure=nearest(hook, HOOKS))
    required = [
        name
        for name, parameter in inspect.signature(cast("Any", function)).parameters.items()
        if parameter.default is inspect.Parameter.empty
        and parameter.kind not in {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    ]
    if required:
        what = f"takes {', '.join(required)}"
        return Fault(
            what, where=where, key=hook, why="a hook takes no arguments", cure=f"write def {hook}():"
        )
    return None


def drain(manager: HookManager, module: ModuleType, name: str) -> Drained:
    """Return everything that one plugin yields."""
    faults = list(manager.admit(module, name))
    hooks: list[str] = []
    items: list[Contribution] = []
    for hook in sorted(HOOKS):
        for implementation in manager.implementations(hook, name):
            hooks.append(hook)
            kept, found = _drain_one(implementation, hook, module.__name__)
            items.extend(kept)
            faults.extend(found)
    return Drained(tuple(hooks), tuple(items), tuple(faults))


def _drain_one(found: pluggy.HookImpl, hook: str, module: str) -> tuple[list[Contribution], list[Fault]]:
    where = f"{module}.{hook}"
    kept: list[Contribution] = []
    wrong: Counter[str] = Counter()
    faults: list[Fault] = []
    try:
        result: object = found.function()
        yielded = _iterable(result)
        if yielded is None:
            what = "returns nothing" if result is None else f"returns a {type(result).__name__}"
            return [], [Fault(what, where=where, why=f"a hook yields {HOOK_TYPES[hook].__name__} objects")]
        for item in yielded:
            if not isinstance(item, HOOK_TYPES[hook]):
                wrong[type(item).__name__] += 1
            elif (fault := contribution_fault(item, where)) is not None:
                faults.append(fault)
            else:
                kept.append(item)
    except KeyboardInterrupt:
        raise
    except PluginError as error:
        faults.extend(error.faults)
    except BaseException as error:  # noqa: BLE001 - a hook may raise anything, SystemExit included
        faults.append(_raised(error, where, len(kept)))
    return kept, [*faults, *_wrong_types(wrong, hook, where)]


def _iterable(result: object) -> Iterable[object] | None:
    if isinstance(result, (str, bytes, Mapping)) or not isinstance(result, Iterable):
        return None
    return cast("Iterable[object]", result)


def _raised(error: BaseException, where: str, kept: int) -> Fault:
    message, line = describe(error)
    at = f" at {line}" if line else ""
    why = f"the {kept} that it yielded before are kept" if kept else ""
    return Fault(f"raised {message}{at}", where=where, why=why)


def _wrong_types(wrong: Counter[str], hook: str, where: str) -> list[Fault]:
    why = f"a hook yields {HOOK_TYPES[hook].__name__} objects; the others are left out"
    return [Fault(f"yielded {count} × {name}", where=where, why=why) for name, count in sorted(wrong.items())]
