"""Policies: the common contract, then what each of them must find."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from wayfare.errors import InvalidInput
from wayfare.policy import UCB, Elimination, LogEI, OnTheWay, PureExploration, Thompson, Uniform
from wayfare.policy.greedy import best_of, combinations
from wayfare.space import Choice, Integer, Places, Real, Space
from wayfare.surrogate.history import History
from wayfare.testing.policy import SPACES, PolicyContract, situation_of
from wayfare.testing.surrogate import history_of

RNG = np.random.default_rng
POLICIES = [
    UCB(),
    LogEI(),
    PureExploration(),
    PureExploration(fresh=True),
    Thompson(),
    Uniform(),
    Elimination(UCB(), eta=1.0),
    Elimination(Thompson(), eta=1.0),
    Elimination(PureExploration(fresh=True), eta=2.0),
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
class TestEveryPolicy(PolicyContract):
    pass


@pytest.mark.parametrize("beta", [0.0, 1.0, 4.0])
def test_batched_ucb_equals_its_definition_on_a_finite_space(beta):
    space = SPACES["places"]
    situation = situation_of(space, history_of(space, 10, seed=2))
    batch = UCB(beta).propose(situation, 6, RNG(0))
    mean = situation.posterior.marginals(space.table).mean
    for j, pick in enumerate(batch):
        # the mean frozen at the batch's start, the spread refactored with all places before this one
        sd = situation.posterior.condition(batch[:j]).marginals(space.table).sd
        np.testing.assert_array_equal(pick, space.table[(mean + np.sqrt(beta) * sd).argmax()])


@pytest.mark.parametrize("name", [name for name in SPACES if name != "mixed"])
def test_ucb_is_the_same_per_combination_where_there_are_no_choices(name):
    space = SPACES[name]
    situation = situation_of(space, history_of(space, 10, seed=2))
    each, plain = (UCB(per_combination=on).propose(situation, 4, RNG(0)) for on in (True, False))
    np.testing.assert_array_equal(each, plain)


@settings(max_examples=12)
@given(sizes=st.lists(st.integers(1, 4), max_size=3), beta=st.floats(0, 9))
def test_ucb_per_combination_adds_what_the_best_combination_stands_out_by(sizes, beta):
    space = Space(Real("t", 0.0, 1.0), *(Choice(f"c{i}", list(range(size))) for i, size in enumerate(sizes)))
    situation = situation_of(space, history_of(space, 8, seed=2))
    m = int(np.prod(sizes))
    wider = (np.sqrt(beta) + best_of(m)) ** 2
    each = UCB(beta, per_combination=True).propose(situation, 2, RNG(0))
    np.testing.assert_array_equal(each, UCB(beta if m == 1 else wider).propose(situation, 2, RNG(0)))
    free = OnTheWay(beta, price=0.0, per_combination=True).propose(situation, 2, RNG(0))
    np.testing.assert_array_equal(each, free)


@pytest.mark.parametrize("m", [1, 2, 4, 8, 30, 64])
def test_the_best_of_many_stands_out_as_far_as_the_largest_of_normal_numbers_does(m):
    x = np.linspace(-9, 9, 4001)
    largest = np.diff(norm.cdf(x) ** m)  # the probability that it lies in each interval
    assert best_of(m) == pytest.approx((largest * (x[1:] + x[:-1]) / 2).sum(), abs=0.03)


def test_combinations_are_those_there_are_places_with():
    two, names = np.array(["a", "b"]), np.array([f"well {i}" for i in range(12)])
    allowed = [{"s": v, "w": w, "x": float(i)} for i in range(4) for v, w in (("a", "p"), ("a", "q"), ("b", "p"))]
    assert combinations(Places(allowed)) == 3
    assert combinations(Places([{"s": two[i % 2], "x": float(i)} for i in range(12)])) == 2
    assert combinations(Places([{"name": name, "x": float(i)} for i, name in enumerate(names)])) == 1  # it names them
    assert combinations(Space(Choice("s", ["a", "b"]), Choice("w", ["p", "q", "r"]), Real("x", 0, 1))) == 6
    assert combinations(Space(Choice("s", ["a", "b"]), Integer("n", 1, 9))) == 2
    assert combinations(Space(Choice("s", ["a", "b"]), Integer("n", 1, 10**6))) == 2  # too many to count
    assert combinations(Space(Integer("n", 1, 9))) == 1


def test_pure_exploration_equals_its_definition_on_a_finite_space():
    space = SPACES["places"]
    situation = situation_of(space, history_of(space, 10, seed=2))
    batch = PureExploration().propose(situation, 6, RNG(0))
    for j, pick in enumerate(batch):
        sd = situation.posterior.condition(batch[:j]).marginals(space.table).sd
        np.testing.assert_array_equal(pick, space.table[sd.argmax()])


def test_fresh_exploration_forgets_where_the_results_are():
    space = Places(np.linspace(0, 1, 21)[:, None])
    history = History(space, space.table[[10, 10, 10]], np.array([0.0, 1.0, 0.5]), np.empty((0, 1)))
    situation = situation_of(space, history)
    knowing = PureExploration().propose(situation, 3, RNG(0))
    fresh = PureExploration(fresh=True).propose(situation, 3, RNG(0))
    assert 0.5 not in knowing
    np.testing.assert_allclose(np.sort(fresh[:2, 0]), [0.0, 1.0], atol=0.3)


def test_a_large_batch_of_pure_exploration_covers_the_space():
    plane = SPACES["plane"]
    situation = situation_of(plane, history_of(plane, 12, seed=1))
    unit = situation.space.encode(PureExploration().propose(situation, 40, np.random.default_rng(0)))
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 21)] * 2), axis=-1).reshape(-1, 2)
    # Forty places on a regular grid leave no point farther than 0.11 away, one corner's crowd 1 and more.
    assert np.linalg.norm(grid[:, None] - unit[None], axis=2).min(axis=1).max() < 0.25


def test_pending_places_push_the_next_choice_away():
    space = Space(Real("a", 0.0, 1.0))
    told = History(space, np.array([[0.0], [0.05]]), np.array([0.0, 0.1]), np.empty((0, 1)))
    first = UCB(9.0).propose(situation_of(space, told), 1, RNG(0))
    waiting = evolve(told, pending=first)
    second = UCB(9.0).propose(situation_of(space, waiting), 1, RNG(0))
    assert abs(first[0, 0] - second[0, 0]) > 0.05


@pytest.mark.parametrize("policy", [UCB(0.01), LogEI(), Thompson()], ids=str)
def test_a_narrow_top_is_found_between_the_samples(policy):
    space = SPACES["plane"]
    rng = RNG(0)
    x = space.sample(200, rng)
    peak = np.array([1.234, 0.567])
    y = -np.square((x - peak) / [10.0, 1.0]).sum(axis=1)
    situation = situation_of(space, History(space, x, y, np.empty((0, 2)), noise=1e-3))
    found = policy.propose(situation, 1, RNG(1))[0]
    assert np.abs((found - peak) / [10.0, 1.0]).max() < 0.02


@pytest.mark.parametrize("policy", [UCB(0.01), LogEI(), Thompson()], ids=str)
def test_integers_and_choices_are_searched_as_they_are(policy):
    # The best continuous place rounds to n = 2, s = "a"; the best allowed one is n = 3, s = "b".
    space = Space(Integer("n", 0, 5000), Choice("s", ["a", "b"]), Real("z", 0.0, 1.0))
    rng = RNG(0)
    x = space.sample(150, rng)
    y = -np.abs(x[:, 0] - 3000) / 5000 + 0.5 * (x[:, 1] == 1) - np.square(x[:, 2] - 0.3)
    situation = situation_of(space, History(space, x, y, np.empty((0, 3)), noise=1e-3))
    found = policy.propose(situation, 1, RNG(1))[0]
    assert found[1] == 1.0
    assert abs(found[0] - 3000) < 150
    assert found[0] == round(found[0])
    assert abs(found[2] - 0.3) < 0.05


@pytest.mark.parametrize("policy", [UCB(), Thompson(), PureExploration()], ids=str)
def test_no_places_left_is_said_plainly(policy):
    space = Places(RNG(0).random((4, 2)), once=True)
    situation = situation_of(space, history_of(space, 4, seed=0))
    with pytest.raises(InvalidInput, match="no places left"):
        policy.propose(situation, 1, RNG(0))


def test_thompson_draws_differ_within_a_batch():
    space = SPACES["plane"]
    batch = Thompson().propose(situation_of(space, history_of(space, 5, seed=0)), 10, RNG(0))
    assert len(np.unique(batch, axis=0)) > 5
