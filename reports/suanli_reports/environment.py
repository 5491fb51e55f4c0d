"""The document as one HTML text: chapters, prose and charts put together from sandboxed templates.

Structure templates hold tables, charts and headings for all languages; prose templates hold the running
text of one language as macros with the same names and arguments. A document in both languages sets the two
side by side.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from jinja2 import (
    BaseLoader,
    BytecodeCache,
    ChoiceLoader,
    PackageLoader,
    PrefixLoader,
    StrictUndefined,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup
from yaml import safe_load

from suanli.errors import Fault, RenderError
from suanli.proposal.offered import offered
from suanli_reports.chain import ChainTools
from suanli_reports.display_units import displayed
from suanli_reports.figures import FigureTools, MoneyTools
from suanli_reports.glossary import Term as GlossaryTerm
from suanli_reports.glossary import occurring, read
from suanli_reports.outline import Chapter, Outline, chapters
from suanli_reports.reason_views import ReasonViews
from suanli_reports.settings import SettingTools
from suanli_reports.texts import LANGUAGES, Messages, load_messages, shipped_messages
from suanli_reports.theme.colours import colours_of, shipped_colours
from suanli_reports.theme.errors import MISTAKES, as_fault
from suanli_reports.theme.logo import logo_url
from suanli_reports.theme.opening import open_theme
from suanli_reports.theme.sandbox import PREFIX, HouseEnvironment, HouseLoader
from suanli_reports.theme.self_contained import check_self_contained
from suanli_reports.typography import row_headed, tightened
from suanli_reports.voice import Speaker, Voice
from suanli_reports.web_tools import WebTools
from suanli_reports.words import WordTools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from jinja2.bccache import Bucket

    from suanli.proposal.contributions import RenderJob
    from suanli.proposal.model import Option, Proposal
    from suanli_reports.theme.record import Colours, House

__all__ = ["Composer", "compose", "composer_of", "subject_of"]

_PACKAGE = "suanli_templates"
_REFERENCE = re.compile(r'<sup class="ref[^>]*>.*?</sup>', re.DOTALL)


@cache
def _package_loader() -> PackageLoader:
    return PackageLoader(_PACKAGE, "")


def _loader(job: RenderJob) -> BaseLoader:
    """Return the loader: the theme's templates first, then ours.

    Ours are reached past the theme under a prefix, those of plugins under the name of their package.
    """
    own: BaseLoader = _package_loader()
    if job.theme is not None:
        own = ChoiceLoader([HouseLoader(job.theme), own])
    named: dict[str, BaseLoader] = {PREFIX: _package_loader()}
    try:
        named |= {section.package: PackageLoader(section.package) for section in job.sections}
    except (ValueError, ImportError) as error:
        raise RenderError(Fault(f"templates of a plugin's chapter cannot be read: {error}")) from error
    return ChoiceLoader([own, PrefixLoader(named)])


class _Compiled(BytecodeCache):
    """Keeps compiled templates for the life of the process; a changed source is compiled anew."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


def _bare(loader: BaseLoader, theme: Path | None) -> ImmutableSandboxedEnvironment:
    options: dict[str, Any] = {
        "loader": loader,
        "autoescape": True,
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "lstrip_blocks": True,
        "auto_reload": False,
        "bytecode_cache": _COMPILED,
    }
    return ImmutableSandboxedEnvironment(**options) if theme is None else HouseEnvironment(theme, **options)


def subject_of(proposal: Proposal) -> Option | None:
    """Return the option that the document describes in detail.

    The recommended one; where nothing can be recommended, the first that was sized and may be delivered; else
    none.
    """
    return proposal.subject


