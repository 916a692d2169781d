"""Small studies to draw: places at random in batches of five, so that stops are left ahead."""

import numpy as np

from wayfare.planning.method import Method
from wayfare.planning.opening import NoOpening
from wayfare.plot import plot_history, plot_route
from wayfare.policy import Runs, Uniform
from wayfare.policy.schedule import Fixed, Horizon
from wayfare.space import Choice, Integer, Places, Real, Space
from wayfare.study.study import Study
from wayfare.travel import Euclidean, Fee

SQUARE = Space(Real("east_m", -5, 10), Real("north_m", 0, 15))
LINE = Space(Real("depth_m", 0, 10))
SITES = Places(np.random.default_rng(0).uniform(0, 100, (40, 2)), names=["east_m", "north_m"])
MIXED = Space(
    Real("temp_C", 40, 120),
    Real("flow", 0.1, 2, log=True),
    Choice("metal", ["Pd", "Ni", "Cu"]),
    Integer("stages", 1, 6),
)


def route_axes(study, **options):
    """Return the axes that the path is drawn on."""
    return plot_route(study, **options).axes[0]


def history_axes(studies, **options):
    """Return the axes of the values and of the movement."""
    return tuple(plot_history(studies, **options).axes)


def bowl(x):
    """The middle of the columns is best; larger is better."""
    return -np.square(x - x.mean(axis=0)).sum(axis=1)


def value_at(x):
    return float(-np.square(x).sum())


class Marks:
    """Proposes the marks 1, 2 and 4 of an axis, for three, ten and 500 results."""

    def propose(self, situation, size, rng):
        return Runs([[1.0], [2.0], [4.0]], [3, 10, 500])


def make_runs():
    """A study of three runs, told as their means, on a second route."""
    method = Method(Marks(), Horizon(), opening=NoOpening())
    options = {"travel": Euclidean(), "trials": 2000, "start": [0.0], "unit": "m", "name": "runs"}
    study = Study.create(LINE, direction="maximize", method=method, **options)
    for value in (-1.0, -3.0, -0.25):
        trial = study.ask(count=True)
        study.tell(trial, value, count=trial.count, variance=0.5)
    study.ask(count=True)
    return study


def make_study(
    space=SQUARE, told=12, *, direction="maximize", start=None, trials=40, travel=None, unit="m", name="s", **options
):
    if travel is None:
        travel = Fee(1.0) if any(space.choices) else Euclidean()
    study = Study.create(
        space,
        direction=direction,
        travel=travel,
        trials=trials,
        start=start,
        method=Method(Uniform(), Fixed(5)),
        unit=unit,
        name=name,
        **options,
    )
    for _ in range(told):
        trial = study.ask()
        study.tell(trial, value_at(trial.x) if direction == "maximize" else -value_at(trial.x))
    return study
