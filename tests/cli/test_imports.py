"""``import`` of what loggers and spreadsheets write: how a file is read, and which trial a row is the result of."""

import openpyxl
import pytest

from tests.cli.studies import call, done, record, records

LOG = "T;flow;catalyst;Yield;Operator\n{};1;Pd;0,5;ana\n"


@pytest.fixture
def out(lab):
    """The study with one trial out."""
    done("ask", "snar")
    return lab


def refused(*arguments, **extra):
    result = call(*arguments, **extra)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1), result.output
    return result.stderr


def test_a_logger_is_matched_shown_and_told(out):
    (out / "log.csv").write_text(LOG.format("40,8"))
    named = ("--column", "temp_C=T", "--column", "value=Yield", "--ignore", "Operator")
    assert "unknown column 'T'" in refused("import", "snar", "log.csv")
    assert "--tolerance temp_C=0.8 takes it for that, --extra" in refused("import", "snar", "log.csv", *named)
    dry = call("import", "snar", "log.csv", *named, "--tolerance", "temp_C=1", "--dry-run")
    assert dry.stdout == (
        "row     does  trial  value  where it was\n"
        "line 2  told      0    0.5  temp_C 40 → 40.8 (0.16 min off)\n"
        "1 row: 1 told\n"
    )
    assert records("trials", "snar")[0]["state"] == "asked"
    shown = record("import", "snar", "log.csv", *named, "--tolerance", "1%", "--dry-run")["preview"]
    found = [(row["where"], row["use"], row["number"], row["near"]["temp_C"]) for row in shown]
    assert found == [("line 2", "told", 0, 40)]
    assert done("import", "snar", "log.csv", *named, "--tolerance", "0.2") == "1 row: 1 told\n"
    assert (trial := records("trials", "snar")[0])["params"]["temp_C"] == 40.8
    assert trial["asked"]["temp_C"] == 40


def test_a_file_of_columns_is_overruled_by_options(out):
    (out / "log.csv").write_text(LOG.format("40,000"))
    (out / "map.toml").write_text('decimal = "point"\nignore = ["*"]\n[columns]\nvalue = "Yield"\ntemp_C = "T"\n')
    assert "must be a finite number" in refused("import", "snar", "log.csv", "--map", "map.toml")
    assert done("import", "snar", "log.csv", "--map", "map.toml", "--decimal", "comma") == "1 row: 1 told\n"
    (out / "map.toml").write_text("decimals = 1\n")
    said = refused("import", "snar", "log.csv", "--map", "map.toml")
    assert said == "Error: map.toml: unknown key 'decimals'; did you mean 'decimal'?\n"


def test_how_a_file_was_read_is_said_where_it_was_guessed(out):
    data = "temp_C,flow,catalyst,value,why\n40,1,Pd,1,für später\n".encode("cp1252")
    result = call("import", "snar", "-", input=data)
    assert result.stdout == "1 row: 1 told\n"
    assert result.stderr == "Note: -: line 2 is not UTF-8: read as cp1252, as Excel writes; --encoding names another\n"
    assert records("trials", "snar")[0]["why"] == "für später"


def test_an_extra_visit_is_shown_with_its_place(out):
    text = "temp_C,flow,catalyst,value\n90,3,Pd,1\n"
    assert "no open trial is near enough" in refused("import", "snar", "-", input=text)
    shown = done("import", "snar", "-", "--extra", "--dry-run", input=text)
    assert "line 2  new visit      1      1  temp_C=90, flow=3, catalyst=Pd\n" in shown


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--tolerance", "warm"), "--tolerance must be a finite number"),
        (("--tolerance", "temp=1"), "tolerance: there is no axis 'temp'; did you mean 'temp_C'?"),
        (("--tolerance", "1", "--tolerance", "2"), "write AXIS=AMOUNT, or once a COST or a PERCENT%, got '1'"),
        (("--column", "value"), "--column: write OURS=THEIRS, got 'value'"),
        (("--delimiter", "|"), "'|' is not one of 'comma', 'semicolon', 'tab'"),
        (("--map", "none.toml"), "none.toml: no such file"),
    ],
)
def test_an_option_that_cannot_be_is_refused(out, options, words):
    assert words in refused("import", "snar", "-", *options, input="temp_C,flow,catalyst,value\n40,1,Pd,1\n")
    assert records("trials", "snar")[0]["state"] == "asked"


