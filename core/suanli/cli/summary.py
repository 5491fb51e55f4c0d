"""What a person sees on the terminal: verdict, options side by side, what binds, claims, what was assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from suanli.cli.tables import print_table, terminal_width
from suanli.domain.workload import ClaimQuantity
from suanli.proposal.model import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal

    from suanli.cli.texts import Voice
    from suanli.proposal.model import ClaimView, Option, Proposal, RemedyView, Shown, WorkedLine

__all__ = [
    "figure",
    "print_assumptions",
    "print_claims",
    "print_notices",
    "print_options",
    "print_sources",
    "print_verdict",
    "print_worked",
]

_DASH = "–"
_LABEL_COLUMNS, _OPTION_COLUMNS = 22, 19
"""Columns of the terminal that labels and one option need."""

_DETAILED = 8
"""Options that are shown in full: what two screens hold."""

_GROUPED_FROM = 1000
_MANY = 10
"""Share from which decimals of a percentage say nothing."""


def number(value: Decimal) -> str:
    """Return a number with its thousands grouped and without an exponent."""
    return f"{value:,f}" if abs(value) >= _GROUPED_FROM else f"{value:f}"


def figure(shown: Shown | None, voice: Voice) -> str:
    """Return a shown figure with its unit."""
    if shown is None:
        return _DASH
    if shown.unit == "share":
        return f"{shown.value * 100:.1f} %" if shown.value < _MANY else f"{shown.value * 100:,.0f} %"
    if shown.unit == "FLOPs":
        return f"{shown.value:.4g} FLOPs"
    unit = voice.unit(shown.unit)
    mark = voice("incomplete") if shown.incomplete else ""
    return " ".join(part for part in (number(shown.value), unit) if part) + mark


def span(shown: Shown | None) -> str:
    """Return the 80 % range of a figure without its unit."""
    if shown is None or shown.low is None or shown.high is None:
        return _DASH
    return f"{number(shown.low)}–{number(shown.high)}"


def print_verdict(proposal: Proposal, voice: Voice) -> None:
    """Print what is proposed, on a few lines."""
    profile, job, summary = proposal.profile, proposal.workload, proposal.summary
    project = proposal.project
    click.echo(f"{voice.said(project.name)} · {voice.said(project.client)}")
    facts = [
        f"{voice('model')} {voice.name(profile.name.zh, profile.name.en)}",
        f"{voice('parameters')} {profile.total_parameters / 1e9:,.2f} B",
        f"{voice('work')} {figure(profile.flops_per_token, voice)}",
    ]
    if job.tokens:
        facts.append(f"{voice('tokens')} {number(job.tokens.value)}")
    if job.deadline:
        facts.append(f"{voice('deadline')} {figure(job.deadline, voice)}")
    click.echo(" · ".join(facts))
    best = proposal.recommended
    if best is None:
        click.echo(voice("none"))
    else:
        click.echo(
            voice(
                "recommended", f"{best.key} {voice.name(best.accelerator_name.zh, best.accelerator_name.en)}"
            )
        )
    lines = [voice("feasible", len(proposal.options), summary.feasible)]
    lines += [
        voice(key, count)
        for key, count in (("stale", summary.stale_prices), ("weak", summary.weak_figures))
        if count
    ]
    click.echo(" · ".join(lines))
    if best is not None and best.money is not None:
        counts = [
            f"{voice(f'origin-{origin}')} {count}" for origin, count in best.money.price_origins.items()
        ]
        click.echo(voice("prices", " · ".join(counts), len(best.money.unpriced)))


def print_options(proposal: Proposal, voice: Voice) -> None:
    """Print the first options side by side, the others a line each, and what cannot be computed by reason."""
    known = [option for option in proposal.options if option.verdict is not Verdict.NOT_COMPUTABLE]
    _print_beside(known[:_DETAILED], voice)
    if known[_DETAILED:]:
        _print_lines(known[_DETAILED:], voice)
    unknown = [option for option in proposal.options if option.verdict is Verdict.NOT_COMPUTABLE]
    if unknown:
        _print_reasons(unknown, voice)


def _title(option: Option, voice: Voice) -> str:
    return f"{option.key} {voice.name(option.accelerator_name.zh, option.accelerator_name.en)}"


def _print_lines(options: Sequence[Option], voice: Voice) -> None:
    shown = ("verdict", "accelerators", "days", "capex", "compliance")
    cells = dict(_rows(voice))
    columns = [(voice(key), cells[voice(key)]) for key in shown]
    rows = [(_title(option, voice), *(cell(option) for _, cell in columns)) for option in options]
    head = (voice("option"), *(label for label, _ in columns))
    print_table(head, rows, title=voice("further", len(options)), right=(2, 3, 4))


def _print_reasons(options: Sequence[Option], voice: Voice) -> None:
    """Print the devices that cannot be computed, together where the reason is the same."""
    by_reason: dict[str, list[str]] = {}
    for option in options:
        remedies = "; ".join(_remedy(item, voice) for item in option.remedies)
        reason = voice.word(option.binding) + (f" ({remedies})" if remedies else "")
        by_reason.setdefault(reason, []).append(_title(option, voice))
    rows = [(reason, ", ".join(names)) for reason, names in by_reason.items()]
    print_table((), rows, title=voice("not-computable"))


def _print_beside(options: Sequence[Option], voice: Voice) -> None:
    """Print options in full, as many beside each other as the terminal takes."""
    beside = max(1, (terminal_width() - _LABEL_COLUMNS) // _OPTION_COLUMNS)
    for first in range(0, len(options), beside):
        group = options[first : first + beside]
        head = ["", *(_title(option, voice) for option in group)]
        rows = [(label, *(cell(option) for option in group)) for label, cell in _rows(voice)]
        shown = [row for row in rows if any(cell != _DASH for cell in row[1:])]
        print_table(head, shown, right=range(1, len(head)))


def _verdict(option: Option, voice: Voice) -> str:
    """Return the verdict; an option that may not simply be delivered says what stands in the way."""
    barred = option.verdict is Verdict.BARRED
    return voice.word(option.compliance.deliverability if barred else option.verdict)


def _rows(voice: Voice) -> tuple[tuple[str, Callable[[Option], str]], ...]:
    return (
        (voice("verdict"), lambda option: _verdict(option, voice)),
        (voice("binding"), lambda option: voice.word(option.binding)),
        (voice("accelerators"), lambda option: _count(option.accelerators)),
        (voice("servers"), lambda option: _servers(option, voice)),
        (voice("layout"), _layout),
        (voice("days"), lambda option: _DASH if option.days is None else number(option.days.value)),
        (voice("range"), lambda option: span(option.days)),
        (voice("recipes"), _recipes),
        (voice("mfu"), lambda option: figure(option.mfu, voice)),
        (voice("memory"), lambda option: _memory(option, voice)),
        (voice("capex"), lambda option: figure(option.money.capex_gross if option.money else None, voice)),
        (voice("tco"), lambda option: figure(option.money.tco_net if option.money else None, voice)),
        (voice("energy"), lambda option: figure(option.energy.per_run if option.energy else None, voice)),
        (voice("compliance"), lambda option: voice.word(option.compliance.deliverability)),
        (voice("shortfall"), lambda option: _shortfall(option, voice)),
        (
            voice("remedies"),
            lambda option: "; ".join(_remedy(item, voice) for item in option.remedies) or _DASH,
        ),
    )


def _recipes(option: Option) -> str:
    """Return the P50 days of a tuned recipe and of a team that starts with the stack.

    A stack or a pilot run that was measured untuned has no tuned days to tell.
    """
    if option.days is None or option.untuned_days is None:
        return _DASH
    untuned = number(option.untuned_days.value)
    tuned = number(option.days.value)
    return f"{_DASH if tuned == untuned else tuned} / {untuned}"


def _count(value: int | None) -> str:
    return _DASH if value is None else f"{value:,}"


def _servers(option: Option, voice: Voice) -> str:
    if option.servers is None:
        return _DASH
    return f"{option.servers:,}" + (
        f" + {voice('spares', option.spare_servers)}" if option.spare_servers else ""
    )


def _layout(option: Option) -> str:
    layout = option.layout
    if layout is None:
        return _DASH
    names = ("tp", "pp", "cp", "dp", "ep")
    sizes = [(name, int(getattr(layout, name))) for name in names]
    return " ".join(f"{name}{size}" for name, size in sizes if size > 1 or name == "dp")


def _memory(option: Option, voice: Voice) -> str:
    if option.memory_total is None:
        return _DASH
    total, ends = option.memory_total, ""
    if total.low is not None and total.high is not None:
        ends = f" ({number(total.low)}-{number(total.high)})"
    return f"{number(total.value)}{ends} / {figure(option.memory_usable, voice)}"


def _shortfall(option: Option, voice: Voice) -> str:
    if option.shortfall is None:
        return _DASH
    need, have = option.shortfall
    return f"{number(need.value)} / {figure(have, voice)}"


def _remedy(remedy: RemedyView, voice: Voice) -> str:
    value = figure(remedy.value, voice) if remedy.value else ""
    return " ".join(part for part in (voice.word(remedy.kind), value, remedy.detail) if part)


def print_claims(claims: tuple[ClaimView, ...], voice: Voice) -> None:
    """Print the audit of each claim with its arithmetic and the verdict in words."""
    for claim in claims:
        rows = [row for row in _claim_rows(claim, voice) if row[1] and not row[1].startswith(_DASH)]
        print_table((), rows, title=f"{voice.said(claim.by)}: {voice.said(claim.says)}")
        for line in (claim.arithmetic, claim.statement):
            if line is not None:
                click.echo(f"  {voice.name(line.zh, line.en)}")


def _claim_rows(claim: ClaimView, voice: Voice) -> list[tuple[str, str]]:
    right = claim.right if claim.quantity != ClaimQuantity.DAYS else None
    return [
        (voice("claimed"), _claimed(claim, voice)),
        (voice("implied"), _implied(claim, voice)),
        (voice("implied-bandwidth"), _of(claim.implied_bandwidth, claim.bandwidth, voice)),
        (voice("bound"), figure(claim.bound, voice)),
        (voice("right"), _ranged(right, voice)),
        (voice("static"), figure(claim.static_memory, voice)),
        (voice("usable"), figure(claim.usable_memory, voice)),
        (voice("fits"), _answer(claim, voice)),
        (voice("least-accelerators"), _count(claim.least_accelerators)),
        (voice("right-days"), _ranged(claim.right_days, voice)),
        (voice("right-accelerators"), _count(claim.right_accelerators)),
        (voice("factor"), figure(claim.factor, voice)),
        (voice("verdict"), voice.word(claim.verdict)),
    ]


def _claimed(claim: ClaimView, voice: Voice) -> str:
    """Return the devices and what is claimed of them."""
    name = claim.accelerator_name
    named = voice.name(name.zh, name.en) if name else ""
    devices = f"{claim.accelerators:,} × {named}" if claim.accelerators and named else named
    stated = figure(claim.claimed or claim.days, voice) if claim.claimed or claim.days else ""
    what = voice(f"claimed-{claim.quantity}") if claim.quantity != ClaimQuantity.DAYS else ""
    return ", ".join(part for part in (devices, f"{what} {stated}".strip()) if part)


def _answer(claim: ClaimView, voice: Voice) -> str:
    if claim.fits is None:
        return voice("unknown") if claim.static_memory else ""
    return voice("yes" if claim.fits else "no")


def _ranged(shown: Shown | None, voice: Voice) -> str:
    """Return a figure with its range, shares in per cent."""
    if shown is None:
        return _DASH
    if shown.low is None or shown.high is None:
        return figure(shown, voice)
    if shown.unit == "share":
        return f"{figure(shown, voice)} ({shown.low * 100:.1f}–{shown.high * 100:.1f} %)"
    return f"{figure(shown, voice)} ({span(shown)})"


def _of(part: Shown | None, whole: Shown | None, voice: Voice) -> str:
    return _DASH if part is None else f"{figure(part, voice)} / {figure(whole, voice)}"


def _implied(claim: ClaimView, voice: Voice) -> str:
    if claim.implied_mfu is None:
        return _DASH
    return f"{figure(claim.implied_mfu, voice)} = {_of(claim.implied_rate, claim.peak, voice)}"


_RULES = (
    "planning.",
    # What bears on the documents alone.
    "project.",
    "commercial.scoring",
    "costing.",
    "acceptance.",
    # Money over time, of which an estimate shows nothing.
    "commercial.scenarios.",
    "commercial.escalation",
    "commercial.insurance",
    "commercial.decommissioning",
)
"""Beginnings of what no key of the project file replaces, or of what has no effect on what is shown."""


def print_assumptions(proposal: Proposal, voice: Voice, *, rules: bool) -> None:
    """Print every value that the tool chose in place of a key of the project file, with its reason.

    Args:
        proposal: what was worked out.
        voice: language of the output.
        rules: print the rules of planning, costing and acceptance as well, which no key replaces.
    """
    chosen = [item for item in proposal.assumptions if rules or not item.setting.startswith(_RULES)]
    rows = [
        (item.key, item.setting, item.value, voice.name(item.reason.zh, item.reason.en), " ".join(item.refs))
        for item in chosen
    ]
    head = ("", voice("setting"), voice("value"), voice("reason"), voice("sources"))
    print_table(head, rows, title=voice("assumptions"))
    if len(chosen) < len(proposal.assumptions):
        click.echo(voice("rules", len(proposal.assumptions) - len(chosen)))


def print_worked(proposal: Proposal, voice: Voice) -> None:
    """Print the calculation of every option line by line, as the documents show it."""
    head = (voice("formula"), voice("numbers"), voice("result"), voice("sources"))
    for option in proposal.options:
        if option.calculation:
            rows = [_worked_row(line) for line in option.calculation]
            print_table(head, rows, title=voice("worked", option.key))


def print_sources(proposal: Proposal, voice: Voice) -> None:
    """Print every source that is cited by its key."""
    sources = [(item.key, item.title, item.publisher, item.published, item.ref) for item in proposal.sources]
    print_table((), sources, title=voice("sources"))


def _worked_row(line: WorkedLine) -> tuple[str, str, str, str]:
    numbers = ", ".join(f"{name} = {value:,f}" for name, value in line.numbers.items())
    return (
        f"{line.symbol} = {line.formula}",
        numbers,
        f"{line.result:,f} {line.unit}",
        " ".join(line.refs),
    )


def print_notices(proposal: Proposal, voice: Voice) -> None:
    """Print what the reader must know."""
    for notice in proposal.notices:
        click.echo(f"{voice('notices')}: {voice.name(notice.text.zh, notice.text.en)}", err=True)
