"""Costs in further currencies as plain data: a list of tables, each like that of ``travel``."""

from collections.abc import Mapping, Sequence
from typing import Any

from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.fields import Ground
from wayfare.form.plain import path
from wayfare.form.supplied import check_same
from wayfare.form.travel import read_cost, write_cost
from wayfare.records import StudySpec
from wayfare.space import AnySpace
from wayfare.travel import Scaled, TravelCost, as_cost


def write_also(spec: StudySpec) -> dict[str, Any]:
    """Return the costs in the order they are reported; nothing if there are none."""
    ground = Ground(spec.space)
    costs = [write_cost(one.travel, f"also[{i}]", ground) for i, one in enumerate(spec.also)]
    return {"also": costs} if costs else {}


def write_run_cost(spec: StudySpec) -> float | dict[str, float] | None:
    """Return what taking one result costs: a number, or one by unit; None if it costs nothing."""
    besides = {one.unit: one.run_cost for one in spec.also if one.run_cost}
    own = spec.limits.run_cost
    if not besides:
        return own or None
    return ({spec.unit: own} if own else {}) | besides


def read_run_cost(form: object) -> float | dict[str, float]:
    """Return what taking one result costs: a number, or one by unit."""
    if not isinstance(form, Mapping):
        return keys.not_negative(form, "run_cost")
    return {unit: keys.not_negative(amount, path("run_cost", unit)) for unit, amount in form.items()}


def read_also(
    forms: object, space: AnySpace, given: Sequence[TravelCost] | None, new: bool
) -> list[TravelCost]:
    """Return the costs, those that are ``given`` where the form's are Python functions."""
    if not isinstance(forms, list | tuple):
        keys.refuse("also", "a list of tables, each under [[also]]", forms)
    ground = Ground(space, customs=not new or given is not None)
    costs = [_read_one(form, f"also[{i}]", ground) for i, form in enumerate(forms)]
    if given is None:
        return costs
    if not isinstance(given, list | tuple):
        raise InvalidInput(f"also must be a list of travel costs, got {given!r}")
    if len(given) != len(costs):
        raise InvalidInput(
            f"also: the study reports {len(costs)} further costs, got {len(given)}; supply each"
        )
    for i, (kept, own) in enumerate(zip(costs, given, strict=True)):
        where = f"also[{i}]"
        check_same(
            write_cost(kept.bind(space), where, ground),
            write_cost(as_cost(own).bind(space), where, ground),
            where,
        )
    return list(given)


def _read_one(form: object, where: str, ground: Ground) -> TravelCost:
    fields = keys.table(form, where)
    if fields.get("kind") not in ("serial", "parallel") or "unit" not in fields:
        return read_cost(form, where, ground)
    # A sum or a maximum has the unit of its parts; where they have none, it is said here.
    unit = keys.text(fields["unit"], path(where, "unit"))
    cost = read_cost({key: value for key, value in fields.items() if key != "unit"}, where, ground)
    if cost.unit not in ("", unit):
        raise InvalidInput(
            f"{path(where, 'unit')} is {unit!r}, but its parts are in {cost.unit!r}; leave it out"
        )
    return cost if cost.unit else Scaled(cost, 1.0, unit)
