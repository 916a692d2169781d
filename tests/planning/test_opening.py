"""Openings: the common contract, where a survey looks, which values it shows, and how a study begins with one."""

from itertools import permutations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import wayfare as wf
from tests.space.strategies import choices, holed, spaces
from wayfare._core.arrays import no_points, unique_rows
from wayfare._core.rng import stream
from wayfare.exchange.imports import import_csv
from wayfare.planning.catalogue import method_named
from wayfare.planning.opening import Beginning, _first_place
from wayfare.planning.plan import Task, plan_batch
from wayfare.planning.reach import Limits, Reach
from wayfare.planning.reachable import Within
from wayfare.route import plan_route
from wayfare.space.designs import deal, distinct, latin_through, nearest_rows
from wayfare.surrogate.history import History, Past
from wayfare.surrogate.measured import Measured
from wayfare.testing.opening import OPENED, OpeningContract, places_of, starts_in
from wayfare.testing.policy import SPACES, situation_of
from wayfare.testing.surrogate import history_of

RNG = np.random.default_rng
PLANE = SPACES["plane"]
SOLVENTS = wf.Space(wf.Real("t", 0.0, 1.0), wf.Choice("s", [f"s{i}" for i in range(8)]))


@pytest.mark.parametrize(
    "opening",
    [wf.JustStart(), wf.ShowValues(), wf.Survey(), wf.Survey(least=1), wf.Survey(30), wf.Survey(covering=True)],
    ids=str,
)
class TestEveryOpening(OpeningContract):
    pass


class Untouchable:
    """A stream that nobody may draw from."""

    def __getattr__(self, name):
        raise AssertionError(f"rng.{name} was asked for")


def beginning(space, start, known=None, most=1000, travel=None):
    """Return the beginning of a study that moves at a fee; the last of the known places is the best."""
    known = no_points(space.d) if known is None else np.array(known, dtype=float)
    history = History(space, known, np.arange(len(known)), no_points(space.d), visited=no_points(space.d))
    travel = travel or wf.Fee(1.0).bind(space)
    return Beginning(space.without(known), np.array(start, dtype=float), travel, history, most)


@pytest.mark.parametrize("space", OPENED.values(), ids=OPENED)
def test_just_the_start_is_the_start_unless_results_are_known_and_draws_nothing(space):
    start = starts_in(space)[0]
    np.testing.assert_array_equal(wf.JustStart().places(beginning(space, start), Untouchable()), start[None, :])
    assert wf.JustStart().places(beginning(space, start, starts_in(space)[1:2]), Untouchable()) is None


@pytest.mark.parametrize("space", [PLANE, wf.Space(wf.Integer("n", 1, 9))], ids=["plane", "steps"])
def test_without_choices_showing_their_values_is_just_the_start(space):
    start, other = space.sample(2, RNG(0))
    np.testing.assert_array_equal(wf.ShowValues().places(beginning(space, start), Untouchable()), start[None, :])
    assert wf.ShowValues().places(beginning(space, start, [other]), Untouchable()) is None


@pytest.mark.parametrize("method", ["ucb", "ei", "tucb", "tts", "eipu"])
@pytest.mark.parametrize("values", [3, 8])
def test_the_methods_that_learn_see_every_value_before_they_believe(method, values):
    space = wf.Space(wf.Real("t", 0.0, 1.0), wf.Choice("s", [f"s{i}" for i in range(values)]))
    travel = wf.Fee(1.0)
    study = wf.Study.create(space, direction="maximize", travel=travel, trials=30, start=[0.5, "s0"], method=method)
    study.replan()
    first = study.snapshot().state.itinerary.places
    assert len(first) == max(2 * (2 + 1), values)
    assert len(np.unique(first[:, 1])) == values


@settings(max_examples=60, deadline=None)
@given(start=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=7), n=st.integers(0, 20), seed=st.integers(0, 10_000))
@example(start=[1.0, 0.0], n=3, seed=0)
def test_a_latin_hypercube_through_a_start_has_every_point_in_a_slice_of_its_own(start, n, seed):
    points = latin_through(np.array(start), n, RNG(seed))
    assert points.shape == (n, len(start))
    own = np.minimum(np.floor(np.vstack([start, points]) * (n + 1)), n)
    for column in own.T:
        assert sorted(column) == list(range(n + 1))
    within = (points * (n + 1)) % 1.0
    assert ((within >= 0.25 - 1e-9) & (within <= 0.75 + 1e-9)).all()


def test_which_slices_come_together_and_where_in_them_is_drawn():
    start = np.array([0.3, 0.3])
    drawn = [latin_through(start, 3, RNG(seed)) for seed in range(600)]
    assert len({tuple(np.floor(points * 4).ravel()) for points in drawn}) == 6 * 6
    within = (np.array(drawn) * 4) % 1.0
    assert within.mean() == pytest.approx(0.5, abs=0.02)
    assert within.std() == pytest.approx(0.5 / 12**0.5, abs=0.02)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_no_place_of_a_survey_is_the_centre_of_the_space(d):
    space = wf.Space(*(wf.Real(f"x{i}", -1.0, 1.0) for i in range(d)))
    for seed in range(40):
        x = space.survey(np.full(d, -0.9), 4, RNG(seed))
        assert (np.abs(x) > 1e-6).any(axis=1).all()


