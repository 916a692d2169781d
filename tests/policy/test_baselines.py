"""The methods of others, each against a case worked out by hand or its own definition."""

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import example, given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare._core.rng import stream
from wayfare.exchange import import_csv
from wayfare.planning.plan import Task, plan_batch
from wayfare.policy.acquisition import log_ei
from wayfare.policy.base import Situation
from wayfare.policy.greedy import best_so_far
from wayfare.policy.penalised import repeats, side_cost, way_to
from wayfare.policy.thompson import undeleted
from wayfare.surrogate.history import History
from wayfare.testing.policy import PolicyContract, situation_of
from wayfare.testing.surrogate import history_of

RNG = np.random.default_rng
GRID = wf.Places(np.linspace(0.0, 10.0, 101)[:, None], names=["x"])


@pytest.mark.parametrize(
    "policy",
    [
        wf.Snake("nearest"),
        wf.Snake("eps"),
        wf.Snake("length"),
        wf.Snake("none"),
        wf.Snake(step=0.1),
        wf.Snake(stop=0.5),
        wf.Snake("none", step=0.05, stop=0.2),
        wf.LazyUCB(),
        wf.LazyUCB(levels=0),
        wf.DistanceUCB(),
        wf.DistanceUCB(steps=3),
        wf.EIPerCost(),
        wf.EIPerCost(gap=2.0),
        wf.Truncated(),
        wf.LimitedStep(),
        wf.Repeated(wf.UCB()),
        wf.LatinHypercube(),
    ],
    ids=str,
)
class TestEveryBaseline(PolicyContract):
    pass


def column(numbers):
    return np.array(numbers, dtype=float).reshape(-1, 1)


def standing(x, y, position, space=GRID, travel=None, pending=(), failed=()):
    """A situation after these results, the traveller at ``position``."""
    history = History(
        space, column(x), np.array(y, dtype=float), column(pending), np.array([position]), failed=column(failed)
    )
    surrogate = wf.GP()
    travel = (travel or wf.Euclidean()).bind(space)
    return Situation(space, travel, history, surrogate, surrogate.fit(history, RNG(0)))


def test_snake_deletes_the_nearest_of_five_draws():
    draws = np.array([[0.0], [0.2], [0.5], [0.8], [1.0]])
    kept = undeleted(draws, np.array([[0.21], [0.19], [0.9]]), math.inf, RNG(0))
    # 0.21 takes 0.2; 0.19 then 0.0 (0.19 away, 0.5 is 0.31); 0.9 is as near to 0.8 as to 1.0: the first.
    assert draws[kept].ravel().tolist() == [0.5, 1.0]


def test_snake_deletes_at_random_what_is_too_far():
    draws = np.array([[0.0], [0.2], [0.5], [0.8], [1.0]])
    seen = set()
    for seed in range(40):
        kept = undeleted(draws, np.array([[0.35]]), 0.1, RNG(seed))
        assert kept.sum() == 4
        seen.add(float(draws[~kept][0, 0]))
    assert seen == {0.0, 0.2, 0.5, 0.8, 1.0}


@frozen
class Always:
    """Stands in for a policy: chooses the first of these places, whatever is believed."""

    rows: np.ndarray

    def propose(self, situation, size, rng):
        assert size <= len(self.rows)
        return self.rows[:size].copy()


@pytest.fixture
def drawn(monkeypatch):
    """Has SnAKe draw these places, in this order."""

    def give(numbers):
        monkeypatch.setattr("wayfare.policy.thompson.Thompson", lambda: Always(column(numbers)))

    return give


