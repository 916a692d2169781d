"""``waypoints`` and ``sheet``: the route taken along, and brought back."""

import csv
import json
from io import StringIO

import pytest

from tests.cli.studies import call, done, record, records

from .test_exchange import refused

LAKE = """
name = "lake"
direction = "maximize"
trials = 9
seed = 1
method = {policy = {kind = "uniform"}, schedule = {kind = "fixed", size = 4}}
start = {lat = 47.6, lon = 9.4, depth = 1}
axis = [
    {name = "lat", low = 47.5, high = 47.7},
    {name = "lon", low = 9.2, high = 9.6},
    {name = "depth", kind = "integer", low = 1, high = 20},
]
travel = {kind = "manhattan", axes = ["lat", "lon"], unit = "deg"}
"""


@pytest.fixture
def lake(lab):
    """A folder with a study ``lake`` beside ``snar``, one trial of it told, one out and two stops ahead."""
    (lab / "lake.toml").write_text(LAKE)
    done("new", "lake.toml")
    done("ask", "lake")
    done("tell", "lake", 0, 0.5)
    done("ask", "lake")
    return lab


def test_waypoints_are_printed_or_written_in_the_format_of_the_ending(lake):
    for ending, form in ((".gpx", "gpx"), (".GeoJSON", "geojson"), (".plan", "qgc")):
        options = ("--alt", 25) if form == "qgc" else ()
        out = f"way{ending}"
        assert done("waypoints", "lake", "--out", out, *options) == f"lake: 3 waypoints written to {out}\n"
        text = (lake / out).read_text()
        assert done("waypoints", "lake", "--format", form, *options) == text
    assert done("waypoints", "lake") == (lake / "way.gpx").read_text()
    said = record("waypoints", "lake", "--out", "way.gpx", "--force")
    assert said == {"study": "lake", "format": "gpx", "waypoints": 3, "home": False, "out": "way.gpx"}


def test_the_axes_and_the_altitude_may_be_named(lake):
    there = records("trials", "lake")[1]["params"]
    point = lambda *options: json.loads(done("waypoints", "lake", "--format", "geojson", *options))  # noqa: E731
    where = point("--lat", "lon", "--lon", "lat", "--alt", "depth")["features"][0]["geometry"]["coordinates"]
    assert where == [there["lat"], there["lon"], there["depth"]]
    assert point("--alt", "-2.5")["features"][0]["geometry"]["coordinates"][2] == -2.5


def test_visits_made_come_along_on_request(lake):
    ahead, all_of_it = done("waypoints", "lake"), done("waypoints", "lake", "--visited")
    assert "trial 0" not in ahead
    assert all_of_it.count("trial 0, told 0.5") == 1


def test_a_plan_may_take_off_and_return(lake):
    plan = done("waypoints", "lake", "--format", "qgc", "--alt", "30", "--takeoff", "--return-home")
    commands = [item["command"] for item in json.loads(plan)["mission"]["items"]]
    assert commands == [22, 16, 16, 16, 20]
    boat = json.loads(done("waypoints", "lake", "--format", "qgc", "--vehicle", "boat"))
    assert boat["mission"]["vehicleType"] == 11


def test_a_study_that_ends_at_home_is_led_there_unless_told_not_to(lake):
    home = 'home = {lat = 47.6, lon = 9.4, depth = 1}\nname = "home"'
    (lake / "home.toml").write_text(LAKE.replace('name = "lake"', home, 1))
    done("new", "home.toml")
    done("sheet", "home", "--take", 2, "--out", "home.html")
    plan = lambda *options: json.loads(done("waypoints", "home", "--format", "qgc", "--alt", 9, *options))  # noqa: E731
    assert [item["command"] for item in plan()["mission"]["items"]] == [16] * 4 + [20]
    assert [item["command"] for item in plan("--no-return-home")["mission"]["items"]] == [16] * 4
    said = record("waypoints", "home", "--out", "way.gpx")
    assert (said["waypoints"], said["home"]) == (4, True)
    written = done("waypoints", "home", "--out", "way.plan", "--alt", 9, "--no-return-home")
    assert written == "home: 4 waypoints written to way.plan\n"
    assert "--return-home is for --format qgc" in refused("waypoints", "home", "--no-return-home", code=2)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("snar",), 2, "lat: no axis is called lat or latitude; name the one meant with lat (--lat)"),
        (("lake", "--lat", "nort"), 2, "lat: there is no axis 'nort'"),
        (("lake", "--alt", "high"), 2, "alt: there is no axis 'high'"),
        (("lake", "--alt", "1e999"), 2, "--alt must be a finite number"),
        (("lake", "--format", "qgc"), 2, "alt: say how high to fly"),
        (("lake", "--format", "qgc", "--visited"), 2, "--visited is not for --format qgc"),
        (("lake", "--takeoff"), 2, "--takeoff is for --format qgc"),
        (("lake", "--vehicle", "boat"), 2, "--vehicle is for --format qgc"),
        (("lake", "--format", "kml"), 2, "'kml' is not one of"),
        (("lake", "--out", "way.json"), 2, "ends in none of .gpx, .geojson, .plan; say which with --format"),
        (("lake", "--out", "lake.toml", "--format", "gpx"), 1, "exists already; use --force"),
        (("lake", "--out", "wayfare.db", "--format", "gpx", "--force"), 2, "is the store itself"),
        (("lake", "--json"), 2, "--json says what was written, so it needs --out"),
        (("lak",), 1, "did you mean 'lake'?"),
    ],
)
def test_waypoints_that_cannot_be_are_one_line(lake, arguments, code, words):
    assert words in refused("waypoints", *arguments, code=code)


