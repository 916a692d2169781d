"""A study that leaves some of the order to chance, and says what that costs."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.exchange import export_json, import_json
from wayfare.form import read_spec, write_spec
from wayfare.record.events import Planned
from wayfare.route import Shuffled

SQUARE = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0))
SPREAD = wf.Method(wf.Uniform(), wf.Fixed(12), opening=wf.NoOpening())


def make(shuffle=0.5, **changes):
    options = {
        "direction": "maximize",
        "travel": wf.Euclidean(unit="m"),
        "start": [0.5, 0.5],
        "trials": 30,
        "method": SPREAD,
        "shuffle": shuffle,
    }
    return wf.Study.create(SQUARE, **(options | changes))


def walk(study):
    while (trial := study.ask()) is not None:
        study.tell(trial, float(trial.x.sum()))
    return study


class Drawn:
    """Draws the order, as a planner may."""

    def order(self, first, between, last, rng):
        return rng.permutation(len(first))


@pytest.mark.parametrize("planner", [wf.ShortRoute(), wf.AsGiven(), Drawn()])
@settings(max_examples=20)
@given(share=st.floats(0.01, 1.0), seed=st.integers(0, 1000))
def test_the_price_is_what_the_same_places_cost_more_than_in_the_planners_order(planner, share, seed):
    method = evolve(SPREAD, planner=planner)
    short, shuffled = make(0.0, seed=seed, method=method), make(share, seed=seed, method=method)
    short.replan()
    shuffled.replan()
    assert {stop.params["x"] for stop in short.route().stops} == {stop.params["x"] for stop in shuffled.route().stops}
    more = shuffled.route().cost - short.route().cost
    assert shuffled.route().shuffled == pytest.approx(max(0.0, more), abs=1e-12)
    assert short.route().shuffled is None


def test_where_chance_exchanges_no_stop_the_order_is_the_planners_own():
    short, shuffled = (make(share, method=evolve(SPREAD, planner=Drawn())) for share in (0.0, 1e-9))
    assert [trial.params for trial in walk(short).trials] == [trial.params for trial in walk(shuffled).trials]
    assert shuffled.ledger().shuffled == 0.0


def test_a_route_that_is_dropped_keeps_its_own_price():
    study = make()
    first = study.replan()
    assert (len(first.dropped), first.dropped.shuffled) == (0, None)
    second = study.replan()
    assert second.dropped.shuffled == first.route.shuffled != second.route.shuffled


def test_a_study_that_leaves_nothing_to_chance_is_written_as_before():
    study = make(0.0)
    study.ask()
    assert "shuffle" not in write_spec(study.spec)
    (plan,) = (event for event in study.events if isinstance(event, Planned))
    assert "shuffle" not in plan.notes
    assert study.ledger().shuffled is None
    assert "shuffling" not in str(study.ledger())
    assert "shuffling" not in str(study.route())


def test_the_ledger_adds_the_prices_up_and_the_route_says_its_own():
    study = walk(make())
    prices = [plan.notes["shuffle"]["cost"] for plan in study.state.plans]
    assert len(prices) == 3
    assert study.ledger().shuffled == pytest.approx(sum(prices))
    assert f", shuffling {sum(prices):.3g} m" in str(study.ledger())
    again = make()
    again.ask()
    said = str(again.route()).splitlines()[-1]
    assert said == f"of the route as planned, {prices[0]:.3g} m is the price of shuffling"


def test_more_chance_is_a_longer_way():
    costs = [np.mean([walk(make(share, seed=seed)).ledger().paid for seed in range(4)]) for share in (0, 1)]
    assert costs[1] > 1.5 * costs[0]


def test_one_stop_is_never_exchanged():
    short, shuffled = (walk(make(share, method="ucb", trials=5)) for share in (0.0, 1.0))
    assert [trial.params for trial in short.trials] == [trial.params for trial in shuffled.trials]
    assert shuffled.ledger().shuffled == 0.0


def test_a_budget_is_kept_all_the_same():
    for seed in range(20):
        study = walk(make(1.0, seed=seed, budget=2.5, home="start"))
        assert study.ledger().left >= study.ledger().home - 1e-9
        assert study.ledger().shuffled >= 0.0


@pytest.mark.parametrize("more", [{"anchor": "start", "anchor_every": 3}, {"trip": 3.0, "home": "start"}])
def test_what_else_is_put_into_a_route_is_not_the_price_of_shuffling(more):
    sorted_, shuffled = (make(share, start=[0.0, 0.0], **more) for share in (0.0, 0.5))
    for study in (sorted_, shuffled):
        study.tell(study.ask(), 0.0)
        study.ask()
    price = sum(shuffled.state.plans[-1].legs) - sum(sorted_.state.plans[-1].legs)
    assert shuffled.state.plans[-1].notes["shuffle"]["cost"] == pytest.approx(max(0.0, price))


def test_the_ledger_counts_the_price_as_far_as_the_route_was_walked():
    study = make(1.0)
    while study.ledger().shuffled in (None, 0.0):
        study.tell(study.ask(), 0.0)
    before = study.ledger().shuffled
    study.replan()
    assert study.ledger().shuffled == before


def test_it_goes_on_as_before_from_a_file_and_from_an_archive(tmp_path):
    study = make(store=tmp_path / "lab.db")
    study.tell(study.ask(), 0.0)
    again, copy = (wf.Study.open(tmp_path / "lab.db", "study"), import_json(wf.MemoryStore(), export_json(study)))
    assert again.spec.shuffle == copy.spec.shuffle == 0.5
    assert [t.params for t in walk(copy).trials] == [t.params for t in walk(again).trials]
    assert copy.ledger() == again.ledger()


def test_a_planner_that_shuffles_can_be_kept():
    method = wf.Method(wf.Uniform(), wf.Fixed(3), planner=Shuffled(wf.ShortRoute(), 0.25))
    form = write_spec(make(0.0, method=method).spec)
    assert form["method"]["planner"]["kind"] == "shuffled"
    assert read_spec(form).method == method


@pytest.mark.parametrize("share", [-0.5, 2, "half", None])
def test_a_share_is_from_nothing_to_all(share):
    with pytest.raises(wf.InvalidInput, match="shuffle"):
        make(share)


def test_a_form_names_the_key_that_is_wrong():
    form = write_spec(make().spec)
    with pytest.raises(wf.InvalidInput, match="shuffle must be from 0 to 1, got 3"):
        read_spec(form | {"shuffle": 3})


@pytest.mark.parametrize("more", [{"anchor": "start", "anchor_every": 2}, {"max_step": 0.1}])
def test_where_trials_end_a_route_early_the_price_is_the_share_of_what_is_walked(more):
    study = make(1.0, trials=12, **more)
    study.replan()
    (plan,) = study.state.plans
    assert len(plan.stops) == 12, "the way through all twelve places, and what is put in, is longer"
    price = plan.notes["shuffle"]["cost"]
    assert 0 < price < plan.legs.sum()
