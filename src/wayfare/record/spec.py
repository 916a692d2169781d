"""The door of a study: what a user states, checked and made into a specification."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, Unpack

import numpy as np

from wayfare._core import checks
from wayfare._core.arrays import Points, Values, read_only
from wayfare._core.format import in_full, in_words
from wayfare._core.rng import stream
from wayfare.errors import GuaranteeWarning, InvalidInput, warn
from wayfare.planning.anchor import Anchor
from wayfare.planning.catalogue import method_named
from wayfare.planning.guarantee import lost_guarantees
from wayfare.planning.method import Method, check_size
from wayfare.planning.reach import Limits, Reach
from wayfare.record.currencies import make_currencies, own_dwell
from wayfare.record.events import Direction, StudySpec
from wayfare.record.feasibility import check_limits
from wayfare.space import AnySpace
from wayfare.space.geographic import latitudes, longitudes
from wayfare.surrogate.measured import Measured
from wayfare.travel import Report, Scaled, TravelCost, as_cost, check, priced

# What a study may be created with besides its space, its cost and its method, checked at the door.


TRIED = 16
"""From and to so many places it is tried whether another can be reached."""


COLUMNS = ("number", "state", "leg", "value", "plan", "spent", "worker", "why", "prior", "count", "variance")
"""The columns of a table of trials besides the axes and what is measured."""
AXIS_PREFIX = "axis:"
"""In front of the column of an axis that is called like one of these."""


LONGEST_NAME = 200
"""Characters in the name of a study, of an axis or of a unit."""
NEAR = 2.0
"""Farther than this, in widths of a table, no place of it can be meant."""


class Options(TypedDict, total=False):
    """The limits and checks of a study, as a user states them; ``Study.create`` explains each."""

    budget: float | None
    home: object | None
    dwell: float | Mapping[str, float]
    trip: float | None
    day: float | str | None
    trip_cost: float
    max_step: float | None
    anchor: object | None
    anchor_every: int | None
    shuffle: float
    also: Sequence[TravelCost]
    measured: Measured | Sequence[Measured]
    stop: Mapping[str, float] | None


def make_limits(
    options: Options, space: AnySpace, travel: TravelCost, start: Values | None, unit: str, new: bool
) -> Limits:
    """Return the limits; of a ``new`` study, if they allow anything at all."""
    budget, trip, max_step = options.get("budget"), options.get("trip"), options.get("max_step")
    home, day = options.get("home"), options.get("day")
    if trip is not None and day is not None:
        raise InvalidInput("day and trip are both how long the traveller may be out; leave one of them out")
    called = "trip" if day is None else "day"
    if day is not None:
        trip = day_length(day, unit)
    if trip is not None and home is None:
        raise InvalidInput(f"{called} needs a place to come back to: give home, a place or the word 'start'")
    if trip is not None and max_step is not None:
        raise InvalidInput(f"{called} and max_step exclude each other: the way home has no stops; leave one out")
    limits = Limits(
        None if budget is None else checks.positive(budget, "budget, in the unit of the travel cost,"),
        None if home is None else home_place(space, travel, home, start, new),
        own_dwell(options.get("dwell", 0.0), unit),
        None if trip is None else checks.positive(trip, f"{called}, in the unit of the travel cost,"),
        checks.not_negative(options.get("trip_cost", 0.0), "trip_cost, the cost of starting a new trip,"),
        None if max_step is None else checks.positive(max_step, "max_step, in the unit of the travel cost,"),
        day is not None,
    )
    if limits.trip_cost and limits.trip is None:
        raise InvalidInput(
            "trip_cost is the cost of starting a new trip, but no trip is given; give one, or leave it out"
        )
    if new:
        check_limits(limits, space, travel, start, unit)
    return limits


TIMES = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1),
    **dict.fromkeys(("min", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hr", "hour", "hours"), 3600),
}
"""Units of time, in seconds."""
LENGTH = re.compile(r"(\d+(?:\.\d+)?) *([a-z]+)", re.ASCII)


def day_length(day: object, unit: str) -> float:
    """Return the length of a day, such as ``"8 h"``, in the unit of the travel cost, which must be a time."""
    if unit not in TIMES:
        said = f"is in {unit!r}, which is not a time" if unit else "has no unit"
        raise InvalidInput(
            f"day: the travel cost {said} (s, min or h); say how far the traveller gets in a day with trip, in the "
            "unit of the travel cost, or state a cost in time"
        )
    if not isinstance(day, str):
        return checks.positive(day, f"day, in {unit} or as a text such as '8 h',")
    found = LENGTH.fullmatch(day.strip())
    if found is None or found[2] not in TIMES:
        raise InvalidInput(f"day: {day[:40]!r} is not a length of time such as '8 h', '450 min' or '7.5 h'")
    return checks.positive(float(found[1]) * TIMES[found[2]] / TIMES[unit], "day")


def home_place(space: AnySpace, travel: TravelCost, home: object, start: Values | None, new: bool) -> Values:
    """Return home as a row; it may lie outside the space, but the way there must have a cost."""
    row = place_or_start(space, home, start, "home")
    if new:
        check_degrees(space, row, "home")
        check_joined(space, travel, row, "home", start)
    return row


def make_anchor(
    options: Options, space: AnySpace, travel: TravelCost, start: Values | None, limits: Limits, unit: str, new: bool
) -> Anchor | None:
    """Return where to go back to now and then; None for nowhere."""
    anchor, every = options.get("anchor"), options.get("anchor_every")
    if anchor is None and every is None:
        return None
    if anchor is None or every is None:
        raise InvalidInput(
            "anchor and anchor_every belong together: where to go back to (a place, 'start' or 'best'), and "
            "after how many other visits"
        )
    if space.once:
        raise InvalidInput("anchor: places may be visited only once; allow returns with once=False")
    many = checks.count(every, "anchor_every", 1)
    if isinstance(anchor, str) and anchor == "best":
        return Anchor(many)
    place = place_or_start(space, anchor, start, "anchor", "'start' or 'best'")
    if not space.contains(place[None, :])[0]:
        near = in_words(space.params(space.snap(place[None, :])[0]))
        raise InvalidInput(
            f"anchor: {in_words(space.params(place))} is not in the space, and results are taken there; the "
            f"nearest place has {near}"
        )
    if new:
        check_joined(space, travel, place, "anchor", start)
    if new and limits.trip is not None and not Reach(travel, place, limits).from_home().fits(place[None, :])[0]:
        raise InvalidInput(
            f"anchor: {in_words(space.params(place))} is out of the range of a {limits.called} of "
            f"{in_full(limits.trip, unit)}; raise the {limits.called}, or choose a nearer anchor"
        )
    return Anchor(many, place)


def make_measured(given: object, space: AnySpace) -> tuple[Measured, ...]:
    """Return the limits on what is measured; each needs a name that no axis and no column of a table has."""
    limits = (given,) if isinstance(given, Measured) else given
    if isinstance(limits, str | Mapping) or not isinstance(limits, Iterable):
        raise InvalidInput(f"measured must be Measured(name, at_most=...) or a list of them, got {given!r}")
    kept: dict[str, Measured] = {}
    for one in limits:
        if not isinstance(one, Measured):
            raise InvalidInput(f"measured must list Measured(name, at_most=...), got {one!r}")
        if one.name in kept:
            raise InvalidInput(f"measured: {one.name!r} is there twice; give both of its limits at once")
        if one.name in space.names:
            raise InvalidInput(f"measured: {one.name!r} is an axis; what is measured needs another name")
        if one.name in COLUMNS or one.name.startswith(AXIS_PREFIX):
            raise InvalidInput(f"measured: {one.name!r} is a column of tables of trials; choose another name")
        kept[one.name] = one
    return tuple(kept.values())


def stop_rule(given: object) -> float | None:
    """Return below which gain the study ends by itself; None for never."""
    if given is None:
        return None
    if not isinstance(given, Mapping) or set(given) != {"gain_below"}:
        raise InvalidInput(f"stop must be {{'gain_below': 0.01}}, a gain in the unit of the results; got {given!r}")
    return checks.positive(given["gain_below"], "stop: gain_below, in the unit of the results,")


def place_or_start(space: AnySpace, place: object, start: Values | None, field: str, words: str = "'start'") -> Values:
    """Return the row of a place, or that of the start if it is named."""
    if not isinstance(place, str):
        return one_place(space, place, field)
    if place != "start":
        raise InvalidInput(f"{field} must be a place or the word {words}, got {place!r}")
    if start is None:
        raise InvalidInput(f"{field} is 'start', but the study has no start; give one, or a place")
    return start


def check_joined(space: AnySpace, travel: TravelCost, place: Values, field: str, start: Values | None = None) -> None:
    """Refuse a place that cannot be got to and left again, as far as a few places of the space tell."""
    x = [space.snap(place[None, :]), space.sample(TRIED, stream(0, field))]
    others = np.vstack([*x, *([] if start is None else [start[None, :]])])
    try:
        priced(travel, place[None, :], others)
        if field != "start":  # the traveller need not come back to it
            priced(travel, others, place[None, :])
    except InvalidInput as error:
        raise InvalidInput(f"{field}: {error}") from error


def check_degrees(space: AnySpace, place: Values, field: str) -> None:
    """Refuse a place outside the space that would be in it with latitude and longitude swapped."""
    numbers = [name for name, values in zip(space.names, space.choices, strict=True) if values is None]
    lats, lons = latitudes(numbers), longitudes(numbers)
    if len(lats) != 1 or len(lons) != 1 or space.contains(place[None, :])[0]:
        return
    columns = [space.column(lats[0]), space.column(lons[0])]
    swapped = place.copy()
    swapped[columns] = place[columns[::-1]]
    if space.contains(swapped[None, :])[0]:
        raise InvalidInput(
            f"{field}: {in_words(space.params(place))} is outside the space, but in it with {lats[0]} and "
            f"{lons[0]} swapped; swap them"
        )


def one_place(space: AnySpace, place: object, field: str) -> Values:
    """Return the row of the one place a user wrote; what reads like a place of a table is that place."""
    try:
        rows = space.points(place)
    except InvalidInput as error:
        raise InvalidInput(f"{field}: {error}") from error
    if len(rows) != 1:
        raise InvalidInput(f"{field} must be one place, got {len(rows)}")
    return read_only((rows if space.size is None else as_shown(space, rows))[0])


def as_shown(space: AnySpace, rows: Points) -> Points:
    """Return the place of a table that reads like this one, or this one: fewer digits are shown than are."""
    with np.errstate(over="ignore", invalid="ignore"):
        far = not (np.abs(space.encode(rows)) <= NEAR).all()
    if far or not space.size or space.contains(rows)[0]:
        return rows
    nearest = space.snap(rows)
    alike = in_words(space.params(nearest[0])) == in_words(space.params(rows[0]))
    return nearest if alike else rows


def make_spec(
    space: AnySpace,
    direction: Direction,
    travel: TravelCost,
    trials: int,
    start: object | None,
    method: str | Method,
    seed: int,
    unit: str,
    noise: float | None,
    name: str,
    *,
    check_cost: bool = True,
    **options: Unpack[Options],
) -> StudySpec:
    """Return the specification, everything in it checked; warn if average movement need not go to zero.

    A policy that does not suit every study has a method ``suits``, and is asked. ``check_cost=False`` is for
    a specification read back: all that was checked when it was made.
    """
    for option in options:
        if option not in Options.__annotations__:
            hint = checks.nearest(option, Options.__annotations__, "options")
            raise InvalidInput(f"there is no option {option!r}; {hint}")
    if not isinstance(direction, str) or direction not in ("maximize", "minimize"):
        raise InvalidInput(f"direction must be 'maximize' or 'minimize', got {direction!r}")
    checks.name(name, "name")
    if not isinstance(unit, str):
        raise InvalidInput(f"unit must be a text such as 'm' or 'min', got {unit!r}")
    trials, seed = checks.count(trials, "trials", 1), checks.count(seed, "seed", 0)
    if trials > 2**53:
        raise InvalidInput(f"trials is {trials}, more than can be counted exactly; plan at most {2**53}")
    if noise is not None:
        noise = checks.positive(noise, "noise, the standard deviation of one result,")
    if isinstance(space, type) or not hasattr(space, "encode"):
        raise InvalidInput(f"space must be a Space or Places, got {space!r}")
    if space.size == 0:
        raise InvalidInput("space: no places at all")
    if space.once and space.size is not None and trials > space.size:
        raise InvalidInput(
            f"trials is {trials}, but there are {space.size} places and each may be visited once; "
            f"plan at most {space.size} trials, or allow returns: once=False (in a study file, once = false)"
        )
    bound = as_cost(travel).bind(space)
    if unit and bound.unit and unit != bound.unit:
        raise InvalidInput(f"unit is {unit!r}, but the travel cost is in {bound.unit!r}; leave one of them out")
    report = check_travel(bound if bound.unit else Scaled(bound, 1.0, unit), space) if check_cost else None
    made = make_method(method)
    if check_cost:
        check_size(made, trials)
        check_names(name, unit, space, options.get("measured", ()))
    if check_cost and (suits := getattr(made.policy, "suits", None)) is not None:
        suits(space, direction, noise)
    here = None if start is None else start_place(space, bound, start, check_cost)
    own = unit or bound.unit
    also = options.get("also", ()), options.get("dwell", 0.0)
    limits = make_limits(options, space, bound, here, own, check_cost)
    spec = StudySpec(
        name=name,
        space=space,
        travel=bound,
        direction=direction,
        trials=trials,
        start=here,
        method=made,
        seed=seed,
        unit=own,
        noise=noise,
        limits=limits,
        anchor=make_anchor(options, space, bound, here, limits, own, check_cost),
        shuffle=checks.share(options.get("shuffle", 0.0), "shuffle, the share of stops in random order,"),
        also=make_currencies(*also, space, here, own, check_cost),
        measured=make_measured(options.get("measured", ()), space),
        gain_below=stop_rule(options.get("stop")),
    )
    if report is not None and (reasons := lost_guarantees(bound, report, made, spec.anchor, spec.shuffle)):
        lost = "; ".join(reasons)
        warn(f"average movement need not go to zero: {lost} (docs/theory.md)", GuaranteeWarning)
    return spec


def check_names(name: str, unit: str, space: AnySpace, measured: object) -> None:
    """Refuse names that fill a screen; stored studies may have some."""
    limits = measured if isinstance(measured, list | tuple) else [measured]
    named = [one.name for one in limits if isinstance(one, Measured)]
    words = {"name": [name], "unit": [unit], "the name of an axis": space.names, "a name in measured": named}
    for what, some in words.items():
        for one in some:
            if len(one) > LONGEST_NAME:
                raise InvalidInput(f"{what} has {len(one)} characters; {LONGEST_NAME} at most")


def check_travel(travel: TravelCost, space: AnySpace) -> Report:
    """Return the report on the cost; raise ``InvalidInput`` if it cannot be used."""
    report = check(travel, space)
    if not report.is_usable:
        raise InvalidInput(f"travel: this cost cannot be used. {report}")
    return report


def start_place(space: AnySpace, travel: TravelCost, start: object, check_cost: bool) -> Values:
    """Return the start as a row; it may lie outside the space, but moving away from it must have a cost."""
    row = one_place(space, start, "start")
    if check_cost:
        check_degrees(space, row, "start")
        check_joined(space, travel, row, "start")
    return row


def make_method(method: str | Method) -> Method:
    """Return the method, looked up if it is given by name."""
    if isinstance(method, str):
        return method_named(method)
    if not isinstance(method, Method):
        raise InvalidInput(f"method must be a name from the catalogue or a Method, got {method!r}")
    return method
