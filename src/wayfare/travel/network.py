"""``Network``: the shortest way along roads, rails or pipes between named nodes."""

import math
import numbers
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Order, Points
from wayfare.errors import InvalidInput
from wayfare.space.axes import Scalar
from wayfare.space.base import AnySpace
from wayfare.space.reading import is_frame
from wayfare.travel.base import AxisName, Cost, as_axis, as_unit, columns_of
from wayfare.travel.raster.search import Searches

if TYPE_CHECKING:
    from scipy.sparse import csr_array


# The edges of a network as users have them (a networkx graph, a sparse matrix, a table), read into rows.


Node: TypeAlias = str | int | float
Edge: TypeAlias = tuple[Node, Node, float]
"""From, to, and what it costs."""


@frozen
class Edges:
    """The ``rows``, and whether they lead one way only; None where their source does not say."""

    rows: tuple[Edge, ...]
    directed: bool | None = field(default=None, eq=False)


def read_edges(source: Any) -> Edges:
    """Return the edges of a graph, of a matrix, or of rows of from, to and cost."""
    if isinstance(source, Edges):
        return source
    if hasattr(source, "is_directed") and hasattr(source, "edges"):
        return Edges(_checked(_graph_rows(source)), bool(source.is_directed()))
    if hasattr(source, "tocoo"):
        return _matrix_edges(source.tocoo())
    if is_frame(source):
        return Edges(_checked(source.itertuples(index=False, name=None)))
    if isinstance(source, Iterable) and not isinstance(source, str | bytes | dict):
        return Edges(_checked(source))
    raise InvalidInput(
        f"the edges of a Network must be rows of from, to and cost, a networkx graph or a sparse matrix, got {source!r}"
    )


def _graph_rows(graph: Any) -> Iterator[tuple[Any, Any, Any]]:
    for start, end, cost in graph.edges(data="weight"):
        if cost is None:
            raise InvalidInput(
                f"the edge from {start!r} to {end!r} of the graph has no 'weight'; set it, or pass "
                "graph.edges(data=...) with the name of what it costs"
            )
        yield start, end, cost


def _matrix_edges(matrix: Any) -> Edges:
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidInput(f"the matrix of a Network must be square, got shape {matrix.shape}")
    found = zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True)
    rows = _checked(row for row in found if row[0] != row[1])
    costs = {(start, end): cost for start, end, cost in rows}
    if all(costs.get((end, start)) == cost for start, end, cost in rows):
        once = (row for row in rows if row[0] < row[1])  # type: ignore[operator]  # both are numbers
        return Edges(tuple(once), False)
    return Edges(rows, True)


def _checked(rows: Iterable[Any]) -> tuple[Edge, ...]:
    checked = tuple(_edge(row, i) for i, row in enumerate(rows))
    if not checked:
        raise InvalidInput("a Network needs at least one edge")
    return checked


def _edge(row: Any, i: int) -> Edge:
    if not isinstance(row, list | tuple | np.ndarray) or len(row) != 3:
        raise InvalidInput(f"edge {i} of a Network must be from, to and cost, got {row!r}")
    start, end = _node(row[0], i), _node(row[1], i)
    cost = row[2]
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


MOST_PLACES = 1_000_000


@frozen
class Network(Cost):
    """The shortest way along ``edges`` from node to node; ``axis`` holds the name of each place's node.

    Edges are rows of from, to and cost, a networkx graph whose edges have a ``weight``, or a sparse matrix
    whose entry (i, j) is the cost from node i to node j. Nodes are named by text, which makes the axis a
    choice, or by numbers. A table leads both ways unless ``directed=True``; a graph and a matrix say
    themselves. Of several edges between two nodes the cheapest counts. There may be nodes that are no place.
    """

    edges: Edges = field(converter=read_edges, repr=False)
    axis: AxisName = field(default=0, converter=as_axis)
    directed: bool = field(kw_only=True)
    unit: str = field(default="", converter=as_unit, kw_only=True)
    _name: str = field(default="", eq=False, repr=False, kw_only=True)
    _values: tuple[Scalar, ...] | None = field(default=None, eq=False, repr=False, kw_only=True)
    """The axis of the space and, if it is a choice, its values, once bound."""

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
        """Whether every way back costs the same; a shortest way has no shorter detour."""
        costs = {(start, end): cost for start, end, cost in self._steps}
        return all(costs.get((end, start)) == cost for (start, end), cost in costs.items())

    def bind(self, space: AnySpace) -> Self:
        """Return the same cost on the column of its axis, if all its places can reach each other."""
        column = space.column(self.axis)
        name, values = space.names[column], space.choices[column]
        bound = evolve(self, axis=column, name=name, values=values)
        places = space.everything(MOST_PLACES) if values is None else _one_of_each(values, column, space.d)
        if places is None:
            raise InvalidInput(
                f"the axis {name!r} of a Network must name nodes, but has infinitely many numbers; use a "
                "Choice, an Integer, or Places"
            )
        bound._check_joined(places)
        return bound

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Return the (n, m) costs, refusing places that are no node and those that cannot be reached."""
        starts, ends = self._numbers(origins), self._numbers(targets)
        costs = self._searches.costs(starts, ends)
        if costs.size and costs.max() == np.inf:
            origin, target = np.argwhere(costs == np.inf)[0]
            raise self._no_way(int(starts[origin]), int(ends[target]))
        return costs

    def path(self, origin: Node, target: Node) -> list[Node]:
        """Return the nodes of a shortest way from one node to another, both included."""
        start, end = (self._number(node) for node in (origin, target))
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
        graph: csr_array[Any] = coo_array((cost, there), shape=(n, n)).tocsr()
        return Searches(graph, self.directed)

    def _numbers(self, x: Points) -> Order:
        """Return the number of each place's node, or refuse the first place that has none."""
        (column,) = columns_of((self.axis,))
        found, which = np.unique(x[:, column], return_inverse=True)
        return np.array([self._number(self._value(at)) for at in found.tolist()], dtype=np.intp)[which]

    def _value(self, at: float) -> Scalar:
        return at if self._values is None else self._values[int(at)]

    def _number(self, node: Scalar) -> int:
        number = None if isinstance(node, bool) else self._order.get(node)
        if number is None:
            where = f" of axis {self._name!r}" if self._name else ""
            raise InvalidInput(
                f"the place {node!r}{where} is on no edge of the Network; {checks.nearest(node, self._nodes, 'nodes')}"
            )
        return number

    def _check_joined(self, places: Points) -> None:
        numbers = self._numbers(places)
        component = self._searches.component[numbers]
        if (apart := component != np.bincount(component).argmax()).any():
            here, there = int(numbers[np.argmin(apart)]), int(numbers[np.argmax(apart)])
            # One of the two ways there is not; of a directed network perhaps only one.
            blocked = np.isinf(self._searches.costs(np.array([here]), np.array([there]))).all()
            raise self._no_way(here, there) if blocked else self._no_way(there, here)

    def _no_way(self, origin: int, target: int) -> InvalidInput:
        where = f" of axis {self._name!r}" if self._name else ""
        return InvalidInput(
            f"there is no way from {self._nodes[origin]!r} to the place {self._nodes[target]!r}{where} on a "
            "Network; leave one out of the space, or add the edge that is missing"
        )


def _one_of_each(values: tuple[Scalar, ...], column: int, d: int) -> Points:
    """Return a place for each value of a choice, with nothing else in it."""
    places = np.zeros((len(values), d))
    places[:, column] = np.arange(len(values))
    return places
