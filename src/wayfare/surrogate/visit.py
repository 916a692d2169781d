"""What a visit is worth: the value of its place, the chance that it succeeds, and that it keeps the limits.

Policies see a single belief. Where a visit may fail, or break a limit on something measured beside the objective, that
belief is weighed: with probability p the visit is worth the value there, else no more than a poor result.
"""

import math

import numpy as np
from attrs import evolve, frozen
from numpy.random import Generator

from wayfare._core import lazy_scipy
from wayfare._core.arrays import Matrix, Points, Values
from wayfare.surrogate.base import Marginals, Paths, Posterior, Surrogate, Tracker
from wayfare.surrogate.history import History, Notes, Past, Standard
from wayfare.surrogate.measured import Measured
from wayfare.surrogate.success import Success

LENIENCE = 3.0
"""Standard deviations that a policy allows what is measured, before it takes a limit as broken.

The best place often lies where a limit begins to bind. A policy that weighs by the plain probability stops short of it;
one that allows more than this goes on breaking limits where nothing is left to learn.
"""


@frozen
class Visits:
    """A model of visits around a model of the value.

    What is measured for a limit is believed in by the same model, with hyperparameters of its own.
    """

    surrogate: Surrogate

    def fit(self, history: History, rng: Generator) -> "VisitPosterior":
        """Return the belief after ``history``."""
        value = self.surrogate.fit(history, rng)
        ends = _ends(history)
        margins = {key: self.surrogate.fit(_margins(history, *end, key), rng) for key, end in ends.items()}
        return VisitPosterior(value, Success.of(history), margins, _poor(history))

    def recall(self, history: History, notes: Notes) -> "VisitPosterior":
        """Return the belief of an earlier plan."""
        value, kept = self.surrogate.recall(history, notes), notes.get("limits", {})
        ends = {key: end for key, end in _ends(history).items() if key in kept}
        margins = {key: self.surrogate.recall(_margins(history, *end, key), kept[key]) for key, end in ends.items()}
        return VisitPosterior(value, Success.of(history), margins, _poor(history))


def _ends(history: History) -> dict[str, tuple[int, Measured, float]]:
    """Return every end of every limit by its name in the notes: the column, the limit, and the sign of its margin."""
    found: dict[str, tuple[int, Measured, float]] = {}
    for column, limit in enumerate(history.limits):
        if limit.at_most is not None:
            found[f"{limit.name} at_most"] = column, limit, -1.0
        if limit.at_least is not None:
            found[f"{limit.name} at_least"] = column, limit, 1.0
    return found


def _margins(history: History, column: int, limit: Measured, sign: float, key: str) -> History:
    """Return the history of the margins to one end of a limit, positive where it is kept, as if they were results.

    Margins are in units of their median size, and large ones are drawn in like a logarithm: only where a limit is kept
    matters, and a pressure of a thousand bar would hide from the model what happens near ten.
    """
    numbers = history.measured[:, column]
    known = np.isfinite(numbers)
    margins = sign * (numbers[known] - (limit.low if sign > 0 else limit.high))
    scale = float(np.median(np.abs(margins))) if known.any() else 1.0
    past = tuple(Past(one.told, one.notes.get("limits", {}).get(key, {})) for one in history.past)
    return History(
        space=history.space,
        x=history.x[known],
        y=np.arcsinh(margins / (scale or 1.0)),
        pending=history.pending,
        past=past,
        counts=history.counts[known],
    )


def _poor(history: History) -> float:
    """Return a poor result: the worst so far, or one standard deviation below their mean, whichever is less."""
    standard = Standard.of_history(history)
    return float(min([standard.shift - standard.scale, *history.y]))


@frozen(eq=False)
class VisitPosterior:
    """The belief in what a visit is worth.

    Attributes:
        value: the belief in the objective, wherever a visit would succeed.
        outcome: the belief in whether it would.
        margins: for each end of a limit, the belief in how far it is kept.
        poor: what a visit is worth that fails, or breaks a limit.
    """

    value: Posterior
    outcome: Success
    margins: dict[str, Posterior]
    poor: float

    @property
    def notes(self) -> Notes:
        """The notes of the belief in the value, and of those in the limits."""
        if not self.margins:
            return self.value.notes
        return {**self.value.notes, "limits": {key: dict(margin.notes) for key, margin in self.margins.items()}}

    def success(self, x: Points) -> Values:
        """Return the probability that a visit gives a value, at each place."""
        return self.outcome.at(x)

    def compliance(self, x: Points, lenience: float = 0.0) -> Values:
        """Return the probability that all limits on what is measured hold, at each place.

        Args:
            x: the places.
            lenience: standard deviations by which what is measured is taken to be better than expected.
        """
        probability = np.ones(len(x))
        for margin in self.margins.values():
            mean, sd = margin.marginals(x)
            probability *= np.exp(lazy_scipy.log_ndtr(mean / sd + lenience))
        return probability

    def marginals(self, x: Points) -> Marginals:
        """Return mean and standard deviation of what a visit is worth."""
        return _weighed(self.value.marginals(x), self._weights(x), self.poor)

    def condition(self, x: Points) -> "VisitPosterior":
        """Return the belief after hallucinating a result at each of ``x``; the chances stay as they are."""
        return evolve(self, value=self.value.condition(x))

    def track(self, x: Points) -> Tracker:
        """Return the marginals at ``x``, ready to be conditioned on places among them."""
        weights, tracker = self._weights(x), self.value.track(x)
        return tracker if weights is None else VisitTracker(tracker, weights, self.poor)

    def paths(self, n: int, rng: Generator) -> Paths:
        """Return ``n`` functions drawn from this belief: the value, or a poor result where a visit fails.

        A draw of the margins says where limits are kept. Where visits succeed is drawn at one go for all places: the
        ones more likely to succeed than a number drawn for the function.
        """
        values = self.value.paths(n, rng)
        if self.is_certain:
            return values
        margins = [margin.paths(n, rng) for margin in self.margins.values()]
        least = rng.random(n)

        def draws(x: Points) -> Matrix:
            good = self.success(x)[:, None] > least
            for margin in margins:
                good &= margin(x) >= 0
            return np.where(good, values(x), self.poor)

        return draws

    @property
    def is_certain(self) -> bool:
        """Whether every visit is taken to succeed, and there is no limit to keep."""
        return self.outcome.is_certain and not self.margins

    def _weights(self, x: Points) -> Values | None:
        """Return the chance that policies give a visit to each place; None if all are certain to be good."""
        return None if self.is_certain else self.success(x) * self.compliance(x, LENIENCE)


def _weighed(believed: Marginals, weights: Values | None, poor: float) -> Marginals:
    """Return the belief in the worth of visits that are good with these probabilities."""
    if weights is None:
        return believed
    mean, sd = believed
    return Marginals(poor + weights * (mean - poor), np.maximum(weights * sd, math.ulp(1.0) * sd))


class VisitTracker:
    """The marginals of visits at fixed places, while results are hallucinated."""

    def __init__(self, tracker: Tracker, weights: Values, poor: float) -> None:
        self._tracker, self._weights, self._poor = tracker, weights, poor

    @property
    def marginals(self) -> Marginals:
        """The marginals now."""
        return _weighed(self._tracker.marginals, self._weights, self._poor)

    def add(self, index: int) -> None:
        """Condition on the place numbered ``index``."""
        self._tracker.add(index)
