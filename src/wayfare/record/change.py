"""A change of a study under way: the specification it makes of the one before, and what it may not touch.

What was measured and paid stays as it is, so places must keep their meaning: axes keep their names and kinds, and a
choice keeps its values, of which some may be retired and further ones come behind.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve

from wayfare._core import checks
from wayfare._core.arrays import Values
from wayfare._core.format import in_full, in_words
from wayfare.errors import GuaranteeWarning, InvalidInput, warn
from wayfare.planning.guarantee import lost_guarantees
from wayfare.planning.method import Method, check_size
from wayfare.planning.reach import Reach
from wayfare.record.events import StudySpec
from wayfare.record.spec import Options, check_joined, check_names, check_travel, make_spec
from wayfare.space import AnySpace, Choice, Integer, Places, Real, Space
from wayfare.space.axes import Axis
from wayfare.travel import Switch, TravelCost, check, leaves

SPACE = ("axis", "forbidden", "constraint", "places")
"""The keys of a form that state the space."""
FIXED = {
    "name": "`wayfare rename` gives a study another name",
    "direction": "results already told would mean the opposite; begin another study, with these as known results",
    "seed": "plans are drawn by it, and it has no other meaning",
    "unit": "what was paid is in it; state costs in it, too",
}
"""What no change may touch, and why."""


class Terms(Options, total=False):
    """The options of a change of a study; ``Study.change`` explains each."""

    space: AnySpace
    axes: Mapping[str, object]
    places: object
    forbidden: Sequence[Mapping[str, Any]]
    constraints: Sequence[Any]
    travel: TravelCost
    trials: int
    start: object | None
    method: str | Method
    noise: float | None


def stated(spec: StudySpec) -> dict[str, Any]:
    """Return the arguments that a specification is made of."""
    limits, anchor = spec.limits, spec.anchor
    besides = {one.unit: one.dwell for one in spec.also if one.dwell}
    own = {spec.unit: limits.dwell} if limits.dwell else {}
    return {
        **{key: getattr(spec, key) for key in ("space", "direction", "travel", "trials", "start", "method", "seed")},
        **{key: getattr(spec, key) for key in ("unit", "noise", "name", "shuffle", "measured")},
        **{key: getattr(limits, key) for key in ("budget", "home", "trip_cost", "max_step")},
        "trip": None if limits.is_day else limits.trip,
        "day": limits.trip if limits.is_day else None,
        "dwell": own | besides if besides else limits.dwell,
        "anchor": None if anchor is None else "best" if anchor.place is None else anchor.place,
        "anchor_every": None if anchor is None else anchor.every,
        "also": [one.travel for one in spec.also],
        "stop": None if spec.gain_below is None else {"gain_below": spec.gain_below},
    }


def changed(spec: StudySpec, **terms: Any) -> StudySpec:
    """Return the specification with these arguments of ``make_spec``; as a study under way is checked elsewhere."""
    arguments = stated(spec) | terms
    if "travel" in terms:
        check_unit(spec, getattr(terms["travel"], "unit", ""))
    try:
        return make_spec(check_cost=False, **arguments)
    except InvalidInput as error:
        if "space" not in terms or "travel" in terms:
            raise
        raise InvalidInput(f"{error}; if the cost of moving must follow the space, change travel, too") from error


def check_unit(spec: StudySpec, unit: str) -> None:
    """Refuse a new travel cost in another unit than what was paid so far."""
    if unit not in ("", spec.unit):
        paid = f"in {spec.unit!r}" if spec.unit else "without a unit"
        raise InvalidInput(f"travel: the new cost is in {unit!r}, but what was paid is {paid}; state it so, too")


def with_terms(spec: StudySpec, terms: Terms) -> StudySpec:
    """Return the specification after a change as ``Study.change`` takes it."""
    given: dict[str, Any] = dict(terms)
    for key in given:
        if key in FIXED:
            raise InvalidInput(f"{key} cannot be changed: {FIXED[key]}")
        if key not in Terms.__annotations__:
            raise InvalidInput(f"there is no term {key!r} to change; {checks.nearest(key, Terms.__annotations__)}")
    parts = [key for key in ("space", "axes", "places", "forbidden", "constraints") if key in given]
    if "space" in parts and len(parts) > 1:
        raise InvalidInput(f"space states all of it; leave {parts[1]} out")
    if not parts:
        return changed(spec, **given)
    wanted: dict[str, Any] = {key: given.pop(key) for key in parts}
    return with_space(spec, wanted.get("space") or _space_with(spec.space, wanted), **given)


def with_space(spec: StudySpec, space: AnySpace, **terms: Any) -> StudySpec:
    """Return the specification with a space as the user states it, and other arguments of ``make_spec``."""
    merged = merged_space(spec.space, space)
    if "travel" in terms:
        check_matrices(terms["travel"], space, merged)
    return changed(spec, **terms | {"space": merged})


def check_matrices(travel: TravelCost, space: AnySpace, merged: AnySpace) -> None:
    """Refuse a matrix between values as a ``space`` states them, if the study has others or in another order."""
    for part in leaves(travel):
        if not isinstance(part, Switch) or not isinstance(part.fee, np.ndarray):
            continue
        axis = part.axis if isinstance(part.axis, str) else space.names[part.axis]
        values = merged.choices[merged.column(axis)] or ()
        if space.choices[space.column(axis)] != values:
            raise InvalidInput(
                f"travel: a matrix between the values of {axis!r} must have them in the order "
                f"{', '.join(map(str, values))}, retired ones included; state the values so, too"
            )


# The space: what it becomes, with every place of the past meaning what it did.


def _space_with(space: AnySpace, parts: Mapping[str, Any]) -> AnySpace:
    """Return the space that axes by name, regions, constraints or a table make of this one."""
    if isinstance(space, Places):
        if others := [key for key in parts if key != "places"]:
            raise InvalidInput(f"{others[0]} belongs to a space of axes; give places=, the table as it is from now on")
        table = parts["places"]
        return table if isinstance(table, Places) else Places(table, list(space.names), space.once)
    if not isinstance(space, Space):
        raise InvalidInput("the space is of a class of your own; give space=, all of it")
    if "places" in parts:
        raise InvalidInput("places belongs to a study of a table, and this one has axes; give axes=")
    given = parts.get("axes", {})
    if not isinstance(given, Mapping):
        raise InvalidInput(f"axes must be a dict by name, such as {{'temp_C': (40, 140)}}, got {given!r}")
    for name in given:
        if name not in space.names:
            raise InvalidInput(f"there is no axis {name!r}; {checks.nearest(name, space.names)}")
    axes = [_axis_as(axis, given[axis.name]) if axis.name in given else axis for axis in space.axes]
    rules = parts.get("constraints", space.constraints)
    return Space(*axes, forbidden=parts.get("forbidden", space.forbidden) or (), constraints=rules or ())


def _axis_as(axis: Axis, given: Any) -> Axis:
    """Return an axis as the user states it: its ends, the values of a choice, a dict of fields, or an axis."""
    if isinstance(given, Real | Integer | Choice):
        return given
    fields = dict(given) if isinstance(given, Mapping) else None
    if isinstance(axis, Choice):
        fields = {"values": given} if fields is None else fields
        return Choice(axis.name, **{"values": axis.current, "unit": axis.unit, **fields})
    if fields is None:
        if not isinstance(given, list | tuple) or len(given) != 2:
            raise InvalidInput(f"axes: {axis.name!r} takes (low, high), None for an end that stays, got {given!r}")
        fields = {end: number for end, number in zip(("low", "high"), given, strict=True) if number is not None}
    kept = {key: getattr(axis, key) for key in ("low", "high", "log", "step", "unit")}
    if unknown := [key for key in fields if key not in (*kept, "digits")]:
        raise InvalidInput(f"axes: {axis.name!r} has no {unknown[0]!r}; {checks.nearest(unknown[0], kept)}")
    if fields.get("digits") is not None:
        kept["step"] = None
    return type(axis)(axis.name, **(kept | fields))


def merged_space(before: AnySpace, after: AnySpace) -> AnySpace:
    """Return a new space in which every row of the old one means what it did: same columns, same positions."""
    if isinstance(after, type) or type(before) is not type(after) or not isinstance(after, Space | Places):
        raise InvalidInput(
            f"space: a study of {_kind(before)} stays one; begin another study, with these as known results"
        )
    if isinstance(before, Places) and isinstance(after, Places):
        frame = _merged_frame(before.frame, after.frame)
        rows = frame.points([after.params(row) for row in after.table])
        return Places.framed(rows, frame, after.once, after._whole)
    assert isinstance(before, Space)
    assert isinstance(after, Space)
    axes = _merged_axes(before.axes, after.axes)
    return Space(*axes, forbidden=[one.stated for one in after.forbidden], constraints=after.constraints)


def _merged_frame(before: Space, after: Space) -> Space:
    """Return the box of a changed table; it spans the new rows alone, but knows all values of choices."""
    frame = Space(*_merged_axes(before.axes, after.axes))
    plain = [Choice(axis.name, axis.values, axis.unit) if isinstance(axis, Choice) else axis for axis in frame.axes]
    return Space(*plain)


def _merged_axes(before: Sequence[Axis], after: Sequence[Axis]) -> list[Axis]:
    by_name = {axis.name: axis for axis in after}
    names = [axis.name for axis in before]
    if set(names) != set(by_name):
        odd = next(iter(set(names) ^ set(by_name)))
        raise InvalidInput(
            f"axes cannot come, go or be renamed ({odd!r}): earlier places would lack a value; begin another study"
        )
    return [_merged(axis, by_name[axis.name]) for axis in before]


def _merged(before: Axis, after: Axis) -> Axis:
    name = before.name
    if type(before) is not type(after):
        kinds = [type(axis).__name__ for axis in (before, after)]
        raise InvalidInput(f"axis {name!r} is of kind {kinds[0]} and cannot become {kinds[1]}: places would be misread")
    if before.unit not in ("", after.unit):
        raise InvalidInput(f"axis {name!r} is in {before.unit!r} and cannot become {after.unit!r}: places are in it")
    if not isinstance(before, Choice) or not isinstance(after, Choice):
        return after
    values = (*before.values, *(value for value in after.values if not _has(before.values, value)))
    gone = [value for value in values if not _has(after.current, value)]
    return Choice(name, values, after.unit, gone)


def _has(values: Sequence[Any], value: Any) -> bool:
    # True equals 1 to Python; to the user they are different answers.
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in values)


def _kind(space: AnySpace) -> str:
    return "a table of places" if isinstance(space, Places) else "axes"


def only_narrows(before: AnySpace, after: AnySpace) -> bool:
    """Return whether a changed space allows nothing that was not allowed before, and is cut into the same steps."""
    if isinstance(before, Places) and isinstance(after, Places):
        return before.once <= after.once and bool(before.contains(after.table).all())
    if not isinstance(before, Space) or not isinstance(after, Space):
        return False
    return (
        all(_is_narrower(new, old) for new, old in zip(after.axes, before.axes, strict=True))
        and all(region in after.forbidden for region in before.forbidden)
        and all(rule in after.constraints for rule in before.constraints)
    )


def _is_narrower(new: Axis, old: Axis) -> bool:
    if isinstance(new, Choice) or isinstance(old, Choice):
        return set(getattr(new, "current", ())) <= set(getattr(old, "current", ()))
    return old.low <= new.low and new.high <= old.high and new.step == old.step


# Checks: of the specification by itself, of what must stay, and of the place where the traveller stands.


def check_kept(before: StudySpec, after: StudySpec, begun: bool) -> None:
    """Refuse a change of what must stay, by name and with the reason; ``begun``: a trial was handed out."""
    for key, why in FIXED.items():
        if getattr(before, key) != getattr(after, key):
            raise InvalidInput(f"{key} cannot be changed: {why}")
    if begun and not _same_place(before.start, after.start):
        raise InvalidInput("start cannot be changed: the traveller has moved on; replan from another position instead")
    if after.space is not before.space:
        if not _keeps_meaning(before.space, after.space):
            raise InvalidInput("space: earlier places would mean something else")
        merged_space(before.space, after.space)
    names = {limit.name: limit.unit for limit in after.measured}
    for limit in before.measured:
        if limit.name not in names:
            raise InvalidInput(f"measured: {limit.name!r} has results and stays; move its limit instead")
        if limit.unit not in ("", names[limit.name]):
            raise InvalidInput(f"measured: {limit.name!r} is in {limit.unit!r}; state its limit in it")


def _same_place(one: Values | None, other: Values | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _keeps_meaning(before: AnySpace, after: AnySpace) -> bool:
    """Return whether columns and positions of values are the same in both spaces."""
    return before.names == after.names and all(
        old is new or (old is not None and new is not None and new[: len(old)] == old)
        for old, new in zip(before.choices, after.choices, strict=True)
    )


def check_changed(after: StudySpec, keys: Collection[str], here: Values | None) -> None:
    """Refuse a specification that could not be planned or priced.

    Args:
        after: the new specification.
        keys: what changed, as in a form.
        here: where the traveller stands; None if that is unknown.
    """
    space, moves = any(key in SPACE for key in keys), "travel" in keys
    if "trials" in keys or "method" in keys:
        check_size(after.method, after.trials)
    if space or "measured" in keys:
        check_names(after.name, after.unit, after.space, list(after.measured))
    if (space or "method" in keys or "noise" in keys) and (suits := getattr(after.method.policy, "suits", None)):
        suits(after.space, after.direction, after.noise)
    if space or moves:
        report = check_travel(after.travel, after.space)
        if moves and (reasons := lost_guarantees(after.travel, report, after.method, after.anchor, after.shuffle)):
            warn(f"average movement need not go to zero: {'; '.join(reasons)} (docs/theory.md)", GuaranteeWarning)
    for i, one in enumerate(after.also if space or "also" in keys else ()):
        if not (found := check(one.travel, after.space)).is_usable:
            raise InvalidInput(f"also[{i}]: this cost cannot be used. {' '.join(str(found).split())}")
    if after.limits.home is not None and (space or moves or "home" in keys):
        check_joined(after.space, after.travel, after.limits.home, "home", here)
    trip, anchor = after.limits.trip, after.anchor
    if anchor is not None and anchor.place is not None and trip is not None:
        from_home = evolve(after.limits, budget=None)
        reach = Reach(after.travel, after.limits.home, from_home).from_home()
        if not reach.fits(anchor.place[None, :])[0]:
            raise InvalidInput(
                f"anchor: {in_words(after.space.params(anchor.place))} is out of the range of a trip of "
                f"{in_full(trip, after.unit)}; change the anchor, too"
            )
