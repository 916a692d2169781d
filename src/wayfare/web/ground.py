"""The data of a study's picture: the axes and the ground, and numbers over them in binary.

A binary answer is a line of JSON that says its shape, and then the numbers, so that a browser reads it without parsing.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfare._core.arrays import Points, Values
from wayfare.errors import InvalidInput
from wayfare.plot.view import View, busiest, frame_of, terrain_of
from wayfare.policy.acquisition import log_ei
from wayfare.record.events import TrialState
from wayfare.record.spec import one_place
from wayfare.record.state import StudyState
from wayfare.report.best import best_of
from wayfare.report.predict import believe
from wayfare.space import Choice, Integer, Places, Real, Space
from wayfare.space.geographic import latitudes, longitudes
from wayfare.travel import Raster, leaves
from wayfare.web.records import AxisRecord, DegreesRecord, GroundRecord, ObstaclesRecord, RegionRecord, TerrainRecord
from wayfare.web.routes import Bytes, Call, route

MOST_DRAWN = 20_000
"""Rows of a table of places that are shown, with what is believed there."""
COARSEST, USUAL, FINEST = 9, 65, 129
"""Numbers along an axis of a surface."""
MOST_CELLS = 400
"""Rows and columns of a map as it is sent."""
STATES = [str(state) for state in TrialState]


# The ground.


def ground_record(state: StudyState) -> GroundRecord:
    """Return the record of a study's space: axes, regions, constraints, maps, the table, home."""
    spec, space = state.spec, state.spec.space
    frame, table = frame_of(space), getattr(space, "table", None)
    anchor = None if spec.anchor is None else spec.anchor.place
    start, home, back = (None if x is None else space.params(x) for x in (spec.start, spec.limits.home, anchor))
    measured = [
        {"name": one.name, "at_most": one.at_most, "at_least": one.at_least, "unit": one.unit, "said": str(one)}
        for one in spec.measured
    ]
    return {
        "axes": [_axis_record(axis) for axis in frame.axes],
        "view": [frame.names[column] for column in _first_view(state, frame)],
        "terrain": _terrain_record(state, frame),
        "degrees": _degrees(frame),
        "forbidden": [_region_record(region) for region in getattr(space, "forbidden", ())],
        "constraints": [str(one) for one in getattr(space, "constraints", ())],
        "obstacles": [_obstacles_record(frame, one) for one in _maps(state)],
        "places": None if table is None else len(table),
        "table": [] if table is None else [list(space.params(row).values()) for row in table[:MOST_DRAWN]],
        "once": bool(space.once),
        "start": start,
        "home": home,
        "anchor": back,
        "measured": measured,  # type: ignore[typeddict-item]  # the same keys
        "unit": spec.unit,
    }


def _axis_record(axis: Real | Integer | Choice) -> AxisRecord:
    is_choice = isinstance(axis, Choice)
    kind = "choice" if is_choice else "real" if isinstance(axis, Real) else "integer"
    return {
        "name": axis.name,
        "kind": kind,
        "low": None if isinstance(axis, Choice) else axis.low,
        "high": None if isinstance(axis, Choice) else axis.high,
        "step": None if isinstance(axis, Choice) else axis.step,
        "log": axis.log,
        "unit": axis.unit,
        "decimals": 0 if kind == "integer" else axis.scale.decimals,
        "values": list(axis.values) if isinstance(axis, Choice) else None,
        "retired": list(axis.retired) if isinstance(axis, Choice) else [],
    }


def _first_view(state: StudyState, frame: Space) -> Sequence[int]:
    """Return the columns that a picture shows first: those of a map, else those along which the study moved most."""
    terrain = terrain_of(state, frame)
    if terrain is not None:
        return terrain.columns
    if state.trials:
        return busiest(state, frame, isinstance(state.spec.space, Places))
    active = [column for column, axis in enumerate(frame.axes) if axis.width]
    numbers = [column for column in active if not isinstance(frame.axes[column], Choice)]
    return (numbers if len(numbers) > 1 else active)[:2] or [0]


