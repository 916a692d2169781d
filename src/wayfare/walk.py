"""What it costs to walk the places of a study, in the order they were visited or in another."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from wayfare.arrays import Points, Values
from wayfare.records import Trial
from wayfare.state import StudyState
from wayfare.travel import priced


def as_chosen(state: StudyState, visits: Sequence[Trial]) -> list[Trial]:
    """Return the visits unordered: each plan's stops as they were picked, extra places where they are."""
    order = list(visits)
    for slots in stops_by_plan(visits):
        chosen = sorted(slots, key=lambda at: state.plans[visits[at].plan].picked[visits[at].stop or 0])
        for slot, at in zip(slots, chosen, strict=True):
            order[slot] = visits[at]
    return order


def stops_by_plan(visits: Sequence[Trial]) -> list[list[int]]:
    """Return for each plan which of the visits were its stops."""
    slots: dict[int, list[int]] = {}
    for at, trial in enumerate(visits):
        if trial.stop is not None:
            slots.setdefault(trial.plan, []).append(at)
    return list(slots.values())


def journey(state: StudyState, visits: Sequence[Trial], order: Sequence[Trial]) -> float:
    """Return what the visits cost in another order, the traveller put by hand when that happened."""
    puts = [(0, state.spec.start), *state.moved, (len(state.trials), None)]
    numbers = [trial.number for trial in visits]
    total = 0.0
    for (begun, here), (end, _) in pairwise(puts):
        first, last = bisect_left(numbers, begun), bisect_left(numbers, end)
        before = [] if here is None else [here]
        total += float(walked(state, [*before, *(trial.x for trial in order[first:last])]).sum())
    return total


def walked(state: StudyState, x: Points | Sequence[Values]) -> Values:
    """Return the legs between consecutive rows."""
    if len(x) < 2:
        return np.zeros(0)
    return np.array([priced(state.spec.travel, a[None, :], b[None, :])[0, 0] for a, b in pairwise(x)])