@settings(max_examples=200, deadline=None)
@given(k=st.integers(1, 12), n=st.integers(0, 30), seed=st.integers(0, 10_000), data=st.data())
def test_numbers_are_dealt_as_often_as_each_other_with_the_one_shown(k, n, seed, data):
    shown = data.draw(st.one_of(st.none(), st.integers(0, k - 1)))
    dealt = deal(k, n, RNG(seed), shown)
    assert len(dealt) == n
    # If a survey is cut short by a limit, what is left of it is even too.
    for end in range(n + 1):
        times = np.bincount([*dealt[:end], *([] if shown is None else [shown])], minlength=k)
        assert len(times) == k
        assert times.max() - times.min() <= 1


def evenness(counts):
    """Return the chi-square statistic of counts against equal ones, divided by its expectation."""
    counts = np.asarray(counts, dtype=float)
    return float((np.square(counts - counts.mean()) / counts.mean()).sum() / (len(counts) - 1))


def test_in_a_survey_shorter_than_a_list_every_value_is_as_likely_wherever_it_stands():
    shown = np.zeros((2, 8))
    for seed in range(400):
        x = wf.Survey(designs=2).places(beginning(SOLVENTS, [0.5, 3.0], most=4), RNG(seed))
        assert x[0].tolist() == [0.5, 3.0]
        values = x[1:, 1].astype(int)
        assert len(set(values) | {3}) == 4
        shown[0, values] += 1
        shown[1, values[0]] += 1
    others = np.delete(shown, 3, axis=1)
    # The 0.1% point of this statistic with six degrees of freedom is 3.7.
    assert evenness(others[0]) < 3.7
    assert evenness(others[1]) < 3.7
    assert (shown[:, 3] == 0).all()


def test_a_survey_shows_the_start_s_value_again_no_more_often_than_another_twice():
    space = wf.Space(wf.Real("t", 0.0, 1.0), wf.Choice("s", ["a", "b", "c"]))
    twice = np.zeros(3)
    for seed in range(300):
        x = wf.Survey().places(beginning(space, [0.5, 1.0]), RNG(seed))
        times = np.bincount(x[:, 1].astype(int))
        assert sorted(times) == [1, 2, 2]
        twice += times == 2
    assert evenness(twice) < 6.9  # the 0.1% point with two degrees of freedom


@pytest.mark.parametrize("size", [2, 4, 5])
@pytest.mark.parametrize("policy", [wf.Uniform(), wf.LatinHypercube()], ids=str)
def test_policies_that_only_draw_leave_out_every_value_as_often(policy, size):
    space = wf.Space(wf.Real("t", 0.0, 1.0), wf.Choice("s", ["a", "b", "c"]), wf.Choice("k", [1, 2, 3, 4, 5]))
    situation = situation_of(space, History.empty(space))
    times = {1: np.zeros((3, 9)), 2: np.zeros((5, 9))}
    for seed in range(600):
        x = policy.propose(situation, size, RNG(seed)).astype(int)
        for column, table in times.items():
            counts = np.bincount(x[:, column], minlength=len(table))
            table[np.arange(len(table)), counts] += 1
            if isinstance(policy, wf.LatinHypercube):
                assert counts.max() - counts.min() <= 1
    for table in times.values():
        # How often a value comes not at all, once, twice: the same for every value.
        for column in table.T[table.sum(axis=0) > 5 * len(table)]:
            assert evenness(column) < 6


@pytest.mark.parametrize("least", [1, 3, 5])
@pytest.mark.parametrize(
    ("name", "more"), [("plane", 2), ("mixed", 3), ("six", 6), ("fixed", 1), ("once", 2), ("rocks", 3)]
)
def test_a_survey_has_a_place_for_every_axis_and_for_every_value_and_no_fewer_than_the_least(name, more, least):
    space = OPENED[name]
    start = space.sample(1, RNG(1))[0]
    x = places_of(wf.Survey(least), space, start, 0)
    assert len(x) == 1 + max(least, more)
    np.testing.assert_array_equal(x[0], start)


def test_a_covering_survey_weighs_the_route_by_what_it_leaves_unseen():
    table = wf.Places(RNG(5).random((200, 2)))  # few enough that the distance of every place counts
    travel = wf.Euclidean().bind(table)

    def length(x):
        return plan_route(travel, x[0], x[1:], None, wf.ShortRoute(), RNG(0)).cost

    def unseen(x):
        return np.sqrt(np.square(table.encode(table.table)[:, None] - table.encode(x)).sum(axis=2).min(axis=1).max())

    differ = 0
    for seed in range(20):
        start = table.table[seed]
        short, wide = (
            wf.Survey(designs=12, covering=one).places(beginning(table, start, travel=travel), RNG(seed))
            for one in (False, True)
        )
        assert length(short) <= length(wide) + 1e-9
        assert length(wide) * unseen(wide) <= length(short) * unseen(short) + 1e-9
        differ += not np.array_equal(short, wide)
    assert differ > 10


@pytest.mark.parametrize(("name", "places"), [("plane", 1 + 4), ("six", 1 + 6), ("mixed", 3 * (3 + 1))])
def test_a_covering_survey_has_three_places_an_axis_and_three_more_where_there_are_choices(name, places):
    space = OPENED[name]
    start = space.sample(1, RNG(1))[0]
    assert len(places_of(wf.Survey(covering=True), space, start, 0)) == places
    assert len(places_of(wf.Survey(30, covering=True), space, start, 0)) == 1 + 30


