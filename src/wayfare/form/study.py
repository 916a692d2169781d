"""The whole of a study's specification as plain data, and back."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.keys import check_plain, check_same
from wayfare.form.map import without_map
from wayfare.form.method import read_method, write_method
from wayfare.form.space import (
    open_ends,
    read_axes,
    read_forbidden,
    read_place,
    read_places,
    write_axis,
    write_place,
    write_places,
    write_region,
)
from wayfare.form.travel import Ground, read_also, read_cost, read_dwell, write_also, write_cost, write_dwell
from wayfare.planning.catalogue import DEFAULT
from wayfare.planning.method import Method
from wayfare.record.events import Direction, StudySpec
from wayfare.record.spec import Options, make_spec
from wayfare.space import AnySpace, Places, Space
from wayfare.travel import Parallel, Serial, TravelCost, as_cost

# The limits and checks of a study as plain data, and back.


LIMITS = ("budget", "home", "dwell", "trip", "trip_cost", "max_step", "anchor", "anchor_every", "shuffle")


def write_limits(spec: StudySpec) -> dict[str, Any]:
    """Return what is stated; what stands at its default is left out."""
    limits, anchor = spec.limits, spec.anchor
    form: dict[str, Any] = {
        "budget": limits.budget,
        "home": None if limits.home is None else write_place(limits.home, spec.space),
        "dwell": write_dwell(spec),
        "trip": limits.trip,
        "trip_cost": limits.trip_cost or None,
        "max_step": limits.max_step,
    }
    if anchor is not None:
        form["anchor"] = "best" if anchor.place is None else write_place(anchor.place, spec.space)
        form["anchor_every"] = anchor.every
    form["shuffle"] = spec.shuffle or None
    return {key: value for key, value in form.items() if value is not None}


def read_limits(form: Mapping[str, Any], space: AnySpace) -> Options:
    """Return what is stated, each by its key."""
    options: Options = {}
    if "budget" in form:
        options["budget"] = keys.positive(form["budget"], "budget")
    if "home" in form:
        options["home"] = _read_place_or_word(form["home"], "home", ["start"], space)
    if "dwell" in form:
        options["dwell"] = read_dwell(form["dwell"])
    if "trip" in form:
        options["trip"] = keys.positive(form["trip"], "trip")
    if "trip_cost" in form:
        options["trip_cost"] = keys.not_negative(form["trip_cost"], "trip_cost")
    if "max_step" in form:
        options["max_step"] = keys.positive(form["max_step"], "max_step")
    if "anchor" in form:
        options["anchor"] = _read_place_or_word(form["anchor"], "anchor", ["start", "best"], space)
    if "anchor_every" in form:
        options["anchor_every"] = keys.count(form["anchor_every"], "anchor_every", 1)
    if "shuffle" in form:
        options["shuffle"] = keys.share(form["shuffle"], "shuffle")
    return options


def _read_place_or_word(form: object, where: str, words: Sequence[str], space: AnySpace) -> str | dict[str, Any]:
    if isinstance(form, str):
        return keys.one_of(form, where, words, "word")
    return read_place(form, where, space)


KEYS = (
    "name",
    "direction",
    "trials",
    "seed",
    "method",
    "noise",
    "start",
    *LIMITS,
    "unit",
    "axis",
    "forbidden",
    "places",
    "map",
    "travel",
    "also",
)
DIRECTIONS = ("maximize", "minimize")
RENAMED = {"end": "home", "run_cost": "dwell"}
"""Keys of studies stored by wayfare 0.1, and what they are called since 0.2."""


def write_spec(spec: StudySpec) -> dict[str, Any]:
    """Return the specification as plain data that JSON keeps to the last bit.

    A Python function or class cannot be written: its name is, and ``read_spec`` is to be given the rest.
    """
    form: dict[str, Any] = {
        "name": spec.name,
        "direction": spec.direction,
        "trials": spec.trials,
        "seed": spec.seed,
        "method": write_method(spec.method, "method"),
    }
    if spec.noise is not None:
        form["noise"] = spec.noise
    if spec.start is not None:
        form["start"] = write_place(spec.start, spec.space)
    form |= write_limits(spec)
    form |= _write_space(spec.space)
    travel = write_cost(spec.travel, "travel", Ground(spec.space))
    # A sum or a maximum has no unit of its own, so there the key is free to be the study's.
    if _is_joined(spec.travel):
        travel["unit"] = spec.unit
    elif travel["unit"] != spec.unit:
        form["unit"] = spec.unit
    form["travel"] = travel
    form |= write_also(spec)
    check_plain(form, new=False)
    return form


def read_spec(
    form: Mapping[str, Any],
    *,
    folder: Path | None = None,
    travel: TravelCost | None = None,
    method: Method | None = None,
    also: Sequence[TravelCost] | None = None,
    new: bool = True,
) -> StudySpec:
    """Return the specification that a form states, everything in it checked.

    Args:
        form: plain data, from ``read_study_file`` or as ``write_spec`` wrote it.
        folder: where the files named in it are looked for; the working directory if None.
        travel: the travel cost, where the form's is a Python function; else it must be the same.
        method: the method, where the form's has parts of the user's own; else it must be the same.
        also: the costs in further currencies, where one of the form's is a Python function; else the same.
        new: a study about to be made. A study that was kept is read without trying its travel cost, and may
            lack its Python parts: those refuse once they are needed.
    """
    form = open_ends(form if new else _with_todays_keys(form))
    check_plain(form, new=new)
    keys.table(form, "", KEYS)
    form = without_map(form, folder)
    name = keys.name(keys.needed(form, "name", "", "what is the study to be called?"), "name")
    direction = keys.needed(form, "direction", "", "say 'maximize' or 'minimize'")
    trials = keys.needed(form, "trials", "", "how many visits in all, the first included?")
    space = _read_space(form, folder)
    cost, unit = _read_travel(form, space, travel, new)
    start = None if "start" not in form else read_place(form["start"], "start", space)
    stated = (
        space,
        cast(Direction, keys.one_of(direction, "direction", DIRECTIONS, "direction")),
        cost,
        keys.count(trials, "trials", 1),
        start,
        _read_method(form, method, new),
        keys.count(form.get("seed", 0), "seed", 0),
        unit,
        keys.positive(form["noise"], "noise") if "noise" in form else None,
        name,
    )
    options = read_limits(form, space)
    options["also"] = read_also(form.get("also", []), space, also, new)
    try:
        return make_spec(*stated, check_cost=new, **options)
    except InvalidInput as error:  # the report on a cost has several lines
        raise InvalidInput(" ".join(str(error).split())) from error


def _with_todays_keys(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored form with keys of wayfare 0.1 replaced by today's."""
    return {RENAMED.get(key, key): value for key, value in keys.table(form, "").items()}


