"""``order``: a table in, the same table in visiting order out."""

import csv
import json
from io import StringIO

import pytest

from tests.cli.studies import call

SITES = "site,east,north\nA,0,0\nB,10,0\nC,1,1\nD,9,1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sites.csv").write_text(SITES)
    (tmp_path / "travel.toml").write_text(
        '[travel]\nkind = "serial"\nunit = "s"\nparts = [{kind = "ramp", axis = "east", up = 1.0, down = 2.0}]\n'
    )
    return tmp_path


def test_the_rows_are_printed_in_visiting_order_with_legs_and_totals(folder):
    result = call("order", "sites.csv", "--unit", "m", "--start", "east=10", "--start", "north=0")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "stop  site  east  north  leg [m]  total [m]",
        "   1     B    10      0        0          0",
        "   2     D     9      1    1.414      1.414",
        "   3     C     1      1        8      9.414",
        "   4     A     0      0    1.414      10.83",
    ]
    assert result.stderr == "4 places by east, north: as given 37.06 m, ordered 10.83 m\n"


def test_as_json_each_stop_is_an_object(folder):
    result = call("order", "sites.csv", "--start", "east=10", "--start", "north=0", "--json")
    stops = [json.loads(line) for line in result.stdout.splitlines()]
    assert [stop["row"] for stop in stops] == [1, 3, 2, 0]
    assert stops[0]["cells"] == {"site": "B", "east": "10", "north": "0"}
    assert [stop["stop"] for stop in stops] == [1, 2, 3, 4]


def test_the_table_is_written_to_a_file_instead(folder):
    result = call("order", "sites.csv", "--out", "o.csv", "--metric", "manhattan")
    assert result.stdout == ""
    rows = list(csv.DictReader(StringIO((folder / "o.csv").read_text())))
    assert {row["site"] for row in rows} == set("ABCD")
    assert float(rows[-1]["total"]) == 12.0
    assert call("order", "sites.csv", "--out", "o.csv").exit_code == 1
    assert call("order", "sites.csv", "--out", "none/o.csv").exit_code == 1
    assert call("order", "sites.csv", "--out", "sites.csv", "--force").exit_code == 0
    assert (folder / "sites.csv").read_text().startswith("stop,site,east")


def test_the_travel_cost_may_come_from_a_file(folder):
    result = call("order", "sites.csv", "--travel", "travel.toml", "--end", "east=0", "--end", "north=0")
    assert result.exit_code == 0
    assert "leg [s]" in result.stdout


def test_what_is_wrong_with_the_travel_cost_is_blamed_on_its_file(folder):
    (folder / "snar.toml").write_text('[travel]\nkind = "ramp"\naxis = "temp_C"\nup = 1\ndown = 1\n')
    result = call("order", "sites.csv", "--travel", "snar.toml")
    assert result.exit_code == 2
    assert result.stderr == ("Error: snar.toml: travel.axis: there is no axis 'temp_C'; the axes are 'east', 'north'\n")
    (folder / "odd.csv").write_text("site,x\nA,1\nB\x01,2\n")
    said = call("order", "odd.csv", "--axes", "site,x", "--travel", "snar.toml").stderr
    assert said.startswith("Error: odd.csv: ")


def test_a_column_name_may_hold_an_equals_sign(folder):
    (folder / "odd.csv").write_text("x,x=y\n1,1\n5,5\n")
    result = call("order", "odd.csv", "--start", "x=5", "--start", "x=y=5")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].split() == ["1", "5", "5", "0", "0"]


def test_a_wide_table_stays_within_eighty_columns(folder):
    (folder / "wide.csv").write_text("east,what\n" + "".join(f"{i},{'word ' * 30}\n" for i in range(3)))
    result = call("order", "wide.csv")
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.csv",), "none.csv: no such file"),
        (("sites.csv", "--axes", "eats"), "sites.csv: axes: there is no column 'eats'; did you mean 'east'?"),
        (("sites.csv", "--start", "east"), "--start: write AXIS=VALUE, got 'east'"),
        (("sites.csv", "--start", "east=1", "--start", "east=2"), "--start: axis 'east' is given twice"),
        (("sites.csv", "--end", "east=1"), "end lacks axis 'north'"),
        (("sites.csv", "--metric", "crow"), "--metric"),
        (("sites.csv", "--seed", "-1"), "--seed"),
        (("sites.csv", "--travel", "none.toml"), "none.toml: no such file"),
        (("sites.csv", "--travel", "travel.toml", "--unit", "m"), "--travel says what moving costs"),
        (("sites.csv", "--travel", "sites.csv"), "sites.csv: not valid TOML"),
    ],
)
def test_misuse_is_one_line(folder, arguments, words):
    result = call("order", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)