def test_with_old_results_a_covering_survey_shows_new_values_at_the_best_settings_and_then_looks_around():
    space = wf.Space(wf.Real("t", 0.0, 1.0), wf.Choice("s", ["a", "b", "c", "d"]))
    known = [[0.2, 0.0], [0.4, 1.0], [0.7, 0.0]]
    x = wf.Survey(covering=True).places(beginning(space, [0.5, 0.0], known), RNG(0))
    assert sorted(map(tuple, x[:2])) == [(0.7, 2.0), (0.7, 3.0)]
    assert len(x) == 2 + 3 * (2 + 1)
    assert len(unique_rows(x)[0]) == len(x)
    # Where no value is new, it only looks around.
    plane = wf.Survey(covering=True).places(beginning(PLANE, [0.0, 0.5], [[1.0, 0.2]]), RNG(0))
    assert len(plane) == 1 + 4
    assert wf.Survey().places(beginning(PLANE, [0.0, 0.5], [[1.0, 0.2]]), RNG(0)) is None


def test_along_a_single_axis_a_survey_and_the_start_have_a_fifth_each():
    line = wf.Space(wf.Real("a", 10.0, 20.0))
    for seed, start in enumerate(np.linspace(10.0, 19.9, 30)):
        x = places_of(wf.Survey(), line, np.array([start]), seed)
        assert sorted(np.floor((x[:, 0] - 10.0) / 2.0)) == [0, 1, 2, 3, 4]


def test_in_d_dimensions_a_survey_keeps_within_one_over_root_d_of_the_width():
    for d in (1, 4, 7):
        space = wf.Space(*(wf.Real(f"x{i}", 0.0, 1.0) for i in range(d)))
        # Eight slices, the start in the first of each axis: the last one's middle half is 6.5 to 7.5 of 16 away.
        x = places_of(wf.Survey(7), space, np.zeros(d), 0)[1:]
        far = np.abs(x - 0.5).max(axis=0) * d**0.5
        assert ((far >= 6.5 / 16) & (far <= 7.5 / 16)).all()


def test_only_axes_of_numbers_count_for_how_far_a_survey_is_drawn_together():
    space = wf.Space(wf.Real("a", 0.0, 1.0), *(wf.Choice(f"s{i}", ["x", "y"]) for i in range(3)))
    x = places_of(wf.Survey(), space, np.zeros(4), 0)[1:]
    np.testing.assert_allclose(np.sort(x[:, 0]), [0.3, 0.5, 0.7, 0.9], atol=0.05)


def values_of(x, column):
    """Return the set of numbers in a column."""
    return set(x[:, column].tolist())


@settings(max_examples=60, deadline=None)
@given(space=spaces(), seed=st.integers(0, 10_000), most=st.integers(1, 12))
def test_a_survey_shows_every_value_of_every_choice_or_as_many_as_it_has_places(space, seed, most):
    start = space.sample(1, RNG(seed))[0]
    x = places_of(wf.Survey(), space, start, seed, most=most)
    assert len(x) <= most
    assert space.contains(x).all()
    assert len(unique_rows(x)[0]) == len(x)
    np.testing.assert_array_equal(x[0], start)
    np.testing.assert_array_equal(places_of(wf.Survey(), space, start, seed, most=most), x)
    for column, values in enumerate(space.choices):
        if values is not None:
            assert len(values_of(x, column)) >= min(len(x), len(values))
            assert len(values_of(x, column)) == len(values) or most < max(
                len(axis.choices or ()) for axis in space.axes
            )


def test_values_come_as_evenly_as_they_can_and_mix_with_all_parts_of_the_other_axes():
    for seed in range(20):
        x = places_of(wf.Survey(11), SOLVENTS, np.array([0.1, 5.0]), seed)
        assert sorted(np.bincount(x[:, 1].astype(int))) == [1, 1, 1, 1, 2, 2, 2, 2]
        assert len(np.unique(np.floor(12 * x[:, 0]))) == 12


@settings(max_examples=60, deadline=None)
@given(space=holed(), seed=st.integers(0, 10_000))
def test_a_survey_of_a_space_with_forbidden_regions_shows_every_value_that_is_allowed(space, seed):
    columns = columns_of(space)
    start = space.sample(1, RNG(seed))[0]
    # Values of two choices may be allowed one at a time alone.
    n = sum(len(space.choices[column]) - 1 for column in columns)
    x = np.vstack([start, space.survey(start, n, RNG(seed))])
    assert len(x) <= n + 1
    assert space.contains(x).all()
    everywhere = space.sample(64, RNG(1))
    for column in columns:
        assert values_of(x, column) >= values_of(everywhere, column)


def test_a_survey_shows_values_that_only_go_with_some_others():
    # The first solvent is allowed with the last catalyst alone, the last one below 0.05 alone.
    axes = wf.Real("t", 0.0, 1.0), wf.Choice("s", list("abcd")), wf.Choice("k", list("wxyz"))
    forbidden = [{"s": "a", "k": ["w", "x", "y"]}, {"s": "d", "t": (0.05, None)}]
    space = wf.Space(*axes, forbidden=forbidden)
    start, whole = np.array([0.5, 1.0, 0.0]), 0
    for seed in range(30):
        x = places_of(wf.Survey(), space, start, seed)
        assert space.contains(x).all()
        assert len(values_of(x, 1)) == len(values_of(x, 2)) == 4
        alone = np.vstack([start, space.survey(start, 4, RNG(seed))])
        whole += len(values_of(alone, 1)) == len(values_of(alone, 2)) == 4
    assert whole >= 27


