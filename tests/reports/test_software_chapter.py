"""The chapter on the software stack and the annex with launch arguments."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.launching import DEEPSEEK, DENSE, LLAMA, SHARDED, feature_matrix, job

from suanli.domain.software import Launcher, StackFeature
from suanli.domain.workload import Offload, Recompute, Task
from suanli.planning.software.needs import layout_needs
from suanli.planning.software.plan import launch
from suanli.planning.software.results import Outcome, Status
from suanli.planning.software.structure import structural_rules
from suanli.proposal.contributions import RenderJob
from suanli.proposal.software_names import feature_name, rule_name
from suanli_reports.environment import compose
from suanli_reports.texts import shipped_messages

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal


def page(proposal: Proposal, language: str) -> str:
    return re.sub(r"\s+", " ", compose(RenderJob(proposal=proposal, language=language), "screen")[0])


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh", ("张量并行", "不支持", "未知", "由参数写明", "流水线引擎", "学习率")),
        ("en", ("Tensor parallelism", "not supported", "unknown", "spelt out", "pipeline engine refuses")),
    ],
)
def test_the_chapter_shows_support_rules_and_arguments(
    proposal: Proposal, language: str, words: tuple[str, ...]
) -> None:
    shown = page(proposal, language)

    assert [word for word in words if word not in shown] == []
    assert re.search(r'<pre class="code"[^>]*>torchrun \\ --lr &lt;learning-rate&gt;', shown)


def test_without_a_launch_there_is_no_annex(proposal: Proposal) -> None:
    def silent(option: object) -> object:
        software = getattr(option, "software", None)
        if software is None:
            return option
        return option.model_copy(update={"software": software.model_copy(update={"launch": None})})  # type: ignore[attr-defined]

    plain = proposal.model_copy(update={"options": tuple(silent(option) for option in proposal.options)})

    assert "Launch arguments" in page(proposal, "en")
    assert 'class="code"' not in page(plain, "en")


def test_every_name_that_a_plan_may_hold_has_a_text() -> None:
    known = shipped_messages()
    layouts = (
        DENSE,
        SHARDED,
        replace(DENSE, cp=2, ep=2, dp=8, loss_chunks=8, recompute=Recompute.FULL, recompute_layers=7),
        replace(SHARDED, cp=4, dp=16, shard_group=8, offload=Offload.WEIGHTS, zero_stage=2),
        replace(SHARDED, tp=2, dp=32, pp=2, virtual_pipeline=3, offload=Offload.OPTIMIZER),
    )
    models = (LLAMA, DEEPSEEK)
    wanted = {f"launcher.{one}" for one in Launcher}
    wanted |= {f"feature-status.{one}" for one in Status} | {f"rule-outcome.{one}" for one in Outcome}
    wanted |= {f"feature-dimension.{need.dimension}" for one in layouts for need in layout_needs(one)}
    wanted -= {"feature-dimension."}
    named = {str(one): feature_name(one).zh for one in StackFeature}
    for launcher in Launcher:
        for layout in layouts:
            for model in models:
                for task in Task:
                    posed = job(layout, model, task)
                    rules = structural_rules(posed, launcher, "src")
                    wanted |= {f"software-numbers.{rule.key}" for rule in rules}
                    named |= {rule.key: rule_name(rule.key).zh for rule in rules}
                    found = launch(posed, feature_matrix(launcher))
                    wanted |= {f"launch-name.{name}" for name in (found.placeholders if found else ())}
                    wanted |= {f"launch-note.{note}" for note in (found.notes if found else ())}

    assert len(wanted) > 50
    assert len(named) > len(StackFeature)
    assert [key for key, name in named.items() if name == key] == []
    assert sorted(key for key in wanted if not known.has(key)) == []
