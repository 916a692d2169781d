"""Curves over the trials: at each step the mean over the last half of the steps so far, as in the paper."""

from collections.abc import Iterable

import numpy as np
from attrs import frozen

from wayfare.arrays import Matrix, Values
from wayfare.bench.cell import Measured


def last_half_curve(steps: Values) -> Values:
    """Return at each step t the mean over the last ceil(t / 2) of the first t steps.

    The paper's formula sums the first half and multiplies where it should divide; this is what its words
    say. So the curve ends at the last-half mean of the whole run.
    """
    t = np.arange(1, len(steps) + 1)
    total = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray((total[t] - total[t // 2]) / (t - t // 2))


@frozen(eq=False)
class Curve:
    """A mean over the seeds, and the least and the most of any, at each of the ``steps``."""

    steps: Values
    mean: Values
    least: Values
    most: Values


def curve_of(cells: Iterable[Measured], quantity: str, first: int = 1) -> Curve:
    """Return the curve of ``"regret"`` or ``"legs"`` over cells of one length, from step ``first`` on."""
    curves: Matrix = np.array([last_half_curve(getattr(cell, quantity)) for cell in cells])
    shown = curves[:, first - 1 :]
    steps = np.arange(first, curves.shape[1] + 1)
    return Curve(steps, shown.mean(axis=0), shown.min(axis=0), shown.max(axis=0))