def test_a_survey_shows_a_value_that_is_allowed_in_a_small_corner_alone():
    numbers = [wf.Real(f"x{i}", 0.0, 1.0) for i in range(4)]
    corner = [{"s": "d", f"x{i}": (0.1, None)} for i in range(4)]
    space = wf.Space(*numbers, wf.Choice("s", list("abcd")), forbidden=corner)
    for seed in range(10):
        x = space.survey(np.full(5, 0.5), 3, RNG(seed))
        assert space.contains(x).all()
        assert values_of(x, 4) == {1, 2, 3}


@settings(max_examples=60, deadline=None)
@given(kinds=choices("kind"), rows=st.integers(2, 40), seed=st.integers(0, 10_000), once=st.booleans())
def test_a_survey_of_a_table_shows_every_value_it_has_places_for(kinds, rows, seed, once):
    assume(len(kinds.values) > 1)
    rng = RNG(seed)
    texts = [f"v{value}" for value in kinds.values]
    table = wf.Places([{"at": rng.random(), "kind": str(rng.choice(texts))} for _ in range(rows)], once=once)
    start = table.sample(1, rng)[0]
    n = int(rng.integers(0, 12))
    x = np.vstack([start, table.survey(start, n, rng)])
    assert len(unique_rows(x)[0]) == len(x) == min(n + 1, rows)
    assert len(values_of(x, 1)) == min(len(x), len(values_of(table.table, 1)))


def test_a_survey_of_a_table_shows_its_values_in_no_order_of_its_rows():
    kinds = [f"k{i}" for i in range(6)]
    table = wf.Places([{"kind": kind, "n": n} for kind in kinds for n in ("a", "b", "c")])
    shown = np.zeros(6)
    for seed in range(400):
        shown[table.survey(table.table[0], 2, RNG(seed))[:, 0].astype(int)] += 1
    assert shown[0] == 0
    assert evenness(shown[1:]) < 4.6  # the 0.1% point with four degrees of freedom


def test_a_column_that_names_the_places_is_not_shown_value_by_value():
    rng = RNG(0)
    rows = [{"site": f"site {i}", "east": rng.random(), "rock": "ab"[i % 2]} for i in range(40)]
    table = wf.Places(rows)
    assert len(places_of(wf.Survey(), table, table.table[3], 0)) == 1 + 4
    # Old results do not make all other sites new values, but the rock was never seen.
    known = table.table[:20:2]
    x = places_of(wf.Survey(), table, table.table[3], 0, known)
    assert x[:, 2].tolist() == [1.0]
    # A few places that are forbidden make no names of values.
    grid = wf.Space(wf.Choice("s", list("abcdefgh")), wf.Choice("k", [1, 2]), forbidden=[{"s": ["c", "d"], "k": 2}])
    assert values_of(places_of(wf.Survey(), grid, np.zeros(2), 0), 0) == set(range(8))
    # A list of sites and nothing else is a choice.
    bare = wf.Places([{"site": f"site {i}"} for i in range(9)])
    assert len(places_of(wf.Survey(), bare, bare.table[0], 0)) == 9


def test_what_a_trip_can_reach_is_surveyed_in_every_value_that_it_can_reach():
    space = wf.Space(wf.Real("x", 0.0, 1.0), wf.Choice("rock", ["chalk", "clay", "granite", "slate", "marl"]))
    home = np.array([0.0, 0.0])
    travel = (wf.Euclidean(axes=["x"]) + wf.Switch("rock", 0.3)).bind(space)
    for trip, reached in ((1.2, {0, 1, 2, 3, 4}), (0.5, {0})):
        reach = Reach(travel, home, Limits(home=home, trip=trip)).from_home()
        near = Within.of(space, reach, RNG(0))
        for seed in range(8):
            x = wf.Survey().places(beginning(near, home, travel=travel), RNG(seed))
            assert near.contains(x).all()
            assert len(x) == 5
            assert values_of(x, 1) == reached


def shortest(travel, start, places):
    """Return the cost of the shortest way from the start through all the places, by trying every order."""
    orders = (np.vstack([start, *order]) for order in permutations(places))
    return min(sum(travel(one[i : i + 1], one[i + 1 : i + 2]).item() for i in range(4)) for one in orders)


@pytest.mark.parametrize("travel", ["straight", "ramps"])
@pytest.mark.parametrize("designs", [1, 8])
def test_of_the_designs_that_are_drawn_the_one_with_the_shortest_route_is_walked(travel, designs):
    costs = {"straight": wf.Euclidean(), "ramps": wf.parallel(wf.Ramp("a", 1.0, 0.1), wf.Ramp("b", 9.0, 2.0))}
    cost = costs[travel].bind(PLANE)
    for seed, start in enumerate(starts_in(PLANE)):
        rng = RNG(seed)
        drawn = [distinct(start, PLANE.survey(start, 4, rng)) for _ in range(designs)]
        x = wf.Survey(designs=designs).places(beginning(PLANE, start, travel=cost), RNG(seed))[1:]
        assert shortest(cost, start, x) == pytest.approx(min(shortest(cost, start, one) for one in drawn))
        assert x.tolist() in [one.tolist() for one in drawn]


def test_a_design_is_not_taken_for_having_fewer_places():
    # On three whole numbers five slices fall together, and with the start.
    space = wf.Space(wf.Integer("a", 0, 2), wf.Integer("b", 0, 2))
    for seed, start in enumerate(space.sample(10, RNG(0))):
        rng = RNG(seed)
        most = max(len(distinct(start, space.survey(start, 4, rng))) for _ in range(8))
        assert len(places_of(wf.Survey(), space, start, seed)) == 1 + most


