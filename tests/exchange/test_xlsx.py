"""Workbooks out and in: the same study comes back, forms are filled in, and what cannot be read is one line."""

import datetime as dt
import io
import zipfile

import openpyxl
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

import wayfare as wf
from wayfare.errors import InvalidInput
from wayfare.exchange import TableFormat, export_csv, export_xlsx, hand_out, import_csv, read_results, sheet_xlsx
from wayfare.exchange import xlsx as reading
from wayfare.exchange.table import read_table

from .studies import studies

SPACE = wf.Space(
    wf.Real("temp", 40, 120, step=0.5, unit="°C"),
    wf.Real("flow", 0.1, 2, log=True, unit="mL/min"),
    wf.Choice("base", ["K2CO3", "NEt3, dry", "=weird", 2.5]),
    wf.Integer("eq", 1, 5),
)
HEAD = ["temp", "flow", "base", "eq", "value"]
ROW = [60, 1.5, "K2CO3", 2, 0.5]


def make(**options):
    start = {"temp": 40, "flow": 1, "base": "K2CO3", "eq": 1}
    travel = wf.Manhattan(axes=["temp"], unit="min")
    return wf.Study.create(
        SPACE, direction="maximize", travel=travel, trials=20, start=start, method="random-route", seed=1, **options
    )


def full():
    """A study with an old result, a missed setting, a correction, a failure, a cost told, and trials out."""
    old = [{"temp": 60, "flow": 1.0, "base": "K2CO3", "eq": 2, "value": 0.3}]
    study = make(known=old, measured=wf.Measured("purity", at_least=90, unit="%"), by="ana")
    first = study.ask()
    study.tell(first, 0.5123456789012345, actual={"temp": 70.3}, why="=cmd", measured={"purity": 95})
    study.amend(first.number, 0.52)
    study.fail(study.ask(), "pump")
    study.tell(study.ask(), 0.7, spent=12)
    hand_out(study, 3)
    return study


def opened(data):
    return openpyxl.load_workbook(io.BytesIO(data))


def saved(book):
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def workbook(*rows, change=None):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    if change is not None:
        change(book)
    return saved(book)


@settings(
    max_examples=40,
    phases=[Phase.explicit, Phase.generate],  # a smaller case would take minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    deadline=None,
)
@given(studies())
def test_a_workbook_comes_back_as_the_same_study(drawn):
    study, again = drawn
    said = "".join(trial.worker + trial.why for trial in study.trials)
    assume(not study.state.moved and "\r" not in said and not ILLEGAL_CHARACTERS_RE.search(said))
    copy = again()
    read_results(copy, export_xlsx(study)).apply(copy)
    assert export_csv(copy) == export_csv(study)


def test_the_sheet_of_results_has_all_there_is_with_units_and_digits():
    study = full()
    book = opened(export_xlsx(study))
    sheet = book["results"]
    head = [cell.value for cell in sheet[1]]
    assert head == [
        *("number", "state", "temp [°C]", "flow [mL/min]", "base", "eq", "leg [min]", "value", "purity [%]"),
        *("spent [min]", "worker", "why", "prior"),
        *("asked: temp [°C]", "asked: flow [mL/min]", "asked: base", "asked: eq", "earlier values"),
        *("issued_at [UTC]", "issued_by", "closed_at [UTC]", "closed_by"),
    ]
    rows = [dict(zip(head, row, strict=True)) for row in sheet.iter_rows(min_row=2)]
    told = rows[1]
    assert (told["temp [°C]"].value, told["asked: temp [°C]"].value) == (70.3, study.trials[1].asked["temp"])
    assert (told["earlier values"].value, told["value"].value, told["issued_by"].value) == (
        "0.5123456789012345",
        0.52,
        "ana",
    )
    assert told["issued_at [UTC]"].value == study.trials[1].issued.at.replace(
        tzinfo=None, microsecond=told["issued_at [UTC]"].value.microsecond
    )
    assert (told["why"].value, told["why"].data_type) == ("=cmd", "s")
    formats = {name: cell.number_format for name, cell in told.items()}
    assert (formats["temp [°C]"], formats["flow [mL/min]"], formats["eq"]) == ("0.0", "0.0000", "0")
    assert formats["closed_at [UTC]"] == "yyyy-mm-dd hh:mm"
    assert [row["number"].fill.fgColor.rgb[2:] == "E7E6E6" for row in rows] == [trial.prior for trial in study.trials]
    assert sheet.freeze_panes == "C2"
    assert sheet.column_dimensions["S"].width >= 16
    about = {row[0].value: row[1].value for row in book["study"].iter_rows()}
    assert (about["direction"], about["prior"], about["measured"]) == ("maximize", 1, "purity at least 90 %")