@pytest.mark.parametrize(
    ("deletion", "near", "far"),
    [("nearest", [0.1, 9.9], []), ("length", [0.1, 2.9], [3.1, 9.9]), ("eps", [0.1, 0.9], [1.1, 9.9])],
)
def test_snake_deletes_the_nearest_draw_if_its_rule_reaches_that_far(drawn, deletion, near, far):
    # The place made is at 0, the axis is 10 long: length-scales of 3 and 5, eps of 1.
    believed = SimpleNamespace(notes={"lengths": [0.5, 0.3]})
    situation = evolve(standing([0.0], [1.0], 0.0), posterior=believed)

    def left():
        return {float(wf.Snake(deletion).propose(situation, 1, RNG(seed)).item()) for seed in range(20)}

    for draw in near:
        drawn([draw, 10.0])
        assert left() == {10.0}
    for draw in far:
        drawn([draw, 10.0])
        assert left() == {draw, 10.0}


def test_snake_deletes_a_draw_for_every_place_visited_failed_or_still_out(drawn):
    situation = standing([0.0], [1.0], 0.0, pending=[10.0, 9.0], failed=[7.0])
    drawn([0.1, 9.8, 9.1, 6.8, 5.0, 4.0])
    batch = wf.Snake("nearest").propose(situation, 2, RNG(0))
    assert batch.ravel().tolist() == [5.0, 4.0]


def test_snake_deletes_no_draw_for_a_result_known_before_the_study(drawn):
    study = wf.Study.create(GRID, direction="maximize", travel=wf.Euclidean(), trials=8, method="snake", start=[0.0])
    import_csv(study, "x,value\n0,1\n3,2\n", prior=True)
    study.tell(study.insert({"x": 9.0}).trial, 0.5)
    study.insert({"x": 7.0})
    drawn([0.1, 9.1, 3.1, 7.1, 0.2, 3.2])
    situation = situation_of(GRID, study.state.history)
    batch = wf.Snake("nearest").propose(situation, 2, RNG(0))
    assert batch.ravel().tolist() == [0.1, 3.1]


@pytest.mark.parametrize("step", [0.02, 0.1, 5.0])
def test_truncated_snake_goes_a_step_at_most_towards_the_first_stop_of_its_route(step):
    space = wf.Space(wf.Real("a", 0.0, 10.0), wf.Real("b", 0.0, 10.0))
    history = history_of(space, 12, seed=3)
    for seed in range(4):
        here = RNG(seed).uniform(0.0, 10.0, 2)
        situation = situation_of(space, evolve(history, position=here))
        situation = evolve(situation, travel=wf.Euclidean().bind(space))
        whole = wf.Snake().propose(situation, 20, RNG(seed))
        route = wf.route.plan_route(situation.travel, here, whole, None, wf.ShortRoute(), RNG(seed).spawn(3)[2])
        (pick,) = wf.Snake(step=step).propose(situation, 20, RNG(seed))
        first = route.places[0] - here
        far = np.linalg.norm(first)
        np.testing.assert_allclose(pick, here + first * min(1.0, step * 10.0 / far), atol=1e-9)


def test_truncated_snake_never_steps_farther_in_a_study():
    space = wf.Space(wf.Real("a", 0.0, 10.0), wf.Real("b", 0.0, 10.0))
    method = wf.Method(wf.Snake(step=0.1), wf.Rolling())
    study = wf.Study.create(space, direction="maximize", travel=wf.Euclidean(), trials=12, method=method)
    while (trial := study.ask()) is not None:
        study.tell(trial, -float(np.square(trial.x - 8.0).sum()))
    assert max(trial.leg for trial in study.trials) <= 1.0 + 1e-9
    assert len({trial.plan for trial in study.trials}) == 12


@pytest.mark.parametrize(("draws", "stops"), [([4.5, 3.1, 9.9], True), ([4.5, 9.5, 9.9], False)])
def test_self_stopping_snake_stays_at_the_best_place_once_most_draws_are_near_it(drawn, draws, stops):
    # Best at 4, on an axis 10 long: 4.5 and 3.1 are within 0.1 of the unit cube, the others are not.
    situation = standing([1.0, 4.0], [0.0, 1.0], 1.0)
    drawn(draws)
    batch = wf.Snake("none", stop=0.6).propose(situation, 3, RNG(0))
    assert batch.ravel().tolist() == ([4.0, 4.0, 4.0] if stops else draws)


