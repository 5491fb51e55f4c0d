"""The worked path, the sensitivity and the scaling curve of an option: as plain data, and on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from suanli.cli.explain_texts import line_label, say
from suanli.cli.tables import print_table
from suanli.domain.units import S_PER_DAY
from suanli.estimation.sensitivity import constant_effects, scaling_curve
from suanli.explaining.lines import GROUPS, rounded_number, shown_number
from suanli.explaining.path import explain
from suanli.stages import failures_of

if TYPE_CHECKING:
    from suanli.cli.texts import Voice
    from suanli.domain.catalogue import Catalogue
    from suanli.estimation.results import Sizing
    from suanli.estimation.sensitivity import ConstantEffect
    from suanli.explaining.lines import Line
    from suanli.explaining.origins import Origin
    from suanli.explaining.path import Path
    from suanli.proposal.build import Decided

__all__ = [
    "explanation_document",
    "path_of",
    "print_explanation",
    "print_sensitivity",
    "sensitivity_document",
]

_TOP: Final = 10


def path_of(sizing: Sizing, decided: Decided, catalogue: Catalogue) -> Path:
    """Return the worked path of an option's sizing."""
    failures = failures_of(catalogue, decided.requirement)
    return explain(sizing, decided.requirement, catalogue, failures)


def explanation_document(key: str, path: Path) -> dict[str, Any]:
    """Return the path as plain data, its numbers as they are printed."""
    return {
        "option": key,
        "lines": [
            {
                "group": line.group,
                "key": line.key,
                "symbol": line.symbol,
                "parameters": list(line.parameters),
                "formula": line.formula,
                "numbers": {name: rounded_number(value) for name, value in line.numbers.items()},
                "result": None if line.result is None else rounded_number(line.result),
                "unit": line.unit,
                "sources": [origin.id for origin in line.origins],
            }
            for line in path.lines
        ],
        "sources": [
            {
                "id": origin.id,
                "kind": origin.kind,
                "title": origin.title,
                "groups": origin.groups,
                "median_error": origin.median_error,
                "sibling": origin.sibling or None,
            }
            for origin in _origins(path)
        ],
    }


def _origins(path: Path) -> list[Origin]:
    """Return every origin of a path once, in the order of first use."""
    return list(dict.fromkeys(origin for line in path.lines for origin in line.origins))


def print_explanation(key: str, path: Path, voice: Voice) -> None:
    """Print the path: each line with its formula, the numbers put in, the result and its sources."""
    click.echo(say(voice, "path", key, f"{path.values['days']:.4g}"))
    for group in GROUPS:
        click.echo(say(voice, f"group-{group}"))
        for line in path.lines:
            if line.group == group:
                _print_line(line, voice)
    click.echo(say(voice, "sources"))
    for origin in _origins(path):
        click.echo(f"  {origin.id}: {_origin_text(origin, voice)}")


def _print_line(line: Line, voice: Voice) -> None:
    label = line_label(voice, line.key)
    if line.result is None:
        click.echo(f"  {label}: {line.symbol}({', '.join(line.parameters)}) = {line.formula}")
    else:
        result = f"{shown_number(line.result)} {line.unit}".rstrip()
        click.echo(f"  {label}: {line.symbol} = {line.formula} = {result}")
    numbers = ", ".join(f"{name} = {shown_number(value)}" for name, value in line.numbers.items())
    cited = " ".join(f"[{one}]" for one in dict.fromkeys(origin.id for origin in line.origins))
    if numbers or cited:
        click.echo(f"      {numbers}  {cited}".rstrip())


def _origin_text(origin: Origin, voice: Voice) -> str:
    text = origin.title
    if origin.groups is not None and origin.median_error is not None:
        text = say(voice, "fit", origin.title, origin.groups, f"{origin.median_error:.1%}")
    elif origin.groups is not None:
        text = say(voice, "fit-bare", origin.title, origin.groups)
    return text + (say(voice, "sibling", origin.sibling) if origin.sibling else "")


def sensitivity_document(key: str, sizing: Sizing, decided: Decided) -> dict[str, Any]:
    """Return the scaling curve and the constants that move the duration most as plain data."""
    effects = constant_effects(sizing, decided.requirement)
    return {
        "option": key,
        "days": round(sizing.duration_s.p50 / S_PER_DAY, 4),
        "constants": [
            {
                "name": one.name,
                "scope": one.scope.value,
                "subject": one.subject,
                "fit": one.fit or None,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "unit": one.unit,
                "low_days": round(one.low_s / S_PER_DAY, 4),
                "high_days": round(one.high_s / S_PER_DAY, 4),
                "low_change_days": round(one.change_s[0] / S_PER_DAY, 4),
                "high_change_days": round(one.change_s[1] / S_PER_DAY, 4),
            }
            for one in effects[:_TOP]
        ],
        "further_constants": max(0, len(effects) - _TOP),
        "scaling": [
            {
                "accelerators": point.accelerators,
                "days": round(point.duration_s / S_PER_DAY, 4),
                "efficiency": round(point.efficiency, 4),
            }
            for point in scaling_curve(sizing)
        ],
    }


def print_sensitivity(key: str, sizing: Sizing, decided: Decided, voice: Voice) -> None:
    """Print the scaling curve, and the ten constants that move the duration most."""
    rows = [
        (f"{point.accelerators:,}", f"{point.duration_s / S_PER_DAY:.4g}", f"{point.efficiency:.1%}")
        for point in scaling_curve(sizing)
    ]
    heads = [say(voice, name) for name in ("accelerators", "days", "efficiency")]
    print_table(heads, rows, title=say(voice, "scaling", key), right=range(3))
    effects = constant_effects(sizing, decided.requirement)
    names = ("constant", "of", "value", "low-days", "high-days", "fit-id")
    print_table(
        [say(voice, name) for name in names],
        [_effect_row(one) for one in effects[:_TOP]],
        title=say(voice, "constants", key),
        right=(2, 3, 4),
    )
    if len(effects) > _TOP:
        click.echo(say(voice, "smaller", len(effects) - _TOP))


def _effect_row(one: ConstantEffect) -> tuple[str, ...]:
    low, high = (change / S_PER_DAY for change in one.change_s)
    value = f"{one.value:.4g} ({one.low:.4g}–{one.high:.4g})"
    return one.name, f"{one.scope.value} {one.subject}", value, f"{low:+.3g}", f"{high:+.3g}", one.fit or "–"
