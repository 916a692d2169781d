"""Every wrong form is refused in one line that names the field by its path."""

import datetime
import math
import tomllib
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.errors import InvalidInput
from wayfare.form import read_spec, write_spec

from .strategies import specs, through_json


def good():
    return {
        "name": "lab",
        "direction": "maximize",
        "trials": 5,
        "axis": [
            {"name": "temp", "low": 0.0, "high": 9.0},
            {"name": "count", "kind": "integer", "low": 1, "high": 9, "step": 2},
            {"name": "metal", "kind": "choice", "values": ["Pd", "Ni"]},
        ],
        "travel": {
            "unit": "s",
            "kind": "serial",
            "parts": [
                {"kind": "ramp", "axis": "temp", "up": 1.0, "down": 1.0},
                {"kind": "switch", "axis": "metal", "fee": 3.0},
                {"kind": "euclidean", "axes": ["temp"], "scale": {"temp": 2.0}},
            ],
        },
        "method": {
            "policy": {"kind": "elimination", "eta": 1.0, "policy": {"kind": "ucb", "beta": 4.0}},
            "schedule": {"kind": "growing", "factor": 1.1},
        },
        "start": {"temp": 1.0, "count": 3, "metal": "Ni"},
    }


MISSING = object()


def changed(*at_and_value):
    """Return the good form with one thing changed: the path to it, then what stands there now."""
    *steps, last, value = at_and_value
    form = good()
    here = form
    for step in steps:
        here = here[step]
    if value is MISSING:
        del here[last]
    else:
        here[last] = value
    return form


def placed(**places):
    form = changed("axis", MISSING)
    del form["start"]
    return form | {"places": places, "travel": {"kind": "fee", "amount": 1}}


def deep(levels):
    cost = {"kind": "fee", "amount": 1}
    for _ in range(levels):
        cost = {"kind": "serial", "parts": [cost]}
    return cost


def deep_policy(levels):
    policy = {"kind": "ucb"}
    for _ in range(levels):
        policy = {"kind": "elimination", "policy": policy}
    return policy


def itself():
    form = {"kind": "serial", "parts": []}
    form["parts"].append(form)
    return form


AXES = [{"name": f"x{i}", "low": 0, "high": 1} for i in range(65)]
RAMP = {"kind": "ramp", "axis": "temp", "up": 1, "down": 1}
HAVERSINE = {"kind": "haversine", "lat": "temp", "lon": "count"}
RASTER = {"kind": "raster", "x": "temp", "y": "count", "grid": [[1, 1], [1, 1]], "columns": [0, 9], "rows": [1, 9]}
NETWORK = {"kind": "network", "axis": "metal", "edges": [["Pd", "Ni", 2]]}
DAY = datetime.date(2026, 5, 1)