def test_every_number_of_a_workbook_is_kept_bit_for_bit():
    study = make()
    study.tell(study.ask(), 0.1 + 0.2)
    copy = make()
    read_results(copy, export_xlsx(study)).apply(copy)
    assert copy.trials[0].value == 0.1 + 0.2
    assert copy.trials[0].params == study.trials[0].params


def test_a_form_is_filled_in_and_comes_back():
    study = full()
    data = sheet_xlsx(study)
    assert str(read_results(study, data).summary) == "3 rows: 3 still open"
    book = opened(data)
    sheet = book["form"]
    head = {cell.value: cell.column for cell in sheet[1]}
    for row, state, value, why in ((2, "asked", 0.8, "clear"), (3, "failed", None, "leak"), (4, "skipped", None, None)):
        for name, cell in (("state", state), ("value", value), ("why", why)):
            sheet.cell(row, head[name]).value = cell
    for name, cell in (("temp [°C]", 99.5), ("flow [mL/min]", 1), ("base", "=weird"), ("eq", 5), ("value", 1.25)):
        sheet.cell(5, head[name]).value = cell
        sheet.cell(5, head[name]).data_type = "s" if isinstance(cell, str) else "n"
    done = read_results(study, saved(book), extra=True).apply(study)
    assert str(done) == "4 rows: 1 told, 1 failed, 1 skipped, 1 new visit"
    assert [(trial.value, trial.why) for trial in study.trials[4:]] == [
        (0.8, "clear"),
        (None, "leak"),
        (None, ""),
        (1.25, ""),
    ]
    assert study.trials[7].params == {"temp": 99.5, "flow": 1.0, "base": "=weird", "eq": 5}


def test_a_form_is_locked_but_for_what_is_to_be_filled_in():
    sheet = opened(sheet_xlsx(full()))["form"]
    head = [cell.value for cell in sheet[1]]
    assert sheet.protection.sheet
    assert not sheet.protection.password
    open_cells = [
        {name for name, cell in zip(head, row, strict=True) if not cell.protection.locked} for row in sheet.iter_rows()
    ]
    filled = {"state", "value", "purity [%]", "spent [min]", "why"}
    assert open_cells[0] == set()
    assert open_cells[1:4] == [filled] * 3
    assert open_cells[4:] == [filled | {"temp [°C]", "flow [mL/min]", "base", "eq", "worker"}] * 5
    rules = {head[ord(str(rule.sqref)[0]) - 65]: rule for rule in sheet.data_validations.dataValidation}
    assert rules["state"].formula1 == '"told,failed,skipped"'
    assert (rules["base"].formula1, str(rules["base"].sqref)) == ("lists!$D$1:$D$4", "D5:D9")
    assert (rules["temp [°C]"].type, rules["temp [°C]"].formula1, rules["temp [°C]"].errorStyle) == (
        "decimal",
        "40.0",
        "warning",
    )
    assert (rules["value"].type, rules["spent [min]"].formula1) == ("decimal", "0")


def test_a_sheet_anywhere_in_a_workbook_is_found():
    def change(book):
        book.active.title = "notes"
        table = book.create_sheet("Data")
        for row in ([], [None, *HEAD], [None] * 6, [None, *ROW], [None, 70, 1, "=weird", 3, "0.75"]):
            table.append(row)
        table["D5"].data_type = "s"
        book.create_sheet("empty")

    study = make()
    done = read_results(study, workbook(["our notes"], change=change)).apply(study)
    assert done.visits == 2
    assert [trial.value for trial in study.trials] == [0.5, 0.75]
    assert study.trials[1].params["base"] == "=weird"


