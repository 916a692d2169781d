"""The law that ten thousand random studies are held to, on some hundreds of them."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limits
import wayfare as wf
from limits_studies import TOLD, World
from limits_walk import walk, walked
from limits_watch import Watch
from wayfare._core.rng import stream
from wayfare.report.costs import travel_of

pytestmark = pytest.mark.slow


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_no_study_exceeds_its_budget_or_any_other_limit_whatever_it_is_like(seed):
    one = walk(seed)
    assert one.over <= limits.CLOSE
    assert one.beyond <= limits.CLOSE
    assert one.off <= limits.CLOSE
    assert one.unlike == 0
    assert one.told == "anything" or not one.surprises


LINE = wf.Space(wf.Real("x", 0, 10))
AS_STATED = World("nothing", 0.0, 1.0, 0.0, 0.0, at_once=1, reopened=False)
CHEAPER = World("no more than expected", 0.7, 0.5, 0.0, 0.0, at_once=2, reopened=False)
DEARER = World("anything", 0.7, 1.5, 1.0, 0.1, at_once=8, reopened=False)


def exceeds_on_a_line(seed, world, **options):
    """Return whether a study of one axis that ends where it began exceeds a limit."""
    stated = {"direction": "maximize", "travel": wf.Euclidean(), "method": "random", "trials": 40}
    stated |= {"start": [0], "home": "start", "budget": 60, "seed": seed}
    return limits.exceeds(walked(wf.Study.create(LINE, **(stated | options)), world, stream(seed, "line")))


def anything_goes(steps, here, x):
    return np.ones(len(x), dtype=bool)


@pytest.mark.parametrize(
    ("world", "broken", "instead", "options"),
    [
        (AS_STATED, "planning.reach.Reach.legs_home", lambda reach, x: np.zeros(len(x)), {}),
        (AS_STATED, "planning.steps.Steps.allow", anything_goes, {"max_step": 2}),
        (AS_STATED, "report.costs.share_before_home", lambda state, trial: 1.0, {"trip": 25, "budget": 800}),
        (AS_STATED, "report.costs.dwell_paid", lambda state: 0.0, {"dwell": 2.0}),
        (CHEAPER, "report.costs.wary_travel_of", travel_of, {}),
        (DEARER, "report.costs.wary_travel_of", lambda state: state.spec.travel, {}),
        (DEARER, "report.costs.owed", lambda state, numbers: 0.0, {}),
        (DEARER, "study.moves.repriced", lambda state, trial, wanted: wanted, {}),
    ],
)
def test_a_study_that_counts_wrongly_is_seen_to(monkeypatch, world, broken, instead, options):
    monkeypatch.setattr(f"wayfare.{broken}", instead)
    assert any(exceeds_on_a_line(seed, world, **options) for seed in range(20))


def test_only_a_surprise_may_overdraw_a_budget():
    study = wf.Study.create(
        LINE, direction="maximize", travel=wf.Euclidean(), trials=9, start=[0], home="start", budget=20
    )
    watch = Watch(study)
    trial = study.insert([6]).trial
    watch.see_hand_out()
    study.tell(trial, 0.0, spent=6)
    watch.see_move()
    assert (watch.looks, watch.surprises, watch.over) == (2, 0, 0.0)
    study.amend(trial, spent=16)
    watch.see_move()
    assert (watch.looks, watch.surprises, watch.over) == (2, 1, 0.0), "22 with the way home, as nobody knew"
    study.amend(trial, spent=6)
    trial = study.insert([7]).trial
    watch.see_hand_out()
    study.tell(trial, 0.0, actual=[12])
    watch.see_move(surprise=True)
    assert (watch.surprises, watch.over) == (2, 0.0)
    watch.see_hand_out()
    assert watch.over == pytest.approx(0.2), "whoever hands out knows where it was"


@pytest.fixture(scope="module")
def walks():
    return [walk(seed) for seed in range(30, 46)]


def test_the_page_counts_every_study_and_those_over_their_limits(walks):
    over = walks[0]._replace(over=0.5)
    assert limits.page([*walks, over]).count("| all | 17 |") == 1
    assert "| 1 |\n\nMethods" in limits.page([*walks, over])
    assert "| 0 |\n\nMethods" in limits.page(walks)
    assert sum(one.homes for one in walks) > 0
    assert re.search(r"\| trips \|.*\| 0 \|\n", limits.page(walks))
    beyond = next(one for one in walks if one.limit == "trips")._replace(beyond=0.1)
    assert re.search(r"\| trips \|.*\| 1 \|\n", limits.page([*walks, beyond]))
    assert limits.exceeds(over)
    assert limits.exceeds(beyond)
    assert not any(limits.exceeds(one) for one in walks)


def test_the_page_says_how_much_was_looked_at_by_what_was_told(walks):
    for told in TOLD:
        of = [one for one in walks if one.told == told]
        visits, looks = sum(one.visits for one in of), sum(one.looks for one in of)
        assert re.search(rf"\| {told} \| {len(of)} \| {visits} \|.*\| {looks} \| 0 \|\n", limits.page(walks))
    off = walks[0]._replace(off=0.1)
    assert "In 1 of the studies" in limits.page([*walks, off])
    assert limits.exceeds(off)
