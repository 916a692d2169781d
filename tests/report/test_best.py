"""What a study says of itself, with runs and without."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.policy import Runs

LINE = wf.Space(wf.Real("x", 0.0, 100.0))


class Marks:
    """Proposes the marks 10, 20 and so on, for ``each`` results there."""

    needs_whole_space = True  # as policies do that ask for many results at few places

    def __init__(self, *each):
        self.each = each

    def propose(self, situation, size, rng):
        return Runs([[10.0 * at] for at in range(1, len(self.each) + 1)], self.each)


def make(*each, trials=10_000, **limits):
    return wf.Study.create(
        LINE,
        direction="maximize",
        travel=wf.Euclidean(unit="m"),
        trials=trials,
        start=[0.0],
        method=wf.Method(Marks(*each), wf.Horizon(), opening=wf.NoOpening()),
        **limits,
    )


@settings(deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=4), st.integers(0, 60))
def test_the_results_handed_out_and_those_ahead_are_those_planned(each, asked):
    study = make(*each)
    study.replan()
    for _ in range(min(asked, sum(each) - 1)):
        study.ask(wait=False)
    handed_out = sum(trial.count for trial in study.trials)
    assert handed_out + study.route().results == sum(each)
    assert study.ledger().visits == handed_out
    assert study.ledger().results == 0


def test_the_route_ahead_says_how_many_results_to_take():
    study = make(1, 5000)
    study.replan()
    assert [stop.count for stop in study.route().stops] == [1, 5000]
    assert str(study.route()) == (
        "1. x 0 → 10: leg 10 m, total 10 m\n2. x 10 → 20: leg 10 m, total 20 m, take 5,000 results"
    )


def test_a_route_dropped_keeps_its_counts():
    study = make(3, 5)
    study.replan()
    study.ask()
    made = study.replan()
    assert (made.dropped.results, made.route.results) == (7, 8)


def test_no_more_results_are_ahead_than_trials_are_left():
    study = make(6, 6, trials=12)
    study.replan()
    study.insert({"x": 50.0}, count=8)
    assert [stop.count for stop in study.route().stops] == [4]


def test_the_ledger_counts_visits_and_what_they_brought():
    study = make(3, 5, 4)
    study.tell(study.ask(count=True), [1.0, 2.0, 6.0])
    study.fail(study.ask(count=True))
    study.tell(study.ask(count=True), 1.0, count=5000)
    ledger = study.ledger()
    assert (ledger.visits, ledger.results, ledger.paid) == (3, 5003, 30.0)
    assert str(ledger).startswith("3 visits with 5,003 results on 1 route: paid 30 m")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"value": 3.0, "count": 5000}, "best result: 3 (mean of 5,000 results) at x=10, trial 0"),
        ({"value": [3.0]}, "best single result: 3 at x=10, trial 0"),
    ],
)
def test_the_best_says_whether_it_was_one_result_or_the_mean_of_many(found, said):
    study = make(5)
    study.tell(study.ask(count=True), **found)
    assert str(study.best()).splitlines()[1] == said
    assert study.best().observed_count == study.trials[0].count


def test_a_table_of_trials_has_their_counts_and_variances():
    study = make(3, 5)
    study.tell(study.ask(count=True), [1.0, 2.0, 6.0])
    study.ask(count=True)
    frame = study.to_dataframe()
    assert list(frame.columns)[-3:] == ["count", "variance", "prior"]
    assert list(frame["count"]) == [3, 5]
    assert frame["variance"][0] == 7.0
    assert frame["variance"].isna().tolist() == [False, True]


def late(spent, *each, **limits):
    """A study whose first leg, of 10 m, cost more than planned."""
    study = make(*each, home="start", **limits)
    study.tell(study.ask(count=True), [1.0] * each[0], spent=spent)
    return study


@settings(deadline=None)
@given(
    st.lists(st.integers(1, 3), min_size=2, max_size=5),
    st.integers(0, 120),
    st.sampled_from([{"budget": 125}, {"trip": 125}, {"trip": 130, "budget": 260}]),
)
def test_as_many_stops_are_within_reach_as_are_handed_out_before_the_next_plan(each, spent, limits):
    study = late(float(spent), *each, dwell=2.0, trip_cost=3.0 * ("trip" in limits), **limits)
    first, route = len(study.state.plans), study.route()
    stops = set()
    while (trial := study.ask(wait=False)) is not None and trial.plan == first - 1:
        stops.add(trial.stop)
    assert route.within_reach == len(stops)
    assert (route.shortfall == "") == (len(stops) == route.planned)


def test_a_route_that_the_budget_no_longer_pays_says_how_far_it_does():
    ahead = "the budget pays the first 2 of 4 stops; the next ask after them plans again"
    assert str(late(70.0, *[1] * 5, budget=130, dwell=1).route()).splitlines()[-1] == ahead
    said = {
        10.0: "",
        90.0: "the budget pays the first of 4 stops; the next ask after it plans again",
        125.0: "the budget pays none of 4 stops; the next ask looks for others",
    }
    for spent, words in said.items():
        assert late(spent, *[1] * 5, budget=130, dwell=1).route().shortfall == words


def test_where_it_is_not_the_budget_the_limits_are_to_blame():
    study = make(1, 1, 1, 1, max_step=12, budget=1000)
    study.tell(study.ask(), 1.0, actual={"x": 0.0})
    assert study.route().shortfall == "the limits allow none of 3 stops; the next ask looks for others"


def test_a_stop_says_what_is_left_of_the_trip():
    route = late(60.0, 1, 1, 1, 1, trip=110, dwell=1).route()
    assert [(stop.home_first, stop.trip_left, stop.home) for stop in route.stops] == [
        (False, 110 - 61 - 11, 20),
        (True, 110 - 31, 30),
        (False, 110 - 42, 40),
    ]


PRESSURE = wf.Measured("pressure_bar", at_most=10, unit="bar")


def limited(*told, measured=PRESSURE, direction="maximize"):
    """Return a study of results: a place, a value and a pressure each."""
    options = {"travel": wf.Euclidean(unit="m"), "trials": 20, "method": "ucb", "measured": measured, "noise": 0.01}
    study = wf.Study.create(LINE, direction=direction, **options)
    for x, value, pressure in told:
        study.tell(study.insert({"x": x}).trial, value, measured={"pressure_bar": pressure})
    return study


ROWS = [(x, x / 10, x / 5) for x in (5.0, 20.0, 35.0, 45.0, 55.0, 70.0, 90.0)]


def test_the_best_place_is_the_best_that_probably_complies():
    best = limited(*ROWS).best()
    assert (best.params["x"], best.observed_params["x"]) == (45.0, 45.0)
    assert best.compliance > 0.9
    assert "keeps its limits with a probability of" in str(best).splitlines()[0]


def test_a_place_that_may_break_its_limit_gives_way_to_a_safe_one_nearly_as_good():
    """One number kept the limit and one broke it, so the chance is about even: a safe place nearly as good is shown."""
    study = limited(*ROWS, (50.0, 5.0, 9.8), (50.0, 5.0, 10.2), (48.0, 4.95, 9.0))
    best = study.best()
    assert best.params["x"] == 48.0
    assert best.compliance > study.predict([{"x": 50.0}]).compliance[0]


def test_where_no_place_probably_complies_the_likeliest_is_shown_and_says_so():
    best = limited(*((x, value, 11 + pressure) for x, value, pressure in ROWS)).best()
    assert best.params["x"] == 5.0
    assert best.compliance < 0.5
    assert best.observed_params["x"] == 90.0


def test_the_best_of_a_study_that_minimises_keeps_its_limit_too():
    rows = [(x, -value, pressure) for x, value, pressure in ROWS]
    assert limited(*rows, direction="minimize").best().params["x"] == 45.0


def test_without_limits_nothing_is_said_of_them():
    study = wf.Study.create(LINE, direction="maximize", travel=wf.Euclidean(unit="m"), trials=9, method="ucb")
    study.tell(study.insert({"x": 3.0}).trial, 1.0)
    assert study.best().compliance is None
    assert "limits" not in str(study.best())
