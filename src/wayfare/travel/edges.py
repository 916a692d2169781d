"""The edges of a network as users have them (a networkx graph, a sparse matrix, a table), read into rows."""

import math
import numbers
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from wayfare.errors import InvalidInput
from wayfare.space.reading import is_frame

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
        f"the edges of a Network must be rows of from, to and cost, a networkx graph or a sparse matrix, "
        f"got {source!r}"
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