def test_types_of_cells_tell_texts_from_numbers():
    space = wf.Space(wf.Choice("base", ["1", 1.5, True, "'=x", "=x"]), wf.Real("a", 0, 9))
    study = wf.Study.create(space, direction="maximize", travel=wf.Fee(1.0), trials=9)
    texts = ["1", "=x", "'=x"]

    def change(book):
        for row in range(4, 7):
            book.active.cell(row, 1).data_type = "s"

    rows = [["base", "a", "value"], [1.5, 1, 0], [True, 2, 0], *([text, 3 + at, 0] for at, text in enumerate(texts))]
    read_results(study, workbook(*rows, change=change)).apply(study)
    assert [trial.params["base"] for trial in study.trials] == [1.5, True, *texts]


def set_cell(name, value):
    return lambda book: book.active.__setitem__(name, value)


def merge(cells):
    return lambda book: book.active.merge_cells(cells)


def two_sheets(book):
    other = book.create_sheet("Log")
    for row in (HEAD, ROW):
        other.append(row)


def neither(book):
    book.active["E1"] = "Yield"
    book.create_sheet("Log").append(["a", "b"])


def packed(*parts, data=None):
    """A workbook with parts exchanged or put in."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data or workbook(HEAD, ROW))) as old, zipfile.ZipFile(out, "w", 8) as new:
        names = {name for name, _ in parts}
        for info in old.infolist():
            if info.filename not in names:
                new.writestr(info.filename, old.read(info.filename))
        for name, content in parts:
            new.writestr(name, content)
    return out.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
OPEN = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
CLOSE = b"</sheetData></worksheet>"
BAD = {
    "a formula": (
        workbook(HEAD, [60, 1.5, "K2CO3", 2, "=A2*2"]),
        r"row 2: cell E2 has a formula \(=A2\*2\); copy it, and",
    ),
    "a formula in the head": (workbook([*HEAD[:4], "=A1"], ROW), "cell E1 has a formula"),
    "an error": (
        workbook(HEAD, [60, 1.5, "K2CO3", 2, "#DIV/0!"]),
        "row 2: cell E2 shows the error #DIV/0!; correct it",
    ),
    "a date for a value": (
        workbook(HEAD, [60, 1.5, "K2CO3", 2, dt.date(2026, 5, 1)]),
        "row 2: cell E2: 2026-05-01 is a date, where column 'value' takes a number; correct it",
    ),
    "a date for a choice": (workbook(HEAD, [60, 1.5, dt.datetime(2026, 5, 1), 2, 1]), "cell C2: 2026-05-01 .* date"),
    "a time of day": (workbook(HEAD, [dt.time(12, 30), 1.5, "K2CO3", 2, 1]), "row 2: cell A2: 12:30:00 is a time"),
    "merged rows": (workbook(HEAD, ROW, ROW, change=merge("A2:A3")), "cells A2:A3 are merged; unmerge them"),
    "a merged head": (workbook(HEAD, ROW, change=merge("D1:E1")), "cells D1:E1 are merged"),
    "text for a number": (
        workbook(HEAD, ["warm", *ROW[1:]]),
        r"row 2: axis 'temp' \(A2\) must be a finite number such as",
    ),
    "a decimal comma as text": (workbook(HEAD, [*ROW[:4], "0,5"]), r"column 'value' \(E2\) .*'0,5'; write a point"),
    "an unknown choice": (workbook(HEAD, [60, 1, "NaOH", 2, 1]), r"row 2: axis 'base' \(C2\) has no value 'NaOH'"),
    "yes for a number": (workbook(HEAD, [*ROW[:4], True]), r"row 2: column 'value' \(E2\) must be .*'true'"),
    "no value": (workbook(HEAD, ROW[:4]), "row 2: column 'value' is blank"),
    "a cell beside the table": (workbook(HEAD, ROW, change=set_cell("G2", "x")), "cell G2 is in a column without"),
    "two tables": (workbook(HEAD, ROW, change=two_sheets), "sheets 'Sheet' and 'Log' each have a table of results"),
    "no table": (workbook(HEAD, ROW, change=neither), "no sheet has the columns of results: 'Sheet' and 'Log'"),
    "an empty workbook": (workbook(), "sheet 'Sheet' is empty; its first row names the columns"),
    "no archive": (b"PK\x03\x04" + b"x" * 100, "not a workbook that can be read: BadZipFile"),
    "another archive": (packed(data=packed(("[Content_Types].xml", b"<a/>"))), "not a workbook that can be read"),
    "a cut archive": (workbook(HEAD, ROW)[:-200], "not a workbook that can be read: BadZipFile"),
    "no XML": (packed((SHEET, b"<worksheet")), "not a workbook that can be read: ParseError"),
    "a document type": (
        packed((SHEET, b'<!DOCTYPE a [<!ENTITY b "c">]>' + OPEN + CLOSE)),
        "not a workbook: 'xl/worksheets/sheet1.xml' declares a document type",
    ),
    "a bomb": (packed((SHEET, OPEN + b" " * 60_000_000 + CLOSE)), "the workbook has more than 50 MB of cells; save it"),
    "a row without end": (
        packed((SHEET, OPEN + b'<row r="999999999999"><c r="A999999999999"><v>1</v></c></row>' + CLOSE)),
        "sheet 'Sheet' has more than 1,000,000 cells; save the table as CSV",
    ),
    "a far column": (
        packed(
            (
                SHEET,
                OPEN + b"".join(b'<row r="%d"><c r="XFD%d"><v>1</v></c></row>' % (n, n) for n in range(1, 99)) + CLOSE,
            )
        ),
        "sheet 'Sheet' has more than 1,000 columns; save the table as CSV",
    ),
    "a number of 5,000 digits": (
        packed((SHEET, OPEN + b'<row r="1"><c r="A1"><v>' + b"9" * 5000 + b"</v></c></row>" + CLOSE)),
        "not a workbook that can be read: ValueError",
    ),
    "a text that is not there": (
        packed((SHEET, OPEN + b'<row r="1"><c r="A1" t="s"><v>7</v></c></row>' + CLOSE)),
        "not a workbook that can be read: IndexError",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_workbook_is_one_line_and_changes_nothing(case):
    data, words = BAD[case]
    study = make()
    with pytest.raises(InvalidInput, match=words) as refused:
        read_results(study, data).apply(study)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300
    assert study.state.version == 0


def test_what_is_no_sheet_never_reaches_the_reader():
    bad = [
        ("xl/vbaProject.bin", b"macro"),
        ("xl/externalLinks/externalLink1.xml", b"<!DOCTYPE a>"),
        ("xl/media/a.png", b"x"),
    ]
    data = packed(*bad, ("../../evil.xml", b"<!DOCTYPE a>"))
    assert len(read_table(data).lines) == 1
    with zipfile.ZipFile(reading._parts(data)) as kept:
        assert {name.partition("/")[0] for name in kept.namelist()} == {"[Content_Types].xml", "_rels", "xl"}
        assert not {name for name, _ in bad} & set(kept.namelist())


def test_two_parts_of_one_name_are_refused():
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = packed((SHEET, OPEN + CLOSE), (SHEET, OPEN + CLOSE))
    with pytest.raises(InvalidInput, match="not a workbook: two of its parts have one name"):
        read_table(data)


def test_a_sheet_may_be_named_and_a_hidden_one_only_so():
    def change(book):
        two_sheets(book)
        book["Log"].sheet_state = "hidden"
        book["Log"]["E2"] = 0.75

    study, data = make(), workbook(HEAD, ROW, change=change)
    assert read_results(study, data).rows[0].value == 0.5
    assert read_results(study, data, form=TableFormat(sheet="Log")).rows[0].value == 0.75
    with pytest.raises(InvalidInput, match="there is no sheet 'Lag'; did you mean 'Log'"):
        read_results(study, data, form=TableFormat(sheet="Lag"))


def test_a_date_in_a_remark_is_a_remark():
    study = make()
    read_results(study, workbook([*HEAD, "why"], [*ROW, dt.datetime(2026, 5, 1, 8)])).apply(study)
    assert study.trials[0].why == "2026-05-01 08:00:00"


def test_an_old_workbook_imported_twice_changes_nothing():
    study = full()
    version = study.state.version
    done = import_csv(study, export_xlsx(study))
    assert (study.state.version, done.same, done.open) == (version, 4, 3)
    with pytest.raises(InvalidInput, match=r"row 3: trial 1 already has the value 0.52, the row says 0.6; amend"):
        import_csv(study, saved(changed(export_xlsx(study), "H3", 0.6)))


def changed(data, name, value):
    book = opened(data)
    book["results"][name] = value
    return book


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(InvalidInput, match=r"an .xlsx workbook needs openpyxl: pip install 'openpyxl.*; or use CSV"):
        export_xlsx(make())
