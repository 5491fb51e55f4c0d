"""The acceptance plan as a Markdown text in one language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.acceptance.texts import PHASES, STATUSES, TOOLS, word
from suanli.domain.vendor import Deliverability
from suanli.planning.acceptance.results import BoundKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.record import Text
    from suanli.proposal.model import Option, Proposal, Shown, TestView

__all__ = ["plan_text"]


def plan_text(option: Option, proposal: Proposal, language: str) -> str:
    """Return the plan of an option: phases, procedures, pass values, ladder of nodes, sources.

    Args:
        option: the cluster that is accepted.
        proposal: the project and its sources.
        language: ``zh`` or ``en``.
    """
    return "\n".join(_lines(option, proposal, language)) + "\n"


def _lines(option: Option, proposal: Proposal, language: str) -> Iterator[str]:
    yield f"# {word('title', language, project=proposal.project.name.in_language(language))}"
    yield ""
    yield word(
        "subject",
        language,
        option=option.key,
        device=_said(option.accelerator_name, language),
        servers=option.servers,
        devices=option.accelerators,
        day=proposal.project.day.isoformat(),
    )
    yield ""
    if option.compliance.deliverability in {Deliverability.BARRED, Deliverability.LICENCE}:
        status = _said(STATUSES[option.compliance.deliverability.value], language)
        yield f"**{word('barred', language, status=status)}**"
        yield ""
    yield word("order", language)
    phase = None
    for number, test in enumerate(option.acceptance, start=1):
        if test.phase is not phase:
            phase = test.phase
            yield ""
            yield f"## {_said(PHASES[phase.value], language)}"
        yield ""
        yield f"### {number}. {_said(test.name, language)}"
        yield ""
        yield from _test(test, language)
    yield from _sources(option, proposal, language)


def _said(text: Text, language: str) -> str:
    return text.zh if language == "zh" else text.en


def _test(test: TestView, language: str) -> Iterator[str]:
    texts = (
        ("tool", _said(TOOLS[test.tool], language) if test.tool in TOOLS else test.tool),
        ("procedure", _said(test.procedure, language)),
        ("command", f"`{test.command}`" if test.command else ""),
        ("sizes", test.sizes),
        ("metric", _said(test.metric, language)),
        ("expected", _range(test)),
        ("threshold", _threshold(test, language)),
        ("rule", _said(test.pass_rule, language) if test.pass_rule else ""),
        ("sample", _said(test.sample, language) if test.sample else ""),
        ("after", "; ".join(_said(one, language) for one in test.prerequisites)),
        ("script", f"`scripts/{test.script.rpartition('/')[2]}`" if test.script else ""),
        ("source", ", ".join(test.refs)),
    )
    for key, value in texts:
        if value:
            yield f"- **{word(key, language)}** {value}"
    if test.rungs:
        yield ""
        yield from _ladder(test, language)


def _figure(shown: Shown) -> str:
    unit = "" if shown.unit in {"PUE", "count"} else f" {shown.unit}"
    return f"{shown.value:,f}{unit}"


def _range(test: TestView) -> str:
    if test.expected is not None and test.expected.low is not None and test.expected.high is not None:
        return f"{test.expected.low:,f} - {test.expected.high:,f} {test.expected.unit}"
    return f"<= {_figure(test.upper)}" if test.upper is not None else ""


def _threshold(test: TestView, language: str) -> str:
    if test.allowance is not None:
        return word(
            "allowed",
            language,
            allowed=test.allowance.allowed,
            hours=test.allowance.hours.value,
            mtbf=test.allowance.mtbf.value,
            expected=test.allowance.expected.value,
            factor=test.allowance.detected_factor.value,
        )
    if test.threshold is None:
        return word("pass-fail" if test.bound is BoundKind.PASS_FAIL else "supplier", language)
    sign = "<=" if test.at_most else ">="
    return f"{sign} {_figure(test.threshold)} ({word(test.bound.value, language)})"


def _ladder(test: TestView, language: str) -> Iterator[str]:
    heads = [word(key, language) for key in ("nodes", "ranks", "line", "counted", "threshold", "fault")]
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---:|' * len(heads)}"
    for rung in test.rungs:
        figures = (rung.line, rung.expected, rung.threshold, rung.unhealthy)
        cells = [str(rung.nodes), str(rung.ranks), *(f"{figure.value:,f}" for figure in figures)]
        yield f"| {' | '.join(cells)} |"


def _sources(option: Option, proposal: Proposal, language: str) -> Iterator[str]:
    """Yield the sources that the tests cite, by their keys."""
    used = {key for test in option.acceptance for key in test.refs}
    found = [source for source in proposal.sources if source.key in used]
    if not found:
        return
    yield ""
    yield f"## {word('sources', language)}"
    yield ""
    for source in found:
        place = f", {source.ref}" if source.ref else ""
        yield f"- {source.key}: {source.title}. {source.publisher}{place}"
