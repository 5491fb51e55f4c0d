"""What a finance reviewer does with the workbook: follow a total back, compare options, change a figure."""

from __future__ import annotations

import io
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import ironcalc
import openpyxl
import pytest
from openpyxl.utils import column_index_from_string
from tests import factories

from suanli.costing.words import amount_in_words
from suanli.domain.record import Text
from suanli.planning.results import BillCategory, VatClass
from suanli.proposal.contributions import RenderJob
from suanli.proposal.model import BillRow, MoneyView, Shown
from suanli_reports.workbook_grid import Grid, arrange
from suanli_reports.workbook_template import load_layout
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from pathlib import Path

    from openpyxl.workbook import Workbook

    from suanli.proposal.model import Option, Proposal


def _open(data: bytes, *, cached: bool = False) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(data), data_only=cached)


def _grid(job: RenderJob) -> Grid:
    return arrange(load_layout(job), job.proposal.ledger, job.language)


def _row(number: int, *, priced: bool) -> BillRow:
    amount = Decimal(100) if priced else None
    return BillRow(
        number=f"A-{number}",
        id=f"item-{number}",
        category=BillCategory.COMPUTE,
        name=Text(zh="服务器", en="Server"),
        quantity=1,
        unit="set",
        rule="once",
        rule_text=Text(zh="一台", en="one"),
        rule_numbers={},
        vat_class=VatClass.GOODS,
        price=None,
        unit_price=amount,
        net=amount,
        vat_rate=Decimal("0.13"),
        vat=amount,
        gross=amount,
        recurring=False,
        stale=False,
        refs=(),
    )


def _priced(option: Option, ledger_values: dict[str, Decimal]) -> Option:
    def shown(key: str) -> Shown:
        return Shown(value=ledger_values[f"{option.key}.{key}"], unit="CNY", incomplete=True)

    gross = shown("capex.gross")
    money = MoneyView(
        capex_net=shown("capex.net"),
        capex_vat=shown("capex.vat"),
        capex_gross=gross,
        capex_in_words=amount_in_words(gross.value),
        opex_first_year=shown("tco.net"),
        tco_net=shown("tco.net"),
        tco_discounted=shown("tco.net"),
        per_accelerator_hour=None,
        per_billion_tokens=None,
        blocks=(),
        cash=(),
        accounting=(),
        unpriced=(Text(zh="机柜", en="Racks"),),
        stale_prices=1,
        weak_prices=1,
    )
    return option.model_copy(update={"money": money, "bill": (_row(1, priced=True), _row(2, priced=False))})


@pytest.fixture(scope="module")
def compared(planned: Proposal) -> Proposal:
    """A is priced; B has a bill whose servers have no price, so that no total of it is shown."""
    first, second, *rest = planned.options
    unpriced = second.model_copy(update={"money": None, "bill": (_row(1, priced=False),)})
    return planned.model_copy(update={"options": (_priced(first, planned.ledger.values()), unpriced, *rest)})


def _rows(book: Workbook, sheet: str) -> dict[str, list[Any]]:
    """Return the cells of a sheet by the text at the beginning of their row."""
    return {str(row[0].value): [cell.value for cell in row] for row in book[sheet].iter_rows()}


def test_an_option_without_a_price_of_its_servers_shows_no_total_to_compare(compared: Proposal) -> None:
    book = _open(render_xlsx(RenderJob(compared, "en")), cached=True)
    cover = _rows(book, "Cover")
    assert cover["B"].count("not priced") == 2
    assert not [value for value in cover["B"][3:] if isinstance(value, float)]
    totals = _rows(book, "Options compared")
    names = next(value for value in totals.values() if value[0] == "Measure")
    column = next(number for number, name in enumerate(names) if str(name).startswith("B "))
    measures = [row for key, row in totals.items() if "cost of ownership" in key.lower()]
    assert len(measures) == 2
    assert all(row[column] == "not priced" and isinstance(row[column - 1], float) for row in measures)


