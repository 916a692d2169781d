"""The view of a study that is drawn: one or two of its axes, their scales, and the values of the others.

A study on a map shows its map axes, true to scale; any other the axes along which it moved most.
"""

from collections.abc import Mapping
from math import cos, radians

import numpy as np
from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from wayfare._core.arrays import Points, Values
from wayfare._core.format import LATITUDE, LONGITUDE, in_brackets
from wayfare.errors import InvalidInput, TooEarly
from wayfare.record.state import StudyState
from wayfare.space import AnySpace, Choice, Integer, Places, Real, Space
from wayfare.study.study import Snapshot, Study
from wayfare.travel import Haversine, Raster, leaves

FADES = 0.25
"""How far from a slice, in the unit cube, a result is drawn clearly fainter."""
FINE = 97
"""How many numbers a continuous axis is drawn at."""
FLATTEST = 0.05
"""The least cosine of a latitude that a map is scaled by: near a pole no map is true."""


def told_snapshot(study: Study | Snapshot, picture: str) -> Snapshot:
    """Return one snapshot of a study that has a result to draw."""
    now = snapshot_of(study, picture)
    if not now.state.results:
        raise TooEarly(f"no trial of {now.spec.name!r} has been told yet; ask and tell first")
    return now


def snapshot_of(study: Study | Snapshot, picture: str) -> Snapshot:
    """Return one snapshot of a study."""
    if not isinstance(study, Study | Snapshot):
        raise InvalidInput(f"{picture}: expected a Study, got {study!r}")
    return study.snapshot() if isinstance(study, Study) else study


def make_view(state: StudyState, axes: tuple[str, ...] | None, through: Values) -> "View":
    """Return the view on the axes asked for, on those of a map, or on the two along which it moved most."""
    frame, loose = frame_of(state.spec.space), isinstance(state.spec.space, Places)
    if axes is None:
        terrain = terrain_of(state, frame)
        columns = busiest(state, frame, loose) if terrain is None else terrain.columns
        return View(frame, columns, through, loose)
    if isinstance(axes, str) or not 1 <= len(axes) <= 2 or len(set(axes)) < len(axes):
        raise InvalidInput(f"axes must be one or two different names, got {axes!r}")
    return View(frame, tuple(frame.column(name) for name in axes), through, loose)


def frame_of(space: AnySpace) -> Space:
    """Return the axes of a space: its own, or the box around a table of places."""
    if isinstance(space, Places):
        return space.frame
    if isinstance(space, Space):
        return space
    raise InvalidInput(f"cannot draw a space of kind {type(space).__name__}; use Space or Places")


def busiest(state: StudyState, frame: Space, loose: bool) -> tuple[int, ...]:
    """Return the columns of most movement in the unit cube, two at most, in the space's order.

    A table of places often names each in a column of text: if there are two of numbers, they come first.
    """
    active = [column for column, axis in enumerate(frame.axes) if axis.width]
    numbers = [column for column in active if not isinstance(frame.axes[column], Choice)]
    likely = numbers if loose and len(numbers) >= 2 else active
    if len(likely) <= 2:
        return tuple(likely) or (0,)
    visited = [trial.x for trial in state.trials if trial.is_visit] or [*state.stops_ahead]
    visited = visited or [trial.x for trial in state.trials[:1]]
    if not visited:
        return tuple(likely[:2])
    steps = np.square(np.diff(frame.encode(np.array(visited)), axis=0))
    moved = [float(np.sqrt(steps[:, frame.groups == active.index(column)].sum(axis=1)).sum()) for column in likely]
    most = np.argsort(-np.array(moved), kind="stable")[:2]
    return tuple(sorted(likely[at] for at in most))


