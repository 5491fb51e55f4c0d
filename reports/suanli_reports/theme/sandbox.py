"""The environment of a theme's templates: what they may read, and how much they may do.

A theme is somebody else's text that runs here. Its templates are sandboxed, read files of the theme and the
shipped ones only, and stop after a fixed number of steps, so that the same theme gives the same result on a
fast machine and on a slow one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from jinja2 import FileSystemLoader, TemplateNotFound, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from suanli_reports.theme.folder import is_inside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from jinja2 import Environment
    from jinja2.runtime import Context

__all__ = ["MOST_STEPS", "PREFIX", "HouseEnvironment", "HouseLoader"]

PREFIX: Final = "suanli"
"""Prefix by which a theme's template reaches the shipped one, as in ``suanli/document/cover.html.j2``."""
MOST_STEPS: Final = 3_000_000
"""Rounds of loops and calls in one document; the largest shipped one takes some 100,000."""
MOST_CHARACTERS: Final = 1_000_000
"""Length of a text that a template makes by joining or repeating."""
_MOST_POWER: Final = 64
_WIDTH: Final = re.compile(r"\d{4,}")
_STRETCHING: Final = frozenset({"center", "expandtabs", "format", "format_map", "ljust", "rjust", "zfill"})
"""Methods of a text that make a long one of a short one."""
_STRETCHED: Final = ("center", "format", "indent")
"""Filters that do the same."""
_COUNTED, _SIZED = "house_counted", "house_sized"


class HouseLoader(FileSystemLoader):
    """Reads the files of a theme; one that a link takes elsewhere is not there."""

    def __init__(self, root: Path) -> None:
        """Read from a folder."""
        super().__init__(root)
        self.root = root

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """Return text, path and freshness of a template."""
        source, path, fresh = super().get_source(environment, template)
        if not is_inside(Path(path), self.root):
            raise TemplateNotFound(template)
        return source, path, fresh


class _Guards(NodeTransformer):
    """Puts a count on each loop and a measure on each joined text."""

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802 - named after the node
        """Count the rounds of a loop."""
        self.generic_visit(node)
        node.iter = _filtered(cast("nodes.Expr", node.iter), _COUNTED)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:  # noqa: N802 - named after the node
        """Measure a joined text."""
        self.generic_visit(node)
        return _filtered(node, _SIZED)


def _filtered(node: nodes.Expr, name: str) -> nodes.Expr:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


class HouseEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox whose templates end."""

    intercepted_binops = frozenset({"*", "**", "+", "%"})

    def __init__(self, root: Path, **options: Any) -> None:  # noqa: ANN401 - options of the library
        """Guard the templates of a folder."""
        super().__init__(**options)
        self._root = str(root)
        self._left = MOST_STEPS
        filters: dict[str, Any] = self.filters
        own: dict[str, Any] = {
            _COUNTED: self._count,
            _SIZED: _sized,
            **{name: self._narrow(name) for name in _STRETCHED},
        }
        filters.update(own)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        if filename is not None and filename.startswith(self._root):
            _Guards().visit(tree)
            tree.set_environment(self)
        return tree

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise SecurityError(
                f"the templates take more than {MOST_STEPS:,} steps; is there a loop in a loop?"
            )

    def _count(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self._spend()
            yield item

    def _narrow(self, name: str) -> Callable[..., Any]:
        """Return a filter that refuses widths which no document has."""
        wrapped = cast("Callable[..., Any]", self.filters[name])

        def narrow(value: Any, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as the filter
            # The width stands in the text of a format, and beside the text of the others.
            asked = (value,) if name == "format" else (*arguments, *named.values())
            if any(_WIDTH.search(str(one)) for one in asked):
                raise SecurityError(f"the filter {name} is asked for a text that no page can show")
            return wrapped(value, *arguments, **named)

        return narrow

    def call(self, context: Context, obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the base
        """Call something, which is a step."""
        self._spend()
        return super().call(context, obj, *args, **kwargs)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ANN401 - as the base
        """Tell whether a template may use an attribute."""
        if isinstance(obj, str) and attr in _STRETCHING:
            return False
        return super().is_safe_attribute(obj, attr, value)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401 - as the base
        """Compute an operation whose result has a bounded size."""
        if operator == "*":
            _check_repeated(left, right)
            _check_repeated(right, left)
        if operator == "**" and not -_MOST_POWER <= right <= _MOST_POWER:
            raise SecurityError(f"a power of {right} is more than a document needs")
        if operator == "%" and isinstance(left, str) and _WIDTH.search(left):
            raise SecurityError("the operator % is asked for a text that no page can show")
        return _sized(super().call_binop(context, operator, left, right))


def _check_repeated(text: Any, times: Any) -> None:  # noqa: ANN401 - operands of a template
    if isinstance(text, str | list | tuple) and isinstance(times, int):
        length = len(cast("str", text)) * times
        if length > MOST_CHARACTERS:
            raise SecurityError(f"a text of {length:,} characters is made; at most {MOST_CHARACTERS:,}")


def _sized(value: Any) -> Any:  # noqa: ANN401 - a value of a template
    """Return a value that is not too long."""
    long: object = value
    if isinstance(long, str | list | tuple) and len(cast("str", long)) > MOST_CHARACTERS:
        raise SecurityError(f"a text of more than {MOST_CHARACTERS:,} characters is made")
    return value
