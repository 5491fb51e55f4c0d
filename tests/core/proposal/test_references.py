"""Reference keys are given once, in order of first use, by letter."""

from __future__ import annotations

from datetime import date

import pytest

from suanli.domain.catalogue import Catalogue, Provenance
from suanli.domain.figure import Bytes, Check, Confidence, Number, Source
from suanli.domain.vendor import Fit, FitScope
from suanli.proposal.references import FORMULA_CITATIONS, References

ORIGIN = Provenance("acme", "acme", "1")


def source(name: str) -> Source:
    return Source(id=name, title=f"Sheet {name}", publisher="Acme", retrieved=date(2026, 11, 30))


@pytest.fixture
def references() -> References:
    return References(Catalogue.of([(source(name), ORIGIN) for name in ("one", "two", "three")]))


def test_sources_are_numbered_in_order_of_first_use_and_by_letter(references: References) -> None:
    assert references.source("two") == ("S1",)
    assert references.source("one", letter="C") == ("C1",)
    assert references.source("three") == ("S2",)
    assert references.source("two") == ("S1",)
    assert [view.key for view in references.sources()] == ["C1", "S1", "S2"]


def test_a_source_keeps_one_key_even_if_cited_under_another_letter(references: References) -> None:
    assert references.source("two") == ("S1",)
    assert references.source("two", letter="C") == ("S1",)


def test_an_absent_or_unknown_source_has_no_key(references: References) -> None:
    assert references.source("") == ()
    assert references.source("nobody") == ()


def test_a_source_is_weak_once_a_figure_from_memory_uses_it(references: References) -> None:
    figure = Bytes(value=64, unit="GB", source="one", confidence=Confidence.DATASHEET, check=Check.RECALL)
    references.figure(figure)
    references.source("two")
    assert {view.id: view.weak for view in references.sources()} == {"one": True, "two": False}


def fit(source: str) -> Fit:
    error = Number(
        value=0.069, unit="fraction", source=source, confidence=Confidence.ESTIMATE, check=Check.DIRECT
    )
    return Fit(
        id="fit-device-x1", scope=FitScope.DEVICE, subject="x1", constants={}, groups=32, median_error=error
    )


def test_a_fit_is_listed_once_with_its_groups_and_the_error_of_runs_left_out(references: References) -> None:
    assert references.fit(fit("one")) == ("R1",)
    assert references.fit(fit("one")) == ("R1",)
    (view,) = references.sources()
    assert (view.key, view.id, view.weak) == ("R1", "fit-device-x1", True)
    assert view.title == "Sheet one; x1: 32 groups of runs, median error 6.9% on runs that were left out"


def test_a_fit_that_is_absent_or_has_no_known_source_has_no_key(references: References) -> None:
    assert references.fit(None) == ()
    assert references.fit(fit("nobody")) == ()
    assert references.fit(fit("one").model_copy(update={"median_error": None})) == ()


def test_formulas_are_numbered_and_an_unknown_one_is_refused(references: References) -> None:
    assert references.formula("goodput") == "F1"
    assert references.formula("memory") == "F2"
    assert references.formula("goodput") == "F1"
    assert [view.source for view in references.formulas()] == [
        FORMULA_CITATIONS["goodput"],
        FORMULA_CITATIONS["memory"],
    ]
    with pytest.raises(KeyError, match="no entry"):
        references.formula("magic")
