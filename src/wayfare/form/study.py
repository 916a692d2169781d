"""A study's specification as plain data, and back.

The same shape is written as TOML in a study file and as JSON in a store, so one reader checks both.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.keys import check_plain, check_same, path
from wayfare.form.map import without_map
from wayfare.form.method import read_method, write_method
from wayfare.form.space import check_size, open_ends, read_place, read_space, write_place, write_space
from wayfare.form.travel import JOINED, Ground, check_same_cost, read_also, read_cost, write_cost
from wayfare.planning.catalogue import DEFAULT
from wayfare.planning.method import Method
from wayfare.record.events import Direction, StudySpec
from wayfare.record.spec import Options, make_spec
from wayfare.space import AnySpace, Places
from wayfare.surrogate.measured import Measured
from wayfare.travel import TravelCost, as_cost

KEYS = (
    *("name", "direction", "trials", "seed", "method", "noise", "start"),
    *("budget", "home", "dwell", "trip", "day", "trip_cost", "max_step", "anchor", "anchor_every", "shuffle", "stop"),
    *("unit", "axis", "forbidden", "constraint", "places", "map", "travel", "also", "measured"),
)
MEASURED = ("name", "at_most", "at_least", "unit")
_RENAMED = {"end": "home", "run_cost": "dwell"}
"""Keys of studies stored by wayfare 0.1, and what they are called since 0.2."""


def write_spec(spec: StudySpec) -> dict[str, Any]:
    """Return the specification as plain data that JSON keeps to the last bit.

    A Python function or class cannot be written. Its name is, and ``read_spec`` must be given the rest.
    """
    # The order of the keys is that of every stored form and of every export, so it stays.
    limits, anchor, space = spec.limits, spec.anchor, spec.space
    places = write_space(space)
    ground = Ground(space)
    travel = write_cost(spec.travel, "travel", ground)
    if travel["kind"] in JOINED:
        travel["unit"] = spec.unit
    besides = {one.unit: one.dwell for one in spec.also if one.dwell}
    dwell = ({spec.unit: limits.dwell} if limits.dwell else {}) | besides if besides else limits.dwell or None
    stated = {
        **{key: getattr(spec, key) for key in ("name", "direction", "trials", "seed")},
        "method": write_method(spec.method, "method"),
        "noise": spec.noise,
        "start": None if spec.start is None else write_place(spec.start, space),
        "budget": limits.budget,
        "home": None if limits.home is None else write_place(limits.home, space),
        "dwell": dwell,
        "trip": None if limits.is_day else limits.trip,
        "day": limits.trip if limits.is_day else None,
        "trip_cost": limits.trip_cost or None,
        "max_step": limits.max_step,
    }
    if anchor is not None:
        stated["anchor"] = "best" if anchor.place is None else write_place(anchor.place, space)
        stated["anchor_every"] = anchor.every
    also = [write_cost(one.travel, f"also[{i}]", ground) for i, one in enumerate(spec.also)] or None
    unit = None if travel["unit"] == spec.unit else spec.unit
    stop = None if spec.gain_below is None else {"gain_below": spec.gain_below}
    stated |= {"shuffle": spec.shuffle or None, "stop": stop, **places, "unit": unit, "travel": travel, "also": also}
    stated["measured"] = [_write_measured(one) for one in spec.measured] or None
    form = {key: value for key, value in stated.items() if value is not None}
    check_plain(form, new=False)
    return form


def read_spec(
    form: Mapping[str, Any],
    *,
    folder: Path | None = None,
    travel: TravelCost | None = None,
    method: Method | None = None,
    also: Sequence[TravelCost] | None = None,
    space: AnySpace | None = None,
    new: bool = True,
) -> StudySpec:
    """Return the specification that a form states, everything in it checked.

    Args:
        form: plain data, from ``read_study_file`` or as ``write_spec`` wrote it.
        folder: the files named in it must be below this folder; None, and always for a stored form: it may name none.
        travel: the travel cost, if the form's is a Python function; else it must be the same.
        method: the method, if the form's has parts of the user's own; else it must be the same.
        also: the costs in further currencies, if one of the form's is a Python function; else the same.
        space: the space, if one of the form's constraints is a Python function; else the same.
        new: whether the study is about to be created. A stored form is read without trying its travel cost, and may
            lack its Python parts: stand-ins refuse once they are needed.
    """
    # 1. Plain data with today's keys. 2. The map, written out. 3. The space, which all else is read by. 4. The rest.
    if not new:
        form = {_RENAMED.get(key, key): value for key, value in keys.table(form, "").items()}
        folder = None
    form = open_ends(form)
    check_plain(form, new=new)
    keys.table(form, "", KEYS)
    form = without_map(form, folder)
    name = keys.name(keys.needed(form, "name", "", "what is the study to be called?"), "name")
    direction = keys.needed(form, "direction", "", "say 'maximize' or 'minimize'")
    trials = keys.needed(form, "trials", "", "how many visits in all, the first included?")
    own = read_space(form, folder, customs=not new)
    if new and isinstance(own, Places):
        many = len(own.table)
        check_size(many, f"places has {many:,} rows", "leave some out, or create the study from Python")
    if space is not None:
        check_same(write_space(own), write_space(space), "space")
    space = own if space is None else space
    cost, unit = read_travel(form, space, travel, new)
    start = None if "start" not in form else read_place(form["start"], "start", space)
    stated = (
        space,
        cast(Direction, keys.one_of(direction, "direction", ("maximize", "minimize"), "direction")),
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
    options["measured"] = read_measured(form.get("measured", []))
    try:
        return make_spec(*stated, check_cost=new, **options)
    except InvalidInput as error:  # the report on a cost has several lines
        raise InvalidInput(" ".join(str(error).split())) from error


def read_travel(
    form: Mapping[str, Any], space: AnySpace, given: TravelCost | None, new: bool
) -> tuple[TravelCost, str]:
    """Return the travel cost that a form states, or the one given for it, and the unit that it is in."""
    own = keys.text(form.get("unit", ""), "unit")
    given = None if given is None else as_cost(given)
    if given is not None and "travel" not in form:
        return given, own
    # A study file may leave all of the cost to the caller, or state only its unit.
    fields = keys.table(keys.needed(form, "travel", "", "what does moving cost?"), "travel")
    unit = keys.text(fields.get("unit", ""), "travel.unit")
    if own and unit and own != unit:
        raise InvalidInput(f"unit is {own!r}, but travel.unit is {unit!r}; leave one of them out")
    if given is not None and "kind" not in fields:
        keys.table(fields, "travel", ["unit"])
        return given, own or unit
    ground = Ground(space, customs=not new or given is not None)
    joined = fields.get("kind") in JOINED
    cost = read_cost({k: v for k, v in fields.items() if not (joined and k == "unit")}, "travel", ground)
    if given is not None:
        check_same_cost(cost, given, "travel", ground)
    return cost if given is None else given, own or unit


def _read_method(form: Mapping[str, Any], given: Method | None, new: bool) -> str | Method:
    if given is None:
        return read_method(form["method"], "method", new) if "method" in form else DEFAULT
    # Compared as written: where the stored method has a part of the user's own, any part passes.
    if "method" in form and isinstance(given, Method):
        stored = read_method(form["method"], "method", False)
        check_same(write_method(stored, "method"), write_method(given, "method"), "method")
    return given


def read_limits(form: Mapping[str, Any], space: AnySpace) -> Options:
    """Return the limits and checks that a form states, as a user would."""
    readers: dict[str, Callable[[Any, str], Any]] = {
        "budget": keys.positive,
        "home": lambda value, where: _read_place_or_word(value, where, ["start"], space),
        "dwell": _read_dwell,
        "trip": keys.positive,
        "day": lambda value, where: value if isinstance(value, str) else keys.positive(value, where),
        "trip_cost": keys.not_negative,
        "max_step": keys.positive,
        "anchor": lambda value, where: _read_place_or_word(value, where, ["start", "best"], space),
        "anchor_every": lambda value, where: keys.count(value, where, 1),
        "shuffle": keys.share,
        "stop": _read_stop,
    }
    return cast(Options, {key: read(form[key], key) for key, read in readers.items() if key in form})


def _write_measured(limit: Measured) -> dict[str, Any]:
    stated = {"name": limit.name, "at_most": limit.at_most, "at_least": limit.at_least, "unit": limit.unit or None}
    return {key: value for key, value in stated.items() if value is not None}


def read_measured(form: object) -> list[Measured]:
    """Return the limits on what is measured."""
    limits = []
    for i, fields in enumerate(keys.tables(form, "measured")):
        where = f"measured[{i}]"
        stated = keys.table(fields, where, MEASURED)
        name = keys.name(keys.needed(stated, "name", where, "what is it called?"), f"{where}.name")
        sides = {key: keys.number(stated[key], f"{where}.{key}") for key in ("at_most", "at_least") if key in stated}
        with keys.refused_at(where, Measured, MEASURED):
            limits.append(Measured(name, **sides, unit=keys.text(stated.get("unit", ""), f"{where}.unit")))
    return limits


def _read_stop(form: object, where: str) -> dict[str, float]:
    stated = keys.table(form, where, ("gain_below",))
    return {
        "gain_below": keys.positive(
            keys.needed(stated, "gain_below", where, "below which gain?"), f"{where}.gain_below"
        )
    }


def _read_dwell(form: object, where: str) -> float | dict[str, float]:
    if not isinstance(form, Mapping):
        return keys.not_negative(form, where)
    return {unit: keys.not_negative(amount, path(where, unit)) for unit, amount in form.items()}


def _read_place_or_word(form: object, where: str, words: Sequence[str], space: AnySpace) -> str | dict[str, Any]:
    if isinstance(form, str):
        return keys.one_of(form, where, words, "word")
    return read_place(form, where, space)
