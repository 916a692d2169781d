"""Where the search looks: at what the traveller can reach by staying, and never at what is avoided."""

import numpy as np
import pytest
from attrs import evolve

import wayfare as wf
from wayfare.policy.acquisition import candidates, candidates_near
from wayfare.testing.policy import situation_of
from wayfare.testing.surrogate import history_of

RNG = np.random.default_rng
BOX = wf.Space(wf.Real("a", -5.0, 5.0), wf.Real("b", 1.0, 1000.0, log=True))
MIXED = wf.Space(wf.Real("t", 40.0, 120.0), wf.Integer("n", 1, 9, step=2), wf.Choice("s", ["a", "b", "c"]))
HERE = {"box": (BOX, [1.2345, 67.89]), "mixed": (MIXED, [77.7, 3.0, 1.0])}


def standing(space, here, **known):
    """A situation whose traveller stands where there was never a visit."""
    history = evolve(history_of(space, 12, seed=1), position=np.array(here), **known)
    assert not (history.x == history.position).all(axis=1).any()
    return situation_of(space, history)


def score(x, at):
    return at.mean


@pytest.mark.parametrize(("space", "here"), HERE.values(), ids=HERE)
def test_where_the_traveller_stands_is_a_candidate_though_it_was_never_visited(space, here):
    situation = standing(space, here)
    x, values = candidates_near(situation, score, 6, RNG(0))
    (at,) = np.flatnonzero((x == here).all(axis=1))[:1]
    assert values[at] == pytest.approx(situation.posterior.marginals(np.array([here])).mean[0])


def test_places_around_the_traveller_are_candidates_too():
    situation = standing(BOX, HERE["box"][1])
    here = BOX.encode(situation.history.position[None, :])
    near, far = (
        np.linalg.norm(BOX.encode(look(situation, score, 6, RNG(0))[0]) - here, axis=1)
        for look in (candidates_near, candidates)
    )
    assert (near < 0.01).sum() >= (far < 0.01).sum() + 20


def test_where_the_traveller_stands_is_no_candidate_if_it_is_avoided_or_ruled_out():
    here = HERE["box"][1]
    shut = standing(BOX, here, skipped=np.array([here]))
    ruled_out = evolve(standing(BOX, here), admits=lambda x, at: x[:, 0] < 1.0)
    for situation in (shut, ruled_out):
        x, _ = candidates_near(situation, score, 6, RNG(0))
        assert len(x)
        assert not (x == here).all(axis=1).any()


def test_from_out_of_bounds_the_nearest_place_is_a_candidate():
    x, _ = candidates_near(standing(BOX, [7.0, 0.0]), score, 6, RNG(0))
    assert (x == [5.0, 1.0]).all(axis=1).any()
    assert BOX.contains(x).all()


@pytest.mark.parametrize("policy", [wf.DistanceUCB(weight=1e9), wf.DistanceUCB(weight=1e9, steps=3)], ids=str)
@pytest.mark.parametrize(("space", "here"), HERE.values(), ids=HERE)
def test_a_heavy_penalty_stays_where_there_was_never_a_visit(policy, space, here):
    (pick,) = policy.propose(standing(space, here), 1, RNG(0))
    assert pick.tolist() == here


def test_a_heavy_penalty_stays_where_a_replan_put_the_traveller():
    study = wf.Study.create(
        BOX,
        direction="maximize",
        travel=wf.Euclidean(),
        trials=10,
        method=wf.Method(wf.DistanceUCB(weight=1e9), wf.OneByOne()),
        start=[0.0, 10.0],
    )
    study.tell(study.ask(), 0.5)
    study.replan([1.2345, 67.89])
    assert study.ask().x.tolist() == [1.2345, 67.89]
