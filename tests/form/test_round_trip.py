"""What is written is read back the same, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.form import read_spec, write_spec
from wayfare.record.spec import make_spec
from wayfare.space import Choice, Integer, Linear, Only, Places, Product, Real, Space
from wayfare.travel import Euclidean, Fee, Haversine, Network, Raster, Scaled, Serial, Switch, Table

from .strategies import ANYWHERE, assert_same, specs, through_json

PLANE = Space(Real("east", 0, 10), Real("north", -5, 5))
TOWNS = Places(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 0.0]]), names=["east", "north"])


def spec_of(space=PLANE, travel=None, **changes):
    stated = {
        "direction": "maximize",
        "travel": Euclidean() if travel is None else travel,
        "trials": 3,
        "start": None,
        "method": "tucb",
        "seed": 0,
        "unit": "",
        "noise": None,
        "name": "hill",
    }
    return make_spec(space, **(stated | changes), check_cost=False)


@given(specs())
def test_a_specification_survives_json_to_the_last_bit(spec):
    assert_same(read_spec(through_json(write_spec(spec)), new=False), spec)


@given(specs())
def test_what_is_written_is_written_the_same_again(spec):
    form = write_spec(spec)
    assert write_spec(read_spec(form, new=False)) == form


@given(st.tuples(ANYWHERE, ANYWHERE))
def test_a_start_keeps_every_bit(start):
    spec = spec_of(start=np.array(start))
    again = read_spec(through_json(write_spec(spec)), new=False)
    assert again.start.tobytes() == spec.start.tobytes()


@pytest.mark.parametrize("own", ["", "m"])
@pytest.mark.parametrize("travel", [lambda unit: Euclidean(unit=unit), lambda unit: Serial((Fee(1.0, None, unit),))])
def test_the_study_unit_and_that_of_its_cost_are_kept_apart(own, travel):
    spec = spec_of(travel=travel(own), unit="m")
    again = read_spec(through_json(write_spec(spec)), new=False)
    assert (again.unit, again.travel.unit) == ("m", own)


def test_a_scaled_cost_may_drop_the_unit_of_what_it_scales():
    spec = spec_of(travel=Scaled(Euclidean(unit="m"), 2.0, ""))
    assert read_spec(write_spec(spec), new=False).travel.unit == ""


def test_columns_are_whole_by_type_not_by_value():
    places = Places([{"whole": 1, "float": 1.0}, {"whole": 2, "float": 3.0}])
    again = read_spec(through_json(write_spec(spec_of(places))), new=False).space
    assert again == places
    assert [type(value) for value in again.params(again.table[0]).values()] == [int, float]


def test_a_table_shares_the_places_of_the_study_and_does_not_write_them_twice():
    spec = spec_of(TOWNS, Table(TOWNS, 1.0 - np.eye(3)))
    form = write_spec(spec)
    assert "places" not in form["travel"]
    assert_same(read_spec(through_json(form), new=False), spec)


def test_a_table_of_more_places_than_the_study_keeps_its_own():
    depot = Places(np.vstack([TOWNS.table, [[9.0, 9.0]]]), names=["east", "north"])
    spec = spec_of(TOWNS, Table(depot, 1.0 - np.eye(4)), start={"east": 9, "north": 9})
    assert_same(read_spec(through_json(write_spec(spec)), new=False), spec)


def test_a_table_over_axes_keeps_its_own_places():
    space = Space(Integer("n", 0, 1), Choice("c", ["a", "b"]))
    rows = [{"n": n, "c": c} for n in (0, 1) for c in "ab"]
    spec = spec_of(space, Table(Places(rows), 1.0 - np.eye(4)))
    assert_same(read_spec(through_json(write_spec(spec)), new=False), spec)


def test_what_is_left_of_a_table_keeps_the_scaling_and_the_choices_of_the_whole():
    rows = [{"at": at, "rock": rock} for at, rock in zip(range(4), ["ore", "lime", "ore", "slate"], strict=True)]
    places = Places(rows, once=True)
    left = places.without(places.table[[0, 3]])
    spec = spec_of(left, Switch("rock", 3.0), start=rows[3], trials=2)
    again = read_spec(through_json(write_spec(spec)), new=False)
    assert_same(again, spec)
    assert again.space.choices == ((None, ("ore", "lime", "slate")))


def test_text_that_only_python_can_write_is_read_back():
    space = Space(Choice("line\nbreak", ["a\0b", "\ud800", ""]), Real("a.b 'c'", 0, 1))
    spec = spec_of(space, Fee(1.0), name="tab\there")
    assert_same(read_spec(through_json(write_spec(spec)), new=False), spec)


def test_choices_keep_the_kind_of_their_values():
    space = Space(Choice("c", [True, 0, 2.0, 3, "3", -7.25]))
    again = read_spec(through_json(write_spec(spec_of(space, Fee(1.0)))), new=False).space
    assert [repr(value) for value in again.axes[0].values] == ["True", "0", "2.0", "3", "'3'", "-7.25"]


GROUND = Places(np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 2.0]]), names=["east", "north"])
ROADS = [("mill", "bridge", 4), ("bridge", "ford", 1 / 3), ("ford", "mill", 5e-324), ("mill", 7, 0.0)]
STOPS = Places([{"stop": "mill"}, {"stop": "ford"}])


@pytest.mark.parametrize(
    ("space", "travel"),
    [
        (PLANE, Haversine("north", "east")),
        (PLANE, Haversine("north", "east", speed=1 / 3, unit="h")),
        (PLANE, 3 * Haversine("north", "east", unit="km") + Fee(2.0, unit="km")),
        (GROUND, Raster([[1, 0.1], [1, 0], [1, 1 / 3]], "east", "north", moves="any", snap=0.7, unit="min")),
        (GROUND, Raster([[1, 2], [1, 0], [1, 1]], 0, 1, cell=(2, 3), snap="nearest")),
        (STOPS, Network(ROADS, "stop", unit="min")),
        (STOPS, Network(ROADS, 0, directed=True)),
        (Space(Integer("km", 1, 3)), Network([(1, 2, 0.1), (2, 3, 9), (2, 3, 4)], "km")),
    ],
    ids=repr,
)
def test_ways_over_the_earth_maps_and_roads_are_kept(space, travel):
    spec = spec_of(space, travel)
    again = read_spec(through_json(write_spec(spec)), new=False)
    assert_same(again, spec)
    x = space.sample(3, stream(1))
    assert np.array_equal(again.travel(x, x), spec.travel(x, x))


def test_a_networkx_graph_is_kept_as_its_edges():
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from([("mill", "ford", 2), ("ford", "mill", 3.5)])
    spec = spec_of(STOPS, Network(graph, "stop"))
    assert write_spec(spec)["travel"]["edges"] == [["mill", "ford", 2.0], ["ford", "mill", 3.5]]
    assert_same(read_spec(through_json(write_spec(spec)), new=False), spec)


def test_costs_nested_too_deep_to_be_read_are_not_written():
    cost = Fee(1.0)
    for _ in range(19):
        cost = Scaled(cost, 2.0)
    spec = spec_of(travel=cost)
    assert_same(read_spec(through_json(write_spec(spec)), new=False), spec)
    with pytest.raises(InvalidInput, match="nested more than 20 deep"):
        write_spec(spec_of(travel=Scaled(cost, 2.0)))


def test_a_space_of_another_make_is_refused_before_anything_is_kept():
    class Maze(Places):
        pass

    with pytest.raises(InvalidInput, match="only a Space or Places can be kept, got Maze"):
        write_spec(spec_of(Maze(TOWNS.table)))


def test_a_seed_too_long_for_json_is_refused_before_anything_is_kept():
    with pytest.raises(InvalidInput, match="seed must be finite, got a number of more than 300 digits"):
        write_spec(spec_of(seed=10**5000))


def softens(x):
    return x["east"] + x["north"] ** 2 < 12


RULES = [
    Linear({"east": 1, "steps": -2.5}, at_least=-3, at_most=9.5),
    Linear(["east", "north"], equals=4),
    Product({"east": 2, "steps": -1}, at_most=30),
    Only("north", when={"kind": ["a", 2]}, otherwise=1.5),
]
AXES = (
    Real("east", 0, 10, step=0.25, unit="m"),
    Real("north", -5, 5),
    Integer("steps", 1, 50, log=True),
    Choice("kind", ["a", 2, True], unit="x"),
)


def test_constraints_steps_and_units_survive_json():
    space = Space(*AXES, constraints=RULES)
    form = through_json(write_spec(spec_of(space, travel=Euclidean(["east"]))))
    again = read_spec(form, new=False).space
    assert again == space
    assert [str(one) for one in again.constraints] == [str(one) for one in space.constraints]


def test_a_space_without_them_is_written_as_it_was_before_there_were_any():
    axes = write_spec(spec_of(Space(Real("a", 0, 1), Integer("b", 0, 5), Choice("c", ["x"]))))
    assert "constraint" not in axes
    assert [sorted(axis) for axis in axes["axis"]] == [
        ["high", "kind", "log", "low", "name"],
        ["high", "kind", "low", "name", "step"],
        ["kind", "name", "values"],
    ]


def test_a_function_is_kept_by_name_and_supplied_with_the_space_again():
    space = Space(*PLANE.axes, constraints=[softens])
    form = through_json(write_spec(spec_of(space)))
    assert form["constraint"] == [{"kind": "custom", "function": "softens"}]
    known = read_spec(form, new=False)
    with pytest.raises(InvalidInput, match=r"the Python function 'softens', .* Study.open\(..., space=...\)"):
        known.space.sample(3, stream(0))
    assert read_spec(form, space=space, new=False).space is space
    with pytest.raises(InvalidInput, match="space: what is supplied differs"):
        read_spec(form, space=PLANE, new=False)
    with pytest.raises(InvalidInput, match="a study file cannot hold a Python function"):
        read_spec(form)


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        ({"kind": "linaer", "of": {"east": 1}, "at_most": 1}, "constraint[0].kind: there is no kind 'linaer'"),
        ({"of": {"east": 1}}, "constraint[0].kind is missing; the kinds are linear, product, only"),
        ({"kind": "linear", "at_most": 1}, "constraint[0].of is missing; a constraint of kind 'linear' needs it"),
        ({"kind": "linear", "of": {"east": "1"}}, "constraint[0].of.east must be a number, got '1'"),
        ({"kind": "product", "of": {"east": 1}, "equals": 1}, "constraint[0].equals: unknown key"),
        ({"kind": "linear", "of": {"east": 1}, "at_least": 99}, "constraints: no place keeps them all"),
    ],
)
def test_a_constraint_that_is_wrong_is_refused_by_its_path(constraint, said):
    form = {**through_json(write_spec(spec_of())), "constraint": [constraint]}
    with pytest.raises(InvalidInput) as refused:
        read_spec(form)
    assert said in str(refused.value)


def test_the_axes_of_a_sum_may_be_listed():
    form = through_json(write_spec(spec_of(PLANE)))
    sums = [{"kind": "linear", "of": of, "at_most": 1} for of in (["east", "north"], {"east": 1, "north": 1})]
    listed, weighed = (write_spec(read_spec({**form, "constraint": [one]})) for one in sums)
    assert listed == weighed
    with pytest.raises(InvalidInput, match=r"constraint\[0\].of\[1\] must be text, got 3"):
        read_spec({**form, "constraint": [{"kind": "linear", "of": ["east", 3], "at_most": 1}]})
