"""Writes fits as a data file of a plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from suanli.domain.figure import Figure
    from suanli.domain.vendor import Fit

__all__ = ["fits_yaml"]

_HEADER: Final = (
    "# Written by suanli calibrate from published runs: what it found, not what is to be edited.\n\n"
)
_WIDE: Final = 1_000_000


def _line(value: object) -> str:
    """Return YAML on one line, whatever its length; quoted where it would be read as another kind."""
    dump = cast("Callable[..., str]", yaml.safe_dump)  # pyright: ignore[reportUnknownMemberType]
    text = dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=_WIDE)
    return text.removesuffix("...\n").strip()


def _figure(figure: Figure) -> str:
    return _line(figure.model_dump(mode="json", exclude_defaults=True))


def _section(name: str, figures: Mapping[str, Figure]) -> list[str]:
    if not figures:
        return []
    return [f"    {name}:", *(f"      {_line(key)}: {_figure(one)}" for key, one in figures.items())]


def _fit(fit: Fit) -> list[str]:
    errors = {"median_error": fit.median_error, "p90_error": fit.p90_error}
    ids = [f"      - {_line(name)}" for name in fit.run_ids]
    return [
        f"  - id: {_line(fit.id)}",
        f"    scope: {fit.scope.value}",
        f"    subject: {_line(fit.subject)}",
        *(_section("constants", fit.constants) or ["    constants: {}"]),
        *_section("stack_factors", fit.stack_factors),
        *_section("scales", fit.scales),
        f"    groups: {fit.groups}",
        *(f"    {name}: {_figure(one)}" for name, one in errors.items() if one is not None),
        *(["    run_ids:", *ids] if ids else []),
        "",
    ]


def fits_yaml(fits: Sequence[Fit]) -> str:
    """Return the text of a data file with some fits, in order of scope and subject."""
    ordered = sorted(fits, key=lambda one: (one.scope.value, one.subject))
    return _HEADER + "fits:\n" + "\n".join(line for fit in ordered for line in _fit(fit)).rstrip("\n") + "\n"
