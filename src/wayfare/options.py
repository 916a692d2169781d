"""What a study may be created with besides its space, its cost and its method, checked at the door."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

import numpy as np

from wayfare import door
from wayfare.anchor import Anchor
from wayfare.arrays import Points, Values, read_only
from wayfare.currencies import own_run_cost
from wayfare.errors import InvalidInput
from wayfare.feasible import check_limits
from wayfare.limits import Limits
from wayfare.reach import Reach
from wayfare.rng import stream
from wayfare.space import AnySpace
from wayfare.travel import TravelCost, priced
from wayfare.words import in_words, latitudes, longitudes, with_unit

TRIED = 16
"""From and to so many places it is tried whether another can be reached."""


NEAR = 2.0
"""Farther than this, in widths of a table, no place of it can be meant."""


class Options(TypedDict, total=False):
    """The limits and checks of a study, as a user states them; ``Study.create`` explains each."""

    budget: float | None
    end: object | None
    run_cost: float | Mapping[str, float]
    trip: float | None
    trip_cost: float
    max_step: float | None
    anchor: object | None
    anchor_every: int | None
    shuffle: float
    also: Sequence[TravelCost]


def make_limits(
    options: Options, space: AnySpace, travel: TravelCost, start: Values | None, unit: str, new: bool
) -> Limits:
    """Return the limits; of a ``new`` study, if they allow anything at all."""
    budget, trip, max_step = options.get("budget"), options.get("trip"), options.get("max_step")
    end = options.get("end")
    if trip is not None and end is None:
        raise InvalidInput("trip needs a place to come back to: give end, a place or the word 'start'")
    if trip is not None and max_step is not None:
        raise InvalidInput("trip and max_step exclude each other: the way home has no stops; leave one out")
    limits = Limits(
        None if budget is None else door.positive(budget, "budget, in the unit of the travel cost,"),
        None if end is None else end_place(space, travel, end, start, new),
        own_run_cost(options.get("run_cost", 0.0), unit),
        None if trip is None else door.positive(trip, "trip, in the unit of the travel cost,"),
        door.not_negative(options.get("trip_cost", 0.0), "trip_cost, what starting a trip anew costs,"),
        None if max_step is None else door.positive(max_step, "max_step, in the unit of the travel cost,"),
    )
    if limits.trip_cost and limits.trip is None:
        raise InvalidInput(
            "trip_cost is what starting a trip anew costs, but no trip is given; give one, or leave it out"
        )
    if new:
        check_limits(limits, space, travel, start, unit)
    return limits


def end_place(space: AnySpace, travel: TravelCost, end: object, start: Values | None, new: bool) -> Values:
    """Return the end as a row; it may lie outside the space, but the way there must have a cost."""
    row = place_or_start(space, end, start, "end")
    if new:
        check_degrees(space, row, "end")
        check_joined(space, travel, row, "end", start)
    return row


def make_anchor(
    options: Options,
    space: AnySpace,
    travel: TravelCost,
    start: Values | None,
    limits: Limits,
    unit: str,
    new: bool,
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
    many = door.count(every, "anchor_every", 1)
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
    if (
        new
        and limits.trip is not None
        and not Reach(travel, place, limits).from_home().fits(place[None, :])[0]
    ):
        raise InvalidInput(
            f"anchor: {in_words(space.params(place))} is out of the range of a trip of "
            f"{with_unit(limits.trip, unit)}; raise the trip, or choose a nearer anchor"
        )
    return Anchor(many, place)


def place_or_start(
    space: AnySpace, place: object, start: Values | None, field: str, words: str = "'start'"
) -> Values:
    """Return the row of a place, or that of the start if it is named."""
    if not isinstance(place, str):
        return one_place(space, place, field)
    if place != "start":
        raise InvalidInput(f"{field} must be a place or the word {words}, got {place!r}")
    if start is None:
        raise InvalidInput(f"{field} is 'start', but the study has no start; give one, or a place")
    return start


def check_joined(
    space: AnySpace, travel: TravelCost, place: Values, field: str, start: Values | None = None
) -> None:
    """Refuse a place that cannot be got to and left again, as far as a few places of the space tell."""
    x = [space.snap(place[None, :]), space.sample(TRIED, stream(0, field))]
    others = np.vstack([*x, *([] if start is None else [start[None, :]])])
    try:
        priced(travel, place[None, :], others)
        if field != "start":  # nobody need come back to it
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
