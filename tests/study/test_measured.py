"""What is measured beside the value: told, corrected, refused, and seen by the model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.exchange import csv as table
from wayfare.policy import Runs
from wayfare.record.events import read_event, write_event
from wayfare.record.spec import AXIS_PREFIX, COLUMNS
from wayfare.record.state import replay
from wayfare.report import dataframe
from wayfare.store import MemoryStore

LINE = wf.Space(wf.Real("x", 0.0, 10.0))
PRESSURE = wf.Measured("pressure_bar", at_most=10, unit="bar")
PURITY = wf.Measured("purity", at_least=0.9)
NAMES = ("pressure_bar", "purity")
NUMBERS = st.floats(-1e300, 1e300)
READINGS = st.dictionaries(st.sampled_from(NAMES), NUMBERS | st.none())


def make(measured=(PRESSURE, PURITY), **changes):
    options = {"direction": "minimize", "travel": wf.Euclidean(unit="m"), "trials": 40, "start": [0.0], "name": "lab"}
    method = wf.Method(wf.Uniform(), wf.Fixed(5))
    return wf.Study.create(LINE, **(options | {"method": method, "measured": measured} | changes))


def told(value=71.3, **measured):
    """A study with one result, and what was measured with it."""
    study = make()
    study.tell(study.ask(), value, measured=measured)
    return study


# Telling


def test_tell_keeps_what_was_measured_with_the_trial():
    study = make()
    trial = study.tell(study.ask(), 71.3, measured={"purity": 0.95, "pressure_bar": 9.2})
    assert (trial.value, dict(trial.measured)) == (71.3, {"pressure_bar": 9.2, "purity": 0.95})
    assert list(trial.measured) == list(NAMES)  # in the order of the limits, however they were told


def test_tell_takes_some_of_the_numbers_or_none():
    study = make()
    for given_numbers, kept in (
        (None, {}),
        ({}, {}),
        ({"purity": None}, {}),
        ({"pressure_bar": np.float64(3)}, {"pressure_bar": 3.0}),
        ({"pressure_bar": np.array(4), "purity": 1}, {"pressure_bar": 4.0, "purity": 1.0}),
    ):
        assert dict(study.tell(study.ask(), 1.0, measured=given_numbers).measured) == kept


def test_a_result_that_breaks_a_limit_is_a_result():
    study = told(pressure_bar=99.0)
    assert study.trials[0].state == "told"
    assert (study.state.history.told, len(study.state.history.failed)) == (1, 0)


def test_of_a_run_one_number_is_told_for_all_results():
    study = make()
    trial = study.insert({"x": 3.0}, count=3).trial
    study.tell(trial, [1.0, 2.0, 6.0], measured={"pressure_bar": 9.5})
    kept = study.trials[0]
    assert (kept.value, kept.count, dict(kept.measured)) == (3.0, 3, {"pressure_bar": 9.5})
    assert study.state.history.measured.shape == (1, 2)


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ({"presure_bar": 1.0}, "does not measure 'presure_bar'; did you mean 'pressure_bar'?"),
        ({"q": 1.0}, "does not measure 'q'; the names are 'pressure_bar', 'purity'"),
        ({3: 1.0}, "does not measure 3; the names are"),
        ({"purity": float("nan")}, "'purity' is nan; leave it out if it was not measured"),
        ({"purity": float("inf")}, "'purity' must be a finite number, got inf"),
        ({"purity": "0.9"}, "'purity' must be a finite number, got '0.9'"),
        ({"purity": True}, "'purity' must be a finite number, got True"),
        ({"purity": [0.9, 0.95]}, "'purity' must be one number, of several results their mean"),
        ({"purity": 2e300}, "'purity' 2e\\+300 is beyond ±1e300"),
        ([0.9], "measured must be a dict of numbers by name, got \\[0.9\\]"),
        ("purity", "measured must be a dict of numbers by name, got 'purity'"),
    ],
)
def test_tell_and_amend_refuse_numbers_they_cannot_keep(measured, said):
    study = told()
    out = study.ask()
    for move in (lambda: study.tell(out, 1.0, measured=measured), lambda: study.amend(0, measured=measured)):
        with pytest.raises(wf.InvalidInput, match=f"^trial \\d: .*{said}"):
            move()
    assert study.state.out == (1,)


def test_a_study_without_limits_takes_no_numbers():
    study = make(measured=())
    with pytest.raises(wf.InvalidInput, match="'pressure_bar' was measured, but the study limits nothing that is"):
        study.tell(study.ask(), 1.0, measured={"pressure_bar": 1.0})
    assert dict(study.tell(0, 1.0, measured={}).measured) == {}


def test_the_same_tell_sent_twice_happens_once_and_with_another_number_conflicts():
    study = make()
    trial = study.ask()
    for _ in range(2):
        study.tell(trial, 1.0, measured={"purity": 0.9}, request="r")
    assert study.state.version == 3
    with pytest.raises(wf.Conflict):
        study.tell(trial, 1.0, measured={"purity": 0.8}, request="r")


# Correcting


def test_amend_corrects_what_is_given_and_keeps_the_rest():
    study = told(pressure_bar=9.2, purity=0.95)
    assert dict(study.amend(0, measured={"pressure_bar": 12.0}).measured) == {"pressure_bar": 12.0, "purity": 0.95}
    assert dict(study.amend(0, measured={"purity": None}).measured) == {"pressure_bar": 12.0}
    trial = study.amend(0, 50.0)
    assert (trial.value, trial.earlier, dict(trial.measured)) == (50.0, (71.3,), {"pressure_bar": 12.0})
    trial = study.amend(0, measured={"purity": 1.0})
    assert (trial.value, trial.earlier, list(trial.measured)) == (50.0, (71.3,), list(NAMES))


def test_amend_of_measured_numbers_alone_is_news_to_a_schedule():
    study = told(pressure_bar=9.2)
    news = study.state.news
    study.amend(0, measured={"pressure_bar": 9.2})
    assert study.state.news == news
    study.amend(0, measured={"pressure_bar": 9.3})
    assert study.state.news == news + 1


def test_a_value_withdrawn_takes_what_was_measured_with_it():
    study = told(pressure_bar=9.2)
    trial = study.amend(0, withdraw=True)
    assert (trial.state, dict(trial.measured)) == ("failed", {})
    with pytest.raises(wf.InvalidInput, match="trial 0 failed: a number is measured with a value; give the value, too"):
        study.amend(0, measured={"pressure_bar": 9.2})
    assert dict(study.amend(0, 3.0, measured={"pressure_bar": 9.0}).measured) == {"pressure_bar": 9.0}
    with pytest.raises(wf.InvalidInput, match="withdraw takes back what was measured, too"):
        study.amend(0, withdraw=True, measured={"pressure_bar": 9.2})


def test_amend_with_an_empty_dict_alone_corrects_nothing():
    with pytest.raises(wf.InvalidInput, match="nothing to amend"):
        told().amend(0, measured={})


def test_the_same_amendment_sent_twice_happens_once_though_another_came_between():
    study = told(pressure_bar=9.2)
    study.amend(0, measured={"purity": 0.9}, request="r")
    study.amend(0, measured={"pressure_bar": 1.0})
    version = study.state.version
    study.amend(0, measured={"purity": 0.9}, request="r")
    assert study.state.version == version
    with pytest.raises(wf.Conflict):
        study.amend(0, measured={"purity": 0.8}, request="r")


# The state, and what a model sees


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(["tell", "amend", "fail", "withdraw"]), NUMBERS, READINGS), max_size=12))
def test_measured_numbers_survive_store_and_replay(moves):
    """A study read back has the numbers of the one that was told, and its history has them in the limits' order."""
    store = MemoryStore()
    study, kept = make(store=store), {}
    for kind, value, measured in moves:
        given_numbers = {name: number for name, number in measured.items() if number is not None}
        if kind in ("tell", "fail"):
            trial = study.ask()
            kept[trial.number] = None if kind == "fail" else given_numbers
            _ = study.fail(trial) if kind == "fail" else study.tell(trial, value, measured=measured)
        elif kept:
            number = min(kept)
            before = kept[number] or {}
            numbers = {name: n for name, n in {**before, **measured}.items() if n is not None}
            kept[number] = None if kind == "withdraw" else numbers
            _ = (
                study.amend(number, withdraw=True)
                if kind == "withdraw"
                else study.amend(number, value, measured=measured)
            )
    opened = wf.Study.open(store, "lab")
    again = replay(study.spec, [read_event(write_event(event)) for event in study.events])
    for state in (study.state, opened.state, again):
        assert {trial.number: dict(trial.measured) for trial in state.trials} == {n: m or {} for n, m in kept.items()}
        rows = [[kept[number].get(name, np.nan) for name in NAMES] for number in state.results]
        assert np.array_equal(state.history.measured, np.reshape(rows, (-1, 2)), equal_nan=True)
        assert state.history.limits == (PRESSURE, PURITY)
        assert state.history.measured.shape == (state.history.told, 2)


