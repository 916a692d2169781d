"""Run one method on one benchmark problem as a whole study, and measure its regret and movement.

Methods compare fairly because under one seed all see the same start, the same noise and the same initial results.
"""

import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen

from wayfare._core.arrays import Points, Values, read_only
from wayfare._core.rng import stream
from wayfare.bench.problems import Problem
from wayfare.errors import GuaranteeWarning
from wayfare.planning.method import Method
from wayfare.record.events import Event, Inserted, Told, Trial
from wayfare.study.moves import as_row
from wayfare.study.study import Study


@frozen(eq=False)
class Run:
    """A finished study of a problem, one row or number per trial, in visiting order.

    Attributes:
        problem: the name of the problem.
        method: the name of the method.
        seed: the seed of the study, its noise and its initial results.
        x: the places, in user units.
        values: the results told, noise included.
        regret: the regret of each place, without noise.
        legs: the cost of each leg, in the unit of the travel cost.
        known: the regret of the places that were known before the first trial.
        planner_cpu: CPU time spent in ``ask``, in seconds.
        study: the study itself.
    """

    problem: str
    method: str
    seed: int
    x: Points = field(converter=read_only, repr=False)
    values: Values = field(converter=read_only, repr=False)
    regret: Values = field(converter=read_only, repr=False)
    legs: Values = field(converter=read_only, repr=False)
    known: Values = field(converter=read_only, repr=False)
    planner_cpu: float
    study: Study = field(repr=False)

    @property
    def plans(self) -> int:
        """The number of routes that were planned."""
        return len(self.study.state.plans)

    @property
    def movement(self) -> float:
        """The cost of all legs together."""
        return float(self.legs.sum())

    @property
    def mean_regret(self) -> float:
        """The mean regret of a visit."""
        return float(self.regret.mean())

    @property
    def last_half_regret(self) -> float:
        """The mean regret of a visit over the last half."""
        return last_half(self.regret)

    @cached_property
    def simple_regret(self) -> float:
        """The regret of the place that ``study.best()`` recommends."""
        return float(np.concatenate([self.known, self.regret])[self.study.best().trial])


def last_half(steps: Values) -> float:
    """Return the mean over the last half of the steps; an odd step in the middle counts as last."""
    return float(steps[len(steps) // 2 :].mean())


def run_problem(
    problem: Problem,
    method: str | Method,
    trials: int,
    seed: int,
    start: Values | None = None,
    on_trial: Callable[[Trial], None] | None = None,
    *,
    delay: int = 0,
    budget: float | None = None,
    label: str = "",
) -> Run:
    """Return the run of a method on a problem. The study must learn the size of the noise.

    Args:
        problem: the problem.
        method: a name of the catalogue, or a method.
        trials: number of trials.
        seed: decides all chance. The noise of trial 7 and the initial results depend on it alone.
        start: where the traveller stands at first, in user units; default: the problem's start.
        on_trial: called with each trial once it is told.
        delay: number of trials by which results come late: that many are out when the next place is asked for.
        budget: the most that all legs together may cost; the study ends when none of the ways left can be paid.
        label: a name for a method that is not from the catalogue.
    """
    with warnings.catch_warnings():
        # The documentation of a problem says whether guarantees apply; a warning per run would only repeat it.
        warnings.simplefilter("ignore", GuaranteeWarning)
        study = Study.create(
            problem.space,
            direction="maximize",
            travel=problem.travel,
            trials=trials,
            start=problem.start if start is None else start,
            method=method,
            seed=seed,
            unit=problem.unit,
            budget=budget,
            name=problem.name,
        )
    known = _tell_initial(study, problem, seed)
    noise = problem.noise * stream(seed, "noise").standard_normal(trials)
    out: deque[Trial] = deque()
    planner_cpu = 0.0
    while True:
        before = time.process_time()
        trial = study.ask(wait=False)
        planner_cpu += time.process_time() - before
        if trial is not None:
            out.append(trial)
        while len(out) > (0 if trial is None else delay):
            oldest = out.popleft()
            value = problem.function(oldest.x[None, :])[0] + noise[oldest.number - len(known)]
            told = study.tell(oldest, float(value))
            if on_trial is not None:
                on_trial(told)
        if trial is None:
            break
    visits = study.trials[len(known) :]
    x = np.array([trial.x for trial in visits])
    values = np.array([trial.value for trial in visits], dtype=np.float64)
    legs = np.array([trial.leg for trial in visits])
    name = label or (method if isinstance(method, str) else "custom")
    return Run(problem.name, name, seed, x, values, problem.regret(x), legs, known, planner_cpu, study)


def run_methods(
    problem: Problem, methods: Sequence[str], trials: int, seed: int, on_trial: Callable[[Trial], None] | None = None
) -> dict[str, Run]:
    """Return a run of each method, all from the problem's start and under the same noise.

    Args:
        problem: the problem.
        methods: names of the catalogue.
        trials: number of trials of each run.
        seed: decides all chance.
        on_trial: called with each trial once it is told.
    """
    return {method: run_problem(problem, method, trials, seed, on_trial=on_trial) for method in methods}


def _tell_initial(study: Study, problem: Problem, seed: int) -> Values:
    """Tell the results that the problem gives before the first trial; return the regret there."""
    if problem.initial == 0:
        return np.empty(0)
    place_rng, noise_rng = stream(seed, "initial").spawn(2)
    x = problem.space.sample(problem.initial, place_rng)
    values = problem.function(x) + problem.noise * noise_rng.standard_normal(len(x))
    events: list[Event] = []
    for number, (place, value) in enumerate(zip(x, values, strict=True)):
        request = f"initial place {number}"
        events.append(Inserted(number=number, place=as_row(place), leg=0.0, worker="", request=request, prior=True))
        events.append(Told(number=number, value=float(value), request=f"initial result {number}"))
    study.journal.commit("initial place 0", lambda state: events)
    return problem.regret(x)