def test_what_is_priced_of_such_an_option_says_that_it_is_no_total(compared: Proposal) -> None:
    book = _open(render_xlsx(RenderJob(compared, "zh")), cached=True)
    for sheet in ("B 分项报价", "总拥有成本", "会计口径", "按税率汇总"):
        texts = [str(cell.value) for row in book[sheet].iter_rows() for cell in row if cell.value]
        said = [text for text in texts if "不是总价，不与其他方案比较" in text]
        assert len(said) == 1, sheet
        assert "方案 B" in said[0]


def test_the_cover_says_how_many_items_are_not_priced_and_what_incomplete_means(compared: Proposal) -> None:
    book = _open(render_xlsx(RenderJob(compared, "zh")), cached=True)
    cover = _rows(book, "封面与说明")
    names = cover["编号"]
    assert cover["A"][names.index("未报价项数")] == 1
    assert "下限，不是总价" in cover["＊ 不完整"][1]
    stale = sum(entry.stale for entry in compared.ledger.inputs)
    assert cover["已过有效期的参数（条）"][1] == stale


@pytest.mark.parametrize("language", ["zh", "en", "bilingual"])
def test_the_rounding_rule_of_the_project_is_printed(language: str, planned: Proposal) -> None:
    job = RenderJob(planned.model_copy(update={"requirement": factories.requirement()}), language)
    book = _open(render_xlsx(job), cached=True)
    texts = " ".join(str(cell.value) for row in book.worksheets[0].iter_rows() for cell in row)
    expected = {"zh": "四舍五入到分", "en": "half up to the cent", "bilingual": "half up to the cent"}
    assert expected[language] in texts


def test_the_amount_in_words_gives_way_to_a_warning_when_its_total_moves(
    compared: Proposal, tmp_path: Path
) -> None:
    job = RenderJob(compared, "zh")
    path = tmp_path / "sheet.xlsx"
    path.write_bytes(render_xlsx(job))
    model, grid = ironcalc.load_from_xlsx(str(path)), _grid(job)
    cells = [
        (index + 1, cell.column + 1)
        for index, row in enumerate(grid.sheets[0].rows)
        for cell in row.cells
        if cell.issued is not None
    ]
    assert len(cells) == 1
    issued = compared.options[0].money
    assert issued is not None
    model.evaluate()
    assert model.get_cell_value(0, *cells[0]) == issued.capex_in_words
    place = grid.homes["price.p-box"]
    model.set_user_input(place.sheet, place.row + 1, place.column + 1, "1")
    model.evaluate()
    assert model.get_cell_value(0, *cells[0]) == "合计已变动，签发时的大写金额不再有效"
    model.set_user_input(
        place.sheet,
        place.row + 1,
        place.column + 1,
        str(next(entry.value for entry in compared.ledger.inputs if entry.id == "price.p-box")),
    )
    model.evaluate()
    assert model.get_cell_value(0, *cells[0]) == issued.capex_in_words


def _target(book: Workbook, sheet: str, row: int, column: int) -> tuple[str, int, int]:
    """Return where the link of a cell leads."""
    link = book[sheet].cell(row, column).hyperlink
    assert link is not None, (sheet, row, column)
    assert link.target is None
    found = re.fullmatch(r"'(.+)'!\$([A-Z]+)\$(\d+)", str(link.location))
    assert found is not None, link.location
    return found[1], int(found[3]), column_index_from_string(found[2])


