"""``route_csv``: a table of places put in visiting order, with what each leg costs."""

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
from wayfare.exchange.csv import bare, guarded, quoted, read_lines, read_number
from wayfare.form import read_spec
from wayfare.record.events import StudySpec
from wayfare.route import FastTsp, ShortRoute, plan_route
from wayfare.travel import priced

ADDED = ("stop", "leg", "total")
"""The columns that say how the route goes; a file that has them already was ordered before."""


class TravelRefused(InvalidInput):
    """What moving costs was refused, not the table."""


@frozen(eq=False)
class Itinerary:
    """The rows of a table in visiting order; ``order`` numbers them as they stood in the file, from 0.

    ``given`` is what the way costs in the file's own order, between the same ends.
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
        """What it costs to come as far as each stop."""
        return self.legs.cumsum()

    @property
    def cost(self) -> float:
        """What the whole way costs, the last leg to the end included."""
        return float(self.legs.sum()) + self.last_leg

    def to_csv(self) -> str:
        """Return the table in visiting order, with the columns ``stop``, ``leg`` and ``total``."""
        lines = [["stop", *map(_as_cell, self.heads), "leg", "total"]]
        for at, (row, leg, total) in enumerate(
            zip(self.rows, self.legs.tolist(), self.totals.tolist(), strict=True), 1
        ):
            lines.append([str(at), *map(_as_cell, row), repr(leg), repr(total)])
        return "".join(",".join(map(quoted, cells)) + "\n" for cells in lines)


def route_csv(
    text: str,
    travel: Mapping[str, Any],
    *,
    axes: Sequence[str] | None = None,
    start: Mapping[str, str] | None = None,
    end: Mapping[str, str] | None = None,
    thorough: bool = False,
    seed: int = 0,
) -> Itinerary:
    """Return a short route through all rows of a CSV table; equal places are visited in a row.

    Args:
        text: the file; its first line names the columns.
        travel: what moving costs, as in a study file: ``{"kind": "euclidean", "unit": "m"}``.
        axes: the columns that say where a row is; None: those that begin with a number.
        start: where the traveller stands, axis by axis as one would type it; None: anywhere.
        end: where the route must end; None: anywhere.
        thorough: search ten seconds more, with the extra ``route``.
        seed: the same seed gives the same route, unless it is ``thorough``.
    """
    table = _Table(text, axes)
    ends = {what: table.place(given, what) for what, given in (("start", start), ("end", end)) if given}
    spec = table.ground(travel, list(ends.values()))
    x = spec.space.points(table.places)
    position, goal = (spec.space.points(ends[what])[0] if what in ends else None for what in ("start", "end"))
    planner = FastTsp() if thorough else ShortRoute()
    route = plan_route(spec.travel, position, x, goal, planner, stream(checks.count(seed, "seed", 0), "order"))
    way = [*([] if position is None else [position]), *x, *([] if goal is None else [goal])]
    given = sum(float(priced(spec.travel, a[None, :], b[None, :])[0, 0]) for a, b in pairwise(way))
    return Itinerary(
        heads=tuple(table.heads[at] for at in table.shown),
        rows=tuple(tuple(bare(table.rows[row][1][at]) for at in table.shown) for row in route.order),
        axes=tuple(table.axes),
        order=route.order,
        legs=route.legs,
        last_leg=route.last_leg,
        given=given,
        unit=spec.unit,
    )


def heads_of(text: str) -> list[str]:
    """Return the names of the columns of a CSV file."""
    _, heads = next(read_lines(text))
    return [bare(head.strip(" ")) for head in heads]


class _Table:
    """A CSV table, and which of its columns are axes."""

    def __init__(self, text: str, axes: Sequence[str] | None) -> None:
        (_, heads), *self.rows = read_lines(text)
        self.heads = [bare(head.strip(" ")) for head in heads]
        for at, head in enumerate(self.heads):
            if not head or head in self.heads[:at]:
                raise InvalidInput(f"line 1: every column needs a name of its own, got {shown(head)}")
        if not self.rows:
            raise InvalidInput("the file has no places, only a header")
        self.shown = [at for at, head in enumerate(self.heads) if head not in ADDED]
        first = self.rows[0][1]
        numeric = [self.heads[at] for at in self.shown if PLAIN.fullmatch(first[at].strip(" "))]
        self.axes = list(numeric if axes is None else axes)
        for axis in self.axes:
            if axis not in self.heads:
                raise InvalidInput(f"axes: there is no column {axis!r}; {checks.nearest(axis, self.heads)}")
        if not self.axes:
            raise InvalidInput("no column begins with a number; name the axes")
        self.numeric = {axis for axis in self.axes if PLAIN.fullmatch(first[self.heads.index(axis)].strip(" "))}
        self.places = [
            self._read(dict(zip(self.heads, cells, strict=True)), f"line {line}") for line, cells in self.rows
        ]

    def _read(self, cells: Mapping[str, str], where: str) -> dict[str, Any]:
        """Return a place; a column that begins with a number holds numbers."""
        return {
            axis: read_number(cells[axis], f"{where}: column {axis!r}") if axis in self.numeric else bare(cells[axis])
            for axis in self.axes
        }

    def place(self, given: Mapping[str, str], what: str) -> dict[str, Any]:
        for axis in given:
            if axis not in self.axes:
                raise InvalidInput(f"{what}: there is no axis {axis!r}; {checks.nearest(axis, self.axes)}")
        for axis in self.axes:
            if axis not in given:
                raise InvalidInput(f"{what} lacks axis {axis!r}; give a value for each")
        return self._read(given, what)

    def ground(self, travel: Mapping[str, Any], ends: Sequence[Mapping[str, Any]]) -> StudySpec:
        """Return a study over these places and ends, read only for its space and its travel cost."""
        distinct = dict.fromkeys(tuple(place.values()) for place in [*self.places, *ends])
        columns = dict(zip(self.axes, map(list, zip(*distinct, strict=True)), strict=True))
        form = {"name": "order", "direction": "maximize", "trials": 1, "places": {"columns": columns}}
        read_spec(form | {"travel": {"kind": "fee", "amount": 0}})  # what is refused here is the table
        with warnings.catch_warnings():
            # The guarantee is about learning; nothing is learnt here.
            warnings.simplefilter("ignore", GuaranteeWarning)
            try:
                return read_spec(form | {"travel": dict(travel)})
            except InvalidInput as error:
                raise TravelRefused(str(error)) from error


def _as_cell(cell: str) -> str:
    return cell if PLAIN.fullmatch(cell) else guarded(bare(cell))
