"""Algorithms 1 and 2 of the paper, written down once more and followed batch by batch in whole studies."""

from itertools import accumulate

import numpy as np
import pytest

import wayfare as wf
from wayfare.route import path_cost

TABLE = wf.Places(np.random.default_rng(4).random((60, 2)), names=["a", "b"])
PUBLISHED = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15]
"""Batches that grow by a tenth, every step rounded up."""
TRIALS = 66


def finished(name):
    """A study of a rough function."""
    options = {"travel": wf.Euclidean(), "trials": TRIALS, "method": name, "noise": 0.05, "seed": 2}
    study = wf.Study.create(TABLE, direction="maximize", **options)
    rng = np.random.default_rng(0)
    while (trial := study.ask()) is not None:
        a, b = trial.x
        study.tell(trial, np.sin(9 * a) + np.cos(7 * b) + 0.05 * rng.standard_normal())
    return study


def survivors(belief):
    """Which places have an upper bound, one standard deviation up, that reaches the highest lower one."""
    mean, sd = belief.marginals(TABLE.table)
    return mean + sd >= (mean - sd).max()


def batched_ucb(belief, allowed, size):
    """The numbers of so many places of highest mean + 2 sd, the sd shrinking and the mean as it was."""
    picks = []
    for _ in range(size):
        sd = (belief.condition(TABLE.table[picks]) if picks else belief).marginals(TABLE.table).sd
        picks.append(int(np.where(allowed, belief.marginals(TABLE.table).mean + 2 * sd, -np.inf).argmax()))
    return sorted(picks)


def shortest(here, stops):
    """What a short route through the stops costs."""
    costs = wf.Euclidean()(np.vstack([here, stops]), stops)
    order = wf.ShortRoute().order(costs[0], costs[1:], None, np.random.default_rng(0))
    return path_cost(order, costs[0], costs[1:])


@pytest.mark.parametrize("name", ["plan-ucb", "plan-ts", "tucb-paper", "tts-paper"])
def test_batches_are_those_of_the_algorithm_and_walked_to_their_end(name):
    study = finished(name)
    history, (opening, *plans) = study.state.history, study.state.plans
    # 1. The sizes are as published; the start is the first batch.
    ends = list(accumulate(PUBLISHED))
    assert [plan.told for plan in (opening, *plans)] == [0, *(end for end in ends if end < TRIALS)]
    left, here = np.ones(len(TABLE.table), dtype=bool), opening.stops[-1]
    for plan, end in zip(plans, ends[1:], strict=False):
        belief = wf.GP().recall(history.until(plan.told), plan.notes)
        # 2. Algorithm 2 rules out whatever any belief so far has ruled out, Algorithm 1 nothing.
        if name.endswith("-paper"):
            left &= survivors(belief)
        batch = sorted(TABLE.index(np.repeat(plan.stops, plan.counts or (1,) * len(plan.stops), axis=0)).tolist())
        assert len(batch) == min(end, TRIALS) - plan.told
        assert left[batch].all()
        # 3. Which places UCB takes is known; Thompson sampling draws.
        if "ucb" in name:
            assert batch == batched_ucb(belief, left, len(batch))
        # 4. All of them are visited on a short path before the next batch is chosen.
        visits = history.x[plan.told : plan.told + len(batch)]
        assert sorted(TABLE.index(visits).tolist()) == batch
        assert plan.legs.sum() <= 1.05 * shortest(here, plan.stops)
        here = visits[-1]
    assert (left.sum() < 0.8 * len(left)) == name.endswith("-paper")
