"""How much one result varies, for policies whose bounds need to know."""

import numpy as np

from wayfare import door
from wayfare.errors import InvalidInput
from wayfare.history import History
from wayfare.surrogate.tally import pooled_noise

ENOUGH = 20
"""Results beyond the first at their place that make a noise: it is then right to within a third."""


def checked_noise(noise: float | None, who: str) -> None:
    """Refuse a scale that is not above zero; None is none."""
    if noise is not None:
        door.positive(noise, f"{who}: noise")


def noise_of(noise: float | None, history: History) -> float:
    """Return the scale that was given, else the noise the study knows, else that of its results, else 1.

    Of the results it is what those at the same place vary about its mean, once there are enough of them.

    The bounds hold for results whose deviations from their mean are sub-Gaussian with this scale: the
    standard deviation of a Gaussian, half the range of what is bounded.
    """
    if noise is not None:
        return noise
    if history.noise is not None:
        return history.noise
    pooled = pooled_noise(history, ENOUGH)
    return 1.0 if pooled is None else max(pooled, 1e-6 * float(np.std(history.y))) or 1.0


def set_noise(noise: float | None, history: History) -> float:
    """Return the scale that was given, else the noise the study knows, else 1, but never one that changes.

    For plans whose size goes by the noise: with one learned from result to result no batch would be whole.
    """
    known = history.noise if noise is None else noise
    return 1.0 if known is None else known


def check_known(noise: float | None, known: float | None, who: str) -> None:
    """Refuse a study for which nobody said what the noise is."""
    if noise is None and known is None:
        raise InvalidInput(
            f"{who} needs to know the standard deviation of one result: say noise= when the study is created"
        )
