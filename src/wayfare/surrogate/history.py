"""The data behind a plan: results so far, pending places, and the position of the traveller.

A model sees outcomes brought to mean zero and unit spread (``Standard``), so that priors on hyperparameters mean the
same whatever the user's unit, and runs of results summed up by their mean (``Repeats``): a run of a thousand results at
one place costs a fit no more than one result does.
"""

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from attrs import Factory, field, frozen

from wayfare._core import checks
from wayfare._core.arrays import (
    Mask,
    Matrix,
    Order,
    Points,
    Values,
    no_points,
    read_only,
    same_rows,
    unique_rows,
    whole,
)
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace
from wayfare.surrogate.measured import Measured

Notes = Mapping[str, Any]
"""The numbers that decided a plan, as plain JSON values: hyperparameters, the fitting step that was reached."""

OPENING: Notes = {"step": "start"}
"""The notes of an opening ..."""
ADDED: Notes = {"step": "added"}
"""... and those of a route to the values that a change brought in; both are planned without a belief."""


def is_blind(notes: Notes) -> bool:
    """Return whether notes are of a route that was planned without a belief."""
    return notes.get("step") in (OPENING["step"], ADDED["step"])


def noted_number(notes: Notes, key: str) -> float:
    """Return a number above 0 from notes; what a file says may be anything."""
    if key not in notes:
        raise InvalidInput(f"{key} is missing")
    return checks.positive(notes[key], f"{key}")


def noted_numbers(notes: Notes, key: str) -> list[float]:
    """Return a list of finite numbers from notes; empty if there is none."""
    numbers = notes.get(key, [])
    if not isinstance(numbers, list):
        raise InvalidInput(f"{key} must be a list of numbers, got {numbers!r:.80}")
    return [checks.number(one, f"{key}") for one in numbers]


@frozen(eq=False)
class Past:
    """An earlier plan: how many results it could see, and the notes it left."""

    told: int
    notes: Notes

    @property
    def is_opening(self) -> bool:
        """Whether it was planned without a belief: an opening, or a first look at what a change brought in."""
        return is_blind(self.notes)


def _from(default: Callable[["History"], Any]) -> Any:
    """Return a field's default that is computed from the fields before it."""
    return Factory(default, takes_self=True)


def _as_mask(flags: Any) -> Mask:
    return np.array(flags, dtype=np.bool_)


_NO_PLACES = _from(lambda self: no_points(self.space.d))