def test_self_stopping_snake_goes_on_before_any_result_and_where_places_are_visited_once(drawn):
    drawn([0.0, 0.0])
    nothing = situation_of(GRID, History.empty(GRID, np.zeros(1)))
    assert wf.Snake(stop=0.1).propose(nothing, 2, RNG(0)).ravel().tolist() == [0.0, 0.0]
    once = wf.Places(GRID.table, names=["x"], once=True)
    situation = standing([1.0, 4.0], [0.0, 1.0], 1.0, space=once)
    drawn([4.1, 4.2])
    assert wf.Snake(stop=0.1).propose(situation, 2, RNG(0)).ravel().tolist() == [4.1, 4.2]


@pytest.mark.parametrize("stop", [0.0, -0.1, 1.1])
def test_self_stopping_snake_refuses_what_is_no_share(stop):
    with pytest.raises(wf.InvalidInput, match="stop must be a share"):
        wf.Snake(stop=stop)


def test_snake_plans_all_that_is_left_after_every_result():
    study = wf.Study.create(GRID, direction="maximize", travel=wf.Euclidean(), trials=8, method="snake", start=[0.0])
    for done in range(1, 8):
        trial = study.ask()
        study.tell(trial, math.sin(trial.x[0]))
        if done > 1:
            assert len(study.state.plans[-1].stops) == 8 - done + 1


def test_snake_follows_its_route_while_results_are_out():
    study = wf.Study.create(GRID, direction="maximize", travel=wf.Euclidean(), trials=8, method="snake", start=[0.0])
    study.tell(study.ask(), 0.0)
    for _ in range(4):
        study.ask(wait=False)
    assert len(study.state.plans) == 2
    study.tell(1, 0.5)
    study.ask(wait=False)
    assert len(study.state.plans) == 3


def test_the_penalised_bound_equals_its_definition():
    situation = standing([1.0, 4.0, 9.0], [0.2, 1.0, -0.5], 4.0)
    for weight in (0.0, 0.1, 3.0):
        (pick,) = wf.DistanceUCB(beta=4.0, weight=weight).propose(situation, 1, RNG(0))
        mean, sd = situation.posterior.marginals(GRID.table)
        score = mean + 2.0 * sd - weight * np.abs(GRID.table[:, 0] - 4.0)
        assert pick[0] == GRID.table[score.argmax(), 0]


def two_steps(situation, table, weight):
    """The first of the best pair of places, each worth its bound less the way there."""
    (here,) = situation.history.position
    x = table[:, 0]
    mean, sd = situation.expected.marginals(table)
    worth = {}
    for first in range(len(x)):
        then = situation.expected.condition(table[[first]]).marginals(table)
        for second in range(len(x)):
            now = mean[first] + 2.0 * sd[first] - weight * abs(x[first] - here)
            later = then.mean[second] + 2.0 * then.sd[second] - weight * abs(x[second] - x[first])
            worth[first, second] = now + later
    return max(worth, key=worth.get)[0]


@pytest.mark.parametrize("pending", [[], [2.0]], ids=["all told", "one out"])
def test_looking_one_step_ahead_equals_trying_every_pair_of_steps(pending):
    # As few places as a look-ahead follows, so that nothing is left out of it.
    coarse = wf.Places(column([0, 0.5, 2, 3, 3.5, 5, 5.5, 6, 8, 8.5, 9, 10]), names=["x"])
    changed = 0
    for weight, here in product((0.02, 0.1, 0.3, 1.0), (0.0, 3.5, 8.0)):
        situation = standing([0.0, 3.5, 8.0], [0.2, 1.0, -0.5], here, space=coarse, pending=pending)
        (pick,) = wf.DistanceUCB(weight=weight, steps=2).propose(situation, 1, RNG(0))
        assert pick[0] == coarse.table[two_steps(situation, coarse.table, weight), 0]
        changed += pick[0] != wf.DistanceUCB(weight=weight).propose(situation, 1, RNG(0)).item()
    assert changed


