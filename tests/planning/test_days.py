"""Days: home by evening, a route that ends with the day, and a way home that is paid for."""

import json
from itertools import pairwise

import numpy as np
import pytest

import wayfare as wf
from tests.planning.test_limits import LINE, MARKS, listed, make
from wayfare.exchange import export_csv, export_json, hand_out, import_csv, import_json
from wayfare.form import read_spec, write_spec
from wayfare.planning.trips import Trips
from wayfare.record.events import Planned
from wayfare.report.costs import reach_of
from wayfare.store import MemoryStore, verify

MINUTES = wf.Euclidean(unit="min")
FIELD = wf.Space(wf.Real("x", 0.0, 10.0), wf.Real("y", 0.0, 10.0))
HERE = {"x": 0.0, "y": 0.0}


def days(space=LINE, method="random-route", trials=20, **changes):
    return make(space, method, trials, **({"travel": MINUTES, "home": "start"} | changes))


def of_each_day(study):
    """Return the trials of a study by the day they were visited on."""
    found, ways = [[]], [way.after for way in study.state.returns if way.new_trip]
    for trial in study.trials:
        if trial.home_first or (ways and ways[0] <= trial.number):
            found.append([])
            ways = [after for after in ways if after > trial.number]
        if trial.is_visit:
            found[-1].append(trial)
    return [day for day in found if day]


def cost_of_a_day(day, study):
    """Return what a day cost that began and ended at home, worked out from the places alone."""
    places = [study.spec.limits.home, *(trial.x for trial in day), study.spec.limits.home]
    legs = sum(float(np.linalg.norm(b - a)) for a, b in pairwise(places))
    return legs + study.spec.limits.dwell * sum(trial.count for trial in day)


@pytest.mark.parametrize(
    ("method", "length", "dwell"), [("wayfare", 31.0, 1.5), ("ucb", 22.0, 0.0), ("tucb", 22.0, 0.0), ("tts", 47.0, 3.0)]
)
def test_every_day_ends_at_home_and_every_later_route_with_its_day(method, length, dwell):
    study = days(FIELD, method, 22, start=HERE, day=length, seed=3, dwell=dwell)
    late = np.random.default_rng(3)
    while (trial := study.ask()) is not None:
        if trial.number % 6 == 5:
            study.skip(trial)
            continue
        study.tell(trial, float(-((trial.x - 4) ** 2).sum()))
        if late.random() < 0.1:
            study.go_home()
    assert all(cost_of_a_day(day, study) <= length * (1 + 1e-9) for day in of_each_day(study))
    plans = [event for event in study.events if isinstance(event, Planned)]
    assert all(max(plan.homes, default=0) == 0 for plan in plans[1:]), "home only before the first stop"
    assert len(of_each_day(study)) == study.ledger().trips > 1


def test_the_first_route_goes_on_over_days_and_the_next_sees_all_of_its_day():
    """A survey is walked whole, because its places depend on no result; a batch is cut at the evening."""
    survey = wf.Method(wf.UCB(), wf.Fixed(2), opening=wf.Survey(7))
    study = days(FIELD, survey, 24, start=HERE, day=29.0, dwell=1.0)
    study.ask()
    assert len(study.state.plans[0].stops) == 8, "with the start"
    assert study.state.plans[0].homes
    batch = days(MARKS, listed(1, 2, 3, 4), 4, day=6.0, dwell=1.0)
    trial = batch.ask()
    assert [stop.params["x"] for stop in batch.route().stops] == [2.0]
    assert trial.params["x"] == 1.0, "2 there, 2 back and 2 of dwell: the day is full"


def test_stops_that_a_day_has_no_time_for_are_dropped_from_its_route_in_the_order_they_were_picked():
    study = days(MARKS, listed(2, 4, 1), 4, day=7.0, dwell=1.0)
    study.tell(study.ask(), 0.0)
    assert [trial.params["x"] for trial in study.trials] == [1.0]
    assert [stop.params["x"] for stop in study.route().stops] == [2.0], "4 would take 8 of way"
    assert not study.ask().home_first


def test_when_nothing_fits_the_rest_of_the_day_the_traveller_goes_home_first():
    study = days(MARKS, listed(3, 2, 1, 4), 4, day=8.0, dwell=1.0)
    stops = []
    while (trial := study.ask()) is not None:
        stops.append((trial.params["x"], trial.home_first))
        study.tell(trial, 0.0)
    assert [trial for trial in stops if trial[1]], "there is more than one day"
    assert all(cost_of_a_day(day, study) <= 8.0 for day in of_each_day(study))


