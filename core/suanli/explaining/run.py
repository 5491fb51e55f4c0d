"""From the step to days: rate, MFU, steps, time lost to interruptions, range, and an untuned team."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.explaining.origins import Origin

if TYPE_CHECKING:
    from suanli.explaining.lines import Book
    from suanli.explaining.subject import Subject

__all__ = ["explain_run"]


_NOTHING_S: Final = 1e-6
"""Difference of two steps that is no difference."""


def explain_run(subject: Subject, book: Book) -> None:
    """Add what a step comes to over the whole run."""
    _rate(subject, book)
    _goodput(subject, book)
    _duration(subject, book)


def _rate(subject: Subject, book: Book) -> None:
    """Add the step as it is measured, the rate, and MFU."""
    for symbol, value in (("p10", subject.ratio.p10), ("p50", subject.ratio.p50), ("p90", subject.ratio.p90)):
        book.given(f"r_{symbol}", value, *_residuals(subject))
    book.given("cards", subject.sizing.accelerators)
    waited = subject.sizing.step.total_s - book.values["t_step"] / subject.ratio.p50
    # The network that is bought may be slower than the non-blocking one of the estimate.
    oversubscribed = waited > _NOTHING_S
    if oversubscribed:
        built = Origin("network", "plugin", "step on the network as built, less that on a non-blocking one")
        book.given("t_net", waited, built)
    book.line("run.step", "t_50", "t_step/r_p50 + t_net" if oversubscribed else "t_step/r_p50", "s")
    book.line("run.batch", "batch", "b·dp·m", "sequences")
    book.line("run.rate", "rate", "batch·s/t_50", "tokens/s")
    book.line("run.rate-of-one", "rate_1", "rate/cards", "tokens/s")
    book.line("run.mfu", "MFU", "rate_1·F/P_card", "share", subject.origins.paper("palm"))


def _residuals(subject: Subject) -> tuple[Origin, ...]:
    """Return where the range of measured over predicted rates comes from."""
    if subject.sizing.pilot_ratio is not None:
        return (Origin("measured", "pilot", "pilot runs of the project"),)
    shared = subject.sizing.device.shared
    if shared is None:
        return (Origin("neutral", "neutral", "spread of the code, no fit loaded"),)
    return (subject.origins.fit(shared),)


def _goodput(subject: Subject, book: Book) -> None:
    failures, young = subject.failures, subject.origins.paper("young")
    source = subject.origins.source(failures.source)
    book.given("λ", failures.failures_per_1000_device_days, *source)
    book.given("C_w", failures.checkpoint_write_s)
    book.given("C_r", failures.restart_s)
    book.line("run.mtbf", "M_f", "1000·86400/(λ·cards)", "s")
    if not failures.background_write_s:
        book.line("run.interval", "τ", "√(2·C_w·M_f)", "s", young)
        book.line("run.goodput", "good", "1/(1 + C_w/τ + τ/(2·M_f) + C_r/M_f)", "share", young)
        return
    book.given("C_b", failures.background_write_s)
    book.line("run.interval", "τ", "max(√(2·C_w·M_f), C_b)", "s", young)
    book.line("run.goodput", "good", "1/(1 + C_w/τ + (τ/2 + C_b)/M_f + C_r/M_f)", "share", young)


def _duration(subject: Subject, book: Book) -> None:
    book.given("tokens", subject.sizing.tokens)
    book.line("run.steps", "steps", "ceil(tokens/(batch·s))", "steps")
    book.line("run.ideal", "ideal", "steps·t_50/86400", "days")
    book.line("run.duration", "days", "ideal/good", "days")
    book.line("run.duration-p10", "days_p10", "days·r_p50/r_p90", "days")
    book.line("run.duration-p90", "days_p90", "days·r_p50/r_p10", "days")
    untuned = Origin("untuned", "plugin", "P10 of stacks that were left out of the fit")
    book.given("f_untuned", subject.untuned_factor, untuned)
    book.line("run.untuned", "days_untuned", "days/f_untuned", "days")
    book.line("run.bound", "days_bound", "tokens·F/(cards·P_card)/86400", "days")
