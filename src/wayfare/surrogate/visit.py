"""The worth of a visit: the value of its place, the chance that it succeeds, and that it keeps the limits.

Policies see a single belief. Where a visit may fail, or break a limit on something measured beside the objective, that
belief is weighed: with probability p the visit is worth the value there, otherwise a poor result.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from attrs import evolve, frozen
from numpy.random import Generator

from wayfare._core import lazy_scipy
from wayfare._core.arrays import Matrix, Points, Values, same_rows
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace
from wayfare.surrogate.base import Marginals, Paths, Posterior, Surrogate, Tracker
from wayfare.surrogate.history import History, Notes, Past, Standard, is_blind
from wayfare.surrogate.measured import Measured
from wayfare.surrogate.success import Success

LENIENCE = 3.0
"""Standard deviations that a policy allows what is measured, before it takes a limit as broken.

The best place often lies where a limit begins to bind. A policy that weighs by the plain probability stops short of it;
one that allows more than this goes on breaking limits where nothing is left to learn.
"""
LEAST_LENGTH = 0.1
"""A number whose model has a shorter length-scale, in the unit cube, is taken to jump at its limit."""


@frozen
class Visits:
    """A model of visits around a model of the value.

    What is measured for a limit is believed in by the same model, with hyperparameters of its own.
    """

    surrogate: Surrogate

    def fit(self, history: History, rng: Generator) -> "VisitPosterior":
        """Return the belief after ``history``."""
        value = self.surrogate.fit(history, rng)
        told = {key: _margins(history, *end, key) for key, end in _ends(history).items()}
        return self._posterior(history, value, told, {key: self.surrogate.fit(one, rng) for key, one in told.items()})

    def recall(self, history: History, notes: Notes) -> "VisitPosterior":
        """Return the belief of an earlier plan."""
        value, kept = self.surrogate.recall(history, notes), _of_limits(notes)
        told = {key: _margins(history, *end, key) for key, end in _ends(history).items() if key in kept}
        recalled = {key: self.surrogate.recall(one, kept[key]) for key, one in told.items()}
        return self._posterior(history, value, told, recalled)

    def _posterior(
        self, history: History, value: Posterior, told: Mapping[str, History], margins: Mapping[str, Posterior]
    ) -> "VisitPosterior":
        """Return the belief, with the margins that jump at their limit tamed.

        A model of a number that jumps, such as yes and no, has a length-scale so short that every gap between results
        looks open. It gets a longer one, and the places that broke the limit count as failures besides.
        """
        bad, tamed = [history.failed], {}
        for key, margin in margins.items():
            lengths, tamed[key] = margin.notes.get("lengths", []), margin
            if lengths and min(lengths) < LEAST_LENGTH:
                bad.append(told[key].x[told[key].y < 0])
                notes = {**margin.notes, "lengths": np.maximum(lengths, LEAST_LENGTH).tolist()}
                tamed[key] = self.surrogate.recall(told[key], notes)
        broken = np.vstack(bad[1:] or [history.failed[:0]])
        good = history.x[~same_rows(history.x, broken)] if len(broken) else history.x
        decent = Success.of(history.space, good, np.vstack(bad))
        success = Success.of(history.space, history.x, history.failed) if len(broken) else decent
        notes = {key: dict(margin.notes) for key, margin in margins.items()}
        return VisitPosterior(value, success, decent, tamed, _poor(history), notes)


def _of_limits(notes: Notes) -> Mapping[str, Notes]:
    """Return the notes of what is measured, by the end of the limit; a file may say anything."""
    kept = notes.get("limits", {})
    if not isinstance(kept, Mapping) or not all(isinstance(one, Mapping) for one in kept.values()):
        raise InvalidInput(f"notes: limits must be a table of tables, got {kept!r:.80}")
    return kept


def check_notes(surrogate: Surrogate, space: AnySpace, notes: Notes) -> None:
    """Refuse notes of a plan that its surrogate cannot have left, if it has a method ``check_notes`` that says so.

    Args:
        surrogate: of the method of the study.
        space: of the study.
        notes: as a file has them.
    """
    check = getattr(surrogate, "check_notes", None)
    if check is not None and not is_blind(notes):
        for one in (notes, *_of_limits(notes).values()):
            check(space, one)


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

    Large margins are drawn in like a logarithm: only where a limit is kept matters, and a pressure of a thousand bar
    would hide from the model what happens near ten. They are large if they are beyond the largest on the other side.
    """
    numbers = history.measured[:, column]
    known = np.isfinite(numbers)
    margins = sign * (numbers[known] - (limit.low if sign > 0 else limit.high))
    kept, broken = margins[margins >= 0], -margins[margins < 0]
    if (margins == 0.0).any():  # a count, or yes and no: the limit is halfway to the next number that breaks it
        margins = margins + 0.5 * float(broken.min(initial=kept.max() or 2.0))
    sides = [side.max() for side in (kept, broken) if len(side) and side.max() > 0]
    scale = float(min(sides)) if len(sides) == 2 else float(np.abs(margins).mean()) if len(margins) else 1.0
    with np.errstate(over="ignore"):
        margins = np.clip(margins / (scale or 1.0), -1e300, 1e300)
    past = tuple(Past(one.told, _of_limits(one.notes).get(key, {})) for one in history.past)
    return History(
        space=history.space,
        x=history.x[known],
        y=np.arcsinh(margins),
        pending=history.pending,
        past=past,
        counts=history.counts[known],
    )


