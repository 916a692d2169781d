"""Old results: added from Python, from a file or at the start, they are the same study."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.exchange import import_csv
from wayfare.record.events import TrialState

SPACE = wf.Space(wf.Real("temp_C", 40, 120), wf.Choice("metal", ["Pd", "Ni"]))
OLD = [{"temp_C": 60.0, "metal": "Pd"}, {"temp_C": 90.0, "metal": "Ni"}, {"temp_C": 130.0, "metal": "Ni"}]
VALUES = [0.2, 0.7, 0.4]


def make(space=SPACE, **options):
    return wf.Study.create(
        space, **{"direction": "maximize", "travel": wf.Euclidean(unit="min"), "trials": 8, "method": "ucb"} | options
    )


def bare(study):
    """Return what a study holds, but for the ids of requests and the stamps."""
    return [(t.number, t.label, t.params, t.value, t.count, t.state, t.prior, t.leg, t.why) for t in study.trials]


def test_old_results_teach_but_cost_no_trial_and_no_movement():
    study = make()
    study.add(OLD, VALUES, why="notebook 7")
    assert [trial.title for trial in study.trials] == ["old result k0", "old result k1", "old result k2"]
    assert (study.ledger().paid, study.ledger().visits, study.state.trials_left) == (0.0, 0, 8)
    assert study.best().title == "old result k1"
    assert study.state.history.told == 3
    first = study.ask()
    assert (first.label, first.title, first.leg) == ("3", "trial 3", 0.0)
    assert 40 <= first.params["temp_C"] <= 120  # what lies beyond the bounds is used but not proposed
    (later,) = study.add([OLD[0]], [0.9])
    assert (later.label, later.why) == ("k3", "")


@pytest.mark.parametrize("kind", ["dicts", "frame", "rows", "pair", "csv", "known", "known pair", "named"])
def test_every_way_in_gives_the_same_study(kind):
    frame = pd.DataFrame(OLD)
    if kind.startswith("known"):
        study = make(known=(OLD, VALUES) if kind.endswith("pair") else frame.assign(value=VALUES))
    else:
        study = make()
        match kind:
            case "dicts":
                study.add(OLD, VALUES)
            case "frame":
                study.add(frame.assign(value=VALUES))
            case "rows":
                study.add([list(row.values()) for row in OLD], VALUES)
            case "pair":
                study.add(np.array([[60.0, 0], [90.0, 1], [130.0, 1]]), pd.Series(VALUES, index=[5, 6, 7]))
            case "named":
                study.add([row | {"yield": y} for row, y in zip(OLD, VALUES, strict=True)], "yield")
            case "csv":
                import_csv(study, frame.assign(value=VALUES).to_csv(index=False), prior=True)
    plain = make()
    plain.add(OLD, VALUES)
    assert bare(study) == bare(plain)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.one_of(st.none(), st.floats(-1e3, 1e3), st.lists(st.floats(-9, 9), min_size=1, max_size=3))), st.data()
)
def test_what_was_added_is_there_after_opening_and_never_twice(values, data):
    """Whatever is added, it is read back bit for bit, keeps its label, and a request sent again adds nothing."""
    store = wf.MemoryStore()
    study = make(store=store, name="s")
    places = [{"temp_C": float(data.draw(st.integers(0, 200))), "metal": "Pd"} for _ in values]
    added = study.add(places, values, again=True, request="r")
    assert study.add(places, values, again=True, request="r") == study.trials[: len(values)]
    opened = wf.Study.open(store, "s")
    assert bare(opened) == bare(study)
    assert len(opened.trials) == len(values) == len(added)
    assert [trial.label for trial in opened.trials] == [f"k{at}" for at in range(len(values))]
    assert [trial.value is None for trial in opened.trials] == [value is None for value in values]
    assert all(trial.leg == 0.0 and not trial.is_visit for trial in opened.trials)


def test_a_cell_that_is_run_twice_is_refused_and_another_request_too():
    study = make()
    study.add(OLD, VALUES, request="a")
    with pytest.raises(wf.InvalidInput, match=r"place 0 is old result k0, .*again=True"):
        study.add(OLD, VALUES)
    assert [trial.label for trial in study.add(OLD, VALUES, again=True)] == ["k3", "k4", "k5"]
    with pytest.raises(wf.Conflict, match="already used"):
        study.add(OLD[:1], [3.0], request="a")
    assert len(study.trials) == 6


@pytest.mark.parametrize(
    ("places", "values", "said"),
    [
        (OLD, [1.0], "3 places but 1 values; give one for each"),
        (OLD, [1.0, float("nan"), 2.0], "place 1: value must be a finite number, got nan; drop the row, or give None"),
        (OLD, [1.0, "x", 2.0], "place 1: value must be a finite number"),
        ([{"temp_C": 50}], [1.0], "lacks axis 'metal'"),
        ([{"temp_C": 50, "metal": "Au"}], [1.0], "'Au'"),
        (OLD, "yield", "place 0 lacks 'yield'"),
        (np.ones((2, 2)), "yield", "'yield' is a column, so places must be a DataFrame or dicts"),
        (pd.DataFrame(OLD), "yield", "lacks 'yield'"),
    ],
)
def test_what_cannot_be_an_old_result_is_refused_and_nothing_is_written(places, values, said):
    study = make()
    with pytest.raises(wf.InvalidInput, match=said):
        study.add(places, values)
    assert study.state.version == 0
    store = wf.MemoryStore()
    with pytest.raises(wf.InvalidInput, match=said):
        make(store=store, known=(places, values))
    assert store.names() == []


def test_what_was_measured_beside_comes_along():
    limit = wf.Measured("bar", at_most=10)
    table = pd.DataFrame(OLD).assign(value=VALUES, bar=[9.0, float("nan"), 12.0])
    study = make(measured=limit, known=table)
    assert [dict(trial.measured) for trial in study.trials] == [{"bar": 9.0}, {}, {"bar": 12.0}]
    other = make(measured=limit)
    other.add(OLD, VALUES, measured=[{"bar": 9.0}, {}, {"bar": 12.0}])
    assert bare(other) == bare(study)


def test_places_that_may_be_visited_once_are_not_proposed_again():
    sites = wf.Places([[0.0], [1.0], [2.0]], once=True)
    study = make(sites, trials=3, known=([[1.0]], [5.0]))
    visited = []
    while (trial := study.ask()) is not None:
        visited.append(float(trial.x[0]))
        study.tell(trial, 1.0)
    assert sorted(visited) == [0.0, 2.0]
    with pytest.raises(wf.InvalidInput, match=r"place 1 .* may be visited only once"):
        make(sites, trials=3, known=([[1.0], [1.0]], [5.0, 6.0]))


def test_an_old_result_is_amended_by_its_label():
    study = make(known=(OLD, VALUES))
    assert study.amend("k1", 0.1).state is TrialState.TOLD
    assert study.best().title == "old result k2"
    with pytest.raises(wf.UnknownTrial, match=r"k9.*k0 to k2"):
        study.amend("k9", 1.0)


def test_tables_mark_old_results():
    study = make(known=(OLD, VALUES))
    study.tell(study.ask(), 0.5)
    assert study.to_dataframe()["prior"].tolist() == [True, True, True, False]