BAD = [
    # the top
    ([1], "the form must be a table, got a list"),
    (changed("name", MISSING), "name is missing; "),
    (changed("name", 3), "name must be text, got 3"),
    (changed("name", " "), "name must not be empty"),
    (changed("name", "a\nb"), "name has a control character, got 'a\\nb'"),
    (changed("name", "a\0b"), "name has a control character"),
    (changed("direction", MISSING), "direction is missing; say 'maximize' or 'minimize'"),
    (changed("direction", "maximise"), "direction: there is no direction 'maximise'; did you mean 'maximize'?"),
    (changed("direction", ["maximize"]), "direction must be text, got a list"),
    (changed("trials", MISSING), "trials is missing; "),
    (changed("trials", "many"), "trials must be a number, got 'many'"),
    (changed("trials", 0), "trials must be a whole number of at least 1, got 0"),
    (changed("trials", 2.5), "trials must be a whole number of at least 1, got 2.5"),
    (changed("trials", True), "trials must be a number, got True"),
    (changed("trials", 10**400), "trials must be finite, got a number of more than 300 digits"),
    (changed("trials", 10**5000), "trials must be finite, got a number of more than 300 digits"),
    (changed("trials", {"n": 3}), "trials must be a number, got a table"),
    (changed("seed", -1), "seed must be a whole number of at least 0, got -1"),
    (changed("seed", None), "seed must be a number, text or a boolean, got None"),
    (changed("noise", 0), "noise must be above 0, got 0"),
    (changed("noise", math.nan), "noise must be finite, got nan"),
    (changed("unit", "min"), "unit is 'min', but travel.unit is 's'; leave one of them out"),
    (changed("unit", 3), "unit must be text, got 3"),
    (changed("trails", 5), "trails: unknown key; did you mean 'trials'?"),
    (changed("a\nb", 5), "'a\\nb': a key with a control character"),
    (good() | {3: 4}, "the form has the key 3; keys must be text"),
    # axes
    (changed("axis", MISSING), "axis is missing; give an [[axis]] for each, or [places]"),
    (changed("axis", []), "axis: a space needs at least one axis"),
    (changed("axis", good()["axis"][0]), "axis must be a list of tables, each under [[axis]], got a table"),
    (changed("axis", AXES), "axis: a space has 64 axes at most, got 65"),
    (changed("axis", 1, "name", "temp"), "axis: two axes are named 'temp'"),
    (changed("axis", 0, "hgih", 3), "axis[0].hgih: unknown key; did you mean 'high'?"),
    (changed("axis", 0, "step", 0), "axis[0].step must be above 0, got 0"),
    (changed("axis", 0, "steps", 3), "axis[0].steps: unknown key; did you mean 'step'?"),
    (changed("axis", 2, "kind", "chioce"), "axis[2].kind: there is no kind 'chioce'; did you mean 'choice'?"),
    (changed("axis", 2, "kind", 3), "axis[2].kind must be text, got 3"),
    (changed("axis", 0, "name", MISSING), "axis[0].name is missing"),
    (changed("axis", 0, "name", "a\tb"), "axis[0].name has a control character"),
    (changed("axis", 0, "name", "a\u2028b"), "axis[0].name has a control character"),
    (changed("axis", 0, "name", ""), "axis[0].name must not be empty"),
    (changed("axis", 0, "low", MISSING), "axis[0].low is missing; an axis of kind 'real' needs it"),
    (changed("axis", 0, "low", "cold"), "axis[0].low must be a number, got 'cold'"),
    (changed("axis", 0, "low", True), "axis[0].low must be a number, got True"),
    (changed("axis", 0, "low", {"a": 1}), "axis[0].low must be a number, got a table"),
    (changed("axis", 0, "low", math.inf), "axis[0].low must be finite, got inf"),
    (changed("axis", 0, "low", -(10**400)), "axis[0].low must be finite, got a number of more than 300 digits"),
    (changed("axis", 0, "low", DAY), "axis[0].low must be a number, text or a boolean, got the date or time 2026"),
    (changed("axis", 0, "low", 10.0), "axis[0]: axis 'temp' has low 10.0 above high 9.0; swap them"),
    (changed("axis", 0, "log", True), "axis[0]: low of axis 'temp' must be above 0 with log=True"),
    (changed("axis", 0, "log", 1), "axis[0].log must be true or false, got 1"),
    (changed("axis", 1, "step", 2.5), "axis[1].step must be a whole number, got 2.5"),
    (changed("axis", 1, "step", 0), "axis[1]: step of axis 'count' must be 1 or more, got 0"),
    (changed("axis", 1, "high", 2**60), "axis[1].high must be within ±2**53"),
    (changed("axis", 2, "values", []), "axis[2].values must not be empty"),
    (changed("axis", 2, "values", "Pd"), "axis[2].values must be a list, got 'Pd'"),
    (changed("axis", 2, "values", ["Pd", "Pd"]), "axis[2]: values of axis 'metal' have 'Pd' twice"),
    (changed("axis", 2, "values", ["Pd", ["Ni"]]), "axis[2].values[1] must be text, a number or a boolean, got a list"),
    (changed("axis", 2, "values", ["a\0"]), "axis[2].values[0] has a control character"),
    (changed("axis", 1, 7), "axis[1] must be a table, got 7"),
    # what is measured
    (changed("measured", {"name": "p"}), "measured must be a list of tables, each under [[measured]], got a table"),
    (changed("measured", ["p"]), "measured[0] must be a table, got 'p'"),
    (changed("measured", [{"at_most": 1}]), "measured[0].name is missing; what is it called?"),
    (changed("measured", [{"name": "", "at_most": 1}]), "measured[0].name must not be empty"),
    (changed("measured", [{"name": " p", "at_most": 1}]), "measured[0].name has blanks around it, got ' p'"),
    (changed("measured", [{"name": "p"}]), "measured[0]: 'p' has no limit; give at_most or at_least"),
    (changed("measured", [{"name": "p", "at_most": "1"}]), "measured[0].at_most must be a number, got '1'"),
    (changed("measured", [{"name": "p", "at_most": True}]), "measured[0].at_most must be a number, got True"),
    (changed("measured", [{"name": "p", "at_most": math.inf}]), "measured[0].at_most must be finite, got inf"),
    (changed("measured", [{"name": "p", "atmost": 1}]), "measured[0].atmost: unknown key; did you mean 'at_most'?"),
    (changed("measured", [{"name": "p", "at_most": 1, "unit": 3}]), "measured[0].unit must be text, got 3"),
    (
        changed("measured", [{"name": "p", "at_most": 1, "at_least": 1}]),
        "measured[0].at_least of 'p' must be below at_",
    ),
    (changed("measured", [{"name": "temp", "at_most": 1}]), "measured: 'temp' is an axis; what is measured needs"),
    (changed("measured", [{"name": "value", "at_most": 1}]), "measured: 'value' is a column of tables of trials"),
    (changed("measured", [{"name": "p", "at_most": 1}] * 2), "measured: 'p' is there twice; give both of its limits"),
    # places
    (good() | {"places": {}}, "axis and places exclude each other"),
    (placed(), "places needs either a file or columns, got neither"),
    (placed(file="a.csv", columns={"x": [1]}), "places needs either a file or columns, not both"),
    (placed(file="nowhere.csv"), "places.file: nowhere.csv: no such file"),
    (placed(file=3), "places.file must be text, got 3"),
    (placed(file="."), "places.file: .: is a directory"),
    (placed(columns={}), "places: the table has no"),
    (placed(columns={"x": []}), "places.columns.x must not be empty"),
    (placed(columns={"x": 3}), "places.columns.x must be a list, got 3"),
    (placed(columns=[1]), "places.columns must be a table, got a list"),
    (placed(columns={"x": [1, 2], "y": [1]}), "places.columns.y has 1 values, but places.columns.x has 2"),
    (placed(columns={"x": [1, "a"]}), "places: column 'x' of the table mixes 1 with 'a'"),
    (placed(columns={"x": [1, [2]]}), "places.columns.x[1] must be text, a number or a boolean, got a list"),
    (placed(columns={"x": [1.0, math.nan]}), "places.columns.x[1] must be finite, got nan"),
    (placed(columns={"x": [1, 1]}), "places: places 0 and 1 of the table are the same"),
    (placed(columns={" ": [1, 2]}), "places: a column name must not be empty"),
    (placed(columns={"x": [1]}, names=["z"]), "places.names[0]: there is no column 'z'"),
    (placed(columns={"x": [1]}, names="x"), "places.names must be a list, got 'x'"),
    (placed(columns={"x": [1]}, once=1), "places.once must be true or false, got 1"),
    (placed(columns={"x": [1]}, onec=True), "places.onec: unknown key; did you mean 'once'?"),
    (placed(columns={"x": [1, 5]}, frame=[{"name": "x", "low": 0, "high": 2}]), "places.frame: does not hold all"),
    (placed(columns={"x": [1, 5]}, once=True), "trials is 5, but there are 2 places"),
    # travel
    (changed("travel", MISSING), "travel is missing; what does moving cost?"),
    (changed("travel", "euclidean"), "travel must be a table, got 'euclidean'"),
    (changed("travel", {}), "travel.kind is missing; it is one of euclidean, "),
    (changed("travel", "kind", "seriell"), "travel.kind: there is no kind 'seriell'; did you mean 'serial'?"),
    (changed("travel", "unit", 3), "travel.unit must be text, got 3"),
    (changed("travel", "parts", []), "travel.parts must not be empty"),
    (changed("travel", "parts", MISSING), "travel.parts is missing; a cost of kind 'serial' needs it"),
    (changed("travel", "parts", RAMP), "travel.parts must be a list, got a table"),
    (changed("travel", "parts", 0, "travel"), "travel.parts[0] must be a table, got 'travel'"),
    (changed("travel", "parts", 1, "fee", -3), "travel.parts[1].fee must not be negative, got -3"),
    (changed("travel", "parts", 1, "fee", "x"), "travel.parts[1].fee must be a number, got 'x'"),
    (changed("travel", "parts", 1, "fee", [[0, 1]]), "travel.parts[1].fee must be square"),
    (changed("travel", "parts", 1, "fee", [[0, 1], [1]]), "travel.parts[1].fee must hold numbers in rows of one"),
    (changed("travel", "parts", 1, "fee", [[0, "1"], [1, 0]]), "travel.parts[1].fee[0][1] must be a number, got '1'"),
    (changed("travel", "parts", 1, "fee", [[0, True], [1, 0]]), "travel.parts[1].fee[0][1] must be a number, got True"),
    (changed("travel", "parts", 1, "fee", [[0, -1], [1, 0]]), "travel.parts[1].fee must be finite and not negative"),
    (changed("travel", "parts", 1, "fee", [[2, 1], [1, 0]]), "travel.parts[1].fee must be 0 on the diagonal"),
    (changed("travel", "parts", 1, "fee", [[0]]), "travel.parts[1]: the matrix of a Switch on 'metal' must be (2, 2)"),
    (
        changed("travel", "parts", 1, "axis", "mtal"),
        "travel.parts[1].axis: there is no axis 'mtal'; did you mean 'metal'?",
    ),
    (changed("travel", "parts", 1, "axis", 2), "travel.parts[1].axis must be text, got 2"),
    (changed("travel", "parts", 0, "axis", "metal"), "travel.parts[0]: Ramp cannot measure the choice 'metal'"),
    (changed("travel", "parts", 0, "up", 0), "travel.parts[0].up must be above 0, got 0"),
    (changed("travel", "parts", 0, "up", MISSING), "travel.parts[0].up is missing; a cost of kind 'ramp' needs it"),
    (changed("travel", "parts", 0, "dwon", 1), "travel.parts[0].dwon: unknown key; did you mean 'down'?"),
    (changed("travel", "parts", 0, "unit", "h"), "unit is 's', but the travel cost is in 'h'; leave one"),
    (changed("travel", "parts", 2, "axes", []), "travel.parts[2].axes must not be empty"),
    (changed("travel", "parts", 2, "axes", "temp"), "travel.parts[2].axes must be a list, got 'temp'"),
    (
        changed("travel", "parts", 2, "axes", ["temp", "temp"]),
        "travel.parts[2]: axes of a travel cost must each be named",
    ),
    (
        changed("travel", "parts", 2, "scale", {"tmp": 1}),
        "travel.parts[2].scale.tmp: unknown key; did you mean 'temp'?",
    ),
    (changed("travel", "parts", 2, "scale", {"temp": 0}), "travel.parts[2].scale.temp must be above 0, got 0"),
    (
        changed("travel", "parts", 2, "scale", {"count": 2}),
        "travel.parts[2]: scale has 'count', which is not among the axes",
    ),
    (changed("travel", {"kind": "scaled", "cost": RAMP}), "travel.factor is missing"),
    (changed("travel", {"kind": "scaled", "cost": RAMP, "factor": -1}), "travel.factor must be above 0, got -1"),
    (changed("travel", {"kind": "scaled", "cost": 3, "factor": 1}), "travel.cost must be a table, got 3"),
    (changed("travel", {"kind": "fee", "amount": -1}), "travel.amount must not be negative, got -1"),
    (changed("travel", HAVERSINE | {"speed": -1}), "travel.speed must be above 0, got -1"),
    (changed("travel", HAVERSINE | {"lat": "tmp"}), "travel.lat: there is no axis 'tmp'; did you mean 'temp'?"),
    (changed("travel", HAVERSINE | {"unit": "mi"}), "travel: unit of a Haversine without a speed must be one of"),
    (changed("travel", HAVERSINE | {"lon": "metal"}), "travel: Haversine cannot measure the choice 'metal'"),
    (changed("travel", RASTER | {"moves": "four"}), "travel: moves of a Raster must be 'eight' or 'any', got"),
    (changed("travel", RASTER | {"moves": 4}), "travel.moves must be text, got 4"),
    (changed("travel", RASTER | {"snap": -1}), "travel.snap must not be negative, got -1"),
    (changed("travel", RASTER | {"snap": "near"}), "travel: snap of a Raster must be a distance or 'nearest'"),
    (changed("travel", RASTER | {"snap": [1]}), "travel.snap must be a number, got a list"),
    (changed("travel", RASTER | {"grid": [[0, 0], [0, 0]]}), "travel: the grid of a Raster has no open cell"),
    (
        changed("travel", RASTER | {"columns": [0, 5]}),
        "count=3) is off the map, which has temp from 0 to 5 and count from 1 to 9; leave it",
    ),
    (changed("travel", NETWORK | {"edges": "roads"}), "travel.edges must be a list, got 'roads'"),
    (changed("travel", NETWORK | {"edges": [["Pd", "Ni"]]}), "travel: edge 0 of a Network must be from, to and"),
    (changed("travel", NETWORK | {"edges": [["Pd", "Ni", -2]]}), "travel: edge 0 of a Network, from 'Pd' to"),
    (
        changed("travel", NETWORK | {"edges": [["Pd", "Cu", 2]]}),
        "travel: the place 'Ni' of axis 'metal' is on no edge of the Network",
    ),
    (changed("travel", NETWORK | {"directed": True}), "travel: there is no way from 'Ni' to the place 'Pd'"),
    (changed("travel", NETWORK | {"directed": 1}), "travel.directed must be true or false, got 1"),
    (changed("travel", NETWORK | {"names": ["metal"]}), "travel.names: unknown key; "),
    (
        changed("travel", {"kind": "table", "matrix": [[0]]}),
        "travel.places is missing; a table prices the study's [places]",
    ),
    (changed("travel", {"kind": "custom", "function": "f"}), "travel.kind: a study file cannot hold a Python function"),
    (
        changed("travel", "parts", 0, {"kind": "custom"}),
        "travel.parts[0].kind: a study file cannot hold a Python function",
    ),
    (changed("travel", deep(20)), "costs nested more than 20 deep"),
    (changed("travel", deep(1000)), "nested too deep"),
    (changed("travel", itself()), "nested too deep"),
    # method
    (changed("method", "tucbb"), "method: none is called 'tucbb'; did you mean 'tucb'?"),
    (changed("method", 3), "method must be a name from the catalogue, or a table with a policy and a schedule, got 3"),
    (changed("method", "policy", MISSING), "method.policy is missing"),
    (changed("method", "schedule", MISSING), "method.schedule is missing"),
    (changed("method", "polcy", 3), "method.polcy: unknown key; did you mean 'policy'?"),
    (changed("method", "kind", "x"), "method.kind: unknown key"),
    (changed("method", "name", "ucb"), "method.name: this composition is not 'ucb'; leave the name out"),
    (changed("method", "policy", "ucb"), "method.policy must be a table, got 'ucb'"),
    (changed("method", "policy", {}), "method.policy.kind is missing; it is one of ucb, thompson, "),
    (
        changed("method", "policy", "kind", "elimnation"),
        "method.policy.kind: there is no kind 'elimnation'; did you mean",
    ),
    (changed("method", "policy", "kind", "growing"), "method.policy.kind: there is no kind 'growing'"),
    (changed("method", "policy", "kind", "custom"), "method.policy.kind: a study file cannot hold a Python class"),
    (changed("method", "policy", "eta", -1), "method.policy.eta must not be negative, got -1"),
    (changed("method", "policy", "eta", "1"), "method.policy.eta must be a number, got '1'"),
    (changed("method", "policy", "nested", 1), "method.policy.nested must be true or false, got 1"),
    (changed("method", "policy", "policy", MISSING), "method.policy.policy is missing"),
    (changed("method", "policy", "policy", "bta", 1), "method.policy.policy.bta: unknown key; did you mean 'beta'?"),
    (changed("method", "schedule", "factor", 1), "method.schedule.factor must be above 1, got 1"),
    (changed("method", "schedule", "first", 1.5), "method.schedule.first must be a whole number, got 1.5"),
    (changed("method", "schedule", "rounding", "up"), "method.schedule.rounding must be 'ceil' or 'floor', got 'up'"),
    (changed("method", "schedule", "rounding", 3), "method.schedule.rounding must be text, got 3"),
    (
        changed("method", "surrogate", {"kind": "gp", "kernel": "x"}),
        "method.surrogate.kernel must be one of auto, rbf, matern52",
    ),
    (changed("method", "planner", {"kind": "short", "exact_to": 0}), "method.planner.exact_to must be >= 1"),
    (changed("method", "policy", deep_policy(20)), "parts nested more than 20 deep"),
    (changed("method", "policy", deep_policy(1000)), "nested too deep"),
    # start
    (changed("start", [1, 3, "Ni"]), "start must be a table, got a list"),
    (changed("start", "tmp", 3), "start.tmp: unknown key; did you mean 'temp'?"),
    (changed("start", "temp", MISSING), "start.temp is missing; give a value for each axis"),
    (changed("start", "temp", "hot"), "start.temp must be a number, got 'hot'"),
    (changed("start", "temp", [1]), "start.temp must be a number, got a list"),
    (changed("start", "temp", -math.inf), "start.temp must be finite, got -inf"),
    (changed("start", "count", 2.5), "start.count: axis 'count' must be a whole number, got 2.5"),
    (changed("start", "metal", "Pt"), "start.metal: axis 'metal' has no value 'Pt'; the values are 'Pd', 'Ni'"),
    (changed("start", "metal", {}), "start.metal must be text, a number or a boolean, got a table"),
]