@pytest.mark.parametrize("shift", [0.0, -1000.0])
def test_a_heavy_penalty_never_moves_whatever_the_sign_of_the_results(shift):
    situation = standing([1.0, 4.0, 9.0], [0.2 + shift, 1.0 + shift, -0.5 + shift], 9.0)
    (pick,) = wf.DistanceUCB(weight=1e6).propose(situation, 1, RNG(0))
    assert pick[0] == 9.0


@pytest.mark.parametrize("shift", [0.0, -1000.0])
def test_improvement_per_cost_equals_its_definition_also_below_zero(shift):
    situation = standing([1.0, 4.0, 9.0], [0.2 + shift, 1.0 + shift, -0.5 + shift], 9.0)
    (pick,) = wf.EIPerCost(gap=0.5).propose(situation, 1, RNG(0))
    mean, sd = situation.posterior.marginals(GRID.table)
    ratio = np.exp(log_ei(mean, sd, best_so_far(situation))) / (np.abs(GRID.table[:, 0] - 9.0) + 0.5)
    assert pick[0] == GRID.table[ratio.argmax(), 0]


def test_the_usual_gap_is_the_side_of_the_unit_cube_in_any_unit():
    situation = standing([1.0, 4.0, 9.0], [0.2, 1.0, -0.5], 9.0)
    assert side_cost(situation) == pytest.approx(10.0)
    in_km = standing([1.0, 4.0, 9.0], [0.2, 1.0, -0.5], 9.0, travel=wf.Euclidean(scale=0.001))
    assert side_cost(in_km) == pytest.approx(0.01)
    picks = [wf.EIPerCost().propose(one, 1, RNG(0))[0, 0] for one in (situation, in_km)]
    assert picks[0] == picks[1]


def test_a_truncated_step_is_no_longer_than_the_shortest_length_scale():
    space = wf.Space(wf.Real("a", 0.0, 10.0), wf.Real("b", 0.0, 10.0))
    history = history_of(space, 15, seed=3)
    history = History(space, history.x, history.y, history.pending, np.array([0.0, 0.0]))
    situation = situation_of(space, history)
    goal = wf.LogEI().propose(situation, 1, RNG(0))[0]
    step = min(situation.posterior.notes["lengths"]) * math.sqrt(2) * 10.0
    (pick,) = wf.Truncated().propose(situation, 1, RNG(0))
    (short,) = wf.Truncated(factor=0.01).propose(situation, 1, RNG(0))
    assert np.linalg.norm(pick) == pytest.approx(min(step, np.linalg.norm(goal)))
    assert np.linalg.norm(short) == pytest.approx(0.01 * step)
    assert short[0] * goal[1] == pytest.approx(short[1] * goal[0])


def test_a_limited_step_stays_within_reach_and_comes_closer():
    space = wf.Space(wf.Real("a", 0.0, 10.0), wf.Real("b", 0.0, 10.0))
    history = history_of(space, 15, seed=3)
    for seed in range(5):
        here = np.random.default_rng(seed).uniform(0, 10, 2)
        situation = situation_of(space, History(space, history.x, history.y, history.pending, here))
        goal = wf.UCB(4.0).propose(situation, 1, RNG(0))[0]
        (pick,) = wf.LimitedStep(radius=0.1).propose(situation, 1, RNG(0))
        assert np.linalg.norm(pick - here) <= 1.0 + 1e-9
        assert np.linalg.norm(pick - goal) <= np.linalg.norm(here - goal) - 0.5 + 1e-9


def test_of_a_table_a_limited_step_takes_the_highest_bound_of_those_in_reach_that_come_closer():
    table = wf.Places(RNG(1).random((400, 2)))
    history = history_of(table, 15, seed=3)
    features = table.encode(table.table)
    chosen_among = []
    for seed in range(8):
        here = table.table[seed]
        situation = situation_of(table, evolve(history, position=here))
        mean, sd = situation.posterior.marginals(table.table)
        bound = mean + 2.0 * sd
        goal = features[bound.argmax()]
        moved = np.linalg.norm(features - features[seed], axis=1)
        left = np.linalg.norm(features - goal, axis=1)
        allowed = np.flatnonzero((moved <= 0.2) & (left <= left[seed] - 0.1))
        if left[seed] > 0.2 and len(allowed):
            (pick,) = wf.LimitedStep(radius=0.2).propose(situation, 1, RNG(0))
            assert pick.tolist() == table.table[allowed[bound[allowed].argmax()]].tolist()
            chosen_among.append(len(allowed))
    assert max(chosen_among) > 5