@pytest.mark.parametrize(
    ("day", "unit", "length"),
    [("8 h", "min", 480.0), ("450 min", "h", 7.5), ("7.5 h", "s", 27000.0), ("480", None, None), (480, "min", 480.0)],
)
def test_a_day_is_read_in_any_unit_of_time(day, unit, length):
    if unit is None:
        with pytest.raises(wf.InvalidInput, match="'480' is not a length of time such as '8 h'"):
            days(day=day)
        return
    study = days(travel=wf.Euclidean(unit=unit), day=day)
    assert (study.spec.limits.trip, study.spec.limits.called) == (length, "day")
    form = write_spec(study.spec)
    assert (form["day"], "trip" in form) == (length, False)
    assert write_spec(read_spec(form)) == form


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"travel": wf.Euclidean(unit="m"), "day": "8 h"},
            "day: the travel cost is in 'm', which is not a time .*trip",
        ),
        ({"travel": wf.Euclidean(), "day": 8}, "day: the travel cost has no unit .*trip"),
        ({"day": "8 h", "trip": 5.0}, "day and trip are both"),
        ({"day": "8 h", "home": None}, "day needs a place to come back to: give home"),
        ({"day": "8 h", "max_step": 1.0}, "day and max_step exclude each other"),
        ({"day": "8 parsecs"}, "'8 parsecs' is not a length of time"),
        ({"day": "-8 h"}, "'-8 h' is not a length of time"),
        ({"day": "0 h"}, "day must be above 0"),
        ({"day": -1}, "day, in min or .* must be above 0"),
        ({"day": 5, "home": {"x": -4.0}}, "day is 5 min, but from home to x=0 for one result and back costs 8 min"),
    ],
)
def test_days_that_cannot_be_are_refused_with_the_way_out(options, words):
    with pytest.raises(wf.InvalidInput, match=words) as refused:
        days(**options)
    assert "\n" not in str(refused.value)


def test_going_home_is_paid_begins_a_day_and_leaves_the_route():
    study = days(MARKS, listed(1, 2, 3, 4), 4, day=20.0, dwell=1.0)
    study.tell(study.ask(), 0.0)
    ahead = [stop.params for stop in study.route().stops]
    made = study.go_home(why="fog")
    assert (made.leg, made.trips, made.called) == (1.0, 2, "day")
    assert str(made) == "at home, leg 1 min; day 2 begins: 20 min of this day left, home is 0 min away"
    assert [stop.params for stop in study.route().stops] == ahead
    assert study.route().stops[0].leg == 2.0, "from home to 2"
    ledger = study.ledger()
    assert (ledger.paid, ledger.predicted, ledger.unordered, ledger.ordered) == (2.0, 2.0, 2.0, 2.0)
    assert "1 visit on 1 route in 2 days: " in str(ledger)
    assert not study.ask().home_first, "the traveller is there"
    assert study.ledger().paid == 4.0


def test_a_planned_visit_home_is_not_made_twice():
    study = make(MARKS, listed(3, 2, 1), 3, trip=6.5, home="start", dwell=0.25, trip_cost=0.5)
    study.tell(study.ask(), 0.0)
    assert study.route().stops[0].home_first
    study.go_home()
    assert not study.route().stops[0].home_first
    study.ask()
    assert study.ledger().paid == 1.0 + (1.0 + 0.5) + 2.0, "there, home and the new battery, and out to the next"
    assert study.ledger().trips == 2


def test_going_home_where_the_traveller_is_or_without_a_home_is_refused():
    study = days(day=20.0)
    with pytest.raises(wf.InvalidInput, match="the traveller is at home, and nothing was visited since"):
        study.go_home()
    first = study.ask()
    study.go_home(request="evening")
    assert study.go_home(request="evening").leg == first.leg, "sent again, it happens once"
    with pytest.raises(wf.Conflict):
        study.go_home(why="rain", request="evening")
    with pytest.raises(wf.InvalidInput, match="nothing was visited since"):
        study.go_home()
    with pytest.raises(wf.InvalidInput, match="the study has no home; replan"):
        make().go_home()


def test_a_visit_that_was_not_made_after_all_or_was_elsewhere_changes_the_way_home():
    study = days(trials=9, day=40.0)
    near, far = (study.insert({"x": x}).trial for x in (2.0, 9.0))
    study.tell(near, 0.0)
    study.go_home()
    assert study.ledger().paid == 18.0
    study.tell(far, 0.0, actual={"x": 8.0})
    assert study.ledger().paid == 16.0
    last = study.insert({"x": 5.0}).trial
    study.go_home()
    study.skip(last)
    assert study.ledger().paid == 16.0, "not there and back again"
    text = export_csv(study).replace(",asked,", ",skipped,")
    assert import_csv(study, text).skipped == 0


def test_a_row_that_says_skipped_changes_the_way_home_too():
    study, other = (days(trials=9, day=40.0) for _ in range(2))
    for one in (study, other):
        one.tell(one.insert({"x": 2.0}).trial, 0.0)
        one.insert({"x": 9.0})
        one.go_home()
    study.skip(1)
    import_csv(other, export_csv(other).replace("asked", "skipped"))
    assert other.ledger().paid == study.ledger().paid == 4.0


def test_what_the_way_home_really_cost_counts_and_no_later_word_changes_it():
    study = days(trials=9, day=40.0, budget=30.0)
    trial = study.insert({"x": 5.0}).trial
    study.go_home(spent=7.5)
    study.skip(trial)
    ledger = study.ledger()
    assert (ledger.paid, ledger.left) == (7.5, 22.5)


