"""Where a function is best, searched from many starts: how the stored places were found, and are checked.

``python -m benchmarks.tournament optima`` looks for a place that is better than a stored one.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.stats import qmc

from tournament.functions import Function
from wayfare._core.arrays import Values


def search(function: Function, log2_places: int, starts: int) -> tuple[Values, float]:
    """Return the best place found in the unit cube, and its value.

    The best ``starts`` of the places of a Sobol sequence, and the stored best place, are each walked uphill.
    """
    d, width = function.d, 1e-6
    unit = qmc.Sobol(d, seed=1).random_base2(log2_places)
    values = function(function.place(unit))
    top = [*unit[np.argsort(-values)[:starts]], function.unit(function.best[None, :])[0]]

    def value_and_slope(u: Values) -> tuple[float, Values]:
        # Both ends of every difference stay in the cube.
        ends = np.clip(u + width * np.concatenate([np.zeros((1, d)), np.eye(d), -np.eye(d)]), 0, 1)
        y = function(function.place(ends)) / function.spread
        apart = np.diagonal(ends[1 : d + 1] - ends[d + 1 :])
        return -float(y[0]), -(y[1 : d + 1] - y[d + 1 :]) / apart

    found = [
        minimize(
            value_and_slope,
            u,
            jac=True,
            bounds=[(0, 1)] * d,
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 200},
        )
        for u in top
    ]
    best = np.clip(min(found, key=lambda result: result.fun).x, 0, 1)
    return best, float(function(function.place(best[None, :]))[0])
