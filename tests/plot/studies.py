"""Small studies to draw: places at random in batches of five, so that stops are left ahead."""

import numpy as np

from wayfare.plan import Method
from wayfare.policy import Uniform
from wayfare.schedule import Fixed
from wayfare.space import Choice, Integer, Places, Real, Space
from wayfare.study import Study
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


def bowl(x):
    """The middle of the columns is best; larger is better."""
    return -np.square(x - x.mean(axis=0)).sum(axis=1)


def value_at(x):
    return float(-np.square(x).sum())


def make_study(
    space=SQUARE, told=12, *, direction="maximize", start=None, trials=40, travel=None, unit="m", name="s"
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
    )
    for _ in range(told):
        trial = study.ask()
        study.tell(trial, value_at(trial.x) if direction == "maximize" else -value_at(trial.x))
    return study
