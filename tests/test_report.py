"""What a study says of itself, with runs and without."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.policy import Runs

LINE = wf.Space(wf.Real("x", 0.0, 100.0))


class Marks:
    """Proposes the marks 10, 20 and so on, for ``each`` results there."""

    def __init__(self, *each):
        self.each = each

    def propose(self, situation, size, rng):
        return Runs([[10.0 * at] for at in range(1, len(self.each) + 1)], self.each)


def make(*each, trials=10_000):
    return wf.Study.create(
        LINE,
        direction="maximize",
        travel=wf.Euclidean(unit="m"),
        trials=trials,
        start=[0.0],
        method=wf.Method(Marks(*each), wf.Horizon(), opening=wf.NoOpening()),
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
    assert list(frame.columns)[-2:] == ["count", "variance"]
    assert list(frame["count"]) == [3, 5]
    assert frame["variance"][0] == 7.0
    assert frame["variance"].isna().tolist() == [False, True]
