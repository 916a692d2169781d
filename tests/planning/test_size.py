"""What cannot be planned is refused when a study is made; stored studies open, and their plans are bounded."""

import attrs
import numpy as np
import pytest

import wayfare as wf
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.form import read_spec, write_spec
from wayfare.form.method import PARTS
from wayfare.planning.method import MOST, MOST_TRIALS, check_parts
from wayfare.planning.opening import Survey
from wayfare.policy import BPE, Uniform
from wayfare.policy.schedule import Fixed, Growing, Horizon
from wayfare.route import FastTsp, HeldKarp, ShortRoute, plan_route
from wayfare.route import route as routes
from wayfare.travel import Euclidean

SPACE = wf.Space(wf.Real("x", 0, 1), wf.Real("y", 0, 1))


def make(**changes):
    usual = {"direction": "maximize", "travel": Euclidean(), "trials": 9, "method": "random"}
    return wf.Study.create(SPACE, **(usual | changes))


def test_trials_are_limited_when_a_study_is_made():
    make(trials=MOST_TRIALS)
    with pytest.raises(InvalidInput, match="trials is 1000001, more than can be planned; 1000000 at most"):
        make(trials=MOST_TRIALS + 1)


@pytest.mark.parametrize(
    "part",
    [
        {"opening": Survey(designs=101)},
        {"opening": Survey(least=1001)},
        {"planner": ShortRoute(kicks=101)},
        {"planner": ShortRoute(exact_to=19)},
        {"planner": HeldKarp(19)},
        {"planner": FastTsp(seconds=601.0)},
        {"policy": BPE(places=20_001)},
        {"schedule": Fixed(2001)},
        {"schedule": Horizon()},
    ],
    ids=str,
)
def test_a_part_that_asks_for_too_much_is_refused_when_a_study_is_made(part):
    with pytest.raises(InvalidInput, match="at most"):
        make(trials=9000, method=wf.Method(**({"policy": Uniform(), "schedule": Fixed(2)} | part)))


def test_every_limit_is_one_of_a_part_that_there_is():
    """A part renamed would else lose its limit."""
    kinds = [kind for some in PARTS.values() for kind in some.values()]
    fields = {f"{kind.__name__}.{one.name}" for kind in kinds for one in attrs.fields(kind)}
    assert set(MOST) <= fields


def test_a_stored_study_opens_and_is_refused_where_it_would_plan():
    form = write_spec(make().spec)
    form["method"]["planner"]["kicks"] = 10**9
    form["trials"] = 2**53
    del form["method"]["name"]
    spec = read_spec(form, new=False)
    assert spec.trials == 2**53
    with pytest.raises(InvalidInput, match="ShortRoute: kicks must be at most 100, got 1000000000"):
        check_parts(spec.method)
    with pytest.raises(InvalidInput, match="trials is 9007199254740992, more than can be planned"):
        read_spec(form)


def test_a_batch_is_no_longer_than_a_route_that_can_be_planned(monkeypatch):
    monkeypatch.setattr("wayfare.planning.plan.MOST_STOPS", 3)
    study = make(method=wf.Method(Uniform(), Horizon()))
    study.tell(study.ask(), 1.0)
    study.ask()
    assert [len(plan.stops) for plan in study.snapshot().state.plans] == [1, 3]


def test_batches_that_grow_without_end_stay_numbers():
    for rounding in ("floor", "ceil"):
        sizes = Growing(1e300, rounding=rounding).sizes()
        assert [next(sizes) for _ in range(5)][2:] == [2**53] * 3


def test_more_places_than_can_be_put_in_order_are_refused(monkeypatch):
    monkeypatch.setattr(routes, "MOST_STOPS", 5)
    x = stream(0).random((6, 2))
    cost = Euclidean().bind(SPACE)
    assert len(plan_route(cost, None, np.vstack([x[:5], x[:5]]), None, ShortRoute(), stream(0)).order) == 10
    with pytest.raises(InvalidInput, match="6 places are more than can be put in order; 5 at most"):
        plan_route(cost, None, x, None, ShortRoute(), stream(0))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "n" * 201}, "name has 201 characters; 200 at most"),
        ({"unit": "u" * 201}, "unit has 201 characters"),
        ({"measured": wf.Measured("m" * 201, at_most=1)}, "a name in measured has 201 characters"),
    ],
)
def test_names_are_limited_when_a_study_is_made(changes, said):
    with pytest.raises(InvalidInput, match=said):
        make(**changes)