def test_a_form_goes_out_as_a_workbook_and_comes_back_filled_in(out):
    assert done("sheet", "snar", "--out", "form.xlsx") == "snar: 1 trial written to form.xlsx\n"
    book = openpyxl.load_workbook("form.xlsx")
    head = {cell.value: cell.column for cell in book["form"][1]}
    book["form"].cell(2, head["value"]).value = 0.75
    book.save("form.xlsx")
    assert done("import", "snar", "form.xlsx") == "1 row: 1 told\n"
    assert done("import", "snar", "form.xlsx", "--sheet", "form") == "1 row: 1 already there\n"
    assert "there is no sheet 'from'; did you mean 'form'?" in refused("import", "snar", "form.xlsx", "--sheet", "from")


def test_results_go_out_as_a_workbook_and_come_into_a_new_study(out):
    done("tell", "snar", 0, 0.5, "--actual", "temp_C=41", "--why", "=1")
    written = record("export", "snar", "--out", "s.xlsx", "--json")
    assert written == {"study": "snar", "format": "xlsx", "trials": 1, "out": "s.xlsx"}
    done("new", "snar.toml", "--name", "twin")
    assert done("import", "twin", "s.xlsx") == "1 row: 1 new visit\n"
    assert done("export", "twin") == done("export", "snar")
    full = done("export", "snar", "--full").splitlines()
    assert full[0].startswith(
        "number,state,temp_C,flow,catalyst,leg [min],value,spent [min],worker,why,prior,asked: temp_C"
    )
    assert full[0].endswith("issued_at [UTC],issued_by,closed_at [UTC],closed_by")
    assert ",40.0,1,Pd," in full[1]
    comma = done("export", "snar", "--decimal", "comma")
    assert comma.startswith("\ufeffnumber;state;temp_C;flow;")
    assert ";41,0;1;Pd;3,2;0,5;;;'=1;false" in comma
    assert done("import", "snar", "-", input=comma) == "1 row: 1 already there\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("export", "snar", "--format", "xlsx"), "a workbook cannot be printed; give --out FILE.xlsx"),
        (("sheet", "snar", "--format", "xlsx", "--take", 1), "a workbook cannot be printed"),
        (("export", "snar", "--out", "s.xlsx", "--full"), "--full is for CSV; a workbook has it anyway"),
        (("export", "snar", "--format", "json", "--decimal", "comma"), "--decimal is for CSV; leave it out"),
        (("sheet", "snar", "--out", "s.xlsx", "--no-picture"), "--no-picture is for --format html"),
        (("import", "other", "-", "--format", "json", "--column", "a=b"), "--column is for CSV and .xlsx"),
    ],
)
def test_what_a_workbook_cannot_is_refused_before_anything_happens(out, arguments, words):
    assert words in refused(*arguments)
    assert len(records("trials", "snar")) == 1
    assert not (out / "s.xlsx").exists()


def test_old_results_are_called_by_their_labels(out):
    (out / "old.csv").write_text("temp_C,flow,catalyst,value\n60,1,Pd,0.2\n400,1,Pd,0.7\n")
    dry = call("import", "snar", "old.csv", "--prior", "--dry-run")
    assert [line.split()[4] for line in dry.stdout.splitlines()[1:3]] == ["k0", "k1"]
    assert dry.stderr.startswith(
        "Note: old result k1: temp_C=400 is outside 40 to 120; if that is a slip, `wayfare amend"
    )
    assert "snar k1 --actual" in dry.stderr
    done("import", "snar", "old.csv", "--prior")
    assert "0.7 observed, old result k1" in done("status", "snar")
    shown = record("import", "snar", "-", "--prior", "--dry-run", input="temp_C,flow,catalyst,value\n70,1,Ni,0.3\n")
    assert shown["preview"][0]["label"] == "k2"
