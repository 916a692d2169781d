"""Optuna on the problems of ``grounds``, as its manual shows: it keeps the best result it was told."""

import time
from importlib.metadata import version
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from belief.finding import optuna_axes
from wayfare._core.arrays import Points, Values
from wayfare._core.rng import stream
from wayfare.bench.problems import Problem
from wayfare.errors import InvalidInput
from wayfare.space import Space

PEERS = {"optuna-tpe": "TPESampler", "optuna-gp": "GPSampler"}
"""The samplers by the names that their rows have."""


class PeerRun(NamedTuple):
    """What a peer did: as ``wayfare.bench.run.Run`` has it."""

    x: Points
    regret: Values
    movement: float
    simple_regret: float
    planner_cpu: float


def peer_code() -> str:
    """Return which code runs peers."""
    return f"optuna {version('optuna')}"


def run_peer(problem: Problem, method: str, trials: int, seed: int) -> PeerRun:
    """Run a sampler; it sees the noise that our methods see, and its way begins where theirs does."""
    import optuna

    space = problem.space
    if not isinstance(space, Space):
        raise InvalidInput(f"{method} takes axes, and {problem.name} is a table of places")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = getattr(optuna.samplers, PEERS[method])(seed=seed)
    study, kinds = optuna.create_study(direction="maximize", sampler=sampler), optuna_axes(space)
    noise = problem.noise * stream(seed, "noise").standard_normal(trials)
    places, cpu = [], 0.0
    for at in range(trials):
        before = time.process_time()
        trial = study.ask(kinds)
        cpu += time.process_time() - before
        place = space.points(dict(trial.params))
        study.tell(trial, float(problem.function(place)[0] + noise[at]))
        places.append(place[0])
    x = np.array(places)
    travel, way = problem.travel.bind(space), np.vstack([problem.start, x])
    movement = sum(float(travel(a[None, :], b[None, :])[0, 0]) for a, b in pairwise(way))
    regret = problem.regret(x)
    return PeerRun(x, regret, movement, float(regret[study.best_trial.number]), cpu)
