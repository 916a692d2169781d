"""Places as points whose distances are the costs, so that a route through thousands needs no table of all pairs.

Norms have an embedding: weights stretch the axes. With it, near places come from a k-d tree, and a cost is computed
when it is asked for.
"""

import math
from collections.abc import Callable
from operator import sub
from typing import Literal

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core.arrays import Matrix, Order, Points, Values, read_only
from wayfare.errors import InvalidInput
from wayfare.travel.base import TravelCost, named

NormName = Literal["euclidean", "cityblock", "chebyshev"]
"""By its name in SciPy."""
POWERS: dict[NormName, float] = {"euclidean": 2, "cityblock": 1, "chebyshev": math.inf}

Point = tuple[float, ...]
Distance = Callable[[Point, Point], float]


def _cityblock(origin: Point, target: Point) -> float:
    cost: float = sum(map(abs, map(sub, origin, target)))
    return cost


def _chebyshev(origin: Point, target: Point) -> float:
    cost: float = max(map(abs, map(sub, origin, target)))
    return cost


DISTANCES: dict[NormName, Distance] = {"euclidean": math.dist, "cityblock": _cityblock, "chebyshev": _chebyshev}


@frozen(eq=False)
class Embedding:
    """Points whose distances are travel costs.

    Like a table of all costs, it has a length and rows, but holds none of them.

    Attributes:
        points: (n, d), one per place.
        norm: the norm of their differences.
    """

    points: Points = field(converter=read_only)
    norm: NormName = "euclidean"

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, place: int) -> Values:
        """Return the (n,) costs from one place to each."""
        from scipy.spatial.distance import cdist

        costs: Values = cdist(self.points[place : place + 1], self.points, self.norm)[0]
        return costs

    def __mul__(self, factor: float) -> "Embedding":
        """Return the points whose distances are ``factor`` times these, which is above 0."""
        return evolve(self, points=self.points * factor)

    @property
    def extent(self) -> float:
        """A cost that none exceeds: that between the corners of the box around all points."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0), POWERS[self.norm]))

    def pairs(self, origins: Order, targets: Order) -> Values:
        """Return the cost from each origin to the target beside it."""
        moves = self.points[origins] - self.points[targets]
        costs: Values = np.linalg.norm(moves, POWERS[self.norm], axis=1)
        return costs

    def nearest(self, count: int) -> tuple[Order, Matrix]:
        """Return the ``count`` nearest places of each, (n, count), nearest first, and what they cost."""
        from scipy.spatial import cKDTree

        n = len(self)
        nearest = cKDTree(self.points).query(self.points, k=range(1, count + 2), p=POWERS[self.norm])
        costs, found = np.asarray(nearest[0]), np.asarray(nearest[1], dtype=np.intp)
        itself = found == np.arange(n)[:, None]
        # Of many equal points one may find so many others that it does not find itself.
        itself[~itself.any(axis=1), -1] = True
        return found[~itself].reshape(n, count), costs[~itself].reshape(n, count)

    @property
    def distance(self) -> Distance:
        """The cost between two points, given as tuples: for loops in plain Python."""
        return DISTANCES[self.norm]


def embedding(cost: TravelCost, places: Points) -> Embedding | None:
    """Return points for the places whose distances are their costs; None if the cost knows none.

    Args:
        cost: bound to the space of the places; it has an embedding if its method ``embedding(places)`` returns one.
        places: (n, d), in the user's units.
    """
    method = getattr(cost, "embedding", None)
    found: Embedding | None = None if method is None else method(places)
    if found is not None and (len(found) != len(places) or not np.isfinite(found.points).all()):
        raise InvalidInput(
            f"{named(cost)} returned an embedding of shape {found.points.shape} for {len(places)} places"
        )
    return found
