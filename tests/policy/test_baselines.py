"""The methods of others, each against a case worked out by hand or its own definition."""

import math

import numpy as np
import pytest

import wayfare as wf
from wayfare.acquisition import log_ei
from wayfare.history import History
from wayfare.plan import plan_batch
from wayfare.policy.greedy import best_so_far
from wayfare.policy.penalised import side_cost, way_to
from wayfare.policy.repeated import repeats
from wayfare.policy.snake import undeleted
from wayfare.rng import stream
from wayfare.situation import Situation
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


def standing(x, y, position, space=GRID, travel=None):
    """A situation after these results, the traveller at ``position``."""
    rows = np.array(x, dtype=float)[:, None]
    history = History(space, rows, np.array(y, dtype=float), np.empty((0, 1)), np.array([position]))
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


def test_snake_plans_all_that_is_left_after_every_result():
    study = wf.Study.create(
        GRID, direction="maximize", travel=wf.Euclidean(), trials=8, method="snake", start=[0.0]
    )
    for done in range(1, 8):
        trial = study.ask()
        study.tell(trial, math.sin(trial.x[0]))
        if done > 1:
            assert len(study.state.plans[-1].stops) == 8 - done + 1


def test_snake_follows_its_route_while_results_are_out():
    study = wf.Study.create(
        GRID, direction="maximize", travel=wf.Euclidean(), trials=8, method="snake", start=[0.0]
    )
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


def test_bpe_has_the_batches_of_its_paper():
    space = wf.Space(wf.Real("a", 0.0, 1.0))
    study = wf.Study.create(space, direction="maximize", travel=wf.Euclidean(), trials=100, method="bpe")
    while (trial := study.ask()) is not None:
        study.tell(trial, -((trial.x[0] - 0.3) ** 2))
    sizes = [len(plan.stops) for plan in study.state.plans]
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
    plan = plan_batch(made, space, wf.Euclidean().bind(space), history, 30, stream(0, 1))
    assert len(plan.route.places) == 30


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