def test_a_new_trip_is_paid_for_only_if_one_can_follow():
    options = {"trip": 12.0, "trip_cost": 3.0, "home": "start"}
    study = make(LINE, "random-route", 2, **options)
    study.insert({"x": 2.0})
    assert study.go_home().leg == 2.0 + 3.0
    assert study.ledger().trip_left == 12.0
    study.insert({"x": 1.0})
    assert study.go_home().leg == 1.0, "all trials are handed out"
    short = make(LINE, "random-route", 9, budget=11.0, **options)
    short.insert({"x": 5.0})
    made = short.go_home()
    assert (made.leg, made.trips) == (5.0, None)
    assert short.ledger().left == 1.0
    assert short.ledger().trip_left == 2.0, "the old trip, for no new one can be paid"


def test_a_study_with_days_is_kept_verified_and_carried_elsewhere(tmp_path):
    study = days(FIELD, "random-route", 12, start=HERE, day=30.0, store=tmp_path / "a.db")
    for _ in range(8):
        study.tell(study.ask(), 0.0)
        if len(study.trials) % 3 == 0:
            study.go_home(spent=None if len(study.trials) == 3 else 1.25)
    assert verify(tmp_path / "a.db").is_sound
    again = wf.Study.open(tmp_path / "a.db", "study")
    assert again.ledger() == study.ledger()
    carried = MemoryStore()
    import_json(carried, export_json(study))
    assert wf.Study.open(carried, "study").ledger() == study.ledger()
    assert [entry.what for entry in study.log()].count("returned") == 2


def test_a_forged_way_home_is_refused():
    study = days(day=40.0)
    study.insert({"x": 2.0})
    study.go_home()
    whole = json.loads(export_json(study))
    assert whole["events"][-1]["kind"] == "returned"
    for wrong in ({"leg": -1.0}, {"leg": 0.5}, {"spent": -1.0}, {"new_trip": 1}):
        forged = whole | {"events": [*whole["events"][:-1], whole["events"][-1] | wrong]}
        with pytest.raises(wf.WayfareError):
            import_json(MemoryStore(), json.dumps(forged))
    homeless = {key: value for key, value in whole["spec"].items() if key not in ("home", "day")}
    with pytest.raises(wf.InvalidInput, match="went home, and the study has none"):
        import_json(MemoryStore(), json.dumps(whole | {"spec": homeless}))


# The stops of a day, handed out together.


def test_the_stops_of_a_day_are_those_up_to_the_next_return_home():
    study = days(FIELD, "wayfare", 30, start=HERE, day="40 min", dwell=2.0)
    seen = 0
    while study.state.trials_left:
        out = study.ask(n="day")
        assert out
        assert not any(trial.home_first for trial in out[1:])
        assert study.ask(n="day") == out, "asked again, the same"
        assert list(hand_out(study, "day")) == out
        for trial in out:
            study.tell(trial, float(-((trial.x - 4) ** 2).sum()))
        seen += len(out)
        study.go_home()
    assert seen == 30
    assert study.ledger().trips == len(of_each_day(study))


def test_the_stops_of_the_day_need_a_day_or_a_trip():
    with pytest.raises(wf.InvalidInput, match="the study has neither a day nor a trip; say how many"):
        make().ask(n="day")
    out = make(LINE, "random-route", 20, trip=20.0, home="start").ask(n="day")
    assert out
    assert not any(trial.home_first for trial in out)


def test_no_route_is_kept_that_was_only_planned_to_see_where_the_day_ends():
    study = days(FIELD, "ucb", 30, start=HERE, day=40.0, dwell=2.0)
    study.ask(n="day")
    visited = {trial.plan for trial in study.trials}
    assert visited == set(range(len(study.state.plans)))


@pytest.mark.parametrize(("word", "most"), [("trip", 2), ("day", 1)])
def test_no_day_begins_while_all_stops_fit_the_one_before(word, most):
    """To call at home on the way is a little shorter here; of trips there are two then, but a day has time for all."""
    places = wf.Places([[8.0, 1.0], [7.0, 0.0], [5.0, 6.0], [2.0, 7.0]], names=["x", "y"], once=True)
    survey = wf.Method(wf.UCB(), wf.Fixed(1), opening=wf.Survey(4))
    options = {"start": [5.0, 4.0], "home": [5.0, 5.0], word: 20.0, "travel": MINUTES}
    study = make(places, survey, 4, **options)
    reach = reach_of(study.state)
    trips = Trips.of(reach, places.table, np.ones(4, dtype=int))
    order = trips.improved([0, 1, 2, 3], closed=False)
    assert trips.cheapest(order)[1].sum() == most - 1


def test_a_row_of_a_logger_beside_the_last_stop_changes_the_way_home():
    study = days(trials=9, day=40.0)
    study.insert({"x": 9.0})
    study.go_home()
    import_csv(study, "x,value\n8.5,0.1\n", tolerance={"x": 1.0})
    assert study.ledger().paid == 17.0
