"""One arm at a time, very often: what a study would do, in a loop with nothing else in it.

The choice is made by the very functions that the policies call; a study keeps every trial, and would take
hours.
"""

from collections.abc import Callable, Sequence

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Order, Values
from wayfare.study.study import Study

Choose = Callable[[Values, Order, int], int]
"""From the sums and numbers of results of all arms and the time, the arm to pull next."""
Draw = Callable[[int, int, Generator], Values]
"""So many results of an arm."""
CHUNK = 1024


@frozen(eq=False)
class Stand:
    """Where a bandit stands after ``trials`` pulls."""

    trials: int
    regret: float
    movement: float
    tours: int


def follow(
    choose: Choose, draw: Draw, gaps: Values, between: Matrix, first: Values, at: Sequence[int], rng: Generator
) -> list[Stand]:
    """Return where an arm after arm stands at each number of pulls; a tour is a move to another arm.

    ``gaps`` is what a pull of each arm costs in regret, ``between`` what moving costs, ``first`` from the
    start.
    """
    k = len(gaps)
    sums, counts = np.zeros(k), np.zeros(k, dtype=np.intp)
    stock: list[list[float]] = [[] for _ in range(k)]
    here, regret, movement, moves, stands = -1, 0.0, 0.0, 0, []
    for t in range(1, at[-1] + 1):
        arm = choose(sums, counts, t - 1)
        if arm != here:
            movement += float(first[arm] if here < 0 else between[here, arm])
            moves += 1
            here = arm
        if not stock[arm]:
            stock[arm] = draw(arm, CHUNK, rng).tolist()
        sums[arm] += stock[arm].pop()
        counts[arm] += 1
        regret += gaps[arm]
        if t in at:
            stands.append(Stand(t, float(regret), movement, moves))
    return stands


def run_study(study: Study, gap: Callable[[Values], float], tell: Callable[[Values, int], Values]) -> Stand:
    """Walk a study to its end, run by run; ``tell`` gives mean and variance of so many results at a place."""
    regret = 0.0
    while (trial := study.ask(count=True)) is not None:
        mean, variance = tell(trial.x, trial.count)
        study.tell(trial, float(mean), count=trial.count, variance=float(variance) if trial.count > 1 else None)
        regret += trial.count * gap(trial.x)
    state = study.state
    return Stand(state.used, regret, float(sum(one.leg for one in state.trials)), len(state.plans))
