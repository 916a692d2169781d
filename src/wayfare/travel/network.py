"""``Network``: the cost of the shortest path along roads, rails or pipes between named nodes.

Users have their edges as a networkx graph, a sparse matrix or a table: ``read_edges`` makes rows of all three.
"""

import math
import numbers
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Order, Points
from wayfare.errors import InvalidInput
from wayfare.space.axes import Scalar
from wayfare.space.base import AnySpace
from wayfare.space.reading import is_frame
from wayfare.travel.base import AxisName, as_axis, as_unit, columns_of
from wayfare.travel.combine import Cost
from wayfare.travel.raster.search import Searches

Node: TypeAlias = str | int | float
Edge: TypeAlias = tuple[Node, Node, float]
"""From, to, and the cost."""
MOST_PLACES = 1_000_000


@frozen
class Edges:
    """The ``rows``, and whether they lead one way only; None if their source does not say."""

    rows: tuple[Edge, ...]
    directed: bool | None = field(default=None, eq=False)


def read_edges(source: Any) -> Edges:
    """Return the edges of a graph, of a matrix, or of rows of from, to and cost."""
    if isinstance(source, Edges):
        return source
    if hasattr(source, "is_directed") and hasattr(source, "edges"):
        return Edges(_checked(source.edges(data="weight"), of_graph=True), bool(source.is_directed()))
    if hasattr(source, "tocoo"):
        return _matrix_edges(source.tocoo())
    if is_frame(source):
        return Edges(_checked(source.itertuples(index=False, name=None)))
    if isinstance(source, Iterable) and not isinstance(source, str | bytes | dict):
        return Edges(_checked(source))
    raise InvalidInput(
        f"the edges of a Network must be rows of from, to and cost, a networkx graph or a sparse matrix, got {source!r}"
    )


def _matrix_edges(matrix: Any) -> Edges:
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidInput(f"the matrix of a Network must be square, got shape {matrix.shape}")
    found = zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True)
    rows = _checked(row for row in found if row[0] != row[1])
    if not _is_symmetric(rows):
        return Edges(rows, True)
    return Edges(tuple(row for row in rows if row[0] < row[1]), False)  # type: ignore[operator]  # both are numbers


def _is_symmetric(steps: Iterable[Edge]) -> bool:
    costs = {(start, end): cost for start, end, cost in steps}
    return all(costs.get((end, start)) == cost for (start, end), cost in costs.items())


def _checked(rows: Iterable[Any], of_graph: bool = False) -> tuple[Edge, ...]:
    checked = tuple(_edge(row, i, of_graph) for i, row in enumerate(rows))
    if not checked:
        raise InvalidInput("a Network needs at least one edge")
    return checked


def _edge(row: Any, i: int, of_graph: bool) -> Edge:
    if not isinstance(row, list | tuple | np.ndarray) or len(row) != 3:
        raise InvalidInput(f"edge {i} of a Network must be from, to and cost, got {row!r}")
    cost = row[2]
    if of_graph and cost is None:
        raise InvalidInput(
            f"the edge from {row[0]!r} to {row[1]!r} of the graph has no 'weight'; set it, or pass "
            "graph.edges(data=...) with the name of what it costs"
        )
    start, end = _node(row[0], i), _node(row[1], i)
    if isinstance(cost, bool) or not isinstance(cost, numbers.Real) or not 0 <= float(cost) < math.inf:
        raise InvalidInput(
            f"edge {i} of a Network, from {start!r} to {end!r}, must cost a finite number, 0 or above, "
            f"got {cost!r}; leave it out if there is no way"
        )
    return start, end, float(cost)


def _node(name: object, i: int) -> Node:
    if isinstance(name, str):
        return name
    if isinstance(name, bool | np.bool_) or not isinstance(name, numbers.Real) or not math.isfinite(name):
        raise InvalidInput(f"edge {i} of a Network: a node must be text or a number, got {name!r}")
    number = float(name)
    return int(number) if number.is_integer() else number