def test_the_history_of_a_study_without_limits_has_no_columns():
    study = make(measured=())
    assert study.state.history.measured.shape == (0, 0)
    study.tell(study.ask(), 1.0)
    assert (study.state.history.limits, study.state.history.measured.shape) == ((), (1, 0))


def test_measured_numbers_are_not_flipped_in_a_study_that_minimizes():
    history = told(7.0, pressure_bar=9.2, purity=0.5).state.history
    assert (history.y.tolist(), history.measured.tolist()) == ([-7.0], [[9.2, 0.5]])


def test_to_dataframe_has_a_column_for_everything_measured():
    study = told(pressure_bar=9.2)
    study.ask()
    frame = study.to_dataframe()
    assert list(frame.columns)[-2:] == list(NAMES)
    assert frame["pressure_bar"].tolist()[0] == 9.2
    assert frame["pressure_bar"].isna().tolist() == [False, True]
    assert frame["purity"].dtype == np.float64


# Creating


def test_create_takes_one_limit_or_several():
    assert make(PRESSURE).spec.measured == make([PRESSURE]).spec.measured == (PRESSURE,)
    assert make().spec.measured == (PRESSURE, PURITY)
    assert make(measured=()).spec.measured == ()


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (
            "pressure_bar<=10",
            "measured must be Measured\\(name, at_most=...\\) or a list of them, got 'pressure_bar<=10'",
        ),
        ({"pressure_bar": 10}, "measured must be Measured"),
        (None, "measured must be Measured"),
        (wf.Measured, "measured must be Measured"),
        (["pressure_bar"], "measured must list Measured\\(name, at_most=...\\), got 'pressure_bar'"),
        ([PRESSURE, PRESSURE], "'pressure_bar' is there twice"),
        (wf.Measured("x", at_most=1), "'x' is an axis"),
        (wf.Measured("axis:y", at_most=1), "'axis:y' is a column"),
        *((wf.Measured(name, at_most=1), f"{name!r} is a column") for name in COLUMNS),
    ],
)
def test_create_refuses_what_is_no_limit_or_has_a_name_that_is_taken(measured, said):
    with pytest.raises(wf.InvalidInput, match=said):
        make(measured)


