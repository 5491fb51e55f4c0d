"""ISO codes: dates (8601), countries and regions (3166), currencies (4217)."""

from __future__ import annotations

import difflib
import re
from datetime import date

from suanli.project.quantities.reading import QuantityError, parse_text

__all__ = ["parse_country", "parse_currency", "parse_currency_pair", "parse_date", "parse_region"]

_COUNTRIES_CODES = """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
    BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE
    EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM
    HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC
    LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
    NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
    SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO
    TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
"""
_COUNTRIES = frozenset(_COUNTRIES_CODES.split())

_CHINA = {
    "CN-AH": ("安徽", "Anhui"),
    "CN-BJ": ("北京", "Beijing"),
    "CN-CQ": ("重庆", "Chongqing"),
    "CN-FJ": ("福建", "Fujian"),
    "CN-GD": ("广东", "Guangdong"),
    "CN-GS": ("甘肃", "Gansu"),
    "CN-GX": ("广西", "Guangxi"),
    "CN-GZ": ("贵州", "Guizhou"),
    "CN-HA": ("河南", "Henan"),
    "CN-HB": ("湖北", "Hubei"),
    "CN-HE": ("河北", "Hebei"),
    "CN-HI": ("海南", "Hainan"),
    "CN-HK": ("香港", "Hong Kong"),
    "CN-HL": ("黑龙江", "Heilongjiang"),
    "CN-HN": ("湖南", "Hunan"),
    "CN-JL": ("吉林", "Jilin"),
    "CN-JS": ("江苏", "Jiangsu"),
    "CN-JX": ("江西", "Jiangxi"),
    "CN-LN": ("辽宁", "Liaoning"),
    "CN-MO": ("澳门", "Macao"),
    "CN-NM": ("内蒙古", "Inner Mongolia"),
    "CN-NX": ("宁夏", "Ningxia"),
    "CN-QH": ("青海", "Qinghai"),
    "CN-SC": ("四川", "Sichuan"),
    "CN-SD": ("山东", "Shandong"),
    "CN-SH": ("上海", "Shanghai"),
    "CN-SN": ("陕西", "Shaanxi"),
    "CN-SX": ("山西", "Shanxi"),
    "CN-TJ": ("天津", "Tianjin"),
    "CN-TW": ("台湾", "Taiwan"),
    "CN-XJ": ("新疆", "Xinjiang"),
    "CN-XZ": ("西藏", "Xizang"),
    "CN-YN": ("云南", "Yunnan"),
    "CN-ZJ": ("浙江", "Zhejiang"),
}
"""Subdivisions of China by ISO 3166-2, with the names that people write instead."""

_NAMES = {
    "中国": "CN",
    "China": "CN",
    "PRC": "CN",
    "美国": "US",
    "USA": "US",
    "UK": "GB",
    "EU": "an EU member such as DE",
}

_CURRENCIES_CODES = """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
    CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP
    GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD
    KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN
    NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
    SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND
    VUV WST XAF XCD XOF XPF YER ZAR ZMW
"""
_CURRENCIES = frozenset(_CURRENCIES_CODES.split())
_CURRENCY_NAMES = {
    "RMB": "CNY",
    "YUAN": "CNY",
    "CNH": "CNY",
    "元": "CNY",
    "人民币": "CNY",
    "美元": "USD",
    "欧元": "EUR",
}


def _close(text: str, known: frozenset[str]) -> str:
    """Return a question that names the closest code, or an empty string."""
    found = difflib.get_close_matches(text.upper(), sorted(known), n=1, cutoff=0.6)
    return f'did you mean "{found[0]}"?' if found else ""


