"""Quantities as people write them: a number and a unit, read into SI and spelt back.

Every reader takes what stands in a project file (text, or a plain number from Python) and either returns a
value or raises `QuantityError`, which says what was found, what is allowed and what was probably meant.
Full-width digits and punctuation are read like their half-width forms. Every ``spell_*`` function writes a
value so that its reader returns the same value.
"""

from suanli.project.quantities.codes import (
    parse_country,
    parse_currency,
    parse_currency_pair,
    parse_date,
    parse_region,
)
from suanli.project.quantities.counts import (
    parse_capacity,
    parse_count,
    parse_multiple,
    parse_number,
    parse_ratio,
    parse_whole,
)
from suanli.project.quantities.money import parse_energy_price, parse_money
from suanli.project.quantities.physical import (
    parse_bytes,
    parse_carbon,
    parse_days,
    parse_duration,
    parse_fraction,
    parse_months,
    parse_power,
    parse_pue,
    parse_years,
)
from suanli.project.quantities.rates import (
    parse_bandwidth,
    parse_byte_amount,
    parse_flops,
    parse_latency,
    spell_bandwidth,
    spell_byte_amount,
    spell_flops,
    spell_latency,
)
from suanli.project.quantities.reading import QuantityError, normalise
from suanli.project.quantities.spelling import (
    spell_bytes,
    spell_carbon,
    spell_count,
    spell_duration,
    spell_energy_price,
    spell_fraction,
    spell_money,
    spell_number,
    spell_power,
)

__all__ = [
    "QuantityError",
    "normalise",
    "parse_bandwidth",
    "parse_byte_amount",
    "parse_bytes",
    "parse_capacity",
    "parse_carbon",
    "parse_count",
    "parse_country",
    "parse_currency",
    "parse_currency_pair",
    "parse_date",
    "parse_days",
    "parse_duration",
    "parse_energy_price",
    "parse_flops",
    "parse_fraction",
    "parse_latency",
    "parse_money",
    "parse_months",
    "parse_multiple",
    "parse_number",
    "parse_power",
    "parse_pue",
    "parse_ratio",
    "parse_region",
    "parse_whole",
    "parse_years",
    "spell_bandwidth",
    "spell_byte_amount",
    "spell_bytes",
    "spell_carbon",
    "spell_count",
    "spell_duration",
    "spell_energy_price",
    "spell_flops",
    "spell_fraction",
    "spell_latency",
    "spell_money",
    "spell_number",
    "spell_power",
]
