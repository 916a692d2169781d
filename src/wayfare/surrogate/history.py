"""The data behind a plan: results so far, pending places, and the position of the traveller."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from attrs import Factory, field, frozen

from wayfare._core.arrays import Mask, Order, Points, Values, no_points, read_only, whole
from wayfare.space import AnySpace

Notes = Mapping[str, Any]
"""The numbers that decided a plan, as plain JSON values: hyperparameters, the fitting step that was reached."""


@frozen(eq=False)
class Past:
    """An earlier plan: how many results it could see, and the notes it left."""

    told: int
    notes: Notes


def _from(default: Callable[["History"], Any]) -> Any:
    """Return a field's default that is computed from the fields before it."""
    return Factory(default, takes_self=True)


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

    @property
    def is_blank(self) -> bool:
        """Whether nothing is known and no trial was handed out or skipped."""
        return not (self.told or len(self.visited) or len(self.avoided))

    @property
    def avoided(self) -> Points:
        """The places to keep away from: those that failed or were skipped."""
        return np.vstack([self.failed, self.skipped])

    @property
    def closed(self) -> Points:
        """The places a bandit leaves out now: those that only ever failed, and those skipped just now.

        An arm is a place to return to: one failure among results says little about it, and a skipped place may be
        open again on the next route.
        """
        known = {place.tobytes() for place in np.vstack([self.x, self.pending]) + 0.0}
        barren = [place for place in self.failed + 0.0 if place.tobytes() not in known]
        return np.vstack([np.array(barren).reshape(-1, self.space.d), self.just_skipped])

    def until(self, told: int) -> "History":
        """Return the history as it was after its first ``told`` results."""
        x, y, none = self.x[:told], self.y[:told], no_points(self.space.d)
        counts, variances = self.counts[:told], self.variances[:told]
        return History(self.space, x, y, none, None, self.noise, counts=counts, variances=variances)
