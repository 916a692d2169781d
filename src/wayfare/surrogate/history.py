"""What is known when a plan is made: results, places still out, and where the traveller stands."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import field, frozen

from wayfare._core.arrays import Mask, Order, Points, Values, no_points, read_only, whole
from wayfare.space import AnySpace

Notes = Mapping[str, Any]
"""What decided a plan, as plain JSON values: hyperparameters, the fitting step that was reached."""


@frozen(eq=False)
class Past:
    """An earlier plan: how many results it could see, and the notes it left."""

    told: int
    notes: Notes


@frozen(eq=False)
class History:
    """Results so far (larger is better), pending places, and the traveller's position.

    ``x`` and ``y`` are in the order the results arrived. A result may be the mean of several, taken at one
    place in a row: ``counts`` says of how many, ``variances`` how much those varied among each other (not a
    number where nobody said, or there was one). ``noise`` is the known standard deviation of one result in
    the units of ``y``, or None to learn it. ``pending`` were handed out and have no value yet, ``failed``
    were visited and have none, ``skipped`` were to be visited and were not, ``just_skipped`` of them on the
    route planned last. ``past`` lists the earlier plans,
    the newest last; a surrogate starts its fit from the notes it left there, so that no state hides outside
    the record. ``visited`` are the places of all trials handed out, those told, failed and pending, but none
    of a result that was known before the study; ``between`` are those of them that nobody chose: put in on
    the way to another, or a further result of the stop before. ``handed_out`` counts the results that were to
    be taken there, ``pending_counts`` those still to come from the pending ones.
    """

    space: AnySpace
    x: Points = field(converter=read_only)
    y: Values = field(converter=read_only)
    pending: Points = field(converter=read_only)
    position: Values | None = None
    noise: float | None = None
    past: tuple[Past, ...] = ()
    failed: Points = field(converter=read_only)
    skipped: Points = field(converter=read_only)
    visited: Points = field(converter=read_only)
    between: Mask = field()
    counts: Order = field(converter=whole)
    variances: Values = field(converter=read_only)
    pending_counts: Order = field(converter=whole)
    handed_out: int = field()
    just_skipped: Points = field(converter=read_only)

    @failed.default
    @skipped.default
    @just_skipped.default
    def _none(self) -> Points:
        return no_points(self.space.d)

    @visited.default
    def _all(self) -> Points:
        return np.vstack([self.x, self.failed, self.pending])

    @between.default
    def _chosen(self) -> Mask:
        return np.zeros(len(self.visited), dtype=np.bool_)

    @counts.default
    def _one_each(self) -> Order:
        return np.ones(len(self.y), dtype=np.intp)

    @variances.default
    def _unknown(self) -> Values:
        return np.full(len(self.y), np.nan)

    @pending_counts.default
    def _one_pending(self) -> Order:
        return np.ones(len(self.pending), dtype=np.intp)

    @handed_out.default
    def _all_visited(self) -> int:
        return len(self.visited)

    @classmethod
    def empty(cls, space: AnySpace, position: Values | None = None, noise: float | None = None) -> "History":
        """Return the history of a study that has not begun."""
        none = no_points(space.d)
        return cls(space, none, np.empty(0), none, position, noise)

    @property
    def told(self) -> int:
        """How many results there are."""
        return len(self.y)

    @property
    def is_blank(self) -> bool:
        """Whether nothing is known and nobody has set out."""
        return not (self.told or len(self.visited) or len(self.avoided))

    @property
    def avoided(self) -> Points:
        """The places to keep away from: those that failed or were skipped."""
        return np.vstack([self.failed, self.skipped])

    @property
    def closed(self) -> Points:
        """The places a bandit leaves out now: those that only ever failed, and those skipped just now.

        An arm is a place to return to: one failure among results says nothing of it, and what was skipped may
        be open again on the next route.
        """
        known = {place.tobytes() for place in np.vstack([self.x, self.pending]) + 0.0}
        barren = [place for place in self.failed + 0.0 if place.tobytes() not in known]
        return np.vstack([np.array(barren).reshape(-1, self.space.d), self.just_skipped])

    def until(self, told: int) -> "History":
        """Return the history as it was after its first ``told`` results."""
        x, y, none = self.x[:told], self.y[:told], no_points(self.space.d)
        counts, variances = self.counts[:told], self.variances[:told]
        return History(self.space, x, y, none, None, self.noise, counts=counts, variances=variances)
