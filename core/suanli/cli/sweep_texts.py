"""Words of a sweep on the terminal, Chinese first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from suanli.cli.texts import Voice

__all__ = ["say"]

_TEXTS: Final[dict[str, tuple[str, str]]] = {
    "points": ("共 {0} 个点，{1} 个有推荐方案", "{0} points, {1} with an option that can be recommended"),
    "cheapest": ("TCO 最低的点：{0}", "the point of the lowest TCO: {0}"),
    "recommended": ("推荐方案", "recommended option"),
    "accelerators": ("加速卡", "accelerators"),
    "days": ("天数 P50", "days, P50"),
    "tco": ("TCO（不含税，{0}）", "TCO excl. tax, {0}"),
    "mixed": ("TCO（不含税）", "TCO excl. tax"),
    "key": ("键", "key"),
    "value": ("取值", "value"),
    "answered": ("有推荐方案的点", "points with one"),
    "lowest": ("最低", "lowest"),
    "highest": ("最高", "highest"),
    "none": ("—", "–"),
    "errors": (
        "{0} 个点无法计算；原因见“reason”一列",
        "{0} points could not be computed; the column reason says why",
    ),
    "faults": ("{0} 个点因 suanli 自身的错误未能算出", "suanli itself failed at {0} points"),
    "no-effect": (
        "{0} 的取值不影响任何结果；该键可能未被此项目采用",
        "no value of {0} changes any row; this project may not use it",
    ),
    "wrote": ("已写入 {0}：{1} 行", "wrote {0}: {1} rows"),
}


def say(voice: Voice, key: str, *parts: object) -> str:
    """Return a text in the voice's language with its parts put in."""
    return voice.name(*_TEXTS[key]).format(*parts)