@frozen
class Network(Cost):
    """The cost of the shortest path along edges from node to node. There may be nodes that are no place.

    Attributes:
        edges: rows of from, to and cost, a networkx graph whose edges have a ``weight``, or a sparse matrix
            whose entry (i, j) is the cost from node i to node j. Of several edges between two nodes the
            cheapest counts.
        axis: holds the node of each place: a choice if nodes are named by text, else numbers.
        directed: whether an edge leads one way only; by default as the graph or matrix says, False for rows.
        unit: the unit of the costs.
    """

    edges: Edges = field(converter=read_edges, repr=False)
    axis: AxisName = field(default=0, converter=as_axis)
    directed: bool = field(kw_only=True)
    unit: str = field(default="", converter=as_unit, kw_only=True)
    _of_axis: str = field(default="", eq=False, repr=False, kw_only=True)
    _values: tuple[Scalar, ...] | None = field(default=None, eq=False, repr=False, kw_only=True)
    """The axis of the space, in words, and if it is a choice its values, once bound."""

    @directed.default
    def _as_the_source_says(self) -> bool:
        return bool(self.edges.directed)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.directed, bool):
            raise InvalidInput(f"directed of a Network must be True or False, got {self.directed!r}")
        if self.edges.directed is not None and self.edges.directed != self.directed:
            says = "one way" if self.edges.directed else "both ways"
            raise InvalidInput(
                f"directed of a Network is {self.directed}, but its edges lead {says}; leave directed out"
            )

    @cached_property
    def is_metric(self) -> bool:
        """Whether all edges cost the same in both directions; a shortest path has no shorter detour."""
        return _is_symmetric(self._steps)

    obeys_triangle = True

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the column of its axis, if all its places can reach each other."""
        column = space.column(self.axis)
        name, values = space.names[column], space.choices[column]
        bound = evolve(self, axis=column, of_axis=f" of axis {name!r}", values=values)
        places = space.everything(MOST_PLACES) if values is None else np.zeros((len(values), space.d))
        if places is None:
            raise InvalidInput(
                f"the axis {name!r} of a Network must name nodes, but has infinitely many numbers; use a "
                "Choice, an Integer, or Places"
            )
        if values is not None:
            places[:, column] = np.arange(len(values))  # one place for each value will do
        numbers = bound._numbers(places)
        component = bound._searches.component[numbers]
        if (apart := component != np.bincount(component).argmax()).any():
            here, there = int(numbers[np.argmin(apart)]), int(numbers[np.argmax(apart)])
            # In one of the two directions there is no path; in a directed network perhaps only in one.
            blocked = np.isinf(bound._searches.costs(np.array([here]), np.array([there]))).all()
            raise bound._no_way(here, there) if blocked else bound._no_way(there, here)
        return bound

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs; refuse places that are no node and those that cannot be reached."""
        starts, ends = self._numbers(origins), self._numbers(targets)
        costs = self._searches.costs(starts, ends)
        if costs.size and costs.max() == np.inf:
            origin, target = np.argwhere(costs == np.inf)[0]
            raise self._no_way(int(starts[origin]), int(ends[target]))
        return costs

    def path(self, origin: Node, target: Node) -> list[Node]:
        """Return the nodes of a shortest path from one node to another, both included."""
        start, end = self._number(origin), self._number(target)
        numbers = self._searches.path(start, end)
        if not len(numbers):
            raise self._no_way(start, end)
        return [self._nodes[number] for number in numbers]

    @cached_property
    def _nodes(self) -> list[Node]:
        return list(dict.fromkeys(node for start, end, _ in self.edges.rows for node in (start, end)))

    @cached_property
    def _order(self) -> dict[Any, int]:
        return {node: number for number, node in enumerate(self._nodes)}

    @cached_property
    def _steps(self) -> list[tuple[int, int, float]]:
        """From, to and cost of the cheapest steps, by the numbers of the nodes."""
        cheapest: dict[tuple[int, int], float] = {}
        for start, end, cost in self.edges.rows:
            there = self._order[start], self._order[end]
            for step in (there,) if self.directed else (there, there[::-1]):
                cheapest[step] = min(cost, cheapest.get(step, np.inf))
        return [(start, end, cost) for (start, end), cost in cheapest.items() if start != end]

    @cached_property
    def _searches(self) -> Searches:
        from scipy.sparse import coo_array

        n = len(self._nodes)
        start, end, cost = np.array(self._steps, dtype=np.float64).reshape(-1, 3).T
        there = start.astype(np.int32), end.astype(np.int32)
        return Searches(coo_array((cost, there), shape=(n, n)).tocsr(), self.directed)

    def _numbers(self, x: Points) -> Order:
        """Return the number of each place's node, or refuse the first place that has none."""
        (column,) = columns_of((self.axis,))
        found, which = np.unique(x[:, column], return_inverse=True)
        nodes = found.tolist() if self._values is None else [self._values[int(at)] for at in found]
        return np.array([self._number(node) for node in nodes], dtype=np.intp)[which]

    def _number(self, node: Scalar) -> int:
        number = None if isinstance(node, bool) else self._order.get(node)
        if number is None:
            hint = checks.nearest(node, self._nodes, "nodes")
            raise InvalidInput(f"the place {node!r}{self._of_axis} is on no edge of the Network; {hint}")
        return number

    def _no_way(self, origin: int, target: int) -> InvalidInput:
        return InvalidInput(
            f"there is no way from {self._nodes[origin]!r} to the place {self._nodes[target]!r}{self._of_axis} on a "
            "Network; leave one out of the space, or add the edge that is missing"
        )
