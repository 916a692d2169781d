"""A table of places put in visiting order: ``route_csv``, the route planner for CSV files made elsewhere.

No study is needed; the rows become the places of a throwaway specification, which reads and prices them.
"""

import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from attrs import frozen

from wayfare._core import checks
from wayfare._core.arrays import Order, Values
from wayfare._core.parse import PLAIN, shown
from wayfare._core.rng import stream
from wayfare.errors import GuaranteeWarning, InvalidInput
from wayfare.exchange.rows import read_number
from wayfare.exchange.table import bare, guarded, plain_numbers, read_table, write_lines
from wayfare.form import read_spec
from wayfare.record.events import StudySpec
from wayfare.route import FastTsp, ShortRoute, plan_route
from wayfare.travel import priced

ADDED = ("stop", "leg", "total")
"""The columns that describe the route; a file that has them was ordered before, and they are replaced."""


class TravelRefused(InvalidInput):
    """The travel cost was refused, not the table."""


@frozen(eq=False)
class RouteTable:
    """The rows of a table in visiting order; costs are in ``unit``.

    Attributes:
        heads: the names of the columns.
        rows: the cells of each row.
        axes: the columns that say where a row is.
        order: the position of each row in the file, from 0.
        legs: the cost of reaching each row from the one before, or from the start.
        last_leg: the cost of the leg to the end; 0.0 without one.
        given: the cost of the route in the file's own order, between the same ends.
        unit: the unit of the travel cost.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    axes: tuple[str, ...]
    order: Order
    legs: Values
    last_leg: float
    given: float
    unit: str

    @property
    def totals(self) -> Values:
        """The cost of the route up to each stop."""
        return self.legs.cumsum()

    @property
    def cost(self) -> float:
        """The cost of the whole route, the last leg to the end included."""
        return float(self.legs.sum()) + self.last_leg

    def to_csv(self) -> str:
        """Return the table in visiting order, with the columns ``stop``, ``leg`` and ``total``."""
        legs = zip(self.rows, self.legs.tolist(), self.totals.tolist(), strict=True)
        head = ["stop", *map(_as_cell, self.heads), "leg", "total"]
        rows = ([str(n), *map(_as_cell, row), repr(leg), repr(total)] for n, (row, leg, total) in enumerate(legs, 1))
        return write_lines([head, *rows])


def _as_cell(cell: str) -> str:
    return cell if PLAIN.fullmatch(cell) else guarded(bare(cell))


def route_csv(
    text: str,
    travel: Mapping[str, Any],
    *,
    axes: Sequence[str] | None = None,
    start: Mapping[str, str] | None = None,
    end: Mapping[str, str] | None = None,
    thorough: bool = False,
    seed: int = 0,
) -> RouteTable:
    """Return a short route through all rows of a CSV table; equal places are visited in a row.

    Args:
        text: the file; its first line names the columns.
        travel: the travel cost, as in a study file: ``{"kind": "euclidean", "unit": "m"}``.
        axes: the columns that say where a row is; None: those whose first cell is a number.
        start: where the traveller stands, axis by axis as text; None: anywhere.
        end: where the route must end, likewise; None: anywhere.
        thorough: search ten seconds more, with the extra ``route``.
        seed: the same seed gives the same route, unless it is ``thorough``.
    """
    table = _Table(text, axes)
    ends = {what: table.place(given, what) for what, given in (("start", start), ("end", end)) if given}
    spec = table.spec(travel, list(ends.values()))
    x = spec.space.points(table.places)
    position, goal = (spec.space.points(ends[what])[0] if what in ends else None for what in ("start", "end"))
    planner = FastTsp() if thorough else ShortRoute()
    route = plan_route(spec.travel, position, x, goal, planner, stream(checks.count(seed, "seed", 0), "order"))
    unordered = [place for place in (position, *x, goal) if place is not None]
    given = sum(float(priced(spec.travel, a[None, :], b[None, :])[0, 0]) for a, b in pairwise(unordered))
    heads = tuple(table.heads[at] for at in table.kept)
    rows = tuple(tuple(bare(table.rows[row].cells[at]) for at in table.kept) for row in route.order)
    return RouteTable(heads, rows, tuple(table.axes), route.order, route.legs, route.last_leg, given, spec.unit)


def heads_of(text: str) -> list[str]:
    """Return the names of the columns of a CSV file."""
    return [bare(head.strip(" ")) for head in read_table(text).head.cells]


class _Table:
    """A CSV table, and which of its columns are axes."""

    def __init__(self, text: str, axes: Sequence[str] | None) -> None:
        table = plain_numbers(read_table(text))
        self.rows = table.lines
        self.heads = [bare(head.strip(" ")) for head in table.head.cells]
        for at, head in enumerate(self.heads):
            if not head or head in self.heads[:at]:
                raise InvalidInput(f"line 1: every column needs a name of its own, got {shown(head)}")
        if not self.rows:
            raise InvalidInput("the file has no places, only a header")
        self.kept = [at for at, head in enumerate(self.heads) if head not in ADDED]
        # A column that begins with a number holds numbers; one word further down is then a slip, and refused.
        first = dict(zip(self.heads, self.rows[0].cells, strict=True))
        self._numeric = {head for head, cell in first.items() if PLAIN.fullmatch(cell.strip(" "))}
        numeric = [self.heads[at] for at in self.kept if self.heads[at] in self._numeric]
        self.axes = list(numeric if axes is None else axes)
        for axis in self.axes:
            if axis not in self.heads:
                raise InvalidInput(f"axes: there is no column {axis!r}; {checks.nearest(axis, self.heads)}")
        if not self.axes:
            raise InvalidInput("no column begins with a number; name the axes")
        named = ((line.where, dict(zip(self.heads, line.cells, strict=True))) for line in self.rows)
        self.places = [self._read(cells, where) for where, cells in named]

    def _read(self, cells: Mapping[str, str], where: str) -> dict[str, Any]:
        return {
            axis: read_number(cells[axis], f"{where}: column {axis!r}") if axis in self._numeric else bare(cells[axis])
            for axis in self.axes
        }

    def place(self, given: Mapping[str, str], what: str) -> dict[str, Any]:
        """Return a place given as text; ``what`` names it in the refusal."""
        for axis in (*given, *self.axes):
            if axis not in self.axes:
                raise InvalidInput(f"{what}: there is no axis {axis!r}; {checks.nearest(axis, self.axes)}")
            if axis not in given:
                raise InvalidInput(f"{what} lacks axis {axis!r}; give a value for each")
        return self._read(given, what)

    def spec(self, travel: Mapping[str, Any], ends: Sequence[Mapping[str, Any]]) -> StudySpec:
        """Return a specification over these places and ends, for its space and its travel cost."""
        distinct = dict.fromkeys(tuple(place.values()) for place in [*self.places, *ends])
        columns = dict(zip(self.axes, map(list, zip(*distinct, strict=True)), strict=True))
        form = {"name": "order", "direction": "maximize", "trials": 1, "places": {"columns": columns}}
        # First with a free travel cost: a refusal here is about the table, a later one about the cost.
        read_spec(form | {"travel": {"kind": "fee", "amount": 0}})
        with warnings.catch_warnings():
            # The guarantee is about learning; nothing is learnt here.
            warnings.simplefilter("ignore", GuaranteeWarning)
            try:
                return read_spec(form | {"travel": dict(travel)})
            except InvalidInput as error:
                raise TravelRefused(str(error)) from error
