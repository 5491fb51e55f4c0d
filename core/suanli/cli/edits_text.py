"""What an edited cost sheet changes, said on the terminal in the language of the sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from decimal import Decimal

    from suanli.domain.record import Text
    from suanli.round_trip import Changed, SheetChange

__all__ = ["amount", "print_changes"]

_WORDS = {
    "none": ("{name}：没有改动的参数", "{name}: no input was changed"),
    "changed": ("{name}：改动了 {count} 个参数", "{name}: {count} inputs were changed"),
    "kept": (
        "保持表中数值（否则默认值会随改动而变）：{names}",
        "kept as the sheet shows it, where a default would have followed the changes: {names}",
    ),
    "ignored": ("未读取：{text}", "not read: {text}"),
}
_PERCENT = "fraction"


def amount(value: Decimal, unit: str) -> str:
    """Return a figure with its unit; a share in per cent.

    >>> from decimal import Decimal
    >>> amount(Decimal("0.065"), "fraction"), amount(Decimal("210000.50"), "CNY")
    ('6.5 %', '210,000.5 CNY')
    """
    shown = value * 100 if unit == _PERCENT else value
    text = f"{shown:,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text} {'%' if unit == _PERCENT else unit}" if unit else text


def print_changes(changed: Changed, name: str) -> None:
    """Print each edited cell with its label, before and after, and what was edited without effect."""
    chinese = changed.language != "en"

    def say(key: str, **parts: object) -> str:
        return _WORDS[key][not chinese].format(**parts)

    key = "changed" if changed.changes else "none"
    click.echo(say(key, name=name, count=len(changed.changes)), err=True)
    for change in changed.changes:
        click.echo(f"  {_line(change, chinese=chinese)}", err=True)
    if changed.kept:
        names = "; ".join(_said(text, chinese=chinese) for text in changed.kept)
        click.echo(say("kept", names=names), err=True)
    for text in changed.ignored:
        click.echo(say("ignored", text=_said(text, chinese=chinese)), err=True)


def _line(change: SheetChange, *, chinese: bool) -> str:
    entry = change.entry
    before, after = amount(entry.value, entry.unit), amount(change.value, entry.unit)
    return f"{change.place}  {_said(entry.label, chinese=chinese)}: {before} → {after}"


def _said(text: Text, *, chinese: bool) -> str:
    return text.zh if chinese else text.en