@frozen(eq=False)
class View:
    """One or two columns of a space, seen through the place ``through``."""

    frame: Space
    columns: tuple[int, ...]
    through: Values
    loose: bool
    """Whether the places are a table of dots, which need a margin around them."""

    @property
    def axes(self) -> tuple[Real | Integer | Choice, ...]:
        """The axes drawn."""
        return tuple(self.frame.axes[column] for column in self.columns)

    @property
    def is_apart(self) -> bool:
        """Whether the places drawn along the first axis stand apart: those of a table, or values of a choice."""
        return self.loose or isinstance(self.axes[0], Choice)

    def ticks(self, at: int) -> Values:
        """Return the numbers at which axis ``at`` of the view is drawn."""
        axis = self.axes[at]
        if axis.size is not None and axis.size <= FINE:
            return axis.everything()
        return np.unique(axis.place(np.linspace(0, 1, FINE)))

    def is_log(self, at: int) -> bool:
        """Return whether axis ``at`` of the view is logarithmic."""
        return self.axes[at].log

    def span(self, at: int) -> tuple[float, float]:
        """Return the limits of axis ``at`` of the view: half a step around values that stand apart."""
        axis, ticks = self.axes[at], self.ticks(at)
        low, high = (axis.low, axis.high) if isinstance(axis, Real) else (float(ticks[0]), float(ticks[-1]))
        if self.is_log(at):
            return (low, high) if low < high else (low / 2, high * 2)
        half = float(ticks[1] - ticks[0]) / 2 if not isinstance(axis, Real) and len(ticks) > 1 else 0.0
        half = 0.03 * (high - low) or 0.5 if self.loose else half
        half = half if high - low + half > 0 else 0.5
        return low - half, high + half

    def grid(self) -> Points:
        """Return the places of the slice, the last axis of the view running fastest."""
        mesh = np.meshgrid(*(self.ticks(at) for at in range(len(self.columns))), indexing="ij")
        x = np.tile(self.through, (mesh[0].size, 1))
        x[:, self.columns] = np.column_stack([values.ravel() for values in mesh])
        return x

    def drawn(self, space: AnySpace) -> Points:
        """Return the places at which a function is drawn: those of a table, else of the slice."""
        return space.table if isinstance(space, Places) else self.grid()

    def project(self, x: Points) -> Points:
        """Return where places are drawn, one column per axis of the view.

        Visits to one value of a choice would lie on one another, so they are spread over its band in the
        order given; a second choice spreads them by the golden ratio, which never repeats. A logarithmic
        axis has no zero: a place there is drawn just below its lower end.
        """
        drawn = x[:, list(self.columns)].copy()
        share = np.linspace(-1, 1, len(x)) if len(x) > 1 else np.zeros(len(x))
        spreads = iter((share, 2 * ((0.5 + np.arange(len(x)) * 0.6180339887) % 1) - 1))
        for at, axis in enumerate(self.axes):
            if isinstance(axis, Choice):
                drawn[:, at] += 0.3 * next(spreads)
            elif axis.log:
                below = axis.low * (axis.low / axis.high) ** 0.06
                drawn[:, at] = np.where(drawn[:, at] > 0, drawn[:, at], below)
        return drawn

    def nearness(self, x: Points) -> Values:
        """Return how near places are to the slice that is drawn: 1 on it, and towards 0 away from it."""
        if self.loose:
            return np.ones(len(x))
        there = x.copy()
        there[:, self.columns] = self.through[list(self.columns)]
        away = np.square(self.frame.encode(there) - self.frame.encode(self.through[None, :])).sum(axis=1)
        return np.asarray(np.exp(-away / (2 * FADES**2)))

    def label(self, at: int) -> str:
        """Return the name of axis ``at`` of the view, with its unit."""
        return in_brackets(self.axes[at].name, self.axes[at].unit)

    def dress(self, ax: Axes) -> None:
        """Name the axes, and give choices their values as ticks and logarithmic axes their scale."""
        for at, (axis, side) in enumerate(zip(self.axes, (ax.xaxis, ax.yaxis), strict=False)):
            side.set_label_text(self.label(at))
            if isinstance(axis, Choice):
                side.set_ticks(range(axis.size), [str(value) for value in axis.values])
            elif isinstance(axis, Integer) and not axis.log:
                side.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
            elif not axis.log:
                ax.ticklabel_format(axis="x" if side is ax.xaxis else "y", useOffset=False)
            else:
                (ax.set_xscale if side is ax.xaxis else ax.set_yscale)("log")
                few = axis.high / axis.low < 1e3
                side.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
                side.set_major_formatter(StrMethodFormatter("{x:g}"))
                side.set_minor_formatter(NullFormatter())

    def caption(self, params: Mapping[str, object] | None) -> str:
        """Return the values of the axes not drawn, if there are ``params``, and a note on how a choice is shown."""
        others = [axis for i, axis in enumerate(self.frame.axes) if axis.width and i not in self.columns]
        others = others if params else []
        fixed = ": " + ", ".join(f"{axis.name} = {near(axis, (params or {})[axis.name])}" for axis in others)
        along = fixed if len(others) <= 3 else f" along the other {len(others)} axes"
        spread = ", ".join(axis.name for axis in self.axes if isinstance(axis, Choice))
        lines = [f"slice through the best place{along}"] if others and not self.loose else []
        return "\n".join(
            [*lines, *([f"within a value of {spread}, visits are spread in their order"] if spread else [])]
        )


