"""Elimination: what it lets through, and that its rule is a value."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfare.policy import UCB, DistanceUCB, Elimination, PureExploration, Thompson
from wayfare.policy.elimination import Survival
from wayfare.space import Places
from wayfare.surrogate import Marginals
from wayfare.surrogate.history import History, Past
from wayfare.testing.policy import SPACES, situation_of
from wayfare.testing.surrogate import history_of

RNG = np.random.default_rng


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), extra=st.floats(0.0, 2.0), size=st.integers(1, 8), n=st.integers(1, 25))
def test_elimination_with_a_wide_eta_leaves_ucbs_choices_unchanged(seed, extra, size, n):
    space = Places(RNG(seed).random((60, 2)))
    situation = situation_of(space, history_of(space, n, seed))
    plain = UCB(4.0).propose(situation, size, RNG(0))
    eliminated = Elimination(UCB(4.0), eta=2.0 + extra).propose(situation, size, RNG(0))
    np.testing.assert_array_equal(plain, eliminated)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), eta=st.floats(0.0, 2.0))
def test_what_elimination_lets_through_may_still_be_best(seed, eta):
    space = Places(RNG(seed).random((60, 2)))
    situation = situation_of(space, history_of(space, 15, seed))
    mean, sd = situation.posterior.marginals(space.table)
    for policy in (PureExploration(), Thompson()):
        batch = Elimination(policy, eta=eta).propose(situation, 5, RNG(0))
        at = space.index(batch)
        assert (mean[at] + eta * sd[at] >= (mean - eta * sd).max()).all()


def test_a_small_eta_does_change_what_is_chosen():
    space = Places(RNG(0).random((60, 2)))
    situation = situation_of(space, history_of(space, 15, 0))
    plain = PureExploration().propose(situation, 5, RNG(0))
    eliminated = Elimination(PureExploration(), eta=0.5).propose(situation, 5, RNG(0))
    assert not np.array_equal(plain, eliminated)


def test_nested_elimination_remembers_and_the_default_readmits():
    # An early plan saw the left end look bad; later results there look good.
    space = Places(np.linspace(0, 1, 21)[:, None])
    early = History(
        space, np.array([[0.0], [0.05], [1.0], [0.95]]), np.array([-3.0, -3.0, 1.0, 1.0]), np.empty((0, 1)), noise=0.1
    )
    notes = situation_of(space, early).posterior.notes
    x = np.vstack([early.x, [[0.0]] * 6])
    y = np.concatenate([early.y, [9.0] * 6])
    late = History(space, x, y, np.empty((0, 1)), noise=0.1, past=(Past(4, notes),))
    situation = situation_of(space, late)
    assert Elimination(UCB(0.01), eta=1.0).propose(situation, 1, RNG(0))[0, 0] < 0.2
    assert Elimination(UCB(0.01), eta=1.0, nested=True).propose(situation, 1, RNG(0))[0, 0] > 0.2


def test_nested_elimination_remembers_every_earlier_plan_and_not_only_the_last():
    """A plan before the last ruled the left end out; since then all beliefs have thought well of it."""
    space = Places(np.linspace(0, 1, 21)[:, None])
    x = np.array([[0.0], [0.05], [1.0], [0.95], *[[0.0]] * 12])
    y = np.array([-3.0, -3.0, 1.0, 1.0, *[9.0] * 12])
    bare = History(space, x, y, np.empty((0, 1)), noise=0.1)
    notes = [situation_of(space, bare.until(told)).posterior.notes for told in (4, 10)]
    for past, readmits in (((Past(10, notes[1]),), True), ((Past(4, notes[0]), Past(10, notes[1])), False)):
        situation = situation_of(space, evolve(bare, past=past))
        (place,) = Elimination(UCB(0.01), eta=1.0, nested=True).propose(situation, 1, RNG(0))
        assert (place[0] < 0.2) == readmits


def test_nested_elimination_that_leaves_nothing_keeps_the_closest():
    class Fixed:
        def __init__(self, mean):
            self.mean = np.array(mean)

        def marginals(self, x):
            return Marginals(self.mean, np.full(len(x), 0.1))

    survival = Survival(1.0, [Fixed([5.0, 0.0, 3.0])])
    now = Marginals(np.array([0.0, 5.0, 3.0]), np.full(3, 0.1))
    np.testing.assert_array_equal(survival(np.zeros((3, 1)), now), [False, False, True])


def test_clouds_are_judged_against_all_places_seen_before():
    seen = Survival(1.0, []).after(np.zeros((1, 1)), Marginals(np.array([10.0]), np.array([0.1])))
    judged = seen(np.zeros((2, 1)), Marginals(np.array([1.0, 9.95]), np.array([0.1, 0.1])))
    np.testing.assert_array_equal(judged, [False, True])


def test_judging_places_does_not_change_the_rule():
    survival = Survival(1.0, [])
    low = np.zeros((2, 1)), Marginals(np.array([1.0, 0.0]), np.array([0.1, 0.1]))
    first = survival(*low)
    survival(np.zeros((1, 1)), Marginals(np.array([10.0]), np.array([0.1])))
    np.testing.assert_array_equal(survival(*low), first)
    np.testing.assert_array_equal(first, [True, False])


class Watched:
    """A rule that admits every place, and notes how many it has seen and is shown at each call."""

    def __init__(self, calls, seen=0):
        self.calls, self.seen = calls, seen

    def __call__(self, x, marginals):
        self.calls.append((self.seen, len(x)))
        return np.ones(len(x), dtype=bool)

    def after(self, x, marginals):
        return Watched(self.calls, self.seen + len(x))


@pytest.mark.parametrize("policy", [Thompson(), DistanceUCB()], ids=str)
def test_places_looked_at_later_are_judged_by_a_rule_that_has_seen_the_earlier_ones(policy):
    space = SPACES["plane"]
    history = evolve(history_of(space, 12, seed=3), position=space.sample(1, RNG(1))[0])
    calls = []
    policy.propose(evolve(situation_of(space, history), admits=Watched(calls)), 4, RNG(0))
    seen = [seen for seen, _ in calls]
    assert seen == sorted(seen)
    (before, shown), (last, _) = calls[-2:]
    # Thompson shows each cloud by itself, the search all that it has looked at so far.
    assert last == before + shown
