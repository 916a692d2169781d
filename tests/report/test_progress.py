"""What is still to be gained, what more trials would buy, and the rule by which a study ends itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.form import read_spec, write_spec
from wayfare.report.progress import AHEAD, bought, drawn_values

SQUARE = wf.Space(wf.Real("x", 0, 1), wf.Real("y", 0, 1))


def hill(x, y):
    return -((x - 0.3) ** 2) - (y - 0.6) ** 2


def make(space=SQUARE, **options):
    return wf.Study.create(space, **{"direction": "maximize", "travel": wf.Euclidean(unit="m"), "trials": 30} | options)


def walk(study, trials, function=hill):
    for _ in range(trials):
        trial = study.ask()
        study.tell(trial, function(**trial.params))
    return study


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 12))
def test_more_visits_never_buy_less_and_never_more_than_there_is(seed, places, n):
    """What visits buy grows, each adds no more than the one before, and all together no more than the whole gain."""
    rng = np.random.default_rng(seed)
    values, here = rng.normal(size=(places, 16)), rng.normal(size=16)
    buys = np.array(bought(values, here, n))
    steps = np.diff(np.concatenate([[0.0], buys]))
    assert (steps >= -1e-12).all()
    assert (np.diff(steps) <= 1e-9).all()
    whole = np.maximum(values.max(axis=0) - here, 0).mean()
    assert buys[-1] <= whole + 1e-12
    assert n < places or buys[-1] == pytest.approx(whole)


def test_the_draws_are_those_of_the_joint_belief_on_a_table():
    """On a table the draws have the mean and the spread that the belief has, and so the gain is that of the belief."""
    sites = wf.Places(np.linspace(0, 1, 25)[:, None], ["x"])
    study = walk(make(sites, method="random"), 6, lambda x: np.sin(7 * x))
    state = study.state
    values, here = drawn_values(state)
    mean, sd = study.predict().mean, study.predict().sd
    rows = values[1:]
    # Draws are made of random waves, so between results their spread is that of the belief only roughly.
    assert (np.abs(rows.mean(axis=1) - mean) < 0.1 + 0.5 * sd).all()
    assert np.corrcoef(rows.std(axis=1), sd)[0, 1] > 0.9
    gains = np.maximum(values.max(axis=0) - here, 0)
    found = study.progress()
    assert found.expected_gain == pytest.approx(gains.mean())
    assert (gains <= found.gain).mean() == pytest.approx(0.9, abs=0.01)
    assert found.found == (gains <= found.tolerance).mean()


def test_minimizing_the_mirrored_function_says_the_same():
    up = walk(make(seed=3), 12)
    down = walk(make(seed=3, direction="minimize"), 12, lambda x, y: -hill(x, y))
    assert up.progress() == down.progress()


def test_the_same_state_says_the_same_in_another_process_too(tmp_path):
    study = walk(make(store=tmp_path / "a.db", name="s"), 8)
    assert wf.Study.open(tmp_path / "a.db", "s").progress() == study.progress()


def test_the_gain_shrinks_to_nothing_when_all_is_known():
    sites = wf.Places([[0.0], [0.5], [1.0]], ["x"])
    study = make(sites, trials=60, method="random")
    early = walk(study, 3, lambda x: x).progress()
    late = walk(study, 57, lambda x: x).progress()
    assert late.gain < 0.2 * max(early.gain, 0.05)
    assert (late.found, late.repeats, late.lately) == (1.0, 10, 10)
    assert late.in_short.startswith("the best is probably found: at most")
    assert len(late.buys) == 10


def test_repeats_are_counted_among_the_last_visits_alone():
    study = make(method="random", trials=20)
    walk(study, 3)
    here = dict(study.trials[0].params)
    for _ in range(2):
        detour = study.insert(here)
        study.tell(detour.trial, 1.0)
    study.add([here], [1.0])  # an old result is no visit
    assert (study.progress().lately, study.progress().repeats) == (5, 2)


def test_places_where_visits_fail_promise_nothing():
    study = make(wf.Space(wf.Real("x", 0, 10)), method="random-route", trials=30, known=([[1.0]], [1.0]))
    for _ in range(24):
        trial = study.ask()
        if trial.params["x"] > 5:
            study.fail(trial, "blocked")
        else:
            study.tell(trial, trial.params["x"])
    assert study.progress().gain < 3  # the line goes up to 10, but nothing beyond 5 can be had


def test_before_the_first_result_there_is_nothing_to_say():
    with pytest.raises(wf.TooEarly, match="ask and tell first"):
        make().progress()


def test_a_study_ends_itself_when_little_is_to_be_gained():
    study = make(stop={"gain_below": 0.01}, trials=40)
    while (trial := study.ask()) is not None:
        study.tell(trial, hill(**trial.params))
    assert 5 < len(study.trials) < 40
    assert study.progress().gain < 0.01
    assert len(study.route()) == 0
    assert study.ask(n=3) == []
    study.replan()
    assert study.ask() is not None  # on request it continues anyway


def test_the_rule_waits_for_the_first_route_and_for_what_is_out():
    old = [{"x": a, "y": b} for a in np.linspace(0, 1, 6) for b in np.linspace(0, 1, 6)]
    study = make(stop={"gain_below": 10.0}, known=(old, [hill(**place) for place in old]))
    first = study.ask()
    assert first is not None
    assert study.ask(wait=False) is not None


def test_the_rule_is_kept_with_the_study():
    study = make(stop={"gain_below": 0.25})
    form = write_spec(study.spec)
    assert form["stop"] == {"gain_below": 0.25}
    assert read_spec(form).gain_below == 0.25
    assert "stop" not in write_spec(make().spec)


@pytest.mark.parametrize("stop", [0.1, {"gain": 0.1}, {"gain_below": 0}, {"gain_below": "x"}, {}])
def test_a_rule_that_is_none_is_refused(stop):
    with pytest.raises(wf.InvalidInput, match="stop"):
        make(stop=stop)
    form = write_spec(make().spec)
    with pytest.raises(wf.InvalidInput, match="stop"):
        read_spec(form | {"stop": stop})


def test_the_report_shows_itself():
    found = walk(make(), 5).progress()
    assert len(str(found).splitlines()) == 3
    assert "more trials would gain" in found._repr_html_()
    assert len(found.buys) == min(AHEAD, found.left)


def test_what_the_rest_of_the_budget_pays_for_is_said():
    study = walk(make(budget=12.0, dwell=0.5, start=[0.5, 0.5], home="start", trials=60), 6)
    found, left = study.progress(), study.ledger()
    each = left.paid / 6 + 0.5
    assert found.leg == pytest.approx(left.paid / 6)
    assert found.affords == int((left.left - left.home) / each) > 0
    assert found.offer.endswith(f"; the budget left pays for about {found.affords} of them")
    assert walk(make(), 3).progress().affords is None
