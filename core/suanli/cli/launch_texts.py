"""Words of the answer to ``suanli launch``, Chinese first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from suanli.cli.texts import Voice

__all__ = ["say"]

_TEXTS: Final[dict[str, tuple[str, str]]] = {
    "none": ("没有可行方案，因此没有启动参数", "no option is feasible, hence there are no launch arguments"),
    "title": ("方案 {0}：{1}，{2}（{3}）", "option {0}: {1}, {2} ({3})"),
    "doubt-over-budget": ("方案 {0} 超出预算", "option {0} is over budget"),
    "doubt-barred": ("方案 {0} 不得交付至本地区", "option {0} may not be delivered here"),
    "doubt-licence": ("方案 {0} 须取得许可方可交付", "option {0} needs a licence before it can be delivered"),
    "doubt-unknown": (
        "方案 {0} 能否交付至本地区尚不能确定",
        "whether option {0} may be delivered here is not established",
    ),
    "unmapped": (
        "方案 {0}：软件栈 {1} 的启动参数未经核对，不输出",
        "option {0}: the arguments of stack {1} have not been mapped for this job; none are written",
    ),
    "refused": (
        "方案 {0}：按所核对的文件，该框架不能按此布局启动：{1}",
        "option {0}: by its documents the framework does not run this layout: {1}",
    ),
    "unknown": ("方案 {0}：未能确认是否支持：{1}", "option {0}: support is not confirmed: {1}"),
    "fill": ("由团队填写：{0}", "to be filled in by the team: {0}"),
    "written": ("已写入 {0}", "wrote {0}"),
}


def say(voice: Voice, key: str, *parts: object) -> str:
    """Return a sentence in a voice's language with its parts put in."""
    return voice.name(*_TEXTS[key]).format(*parts)
