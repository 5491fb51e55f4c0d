"""The kinds of value a project file holds: each joins a reader of quantities to its JSON Schema."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from pydantic import BeforeValidator, Field
from pydantic_core import core_schema

from suanli.domain.architecture import MlpType
from suanli.domain.hardware import Cooling, Precision
from suanli.domain.money import Money
from suanli.domain.record import Text
from suanli.domain.workload import (
    Hall,
    Objective,
    Offload,
    Paper,
    ProposalType,
    Recompute,
    Rounding,
    SolveFor,
    Task,
    Track,
)
from suanli.project.quantities import (
    QuantityError,
    normalise,
    parse_bandwidth,
    parse_byte_amount,
    parse_capacity,
    parse_carbon,
    parse_count,
    parse_country,
    parse_currency,
    parse_currency_pair,
    parse_date,
    parse_days,
    parse_duration,
    parse_energy_price,
    parse_flops,
    parse_fraction,
    parse_latency,
    parse_money,
    parse_months,
    parse_multiple,
    parse_number,
    parse_power,
    parse_pue,
    parse_ratio,
    parse_region,
    parse_whole,
    parse_years,
)
from suanli.project.quantities.reading import parse_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic.json_schema import JsonSchemaValue

E = TypeVar("E", bound=StrEnum)

TRAINING_PRECISIONS = (Precision.BF16, Precision.FP16, Precision.FP8)
"""Formats in which the matrix products of training run."""

REDUNDANCIES = ("N", "N+1", "2N", "2N+1", "2(N+1)")
LANGUAGES = ("zh", "en")


def about(en: str, zh: str, example: object) -> Any:  # noqa: ANN401 - as pydantic's own Field
    """Describe a key in both languages, with an example that a file could hold."""
    return Field(
        description=en, examples=[example], json_schema_extra={"x-description-en": en, "x-description-zh": zh}
    )


@dataclass(frozen=True, slots=True)
class Reader:
    """Annotation of a value that a function reads from text."""

    read: Callable[[Any], Any]
    bare: bool = True
    """True where YAML libraries may hand the value over as a number."""
    words: tuple[str, ...] = ()
    """All values, where they can be listed."""

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> core_schema.CoreSchema:
        """Return the validator: the function, and nothing after it."""
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, schema: object, handler: object) -> JsonSchemaValue:
        """Return the JSON Schema of the text."""
        if self.words:
            return {"type": "string", "enum": list(self.words)}
        return {"type": ["string", "number"] if self.bare else "string"}


def choose(value: object, allowed: Sequence[str]) -> str:
    """Return the allowed word that a text is, whatever its case.

    Raises:
        QuantityError: the text is none of the allowed words.

    >>> choose("Liquid", ["air", "liquid"])
    'liquid'
    """
    listed = f"one of: {', '.join(allowed)}"
    text = parse_text(value, listed)
    word = text.casefold().replace(" ", "-").replace("_", "-")
    by_word = {name.casefold(): name for name in allowed}
    if word in by_word:
        return by_word[word]
    close = difflib.get_close_matches(word, list(by_word), n=1, cutoff=0.5)
    raise QuantityError(
        f'"{text}" is not known', listed, f'did you mean "{by_word[close[0]]}"?' if close else ""
    )


def one_of(members: Sequence[E]) -> Reader:
    """Return the reader of an enumeration, or of some of its members."""
    by_word = {member.value: member for member in members}
    return Reader(lambda value: by_word[choose(value, list(by_word))], words=tuple(by_word))


def _words(allowed: tuple[str, ...]) -> Reader:
    return Reader(lambda value: choose(value, allowed), words=allowed)


def _line(value: object) -> str:
    """Return a text on one line, as written."""
    parse_text(
        value if not isinstance(value, str) else value[:1] if value.strip() else "", "a text of one line"
    )
    return " ".join(str(value).split())


def _words_of(value: object) -> Text:
    """Return a text of one line for both languages, or a mapping with one for each."""
    if not isinstance(value, dict):
        return Text.same(_line(value))
    given = cast("dict[str, object]", value)
    if set(given) != set(LANGUAGES):
        listed = "a text, or {zh: ..., en: ...}"
        raise QuantityError(f"keys here: {', '.join(given) or 'none'}", listed)
    return Text(zh=_line(given["zh"]), en=_line(given["en"]))


class _PairedReader(Reader):
    """A text of one line, or one in each language."""

    def __get_pydantic_json_schema__(self, schema: object, handler: object) -> JsonSchemaValue:
        """Return the JSON Schema of both forms."""
        line = {"type": "string"}
        pair = {
            "type": "object",
            "properties": dict.fromkeys(LANGUAGES, line),
            "required": list(LANGUAGES),
            "additionalProperties": False,
        }
        return {"oneOf": [line, pair]}


def _name(value: object) -> str:
    return parse_text(value, "a name of letters, digits, dots and dashes")


def _listed(value: object) -> object:
    """Take a single value for a list of one, and split names at commas, half- or full-width."""
    if not isinstance(value, str | list):
        return value
    rows = [value] if isinstance(value, str) else cast("list[object]", value)
    split = [part for row in rows for part in (normalise(row).split(",") if isinstance(row, str) else [row])]
    return [part for part in split if part != ""]


def _one_or_more(value: object) -> object:
    """Take nothing for an empty list and a single mapping for a list of one."""
    rows: list[object] = [] if value == "" else [value]
    return rows if value == "" or isinstance(value, dict) else value


def _empty_section(value: object) -> object:
    """Take a section whose keys are all commented out for an empty one."""
    return {} if value == "" else value


def _yes_no(value: object) -> bool:
    return choose(value, ["true", "false"]) == "true"


def _claim_days(value: object) -> float:
    """Read a number of days, or a duration with its unit."""
    text = parse_text(value, "a number of days, or a duration such as 298 h")
    if text.replace(".", "", 1).isdigit():
        return float(parse_number(text, high=36_500, what="a number of days"))
    return parse_duration(text) / 86_400


def _claim_rate(value: object) -> float:
    """Read a rate in tokens per second: a plain number, or one with a suffix such as 1.2M."""
    text = parse_text(value, "a rate of tokens per second, such as 4672 or 1.2M")
    if text[-1:].isalpha():
        return float(parse_count(text))
    return float(parse_number(text, high=10**12, what="a rate of tokens per second"))


def _agreed(value: object) -> bool:
    if not _yes_no(value):
        raise QuantityError("a claim that it does not fit is no claim", "true, or leave the key out")
    return True


def _years(value: object) -> int:
    """Read whole years; the number may stand bare where the key names the unit."""
    text = parse_text(value, "a whole number of years from 1 to 30")
    return parse_whole(text, high=30, what="years") if text.isdigit() else parse_years(text)


def _redundancy(value: object) -> str:
    return choose(str(value).replace(" ", "") if isinstance(value, str) else value, REDUNDANCIES)


Line = Annotated[str, Reader(_line, bare=False)]
Words = Annotated[Text, _PairedReader(_words_of)]
Name = Annotated[str, Reader(_name)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_listed)]
Listed = BeforeValidator(_listed)
OneOrMore = BeforeValidator(_one_or_more)
Section = BeforeValidator(_empty_section)

TokenCount = Annotated[int, Reader(parse_count)]
BatchTokens = Annotated[int, Reader(partial(parse_count, bare_from=1024, example="M"))]
Parameters = Annotated[int, Reader(partial(parse_count, what="parameters", example="B"))]
Whole = Annotated[int, Reader(parse_whole)]
WholeOrZero = Annotated[int, Reader(partial(parse_whole, low=0))]
Size = Annotated[int, Reader(partial(parse_whole, what="a whole number, as in the model's config.json,"))]
SizeOrZero = Annotated[int, Reader(partial(parse_whole, low=0, what="a whole number"))]
AnySize = Annotated[int, Reader(partial(parse_whole, low=0, high=10**13, what="a whole number"))]
ZeroStage = Annotated[int, Reader(partial(parse_whole, low=0, high=3, what="a ZeRO stage"))]
Number = Annotated[Decimal, Reader(partial(parse_number, high=1000))]
NumberOrZero = Annotated[Decimal, Reader(partial(parse_number, open_low=False, high=100_000))]
Signed = Annotated[
    Decimal, Reader(partial(parse_number, low=-(10**15), open_low=False, high=10**15, what="a figure"))
]
Rate = Annotated[Decimal, Reader(partial(parse_number, what="a rate"))]
TokensPerSecond = Annotated[Decimal, Reader(partial(parse_number, what="a rate of tokens per second"))]
Ratio = Annotated[Decimal, Reader(parse_ratio)]
Capacity = Annotated[Decimal, Reader(parse_capacity)]
Multiple = Annotated[Decimal, Reader(parse_multiple, bare=False)]
Duration = Annotated[float, Reader(parse_duration, bare=False)]
Days = Annotated[int, Reader(parse_days, bare=False)]
DaysOrZero = Annotated[int, Reader(partial(parse_days, low=0), bare=False)]
Months = Annotated[int, Reader(parse_months, bare=False)]
MonthsOrZero = Annotated[int, Reader(partial(parse_months, low=0), bare=False)]
Years = Annotated[int, Reader(_years)]
ClaimDays = Annotated[float, Reader(_claim_days)]
ClaimRate = Annotated[float, Reader(_claim_rate)]
ClaimShare = Annotated[Decimal, Reader(partial(parse_fraction, open_low=True, high=Decimal(1000)))]
ByteAmount = Annotated[float, Reader(parse_byte_amount, bare=False)]
Bandwidth = Annotated[float, Reader(parse_bandwidth, bare=False)]
Flops = Annotated[float, Reader(parse_flops, bare=False)]
Latency = Annotated[float, Reader(parse_latency, bare=False)]
Agreed = Annotated[bool, Reader(_agreed, words=("true",))]
Fraction = Annotated[Decimal, Reader(parse_fraction)]
Probability = Annotated[Decimal, Reader(partial(parse_fraction, open_low=True, high=Decimal("0.999")))]
Pue = Annotated[Decimal, Reader(parse_pue)]
Power = Annotated[float, Reader(parse_power, bare=False)]
Amount = Annotated[Money, Reader(parse_money, bare=False)]
EnergyPrice = Annotated[Money, Reader(parse_energy_price, bare=False)]
CarbonIntensity = Annotated[Decimal, Reader(parse_carbon, bare=False)]
Day = Annotated[date, Reader(parse_date, bare=False)]
Region = Annotated[str, Reader(parse_region, bare=False)]
Country = Annotated[str, Reader(parse_country, bare=False)]
Currency = Annotated[str, Reader(parse_currency, bare=False)]
CurrencyPair = Annotated[tuple[str, str], Reader(parse_currency_pair, bare=False)]
YesNo = Annotated[bool, Reader(_yes_no, words=("true", "false"))]

Language = Annotated[str, _words(LANGUAGES)]
Redundancy = Annotated[str, Reader(_redundancy, words=REDUNDANCIES)]
ProposalKind = Annotated[ProposalType, one_of(tuple(ProposalType))]
TrackKind = Annotated[Track, one_of(tuple(Track))]
PaperKind = Annotated[Paper, one_of(tuple(Paper))]
TaskKind = Annotated[Task, one_of(tuple(Task))]
PrecisionKind = Annotated[Precision, one_of(TRAINING_PRECISIONS)]
SolveKind = Annotated[SolveFor, one_of(tuple(SolveFor))]
ObjectiveKind = Annotated[Objective, one_of(tuple(Objective))]
RecomputeKind = Annotated[Recompute, one_of(tuple(Recompute))]
OffloadKind = Annotated[Offload, one_of(tuple(Offload))]
CoolingKind = Annotated[Cooling, one_of(tuple(Cooling))]
HallKind = Annotated[Hall, one_of(tuple(Hall))]
RoundingKind = Annotated[Rounding, one_of(tuple(Rounding))]
MlpKind = Annotated[MlpType, one_of(tuple(MlpType))]