def _write_space(space: AnySpace) -> dict[str, Any]:
    if type(space) is Space:
        regions = {"forbidden": [write_region(region) for region in space.forbidden]}
        return {"axis": [write_axis(axis) for axis in space.axes]} | (regions if space.forbidden else {})
    if type(space) is Places:
        return {"places": write_places(space)}
    raise InvalidInput(f"space: only a Space or Places can be kept, got {type(space).__name__}")


def _read_space(form: Mapping[str, Any], folder: Path | None) -> Space | Places:
    space = _read_whole(form, folder)
    return read_forbidden(form["forbidden"], space) if "forbidden" in form else space


def _read_whole(form: Mapping[str, Any], folder: Path | None) -> Space | Places:
    if "axis" in form and "places" in form:
        raise InvalidInput("axis and places exclude each other; leave one of them out")
    if "places" in form:
        return read_places(form["places"], "places", folder)
    return read_axes(keys.needed(form, "axis", "", "give an [[axis]] for each, or [places]"), "axis")


def _read_travel(
    form: Mapping[str, Any], space: AnySpace, given: TravelCost | None, new: bool
) -> tuple[TravelCost, str]:
    """Return the cost and the study's unit."""
    own = keys.text(form.get("unit", ""), "unit")
    given = None if given is None else as_cost(given)
    if given is not None and "travel" not in form:
        return given, own
    fields = keys.table(keys.needed(form, "travel", "", "what does moving cost?"), "travel")
    ground = Ground(space, customs=not new or given is not None)
    joined = fields.get("kind") in ("serial", "parallel")
    unit = keys.text(fields.get("unit", ""), "travel.unit")
    if own and unit and own != unit:
        raise InvalidInput(f"unit is {own!r}, but travel.unit is {unit!r}; leave one of them out")
    if given is not None and "kind" not in fields:
        keys.table(fields, "travel", ["unit"])
        return given, own or unit
    cost = read_cost({k: v for k, v in fields.items() if not (joined and k == "unit")}, "travel", ground)
    if given is not None:
        check_same(
            write_cost(cost.bind(space), "travel", ground), write_cost(given.bind(space), "travel", ground), "travel"
        )
    return cost if given is None else given, own or unit


def _read_method(form: Mapping[str, Any], given: Method | None, new: bool) -> str | Method:
    if given is None:
        return read_method(form["method"], "method", new) if "method" in form else DEFAULT
    if "method" in form and isinstance(given, Method):
        kept = read_method(form["method"], "method", False)
        check_same(write_method(kept, "method"), write_method(given, "method"), "method")
    return given


def _is_joined(cost: TravelCost) -> bool:
    return type(cost) in (Serial, Parallel)