@settings(max_examples=60, deadline=None)
@given(space=spaces(), seed=st.integers(0, 10_000), least=st.integers(1, 9))
def test_no_place_of_a_survey_comes_twice(space, seed, least):
    start = space.sample(1, RNG(seed))[0]
    x = places_of(wf.Survey(least), space, start, seed)
    assert space.contains(x).all()
    assert len(unique_rows(x)[0]) == len(x)


def test_where_there_is_one_place_a_survey_has_no_other():
    space = wf.Space(wf.Real("a", 3.0, 3.0), wf.Choice("s", ["only"]))
    assert places_of(wf.Survey(), space, np.array([3.0, 0.0]), 0).tolist() == [[3.0, 0.0]]


def test_a_survey_of_a_table_takes_the_nearest_places_that_are_left():
    table = wf.Places(np.array([[0.0], [0.4], [0.5], [0.9], [1.0]]))
    wanted = np.array([[0.88], [0.97], [0.41], [0.02], [0.02]])
    # 0.9 is the start; 0.88 and 0.97 are nearest to 1.0, which is taken by the first, then comes 0.5.
    found = nearest_rows(table, table.table, np.array([[0.9]]), table.encode(wanted), RNG(0))
    assert found.ravel().tolist() == [1.0, 0.5, 0.4, 0.0]


def test_the_nearest_places_of_a_table_are_so_in_parts_of_its_box():
    table = wf.Places(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1000.0], [1.0, 1000.0]]))
    wanted = np.array([[0.9, 400.0]])  # by plain numbers the first place is as near as the second
    found = nearest_rows(table, table.table, np.array([[0.0, 1000.0]]), table.encode(wanted), RNG(0))
    assert found.tolist() == [[1.0, 0.0]]


def test_a_place_that_shows_a_new_value_is_taken_before_one_whose_values_came_least_often():
    rows = [("a", "p"), ("a", "q"), ("a", "x"), ("b", "r"), ("a", "new"), ("b", "x")]
    table = wf.Places([{"s": s, "k": k} for s, k in rows])
    found = nearest_rows(table, table.table, table.table[:4], table.encode(table.table[:1]) * 0.0, RNG(0))
    assert table.params(found[0]) == {"s": "a", "k": "new"}


def reachable(space, trip):
    home = space.points([dict.fromkeys(space.names, 0.0)])[0]
    reach = Reach(wf.Euclidean().bind(space), home, Limits(home=home, trip=trip)).from_home()
    return Within.of(space, reach, RNG(0)), home


@pytest.mark.parametrize("seed", range(8))
def test_a_survey_of_what_a_trip_can_reach_is_spread_over_it_and_not_along_its_rim(seed):
    near, home = reachable(PLANE, 0.9)
    found = distinct(home, near.survey(home, 4, RNG(seed)))
    far = np.linalg.norm(found - home, axis=1)
    assert len(found) == 4
    assert (far <= 0.45 + 1e-9).all()
    assert (far < 0.4).sum() >= 2
    apart = np.linalg.norm(found[:, None] - found, axis=-1)
    assert apart[np.triu_indices(4, 1)].min() > 0.02


def test_where_a_trip_can_reach_few_places_of_a_table_a_survey_has_each_once():
    table = wf.Places(np.array([[0.0], [0.1], [0.2], [0.9], [1.0]]), ["x"])
    near, home = reachable(table, 0.5)
    assert sorted(distinct(home, near.survey(home, 4, RNG(0))).ravel().tolist()) == [0.1, 0.2]


def test_a_survey_of_a_fine_table_is_nearly_that_of_its_box():
    side = np.linspace(0.0, 1.0, 41)
    table = wf.Places(np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2))
    start = table.table[7]
    box = places_of(wf.Survey(designs=1), table.frame, start, 5)
    assert np.abs(places_of(wf.Survey(designs=1), table, start, 5) - box).max() <= 0.5 / 40 + 1e-12


class Ours:
    """A space of another make: no more than the protocol."""

    def __init__(self, space):
        self._space = space

    def __getattr__(self, name):
        if name in ("at", "frame", "table", "axes"):
            raise AttributeError(name)
        return getattr(self._space, name)

    def survey(self, start, n, rng):
        return self.without(start[None, :]).sample(n, rng)


@pytest.mark.parametrize("name", ["plane", "once"])
def test_a_space_of_another_make_is_surveyed_by_a_sample(name):
    space = Ours(SPACES[name])
    start = SPACES[name].sample(1, RNG(0))[0]
    x = places_of(wf.Survey(), space, start, 1)
    assert SPACES[name].contains(x).all()
    assert len(unique_rows(x)[0]) == 5
    # The stream that drew the start draws it again: it is left out, or was not to be had.
    again = places_of(wf.Survey(), space, start, 0)
    assert start.tolist() not in again[1:].tolist()


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "3"])
@pytest.mark.parametrize("what", ["least", "designs"])
def test_a_survey_of_no_places_or_designs_is_refused(what, wrong):
    with pytest.raises(wf.InvalidInput, match=f"Survey: {what}"):
        wf.Survey(**{what: wrong})


# With old results.

OLD = [[0.2, 0.0], [0.9, 2.0], [0.4, 5.0]]
"""Three old results, the last the best: the values 1, 3, 4, 6 and 7 were never tried."""