@dataclass(slots=True)
class Composer:
    """One rendering: environments, voices and what templates may call."""

    job: RenderJob
    speaker: Speaker
    palette: Colours
    house: House | None
    structure: ImmutableSandboxedEnvironment
    prose: dict[str, ImmutableSandboxedEnvironment]

    @property
    def proposal(self) -> Proposal:
        """Return what is rendered."""
        return self.job.proposal

    def say(self, name: str, **values: object) -> Markup:
        """Return a passage of prose, ``file.macro``, in the document's language or in both side by side."""
        parts = [self._passage(voice.language, name, values) for voice in self.speaker.voices]
        if not self.speaker.bilingual:
            return parts[0]
        sides = Markup("").join(
            Markup('<div class="side {0}" lang="{0}">{1}</div>').format(voice.language, part)
            for voice, part in zip(self.speaker.voices, parts, strict=True)
        )
        return Markup('<div class="pair">{}</div>').format(sides)

    def _passage(self, language: str, name: str, values: Mapping[str, object]) -> Markup:
        file, _, macro = name.partition(".")
        template = f"document/prose/{language}/{file}.html.j2"
        passage = self._macro(language, template, macro)
        if passage is None and self.house is not None:
            passage = self._macro(language, f"{PREFIX}/{template}", macro)
        if passage is None:
            raise RenderError(
                Fault(f'no passage "{macro}"', where=template, why="each language has every passage")
            )
        said = Markup(str(passage(**values)).strip())  # noqa: S704 - a macro's output is escaped already
        return tightened(said) if language == "zh" else said

    def _macro(self, language: str, template: str, name: str) -> Callable[..., Markup] | None:
        """Return a passage of a template; a theme's file need not hold all of them."""
        module = self.prose[language].get_template(template).module
        return cast("Callable[..., Markup] | None", getattr(module, name, None))

    def render(self, template: str, **values: object) -> Markup:
        """Return a rendered structure template."""
        return Markup(self.structure.get_template(template).render(**values))  # noqa: S704 - escaped by the environment

    def glossary(self, chapters: Iterable[Chapter]) -> tuple[GlossaryTerm, ...]:
        """Return the terms of the glossary that chapters use."""
        where = "document/glossary.yaml"
        terms = read(safe_load(self.structure.get_template(where).render()), where).terms
        text = " ".join(chapter.html.striptags() for chapter in chapters)
        return occurring(terms, text, [voice.language for voice in self.speaker.voices])

    def source(self, name: str) -> str:
        """Return the text of a template as it is written, a theme's before ours."""
        loader = self.structure.loader
        return "" if loader is None else loader.get_source(self.structure, name)[0]

    def logo(self) -> str:
        """Return the theme's logo as a data URL, empty where there is none."""
        return "" if self.house is None or self.house.logo is None else logo_url(self.house.logo)


def _messages(theme: Path | None) -> Messages:
    shipped = shipped_messages()
    return (
        shipped if theme is None else load_messages(theme / "messages", str(theme / "messages")).over(shipped)
    )


def composer_of(job: RenderJob) -> Composer:
    """Return the composer of a job: voices, colours, and templates with what they may call.

    Raises:
        RenderError: the language is unknown, or a message or a palette cannot be read.
    """
    languages = LANGUAGES if job.language == "bilingual" else (job.language,)
    if not set(languages) <= set(LANGUAGES):
        raise RenderError(Fault(f'no language "{job.language}"', why="known languages: zh, en, bilingual"))
    job = replace(job, proposal=displayed(offered(job.proposal)))
    messages = _messages(job.theme)
    voices = tuple(Voice(language, messages) for language in languages)
    loader = _loader(job)
    house = None if job.theme is None else open_theme(job.theme)
    composer = Composer(
        job,
        Speaker(voices),
        shipped_colours() if house is None else colours_of(house.colours),
        house,
        _bare(loader, job.theme),
        {voice.language: _bare(loader, job.theme) for voice in voices},
    )
    for voice in voices:
        _equip(composer.prose[voice.language], composer, Speaker((voice,)))
    _equip(composer.structure, composer, composer.speaker)
    _globals(composer.structure).update({"prose": composer.say, "glossary": composer.glossary})
    return composer


