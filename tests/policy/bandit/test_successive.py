"""BaSE against a plain loop that keeps its state, and what must hold when a study does not go as planned."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.policy.bandit.walk import Walk, noisy, situation_with
from wayfare.errors import InvalidInput
from wayfare.policy import Runs
from wayfare.policy.bandit import BaSE, survivors
from wayfare.policy.bandit.arms import default_batches
from wayfare.space import AnySpace, Places, Real, Space
from wayfare.surrogate.history import History
from wayfare.testing.policy import SPACES, PolicyContract


def arms_of(means):
    """Return the table 0, 1, 2, … and the function with these values."""
    table = Places(np.arange(float(len(means)))[:, None])
    return table, lambda place: means[int(place[0]) % len(means)]


@pytest.mark.parametrize(
    "policy", [BaSE(), BaSE("minimax", batches=3, last="all"), BaSE("geometric"), BaSE(doubling=True)], ids=str
)
class TestBaSE(PolicyContract):
    @pytest.fixture(params=["places", "grid"])
    def space(self, request) -> AnySpace:
        return SPACES[request.param]


def plain_base(means, horizon, ends, gamma, last, value):
    """Return the batches of a BaSE that remembers, each as {arm: results}."""
    k, t, made = len(means), 0, []
    active, n, total = list(range(k)), [0] * k, [0.0] * k
    for m, end in enumerate(ends):
        if end <= t:
            continue
        if m == len(ends) - 1 and last == "best" and t > 0:
            active = [max((arm for arm in active if n[arm]), key=lambda arm: total[arm] / n[arm])]
        length = min(max(end - t, len(active)), horizon - t)
        batch = dict.fromkeys(active, length // len(active))
        for arm in sorted(active, key=lambda arm: n[arm])[: length % len(active)]:
            batch[arm] += 1
        batch = {arm: count for arm, count in batch.items() if count}
        for arm, count in batch.items():
            total[arm] += count * value([float(arm)], n[arm], count)
            n[arm] += count
            t += count
        made.append(batch)
        mean = {arm: total[arm] / n[arm] for arm in active if n[arm]}
        best = max(mean.values())
        active = [
            arm for arm in active if not n[arm] or best - mean[arm] < math.sqrt(gamma * math.log(horizon * k) / n[arm])
        ]
    return made


@settings(max_examples=60)
@given(
    means=st.lists(st.floats(0.0, 2.0), min_size=1, max_size=8),
    horizon=st.integers(1, 3000),
    batches=st.integers(1, 6),
    grid=st.sampled_from(["root", "minimax", "geometric"]),
    last=st.sampled_from(["best", "all"]),
    gamma=st.sampled_from([0.1, 0.5, 2.0]),
    seed=st.integers(0, 99),
)
def test_base_decides_as_a_loop_that_remembers(means, horizon, batches, grid, last, gamma, seed):
    table, function = arms_of(means)
    value = noisy(function, 0.5, seed)
    policy = BaSE(grid, batches, gamma, last, noise=1.0)
    walk = Walk(policy, table, horizon, value)
    found = [
        {int(place[0]): int(n) for place, n in zip(plan.places, plan.counts, strict=True)} for plan in walk.plans()
    ]
    assert found == plain_base(means, horizon, policy.ends(horizon), gamma, last, value)


def test_batches_end_when_the_grid_says():
    table, function = arms_of([0.5] * 7)
    walk = Walk(BaSE("minimax", batches=3, last="all"), table, 1000, noisy(function, 0.0, 0))
    ends = np.cumsum([plan.counts.sum() for plan in walk.plans()])
    assert ends.tolist() == [51, 372, 1000]


def test_the_default_number_of_batches():
    assert default_batches("root", 10**5) == 10
    assert default_batches("minimax", 10**5) == 6
    assert default_batches("geometric", 10**5) == 12
    assert [default_batches(grid, 1) for grid in ("root", "minimax", "geometric")] == [1, 1, 1]
    for horizon in (10, 10**3, 10**5, 10**7):
        # So many that the first end of the minimax grid is within a factor of 2 of sqrt(T).
        assert BaSE("minimax").ends(horizon)[0] < 2 * math.sqrt(horizon)


def test_survivors_are_those_within_the_bound_or_unknown():
    active = np.array([True, True, True, True, False])
    means, counts = np.array([1.0, 0.6, 0.4, np.nan, 9.0]), np.array([4, 4, 4, 0, 4])
    np.testing.assert_array_equal(survivors(active, means, counts, 1.0), [True, True, False, True, False])
    np.testing.assert_array_equal(survivors(active, means, counts * 100, 1.0), [1, 0, 0, 1, 0])
    # The best itself is never ruled out, and a difference equal to the bound is.
    np.testing.assert_array_equal(survivors(active[:2], np.array([1.0, 0.5]), counts[:2], 1.0), [1, 0])


def test_an_arm_once_dropped_stays_away_though_others_turn_out_worse():
    table, _ = arms_of([0.0, 0.0, 0.0])
    walk = Walk(BaSE(gamma=0.5, last="all", noise=0.1), table, 1000, lambda place, first, n: 0.0)
    values = {0: 0.5, 1: 1.0, 2: 1.0}  # at first arm 0 is clearly worst; then the others fall below it
    walk.value = lambda place, first, n: values[int(place[0])]
    walk.step()
    values.update({1: -9.0, 2: -9.0})
    walk.step()
    assert walk.history.x[3:].ravel().tolist() in ([1.0, 2.0], [2.0, 1.0])
    assert 0.0 not in walk.plan().places


def test_the_last_batch_commits_to_the_best_mean():
    table, function = arms_of([0.2, 0.9, 0.3])
    plans = Walk(BaSE(), table, 500, noisy(function, 0.0, 0)).plans()
    np.testing.assert_array_equal(plans[-1].places, [[1.0]])
    assert len(Walk(BaSE(batches=1), table, 500, noisy(function, 0.0, 0)).plans()[0].counts) == 3


def test_places_that_failed_are_left_out():
    table, function = arms_of([0.2, 0.9, 0.3])
    walk = Walk(BaSE(), table, 500, noisy(function, 0.0, 0))
    walk.failed.append([1.0])
    assert all(1.0 not in plan.places for plan in walk.plans())
    np.testing.assert_array_equal(walk.x[-1], [2.0])
    walk = Walk(BaSE(), table, 500, noisy(function, 0.0, 0))
    walk.failed += [[0.0], [1.0], [2.0]]
    assert len(walk.step().counts) == 3


def test_epochs_double_and_end_where_they_should():
    table, function = arms_of([0.5, 0.5, 0.5])
    walk = Walk(BaSE(doubling=True), table, 12 * (2**6 - 1), noisy(function, 1.0, 0))
    ends = np.cumsum([plan.counts.sum() for plan in walk.plans()])
    assert {12 * (2**k - 1) for k in range(1, 7)} <= set(ends.tolist())
    assert len(ends) <= sum(default_batches("root", 12 * 2**k) for k in range(6))


def test_an_epoch_tests_every_arm_anew():
    table, _ = arms_of([0.0, 0.0])
    values = {0: 0.0, 1: 5.0}
    walk = Walk(BaSE(doubling=True), table, 10**4, lambda place, first, n: values[int(place[0])])
    while walk.handed_out < 8:
        walk.step()
    values[1] = -50.0  # what was best is now worst: the other returns when the epoch ends
    while walk.handed_out < 24:
        walk.step()
    assert 0.0 in walk.step().places


def test_doubling_keeps_the_beat_whatever_the_study_has_left():
    table, function = arms_of([0.1, 0.5, 0.9])
    short, long = (Walk(BaSE(doubling=True), table, T, noisy(function, 0.3, 1)) for T in (400, 10**6))
    first = [plan.counts.tolist() for plan in short.plans()][:-1]
    assert first == [long.step().counts.tolist() for _ in first]


@settings(max_examples=20)
@given(seed=st.integers(0, 999), doubling=st.booleans(), horizon=st.integers(1, 400))
def test_cut_short_or_led_astray_it_still_ends_in_time(seed, doubling, horizon):
    rng = np.random.default_rng(seed)
    table, function = arms_of(rng.random(5).tolist())
    walk = Walk(BaSE(doubling=doubling), table, horizon, noisy(function, 0.3, seed))
    while walk.left:
        before, plan = walk.left, walk.plan()
        assert 1 <= plan.counts.sum() <= before
        for place, count in zip(plan.places, plan.counts, strict=True):
            if rng.random() < 0.2:
                break  # the rest of the route is dropped
            walk.tell(place, int(rng.integers(1, count + 1)))
        if walk.left and rng.random() < 0.3:
            walk.tell(np.array([rng.choice([0.0, 3.0, 77.0])]), 1)  # inserted, in the table or not
    assert walk.handed_out == horizon


def test_results_still_out_count_when_the_rest_is_dealt():
    table, _ = arms_of([0.0, 0.0, 0.0])
    history = History(table, np.empty((0, 1)), np.empty(0), np.array([[0.0], [1.0]]), pending_counts=np.array([2, 1]))
    batch = BaSE(batches=1).propose(situation_with(history), 7, np.random.default_rng(0))
    assert isinstance(batch, Runs)
    assert batch.counts.tolist() == [2, 2, 3]


def test_what_it_cannot_use_is_refused():
    line = Space(Real("a", 0.0, 1.0))
    with pytest.raises(InvalidInput, match="BaSE needs a finite table"):
        BaSE().propose(situation_with(History.empty(line)), 9, np.random.default_rng(0))
    for wrong in ({"grid": "arithmetic"}, {"batches": 0}, {"gamma": 0.0}, {"last": "worst"}, {"noise": -1.0}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            BaSE(**wrong)


def test_the_noise_the_study_knows_sharpens_the_bound():
    table, _ = arms_of([0.5, 0.4])
    history = History(table, table.table, np.array([0.5, 0.4]), np.empty((0, 1)), counts=[20, 20])
    known = History(table, history.x, history.y, history.pending, noise=0.01, counts=history.counts)
    wide, narrow = (
        BaSE(last="all").propose(situation_with(one), 1000, np.random.default_rng(0)) for one in (history, known)
    )
    assert (len(wide.counts), len(narrow.counts)) == (2, 1)
