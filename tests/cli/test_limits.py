"""The travel budget on the command line."""

import json

import pytest

import wayfare as wf
from tests.cli.studies import call, done, record, records
from wayfare.cli.output import NO_BREAK, columns

LINE = """
name = "line"
direction = "maximize"
trials = 5
method = {policy = {kind = "uniform"}, schedule = {kind = "horizon"}}
start = {x = 0.0}
budget = 6
home = "start"
dwell = 0.5
[places]
columns = {x = [0, 1, 2, 3, 4]}
once = true
[travel]
kind = "euclidean"
unit = "m"
"""


@pytest.fixture
def line(lab):
    (lab / "line.toml").write_text(LINE)
    return lab


def test_new_says_the_budget(line):
    assert "budget  6 m, 0.5 m for each result, home is x=0\n" in done("new", "line.toml")


def test_status_and_ledger_say_what_is_left_and_how_far_home_is(line):
    done("new", "line.toml")
    first = record("ask", "line")
    done("tell", "line", first["number"], 1.0)
    at = record("ask", "line")
    said = record("status", "line")
    home, moved = at["params"]["x"], said["moved"]
    assert (said["budget"], said["budget_left"], said["home"]) == (6.0, 6.0 - moved - 1.0, home)
    words = f"{6 - moved - 1:g} m of 6 m left, home is {home} m away"
    assert f"budget    {words}\n" in done("status", "line")
    ledger = record("ledger", "line")
    assert (ledger["dwell"], ledger["budget"], ledger["left"], ledger["home"]) == (1.0, 6, said["budget_left"], home)
    lines = done("ledger", "line").splitlines()
    assert lines[-2:] == ["dwell      1 m for taking results", f"budget     {words}"]


def test_plan_ends_with_what_is_left_at_the_end(line):
    done("new", "line.toml")
    done("tell", "line", record("ask", "line")["number"], 1.0)
    done("skip", "line", record("ask", "line")["number"])
    done("replan", "line")
    last = records("plan", "line")[-1]
    assert last["left"] >= last["home"] == last["params"]["x"]
    said = f"at the end {last['left']:g} m of 6 m left, home is {last['home']:g} m away"
    assert done("plan", "line").splitlines()[-1] == said


def walked_to_its_end():
    """Ask and tell until nothing more is handed out; return the ask that was refused."""
    while not (asked := call("ask", "line", "--json")).exit_code:
        done("tell", "line", json.loads(asked.stdout)["number"], 1.0)
    return asked


def test_ask_says_that_the_budget_is_spent_and_what_is_left(line):
    done("new", "line.toml")
    result = walked_to_its_end()
    assert result.exit_code == 1
    left, home = record("status", "line")["budget_left"], record("status", "line")["home"]
    why = f"no place is within reach ({left:g} m of 6 m left, home is {home:g} m away)"
    assert result.stderr == f"Error: the budget is spent, for {why}\n"
    assert record("status", "line")["left"] > 0


def test_insert_beyond_the_budget_is_refused(line):
    done("new", "line.toml")
    result = call("insert", "line", "x=4")
    assert result.exit_code == 1
    assert "going to x=4 and home does not fit the budget: 6 m of 6 m left" in result.stderr


def test_plan_without_a_route_says_how_far_the_budget_goes(line):
    done("new", "line.toml")
    why = "the next ask plans a route, as far as the limits go: 6 m of 6 m left, home is 0 m away"
    assert call("plan", "line").stderr == f"Note: no stops are ahead: {why}\n"


@pytest.fixture
def late(lab):
    """A folder with a study whose first leg cost so much that the budget pays not all of its route."""
    (lab / "flight.toml").write_text(
        FLIGHT.replace("trip = 60\ndwell = 15\n", "budget = 100\n").replace("trials = 9", "trials = 6")
    )
    done("new", "flight.toml")
    first = record("ask", "flight")
    route = records("plan", "flight")
    # What is left pays the stop after the next, and half of the leg to the one after that.
    third = route[2]
    spent = 100 - third["total"] - third["home"] + third["leg"] / 2
    result = call("tell", "flight", first["number"], 1.0, "--spent", spent)
    assert (result.exit_code, result.stderr) == (0, "")
    return lab


def test_plan_and_status_say_how_many_stops_the_budget_still_pays(late):
    route = records("plan", "flight")
    fit = len(route)
    assert 0 < fit < 5
    assert all(stop["within_reach"] for stop in route)
    first = "the first" if fit == 1 else f"the first {fit}"
    said = f"the budget pays {first} of 5 stops; the next ask after {'it' if fit == 1 else 'them'} plans again"
    end = f"after stop {fit} {route[fit - 1]['left']:.4g} km of 100 km left, home is"
    *_, shortfall, last = done("plan", "flight").splitlines()
    assert shortfall == said
    assert last.startswith(end)
    assert "overdrawn" not in done("plan", "flight")
    assert said in " ".join(done("status", "flight").split())
    assert record("status", "flight")["ahead_within_reach"] == fit


