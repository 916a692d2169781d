"""The policy that prices the way: against enumeration, and against what it must not change."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import wayfare as wf
from wayfare._core.arrays import unique_rows
from wayfare.planning.catalogue import method_named
from wayfare.policy.base import Situation
from wayfare.policy.greedy import Detours
from wayfare.surrogate import Marginals
from wayfare.testing.policy import SPACES, PolicyContract, situation_of
from wayfare.testing.surrogate import history_of

RNG = np.random.default_rng


@pytest.mark.parametrize("policy", [wf.OnTheWay(), wf.OnTheWay(4.0, 0.3, 2.0), wf.OnTheWay(0.0)], ids=str)
class TestOnTheWay(PolicyContract):
    pass


class Uphill:
    """A cost that differs by direction: three times as dear towards larger numbers, and dearer the larger."""

    is_metric = False
    unit = ""

    def bind(self, space):
        return self

    def __call__(self, origins, targets):
        move = targets[None, :, :] - origins[:, None, :]
        return (np.where(move > 0, 3.0 * move, -move) * (1.0 + targets[None, :, :] ** 2)).sum(axis=2)


def standing(space, n=10, seed=2, position=True, travel=None, pending=0):
    """A situation after ``n`` results, the traveller somewhere in the space, or nobody knows where."""
    history = history_of(space, n, seed, pending)
    here = space.sample(1, RNG(seed + 100))[0] if position else None
    situation = situation_of(space, evolve(history, position=here))
    return evolve(situation, travel=(travel or wf.Euclidean()).bind(space))


def length(matrix, route):
    return sum(matrix[a, b] for a, b in pairwise(route))


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_what_a_place_adds_is_the_least_over_all_gaps_behind_the_position(data):
    n = data.draw(st.integers(1, 6))
    cells = st.lists(st.integers(0, 50), min_size=(n + 1) ** 2, max_size=(n + 1) ** 2)
    matrix = np.array(data.draw(cells), dtype=float).reshape(n + 1, n + 1)  # asymmetric, and no metric
    numbers = np.arange(n + 1, dtype=float)[:, None]

    def cost(origins, targets):
        return matrix[np.ix_(origins[:, 0].astype(int), targets[:, 0].astype(int))]

    way, route = Detours(cost, numbers[n], numbers[:n]), [n]
    for _ in range(data.draw(st.integers(1, 6))):
        added, gap = way.added()
        for place in range(n):
            longer = [
                length(matrix, [*route[:at], place, *route[at:]]) - length(matrix, route)
                for at in range(1, len(route) + 1)
            ]
            assert added[place] == min(longer)
            assert longer[gap[place]] == min(longer)
        pick = data.draw(st.integers(0, n - 1))
        at = data.draw(st.integers(0, len(route) - 1))  # any gap, not only the cheapest
        way.add(pick, at)
        route.insert(at + 1, pick)
        if data.draw(st.booleans()):
            gone = data.draw(st.sampled_from(route[1:]))
            way.remove(gone)
            route.remove(gone)
        assert way.stops == route[1:]
        assert way.cost == length(matrix, route)


def test_without_a_position_every_way_is_free():
    x = RNG(0).random((5, 2))
    way = Detours(wf.Euclidean(), None, x)
    for place in (3, 1):
        added, gap = way.added()
        assert not added.any()
        way.add(place, int(gap[place]))
    assert not way.added()[0].any()
    way.remove(3)
    assert (way.stops, way.cost) == ([1], 0.0)


def by_definition(situation, size, reach, worth):
    """Return the batch by enumeration: belief refactored, routes measured whole, one place after another."""
    table, travel = situation.space.everything(10_000), situation.travel
    route = [situation.history.position]
    longest = travel(route[0][None, :], table).max()
    chosen = []

    def total(stops):
        return sum(travel(a[None, :], b[None, :])[0, 0] for a, b in pairwise(stops))

    for _ in range(size):
        believed = situation.expected.condition(np.array(chosen).reshape(-1, table.shape[1]))
        mean, sd = believed.marginals(table)
        free = np.array([not (situation.space.once and row.tolist() in map(list, chosen)) for row in table])
        best, best_route = (-np.inf, None), None
        for i in np.flatnonzero(free):
            routes = [[*route[:at], table[i], *route[at:]] for at in range(1, len(route) + 1)]
            extra = [total(one) - total(route) for one in routes]
            share = min(1.0, max(0.0, min(extra) / longest / reach))
            score = worth(mean, sd, free, chosen, table)(i, share)
            if score > best[0] + 1e-9 * abs(score):
                best, best_route = (score, table[i]), routes[int(np.argmin(extra))]
        chosen.append(best[1])
        route = best_route
    return np.array(chosen)


def upper_bound(beta, price):
    """The worth of a place by ``OnTheWay``: its upper bound less a share of the hope."""

    def worth(mean, sd, free, chosen, table):
        upper = mean + np.sqrt(beta) * sd
        hope = max(0.0, upper[free].max() - mean.max())
        return lambda i, share: upper[i] - price * hope * share

    return worth


def expected_improvement(mean, sd, best):
    z = (mean - best) / sd
    return sd * (z * norm.cdf(z) + norm.pdf(z))


def improvement(situation, price):
    """The worth of a place by ``EIOnTheWay``: its expected improvement less a share of that."""
    history = situation.history
    first = situation.posterior.marginals(np.vstack([history.x, history.pending])).mean.max()

    def worth(mean, sd, free, chosen, table):
        taken = [mean[(table == place).all(axis=1)].item() for place in chosen]
        found = expected_improvement(mean, sd, max([first, *taken]))
        return lambda i, share: found[i] * (1 - price * share)

    return worth


def detours(seed):
    """Twelve places between which every way was drawn by itself: a detour may be cheaper, or far dearer."""
    space = wf.Places(RNG(seed).random((12, 2)))
    ways = RNG(seed).random((12, 12)) ** 3
    return space, wf.Table(space, ways * (1 - np.eye(12)))


def crossroads(travel, seed):
    """A situation on twelve places, every other one with places that are visited once."""
    space, cost = detours(seed)
    if travel != "detours":
        space = wf.Places(space.table, once=seed % 2 == 1)
        cost = wf.Euclidean() if travel == "euclidean" else Uphill()
    return standing(space, n=3, seed=seed, travel=cost, pending=1)


@pytest.mark.parametrize("travel", ["euclidean", "uphill", "detours"])
@pytest.mark.parametrize(("beta", "price", "reach"), [(1.0, 0.9, 0.3), (4.0, 0.6, 1.0), (0.5, 0.8, 0.2)])
def test_the_batch_is_what_enumeration_chooses(travel, beta, price, reach):
    for seed in range(8):
        situation = crossroads(travel, seed)
        batch = wf.OnTheWay(beta, price, reach).propose(situation, 6, RNG(0))
        np.testing.assert_array_equal(batch, by_definition(situation, 6, reach, upper_bound(beta, price)))


@pytest.mark.parametrize("travel", ["euclidean", "uphill", "detours"])
@pytest.mark.parametrize(("price", "reach"), [(0.0, 1.0), (0.9, 0.3), (0.6, 1.0)])
def test_by_expected_improvement_it_is_what_enumeration_chooses(travel, price, reach):
    for seed in range(8):
        situation = crossroads(travel, seed)
        batch = wf.EIOnTheWay(price, reach).propose(situation, 6, RNG(0))
        np.testing.assert_array_equal(batch, by_definition(situation, 6, reach, improvement(situation, price)))


@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_without_a_price_it_is_batched_ucb(space, size):
    situation = standing(space, travel=wf.Fee(1.0))
    free = wf.OnTheWay(beta=2.0, price=0.0).propose(situation, size, RNG(0))
    np.testing.assert_array_equal(free, wf.UCB(beta=2.0).propose(situation, size, RNG(0)))


@pytest.mark.parametrize("name", ["plane", "mixed", "once"])
def test_without_a_position_it_is_batched_ucb(name):
    situation = standing(SPACES[name], position=False, travel=wf.Fee(1.0))
    free = wf.OnTheWay(beta=2.0, price=0.9).propose(situation, 6, RNG(0))
    np.testing.assert_array_equal(free, wf.UCB(beta=2.0).propose(situation, 6, RNG(0)))


def test_where_travel_is_free_it_is_batched_ucb():
    situation = standing(SPACES["plane"], travel=wf.Fee(0.0))
    free = wf.OnTheWay(beta=2.0, price=0.9).propose(situation, 6, RNG(0))
    np.testing.assert_array_equal(free, wf.UCB(beta=2.0).propose(situation, 6, RNG(0)))


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_unit_of_the_cost_does_not_matter(scale):
    here, there = (standing(SPACES["plane"], travel=wf.Euclidean(scale=one)) for one in (1.0, scale))
    batches = [wf.OnTheWay().propose(one, 5, RNG(0)) for one in (here, there)]
    np.testing.assert_array_equal(*batches)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    price=st.floats(0.0, 0.99),
    beta=st.floats(0.1, 6.0),
    reach=st.floats(0.01, 3.0),
    size=st.integers(1, 12),
)
def test_the_preference_costs_no_more_than_is_said(seed, price, beta, reach, size):
    space = wf.Places(RNG(seed).random((60, 2)))
    situation = standing(space, n=8, seed=seed)
    belief = situation.posterior
    for pick in wf.OnTheWay(beta, price, reach).propose(situation, size, RNG(0)):
        mean, sd = belief.marginals(space.table)
        upper, at = mean + np.sqrt(beta) * sd, int(space.index(pick[None, :])[0])
        assert upper.max() - upper[at] <= price / (1 - price) * np.sqrt(beta) * sd[at] + 1e-7
        belief = belief.condition(pick[None, :])


class Belief:
    """What is believed of the places 0, 1, … on a line, whatever is hallucinated."""

    def __init__(self, mean, sd):
        self._mean, self._sd = np.array(mean), np.array(sd)

    def marginals(self, x):
        at = x[:, 0].astype(int)
        return Marginals(self._mean[at], self._sd[at])

    def condition(self, x):
        return self

    def track(self, x):
        return SimpleNamespace(marginals=self.marginals(x), add=lambda index: None)


def on_a_line(mean, sd, position):
    space = wf.Places(np.arange(float(len(mean)))[:, None])
    history = evolve(history_of(space, 3, 0), position=np.array([float(position)]))
    return Situation(space, wf.Euclidean().bind(space), history, wf.GP(), Belief(mean, sd))


def test_of_two_places_of_about_the_same_promise_the_nearer_one_is_taken():
    situation = on_a_line([0.0, 0.0, 0.0, 0.0, 0.0], [0.1, 2.0, 0.1, 0.1, 2.1], position=0)
    assert wf.UCB(1.0).propose(situation, 1, RNG(0)).item() == 4.0
    assert wf.OnTheWay(1.0, price=0.03, reach=1.0).propose(situation, 1, RNG(0)).item() == 4.0
    assert wf.OnTheWay(1.0, price=0.3, reach=1.0).propose(situation, 1, RNG(0)).item() == 1.0


def test_a_far_place_costs_no_more_than_one_at_the_reach():
    # Both ends promise more than is at hand; the far one more, by less than a longer way would cost.
    situation = on_a_line([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1e-6, 1e-6, 3.0, 1e-6, 1e-6, 3.5], position=0)
    assert wf.OnTheWay(1.0, price=0.8, reach=1.0).propose(situation, 1, RNG(0)).item() == 2.0
    assert wf.OnTheWay(1.0, price=0.8, reach=0.4).propose(situation, 1, RNG(0)).item() == 5.0


@pytest.mark.parametrize("price", [0.0, 0.5, 0.99])
def test_the_only_hope_is_gone_to_however_far_it_is(price):
    situation = on_a_line([1.0, 0.0, 0.0, 0.0, 0.0], [1e-6, 1e-6, 1e-6, 1e-6, 3.0], position=0)
    assert wf.OnTheWay(1.0, price).propose(situation, 1, RNG(0)).item() == 4.0


def test_a_fee_for_every_move_does_not_keep_the_traveller_at_home():
    situation = on_a_line([1.0, 0.0, 0.0, 0.0, 0.0], [1e-6, 1e-6, 1e-6, 1e-6, 3.0], position=0)
    situation = evolve(situation, travel=wf.Fee(100.0) + wf.Euclidean())
    assert wf.OnTheWay().propose(situation, 1, RNG(0)).item() == 4.0


def test_of_single_visits_all_that_are_left_can_be_chosen():
    space = SPACES["once"]
    situation = standing(space, n=35)
    batch = wf.OnTheWay().propose(situation, 9, RNG(0))
    assert len(batch) == len(unique_rows(batch)[0]) == 5


@pytest.mark.parametrize(
    "wrong", [{"beta": -1}, {"price": -0.1}, {"price": float("nan")}, {"price": 1.0}, {"reach": 0}]
)
def test_prices_that_make_no_sense_are_refused(wrong):
    with pytest.raises(wf.InvalidInput, match=next(iter(wrong))):
        wf.OnTheWay(**wrong)


@pytest.mark.parametrize("policy", [wf.EIOnTheWay(), wf.EIOnTheWay(0.3, 2.0)], ids=str)
class TestEIOnTheWay(PolicyContract):
    pass


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), price=st.floats(0.0, 0.99), reach=st.floats(0.01, 3.0))
def test_a_detour_costs_no_more_than_its_share_of_the_improvement(seed, price, reach):
    space = wf.Places(RNG(seed).random((60, 2)))
    situation = standing(space, n=8, seed=seed)
    best = situation.posterior.marginals(situation.history.x).mean.max()
    found = expected_improvement(*situation.posterior.marginals(space.table), best)
    (pick,) = wf.EIOnTheWay(price, reach).propose(situation, 1, RNG(0))
    assert found[space.index(pick[None, :])[0]] >= (1 - price) * found.max() * (1 - 1e-6)


@pytest.mark.parametrize("wrong", [{"price": -0.1}, {"price": float("nan")}, {"price": 1.0}, {"reach": 0}])
def test_a_price_of_the_whole_improvement_is_refused(wrong):
    with pytest.raises(wf.InvalidInput, match=next(iter(wrong))):
        wf.EIOnTheWay(**wrong)


@pytest.mark.parametrize("policy", [wf.ExploreFirst(), wf.ExploreFirst(wf.UCB(), wf.LogEI(), span=1.0)], ids=str)
class TestExploreFirst(PolicyContract):
    pass


class Named:
    """A policy that proposes a place of its own, to tell whose turn it was."""

    def __init__(self, place):
        self.place = place

    def propose(self, situation, size, rng):
        return np.full((1, 1), self.place)


def turn(done, trials, spent=None, span=4.0):
    """Return whether the policy that explores plans after that many trials."""
    line = wf.Places(np.arange(400.0)[:, None])
    history = evolve(history_of(line, 3, 0), handed_out=done)
    situation = evolve(situation_of(line, history), left=trials - done, spent=spent)
    return wf.ExploreFirst(Named(1.0), Named(0.0), span).propose(situation, 1, RNG(0)).item() == 1.0


@pytest.mark.parametrize(("trials", "explored"), [(30, 22), (60, 31), (100, 40), (300, 70)])
def test_exploring_lasts_for_four_roots_of_the_trials(trials, explored):
    assert [turn(done, trials) for done in range(trials)] == [done < explored for done in range(trials)]
    assert not any(turn(done, trials, span=0.0) for done in range(trials))


def test_exploring_goes_on_while_a_budget_is_spent_too_slowly_to_be_spent_at_half_of_the_trials():
    assert turn(100, 300, spent=0.5)
    assert not turn(100, 300, spent=0.7)
    assert turn(200, 300, spent=0.85)
    assert not turn(200, 300, spent=0.95)
    assert turn(10, 300, spent=1.0)  # it has only begun


def test_another_policy_explores_while_results_are_out():
    """Nothing changes while none is out, nor once the study exploits; without such a policy it explores as before."""
    line = wf.Places(np.arange(400.0)[:, None])

    def place(done, out, policy):
        history = evolve(history_of(line, 3, 0, pending=out), handed_out=done)
        situation = evolve(situation_of(line, history), left=60 - done)
        return policy.propose(situation, 1, RNG(0)).item()

    waits = wf.ExploreFirst(Named(1.0), Named(0.0), waiting=Named(2.0))
    plain = wf.ExploreFirst(Named(1.0), Named(0.0))
    assert [place(done, 0, waits) for done in (5, 30, 31)] == [1.0, 1.0, 0.0]
    assert [place(done, out, waits) for done in (5, 30, 31) for out in (1, 10)] == [2.0, 2.0, 2.0, 2.0, 0.0, 0.0]
    assert [place(done, 10, plain) for done in (5, 30, 31)] == [1.0, 1.0, 0.0]


def test_the_default_explores_by_its_bound_while_results_are_out():
    space = wf.Space(wf.Real("x", 0, 1), wf.Real("y", 0, 1))
    method = method_named("wayfare")
    here = evolve(situation_of(space, history_of(space, 8, 3, pending=4)), left=50)
    for size in (1, 3):
        found = method.policy.propose(here, size, RNG(1))
        np.testing.assert_array_equal(found, wf.OnTheWay(beta=4.0).propose(here, size, RNG(1)))


def test_whoever_needs_the_whole_space_gets_it():
    assert not wf.ExploreFirst().needs_whole_space
    assert wf.ExploreFirst(wf.UCB(), wf.UCB1()).needs_whole_space
    assert wf.ExploreFirst(wf.BLiN(), wf.UCB()).needs_whole_space
    assert wf.ExploreFirst(waiting=wf.BLiN()).needs_whole_space


@pytest.mark.parametrize("wrong", [{"explore": 3}, {"exploit": "ucb"}, {"span": -1.0}, {"waiting": 1}])
def test_what_is_no_policy_or_no_span_is_refused(wrong):
    with pytest.raises(wf.InvalidInput, match=next(iter(wrong))):
        wf.ExploreFirst(**wrong)


class Listening:
    """A policy that stays, and keeps what it was told of what is left."""

    def __init__(self):
        self.heard = []

    def propose(self, situation, size, rng):
        self.heard.append((situation.left, situation.spent))
        return situation.space.snap(np.array([[len(self.heard) / 4]]))


@pytest.mark.parametrize("budget", [2.0, None])
def test_a_policy_hears_how_many_trials_are_left_and_what_is_spent_of_the_budget(budget):
    policy = Listening()
    method = wf.Method(policy, wf.OneByOne(), opening=wf.NoOpening())
    line = wf.Space(wf.Real("a", 0.0, 1.0))
    study = wf.Study.create(
        line, direction="maximize", travel=wf.Euclidean(), trials=3, start=[0.0], budget=budget, method=method
    )
    while (trial := study.ask()) is not None:
        study.tell(trial, 1.0)
    parts = [0.0, 0.125, 0.25] if budget else [None] * 3
    assert policy.heard == [(left, pytest.approx(part)) for left, part in zip((3, 2, 1), parts, strict=True)]
