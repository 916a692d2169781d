"""One method on one benchmark problem: a whole study, and what it found and paid."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen

from wayfare._core.arrays import Points, Values, read_only
from wayfare._core.rng import stream
from wayfare.bench.problems import Problem
from wayfare.planning.method import Method
from wayfare.record.events import Event, Inserted, Told, Trial
from wayfare.study.moves import as_row
from wayfare.study.study import Study


@frozen(eq=False)
class Run:
    """A finished study of a problem, one row or number per trial, in visiting order.

    ``values`` are the results told, noise and all; ``regret`` is that of the function itself. ``known`` is
    the regret of the places that were known before the first trial. ``planner_cpu`` is the CPU time spent in
    ``ask``, in seconds.
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
        return last_half(self.regret)

    @cached_property
    def simple_regret(self) -> float:
        """The regret at the place that ``study.best()`` would have us keep."""
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
    label: str = "",
) -> Run:
    """Return the run of ``method`` on ``problem`` from ``start``, or else from the problem's own start.

    The noise of trial 7 is the same for every method under the same seed, and so are the results that the
    problem gives before the first trial. The study is not told how large the noise is. Results come ``delay``
    trials late: that many are out when the next place is asked for. ``on_trial`` is called with each trial
    once it is told; ``label`` names a method that is not from the catalogue.
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
    known = tell_initial(study, problem, seed)
    noise = problem.noise * stream(seed, "noise").standard_normal(trials)
    out: deque[Trial] = deque()

    def tell_until(still_out: int) -> None:
        while len(out) > still_out:
            trial = out.popleft()
            value = problem.function(trial.x[None, :])[0] + noise[trial.number - len(known)]
            told = study.tell(trial, float(value))
            if on_trial is not None:
                on_trial(told)

    planner_cpu = 0.0
    while True:
        before = time.process_time()
        trial = study.ask(wait=False)
        planner_cpu += time.process_time() - before
        if trial is None:
            break
        out.append(trial)
        tell_until(delay)
    tell_until(0)
    visits = study.trials[len(known) :]
    x = np.array([trial.x for trial in visits])
    return Run(
        problem=problem.name,
        method=label or (method if isinstance(method, str) else "custom"),
        seed=seed,
        x=x,
        values=np.array([trial.value for trial in visits], dtype=np.float64),
        regret=problem.regret(x),
        legs=np.array([trial.leg for trial in visits]),
        known=known,
        planner_cpu=planner_cpu,
        study=study,
    )


def tell_initial(study: Study, problem: Problem, seed: int) -> Values:
    """Tell what the problem gives for nothing, as known before the study; return the regret there."""
    if problem.initial == 0:
        return np.empty(0)
    place_rng, noise_rng = stream(seed, "initial").spawn(2)
    x = problem.space.sample(problem.initial, place_rng)
    values = problem.function(x) + problem.noise * noise_rng.standard_normal(len(x))
    events: list[Event] = []
    for number, (place, value) in enumerate(zip(x, values, strict=True)):
        events.append(Inserted(number, as_row(place), 0.0, "", f"initial place {number}", prior=True))
        events.append(Told(number, float(value), f"initial result {number}"))
    study.journal.commit("initial place 0", lambda state: events)
    return problem.regret(x)


def run_methods(
    problem: Problem, methods: Sequence[str], trials: int, seed: int, on_trial: Callable[[Trial], None] | None = None
) -> dict[str, Run]:
    """Return a run of each method, all from the same start and under the same noise."""
    return {method: run_problem(problem, method, trials, seed, on_trial=on_trial) for method in methods}