def near(axis: Real | Integer | Choice, value: object) -> str:
    """Return a value of an axis; on a continuum, to a hundredth of the axis at least, and to three digits."""
    if not isinstance(value, float) or axis.grid is not None:
        return axis.scale.written(value)
    return f"{_nearly(axis, value)} {axis.unit}".rstrip()


def _nearly(axis: Real | Integer | Choice, value: float) -> str:
    if not isinstance(axis, Real) or axis.log or not value:
        return f"{value:.3g}"
    ahead = np.floor(np.log10(abs(value))) - np.floor(np.log10(axis.high - axis.low))
    return f"{value:.{max(3, int(ahead) + 3)}g}"


@frozen
class Terrain:
    """The columns that go across and up on a map, and how much longer a unit up is than one across.

    None: they are degrees, and it depends on the latitude.
    """

    columns: tuple[int, int]
    tall: float | None = None

    def set_scale(self, ax: Axes, columns: tuple[int, ...], drawn: Points) -> None:
        """Make a kilometre as long up as across, in the middle of the places ``drawn`` over the map's columns."""
        if sorted(columns) != sorted(self.columns):
            return
        mirrored, tall = columns != self.columns, self.tall
        if tall is None:
            tall = 1 / max(cos(radians(float(drawn[:, 0 if mirrored else 1].mean()))), FLATTEST)
        ax.set_aspect(1 / tall if mirrored else tall, adjustable="box")


def terrain_of(state: StudyState, frame: Space) -> Terrain | None:
    """Return the map that a study is on: by the names of its axes, else by its travel cost; None without."""
    numbers = [at for at, axis in enumerate(frame.axes) if axis.width and not isinstance(axis, Choice)]
    east, north = ([at for at in numbers if frame.axes[at].name.lower() in names] for names in (LONGITUDE, LATITUDE))
    if len(east) == len(north) == 1:
        return Terrain((east[0], north[0]))
    found = set[Terrain]()
    for part in leaves(state.spec.travel):
        if isinstance(part, Haversine):
            found.add(Terrain((int(part.lon), int(part.lat))))
        elif isinstance(part, Raster):
            (left, right), (top, bottom), (rows, columns) = part.columns, part.rows, part.grid.shape
            across, up = abs(right - left) / (columns - 1), abs(bottom - top) / (rows - 1)
            found.add(Terrain((int(part.x), int(part.y)), (part.cell[1] / up) / (part.cell[0] / across)))
    return one if len(found) == 1 and set((one := found.pop()).columns) <= set(numbers) else None