@pytest.mark.parametrize(("form", "said"), BAD, ids=[said[:50] for _, said in BAD])
def test_a_wrong_form_is_refused_by_the_path_of_what_is_wrong(form, said):
    with pytest.raises(InvalidInput) as refused:
        read_spec(form, folder=Path())
    message = str(refused.value)
    assert said in message
    assert "\n" not in message
    assert len(message) < 400


def test_the_form_that_the_wrong_ones_are_made_of_is_right():
    assert read_spec(good()).name == "lab"


def test_nineteen_costs_within_a_cost_are_not_too_many():
    assert read_spec(changed("travel", deep(19))).unit == ""


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_cost_that_cannot_be_used_is_refused_on_one_line():
    form = changed("travel", "parts", 0, {"kind": "ramp", "axis": "temp", "up": 1e-320, "down": 1e-320})
    with pytest.raises(InvalidInput, match="cannot be used") as refused:
        read_spec(form)
    assert "\n" not in str(refused.value)


def test_a_long_value_is_shown_in_short():
    with pytest.raises(InvalidInput) as refused:
        read_spec(changed("trials", "x" * 10_000))
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("value", ["2026-05-01", "07:30:00", "2026-05-01T07:30:00Z"])
def test_dates_and_times_of_toml_are_refused_by_their_path(value):
    form = changed("start", "temp", tomllib.loads(f"it = {value}")["it"])
    with pytest.raises(InvalidInput, match=r"start\.temp must be a number, text or a boolean, got the date or time"):
        read_spec(form)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.just([]),
    st.just({}),
    st.just([{}]),
    st.just({"kind": "custom"}),
    st.dates(),
    st.binary(max_size=2),
)


