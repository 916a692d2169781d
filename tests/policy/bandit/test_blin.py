"""BLiN against a plain loop that keeps its state, and what must hold when a study does not go as planned."""

import math
from itertools import product

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.policy.bandit.walk import Walk, noisy, situation_with
from wayfare.errors import InvalidInput
from wayfare.policy import Runs
from wayfare.policy.bandit import BLiN
from wayfare.space import AnySpace, Places, Real, Space
from wayfare.surrogate.history import History
from wayfare.testing.policy import SPACES, PolicyContract

LINE = Space(Real("x", 0.0, 1.0))
PLANE = Space(Real("x", 0.0, 1.0), Real("y", 0.0, 1.0))


def tent(place):
    return -float(np.abs(np.asarray(place) - 0.37).max())


@pytest.mark.parametrize("policy", [BLiN(), BLiN("dyadic"), BLiN(constant=1e-4)], ids=str)
class TestBLiN(PolicyContract):
    @pytest.fixture(params=["plane", "six", "fixed"])
    def space(self, request) -> AnySpace:
        return SPACES[request.param]


def plain_edges(kind, horizon, d, noise, lipschitz):
    """Return the edges as floats, from the definition."""
    ratio = horizon * lipschitz**2 / (noise**2 * math.log(horizon))
    if kind == "dyadic":
        return [2.0**-m for m in range(1, math.ceil(math.log2(ratio) / 2) + 1)]
    step, total, edges = (d + 1) / (d + 2) ** 2 * math.log2(ratio), 0.0, []
    for _ in range(200):
        total += step
        step /= d + 2
        edges += [2.0 ** -math.floor(total + 1e-6), 2.0 ** -math.ceil(total - 1e-6)]
    return sorted({edge for edge in edges if edge < 1}, reverse=True) or [0.5]


def plain_blin(policy, d, horizon, noise, value):
    """Return the batches of a BLiN that remembers, each as {centre: results}."""
    left, made, best, size = horizon, [], None, 1.0
    corners = [(0.0,) * d]
    for edge in plain_edges(policy.edges, horizon, d, noise, policy.lipschitz):
        steps = [i * edge for i in range(round(size / edge))]
        corners = [
            tuple(a + b for a, b in zip(corner, inner, strict=True))
            for corner in corners
            for inner in product(steps, repeat=d)
        ]
        size = edge
        each = math.ceil(policy.constant * noise**2 * math.log(horizon) / (policy.lipschitz * edge) ** 2)
        if each * len(corners) > left:
            break
        centres = [tuple(a + edge / 2 for a in corner) for corner in corners]
        means = [value(centre, 0, each) for centre in centres]
        made.append(dict.fromkeys(centres, each))
        left -= each * len(corners)
        best = centres[int(np.argmax(means))]
        bar = max(means) - policy.elimination * policy.lipschitz * edge
        corners = [corner for corner, mean in zip(corners, means, strict=True) if mean > bar]
    if left and best is not None:
        made.append({best: left})
    return made


@settings(max_examples=50)
@given(
    d=st.integers(1, 3),
    horizon=st.integers(300, 20_000),
    edges=st.sampled_from(["ace", "dyadic"]),
    constant=st.sampled_from([0.05, 0.2, 1.0]),
    elimination=st.sampled_from([0.5, 1.0, 4.0]),
    noise=st.sampled_from([0.1, 0.5]),
    seed=st.integers(0, 99),
)
def test_blin_decides_as_a_loop_that_remembers(d, horizon, edges, constant, elimination, noise, seed):
    space = Space(*(Real(f"x{i}", 0.0, 1.0) for i in range(d)))
    value = noisy(tent, noise, seed)
    policy = BLiN(edges, constant, elimination, lipschitz=0.9, noise=noise)
    expected = plain_blin(policy, d, horizon, noise, value)
    if not expected:
        return  # not even the first stage can be paid for
    found = [
        {tuple(place): n for place, n in zip(plan.places.tolist(), plan.counts.tolist(), strict=True)}
        for plan in Walk(policy, space, horizon, value).plans()
    ]
    assert found == expected


@pytest.mark.parametrize(("space", "seed"), [(LINE, 0), (PLANE, 1)])
def test_most_results_are_taken_near_the_top(space, seed):
    walk = Walk(BLiN(noise=0.1), space, 10_000, noisy(tent, 0.1, seed))
    walk.plans()
    regret = -np.array([tent(place) for place in walk.x]) @ np.array(walk.counts)
    assert regret / 10_000 < 0.06


