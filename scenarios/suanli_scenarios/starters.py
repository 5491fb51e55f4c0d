"""Starter files: commented project files in both languages, packaged as data."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["starter"]

_LANGUAGES = ("zh", "en")


def starter(scenario: str) -> Callable[[str], str]:
    """Return the function that gives a scenario's starter file in a language."""
    return partial(_read, scenario)


def _read(scenario: str, language: str) -> str:
    """Return a starter file.

    Raises:
        InputError: there is none in that language.
    """
    if language not in _LANGUAGES:
        allowed = f"allowed: {', '.join(_LANGUAGES)}"
        raise InputError(Fault(f'no starter file in "{language}"', key="--lang", why=allowed))
    return (
        files("suanli_scenarios").joinpath("data", f"{scenario}.{language}.yaml").read_text(encoding="utf-8")
    )
