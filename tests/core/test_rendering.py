"""Renderers run side by side or one after the other, with the same result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import proposal

from suanli.domain.record import Text
from suanli.errors import Fault, RenderError
from suanli.proposal.contributions import Renderer, RenderJob
from suanli.rendering import Task, render_all

if TYPE_CHECKING:
    from collections.abc import Callable


def spoken(job: RenderJob) -> bytes:
    return f"{job.language}:{job.proposal.project.name.en}".encode()


def refused(job: RenderJob) -> bytes:
    raise RenderError([Fault("no font", key=job.language, cure="install one"), Fault("no ink")])


def task(language: str, render: Callable[[RenderJob], bytes], *, slow: bool) -> Task:
    renderer = Renderer(
        "t", Text(zh="文", en="text"), "stem", ".t", per_language=True, render=render, slow=slow
    )
    return Task(renderer, RenderJob(proposal("lora-13b"), language))


def test_slow_renderers_in_processes_give_what_they_give_here() -> None:
    told: list[str] = []
    slow = render_all([task(name, spoken, slow=True) for name in ("zh", "en")], told.append, workers=2)
    quick = render_all([task(name, spoken, slow=False) for name in ("zh", "en")], told.append)
    assert slow == quick
    assert list(quick) == ["stem.zh.t", "stem.en.t"]
    assert told == ["stem.zh.t", "stem.en.t"] * 2


def test_a_fault_in_a_process_arrives_whole() -> None:
    with pytest.raises(RenderError) as caught:
        render_all([task(name, refused, slow=True) for name in ("zh", "en")], lambda _: None, workers=2)
    assert caught.value.faults == (Fault("no font", key="zh", cure="install one"), Fault("no ink"))


def test_a_format_without_languages_has_a_name_without_one() -> None:
    assert task("", spoken, slow=False).name == "stem.t"