def _terrain_record(state: StudyState, frame: Space) -> TerrainRecord | None:
    terrain = terrain_of(state, frame)
    if terrain is None:
        return None
    (across, up), tall = terrain.columns, terrain.tall
    if tall is None:  # degrees: a degree of longitude counts as long as in the middle of the axis
        axis = frame.axes[up]
        assert not isinstance(axis, Choice)
        tall = 1 / max(math.cos(math.radians((axis.low + axis.high) / 2)), 0.05)
    return {"x": frame.names[across], "y": frame.names[up], "tall": tall}


def _degrees(frame: Space) -> DegreesRecord | None:
    north, east = latitudes(frame.names), longitudes(frame.names)
    return {"lat": north[0], "lon": east[0]} if len(north) == len(east) == 1 else None


def _region_record(region: Any) -> RegionRecord:
    sides: list[Any] = [
        {
            "axis": side.axis,
            "low": side.low if math.isfinite(side.low) else None,
            "high": side.high if math.isfinite(side.high) else None,
            "values": None if side.values is None else list(side.values),
        }
        for side in region.sides
    ]
    return {"said": str(region), "sides": sides}


def _maps(state: StudyState) -> list[Raster]:
    return [part for part in leaves(state.spec.travel) if isinstance(part, Raster)]


def _obstacles_record(frame: Space, one: Raster) -> ObstaclesRecord:
    return {
        "x": frame.names[int(one.x)],
        "y": frame.names[int(one.y)],
        "columns": [float(end) for end in one.columns],
        "rows": [float(end) for end in one.rows],
        "shape": list(one.grid.shape),
    }


# Numbers in binary.


def binary(head: Mapping[str, Any], numbers: NDArray[Any]) -> Bytes:
    """Return numbers behind a line of JSON that says what they are, with its length in front."""
    kind = "float32" if numbers.dtype == np.float32 else "float64"
    line = json.dumps({"dtype": kind, "shape": list(numbers.shape), **head}, allow_nan=False).encode()
    line += b" " * (-(4 + len(line)) % 8)  # so that the numbers begin where a browser can read them in place
    return Bytes(len(line).to_bytes(4, "little") + line + numbers.astype(numbers.dtype.newbyteorder("<")).tobytes())


@route("GET", "/studies/{name}/visits")
def visits(call: Call) -> Bytes:
    """Give every trial as numbers: number, state, value, the leg that was paid, then its place; choices by position."""
    state = call.state
    rows = [
        [
            trial.number,
            STATES.index(trial.state),
            math.nan if trial.value is None else trial.value,
            trial.leg if trial.is_visit else 0.0,
            *trial.x,
        ]
        for trial in state.trials
    ]
    names = ["number", "state", "value", "leg", *state.spec.space.names]
    numbers = np.array(rows, dtype=np.float64).reshape(len(rows), len(names))
    return binary({"columns": names, "states": STATES, "version": state.version}, numbers)


@route("GET", "/studies/{name}/obstacles")
def obstacles(call: Call, *, map_: int = 0) -> Bytes:
    """Give a map of the travel cost: the cost of each cell, 0 where it is blocked; a large one thinned."""
    found = _maps(call.state)
    if not 0 <= map_ < len(found):
        raise InvalidInput(f"map must be below {len(found)}, the number of maps, got {map_}")
    one = found[map_]
    frame, grid = frame_of(call.state.spec.space), np.asarray(one.grid)
    thin = [max(1, math.ceil(size / MOST_CELLS)) for size in grid.shape]
    edges = [np.arange(0, size, step) for size, step in zip(grid.shape, thin, strict=True)]
    blocked = np.maximum.reduceat(np.maximum.reduceat(grid <= 0, edges[0], axis=0), edges[1], axis=1)
    rates = np.maximum.reduceat(np.maximum.reduceat(grid, edges[0], axis=0), edges[1], axis=1)
    # The middles of the first and last cell as sent, each of which stands for several.
    ends = {}
    for key, at, (first, last) in (("rows", 0, one.rows), ("columns", 1, one.columns)):
        size, step = grid.shape[at], thin[at]
        per = (last - first) / (size - 1)
        final = int(edges[at][-1])
        ends[key] = [first + per * (min(step, size) - 1) / 2, first + per * (final + (size - 1 - final) / 2)]
    head = {**_obstacles_record(frame, one), **ends}
    del head["shape"]  # that of what is sent
    return binary(head, np.where(blocked, 0.0, rates).astype(np.float32))