def test_waypoints_are_only_those_that_can_be_paid(late):
    fit = record("status", "flight")["ahead_within_reach"]
    for arguments in (("--out", "flight.gpx"), ()):
        result = call("waypoints", "flight", *arguments)
        assert result.exit_code == 0
        assert "of 5 stops; the next ask after" in result.stderr
        assert result.stderr.endswith("plans again; stops that cannot be paid are left out\n")
    assert (late / "flight.gpx").read_text().count("<rtept") == fit + 1  # and home


def test_waypoints_are_the_way_home_alone_where_not_even_the_first_can_be_paid(late):
    done("amend", "flight", 0, "--spent", 99)
    result = call("waypoints", "flight", "--out", "home.gpx")
    assert result.exit_code == 0
    assert result.stderr.startswith("Note: the budget is spent, for no place is within reach (1 km of 100 km")
    assert result.stdout == "flight: the way home written to home.gpx\n"
    assert (late / "home.gpx").read_text().count("<rtept") == 1
    *_, shortfall, now = done("plan", "flight").splitlines()
    assert shortfall == "the budget pays none of 5 stops; the next ask looks for others"
    assert now.startswith("now 1 km of 100 km left, home is ")


def test_a_sheet_says_as_ask_does_that_the_budget_is_spent(line):
    done("new", "line.toml")
    done("insert", "line", "x=2")
    some = call("sheet", "line", "--take", 5, "--no-picture")
    out = len(record("status", "line")["open"])
    assert f"Note: {out} trials out, not 5: the budget is spent, for no place is within reach (" in some.stderr
    for trial in record("status", "line")["open"]:
        done("tell", "line", trial["number"], 1.0)
    result = call("sheet", "line", "--take", 2, "--out", "zz.html")
    assert result.exit_code == 1
    assert result.stderr == call("ask", "line").stderr
    assert "the budget is spent" in result.stderr
    assert not (line / "zz.html").exists()


@pytest.mark.parametrize("move", [("tell", 1.0), ("fail",)])
def test_a_home_that_cannot_be_reached_any_more_is_noted(line, move):
    done("new", "line.toml")
    done("insert", "line", "x=2")
    result = call(move[0], "line", 0, *move[1:], "--spent", 5.25)
    left = "0.25 m of 6 m left, home is 2 m away"
    assert result.stderr == f"Note: home cannot be reached any more within the budget: {left}\n"


@pytest.fixture
def dear(line):
    """A folder with a study at x=3 where legs of 1 m were told as 3 m on average, those of 2 m as 4 m."""
    text = LINE.replace("once = true", "once = false").replace("budget = 6", "budget = 24")
    (line / "line.toml").write_text(text.replace("trials = 5", "trials = 9"))
    done("new", "line.toml")
    for number, (x, spent) in enumerate([(1, 2), (3, 4), (2, 2), (4, 4)]):
        done("insert", "line", f"x={x}")
        done("tell", "line", number, 1.0, "--spent", spent)
    done("insert", "line", "x=3")
    return line


def test_a_home_that_is_dearer_than_was_stated_is_noted_by_what_it_will_really_cost(dear):
    result = call("tell", "line", 4, 1.0, "--spent", 5)
    left = "4.5 m of 24 m left, home is 3 m away, expected 5 m"
    assert result.stderr == f"Note: home cannot be reached any more within the budget: {left}\n"
    said = record("status", "line")
    assert (said["home"], said["home_expected"]) == (3.0, pytest.approx(5.0))
    assert f"budget    {left}\n" in done("status", "line")
    assert record("ledger", "line")["home_expected"] == said["home_expected"]


def test_a_plan_says_what_the_way_home_from_its_end_will_really_cost(dear):
    done("tell", "line", 4, 1.0, "--spent", 2)
    done("replan", "line")
    route = records("plan", "line")
    home = route[-1]["home"]
    assert home > 0
    words = f"home is {home:g} m away, expected {2 * home:g} m"
    assert done("plan", "line").splitlines()[-1].endswith(words)


def test_trips_are_told_from_the_first_word_to_the_ledger(line):
    (line / "trips.toml").write_text(
        LINE.replace('name = "line"', 'name = "trips"').replace("budget = 6\n", "trip = 9\ntrip_cost = 0.25\n")
    )
    said = done("new", "trips.toml")
    assert "limits  0.5 m for each result, trips of 9 m, 0.25 m between, home is x=0\n" in said
    assert record("status", "trips")["trip_left"] == 9.0
    while (answer := call("ask", "trips")).exit_code == 0:
        if "by way of home, where a new trip begins" in answer.stdout:
            break
        number = record("status", "trips")["open"][0]["number"]
        done("tell", "trips", number, 1.0, "--spent", 4)
    else:
        pytest.fail("a trip of 9 m should not last for legs of 4 m")
    assert "went home first" in done("trials", "trips")
    ledger = record("ledger", "trips")
    assert ledger["trips"] == 2
    assert "routes in 2 trips" in done("ledger", "trips")
    assert f"trip       {ledger['trip_left']:g} m of this trip left" in done("ledger", "trips")
    last = records("plan", "trips")[-1]
    end = f"at the end {last['trip_left']:g} m of this trip left, home is {last['home']:g} m away"
    assert done("plan", "trips").splitlines()[-1] == end


