"""``Network``: the shortest way along roads, rails or pipes between named nodes."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from attrs import evolve, field, frozen

from wayfare import door
from wayfare.arrays import Matrix, Order, Points
from wayfare.errors import InvalidInput
from wayfare.space.axes import Scalar
from wayfare.space.base import AnySpace
from wayfare.travel.axes import AxisName, as_axis, columns_of
from wayfare.travel.base import Cost, as_unit
from wayfare.travel.edges import Edges, Node, read_edges
from wayfare.travel.search import Searches

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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
                f"the place {node!r}{where} is on no edge of the Network; "
                f"{door.nearest(node, self._nodes, 'nodes')}"
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