UNIT = st.floats(0.0, 1.0, allow_subnormal=False)


@st.composite
def linear_and_log_axes(draw):
    low = draw(st.floats(-1e3, 1e3))
    axes = [wf.Real("linear", low, low + draw(st.floats(0.1, 1e3)))]
    for name in draw(st.sampled_from(["", "a", "ab"])):
        low = 10.0 ** draw(st.floats(-6.0, 3.0))
        axes.append(wf.Real(name, low, low * draw(st.floats(1.5, 1e6)), log=True))
    return wf.Space(*draw(st.permutations(axes)))


@st.composite
def ways(draw):
    """A space, where the traveller stands in it, and where it wants to go."""
    space = draw(linear_and_log_axes())
    units = [[draw(UNIT) for _ in range(space.d)] for _ in range(2)]
    here, goal = space.at(np.array(units))
    return space, here, goal


def truncated(space, here, goal, step):
    """Where a truncated step of this length ends."""
    history = evolve(History.empty(space), position=here)
    believed = SimpleNamespace(notes={"lengths": [1.0] * space.d})
    situation = Situation(space, wf.Euclidean().bind(space), history, wf.GP(), believed)
    policy = wf.Truncated(Always(goal[None, :]), factor=step / math.sqrt(space.d))
    return policy.propose(situation, 1, RNG(0))


@given(ways(), st.floats(0.01, 2.0))
@example((wf.Space(wf.Real("a", 1.0, 1000.0, log=True)), np.array([1.0]), np.array([1000.0])), 0.1)
def test_a_truncated_step_is_straight_and_whole_in_the_unit_cube(way, step):
    space, here, goal = way
    start, end = space.encode(np.vstack([here, goal]))
    far = np.linalg.norm(end - start)
    (at,) = space.encode(truncated(space, here, goal, step))
    assert np.linalg.norm(at - start) <= step + 1e-9
    expected = end if far <= step else start + step / far * (end - start)
    np.testing.assert_allclose(at, expected, rtol=0, atol=1e-9)


@given(ways(), st.floats(0.01, 0.5))
def test_along_a_linear_axis_a_truncated_step_is_a_share_of_the_way_to_the_last_bit(way, step):
    space, here, goal = way
    features = space.encode(np.vstack([here, goal]))
    far = np.sqrt(np.square(features[1:] - features[0]).sum(axis=1))[0]
    # As the policy has it, factor and all: published results depend on every bit.
    whole = step / math.sqrt(space.d) * math.sqrt(space.d)
    there = goal if far <= whole else here + (whole / far) * (goal - here)
    at = space.column("linear")
    assert truncated(space, here, goal, step)[0, at] == space.snap(there[None, :])[0, at]


def test_a_step_along_a_logarithmic_axis_multiplies():
    space = wf.Space(wf.Real("a", 1.0, 1000.0, log=True), wf.Real("fixed", 2.0, 2.0, log=True))
    at = truncated(space, np.array([1.0, 2.0]), np.array([1000.0, 2.0]), 0.1)
    assert at[0].tolist() == pytest.approx([10**0.3, 2.0])


@pytest.mark.parametrize("beyond", [-5.0, 0.0, 5e-324, 0.5, 2e3, np.finfo(float).max])
def test_from_out_of_bounds_a_step_ends_in_the_space(beyond):
    space = wf.Space(wf.Real("a", 1.0, 1000.0, log=True), wf.Real("b", 0.0, 1.0))
    here, goal = np.array([beyond, 0.3]), np.array([30.0, 0.7])
    for step in (0.001, 0.1, 0.5):
        at = truncated(space, here, goal, step)
        assert space.contains(at).all()
        moved = np.abs(space.encode(at)[0] - space.encode(space.snap(here[None, :]))[0])
        assert np.linalg.norm(moved) <= step + 1e-9