def _equip(environment: ImmutableSandboxedEnvironment, composer: Composer, speaker: Speaker) -> None:
    proposal, subject = composer.proposal, subject_of(composer.proposal)
    charts = ReasonViews(proposal, speaker, composer.palette, environment)
    tools = _tools(
        WordTools(speaker, proposal),
        FigureTools(speaker, proposal),
        MoneyTools(speaker, proposal),
        SettingTools(speaker),
        ChainTools(speaker, proposal),
        WebTools(speaker),
    )
    values = {
        "p": proposal,
        "subject": subject,
        "charts": charts,
        "palette": composer.palette,
        "language": composer.job.language,
        "attachments": composer.job.attachments,
        "bilingual": speaker.bilingual,
        "logo": composer.logo(),
        "house": composer.house,
    }
    _globals(environment).update({**tools, **values})


def _globals(environment: ImmutableSandboxedEnvironment) -> dict[str, object]:
    """Return the names that all templates of an environment see; the library types them too narrowly."""
    found: dict[str, object] = vars(environment)["globals"]
    return found


def _tools(*boxes: object) -> dict[str, object]:
    """Return the public methods and values of tool boxes by name."""
    return {name: getattr(box, name) for box in boxes for name in dir(box) if not name.startswith("_")}


def _conditions(proposal: Proposal) -> dict[str, bool]:
    subject = subject_of(proposal)
    return {
        "plan": subject is not None,
        "calculation": any(option.calculation for option in proposal.options),
        "money": subject is not None and subject.money is not None,
        "claims": bool(proposal.claims),
        "supply": proposal.supply is not None,
        "acceptance": subject is not None and bool(subject.acceptance),
        "expansion": subject is not None and subject.expansion is not None,
        "software": subject is not None and subject.software is not None,
        "network": subject is not None and subject.network is not None,
        "storage": subject is not None and subject.storage is not None,
        "availability": subject is not None and subject.availability is not None,
        "specification": proposal.specification is not None,
        "nothing": subject is None,
        "dossier": proposal.dossier is not None,
        "index": proposal.dossier is not None and bool(proposal.dossier.rulebooks),
        "bid": proposal.dossier is not None and proposal.dossier.bid is not None,
        "laws": proposal.supply is not None and proposal.supply.law_day is not None,
        "goods": bool(proposal.goods),
        "delivery": proposal.delivery is not None,
        "launch": subject is not None and bool(subject.software and subject.software.launch),
    }


def compose(job: RenderJob, target: str) -> tuple[str, Composer]:
    """Return the document as one HTML text, and the composer that made it.

    Args:
        job: proposal, language, theme and plugins' chapters.
        target: ``print`` for the PDF, ``screen`` for a file to open in a browser.

    Raises:
        InputError: the theme is wrong.
        RenderError: a message, a template or a reference is missing; the error names it.
    """
    composer = composer_of(job)
    try:
        return _compose(composer, target), composer
    except MISTAKES as error:
        said = as_fault(error, job.theme)
        if said is None or said is error:
            raise
        raise said from error


def _compose(composer: Composer, target: str) -> str:
    outline = _outline(composer)
    found = chapters(outline, composer.job.sections, composer.speaker)
    held = {"target": target, "chapters": found, "held": frozenset(chapter.id for chapter in found)}
    for index, chapter in enumerate(found):
        chapter.html = composer.render(chapter.template, chapter=chapter, earlier=found[:index], **held)
    document = row_headed(str(composer.render("document/document.html.j2", chapters=found, target=target)))
    if not outline.has_references:
        document = _REFERENCE.sub("", document)
    _check_references(document)
    if composer.house is not None:
        check_self_contained(document, composer.house)
    return document


def _outline(composer: Composer) -> Outline:
    project = composer.proposal.project
    name = f"document/outlines/{project.type}.yaml"
    content: object = safe_load(composer.structure.get_template(name).render())
    return Outline(content, name, _conditions(composer.proposal), str(project.track))


def _check_references(document: str) -> None:
    """Check that every reference key leads to an entry of an annex."""
    wanted = dict.fromkeys(re.findall(r'href="#(ref-[^"]+)"', document))
    missing = [key.removeprefix("ref-") for key in wanted if f'id="{key}"' not in document]
    if missing:
        raise RenderError(
            [Fault(f'reference key "{key}" has no entry in the annexes', where="proposal") for key in missing]
        )
