"""Sets of known dimension, and random points on them with what lies between."""

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Points
from wayfare._core.rng import stream
from wayfare.travel import Custom, Euclidean

DEPTH = 24
"""Ternary digits of a point of a Cantor set: 3^-24 is finer than any leg."""
NODES = 8192
DEGREE = 18
"""Neighbours of a node on average: 2 log(NODES), so that hardly a node is cut off."""


@frozen
class Ground:
    """A set of dimension ``d``; ``draw(n, rng)`` gives the costs between n points spread at random."""

    name: str
    d: float
    words: str
    unit: str
    draw: Callable[[int, Generator], Matrix]


def cube(d: int, n: int, rng: Generator) -> Points:
    """Return points in the unit cube."""
    return rng.random((n, d))


def sphere(n: int, rng: Generator) -> Points:
    """Return points on the sphere of radius 1."""
    x = rng.normal(size=(n, 3))
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))


def cantor(d: int, n: int, rng: Generator) -> Points:
    """Return points of the middle-thirds Cantor set, or of the dust that d of them span."""
    digits = 2 * rng.integers(0, 2, size=(n, d, DEPTH))
    return np.asarray(digits @ 3.0 ** -np.arange(1, DEPTH + 1))


def great_circle(origins: Points, targets: Points) -> Matrix:
    """Return the angles between points on the sphere: the way over the ground at radius 1."""
    chord = Euclidean()(origins, targets)
    return np.asarray(2 * np.arcsin(np.minimum(chord / 2, 1)))


GREAT_CIRCLE = Custom(great_circle, vectorized=True, metric=True, unit="radius")


def straight(points: Callable[[int, Generator], Points], n: int, rng: Generator) -> Matrix:
    """Return straight lines between points."""
    x = points(n, rng)
    return Euclidean()(x, x)


def over_ground(n: int, rng: Generator) -> Matrix:
    """Return great circles between points on the sphere."""
    x = sphere(n, rng)
    return GREAT_CIRCLE(x, x)


def over_roads(n: int, rng: Generator) -> Matrix:
    """Return shortest ways over a fixed graph between nodes of it."""
    from scipy.sparse.csgraph import dijkstra

    roads = road_map()
    at = rng.choice(roads.shape[0], size=n, replace=False)
    ways = dijkstra(roads, directed=False, indices=at)[:, at]
    # Rounded alike both ways, so that the route planner sees that they are.
    return np.asarray(np.minimum(ways, ways.T))


@lru_cache(maxsize=1)
def road_map():  # type: ignore[no-untyped-def]  # a sparse matrix, whose type needs the import
    """Return a random geometric graph in the unit square, its largest component."""
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    x = stream(0, "theory", "roads").random((NODES, 2))
    reach = np.sqrt(DEGREE / (np.pi * NODES))
    tree = cKDTree(x)
    graph = tree.sparse_distance_matrix(tree, reach, output_type="coo_matrix").tocsr()
    _, part = connected_components(graph, directed=False)
    kept = np.flatnonzero(part == np.bincount(part).argmax())
    return graph[kept][:, kept]


GROUNDS = (
    *(
        Ground(
            f"cube {d}", float(d), f"unit cube in {d}-d, straight lines", "side", partial(straight, partial(cube, d))
        )
        for d in (1, 2, 3, 6)
    ),
    Ground("sphere", 2.0, "sphere, great circles", "radius", over_ground),
    Ground("roads", 2.0, "random geometric graph in the square, shortest ways", "side", over_roads),
    Ground("dust", np.log(4) / np.log(3), "Cantor dust in the plane", "side", partial(straight, partial(cantor, 2))),
    Ground("cantor", np.log(2) / np.log(3), "Cantor set on the line", "side", partial(straight, partial(cantor, 1))),
)
