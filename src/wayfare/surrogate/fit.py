"""MAP hyperparameters: a look at several starts, a climb from the best two that have a chance."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from wayfare.arrays import Features, Order, Values
from wayfare.errors import ModelError
from wayfare.surrogate.hyper import FLOOR, Evidence, Hyper, Prior
from wayfare.surrogate.kernels import Kernel

SUBSET = 256
"""Beyond this many results the hyperparameters are fitted on a diverse subset of that size."""
CLIMBS, ITERATIONS = 2, 40
"""How many of the starts are climbed from, and how far at most."""
HOPELESS = 6.0
"""A start this far (in log density) from where the best one ended is not climbed."""


def fit_hyper(
    kernel: Kernel,
    features: Features,
    groups: Order,
    z: Values,
    noise: float | None,
    warm: Hyper | None,
    rng: Generator,
) -> Hyper:
    """Return the hyperparameters of highest posterior density.

    ``noise`` is the known noise variance in standard units, or None to fit it. The likelihood is often
    bimodal (all noise or all signal; one long axis or the other), hence the several starts: where the last
    plan ended, the mode of the prior, and a shorter and a longer one.

    Raises:
        ModelError: no start led to a positive definite covariance.
    """
    from scipy.optimize import Bounds, minimize  # slow to import, and who only reads a study does without

    if len(z) > SUBSET:
        chosen = diverse_subset(features, SUBSET, rng)
        features, z = features[chosen], z[chosen]
    axes = int(groups.max()) + 1 if len(groups) else 0
    prior = Prior.of(axes)
    low, high = prior.low.copy(), prior.high.copy()
    if noise is not None:
        low[-1] = high[-1] = np.log(max(noise, FLOOR))
    evidence = Evidence(kernel, features, groups, z)

    def loss(theta: Values) -> tuple[float, Values]:
        value, slope = evidence(theta)
        if not np.isfinite(value):
            return 1e25, np.zeros_like(theta)
        belief, pull = prior.density(theta)
        return -value - belief, -slope - pull

    def climb(start: Values) -> tuple[float, Values]:
        result = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(low, high),
            options={"maxiter": ITERATIONS, "ftol": 1e-5, "gtol": 1e-2},
        )
        return float(result.fun), np.asarray(result.x)

    looks = sorted(
        ((loss(start)[0], start) for start in np.clip(starts(prior, axes, warm), low, high)),
        key=lambda look: look[0],
    )
    value, theta = climb(looks[0][1])
    for height, start in looks[1:CLIMBS]:
        if height < value + HOPELESS:
            value, theta = min((value, theta), climb(start), key=lambda climbed: climbed[0])
    if not np.isfinite(theta).all() or value >= 1e24:
        raise ModelError("no hyperparameters give a positive definite covariance")
    return Hyper.from_vector(theta)


def starts(prior: Prior, axes: int, warm: Hyper | None) -> Sequence[Values]:
    """Return where to look first."""
    shift = np.zeros(axes + 2)
    shift[:axes] = 1.2
    usual = [prior.mean, prior.mean - shift, prior.mean + shift]
    return usual if warm is None or len(warm.lengths) != axes else [warm.to_vector(), *usual]


def diverse_subset(features: Features, size: int, rng: Generator) -> Order:
    """Return ``size`` rows, half by farthest-point traversal and half at random.

    Late in a study most results sit at the optimum; a purely random subset would see little else, and
    teach the model that the world is flat there.
    """
    chosen = [int(rng.integers(len(features)))]
    gap = np.full(len(features), np.inf)
    while len(chosen) < size // 2:
        gap = np.minimum(gap, np.square(features - features[chosen[-1]]).sum(axis=1))
        gap[chosen[-1]] = -1.0  # among repeats of one place the distances tie at zero; take no row twice
        chosen.append(int(gap.argmax()))
    rest = np.setdiff1d(np.arange(len(features)), chosen)
    return np.concatenate([np.array(chosen), rng.choice(rest, size - len(chosen), replace=False)])
