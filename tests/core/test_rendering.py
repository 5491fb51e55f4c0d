"""Renderers run side by side or one after the other, with the same result."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import proposal

from suanli.domain.record import Text
from suanli.errors import Fault, RenderError
from suanli.proposal.contributions import Attachment, Renderer, RenderJob
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
    slow = render_all([task(name, spoken, slow=True) for name in ("zh", "en")], told.append, workers=2).files
    quick = render_all([task(name, spoken, slow=False) for name in ("zh", "en")], told.append).files
    assert slow == quick
    assert list(quick) == ["stem.zh.t", "stem.en.t"]
    assert told == ["stem.zh.t", "stem.en.t"] * 2


def test_a_fault_in_a_process_arrives_whole() -> None:
    with pytest.raises(RenderError) as caught:
        render_all([task(name, refused, slow=True) for name in ("zh", "en")], lambda _: None, workers=2)
    assert caught.value.faults == (Fault("no font", key="zh", cure="install one"), Fault("no ink"))


def test_a_format_without_languages_has_a_name_without_one() -> None:
    assert task("", spoken, slow=False).name == "stem.t"


def carried(job: RenderJob) -> bytes:
    return b"|".join(one.name.encode() + b"=" + one.content for one in job.attachments)


def test_a_format_gets_the_files_that_it_carries_in_its_language_and_they_are_not_written_unasked() -> None:
    title = Text(zh="文", en="text")
    inner = Renderer("i", title, "inner", ".i", per_language=True, render=spoken, slow=True)
    data = Renderer("d", title, "data", ".d", per_language=False, render=spoken)
    outer = Renderer(
        "o",
        title,
        "outer",
        ".o",
        per_language=True,
        render=carried,
        slow=True,
        attaches=("d", "i", "p", "none"),
    )
    job = RenderJob(proposal("lora-13b"), "")
    tasks = [
        *(Task(outer, replace(job, language=name)) for name in ("zh", "en")),
        *(Task(inner, replace(job, language=name), written=False) for name in ("zh", "en")),
        Task(data, job),
    ]
    project = Attachment("p", "project.yaml", b"x", title)
    found = [render_all(tasks, lambda _: None, workers, given=(project,)) for workers in (1, 2)]
    assert found[0] == found[1]
    assert list(found[0].files) == ["outer.zh.o", "outer.en.o", "data.d"]
    name = job.proposal.project.name.en.encode()
    assert found[0].files["outer.en.o"] == b"data.d=:%s|inner.en.i=en:%s|project.yaml=x" % (name, name)
    inside = found[0].attached["outer.zh.o"]
    assert inside["data.d"] == hashlib.sha256(found[0].files["data.d"]).hexdigest()
    assert list(inside) == ["data.d", "inner.zh.i", "project.yaml"]
