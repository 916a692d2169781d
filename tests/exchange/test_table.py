"""Files as instruments and spreadsheets write them: delimiters, decimal marks, encodings and column names."""

import codecs
import random

import pytest
from hypothesis import assume, given, settings

import wayfare as wf
from wayfare.errors import InvalidInput
from wayfare.exchange import TableFormat, export_csv, import_csv, read_format, read_results
from wayfare.exchange.rows import read_places, read_rows
from wayfare.exchange.table import read_table

from .studies import studies

SPACE = wf.Space(
    wf.Real("temp", 20, 120, unit="°C"), wf.Choice("load", [2.5, 5], unit="mol%"), wf.Choice("base", ["K2CO3", "NEt3"])
)
PLAIN = 'temp,load,base,value,why\n72.5,2.5,NEt3,0.5,"hell; 1,5 h"\n80,5,K2CO3,0.75,für später\n'


def make(space=SPACE, **options):
    travel = wf.Euclidean(axes=["temp"], unit="min")
    return wf.Study.create(space, direction="maximize", travel=travel, trials=12, method="random", **options)


def found(data, form=None):
    rows, _ = read_rows(make().spec, data, form)
    return [(row.x.tolist(), row.value, row.why) for row in rows]


def european(text):
    """The same table as a spreadsheet in most of Europe writes it."""
    head, *rows = (line.split(",", 4) for line in text.splitlines())
    cells = [[cell.replace(".", ",") for cell in row[:4]] + row[4:] for row in rows]
    return "".join(";".join(row) + "\n" for row in [head, *cells])


EUROPEAN = european(PLAIN)


@settings(max_examples=60)
@given(studies())
def test_what_is_exported_with_decimal_commas_comes_back_as_the_same_study(drawn):
    study, again = drawn
    assume(not study.state.moved)
    one, other = again(), again()
    import_csv(one, export_csv(study))
    import_csv(other, export_csv(study, decimal="comma"), form=TableFormat(decimal="comma"))
    assert export_csv(other) == export_csv(one) == export_csv(study)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("text", [PLAIN, EUROPEAN, EUROPEAN.replace(";", "\t").replace("hell\t", "hell;")])
def test_a_file_says_by_itself_how_it_is_to_be_read(text, encoding):
    assert found(text.encode(encoding)) == found(PLAIN)
    assert found(text.replace("\n", "\r\n").encode(encoding)) == found(PLAIN)


def test_a_spreadsheet_may_be_told_the_delimiter_in_the_first_line():
    assert found("sep=;\r\n" + EUROPEAN) == found(PLAIN)
    with pytest.raises(InvalidInput, match="line 3: axis 'temp'"):
        found("sep=;\n" + EUROPEAN.replace("72,5", "warm"))


def test_a_guessed_encoding_is_said_and_a_stated_one_is_not():
    data = PLAIN.encode("cp1252")
    assert "line 3 is not UTF-8: read as cp1252" in read_results(make(), data).notes[0]
    assert read_results(make(), data, form=TableFormat(encoding="latin-1")).notes == ()
    assert found(PLAIN.encode("utf-16-le"), TableFormat(encoding="utf-16")) == found(PLAIN)
    assert found(codecs.BOM_UTF16_BE + PLAIN.encode("utf-16-be")) == found(PLAIN)


