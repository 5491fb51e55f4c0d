"""Texts that the project file gives, once for all languages or once for each."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

from suanli.domain.record import Text

__all__ = ["Words"]


def _read(value: object) -> object:
    return Text.same(value) if isinstance(value, str) else value


def _written(text: Text) -> str | dict[str, str]:
    return text.zh if text.zh == text.en else text.model_dump()


Words = Annotated[
    Text,
    BeforeValidator(_read, json_schema_input_type=str | Text),
    PlainSerializer(_written, return_type=str | dict[str, str], when_used="json"),
]
"""A text as the project file spells it: JSON holds one string where both languages read alike."""