@frozen(eq=False)
class History:
    """Results so far (larger is better), pending places, and the traveller's position.

    A result may be the mean of a run: several results taken at one place in a row.

    Attributes:
        space: where the traveller may go.
        x: (n, d) the places of the results, in the order they arrived.
        y: (n,) the results, in the unit of the objective.
        pending: the places handed out that have no value yet.
        position: where the traveller is; None if unknown.
        noise: the known standard deviation of one result; None to learn it.
        past: the earlier plans, the newest last. A surrogate starts its fit from the notes it left there, so that
            no state hides outside the record.
        failed: the places visited that gave no value.
        skipped: the places planned and not visited.
        visited: the places of all trials handed out: told, failed and pending, but not known before the study.
        between: which of ``visited`` no policy chose: put in on the way, or a further result of the stop before.
        counts: (n,) the number of results behind each of ``y``.
        variances: (n,) the variance among these; nan if unknown, or if there was one.
        pending_counts: the number of results still to come from each pending place.
        handed_out: the number of results to be taken at ``visited``.
        just_skipped: those of ``skipped`` that were on the route planned last.
        limits: the limits on what is measured beside the objective.
        measured: (n, k) what was measured with each result, a column per limit; nan where it was not.
        allowed: (n,) which results are at places that may still be visited, after changes of the space.
        places: (n,) equal numbers for results at equal places.
    """

    space: AnySpace
    x: Points = field(converter=read_only)
    y: Values = field(converter=read_only)
    pending: Points = field(converter=read_only)
    position: Values | None = None
    noise: float | None = None
    past: tuple[Past, ...] = ()
    failed: Points = field(default=_NO_PLACES, converter=read_only)
    skipped: Points = field(default=_NO_PLACES, converter=read_only)
    visited: Points = field(
        default=_from(lambda self: np.vstack([self.x, self.failed, self.pending])), converter=read_only
    )
    between: Mask = field(default=_from(lambda self: np.zeros(len(self.visited), dtype=np.bool_)))
    counts: Order = field(default=_from(lambda self: np.ones(len(self.y))), converter=whole)
    variances: Values = field(default=_from(lambda self: np.full(len(self.y), np.nan)), converter=read_only)
    pending_counts: Order = field(default=_from(lambda self: np.ones(len(self.pending))), converter=whole)
    handed_out: int = field(default=_from(lambda self: len(self.visited)))
    just_skipped: Points = field(default=_NO_PLACES, converter=read_only)
    limits: tuple[Measured, ...] = ()
    measured: Matrix = field(
        default=_from(lambda self: np.full((len(self.y), len(self.limits)), np.nan)), converter=read_only
    )
    allowed: Mask = field(default=_from(lambda self: np.ones(len(self.y), dtype=np.bool_)), converter=_as_mask)
    places: Order = field(default=_from(lambda self: unique_rows(self.x)[1]), converter=whole)

    @classmethod
    def empty(cls, space: AnySpace, position: Values | None = None, noise: float | None = None) -> "History":
        """Return the history of a study that has not begun.

        Args:
            space: where the traveller may go.
            position: where the traveller is; None if unknown.
            noise: the known standard deviation of one result; None to learn it.
        """
        none = no_points(space.d)
        return cls(space, none, np.empty(0), none, position, noise)

    @property
    def told(self) -> int:
        """Number of results."""
        return len(self.y)

    @cached_property
    def distinct(self) -> tuple[Order, Order]:
        """The first result of each place, in the order they arrived, and for each result which of these it is at."""
        n = len(self.places)
        first = np.full(int(self.places.max(initial=-1)) + 1, n)
        first[self.places[::-1]] = np.arange(n)[
            ::-1
        ]  # of several entries the last one counts, which is the first result
        ranked = np.argsort(first, kind="stable")
        rank = np.empty_like(ranked)
        rank[ranked] = np.arange(len(ranked))
        return np.sort(first[first < n]), rank[self.places]

    @property
    def has_begun(self) -> bool:
        """Whether a trial of a planned route was handed out or skipped; places visited before any plan do not count.

        Nor does a first look at what a change brought in: an opening follows it.
        """
        return any(past.notes.get("step") != ADDED["step"] for past in self.past) and bool(
            len(self.visited) or len(self.skipped)
        )

    @property
    def known(self) -> Points:
        """The places that gave a result, failed, or are pending, also those known before the study."""
        return np.vstack([self.x, self.failed, self.pending])

    @property
    def avoided(self) -> Points:
        """The places that stops in between keep away from: those that failed or were skipped."""
        return np.vstack([self.failed, self.skipped])

    @property
    def closed(self) -> Points:
        """The places a bandit leaves out now: those that only ever failed, and those skipped just now.

        An arm is a place to return to: one failure among results says little about it, and a skipped place may be
        open again on the next route.
        """
        if not len(self.failed):
            return self.just_skipped
        barren = ~same_rows(self.failed, np.vstack([self.x, self.pending]))
        return np.vstack([self.failed[barren], self.just_skipped])

    @property
    def ranked(self) -> Order:
        """The numbers of the results from the best on: those at allowed places first, then by the limits they break."""
        return np.lexsort((-self.y, self.broken, ~self.allowed))

    @property
    def broken(self) -> Order:
        """How many limits each result breaks; what was not measured breaks none."""
        low, high = (np.array([getattr(limit, end) for limit in self.limits]) for end in ("low", "high"))
        return np.asarray(((self.measured < low) | (self.measured > high)).sum(axis=1))

    def until(self, told: int, since: int = 0) -> "History":
        """Return the history as it was after its first ``told`` results; it says nothing of failures.

        Args:
            told: how many results there were.
            since: how many of them are left out, the first ones.
        """
        rows = slice(since, told)
        return History(
            space=self.space,
            x=self.x[rows],
            y=self.y[rows],
            pending=no_points(self.space.d),
            noise=self.noise,
            counts=self.counts[rows],
            variances=self.variances[rows],
            limits=self.limits,
            measured=self.measured[rows],
            places=self.places[rows],
        )


LEAST_NOISE = 1e-10
"""Least noise variance of a mean, in standard units, below which rounding makes a covariance singular."""


@frozen
class Standard:
    """The shift and scale that standardise outcomes: ``(y - shift) / scale``.

    Works from 1e-300 to 1e300: the spread is taken after dividing by half the range, so no square overflows. If there
    is no spread to speak of (one outcome, or all alike to rounding), the scale is a guess: twelve times a known noise,
    so that the function is taken to vary by far more than that, else the size of the outcomes and at least 1.

    Runs count as often as they have results and with the scatter within them, as if each result stood by
    itself; a run of unknown variance counts as so many equal results.
    """

    shift: float
    scale: float
    is_constant: bool

    @classmethod
    def of_history(cls, history: History) -> "Standard":
        """Return the standard of all results of a history."""
        if (history.counts == 1).all():
            return cls.of(history.y, history.noise)
        means, counts = history.y, history.counts
        known = np.isfinite(history.variances)
        within = np.zeros(len(means))
        within[known] = np.sqrt(history.variances[known] * (1.0 - 1.0 / counts[known]))
        # No run has a population sd above half its range, so as for single outcomes this is no spread.
        middle, half = _middle(means)
        half = max(half, float(within.max()))
        if _is_nothing(middle, half):
            return cls.of(np.array([middle]), history.noise)
        z, within = (means - middle) / half, within / half
        shares = counts / counts.sum()
        mean = float(shares @ z)
        spread = float(shares @ (np.square(z - mean) + np.square(within)))
        return cls(middle + half * mean, half * float(np.sqrt(spread)), False)

    @classmethod
    def of(cls, y: Values, noise: float | None = None) -> "Standard":
        """Return the standard of the outcomes ``y``; ``noise`` is the known sd of one of them."""
        middle, half = _middle(y) if len(y) else (0.0, 0.0)
        if _is_nothing(middle, half):
            return cls(middle, max(1.0, abs(middle)) if noise is None else 12.0 * noise, True)
        z = (y - middle) / half
        # ddof=1 would be larger by sqrt(2) on two outcomes; the population spread keeps them at +-1.
        return cls(middle + half * float(z.mean()), half * float(z.std()), False)

    def variance_of(self, noise: float) -> float:
        """Return a known noise as a variance in standard units, within the range that a model can use."""
        return min(max(noise / self.scale, 1e-3), 1e3) ** 2

    def apply(self, y: Values) -> Values:
        """Return the outcomes in standard units."""
        return np.zeros(len(y)) if self.is_constant else (y - self.shift) / self.scale


