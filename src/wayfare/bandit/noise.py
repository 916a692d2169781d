"""How much one result varies, for policies whose bounds need to know."""

from wayfare import door
from wayfare.history import History


def checked_noise(noise: float | None, who: str) -> None:
    """Refuse a scale that is not above zero; None is none."""
    if noise is not None:
        door.positive(noise, f"{who}: noise")


def noise_of(noise: float | None, history: History) -> float:
    """Return the scale that was given, else the noise the study knows, else 1.

    The bounds hold for results whose deviations from their mean are sub-Gaussian with this scale: the
    standard deviation of a Gaussian, half the range of what is bounded.
    """
    if noise is not None:
        return noise
    return 1.0 if history.noise is None else history.noise
