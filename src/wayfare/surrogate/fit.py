"""MAP hyperparameters: a look at several starts, a climb from the best two that have a chance."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from wayfare._core.arrays import Features, Order, Values
from wayfare.errors import ModelError
from wayfare.surrogate.hyper import FLOOR, Evidence, Hyper, Prior
from wayfare.surrogate.kernels import Kernel
from wayfare.surrogate.repeats import Repeats

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
    repeats: Repeats | None,
    noise: float | None,
    warm: Hyper | None,
    rng: Generator,
) -> Hyper:
    """Return the hyperparameters of highest posterior density.

    ``noise`` is the known noise variance in standard units, or None to fit it. The likelihood is often
    bimodal (all noise or all signal; one long axis or the other), hence the several starts: where the last
    plan ended, the mode of the prior, and a shorter and a longer one.

    With ``repeats`` the outcomes are means of runs, and up to ``SUBSET`` results in all the steps are those
    that the single results would lead to. The scatter within more of them dwarfs all else and settles the
    noise. Then every start has that noise, or the one nearest to it would alone be climbed; the climbs go in
    steps of its accuracy, and count heights from its own, for they end when they gain little of the whole.

    Raises:
        ModelError: no start led to a positive definite covariance.
    """
    from scipy.optimize import Bounds, minimize  # slow to import, and who only reads a study does without

    if len(z) > SUBSET:
        chosen = diverse_subset(features, SUBSET, rng)
        features, z = features[chosen], z[chosen]
        repeats = None if repeats is None else repeats.at(chosen)
    axes = int(groups.max()) + 1 if len(groups) else 0
    prior = Prior.of(axes)
    low, high = prior.low.copy(), prior.high.copy()
    if noise is not None:
        low[-1] = high[-1] = np.log(max(noise, FLOOR))
    evidence = Evidence(kernel, features, groups, z, repeats)
    looked_at = np.clip(starts(prior, axes, warm), low, high)
    peak, pace = 0.0, np.ones_like(low)
    settled = repeats is not None and repeats.freedom > SUBSET
    if repeats is not None and settled:
        log_noise, peak, pace[-1] = repeats.peak(low[-1], high[-1])
        looked_at[:, -1] = log_noise

    def loss(theta: Values) -> tuple[float, Values]:
        value, slope = evidence(theta)
        if not np.isfinite(value):
            return 1e25, np.zeros_like(theta)
        belief, pull = prior.density(theta)
        return peak - value - belief, -slope - pull

    def paced(steps: Values) -> tuple[float, Values]:
        value, slope = loss(steps * pace)
        return value, slope * pace

    def climb(start: Values) -> tuple[float, Values]:
        result = minimize(
            paced if settled else loss,
            start / pace,
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(low / pace, high / pace),
            options={"maxiter": ITERATIONS, "ftol": 1e-5, "gtol": 1e-2},
        )
        return float(result.fun), np.asarray(result.x) * pace

    looks = sorted(((loss(start)[0], start) for start in looked_at), key=lambda look: look[0])
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