@route("GET", "/studies/{name}/surface", work="look", is_kept=True)
def surface(
    call: Call, *, x: str | None = None, y: str | None = None, at: dict[str, Any] | None = None, fine: int = USUAL
) -> Bytes:
    """Give the belief over one axis or two, the others as ``at`` says or as at the best place; or at a table's places.

    Layers are mean and sd of the function; the probability of success if something failed, and of compliance if
    something is limited; and as ``acquisition`` the improvement that is expected over the best place. Which places a
    method prefers depends on its own score, and on the legs.
    """
    state = call.state
    space = state.spec.space
    if not COARSEST <= fine <= FINEST:
        raise InvalidInput(f"fine must be from {COARSEST} to {FINEST}, got {fine}")
    frame, best = frame_of(space), best_of(state)
    if isinstance(space, Places):
        places = space.table[:MOST_DRAWN]
        layers, numbers = _layers(state, places)
        return _surface(state, layers, numbers[:, None, :], None, None, {})
    names = [one for one in (x, y) if one is not None] or [frame.names[one] for one in _first_view(state, frame)]
    if len(set(names)) < len(names) or len(names) > 2:
        raise InvalidInput(f"x and y must be two different axes, got {names[0]!r} twice")
    columns = [frame.column(one) for one in names]
    through = one_place(space, {**best.params, **_values(frame, at or {})}, "at")
    view = View(frame, tuple(columns), through, False)
    ticks = [_ticks(axis, fine) for axis in view.axes]
    mesh = np.meshgrid(*ticks[::-1], indexing="ij")[::-1]  # x varies fastest
    where = np.tile(through, (mesh[0].size, 1))
    where[:, columns] = np.column_stack([one.ravel() for one in mesh])
    layers, numbers = _layers(state, where)
    shaped = numbers.reshape(len(layers), len(ticks[1]) if len(ticks) > 1 else 1, len(ticks[0]))
    axes = [
        {"axis": axis.name, "ticks": one.tolist(), "values": list(axis.values) if isinstance(axis, Choice) else None}
        for axis, one in zip(view.axes, ticks, strict=True)
    ]
    others = {key: value for key, value in frame.params(through).items() if key not in names}
    return _surface(state, layers, shaped, axes[0], axes[1] if len(axes) > 1 else None, others)


def _values(frame: Space, at: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in at:
        frame.column(name)  # a name that is no axis is refused, with the nearest
    return at


def _ticks(axis: Real | Integer | Choice, fine: int) -> Values:
    """Return the numbers of an axis at which a surface is given: all of a short one in steps, else so many."""
    if axis.size is not None and axis.size <= fine:
        return axis.everything()
    return np.unique(axis.place(np.linspace(0, 1, fine)))


def _layers(state: StudyState, x: Points) -> tuple[list[str], NDArray[np.float32]]:
    belief, history = believe(state), state.history
    mean, sd = belief.marginals(x)
    found = {"mean": mean, "sd": sd}
    if len(history.failed):
        found["success"] = belief.success(x)
    if history.limits:
        found["compliance"] = belief.compliance(x)
    sign, best = state.spec.sign, best_of(state)
    found["acquisition"] = np.exp(log_ei(sign * mean, np.maximum(sd, np.finfo(float).tiny), sign * best.mean))
    return list(found), np.array(list(found.values()), dtype=np.float32)


def _surface(
    state: StudyState, layers: list[str], numbers: NDArray[np.float32], x: Any, y: Any, at: Mapping[str, Any]
) -> Bytes:
    ranges = [[float(layer.min()), float(layer.max())] for layer in numbers]
    head = {"layers": layers, "x": x, "y": y, "at": dict(at), "version": state.version, "range": ranges}
    return binary(head, numbers)