def parse_date(value: object) -> date:
    """Read a day, ISO 8601.

    Raises:
        QuantityError: the text is no day of the calendar in the form YYYY-MM-DD.

    >>> parse_date("2026-11-30")
    datetime.date(2026, 11, 30)
    """
    allowed = "a day of the calendar as YYYY-MM-DD (ISO 8601), such as 2026-11-30"
    text = parse_text(value.isoformat() if isinstance(value, date) else value, allowed)
    found = re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})", text)
    try:
        if found:
            return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        raise QuantityError(f'"{text}" is not a day of the calendar', allowed) from None
    loose = re.fullmatch(r"(\d{4})[年/.-](\d{1,2})[月/.-](\d{1,2})日?", text)
    meant = f'write "{loose[1]}-{int(loose[2]):02}-{int(loose[3]):02}"' if loose else ""
    raise QuantityError(f'"{text}" is not a date in that form', allowed, meant)


def parse_region(value: object) -> str:
    """Read a region: a country of ISO 3166-1 or a subdivision of ISO 3166-2.

    Raises:
        QuantityError: the text is no such code.

    >>> parse_region("CN-GZ")
    'CN-GZ'
    """
    allowed = "a subdivision code of ISO 3166-2 such as CN-GZ, or a country code of ISO 3166-1 such as CN"
    text = parse_text(value, allowed)
    for code, names in _CHINA.items():
        if text.removesuffix("省").removesuffix("市") == names[0] or text.casefold() == names[1].casefold():
            raise QuantityError(f'"{text}" is a name where a code is meant', allowed, f'write "{code}"')
    if re.fullmatch(r"[A-Z]{2}", text):
        return parse_country(text)
    if not re.fullmatch(r"[A-Z]{2}-[A-Z0-9]{1,3}", text):
        meant = (
            text.upper() if re.fullmatch(r"[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?", text) else _NAMES.get(text, "")
        )
        raise QuantityError(
            f'"{text}" is not a region code', allowed, f'did you mean "{meant}"?' if meant else ""
        )
    parse_country(text[:2])
    if text.startswith("CN-") and text not in _CHINA:
        raise QuantityError(f'"{text}" is not a province of China', allowed, _close(text, frozenset(_CHINA)))
    return text


def parse_country(value: object) -> str:
    """Read a country code of ISO 3166-1, two letters.

    Raises:
        QuantityError: the text is no such code.
    """
    allowed = "a country code of ISO 3166-1, such as CN or US"
    text = parse_text(value, allowed)
    if text in _COUNTRIES:
        return text
    meant = _NAMES.get(text) or (
        text.upper() if text.upper() in _COUNTRIES else text[:2] if text[:2] in _COUNTRIES else ""
    )
    raise QuantityError(
        f'"{text}" is not a country code', allowed, f'did you mean "{meant}"?' if meant else ""
    )


def parse_currency(value: object) -> str:
    """Read a currency code of ISO 4217.

    Raises:
        QuantityError: the text is no such code.
    """
    allowed = "a currency code of ISO 4217, such as CNY, USD or EUR"
    text = parse_text(value, allowed)
    if text in _CURRENCIES:
        return text
    meant = _CURRENCY_NAMES.get(text.upper())
    raise QuantityError(
        f'"{text}" is not a currency code',
        allowed,
        f'did you mean "{meant}"?' if meant else _close(text, _CURRENCIES),
    )


def parse_currency_pair(value: object) -> tuple[str, str]:
    """Read a pair such as ``USD/CNY``: how many of the second buy one of the first.

    Raises:
        QuantityError: the text is no pair of two different currencies.

    >>> parse_currency_pair("USD/CNY")
    ('USD', 'CNY')
    """
    allowed = "BASE/QUOTE, such as USD/CNY: the rate says how many of the second buy one of the first"
    text = parse_text(value, allowed)
    base, slash, quote = text.partition("/")
    if not slash:
        six = re.fullmatch(r"([A-Z]{3})[-_ ]?([A-Z]{3})", text)
        raise QuantityError(
            f'"{text}" is not a currency pair', allowed, f'write "{six[1]}/{six[2]}"' if six else ""
        )
    pair = parse_currency(base), parse_currency(quote)
    if pair[0] == pair[1]:
        raise QuantityError(f'"{text}" names one currency twice', allowed)
    return pair
