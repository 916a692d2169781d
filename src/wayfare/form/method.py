"""Methods as plain data: the whole composition, so that no later catalogue changes a stored study.

``{policy = {kind = "ucb", beta = 4.0}, schedule = {kind = "growing", factor = 1.1}}``. A part's keys are the fields of
its class, and a field's type says how it is read: a number, text, or a part again.
"""

from collections.abc import Mapping
from typing import Any, NoReturn, get_origin, get_type_hints

import attrs
from attrs import NOTHING, frozen

from wayfare import policy, route, surrogate
from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.keys import DEEPEST, path
from wayfare.planning import opening
from wayfare.planning.catalogue import CATALOGUE, method_named
from wayfare.planning.method import Method
from wayfare.policy import bandit, schedule

PARTS: dict[Any, dict[str, type[Any]]] = {
    policy.Policy: {"ucb": policy.UCB, "thompson": policy.Thompson, "log_ei": policy.LogEI}
    | {"pure_exploration": policy.PureExploration, "uniform": policy.Uniform, "latin_hypercube": policy.LatinHypercube}
    | {"elimination": policy.Elimination, "snake": policy.Snake, "distance_ucb": policy.DistanceUCB}
    | {"ei_per_cost": policy.EIPerCost, "on_the_way": policy.OnTheWay, "ei_on_the_way": policy.EIOnTheWay}
    | {"explore_first": policy.ExploreFirst, "bpe": policy.BPE, "look_ahead": policy.LookAhead}
    | {"truncated": policy.Truncated, "limited_step": policy.LimitedStep, "repeated": policy.Repeated}
    | {"lazy_ucb": policy.LazyUCB}
    | {"base": bandit.BaSE, "blin": bandit.BLiN}
    | {"ucb1": bandit.UCB1, "thompson_beta": bandit.ThompsonBeta, "thompson_gaussian": bandit.ThompsonGaussian}
    | {"mesh_ucb1": bandit.MeshUCB1, "zooming": bandit.Zooming},
    schedule.Schedule: {"one_by_one": schedule.OneByOne, "fixed": schedule.Fixed, "growing": schedule.Growing}
    | {"log_log": schedule.LogLog, "rolling": schedule.Rolling, "horizon": schedule.Horizon},
    surrogate.Surrogate: {"gp": surrogate.GP, "tally": surrogate.Tally},
    route.RoutePlanner: {"short": route.ShortRoute, "as_given": route.AsGiven, "nearest_next": route.NearestNext}
    | {"held_karp": route.HeldKarp, "fast_tsp": route.FastTsp, "shuffled": route.Shuffled},
    opening.Opening: {
        "just_start": opening.JustStart,
        "none": opening.NoOpening,
        "show_values": opening.ShowValues,
        "survey": opening.Survey,
    },
}
"""The kinds of each protocol."""


def method_name(method: Method) -> str:
    """Return the method's name in the catalogue, or "custom" if it has none."""
    return next((name for name, entry in CATALOGUE.items() if entry.build() == method), "custom")


def read_method(form: object, where: str, new: bool) -> Method:
    """Return the method of a name in the catalogue, or of a composition.

    In a stored form the composition counts, and the name beside it is only shown.
    """
    if isinstance(form, str):
        return method_named(form)
    if not isinstance(form, Mapping):
        keys.refuse(where, "a name from the catalogue, or a table with a policy and a schedule", form)
    parts = {key: value for key, value in form.items() if key != "name"}
    method: Method = _read_fields(Method, parts, where, new, 0)
    if "name" in form:
        name = keys.text(form["name"], path(where, "name"))
        if new and name != method_name(method):
            raise InvalidInput(f"{path(where, 'name')}: this composition is not {name!r}; leave the name out")
    return method


def write_method(method: Method, where: str) -> dict[str, Any]:
    """Return the composition as plain data, with its name if it has one."""
    name = method_name(method)
    return ({} if name == "custom" else {"name": name}) | _write_fields(Method, method, where, 0)


@frozen
class _AbsentPart:
    """Stands in for a part of a method that could not be stored: only the name of its class is known.

    A study can be opened, read and told without the real part. Every method of this one refuses and says how to supply
    the other.
    """

    name: str

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise InvalidInput(
            f"the method of this study has a part of the Python class {self.name!r}, which cannot be kept; "
            "Study.open(..., method=...) supplies it"
        )

    propose = is_due = batch_size = fit = recall = order = places = _refuse


def _read_fields(cls: type[Any], form: Mapping[str, Any], where: str, new: bool, level: int) -> Any:
    hints, fields = get_type_hints(cls), attrs.fields(cls)
    # The method itself is no kind among others.
    keys.table(form, where, [*(["kind"] if level else []), *(one.name for one in fields)])
    values = {}
    for one in fields:
        if one.name in form:
            value, hint, at = form[one.name], hints[one.name], path(where, one.name)
            is_part = hint in PARTS
            values[one.name] = _read_part(value, hint, at, new, level) if is_part else _scalar(value, hint, at)
        elif one.default is NOTHING:
            keys.needed(form, one.name, where, f"{cls.__name__} has no default for it")
    with keys.refused_at(where, cls, values):
        return cls(**values)


def _write_fields(cls: type[Any], part: Any, where: str, level: int) -> dict[str, Any]:
    hints, form = get_type_hints(cls), {}
    for one in attrs.fields(cls):
        value, hint, at = getattr(part, one.name), hints[one.name], path(where, one.name)
        if value is not None:  # a form has nothing that stands for None
            form[one.name] = _write_part(value, hint, at, level) if hint in PARTS else _scalar(value, hint, at)
    return form


def _read_part(form: object, protocol: Any, where: str, new: bool, level: int) -> Any:
    _check_level(where, level)
    kinds, fields = PARTS[protocol], keys.table(form, where)
    word = keys.needed(fields, "kind", where, f"it is one of {', '.join(kinds)}")
    kind = keys.one_of(word, path(where, "kind"), [*kinds, "custom"], "kind")
    if kind != "custom":
        return _read_fields(kinds[kind], fields, where, new, level + 1)
    if new:
        raise InvalidInput(
            f"{path(where, 'kind')}: a study file cannot hold a Python class ('custom'); use another kind, "
            "or create the study in Python with Study.create(..., method=...)"
        )
    keys.table(form, where, ["kind", "class"])
    return _AbsentPart(keys.text(fields.get("class", "unknown"), path(where, "class")))


def _write_part(part: Any, protocol: Any, where: str, level: int) -> dict[str, Any]:
    _check_level(where, level)
    cls = type(part)
    # By the class itself: a subclass is the user's own, and may do anything.
    kind = next((kind for kind, ours in PARTS[protocol].items() if ours is cls), None)
    if kind is None:
        return {"kind": "custom", "class": part.name if cls is _AbsentPart else cls.__name__}
    return {"kind": kind, **_write_fields(cls, part, where, level + 1)}


def _check_level(where: str, level: int) -> None:
    if level == DEEPEST:
        raise InvalidInput(f"{where[:60]}…: parts nested more than {DEEPEST} deep")


def _scalar(value: object, hint: Any, where: str) -> Any:
    """Return a number, text or a boolean of the type a field has; the same for reading and writing."""
    if hint is bool:
        return keys.flag(value, where)
    if hint in (int, int | None):
        return keys.integer(value, where)
    if hint in (float, float | None):
        return keys.number(value, where)
    if hint is str or get_origin(hint) is not None:  # a Literal is text, too
        return keys.text(value, where)
    raise InvalidInput(f"{where} is a {hint}, which has no plain form")
