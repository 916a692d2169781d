"""Events that do not fit together are refused when they are read back, wherever they come from."""

import json

import numpy as np
import pytest

import wayfare as wf
from wayfare.errors import InvalidInput, StoreError
from wayfare.form import write_form
from wayfare.record.events import Planned
from wayfare.record.state import check_plan
from wayfare.travel import Euclidean, Manhattan

SPACE = wf.Space(wf.Real("x", 0, 1), wf.Choice("c", ["a", "b"]))


def make(**changes):
    usual = {"direction": "maximize", "travel": Euclidean("x"), "trials": 9, "method": "random", "name": "lab"}
    return wf.Study.create(SPACE, **(usual | changes))


def planned(**changes):
    two = {"stops": [[0.5, 1.0], [0.1, 0.0]], "legs": [0.0, 0.4], "picked": np.array([1, 0])}
    rest = {"told": 0, "notes": {"step": "start"}, "seed": 0, "version": "1"}
    return Planned(**(two | rest | changes))


BAD_PLANS = {
    "no stops": {"stops": np.empty((0, 2)), "legs": [], "picked": np.array([], dtype=int)},
    "an axis too many": {"stops": [[0.5, 1.0, 1.0], [0.1, 0.0, 1.0]]},
    "a leg too few": {"legs": [0.0]},
    "a rank twice": {"picked": np.array([0, 0])},
    "a rank too few": {"picked": np.array([0])},
    "a count too few": {"counts": (2,)},
    "a visit home before no stop": {"homes": (2,)},
    "a stop in between that is none": {"between": (7,)},
}


@pytest.mark.parametrize("kind", BAD_PLANS)
def test_a_plan_whose_parts_do_not_fit_is_refused(kind):
    check_plan(planned(), 2)
    with pytest.raises(InvalidInput):
        check_plan(planned(**BAD_PLANS[kind]), 2)


def stored(study):
    """The form and the events of a study, as a store keeps them."""
    return write_form(study.spec, ()), list(study.journal._store.read("lab").events)


def test_a_plan_to_a_choice_that_is_not_there_is_refused_before_it_is_shown():
    study = make()
    study.ask()
    form, events = stored(study)
    first = json.loads(events[0])
    first["stops"][0][1] = 7.0
    store = wf.MemoryStore()
    store.create("lab", form, [json.dumps(first)])
    with pytest.raises(StoreError, match="cannot be replayed"):
        wf.Study.open(store, "lab")


def test_a_trial_out_of_order_is_refused():
    study = make()
    study.ask()
    form, events = stored(study)
    asked = json.loads(events[1])
    store = wf.MemoryStore()
    store.create("lab", form, [events[0], json.dumps(asked | {"number": 5})])
    with pytest.raises(StoreError, match="cannot be replayed"):
        wf.Study.open(store, "lab")


def with_result_at(far, method):
    """A study whose second result was found at a place that no command takes any more."""
    space = wf.Places([[0.0], [1.0], [2.0]], ["x"]) if method == "ucb1" else wf.Space(wf.Real("x", 0, 1))
    study = wf.Study.create(space, direction="maximize", travel=Manhattan(), trials=9, method=method, name="lab")
    for value in (1.0, 2.0):
        study.tell(study.ask(), value)
    form, events = stored(study)
    told = json.loads(events[-1])
    store = wf.MemoryStore()
    store.create("lab", form, [*events[:-1], json.dumps(told | {"actual": [far]})])
    return wf.Study.open(store, "lab")


@pytest.mark.parametrize("method", ["ucb", "wayfare", "ucb1"])
def test_a_study_with_a_place_beyond_all_distances_goes_on(method):
    """Earlier versions took such places, and then failed in the middle of a plan."""
    study = with_result_at(1e200, method)
    for value in (3.0, 2.0, 1.0):
        study.tell(study.ask(), value)
    assert np.isfinite(study.ledger().paid)


def test_a_way_back_that_costs_more_than_any_number_is_refused():
    with pytest.raises(InvalidInput, match="a cost must be at most 1e300; change its unit"):
        with_result_at(1.7e308, "ucb").ask()