@pytest.mark.parametrize("seed", range(5))
def test_with_old_results_each_new_value_is_shown_once_at_the_best_settings(seed):
    x = wf.Survey().places(beginning(SOLVENTS, [0.7, 0.0], OLD), RNG(seed))
    assert sorted(x.tolist()) == [[0.4, value] for value in (1.0, 3.0, 4.0, 6.0, 7.0)]


@pytest.mark.parametrize("most", [1, 2, 4])
def test_with_old_results_new_values_are_shown_as_far_as_trials_go_whichever_they_are(most):
    shown = np.zeros(8)
    for seed in range(400):
        x = wf.Survey().places(beginning(SOLVENTS, [0.7, 0.0], OLD, most), RNG(seed))
        assert len(values_of(x, 1)) == len(x) == most
        shown[x[:, 1].astype(int)] += 1
    assert (shown[[0, 2, 5]] == 0).all()
    assert evenness(shown[[1, 3, 4, 6, 7]]) < 4.6  # the 0.1% point with four degrees of freedom


def test_where_old_results_show_every_value_the_policy_chooses_at_once():
    known = [[0.1 * value, value] for value in range(8)]
    assert wf.Survey().places(beginning(SOLVENTS, [0.7, 0.0], known), RNG(0)) is None
    assert wf.Survey().places(beginning(PLANE, [0.7, 0.0], [[0.0, 0.0]]), RNG(0)) is None
    assert wf.Survey().places(beginning(SOLVENTS, [0.7, 0.0], OLD, most=0), RNG(0)) is None


def test_a_value_that_failed_or_is_pending_is_not_new():
    begun = beginning(SOLVENTS, [0.7, 0.0], OLD)
    history = evolve(begun.history, failed=[[0.5, 1.0], [0.5, 3.0]], pending=[[0.5, 4.0]], pending_counts=[1])
    x = wf.Survey().places(evolve(begun, history=history), RNG(0))
    assert sorted(x.tolist()) == [[0.4, 6.0], [0.4, 7.0]]
    # Without any result the settings are those where the study begins.
    alone = evolve(history, x=no_points(2), y=[], counts=[], variances=[], measured=np.empty((0, 0)))
    x = wf.Survey().places(evolve(begun, history=alone), RNG(0))
    assert sorted(x.tolist()) == [[0.7, value] for value in (0.0, 2.0, 5.0, 6.0, 7.0)]


def test_the_best_settings_are_those_of_a_result_that_kept_the_limits():
    begun = beginning(SOLVENTS, [0.7, 0.0], OLD)
    limits = Measured("pressure", at_most=10.0), Measured("pH", at_least=5.0)
    for measured, settings_kept in (
        ([[9.0, 6.0], [9.0, 6.0], [11.0, 6.0]], 0.9),
        ([[9.0, 6.0], [11.0, 4.0], [11.0, 4.0]], 0.2),
        ([[11.0, 6.0], [11.0, 4.0], [9.0, 4.0]], 0.4),
        ([[np.nan, 6.0], [11.0, np.nan], [np.nan, np.nan]], 0.4),
    ):
        history = evolve(begun.history, limits=limits, measured=measured)
        x = wf.Survey().places(evolve(begun, history=history), RNG(0))
        assert values_of(x, 0) == {settings_kept}


def test_new_values_of_two_choices_come_one_at_a_time_if_trials_allow_it_else_together():
    space = wf.Space(wf.Real("t", 0.0, 1.0), wf.Choice("s", list("abcd")), wf.Choice("k", list("xyz")))
    known = [[0.3, 0.0, 0.0], [0.4, 1.0, 0.0]]
    apart = wf.Survey().places(beginning(space, [0.7, 0.0, 0.0], known, most=4), RNG(0))
    assert sorted(apart.tolist()) == [[0.4, 1.0, 1.0], [0.4, 1.0, 2.0], [0.4, 2.0, 0.0], [0.4, 3.0, 0.0]]
    for most in (2, 3):
        together = wf.Survey().places(beginning(space, [0.7, 0.0, 0.0], known, most=most), RNG(0))
        assert len(together) == 2
        assert values_of(together, 0) == {0.4}
        assert values_of(together, 1) == {2.0, 3.0}
        assert values_of(together, 2) == {1.0, 2.0}
    alone = wf.Survey().places(beginning(space, [0.7, 0.0, 0.0], known, most=1), RNG(0))
    assert alone[0, 0] == 0.4
    assert alone[0, 1] in (2.0, 3.0)
    assert alone[0, 2] in (1.0, 2.0)


def test_a_new_value_is_shown_near_the_best_settings_where_those_are_forbidden_or_not_in_the_table():
    axes = wf.Real("t", 0.0, 1.0), wf.Choice("s", list("abc"))
    holes = wf.Space(*axes, forbidden=[{"s": "c", "t": (0.3, None)}])
    x = wf.Survey().places(beginning(holes, [0.7, 0.0], [[0.2, 0.0], [0.5, 1.0]]), RNG(0))
    assert x[0, 1] == 2.0
    assert x[0, 0] == pytest.approx(0.3, abs=1e-3)
    for once in (False, True):
        table = wf.Places([{"t": t, "s": s} for t in (0.0, 0.3, 0.6, 1.0) for s in "abc"], once=once)
        known = table.points([{"t": 0.0, "s": "a"}, {"t": 0.3, "s": "b"}])
        x = wf.Survey().places(beginning(table, known[0], known), RNG(0))
        assert [table.params(place) for place in x] == [{"t": 0.3, "s": "c"}]