def test_choices_change_at_once_and_the_rest_by_its_share():
    space = wf.Space(wf.Real("a", 1.0, 1000.0, log=True), wf.Choice("c", ["u", "v"]))
    at = truncated(space, np.array([1.0, 0.0]), np.array([1000.0, 1.0]), 0.1)
    assert at[0].tolist() == pytest.approx([1000.0 ** (0.1 / math.sqrt(2)), 1.0])


@settings(max_examples=30)
@given(ways(), st.floats(0.01, 0.3), st.booleans())
def test_a_limited_step_is_never_longer_than_its_radius_and_at_least_half_of_it(way, radius, shut_in):
    space, here, _ = way
    history = evolve(history_of(space, 6, seed=1), position=here)
    if shut_in:
        # It failed here: nothing nearby is looked at, and all that is left is straight ahead.
        history, radius = evolve(history, failed=here[None, :]), min(radius, 0.045)
    situation = situation_of(space, history)
    goal = wf.UCB(4.0).propose(situation, 1, RNG(0))
    start, end, at = space.encode(np.vstack([here, goal, wf.LimitedStep(radius=radius).propose(situation, 1, RNG(0))]))
    far = np.linalg.norm(end - start)
    assert np.linalg.norm(at - start) <= radius + 1e-9
    closer = far - np.linalg.norm(end - at)
    assert closer >= min(far, radius if shut_in else radius / 2) - 1e-9


@pytest.mark.parametrize("travel", [wf.Euclidean(), wf.Fee(3.0), wf.Euclidean() + wf.Fee(3.0)], ids=str)
def test_the_lazy_bound_is_the_best_within_a_reach_that_halves_with_every_toss(travel):
    situation = standing([1.0, 4.0, 9.0], [0.2, 1.0, -0.5], 4.0, travel=travel)
    mean, sd = situation.posterior.marginals(GRID.table)
    way = way_to(situation, GRID.table)
    nearest = way[way > 0].min()
    reached = {}
    for halvings in range(5):
        within = way <= nearest + (way.max() - nearest) / 2**halvings
        reached[GRID.table[np.where(within, mean + 2.0 * sd, -np.inf).argmax(), 0]] = halvings
    seen = {wf.LazyUCB(levels=4).propose(situation, 1, RNG(seed)).item() for seed in range(150)}
    assert seen == set(reached)


def test_the_lazy_bound_is_plain_ucb_where_nothing_is_halved():
    situation = standing([1.0, 4.0, 9.0], [0.2, 1.0, -0.5], 4.0)
    pick = wf.LazyUCB(levels=0).propose(situation, 1, RNG(0))
    assert pick.item() == wf.UCB(4.0).propose(situation, 1, RNG(0)).item()


def test_half_of_the_lazy_steps_stay_in_the_smallest_reach_and_one_in_sixteen_goes_anywhere():
    policy, tosses = wf.LazyUCB(levels=4), []

    class Noting(wf.LazyUCB):
        def is_within(self, situation, x, halvings):
            tosses.append(halvings)
            return policy.is_within(situation, x, halvings)

    situation = standing([1.0, 4.0, 9.0], [0.2, 1.0, -0.5], 4.0)
    for seed in range(600):
        Noting(levels=4).propose(situation, 1, RNG(seed))
    shares = np.bincount(tosses, minlength=5)[::-1] / len(tosses)
    np.testing.assert_allclose(shares, [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16], atol=0.06)