@pytest.mark.parametrize(
    ("data", "form", "words"),
    [
        (PLAIN.encode("utf-16-le"), {}, "--encoding utf-16 says so"),
        (PLAIN.encode("cp1252"), {"encoding": "utf-8"}, "line 3 is not utf-8 text; save it as UTF-8"),
        (b"temp,value\n1,\x81\n", {}, "line 2 is not UTF-8 text"),
        (b"\xff\xfe\x00", {}, "line 1 is not utf-16 text"),
        (b"PK\x03\x04not a zip", {}, "not a workbook that can be read"),
        (bytes.fromhex("d0cf11e0a1b11ae1"), {}, r"an old workbook \(.xls\), or one with a password; save it as .xlsx"),
        (PLAIN, {"sheet": "Data"}, "there is no sheet 'Data': the file is text"),
        (PLAIN, {"delimiter": "tab"}, "line 1: unknown column"),
        (PLAIN, {"columns": {"value": "Yield"}}, "line 1: there is no column 'Yield' to read; the columns are 'temp'"),
        (PLAIN, {"columns": {"valeu": "value"}}, "line 1: unknown column 'valeu'; did you mean 'value'"),
        (PLAIN, {"columns": {"temp": "load"}}, "line 1: column 'temp' is there twice"),
        (PLAIN, {"ignore": ["valu"]}, "line 1: there is no column 'valu' to ignore; did you mean 'value'"),
        (PLAIN, {"ignore": ["value"]}, "line 1: there is no column 'value'"),
        (EUROPEAN, {"decimal": "point"}, "line 2: column 'value' must be a finite number such as 72.5, got '0,5'"),
        (
            PLAIN.replace(",", ";"),
            {"decimal": "comma"},
            "line 2: column 'temp' has '72.5', but numbers have decimal commas",
        ),
        (EUROPEAN.replace("72,5", "72.5"), {}, "line 2 has '72.5' and line 2 has '0,5'; correct one, and say --dec"),
        (EUROPEAN.replace(",5;", ",500;").replace("0,", "7,").replace(",75;", ",750;"), {}, "may be 72.500 or 72500"),
    ],
)
def test_what_a_file_does_not_say_is_asked_in_one_line(data, form, words):
    with pytest.raises(InvalidInput, match=words) as refused:
        found(data, TableFormat(**form))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delimiter": ";"}, "delimiter must be one of comma, semicolon, tab, got ';'"),
        ({"decimal": ","}, "decimal must be one of point, comma"),
        ({"encoding": "zip"}, "encoding must be one of utf-8"),
        ({"columns": ["value"]}, "columns must be a dict"),
        ({"columns": {"value": 3}}, "a column must be text, got 3"),
        ({"ignore": "value"}, "ignore must be a list of names"),
    ],
)
def test_a_format_that_cannot_be_is_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        TableFormat(**options)


def test_columns_go_by_the_names_that_the_file_has_for_them():
    text = PLAIN.replace("temp", "T reactor").replace("value", "Yield [%]").replace("why", "Operator's note")
    form = read_format('ignore = ["Operator\'s note"]\n[columns]\ntemp = "T reactor"\nvalue = "Yield [%]"\n')
    assert [row[:2] for row in found(text, form)] == [row[:2] for row in found(PLAIN)]
    everything = TableFormat(columns={"temp": "T reactor", "value": "Yield [%]"}, ignore=["*"])
    assert found(text, everything) == found(text, form)
    with pytest.raises(InvalidInput, match='line 1: unknown column "Operator\'s note"; --column OURS='):
        found(text, TableFormat(columns=everything.columns))
    with pytest.raises(
        InvalidInput, match=r"goes in 'value', and --column OURS='Yield \[%\]' names it, --ignore passes"
    ):
        found(text.replace("T reactor", "temp"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("columns = 3", "columns must be a table of names, got 3"),
        ("ignore = 'x'", "ignore must be a list of names"),
        ("decimal = 1", "decimal must be text, got 1"),
        ("colums = {}", "unknown key 'colums'; did you mean 'columns'"),
        ("[", "not valid TOML"),
    ],
)
def test_a_file_of_columns_that_cannot_be_read_is_refused(text, words):
    with pytest.raises(InvalidInput, match=words):
        read_format(text)


def test_places_to_predict_may_have_decimal_commas():
    assert read_places(SPACE, EUROPEAN).tolist() == read_places(SPACE, PLAIN).tolist()


def test_no_bytes_are_read_as_a_table_that_they_do_not_hold():
    rng = random.Random(4)
    for _ in range(300):
        data = bytes(rng.choice(b'a1,;.\t\n"\xff\xe4\0 ') for _ in range(rng.randrange(60)))
        try:
            table = read_table(data)
        except InvalidInput:
            continue
        assert all(len(line.cells) == len(table.head.cells) for line in table.lines)
