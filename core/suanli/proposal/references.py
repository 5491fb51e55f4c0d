"""Reference keys of sources, formulas and assumptions, numbered in order of first use.

S: source, R: calibration on measured runs, C: compliance, F: formula, A: assumption.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from suanli.costing.edits import EDITED_SOURCE
from suanli.domain.figure import Figure, Grade, Source, grade_of
from suanli.proposal.model import FormulaView, SourceView

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.figure import Check, Confidence
    from suanli.domain.vendor import Fit
    from suanli.domain.workload import Requirement

__all__ = ["FORMULA_CITATIONS", "References", "with_edited_sheet"]

FORMULA_CITATIONS: dict[str, str] = {
    "training-work": "Kaplan et al., 2020, section 2.1; Narayanan et al., 2021, appendix",
    "effective-rate": "Chowdhery et al., 2022 (PaLM), appendix B",
    "step-time": "Williams, Waterman & Patterson, 2009 (roofline); Narayanan et al., 2021, section 2.2",
    "memory": "Rajbhandari et al., 2020 (ZeRO), section 3; Korthikanti et al., 2022, section 4",
    "all-reduce": "Patarasuk & Yuan, 2009, section 3",
    "traffic": "Thakur, Rabenseifner & Gropp, 2005, section 3; Narayanan et al., 2021, section 3.2",
    "goodput": "Young, 1974; Daly, 2006",
    "spares": "Kleinrock, 1975, section 3.6 (Erlang's loss formula)",
    "duration": "",
    "nodes": "",
    "energy": "ISO/IEC 30134-2 (PUE)",
    "carbon": "GHG Protocol, Scope 2 Guidance, 2015 (location-based)",
    "tco": "",
    "depreciation": "",
    "optimal-tokens": "Hoffmann et al., 2022, section 3",
}
"""Where each formula comes from; an empty citation is arithmetic that needs none."""


def with_edited_sheet(catalogue: Catalogue, requirement: Requirement) -> Catalogue:
    """Return the catalogue with the cost sheet as a source, where figures of it were changed by hand."""
    rates = requirement.commercial.exchange_rates
    if not requirement.edits and not any(rate.source == EDITED_SOURCE for rate in rates):
        return catalogue
    days = [
        *(edit.day for edit in requirement.edits),
        *(rate.day for rate in rates if rate.source == EDITED_SOURCE),
    ]
    chinese = requirement.project.languages[0] == "zh"
    sheet = Source(
        id=EDITED_SOURCE,
        title="成本测算表（人工改动）" if chinese else "Cost sheet, changed by hand",
        publisher=requirement.project.client.in_language(requirement.project.languages[0]),
        ref="project.yaml: edits",
        retrieved=max(days),
    )
    sources = {**catalogue.records.get(Source.kind, {}), EDITED_SOURCE: sheet}
    return replace(catalogue, records={**catalogue.records, Source.kind: sources})


@dataclass(slots=True)
class References:
    """Gives each source, formula and assumption its key, once."""

    catalogue: Catalogue
    _keys: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    _weak: set[str] = field(default_factory=set[str])
    _formulas: dict[str, str] = field(default_factory=dict[str, str])
    _fits: dict[str, Fit] = field(default_factory=dict[str, "Fit"])

    def source(self, source_id: str, *, letter: str = "S", weak: bool = False) -> tuple[str, ...]:
        """Return the key of a source as a tuple, empty for an empty id."""
        if not source_id or self.catalogue.find(Source, source_id) is None:
            return ()
        if weak:
            self._weak.add(source_id)
        return (self._key(source_id, letter),)

    def _key(self, source_id: str, letter: str) -> str:
        found = next((key for (_, known), key in self._keys.items() if known == source_id), None)
        if found is None:
            found = f"{letter}{1 + sum(kind == letter for kind, _ in self._keys)}"
            self._keys[letter, source_id] = found
        return found

    def fit(self, fit: Fit | None) -> tuple[str, ...]:
        """Return the key of a fit on measured runs, listed with its own error; empty where it states none."""
        if fit is None or fit.median_error is None:
            return ()
        if self.catalogue.find(Source, fit.median_error.source) is None:
            return ()
        self._fits[fit.id] = fit
        if fit.median_error.grade in {Grade.WEAK, Grade.SIBLING}:
            self._weak.add(fit.id)
        return (self._key(fit.id, "R"),)

    def figure(self, figure: Figure | None, *, letter: str = "S") -> tuple[str, ...]:
        """Return the key of a figure's source."""
        if figure is None:
            return ()
        return self.source(figure.source, letter=letter, weak=figure.grade in {Grade.WEAK, Grade.SIBLING})

    def cited(
        self, source_id: str, check: Check, confidence: Confidence, *, letter: str = "S"
    ) -> tuple[str, ...]:
        """Return the key of a source that a record without a figure cites."""
        return self.source(source_id, letter=letter, weak=grade_of(check, confidence) is Grade.WEAK)

    def formula(self, formula_id: str) -> str:
        """Return the key of a formula.

        Raises:
            KeyError: the formula has no citation entry.
        """
        if formula_id not in FORMULA_CITATIONS:
            raise KeyError(f'formula "{formula_id}" has no entry in FORMULA_CITATIONS')
        return self._formulas.setdefault(formula_id, f"F{1 + len(self._formulas)}")

    @property
    def source_keys(self) -> dict[str, str]:
        """Return the key of every source used, by source id."""
        return {source_id: key for (_, source_id), key in self._keys.items()}

    def sources(self) -> tuple[SourceView, ...]:
        """Return every source used, by letter and number."""
        ordered = sorted(self.source_keys.items(), key=lambda item: (item[1][0], int(item[1][1:])))
        return tuple(
            SourceView(
                key=key,
                id=source_id,
                title=self._title(source_id, source),
                publisher=source.publisher,
                published=source.published,
                ref=source.ref,
                retrieved=source.retrieved,
                weak=source_id in self._weak,
            )
            for source_id, key in ordered
            if (source := self._found(source_id)) is not None
        )

    def _found(self, source_id: str) -> Source | None:
        """Return a source, or that of a fit."""
        fit = self._fits.get(source_id)
        error = None if fit is None else fit.median_error
        return self.catalogue.find(Source, source_id if error is None else error.source)

    def _title(self, source_id: str, source: Source) -> str:
        """Return the title of a source; that of a fit says what it rests on and how far off it is."""
        fit = self._fits.get(source_id)
        if fit is None or fit.median_error is None:
            return source.title
        error = f"median error {fit.median_error.si:.1%} on runs that were left out"
        return f"{source.title}; {fit.subject}: {fit.groups} groups of runs, {error}"

    def formulas(self) -> tuple[FormulaView, ...]:
        """Return every formula used, in order of first use."""
        return tuple(
            FormulaView(key=key, id=formula_id, source=FORMULA_CITATIONS[formula_id])
            for formula_id, key in self._formulas.items()
        )