def test_steps_and_anchors_are_said_and_kept(line):
    (line / "steps.toml").write_text(
        LINE.replace('name = "line"', 'name = "steps"')
        .replace("budget = 6\n", 'max_step = 1\nanchor = "start"\nanchor_every = 3\n')
        .replace("once = true", "once = false")
        .replace("trials = 5", "trials = 9")
    )
    said = done("new", "steps.toml")
    assert "limits  0.5 m for each result, no leg above 1 m, home is x=0\n" in said
    assert "anchor  x=0, after 3 other visits at most\n" in said
    for _ in range(9):
        done("tell", "steps", record("ask", "steps")["number"], 1.0)
    assert max(trial["leg"] for trial in records("trials", "steps")) <= 1.0


FLIGHT = """
name = "flight"
direction = "maximize"
trials = 9
method = {policy = {kind = "uniform"}, schedule = {kind = "horizon"}, opening = {kind = "none"}}
start = {lat = 47.5, lon = 9.2}
home = "start"
trip = 60
dwell = 15
[[axis]]
name = "lat"
low = 47.5
high = 47.6
[[axis]]
name = "lon"
low = 9.2
high = 9.4
[travel]
kind = "haversine"
lat = "lat"
lon = "lon"
unit = "km"
"""


def test_a_plan_for_a_vehicle_says_that_it_is_one_trip(lab):
    (lab / "flight.toml").write_text(FLIGHT)
    done("new", "flight.toml")
    done("ask", "flight")
    written = call("waypoints", "flight", "--out", "flight.plan", "--alt", "30")
    flown = int(written.stdout.split()[1])
    *items, last = json.loads((lab / "flight.plan").read_text())["mission"]["items"]
    assert flown == len(items) < 9
    assert "waypoints and the way home written" in written.stdout
    assert last["command"] == 20
    assert f"a plan is one trip: {9 - flown} stops left for later ones" in written.stderr


def test_no_number_of_a_plan_is_broken_in_two(lab):
    text = FLIGHT.replace("trials = 9", "trials = 12").replace("trip = 60\ndwell = 15\n", "")
    text = text.replace('"lat"', '"latitude"').replace('"lon"', '"longitude"').replace("{lat =", "{latitude =")
    text = text.replace(", lon =", ", longitude =")
    text += '[[also]]\nkind = "fee"\namount = 3\nunit = "EUR for the whole crew"\n'
    (lab / "flight.toml").write_text(text)
    done("new", "flight.toml")
    for _ in range(6):
        trial = record("ask", "flight")
        done("tell", "flight", trial["number"], 1.0, "--spent", 2 * trial["leg"])
    shown = done("plan", "flight")
    for stop in records("plan", "flight"):
        assert f"→ {stop['params']['latitude']:.6f}".rstrip("0") in shown


def test_a_column_is_folded_between_its_words_and_never_inside_one():
    word = "temperature 64.6642 → 71.2".replace(" ", NO_BREAK)
    table = columns(["stop", "changes", "leg"], [["1", f"{word}, flow same", "9" * 60]], left=(1,), fold=1)
    assert "temperature 64.6642 → 71.2," in table
    assert "flow same" in table.replace("\n", " ").replace("   ", "")


def test_a_study_whose_cost_is_not_there_is_told_and_nothing_is_said_of_the_way_home(lab):
    study = wf.Study.create(
        wf.Space(wf.Real("x", 0.0, 10.0)),
        direction="maximize",
        travel=wf.Custom(lambda a, b: float(abs(a[0] - b[0])), unit="m", metric=True),
        trials=5,
        start=[5.0],
        home="start",
        budget=90.0,
        method="random-route",
        name="mine",
        store="wayfare.db",
    )
    study.ask()
    result = call("tell", "mine", 0, 3.0)
    assert result.exit_code == 0
    assert "trial 0 told: 3" in result.output
    assert "home" not in result.output


def test_plan_says_as_ask_does_that_the_budget_is_spent(line):
    done("new", "line.toml")
    said = walked_to_its_end().stderr.removeprefix("Error: ").strip()
    assert said.startswith("the budget is spent, for no place is within reach")
    assert call("plan", "line").stderr == f"Note: no stops are ahead: {said}\n"
