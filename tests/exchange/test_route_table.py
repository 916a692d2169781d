"""Routes through tables made elsewhere: the same as ``order`` plans, with the table's own cells."""

import csv
from io import StringIO
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wayfare as wf
from wayfare.errors import InvalidInput
from wayfare.exchange import route_csv

SITES = "site,east,north\nA,0,0\nB,10,0\nC,1,1\nD,9,1\n"
METRES = {"kind": "euclidean", "unit": "m"}
XY = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=1, max_size=12)


def length(way):
    return sum(np.hypot(*np.subtract(a, b)) for a, b in pairwise(way))


def as_csv(places):
    return "east,north\n" + "".join(f"{a},{b}\n" for a, b in places)


@given(XY, st.integers(0, 3))
def test_the_route_is_the_one_that_order_plans(places, seed):
    given_order = route_csv(as_csv(places), METRES, start={"east": "0", "north": "0"}, seed=seed)
    oracle = wf.order(np.array(places), wf.Euclidean(), start=[0.0, 0.0], seed=seed)
    assert given_order.order.tolist() == oracle.order.tolist()
    assert given_order.cost == pytest.approx(oracle.cost)


@given(XY)
def test_every_row_comes_once_and_no_order_of_the_file_is_shorter(places):
    route = route_csv(as_csv(places), METRES)
    assert sorted(route.order.tolist()) == list(range(len(places)))
    assert route.rows == tuple((str(places[at][0]), str(places[at][1])) for at in route.order)
    assert route.cost <= route.given + 1e-9
    assert route.given == pytest.approx(length(places))


@given(XY)
def test_what_was_ordered_is_read_again_without_its_added_columns(places):
    once = route_csv(as_csv(places), METRES)
    again = route_csv(once.to_csv(), METRES)
    assert (again.heads, again.axes) == (("east", "north"), ("east", "north"))
    assert again.given == pytest.approx(once.cost)


def test_the_ends_are_part_of_the_way():
    ends = {"start": {"east": "10", "north": "1"}, "end": {"east": "0", "north": "5"}}
    route = route_csv(SITES, METRES, **ends)
    sites = [(0, 0), (10, 0), (1, 1), (9, 1)]
    best = min(length([(10, 1), *middle, (0, 5)]) for middle in permutations(sites))
    assert route.cost == pytest.approx(best) == pytest.approx(route.totals[-1] + route.last_leg)
    assert route.given == pytest.approx(length([(10, 1), *sites, (0, 5)]))


def test_columns_that_begin_with_a_number_are_the_axes():
    assert route_csv(SITES, METRES).axes == ("east", "north")
    assert route_csv(SITES, METRES, axes=["east"]).axes == ("east",)


def test_any_travel_cost_of_a_study_file_will_do():
    pumps = {
        "kind": "serial",
        "unit": "s",
        "parts": [
            {"kind": "ramp", "axis": "temp", "up": 1.0, "down": 2.0},
            {"kind": "switch", "axis": "metal", "fee": 100},
        ],
    }
    text = "metal,temp\nPd,20\nNi,30\nPd,40\nNi,50\n"
    route = route_csv(text, pumps, axes=["metal", "temp"], start={"metal": "Cu", "temp": "20"})
    assert route.unit == "s"
    metals = [row[0] for row in route.rows]
    assert metals in (["Pd", "Pd", "Ni", "Ni"], ["Ni", "Ni", "Pd", "Pd"])
    table = {"kind": "table", "matrix": [[0, 9, 1], [9, 0, 1], [1, 1, 0]]}
    assert route_csv("p\n1\n2\n3\n", table).cost == 2.0


def test_text_cells_are_safe_and_come_back():
    text = 'site,east\n"\'=1,x",1\n-5,2\n"say ""no""\nnow",-3\n'
    route = route_csv(text, METRES)
    rows = list(csv.reader(StringIO(route.to_csv(), newline="")))
    assert rows[0] == ["stop", "site", "east", "leg", "total"]
    assert {row[1] for row in rows[1:]} == {"'=1,x", "-5", 'say "no"\nnow'}
    assert route_csv(route.to_csv(), METRES, axes=["east"]).rows in (route.rows, route.rows[::-1])


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", {}, "the file is empty"),
        ("east,north\n", {}, "no places, only a header"),
        ("east;north\n1,5;2\n1.5;3\n", {}, "line 2 has '1,5' and line 3 has '1.5'"),
        ("east,east\n1,2\n", {}, "line 1: every column needs a name of its own, got 'east'"),
        ("east,\n1,2\n", {}, "line 1: every column"),
        ("east,north\n1\n", {}, "line 2: 1 cells"),
        ("east,north\n1,2\n1,x\n", {}, "line 3: column 'north' must be a finite number"),
        ("east,north\n1,2\n1,\n", {}, "line 3: column 'north'"),
        ("east,north\n1,2\n1,1e999\n", {}, "line 3: column 'north'"),
        ("site\nA\n", {}, "no column begins with a number"),
        (SITES, {"axes": ["eats"]}, "no column 'eats'; did you mean 'east'"),
        (SITES, {"start": {"east": "1"}}, "start lacks axis 'north'"),
        (SITES, {"start": {"east": "1", "nord": "1"}}, "start: there is no axis 'nord'"),
        (SITES, {"end": {"east": "1", "north": "1_0"}}, "end: column 'north' must be a finite number"),
        (SITES, {"travel": {"kind": "ramp", "axis": "depth", "up": 1, "down": 1}}, "travel.axis"),
        (SITES, {"travel": {"kind": "teleport"}}, "travel.kind"),
        (SITES, {"seed": -1}, "seed"),
    ],
)
def test_what_cannot_be_ordered_is_refused_with_its_line(text, options, words):
    with pytest.raises(InvalidInput, match=words):
        route_csv(text, options.pop("travel", METRES), **options)
