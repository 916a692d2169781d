"""A model of independent places: each has the mean of its own results and its standard error."""

import numpy as np
from attrs import evolve, field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Order, Points, Values, read_only, unique_rows
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace
from wayfare.surrogate.base import Marginals, Paths
from wayfare.surrogate.history import History, Notes, noted_number


@frozen
class Tally:
    """The mean of all results at a place, whatever its neighbours have.

    Its standard deviation is the noise over the square root of their number. The noise is the study's if it is known,
    else it is pooled from results at the same place; without such results it is the spread of all results, which is no
    less. A place never visited has the mean of all and ``width`` times the larger of noise and spread.
    """

    width: float = 10.0

    def __attrs_post_init__(self) -> None:
        if checks.number(self.width, "Tally: width") <= 1:
            raise InvalidInput(f"Tally: width must be above 1, got {self.width}")

    def fit(self, history: History, rng: Generator) -> "TallyPosterior":
        """Return the belief after ``history``; nothing can fail."""
        return self._count(history, _noise_in(history))

    def recall(self, history: History, notes: Notes) -> "TallyPosterior":
        """Return the belief of an earlier plan."""
        return self._count(history, noted_number(notes, "noise"))

    def check_notes(self, space: AnySpace, notes: Notes) -> None:
        """Refuse notes that no plan can have left."""
        noted_number(notes, "noise")

    def _count(self, history: History, noise: float) -> "TallyPosterior":
        first, which = history.distinct
        counts = np.bincount(which, weights=history.counts, minlength=len(first))
        sums = np.bincount(which, weights=history.counts * history.y, minlength=len(first))
        mean = float(sums.sum() / counts.sum()) if len(first) else 0.0
        spread = _spread(history.y)
        prior = Marginals(np.array(mean), np.array(self.width * max(noise, spread)))
        return TallyPosterior(history.x[first], counts, sums / counts, noise, prior)


def _spread(y: Values) -> float:
    """Return the standard deviation of results of any size: no square overflows."""
    largest = float(np.abs(y).max(initial=0.0))
    return largest * float(np.std(y / largest)) if largest else 0.0


def _noise_in(history: History) -> float:
    """Return the standard deviation of one result, above 0: known, pooled, or at most the spread of all."""
    if history.noise is not None:
        return history.noise
    spread = _spread(history.y)
    pooled = pooled_noise(history)
    return max(spread if pooled is None else pooled, 1e-6 * spread) or 1.0


def pooled_noise(history: History, least: int = 1) -> float | None:
    """Return the sd of results about the mean of their place; None with fewer than ``least`` degrees of freedom."""
    first, which = history.distinct
    y, n = history.y, history.counts
    means = np.bincount(which, weights=n * y) / np.bincount(which, weights=n) if len(first) else y
    known = np.isfinite(history.variances) & (n > 1)
    # Within a run the results vary about its mean, and the runs at a place about the place's.
    squares = (n * np.square(y - means[which])).sum() + ((n - 1) * history.variances)[known].sum()
    freedom = len(y) - len(first) + (n - 1)[known].sum()
    return float(np.sqrt(squares / freedom)) if freedom >= least else None


@frozen(eq=False)
class TallyPosterior:
    """Means and numbers of results at some places, and the prior of any other place."""

    places: Points = field(converter=read_only)
    counts: Values = field(converter=read_only)
    means: Values = field(converter=read_only)
    noise: float
    prior: Marginals

    @property
    def notes(self) -> Notes:
        """The noise of one result."""
        return {"step": "tally", "noise": self.noise}

    def marginals(self, x: Points) -> Marginals:
        """Return mean and standard error at ``x``."""
        return self.track(x).marginals

    def condition(self, x: Points) -> "TallyPosterior":
        """Return the belief after one more result at each of ``x``, equal to its mean."""
        if not len(x):
            return self
        both = np.vstack([self.places, x])
        first, which = unique_rows(both)
        counts = np.concatenate([self.counts, np.ones(len(x))])
        means = np.concatenate([self.means, self.marginals(x).mean])
        return evolve(self, places=both[first], counts=np.bincount(which, weights=counts), means=means[first])

    def track(self, x: Points) -> "TallyTracker":
        """Return the marginals at ``x``, ready to be conditioned on places among them."""
        return TallyTracker(self, x)

    def paths(self, n: int, rng: Generator) -> Paths:
        """Return ``n`` functions drawn from the belief: at every place a number of its own, always the same."""
        seed = int(rng.integers(2**63))

        def draws(x: Points) -> Matrix:
            mean, sd = self.marginals(x)
            # Each place has a stream that its coordinates name.
            words = np.ascontiguousarray(x + 0.0).view(np.uint32).reshape(len(x), -1).tolist()
            each = [stream(seed, *word).standard_normal(n) for word in words]
            return mean[:, None] + sd[:, None] * np.array(each).reshape(len(x), n)

        return draws


class TallyTracker:
    """Marginals at fixed places while results are counted at some of them."""

    def __init__(self, posterior: TallyPosterior, x: Points) -> None:
        self._posterior = posterior
        seen = len(posterior.places)
        # The places seen are distinct and stand first, so theirs are the first numbers.
        _, which = unique_rows(np.vstack([posterior.places, x]))
        self._which: Order = which[seen:]
        fresh = int(which.max(initial=-1)) + 1 - seen
        self._counts = np.concatenate([posterior.counts, np.zeros(fresh)])
        self._means = np.concatenate([posterior.means, np.full(fresh, posterior.prior.mean)])

    @property
    def marginals(self) -> Marginals:
        """The marginals now."""
        n = self._counts[self._which]
        sd = np.where(n > 0, self._posterior.noise / np.sqrt(np.maximum(n, 1)), self._posterior.prior.sd)
        return Marginals(self._means[self._which], sd)

    def add(self, index: int) -> None:
        """Count one more result at the place numbered ``index``."""
        self._counts[self._which[index]] += 1
