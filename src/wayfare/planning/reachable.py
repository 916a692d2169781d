"""The part of a space that the traveller may visit: within the limits, and not visited before.

It is a space itself, so a policy that chooses from it needs to know nothing of limits.
"""

import numpy as np
from attrs import frozen
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core.arrays import Features, Mask, Points, Values, unique_rows
from wayfare.planning.reach import Reach
from wayfare.planning.steps import WHOLE
from wayfare.space import AnySpace
from wayfare.space.axes import Scalar
from wayfare.space.designs import distinct, nearest_rows, numbers_of
from wayfare.surrogate.history import History

LOOKED = 512
"""Number of places sampled to find out which part of an infinite space is within reach."""
SHARES = (0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.005, 0.0)
"""How far to go towards a place that is out of reach: the first share that is within it."""


@frozen(eq=False)
class Within:
    """The part of ``space`` that is within ``reach``.

    ``known`` are places within reach: all of them if ``is_whole``, else some, found by going less far towards places
    that are out of reach.
    """

    space: AnySpace
    reach: Reach
    known: Points
    is_whole: bool

    @classmethod
    def of(cls, space: AnySpace, reach: Reach, rng: Generator) -> "Within":
        """Return the part of a space that is within reach."""
        table = space.everything(WHOLE)
        if table is not None:
            return cls(space, reach, table[reach.fits(table)], True)
        x = space.sample(LOOKED, rng)
        ends = [place[None, :] for place in (reach.position, reach.home) if place is not None]
        found = np.vstack([*(space.snap(end) for end in ends), pulled(space, reach, x, rng)])
        found = found[space.contains(found)]
        found = found[reach.fits(found)]
        return cls(space, reach, found[unique_rows(found)[0]], False)

    @property
    def names(self) -> tuple[str, ...]:
        """The axes' names, one per column."""
        return self.space.names

    @property
    def d(self) -> int:
        """How many axes, fixed ones included."""
        return self.space.d

    @property
    def choices(self) -> tuple[tuple[Scalar, ...] | None, ...]:
        """For each column the values of a choice, or None where it holds numbers."""
        return self.space.choices

    @property
    def groups(self) -> NDArray[np.intp]:
        """For each feature column, which active axis it belongs to."""
        return self.space.groups

    @property
    def once(self) -> bool:
        """Whether a place may be visited only once."""
        return self.space.once

    @property
    def size(self) -> int | None:
        """How many places are within reach; where that is not known, how many there are in all."""
        return len(self.known) if self.is_whole or not len(self.known) else self.space.size

    def column(self, axis: str | int) -> int:
        """Return the column of an axis, given its name or already its number."""
        return self.space.column(axis)

    def points(self, places: object) -> Points:
        """Return the (n, d) rows of what the user wrote."""
        return self.space.points(places)

    def params(self, x: Points) -> dict[str, Scalar]:
        """Return one row as plain Python values by name."""
        return self.space.params(x)

    def contains(self, x: Points) -> Mask:
        """Return which rows are allowed places within reach."""
        inside = self.space.contains(x)
        inside[inside] = self.reach.fits(x[inside])
        return inside

    def snap(self, x: Points) -> Points:
        """Return the nearest allowed places; for those out of reach, the nearest that is known."""
        near = self.space.snap(x).copy()
        far = np.flatnonzero(~self.contains(near))
        known = self.space.encode(self.known)
        for at, place in zip(far, self.space.encode(near[far]), strict=True):
            near[at] = self.known[int(np.square(known - place).sum(axis=1).argmin())]
        return near

    def encode(self, x: Points) -> Features:
        """Return the rows in the unit cube of the whole space."""
        return self.space.encode(x)

    def sample(self, n: int, rng: Generator) -> Points:
        """Return ``n`` places within reach, spread as far as that goes; fewer where there are fewer."""
        known = self.known[rng.permutation(len(self.known))]
        if self.is_whole:
            return known[:n]
        x = pulled(self.space, self.reach, self.space.sample(n, rng), rng)
        x = np.vstack([x[self.contains(x)], known])
        return x[unique_rows(x)[0]][:n] if self.once else x[:n]

    def survey(self, start: Values, n: int, rng: Generator) -> Points:
        """Return the places within reach nearest to a survey of the box around them, none twice, not the start.

        Values of choices that were not shown yet come first, then the distance.
        """
        table = self.known if self.is_whole else self.sample(LOOKED, rng)
        near = numbers_of(self, table)
        low, high = near.min(axis=0), near.max(axis=0)
        wanted = numbers_of(self, distinct(start, self.space.survey(start, n, rng)))
        return nearest_rows(self, table, start[None, :], low + wanted * (high - low), rng)

    def around(self, x: Points, radius: float, n: int, rng: Generator) -> Points:
        """Return those of ``n`` allowed places near each row that are within reach."""
        near = self.space.around(x, radius, n, rng)
        return near[self.contains(near)]

    def everything(self, limit: int) -> Points | None:
        """Return all places within reach if they are known and at most ``limit``, else None."""
        return self.known if self.is_whole and len(self.known) <= limit else None

    def without(self, x: Points) -> "Within":
        """Return the space without these places if each may be visited only once; else itself."""
        left = self.space.without(x)
        return Within(left, self.reach, self.known[left.contains(self.known)], self.is_whole)


def pulled(space: AnySpace, reach: Reach, x: Points, rng: Generator) -> Points:
    """Return the places, those out of reach drawn towards the way home as far as they must be.

    Values of a choice have nothing between them: there each place keeps its own or has the traveller's. Some
    may be out of reach still.
    """
    here = reach.home if reach.position is None else reach.position
    if here is None:
        return x
    end = here if reach.home is None else reach.home
    base = here + rng.random((len(x), 1)) * (end - here)
    target = x.copy()
    for column, values in enumerate(space.choices):
        if values is not None:
            base[:, column] = target[:, column] = np.where(rng.random(len(x)) < 0.5, x[:, column], here[column])
    found = np.array(x)
    far = ~reach.fits(found)
    for share in SHARES:
        if not far.any():
            break
        found[far] = space.snap(base[far] + share * (target[far] - base[far]))
        far[far] = ~reach.fits(found[far])
    return found


def in_range(space: AnySpace, reach: Reach, rng: Generator) -> AnySpace:
    """Return the places that a trip from home can visit; the space itself, where it is all of them.

    Of infinitely many, as far as a sample shows: what is out of range after all is left out of every route.
    """
    if reach.limits.trip is None:
        return space
    (own,) = rng.spawn(1)
    home = reach.from_home()
    table = space.everything(WHOLE)
    if home.fits(space.sample(LOOKED, own) if table is None else table).all():
        return space
    return Within.of(space, home, own)


def unvisited(space: AnySpace, history: History) -> AnySpace:
    """Return where a batch may go; to skipped places only where nothing else is left."""
    never = never_visited(space, history)
    fresh = never.without(history.skipped)
    return fresh if fresh.size != 0 else never


def never_visited(space: AnySpace, history: History) -> AnySpace:
    """Return the places one may still go to, skipped ones included."""
    return space.without(history.x).without(history.failed).without(history.pending)