def test_three_clicks_lead_from_the_total_to_the_source_of_a_price(compared: Proposal) -> None:
    source = next(entry.source for entry in compared.ledger.inputs if entry.id == "price.p-box")
    view = compared.sources[0].model_copy(update={"key": "S9", "id": source})
    cited = compared.model_copy(
        update={"sources": (*compared.sources, view), "source_keys": {**compared.source_keys, source: "S9"}}
    )
    job = RenderJob(cited, "zh")
    book, grid = _open(render_xlsx(job)), _grid(job)
    cover = book.worksheets[0]
    total = next(row for row in cover.iter_rows() if row[0].value == "A")
    column = next(cell.column for cell in total if "A 分项报价" in str(cell.value))
    assert isinstance(column, int)
    sheet, _, _ = _target(book, cover.title, int(total[0].row or 0), column)
    assert sheet == "A 分项报价"
    home = grid.homes["A.bill.servers.unit_price"]
    place = _target(book, sheet, home.row + 1, home.column + 1)
    price = grid.homes["price.p-box"]
    assert place == (grid.sheets[price.sheet].name, price.row + 1, price.column + 1)
    names = [column.key for column in grid.sheets[price.sheet].spec.columns]
    sources, row, _ = _target(book, place[0], price.row + 1, names.index("source") + 1)
    assert (sources, book[sources].cell(row, 1).value) == ("来源", "S9")


def test_every_link_stays_inside_and_leads_to_a_cell_that_holds_something(job: RenderJob) -> None:
    book, links = _open(render_xlsx(job)), 0
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.hyperlink is not None:
                    place = _target(book, sheet.title, int(str(cell.row)), int(str(cell.column)))
                    assert book[place[0]].cell(place[1], place[2]).value is not None, (sheet.title, cell)
                    links += 1
    assert links > len(book.worksheets)


def test_every_sheet_but_the_cover_leads_back_to_it(job: RenderJob) -> None:
    book = _open(render_xlsx(job))
    for sheet in book.worksheets[1:]:
        assert _target(book, sheet.title, 1, 1) == (book.worksheets[0].title, 1, 1)


def test_the_sum_of_a_column_is_the_printed_total_and_every_amount_is_a_number(planned: Proposal) -> None:
    job = RenderJob(planned, "zh")
    book, grid = _open(render_xlsx(job), cached=True), _grid(job)
    for key in ("net", "vat", "gross"):
        items = [
            grid.homes[line.id]
            for line in planned.ledger.lines
            if line.id.startswith("A.bill.") and line.id.endswith(f".{key}")
        ]
        amounts = [book.worksheets[at.sheet].cell(at.row + 1, at.column + 1).value for at in items]
        assert len(amounts) > 5
        assert all(isinstance(amount, int | float) for amount in amounts)
        home = grid.homes[f"A.capex.{key}"]
        total = book.worksheets[home.sheet].cell(home.row + 1, home.column + 1).value
        assert isinstance(total, int | float)
        assert sum(float(str(amount)) for amount in amounts) == pytest.approx(total, abs=0.005)


def test_money_that_comes_back_is_a_negative_number_and_no_text(planned: Proposal) -> None:
    job = RenderJob(planned, "zh")
    book, grid = _open(render_xlsx(job), cached=True), _grid(job)
    home = grid.homes["A.residual.total"]
    cell: Any = book.worksheets[home.sheet].cell(home.row + 1, home.column + 1)
    assert cell.data_type == "n"
    assert cell.value < 0
    assert "[Red]-" in cell.number_format


def test_the_horizon_may_be_shortened_but_not_lengthened(planned: Proposal) -> None:
    job = RenderJob(planned, "zh")
    book, grid = _open(render_xlsx(job)), _grid(job)
    home = grid.homes["general.horizon"]
    sheet = book.worksheets[home.sheet]
    address = sheet.cell(home.row + 1, home.column + 1).coordinate
    rule = next(rule for rule in sheet.data_validations.dataValidation if address in rule.sqref)
    years = next(entry.value for entry in planned.ledger.inputs if entry.id == "general.horizon")
    assert (rule.type, rule.operator, rule.formula1, rule.formula2) == ("whole", None, "1", str(years))
    full, short = planned.ledger.values(), planned.ledger.values({"general.horizon": Decimal(2)})
    assert short["A.cash.year3"] == short["A.depreciation.year3"] == 0
    assert short["A.residual.year2"] < 0 == full["A.residual.year2"]
    assert short["check.master"] == 0
