"""Keys that are accepted and kept but change no figure of this version: said aloud, never ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.record import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suanli.project.yaml_text import Tree

__all__ = ["INERT_KEYS", "notices_for"]

INERT_KEYS: dict[str, Text] = {
    "project.theme": Text(zh="文档外观", en="the look of the documents"),
}
"""Key path and the effect that it does not have yet."""


_AS_DEFAULT: dict[str, str] = {"project.theme": "default"}
"""Values that ask for nothing beyond the default."""


def notices_for(find: Callable[[str], Tree | None]) -> Iterator[Text]:
    """Yield a notice for every inert key that a file sets; `find` returns what a key is set to."""
    for key, effect in INERT_KEYS.items():
        value = find(key)
        if value and value != _AS_DEFAULT.get(key):
            yield Text(
                zh=f"{key} 已读取并保留，但本版本的数字不随其变化（{effect.zh}）。",
                en=f"{key} is read and kept, but changes no figure of this version ({effect.en}).",
            )
