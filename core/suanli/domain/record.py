"""The base of every catalogue record, and the paired text that a bilingual document needs."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

__all__ = ["Identifier", "Part", "Record", "Text"]

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[-.][a-z0-9]+)*$", max_length=80)]
"""A kebab-case id, unique among the records of its kind in all plugins."""


class Part(BaseModel):
    """A frozen piece of a record; unknown keys are refused.

    A misspelling must not pass for an absent figure, nor what is no number for one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Text(Part):
    """One text in both languages; both are required, because a side-by-side document shows both at once."""

    zh: str = Field(min_length=1)
    en: str = Field(min_length=1)

    @classmethod
    def same(cls, text: str) -> Self:
        """Return a text that reads alike in both languages, such as the name of a company.

        >>> Text.same("ACME").en
        'ACME'
        """
        return cls(zh=text, en=text)

    def in_language(self, language: str, between: str = " / ") -> str:
        """Return the text in a language; in both, ``bilingual``, what reads alike stands once.

        >>> Text(zh="集群", en="cluster").in_language("bilingual")
        '集群 / cluster'
        """
        if language == "bilingual":
            return between.join(dict.fromkeys((self.zh, self.en)))
        return self.zh if language == "zh" else self.en


class Record(Part):
    """Something a plugin contributes to the catalogue under an id."""

    kind: ClassVar[str]
    """Catalogue kind, the name of the data file's top-level list and of ``suanli catalog KIND``."""

    id: Identifier
