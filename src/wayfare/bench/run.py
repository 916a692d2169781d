"""One method on one benchmark problem: a whole study, and what it found and paid."""

import time
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen

from wayfare.arrays import Points, Values, read_only
from wayfare.bench.problems import Problem
from wayfare.plan import Method
from wayfare.records import Trial
from wayfare.rng import stream
from wayfare.study import Study


@frozen(eq=False)
class Run:
    """A finished study of a problem, one row or number per trial, in visiting order.

    ``values`` are the results told, noise and all; ``regret`` is that of the function itself.
    ``planner_cpu`` is the CPU time spent in ``ask``, in seconds.
    """

    problem: str
    method: str
    seed: int
    x: Points = field(converter=read_only, repr=False)
    values: Values = field(converter=read_only, repr=False)
    regret: Values = field(converter=read_only, repr=False)
    legs: Values = field(converter=read_only, repr=False)
    planner_cpu: float
    study: Study = field(repr=False)

    @property
    def plans(self) -> int:
        """How many routes were planned."""
        return len(self.study.state.plans)

    @property
    def movement(self) -> float:
        """What all legs cost together."""
        return float(self.legs.sum())

    @property
    def mean_regret(self) -> float:
        """The regret of a visit on average."""
        return float(self.regret.mean())

    @property
    def last_half_regret(self) -> float:
        """The regret of a visit on average over the last half; an odd trial in the middle counts as last."""
        return float(self.regret[len(self.regret) // 2 :].mean())

    @cached_property
    def simple_regret(self) -> float:
        """The regret at the place that ``study.best()`` would have us keep."""
        return float(self.regret[self.study.best().trial])


def run_problem(
    problem: Problem,
    method: str | Method,
    trials: int,
    seed: int,
    start: Values | None = None,
    on_trial: Callable[[Trial], None] | None = None,
    *,
    label: str = "",
) -> Run:
    """Return the run of ``method`` on ``problem`` from ``start``, or else from the problem's own start.

    The noise of trial 7 is the same for every method under the same seed. The study is not told how large it
    is. ``on_trial`` is called with each trial once it is told; ``label`` names a method that is not from the
    catalogue.
    """
    study = Study.create(
        problem.space,
        direction="maximize",
        travel=problem.travel,
        trials=trials,
        start=problem.start if start is None else start,
        method=method,
        seed=seed,
        unit=problem.unit,
        name=problem.name,
    )
    noise = problem.noise * stream(seed, "noise").standard_normal(trials)
    planner_cpu = 0.0
    while True:
        before = time.process_time()
        trial = study.ask()
        planner_cpu += time.process_time() - before
        if trial is None:
            break
        study.tell(trial, float(problem.function(trial.x[None, :])[0] + noise[trial.number]))
        if on_trial is not None:
            on_trial(study.trials[trial.number])
    x = np.array([trial.x for trial in study.trials])
    return Run(
        problem=problem.name,
        method=label or (method if isinstance(method, str) else "custom"),
        seed=seed,
        x=x,
        values=np.array([trial.value for trial in study.trials], dtype=np.float64),
        regret=problem.regret(x),
        legs=np.array([trial.leg for trial in study.trials]),
        planner_cpu=planner_cpu,
        study=study,
    )


def run_methods(
    problem: Problem,
    methods: Sequence[str],
    trials: int,
    seed: int,
    on_trial: Callable[[Trial], None] | None = None,
) -> dict[str, Run]:
    """Return a run of each method, all from the same start and under the same noise."""
    return {method: run_problem(problem, method, trials, seed, on_trial=on_trial) for method in methods}
