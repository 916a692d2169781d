"""Scores of a place from what is believed there: larger is better, always."""

import math

import numpy as np

from wayfare import numerics
from wayfare.arrays import Values


def ucb(mean: Values, sd: Values, beta: float) -> Values:
    """Return the upper confidence bound, mean + sqrt(beta) sd."""
    return mean + math.sqrt(beta) * sd


def log_ei(mean: Values, sd: Values, best: float) -> Values:
    """Return the logarithm of the expected improvement over ``best``.

    With z = (mean - best) / sd it is log(sd) + log(phi(z) + z Phi(z)), computed so that it stays finite and
    ordered where the improvement itself underflows (Ament et al. 2023): below z = -1 by the scaled
    complementary error function, and below z = -1e4 by its expansion, -z^2/2 - log(z^2).
    """
    z = (mean - best) / sd
    near = np.maximum(z, -1.0)
    log_phi = -0.5 * near * near - 0.5 * math.log(2 * math.pi)
    above = np.log(np.exp(log_phi) + near * np.exp(numerics.log_ndtr(near)))
    far = np.clip(z, -1e4, -1.0)
    # phi(z) + z Phi(z) = phi(z) (1 + z sqrt(pi/2) erfcx(-z/sqrt(2))); the bracket tends to 1/z^2.
    ratio = far * numerics.erfcx(-far / math.sqrt(2)) * math.sqrt(math.pi / 2)
    bracket = np.where(far < -1e3, 1.0 / np.square(far), 1.0 + ratio)
    below = -0.5 * np.square(np.minimum(z, -1.0)) - 0.5 * math.log(2 * math.pi) + np.log(bracket)
    return np.log(sd) + np.where(z > -1.0, above, below)