def test_the_names_that_are_taken_are_the_columns_of_every_table():
    fixed = {*table.BEFORE, *table.AFTER, *table.RUNS, *dataframe.BEFORE, *dataframe.AFTER}
    assert set(COLUMNS) == fixed
    assert dataframe.column_of("value", ["value"]) == f"{AXIS_PREFIX}value"


# In one call


def test_maximize_takes_a_pair_of_a_value_and_what_was_measured():
    def run(x):
        return -((x - 7) ** 2), {"pressure_bar": 2 * x}

    study = wf.maximize(run, LINE, travel=wf.Euclidean(), trials=4, method="random", measured=PRESSURE)
    assert [dict(trial.measured) for trial in study.trials] == [
        {"pressure_bar": 2 * t.params["x"]} for t in study.trials
    ]
    assert [trial.value for trial in study.trials] == [run(**trial.params)[0] for trial in study.trials]


def test_minimize_may_return_the_value_alone_where_nothing_was_measured():
    def run(x):
        return (x, {"pressure_bar": x}) if x > 5 else x

    study = wf.minimize(run, LINE, travel=wf.Euclidean(), trials=6, method="random", measured=PRESSURE)
    assert [dict(t.measured) for t in study.trials] == [
        {"pressure_bar": t.params["x"]} if t.params["x"] > 5 else {} for t in study.trials
    ]


class Thrice:
    """Proposes 4.0, for three results."""

    def propose(self, situation, size, rng):
        return Runs([[4.0]], [3])


def test_maximize_keeps_the_means_of_what_was_measured_over_a_run():
    found = iter([(1.0, {"pressure_bar": 8.0}), (2.0, {"pressure_bar": 9.0, "purity": 0.5}), (6.0, {"purity": None})])
    method = wf.Method(Thrice(), wf.Horizon(), opening=wf.NoOpening())
    study = wf.maximize(
        lambda x: next(found), LINE, travel=wf.Euclidean(), trials=3, method=method, measured=[PRESSURE, PURITY]
    )
    (trial,) = study.trials
    assert (trial.value, trial.count, dict(trial.measured)) == (3.0, 3, {"pressure_bar": 8.5, "purity": 0.5})


def test_maximize_without_limits_refuses_a_pair():
    with pytest.raises(wf.InvalidInput, match="'p' was measured, but the study limits nothing"):
        wf.maximize(lambda x: (x, {"p": 1.0}), LINE, travel=wf.Euclidean(), trials=2, method="random")