def test_where_one_stage_is_too_dear_results_are_shared_evenly():
    batch = BLiN(constant=16.0).propose(situation_with(History.empty(PLANE)), 102, np.random.default_rng(0))
    assert isinstance(batch, Runs)
    assert sorted(batch.counts.tolist()) == [25, 25, 26, 26]
    assert sorted(batch.places.ravel().tolist()) == [0.25] * 4 + [0.75] * 4


def test_a_run_cut_short_is_made_up_for():
    walk = Walk(BLiN("dyadic", noise=0.5), LINE, 1000, noisy(tent, 0.5, 0))
    first = walk.plan()
    walk.tell(first.places[0], int(first.counts[0]))
    walk.tell(first.places[1] + 0.01, int(first.counts[1]) - 1)  # beside the centre, and one too few
    rest = walk.plan()
    np.testing.assert_array_equal(rest.places, first.places[1:])
    assert rest.counts.tolist() == [1]


def test_results_still_out_count_as_taken():
    policy = BLiN("dyadic", constant=1.0, noise=0.1)
    empty = History.empty(LINE)
    first = policy.propose(situation_with(empty), 1000, np.random.default_rng(0))
    out = evolve(empty, pending=first.places, pending_counts=first.counts, handed_out=int(first.counts.sum()))
    size = 1000 - int(first.counts.sum())
    second = policy.propose(situation_with(out), size, np.random.default_rng(0))
    assert second.places.ravel().tolist() == [0.125, 0.375, 0.625, 0.875]  # nothing is ruled out unseen


def test_results_known_before_are_used_and_those_outside_passed_over():
    policy = BLiN("dyadic", noise=0.5)
    empty = History.empty(LINE)
    first = policy.propose(situation_with(empty), 1000, np.random.default_rng(0))
    n = int(first.counts[0])
    x = np.array([[0.1], [7.0], [0.9], [0.6]])
    known = History(LINE, x, -np.abs(x[:, 0] - 0.1), no := np.empty((0, 1)), counts=[n, 9, n - 1, 1], visited=no)
    assert known.handed_out == 0
    batch = policy.propose(situation_with(known), 1000, np.random.default_rng(0))
    assert batch.places.ravel().tolist() == [0.125, 0.375]


def test_a_cube_whose_centre_failed_is_dropped_while_others_are_left():
    policy = BLiN("dyadic", noise=0.1)
    walk = Walk(policy, LINE, 1000, noisy(tent, 0.1, 0))
    walk.failed.append([0.25])
    assert walk.plan().places.ravel().tolist() == [0.75]
    walk.failed.append([0.75])
    assert walk.plan().places.ravel().tolist() in ([0.25, 0.75], [0.75, 0.25])
    beside = Walk(policy, LINE, 1000, noisy(tent, 0.1, 0), failed=[[0.3]])
    assert len(beside.plan().places) == 2


def test_more_cubes_than_results_are_chosen_from_blindly():
    wide = Space(*(Real(f"x{i}", 0.0, 1.0) for i in range(40)))
    batch = BLiN().propose(situation_with(History.empty(wide)), 10, np.random.default_rng(0))
    assert batch.counts.tolist() == [1] * 10


@settings(max_examples=20)
@given(seed=st.integers(0, 999), edges=st.sampled_from(["ace", "dyadic"]), horizon=st.integers(1, 600))
def test_cut_short_or_led_astray_it_still_ends_in_time(seed, edges, horizon):
    rng = np.random.default_rng(seed)
    walk = Walk(BLiN(edges, noise=0.05), PLANE, horizon, noisy(tent, 0.05, seed))
    while walk.left:
        before, plan = walk.left, walk.plan()
        assert 1 <= plan.counts.sum() <= before
        for place, count in zip(plan.places, plan.counts, strict=True):
            if rng.random() < 0.2:
                break  # the rest of the route is dropped
            walk.tell(place, int(rng.integers(1, count + 1)))
        if walk.left and rng.random() < 0.3:
            walk.tell(rng.random(2) * 1.2, 1)  # inserted, in the box or not
        if walk.left and rng.random() < 0.1 and len(walk.failed) < 5:
            walk.failed.append(plan.places[-1])
    assert walk.handed_out == horizon


def test_what_it_cannot_use_is_refused():
    table = Places(np.array([[0.0], [1.0]]))
    with pytest.raises(InvalidInput, match="BLiN needs a box"):
        BLiN().propose(situation_with(History.empty(table)), 9, np.random.default_rng(0))
    wrong = {"edges": "equal", "constant": 0, "elimination": 0, "lipschitz": -1, "noise": 0}
    for key, value in (wrong | {"zooming_dimension": -1}).items():
        with pytest.raises(InvalidInput, match=key):
            BLiN(**{key: value})