def _middle(y: Values) -> tuple[float, float]:
    """Return the middle and half of the range of the outcomes."""
    low, high = float(y.min()), float(y.max())
    return low / 2 + high / 2, high / 2 - low / 2


def _is_nothing(middle: float, half: float) -> bool:
    return half <= 1e-13 * abs(middle) or half < 1e-307


@frozen(eq=False)
class Repeats:
    """The number of results that each mean stands for, and their scatter about it, in standard units.

    Given the value f at its place, the n results of a run have the density N(mean; f, noise / n) times
    one without f, ``n^(-1/2) (2 pi noise)^(-(n - 1) / 2) exp(-squares / (2 noise))``. So the means with their
    noise and, summed over all runs, three numbers tell the model as much as the single results would. A run
    whose variance is unknown (or too large for a float) counts in none of the three.

    Attributes:
        counts: the number of results behind each mean.
        freedom: the sum of n - 1.
        squares: the sum of the squared deviations from the means.
        logs: the sum of log n.
    """

    counts: Values
    freedom: float
    squares: float
    logs: float

    @classmethod
    def of(cls, history: History, standard: Standard) -> "Repeats | None":
        """Return the repeats of a history; None if every result stands for itself."""
        return None if (history.counts == 1).all() else cls._of_runs(history, standard)

    @classmethod
    def _of_runs(cls, history: History, standard: Standard) -> "Repeats":
        counts = history.counts.astype(np.float64)
        known = np.isfinite(history.variances)
        runs = counts[known]
        deviations = np.sqrt(history.variances[known]) / standard.scale  # first the root: no square overflows
        squares = float((runs - 1.0) @ np.square(deviations))
        return cls(counts, float((runs - 1.0).sum()), squares, float(np.log(runs).sum()))

    @classmethod
    def merged(cls, history: History, standard: Standard, z: Values, which: Order) -> tuple[Values, "Repeats"]:
        """Return the mean at each place, and the repeats behind these means: all results of a place as one run.

        Means of runs scatter about the mean of their place, too: what they say of the noise is kept in full.

        Args:
            history: the results.
            standard: of these results.
            z: them in standard units.
            which: for each result the number of its place; all numbers below the largest are used.
        """
        runs = cls._of_runs(history, standard)
        counts = np.asarray(np.bincount(which, weights=runs.counts), dtype=np.float64)
        means = np.bincount(which, weights=runs.counts * z) / counts
        between = float(runs.counts @ np.square(z - means[which]))
        logs = float(np.log(counts).sum() - np.log(runs.counts).sum())
        freedom = float(len(which) - len(counts))
        return means, cls(counts, runs.freedom + freedom, runs.squares + between, runs.logs + logs)

    def at(self, rows: Order) -> "Repeats":
        """Return the repeats of some of the means, with the scatter of all: that costs nothing more."""
        return Repeats(self.counts[rows], self.freedom, self.squares, self.logs)

    def noises(self, noise: float) -> Values:
        """Return the noise variance of each mean, if ``noise`` is that of one result."""
        return np.maximum(noise / self.counts, LEAST_NOISE)

    def peak(self, low: float, high: float) -> tuple[float, float, float]:
        """Return the log noise within bounds that explains the scatter best, its log density, and the peak's width.

        The width is that under a prior of width 1, so no more. ``freedom`` must be above 0.
        """
        best = min(max(math.log(max(self.squares / self.freedom, 1e-300)), low), high)
        return best, self.evidence(best)[0], 1.0 / math.sqrt(1.0 + 0.5 * self.freedom)

    def evidence(self, log_noise: float) -> tuple[float, float]:
        """Return the log density of the scatter within the runs, and its derivative by ``log_noise``."""
        misfit = self.squares * math.exp(-log_noise)
        value = -0.5 * (self.freedom * (math.log(2 * math.pi) + log_noise) + misfit + self.logs)
        return value, 0.5 * (misfit - self.freedom)
