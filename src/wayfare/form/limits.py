"""The limits and checks of a study as plain data, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from wayfare.form import keys
from wayfare.form.also import read_run_cost, write_run_cost
from wayfare.form.place import read_place, write_place
from wayfare.options import Options
from wayfare.records import StudySpec
from wayfare.space import AnySpace

LIMITS = ("budget", "end", "run_cost", "trip", "trip_cost", "max_step", "anchor", "anchor_every", "shuffle")


def write_limits(spec: StudySpec) -> dict[str, Any]:
    """Return what is stated; what stands at its default is left out."""
    limits, anchor = spec.limits, spec.anchor
    form: dict[str, Any] = {
        "budget": limits.budget,
        "end": None if limits.end is None else write_place(limits.end, spec.space),
        "run_cost": write_run_cost(spec),
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
    if "end" in form:
        options["end"] = _read_place_or_word(form["end"], "end", ["start"], space)
    if "run_cost" in form:
        options["run_cost"] = read_run_cost(form["run_cost"])
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


def _read_place_or_word(
    form: object, where: str, words: Sequence[str], space: AnySpace
) -> str | dict[str, Any]:
    if isinstance(form, str):
        return keys.one_of(form, where, words, "word")
    return read_place(form, where, space)