def _poor(history: History) -> float:
    """Return a poor result: the worst so far, or one standard deviation below their mean, whichever is lower."""
    standard = Standard.of_history(history)
    return min(standard.shift - standard.scale, float(history.y.min(initial=np.inf)))


@frozen(eq=False)
class VisitPosterior:
    """The belief in what a visit is worth.

    Attributes:
        value: the belief in the objective, wherever a visit would succeed.
        outcome: the belief in whether it would.
        decent: the same, where breaking a limit on a number that jumps is failing, too.
        margins: for each end of a limit, the belief in how far it is kept.
        poor: what a visit is worth that fails, or breaks a limit.
        limits: the notes of the fits to the margins.
    """

    value: Posterior
    outcome: Success
    decent: Success
    margins: dict[str, Posterior]
    poor: float
    limits: Notes

    @property
    def notes(self) -> Notes:
        """The notes of the belief in the value, and of those in the limits."""
        return {**self.value.notes, "limits": self.limits} if self.limits else self.value.notes

    def success(self, x: Points) -> Values:
        """Return the probability that a visit gives a value, at each place."""
        return self.outcome.at(x)

    def compliance(self, x: Points, lenience: float = 0.0) -> Values:
        """Return the probability that all limits on what is measured hold, at each place.

        Args:
            x: the places.
            lenience: standard deviations by which what is measured is taken to be better than expected.
        """
        return _kept([margin.marginals(x) for margin in self.margins.values()], lenience, len(x))

    def marginals(self, x: Points) -> Marginals:
        """Return mean and standard deviation of what a visit is worth."""
        value = self.value.marginals(x)
        if self.is_certain:
            return value
        return _weighed(value, self.decent.at(x) * self.compliance(x, LENIENCE), self.poor)

    def condition(self, x: Points) -> "VisitPosterior":
        """Return the belief after hallucinating a result at each of ``x``; the chance of success stays as it is."""
        margins = {key: margin.condition(x) for key, margin in self.margins.items()}
        return evolve(self, value=self.value.condition(x), margins=margins)

    def track(self, x: Points) -> Tracker:
        """Return the marginals at ``x``, ready to be conditioned on places among them."""
        tracker = self.value.track(x)
        if self.is_certain:
            return tracker
        return VisitTracker(
            tracker, self.decent.at(x), [margin.track(x) for margin in self.margins.values()], self.poor
        )

    def paths(self, n: int, rng: Generator) -> Paths:
        """Return ``n`` functions drawn from this belief: the value, or a poor result where a visit fails.

        A draw of the margins says where limits are kept. One number is drawn per function for the rest: visits succeed
        where they are likelier to than that.
        """
        values = self.value.paths(n, rng)
        if self.is_certain:
            return values
        margins = [margin.paths(n, rng) for margin in self.margins.values()]
        least = rng.random(n)

        def draws(x: Points) -> Matrix:
            good = self.decent.at(x)[:, None] > least
            for margin in margins:
                good &= margin(x) >= 0
            return np.where(good, values(x), self.poor)

        return draws

    @property
    def is_certain(self) -> bool:
        """Whether every visit is taken to succeed, and there is no limit to keep."""
        return self.outcome.is_certain and not self.margins


def _kept(margins: Sequence[Marginals], lenience: float, n: int) -> Values:
    """Return the probability at ``n`` places that all of the margins are positive."""
    probability = np.ones(n)
    for mean, sd in margins:
        probability *= np.exp(lazy_scipy.log_ndtr(mean / sd + lenience))
    return probability


def _weighed(believed: Marginals, weights: Values, poor: float) -> Marginals:
    """Return the belief in the worth of visits that are good with these probabilities."""
    mean, sd = believed
    return Marginals(poor + weights * (mean - poor), np.maximum(weights * sd, math.ulp(1.0) * sd))


class VisitTracker:
    """The marginals of visits at fixed places, while results are hallucinated."""

    def __init__(self, tracker: Tracker, success: Values, margins: Sequence[Tracker], poor: float) -> None:
        self._tracker, self._success, self._margins, self._poor = tracker, success, margins, poor

    @property
    def marginals(self) -> Marginals:
        """The marginals now."""
        kept = _kept([margin.marginals for margin in self._margins], LENIENCE, len(self._success))
        return _weighed(self._tracker.marginals, self._success * kept, self._poor)

    def add(self, index: int) -> None:
        """Condition on the place numbered ``index``."""
        for tracker in (self._tracker, *self._margins):
            tracker.add(index)