def test_with_nothing_ahead_waypoints_say_what_to_do(lake):
    done("new", "lake.toml", "--name", "other")
    assert "the next ask plans a route" in refused("waypoints", "other", code=1)


def test_once_the_budget_is_spent_the_way_home_is_written_alone(lake):
    home = 'home = "start"\nbudget = 1.0\ndwell = 0.3\nname = "home"'
    (lake / "home.toml").write_text(LAKE.replace('name = "lake"', home, 1))
    done("new", "home.toml")
    done("insert", "home", "lat=47.65", "lon=9.5", "depth=3")
    done("tell", "home", 0, 0.5, "--spent", 0.45)
    assert "the budget is spent" in refused("ask", "home", code=1)
    assert done("waypoints", "home", "--out", "way.gpx") == "home: the way home written to way.gpx\n"
    said = record("waypoints", "home", "--out", "way.plan", "--vehicle", "boat")
    assert (said["waypoints"], said["home"]) == (0, True)
    assert "the budget is spent" in refused(
        *("waypoints", "home", "--format", "qgc", "--vehicle", "boat", "--no-return-home"), code=1
    )
    done("replan", "home", "--from", "lat=47.6", "--from", "lon=9.4", "--from", "depth=1")
    words = refused("waypoints", "home", code=1)
    assert "no stops are ahead: the budget is spent, for no place is within reach" in words
    assert "the next ask" not in words


def test_a_sheet_takes_trials_along_and_the_same_command_gives_it_again(lake):
    assert done("sheet", "lake", "--take", 4, "--out", "lake.html") == "lake: 4 trials written to lake.html\n"
    page = (lake / "lake.html").read_text()
    assert done("sheet", "lake", "--take", 4) == page
    assert done("sheet", "lake") == page
    assert [trial["state"] for trial in records("trials", "lake")] == ["told", *["asked"] * 4]
    said = record("sheet", "lake", "--out", "lake.csv")
    assert said == {"study": "lake", "format": "csv", "trials": [1, 2, 3, 4], "out": "lake.csv"}


def test_a_filled_table_is_imported_by_its_numbers(lake):
    done("sheet", "lake", "--take", 3, "--out", "lake.csv")
    head, *rows = csv.reader(StringIO((lake / "lake.csv").read_text()))
    assert [row[0] for row in rows] == ["1", "2", "3"]
    rows[0][head.index("value")] = "0.5"
    rows[1][head.index("state")], rows[1][head.index("why")] = "failed", "wind"
    out = StringIO(newline="")
    csv.writer(out).writerows([head, *rows])
    (lake / "lake.csv").write_text(out.getvalue())
    assert done("import", "lake", "lake.csv") == "3 rows: 1 told, 1 failed, 1 still open\n"
    assert [trial["state"] for trial in records("trials", "lake")] == ["told", "told", "failed", "asked"]
    assert done("import", "lake", "lake.csv") == "3 rows: 1 still open, 2 already there\n"


def test_fewer_trials_than_wanted_are_noted(lake):
    result = call("sheet", "lake", "--take", 40, "--out", "lake.html")
    assert result.stdout == "lake: 8 trials written to lake.html\n"
    assert result.stderr == "Note: 8 trials out, not 40: no more are left\n"


def test_the_store_is_named_on_the_sheet_where_it_must_be(lake, monkeypatch):
    assert "--store" not in done("sheet", "lake", "--no-picture")
    (lake / "wayfare.db").rename(lake / "far.db")
    assert "wayfare tell lake 1 --store far.db RESULT" in done("sheet", "lake", "--store", "far.db")
    monkeypatch.setenv("WAYFARE_STORE", "far.db")
    assert "--store" not in done("sheet", "lake", "--no-picture")


def test_the_picture_may_be_chosen_or_left_out(lake):
    assert "<img" not in done("sheet", "lake", "--no-picture")
    assert 'alt="the way through the trials over depth and lat"' in done("sheet", "lake", "--axes", "depth, lat")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("snar",), 1, "no trial is out: hand some out first (--take 8, in Python hand_out)"),
        (("lake", "--worker", "anna"), 1, "no trial is out with 'anna'"),
        (("lake", "--take", "0"), 2, "'0' must be at least 1"),
        (("lake", "--take", "x"), 2, "'x' is not a whole number"),
        (("lake", "--take", "3", "--axes", "lat"), 2, "--axes: name two different axes, got 'lat'"),
        (("lake", "--take", "3", "--axes", "lat,lat"), 2, "--axes: name two different axes"),
        (("lake", "--take", "3", "--axes", "lat,long"), 2, "--axes: there is no axis 'long'"),
        (("snar", "--take", "3", "--axes", "temp_C,catalyst"), 2, "the axis 'catalyst' is a choice"),
        (("lake", "--take", "3", "--format", "csv", "--no-picture"), 2, "--no-picture is for --format html"),
        (("lake", "--axes", "lat,lon", "--no-picture"), 2, "contradict each other"),
        (("lake", "--take", "3", "--out", "lake.pdf"), 2, "ends in none of .html, .csv, .xlsx"),
        (("lake", "--take", "3", "--out", "lake.toml", "--format", "csv"), 1, "exists already"),
        (("lake", "--take", "3", "--out", "wayfare.db", "--format", "csv", "--force"), 2, "the store itself"),
        (("lake", "--take", "3", "--json"), 2, "so it needs --out"),
    ],
)
def test_a_sheet_that_cannot_be_is_one_line_and_hands_nothing_out(lake, arguments, code, words):
    assert words in refused("sheet", *arguments, code=code)