def test_which_of_equally_near_places_shows_a_new_value_is_drawn():
    axes = wf.Choice("s", ["old", "new"]), wf.Choice("k", [1, 2, 3, 4])
    space = wf.Space(*axes, forbidden=[{"s": "new", "k": 1}])
    known = [[0.0, value] for value in (1.0, 2.0, 3.0, 0.0)]
    shown = np.zeros(4)
    for seed in range(200):
        x = wf.Survey().places(beginning(space, [0.0, 0.0], known), RNG(seed))
        assert x[:, 0].tolist() == [1.0]
        shown[int(x[0, 1])] += 1
    assert shown[0] == 0
    assert evenness(shown[1:]) < 6.9  # the 0.1% point with two degrees of freedom


@settings(max_examples=60, deadline=None)
@given(space=st.one_of(spaces(), holed()), seed=st.integers(0, 10_000), old=st.integers(1, 6), most=st.integers(0, 9))
def test_with_old_results_an_opening_shows_new_values_and_nothing_else(space, seed, old, most):
    rng = RNG(seed)
    known = space.sample(old, rng)
    start = space.sample(1, rng)[0]
    x = places_of(wf.Survey(), space, start, seed, known, most)
    np.testing.assert_array_equal(places_of(wf.Survey(), space, start, seed, known, most), x)
    assert len(x) <= most
    assert space.contains(x).all()
    assert len(unique_rows(x)[0]) == len(x)
    new = [[value not in values_of(known, column) for value in x[:, column]] for column in columns_of(space)]
    assert all(any(ones) for ones in zip(*new, strict=True))
    everywhere = space.sample(256, RNG(1))
    missing = [len(values_of(everywhere, column) - values_of(known, column)) for column in columns_of(space)]
    if most >= sum(missing) and not space.forbidden:
        assert len(x) == sum(missing)


def columns_of(space):
    """Return the columns of the choices that are not fixed."""
    return [column for column, values in enumerate(space.choices) if values is not None and len(values) > 1]


def solvents(text, prior, method="wayfare", trials=12, seed=0):
    """Return a study with results imported, all in two of three solvents."""
    space = wf.Space(wf.Real("t", 0.0, 1.0), wf.Choice("s", ["a", "b", "new"]))
    travel = wf.Euclidean(axes=["t"]) + wf.Switch("s", 1.0)
    start = {"t": 0.5, "s": "a"}
    study = wf.Study.create(
        space, direction="minimize", travel=travel, trials=trials, start=start, method=method, seed=seed
    )
    import_csv(study, text, prior=prior)
    return study


RESULTS = "t,s,value\n0.2,a,5\n0.3,b,4\n0.9,b,6\n"


@pytest.mark.parametrize("prior", [True, False])
def test_a_study_that_begins_with_old_results_tries_the_new_value_first(prior):
    study = solvents(RESULTS, prior, method="thrifty")
    trial = study.ask()
    assert trial.params == {"t": 0.3, "s": "new"}
    study.tell(trial, 4.5)
    # Then the policy goes on: the opening is over, whatever was found.
    study.tell(study.ask(), 4.5)
    assert len(study.trials) == 5


@pytest.mark.parametrize("prior", [True, False])
def test_the_default_tries_the_new_value_on_its_first_route(prior):
    study = solvents(RESULTS, prior)
    study.replan()
    first = [study.spec.space.params(place) for place in study.snapshot().state.itinerary.places]
    assert {"t": 0.3, "s": "new"} in first
    assert len(first) > 1


@pytest.mark.parametrize("name", ["ucb", "tucb", "bpe", "random"])
def test_methods_that_begin_at_the_start_choose_by_themselves_with_old_results(name):
    method = evolve(method_named(name), opening=wf.JustStart())
    study = solvents(RESULTS, prior=True, method=method)
    asked = study.ask()
    space, travel = study.spec.space, study.spec.travel
    before = solvents(RESULTS, prior=True, method=method).snapshot().state.history
    with_none = evolve(method, opening=wf.NoOpening())
    plan = plan_batch(Task(with_none, space, travel, before, 12), stream(study.spec.seed, 0))
    assert space.params(plan.itinerary.places[0]) == asked.params


def test_the_nested_rule_passes_over_an_opening_that_had_results_but_no_belief():
    nested = wf.Method(wf.Elimination(wf.UCB(), nested=True), wf.OneByOne(), opening=wf.Survey())
    study = solvents(RESULTS, prior=True, method=nested)
    for value in (4.5, 4.4, 4.3):
        study.tell(study.ask(), value)
    assert study.trials[3].params["s"] == "new"
    assert len(study.trials) == 6


# How a study begins.


def begin(opening, space=PLANE, left=20, position=None, history=None, policy=None):
    method = wf.Method(policy or wf.UCB(), wf.Growing(1.1), opening=opening)
    travel = wf.Euclidean().bind(space)
    history = history or History.empty(space, position)
    return plan_batch(Task(method, space, travel, history, left), RNG(0)).itinerary


@pytest.mark.parametrize("space", OPENED.values(), ids=OPENED)
def test_the_first_route_is_where_a_study_begins_and_the_opening(space):
    position = starts_in(space)[0]
    route = begin(wf.Survey(), space, position=position)
    n = 1 + max(4, len(set(space.groups.tolist())))
    assert len(route.places) == n
    assert position.tolist() in route.places.tolist()
    assert len(unique_rows(route.places)[0]) == n
    if len(set(space.groups.tolist())) > 1 and None in space.choices[1:]:  # on a line the start may lie on the way
        np.testing.assert_array_equal(route.places[0], position)
        assert route.legs[0] == 0


