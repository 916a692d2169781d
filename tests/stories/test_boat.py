"""A boat over three days, from the first command to the last: a shore, a logger, and home by evening."""

import csv
import json
import re

import pytest

from tests.cli.studies import call, done, record, records

LAKE = """
name = "lake"
direction = "maximize"
trials = 30
start = {lon = 9.405, lat = 47.605}
home = "start"
day = "5 h"
dwell = 15

[map]
allowed = "shore.geojson"
obstacles = "island.geojson"
cell = 250

[travel]
kind = "scaled"
cost = {kind = "map"}
factor = 0.006
unit = "min"
"""


def polygon(*corners):
    ring = [*corners, corners[0]]
    return json.dumps({"type": "Polygon", "coordinates": [[list(corner) for corner in ring]]})


@pytest.fixture
def boat(tmp_path, monkeypatch):
    pytest.importorskip("shapely")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WAYFARE_STORE", raising=False)
    monkeypatch.setenv("WAYFARE_USER", "bo")
    (tmp_path / "lake.toml").write_text(LAKE)
    shore = polygon((9.40, 47.60), (9.50, 47.60), (9.52, 47.64), (9.47, 47.67), (9.40, 47.65))
    (tmp_path / "shore.geojson").write_text(shore)
    island = polygon((9.44, 47.62), (9.46, 47.62), (9.46, 47.635), (9.44, 47.635))
    (tmp_path / "island.geojson").write_text(island)
    return tmp_path


def chlorophyll(lon, lat):
    return 12 - ((lon - 9.485) / 0.03) ** 2 - ((lat - 47.625) / 0.015) ** 2


def logged(trials, name, off=0.0002):
    """Write what a logger recorded: no numbers of trials, metres off, semicolons and decimal commas."""
    with open(name, "w", newline="") as file:
        table = csv.writer(file, delimiter=";")
        table.writerow(["Laengengrad", "Breitengrad", "Chl"])
        for trial in trials:
            lon, lat = trial["params"]["lon"] + off, trial["params"]["lat"] - off
            row = (f"{lon:.6f}", f"{lat:.6f}", f"{chlorophyll(lon, lat):.3f}")
            table.writerow([number.replace(".", ",") for number in row])


COLUMNS = ["--column", "lon=Laengengrad", "--column", "lat=Breitengrad", "--column", "value=Chl"]
COLUMNS += ["--tolerance", "lon=0.0005", "--tolerance", "lat=0.0005"]


@pytest.mark.slow
def test_three_days_on_a_lake(boat):
    # Monday morning: the lake, the first route, and the sheet for the day.
    done("new", "lake.toml")
    assert done("plot", "lake", "--out", "first.png") == "first.png\n"
    numbers = record("sheet", "lake", "--take", "day", "--out", "monday.html")["trials"]
    page = (boat / "monday.html").read_text()
    assert "Shaded: impassable." in page
    assert ">home</td>" in page
    assert done("waypoints", "lake", "--out", "monday.gpx").startswith("lake: ")
    out = records("ask", "lake", "-n", "day")
    assert [trial["number"] for trial in out] == numbers

    # The logger: rows near the open trials are their results, at the places where they really were.
    logged(out, "monday.csv")
    paid = record("ledger", "lake")["paid"]
    dry = record("import", "lake", "monday.csv", *COLUMNS, "--dry-run")
    assert record("status", "lake")["told"] == 0
    came = record("import", "lake", "monday.csv", *COLUMNS)
    assert (dry["told"], came["told"], came["visits"]) == (len(out), len(out), 0)
    assert record("ledger", "lake")["paid"] == pytest.approx(paid, rel=0.1), "no visit was counted twice"
    moved = record("status", "lake")["moved"]
    home = record("go-home", "lake")
    assert record("status", "lake")["moved"] == pytest.approx(moved + home["leg"])

    # Tuesday: fog ends the day early; one place could not be reached, and the crew makes a stop of its own.
    out = records("ask", "lake", "-n", "day")
    assert not out[0]["home_first"]
    logged(out[:2], "tuesday.csv")
    record("import", "lake", "tuesday.csv", *COLUMNS)
    for trial in out[2:]:
        done("skip", "lake", trial["number"], "--why", "fog")
    refused = call("insert", "lake", "lon=9.405", "lat=47.61").stderr
    there = re.search(r"the nearest place has (lon=[\d.]+), (lat=[\d.]+)\n", refused)
    extra = record("insert", "lake", *there.groups())
    params = next(trial for trial in records("trials", "lake") if trial["number"] == extra["number"])["params"]
    done("tell", "lake", extra["number"], chlorophyll(**params), "--spent", "44")
    done("go-home", "lake", "--spent", "30", "--why", "fog")

    # Wednesday: until the trials are used up or the day is over; home again, and what is known.
    out = records("ask", "lake", "-n", "day")
    logged(out, "wednesday.csv")
    record("import", "lake", "wednesday.csv", *COLUMNS)
    done("go-home", "lake")
    limit = 300 * (1 + 1e-9)
    assert record("ledger", "lake")["trips"] in (3, 4)
    best = record("best", "lake")
    assert chlorophyll(best["params"]["lon"], best["params"]["lat"]) > 10
    assert done("plot", "lake", "--kind", "belief", "--out", "belief.png") == "belief.png\n"
    assert done("verify").endswith("sound\n")
    spent = 0.0
    for trial in records("trials", "lake")[: len(numbers)]:
        spent += trial["leg"] + 15
    assert spent + home["leg"] <= limit, "Monday was a day"
