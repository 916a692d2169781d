"""The front door: the whole loop in one call, or a route alone."""

from collections.abc import Callable
from typing import Literal

from wayfare.errors import InvalidInput
from wayfare.plan import Method
from wayfare.records import Direction
from wayfare.rng import stream
from wayfare.route import FastTsp, Route, ShortRoute, plan_route
from wayfare.space import AnySpace, Space
from wayfare.space.tables import read_table
from wayfare.spec import one_place
from wayfare.study import Study
from wayfare.travel import TravelCost


def maximize(
    function: Callable[..., float],
    space: AnySpace,
    *,
    travel: TravelCost,
    trials: int,
    start: object | None = None,
    method: str | Method = "tucb",
    seed: int = 0,
    unit: str = "",
    noise: float | None = None,
) -> Study:
    """Return the finished study of ``function``, called as ``function(**params)`` at every stop."""
    return _loop(function, space, "maximize", travel, trials, start, method, seed, unit, noise)


def minimize(
    function: Callable[..., float],
    space: AnySpace,
    *,
    travel: TravelCost,
    trials: int,
    start: object | None = None,
    method: str | Method = "tucb",
    seed: int = 0,
    unit: str = "",
    noise: float | None = None,
) -> Study:
    """Return the finished study of ``function``, smaller being better; otherwise as ``maximize``."""
    return _loop(function, space, "minimize", travel, trials, start, method, seed, unit, noise)


def _loop(
    function: Callable[..., float],
    space: AnySpace,
    direction: Direction,
    travel: TravelCost,
    trials: int,
    start: object | None,
    method: str | Method,
    seed: int,
    unit: str,
    noise: float | None,
) -> Study:
    if not callable(function):
        raise InvalidInput(f"function must be callable as function(**params), got {function!r}")
    study = Study.create(
        space,
        direction=direction,
        travel=travel,
        trials=trials,
        start=start,
        method=method,
        seed=seed,
        unit=unit,
        noise=noise,
    )
    while (trial := study.ask()) is not None:
        study.tell(trial, function(**trial.params))
    return study


def order(
    places: object,
    travel: TravelCost,
    *,
    start: object | None = None,
    end: object | None = None,
    effort: Literal["normal", "high"] = "normal",
    seed: int = 0,
) -> Route:
    """Return a short route through all ``places``; its ``order`` numbers the rows of the table.

    Args:
        places: the table, as dicts, a DataFrame or an array; repeats are visited in a row.
        travel: what moving costs.
        start: where the traveller stands, or None to begin anywhere.
        end: where the route must end, or None; give the start again to return to it.
        effort: "high" calls fast-tsp for ten seconds first (the extra ``route``), which helps beyond some
            hundred places but, being bounded by time, may give another route on another run.
        seed: the same seed gives the same route.
    """
    if effort not in ("normal", "high"):
        raise InvalidInput(f"effort must be 'normal' or 'high', got {effort!r}")
    columns, x = read_table(places, None)
    space = Space(*(column.axis for column in columns))
    cost = travel.bind(space)
    position = None if start is None else one_place(space, start, "start")
    goal = None if end is None else one_place(space, end, "end")
    planner = ShortRoute() if effort == "normal" else FastTsp()
    return plan_route(cost, position, x, goal, planner, stream(seed, "order"))