@pytest.mark.parametrize(("left", "more"), [(1, 0), (2, 0), (3, 1), (5, 1), (6, 2), (11, 3), (12, 4), (99, 4)])
def test_an_opening_takes_a_third_of_the_trials_at_most(left, more):
    places = begin(wf.Survey(), left=left, position=np.array([1.0, 0.5])).places
    assert len(places) == 1 + more
    assert [1.0, 0.5] in places.tolist()


@pytest.mark.parametrize(("left", "more"), [(3, 1), (6, 2), (12, 4), (15, 5), (99, 5)])
def test_with_old_results_an_opening_takes_a_third_of_the_trials_at_most(left, more):
    history = beginning(SOLVENTS, [0.7, 0.0], OLD).history
    places = begin(wf.Survey(), SOLVENTS, left, history=history).places
    assert len(places) == more
    assert values_of(places, 0) == {0.4}


def test_a_shorter_survey_is_spread_as_a_longer_one():
    line = wf.Space(wf.Real("a", 0.0, 1.0))
    for seed in range(10):
        x = places_of(wf.Survey(), line, np.array([0.1]), seed, most=3)
        assert sorted(np.floor(3 * x[:, 0])) == [0, 1, 2]


def test_an_opening_does_not_change_where_a_study_without_a_start_begins():
    bare, surveyed = (begin(opening).places for opening in (wf.JustStart(), wf.Survey()))
    assert len(bare) == 1
    assert bare.tolist()[0] in surveyed.tolist()


class Witness:
    """An opening that keeps what it was shown, and has one place of its own."""

    def places(self, beginning, rng):
        self.shown = beginning
        return np.array([[1.5, 0.25]])


def test_an_opening_sees_old_results_and_is_asked_only_for_the_first_route():
    told = history_of(PLANE, 2, seed=0)
    nothing, plan = np.empty((0, 2)), (Past(0, {"step": "start"}),)
    for history, asked in (
        (History.empty(PLANE), True),
        (History(PLANE, told.x, told.y, told.pending, visited=nothing), True),  # known before the study
        (History(PLANE, told.x, told.y, told.pending), True),  # visited before the first plan
        (History(PLANE, told.x, told.y, told.pending, visited=nothing, past=plan), True),  # planned, and not gone
        (History(PLANE, told.x, told.y, told.pending, past=plan), False),
        (History(PLANE, nothing, [], told.x, past=plan), False),
        (History(PLANE, nothing, [], nothing, skipped=told.x, past=plan), False),
    ):
        witness = Witness()
        places = begin(witness, history=history).places
        assert hasattr(witness, "shown") == asked
        assert (places.tolist() == [[1.5, 0.25]]) == asked
        if asked:
            assert witness.shown.history is history
            assert witness.shown.most == 20 // 3 + (history.told == 0)


def test_an_opening_of_no_places_leaves_the_first_route_to_the_policy():
    class Empty:
        def places(self, beginning, rng):
            return np.empty((0, beginning.space.d))

    np.testing.assert_array_equal(begin(Empty()).places, begin(wf.NoOpening()).places)


def test_without_an_opening_the_stream_of_the_policy_is_untouched():
    class Nosy:
        def places(self, beginning, rng):
            self.next = rng.random()
            return wf.JustStart().places(beginning, rng)

    nosy = Nosy()
    begin(nosy)
    pick_rng = RNG(0).spawn(3)[1]
    _first_place(PLANE, wf.Euclidean(), History.empty(PLANE), pick_rng)
    assert nosy.next == pick_rng.random()
    assert wf.Method(wf.UCB(), wf.OneByOne()).opening == wf.ShowValues()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (np.array([[0.5, 700.0]]), "not in the space"),
        ([[0.5, 0.5]], "must return an array"),
        (np.array([0.5, 0.5]), "must return an array"),
        (np.array([[0.5]]), "must return an array"),
    ],
)
def test_an_opening_that_breaks_its_promise_is_named(answer, said):
    class Odd:
        def places(self, beginning, rng):
            return answer

    with pytest.raises(wf.InvalidInput, match=f"opening Odd .*{said}"):
        begin(Odd())


def test_an_opening_that_visits_a_single_visit_twice_is_named():
    class Again:
        def places(self, beginning, rng):
            return np.tile(beginning.start, (2, 1))

    begin(Again(), SPACES["places"])
    with pytest.raises(wf.InvalidInput, match="opening Again returned a place twice"):
        begin(Again(), SPACES["once"])


@pytest.mark.parametrize("opening", [wf.Survey, "survey", None])
def test_what_is_no_opening_is_refused(opening):
    with pytest.raises(wf.InvalidInput, match="opening"):
        wf.Method(wf.UCB(), wf.OneByOne(), opening=opening)


def test_a_study_walks_its_opening_before_it_learns():
    space = wf.Space(wf.Real("a", 0.0, 1.0))
    method = wf.Method(wf.UCB(), wf.OneByOne(), opening=wf.Survey())
    study = wf.maximize(lambda a: -abs(a - 0.3), space, travel=wf.Euclidean(), trials=15, method=method)
    fifths = [int(5 * trial.x[0]) for trial in study.trials[:5]]
    assert sorted(fifths) == [0, 1, 2, 3, 4]
    assert len(study.trials) == 15