@given(specs(), st.data())
def test_whatever_stands_in_a_field_it_is_read_or_refused_in_one_line(spec, data):
    form = through_json(write_spec(spec))
    here, steps = form, data.draw(st.integers(1, 5))
    for step in range(steps):
        at = data.draw(st.sampled_from(sorted(here) if isinstance(here, dict) else range(len(here))))
        if step == steps - 1 or not isinstance(here[at], dict | list) or not here[at]:
            here[at] = data.draw(JUNK)
            break
        here = here[at]
    assert "\n" not in refusal(form, new=False)
    assert "\n" not in refusal(form, new=True)


def refusal(form, new):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read_spec(form, new=new)
        except InvalidInput as refused:
            return str(refused)
    return ""


def test_a_table_of_places_named_as_text_is_shown_how_to_name_it():
    form = {"name": "s", "direction": "maximize", "trials": 1, "places": "pl.csv", "travel": {"kind": "fee"}}
    with pytest.raises(InvalidInput, match=r'places must be a table.*places = {file = "pl.csv"}'):
        read_spec(form)


def test_several_axes_are_called_axes():
    form = {"name": "s", "direction": "maximize", "trials": 1, "axis": [{"name": "a", "low": 0, "high": 1}]}
    with pytest.raises(InvalidInput, match="the axes are 'a'"):
        read_spec(form | {"travel": {"kind": "ramp", "axis": "temp", "up": 1, "down": 1}})
