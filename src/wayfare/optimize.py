"""The front door: the whole loop in one call, or a route alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Required, TypeAlias, Unpack

from wayfare._core import checks
from wayfare._core.arrays import Points, Values, unique_rows
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput, UnknownStudy
from wayfare.form import write_spec
from wayfare.planning.method import Method
from wayfare.record.events import Direction, Trial
from wayfare.record.spec import Options, check_degrees, one_place
from wayfare.route import FastTsp, Route, ShortRoute, plan_route
from wayfare.space import AnySpace, Choice, Places, Space
from wayfare.space.reading import read_table
from wayfare.store import Store
from wayfare.store.database import NoStore
from wayfare.study.run import Found, told_of
from wayfare.study.study import Study
from wayfare.travel import TravelCost, as_cost

if TYPE_CHECKING:
    from rich.progress import Progress


Callback: TypeAlias = Callable[[Study, Trial], object]
"""Called after every trial that was told; the study ends early if it returns True."""


class Arguments(Options, total=False):
    """The keyword arguments of ``maximize`` and ``minimize``: those of ``Study.create``, which explains them."""

    travel: Required[TravelCost]
    trials: Required[int]
    start: object | None
    method: str | Method
    seed: int
    unit: str
    noise: float | None
    store: Store | str | Path | None
    name: str
    known: object | None
    by: str | None


def maximize(
    function: Callable[..., Found],
    space: AnySpace,
    *,
    callbacks: Sequence[Callback] = (),
    progress: bool | Progress = False,
    **arguments: Unpack[Arguments],
) -> Study:
    """Return the finished study of ``function``, called as ``function(**params)`` for every trial.

    It ends with the trials or with the budget. If a method wants several results at a stop, the function is called as
    often and they are one trial. An exception from the function passes through, with the study so far as its attribute
    ``study``.

    With ``measured=``, the function may return a pair: its value, and a dict of what was measured, by name. Of a
    trial with several results, the means are kept.

    With ``store=``, every result is kept in that file before the next place is asked for. Called again with the same
    arguments, the study of that ``name`` goes on where it stood.

    Args:
        function: what to maximize, called with a value for every axis.
        space: where to look, a ``Space`` or ``Places``.
        callbacks: functions called as ``callback(study, trial)`` after each trial; one that returns True ends it.
        progress: whether to show a bar on standard error, or the ``rich.progress.Progress`` to show it in.
        **arguments: ``travel``, ``trials`` and any other of ``Study.create``.
    """
    return _loop(function, space, "maximize", callbacks, progress, arguments)


def minimize(
    function: Callable[..., Found],
    space: AnySpace,
    *,
    callbacks: Sequence[Callback] = (),
    progress: bool | Progress = False,
    **arguments: Unpack[Arguments],
) -> Study:
    """Return the finished study of ``function``, smaller being better; otherwise as ``maximize``.

    Args:
        function: what to minimize, called with a value for every axis.
        space: where to look, a ``Space`` or ``Places``.
        callbacks: functions called as ``callback(study, trial)`` after each trial; one that returns True ends it.
        progress: whether to show a bar on standard error, or the ``rich.progress.Progress`` to show it in.
        **arguments: ``travel``, ``trials`` and any other of ``Study.create``.
    """
    return _loop(function, space, "minimize", callbacks, progress, arguments)


def _loop(
    function: Callable[..., Found],
    space: AnySpace,
    direction: Direction,
    callbacks: Sequence[Callback],
    progress: bool | Progress,
    arguments: Arguments,
) -> Study:
    if not callable(function):
        raise InvalidInput(f"function must be callable as function(**params), got {function!r}")
    if callable(callbacks) or not all(map(callable, callbacks)):
        raise InvalidInput(f"callbacks must be a list of functions of (study, trial), got {callbacks!r}")
    study = _begun(space, direction, arguments)
    with _bar(study, progress) as bar:
        calls = [*([] if bar is None else [bar]), *callbacks]
        while (trial := study.ask(count=True)) is not None:
            try:
                found = [function(**trial.params) for _ in range(trial.count)]
                values, measured = told_of(found)
                told = study.tell(trial, values[0] if trial.count == 1 else values, measured=measured)
            except Exception as error:
                known = len(study.state.results)
                error.add_note(f"at trial {trial.number}; the {known} results before it are in error.study")
                error.study = study  # type: ignore[attr-defined]  # for the caller who catches it
                raise
            if True in [call(study, told) is True for call in calls]:
                break
    return study


def _begun(space: AnySpace, direction: Direction, arguments: Arguments) -> Study:
    """Return the study to walk: the one that the store has under this name, if it is the same; else a new one."""
    store, name = arguments.get("store"), arguments.get("name", "study")
    if store is None:
        return Study.create(space, direction=direction, **arguments)
    method = arguments.get("method")
    own: dict[str, Any] = {"travel": arguments["travel"], "also": arguments.get("also"), "by": arguments.get("by")}
    own |= {"method": method} if isinstance(method, Method) else {}
    try:
        study = Study.open(store, name, **own)
    except (UnknownStudy, NoStore):
        return Study.create(space, direction=direction, **arguments)
    # Made in memory, so that the arguments are read and checked as those of a new study are.
    stated: dict[str, Any] = {key: value for key, value in arguments.items() if key not in ("store", "known")}
    wanted = write_spec(Study.create(space, direction=direction, **stated).spec)
    there = write_spec(study.state.created)  # it may have been changed since, and goes on so
    if other := [key for key in {**there, **wanted} if there.get(key) != wanted.get(key)]:
        raise InvalidInput(
            f"the store has a study {name!r} that differs in {', '.join(other)}; give this one another name, or go on "
            "with that one: Study.open"
        )
    return study


@contextmanager
def _bar(study: Study, progress: bool | Progress) -> Iterator[Callback | None]:
    """Show how many trials are used and the best result so far, if that is wanted; yield what moves the bar."""
    if progress is False:
        yield None
        return
    import rich.progress as bars
    from rich.console import Console

    if progress is not True and not isinstance(progress, bars.Progress):
        raise InvalidInput(f"progress must be True, False or a rich.progress.Progress, got {progress!r}")
    parts = (
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(),
    )
    shown = bars.Progress(*parts, console=Console(stderr=True)) if progress is True else progress
    with shown if progress is True else nullcontext():
        spec, used = study.spec, study.last.state.used
        task = shown.add_task(spec.name, total=spec.trials, completed=used)

        def move(study: Study, trial: Trial) -> None:
            state = study.last.state
            values = [state.trials[number].value or 0.0 for number in state.results]
            best = max(values, key=lambda value: spec.sign * value)
            shown.update(task, completed=state.used, description=f"{spec.name}: best {best:.6g}")

        yield move


def order(
    places: object,
    travel: TravelCost,
    *,
    start: object | None = None,
    end: object | None = None,
    names: Sequence[str] | None = None,
    effort: Literal["normal", "high"] = "normal",
    seed: int = 0,
) -> Route:
    """Return a short route through all ``places``; its ``order`` numbers the rows of the table.

    Args:
        places: the table, as dicts, a DataFrame, an array or ``Places``; repeats are visited in a row.
        travel: what moving costs.
        start: where the traveller stands, or None to begin anywhere.
        end: where the route must end, or None; give the start again to return to it.
        names: the columns to use, where the table has others too; or the names of an array's columns.
        effort: "high" calls fast-tsp for ten seconds first (the extra ``route``), which helps beyond some
            hundred places but, being bounded by time, may give another route on another run.
        seed: the same seed gives the same route.
    """
    if effort not in ("normal", "high"):
        raise InvalidInput(f"effort must be 'normal' or 'high', got {effort!r}")
    checks.count(seed, "seed", 0)
    space, x = read_places(places, names, [one for one in (start, end) if one is not None])
    cost = as_cost(travel).bind(space)
    position, goal = (
        None if place is None else end_of_route(space, place, what) for what, place in (("start", start), ("end", end))
    )
    planner = ShortRoute() if effort == "normal" else FastTsp()
    return plan_route(cost, position, x, goal, planner, stream(seed, "order"))


def end_of_route(space: Places, place: object, what: str) -> Values:
    """Return the row of a start or an end, unless its latitude and longitude look swapped."""
    row = one_place(space, place, what)
    check_degrees(space.frame, row, what)
    return row


def read_places(places: object, names: Sequence[str] | None, ends: Sequence[object]) -> tuple[Places, Points]:
    """Return the places, which know the choices of the ends as well, and the table's rows."""
    if isinstance(places, Places):
        return places, places.table
    columns, x = read_table(places, names)
    axes = []
    for column in columns:
        axis = column.axis
        if isinstance(axis, Choice):
            others = [end[axis.name] for end in ends if isinstance(end, Mapping) and axis.name in end]
            axis = Choice(axis.name, list(dict.fromkeys([*axis.values, *others])))
        axes.append(axis)
    rows = x[unique_rows(x)[0]]
    return Places.framed(rows, Space(*axes), False, tuple(column.is_whole for column in columns)), x