def test_where_only_a_switch_costs_the_lazy_bound_seldom_switches():
    """What is free may change at every step; the dear setting only where the toss allows the whole way."""
    space = wf.Space(wf.Real("a", 0.0, 1.0), wf.Choice("oven", ["hot", "cold"]))
    history = evolve(history_of(space, 12, seed=2), position=np.array([0.5, 0.0]))
    situation = situation_of(space, history)
    situation = evolve(situation, travel=wf.Switch("oven", 5.0).bind(space))
    x = space.sample(200, RNG(0))
    for halvings in range(1, 5):
        assert (x[wf.LazyUCB().is_within(situation, x, halvings), 1] == 0.0).all()
    assert wf.LazyUCB().is_within(situation, x, 0).all()
    assert wf.LazyUCB().is_within(situation, x, 4).sum() > 50


def test_mini_repeats_as_often_as_the_spread_allows():
    situation = standing([1.0, 4.0, 9.0], [0.2, 1.0, -0.5], 9.0)
    place = np.array([[4.0]])
    shrink = 2.0
    n = repeats(situation, place, shrink)
    sd = situation.posterior.marginals(place).sd[0]

    def after(times):
        return situation.posterior.condition(np.repeat(place, times, axis=0)).marginals(place).sd[0]

    assert n > 1
    assert sd / after(n) <= shrink * (1 + 1e-9)
    assert sd / after(n + 1) > shrink


def test_mini_moves_once_for_all_its_repeats():
    study = wf.Study.create(
        GRID, direction="maximize", travel=wf.Euclidean(), trials=40, method="mini", start=[0.0], noise=2.0
    )
    while (trial := study.ask()) is not None:
        study.tell(trial, -abs(trial.x[0] - 6.0) + 2.0 * RNG(trial.number).standard_normal())
    sizes = [len(plan.stops) for plan in study.state.plans]
    assert max(sizes) > 1
    assert all((plan.stops == plan.stops[0]).all() for plan in study.state.plans)
    assert sum(trial.leg > 0 for trial in study.trials) <= len(sizes)


@pytest.mark.parametrize("method", ["bpe", "bpe-heuristic"])
def test_bpe_has_the_batches_of_its_paper(method):
    space = wf.Space(wf.Real("a", 0.0, 1.0))
    study = wf.Study.create(space, direction="maximize", travel=wf.Euclidean(), trials=100, method=method)
    while (trial := study.ask()) is not None:
        study.tell(trial, -((trial.x[0] - 0.3) ** 2))
    planned = [trial.plan for trial in study.trials]
    sizes = [planned.count(plan) for plan in range(5)]
    assert [sizes[0] + sizes[1], *sizes[2:]] == [10, 32, 57, 1]


def test_no_two_places_of_a_latin_hypercube_share_a_slice():
    space = wf.Space(wf.Real("a", -1.0, 1.0), wf.Real("b", 0.0, 50.0), wf.Real("fixed", 2.0, 2.0))
    situation = situation_of(space, History.empty(space))
    batch = wf.LatinHypercube().propose(situation, 20, RNG(0))
    for column, low, width in ((0, -1.0, 2.0), (1, 0.0, 50.0)):
        slices = np.floor((batch[:, column] - low) / width * 20).astype(int)
        assert sorted(slices) == list(range(20))
    assert (batch[:, 2] == 2.0).all()


@pytest.mark.parametrize("method", ["random-route", "lhs-route"])
def test_a_whole_study_on_one_route_is_walked_once(method):
    space = wf.Space(wf.Real("a", 0.0, 1.0), wf.Real("b", 0.0, 1.0))
    history = history_of(space, 1, seed=0)
    made = wf.CATALOGUE[method].build()
    plan = plan_batch(Task(made, space, wf.Euclidean().bind(space), history, 30), stream(0, 1))
    assert len(plan.itinerary) == 30


def test_the_way_is_free_where_nobody_said_where_it_begins():
    situation = standing([1.0, 4.0], [0.0, 1.0], 4.0)
    lost = Situation(
        GRID,
        situation.travel,
        History(GRID, situation.history.x, situation.history.y, np.empty((0, 1))),
        situation.surrogate,
        situation.posterior,
    )
    assert not way_to(lost, GRID.table).any()
