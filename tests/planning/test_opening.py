"""Openings: the common contract, where a survey looks, and how a study begins with one."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import wayfare as wf
from tests.space.strategies import spaces
from wayfare._core.arrays import unique_rows
from wayfare.planning.opening import _first_place
from wayfare.planning.plan import Task, plan_batch
from wayfare.planning.reach import Limits, Reach
from wayfare.planning.reachable import Within
from wayfare.space.designs import distinct, latin_through
from wayfare.space.places import nearest_rows
from wayfare.surrogate.history import History
from wayfare.testing.opening import OpeningContract, places_of, starts_in
from wayfare.testing.policy import SPACES
from wayfare.testing.surrogate import history_of

RNG = np.random.default_rng
PLANE = SPACES["plane"]


@pytest.mark.parametrize("opening", [wf.JustStart(), wf.Survey(), wf.Survey(least=1), wf.Survey(30)], ids=str)
class TestEveryOpening(OpeningContract):
    pass


class Untouchable:
    """A stream that nobody may draw from."""

    def __getattr__(self, name):
        raise AssertionError(f"rng.{name} was asked for")


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_just_the_start_is_no_more_places_and_draws_nothing(space):
    assert wf.JustStart().places(space, starts_in(space)[0], None, Untouchable()).shape == (0, space.d)


@settings(max_examples=60, deadline=None)
@given(start=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=7), n=st.integers(1, 20), seed=st.integers(0, 10_000))
@example(start=[1.0, 0.0], n=3, seed=0)
def test_a_latin_hypercube_through_a_start_has_every_point_in_a_slice_of_its_own(start, n, seed):
    points = latin_through(np.array(start), n, RNG(seed))
    assert points.shape == (n, len(start))
    assert ((points > 0) & (points < 1)).all()
    own = np.minimum(np.floor(np.vstack([start, points]) * (n + 1)), n)
    for column in own.T:
        assert sorted(column) == list(range(n + 1))
    np.testing.assert_allclose((points * (n + 1)) % 1.0, 0.5)


def test_which_slices_come_together_is_drawn():
    start = np.array([0.3, 0.3])
    drawn = {tuple(latin_through(start, 3, RNG(seed)).ravel()) for seed in range(600)}
    assert len(drawn) == 6 * 6


@pytest.mark.parametrize("least", [1, 3, 5])
@pytest.mark.parametrize(("name", "axes"), [("plane", 2), ("mixed", 3), ("six", 6), ("fixed", 1), ("once", 2)])
def test_a_survey_has_a_place_for_every_axis_to_move_along_and_no_fewer_than_the_least(name, axes, least):
    space = SPACES[name]
    x = places_of(wf.Survey(least), space, space.sample(1, RNG(1))[0], 0)
    assert len(x) == max(least, axes)


def test_along_a_single_axis_a_survey_and_the_start_have_a_fifth_each():
    line = wf.Space(wf.Real("a", 10.0, 20.0))
    for seed, start in enumerate(np.linspace(10.0, 19.9, 30)):
        x = np.vstack([[start], places_of(wf.Survey(), line, np.array([start]), seed)])
        assert sorted(np.floor((x[:, 0] - 10.0) / 2.0)) == [0, 1, 2, 3, 4]


def test_in_d_dimensions_a_survey_keeps_within_one_over_root_d_of_the_width():
    for d in (1, 4, 7):
        space = wf.Space(*(wf.Real(f"x{i}", 0.0, 1.0) for i in range(d)))
        # Eight slices, the start in the first of each axis: the last one's middle is 7/16 from the centre.
        x = places_of(wf.Survey(7), space, np.zeros(d), 0)
        np.testing.assert_allclose(np.abs(x - 0.5).max(axis=0), 7 / 16 * d**-0.5)


def test_only_axes_of_numbers_count_for_how_far_a_survey_is_drawn_together():
    space = wf.Space(wf.Real("a", 0.0, 1.0), *(wf.Choice(f"s{i}", ["x", "y"]) for i in range(3)))
    x = places_of(wf.Survey(), space, np.zeros(4), 0)
    np.testing.assert_allclose(np.sort(x[:, 0]), [0.3, 0.5, 0.7, 0.9])


def test_a_choice_has_no_middle_to_be_drawn_to():
    kinds = [wf.Choice(f"s{i}", ["a", "b", "c", "d"]) for i in range(3)]
    space = wf.Space(*kinds, *(wf.Real(f"x{i}", 0.0, 1.0) for i in range(6)))
    for start in starts_in(space):
        x = np.vstack([start, places_of(wf.Survey(), space, start, 0)])
        for column in x[:, :3].T:
            assert set(column) == {0, 1, 2, 3}


def test_a_survey_of_a_mixed_space_looks_at_every_choice_from_each_of_them():
    space = wf.Space(wf.Real("t", 40.0, 120.0), wf.Choice("s", ["a", "b", "c", "d"]))
    for start in space.sample(12, RNG(0)):
        x = np.vstack([start, places_of(wf.Survey(), space, start, 1)])
        assert set(x[:, 1]) == {0, 1, 2, 3}


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
        x = wf.Survey(designs=designs).places(PLANE, start, cost, RNG(seed))
        assert shortest(cost, start, x) == pytest.approx(min(shortest(cost, start, one) for one in drawn))
        assert x.tolist() in [one.tolist() for one in drawn]


def test_a_design_is_not_taken_for_having_fewer_places():
    # On three whole numbers the middles of five slices fall together, and with the start.
    space = wf.Space(wf.Integer("a", 0, 2), wf.Integer("b", 0, 2))
    for seed, start in enumerate(space.sample(10, RNG(0))):
        rng = RNG(seed)
        most = max(len(distinct(start, space.survey(start, 4, rng))) for _ in range(8))
        assert len(places_of(wf.Survey(), space, start, seed)) == most


@settings(max_examples=60, deadline=None)
@given(space=spaces(), seed=st.integers(0, 10_000), least=st.integers(1, 9))
def test_no_place_of_a_survey_comes_twice_and_none_is_the_start(space, seed, least):
    start = space.sample(1, RNG(seed))[0]
    x = places_of(wf.Survey(least), space, start, seed)
    assert space.contains(x).all()
    assert len(unique_rows(np.vstack([start, x]))[0]) == len(x) + 1


def test_where_there_is_one_place_a_survey_has_none():
    space = wf.Space(wf.Real("a", 3.0, 3.0), wf.Choice("s", ["only"]))
    assert places_of(wf.Survey(), space, np.array([3.0, 0.0]), 0).shape == (0, 2)


def test_a_survey_of_a_table_takes_the_nearest_places_that_are_left():
    table = wf.Places(np.array([[0.0], [0.4], [0.5], [0.9], [1.0]]))
    wanted = np.array([[0.88], [0.97], [0.41], [0.02], [0.02]])
    # 0.9 is the start; 0.88 and 0.97 are nearest to 1.0, which is taken by the first, then comes 0.5.
    found = nearest_rows(table, table.table, np.array([0.9]), table.encode(wanted))
    assert found.ravel().tolist() == [1.0, 0.5, 0.4, 0.0]


def test_the_nearest_places_of_a_table_are_so_in_parts_of_its_box():
    table = wf.Places(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1000.0], [1.0, 1000.0]]))
    wanted = np.array([[0.9, 400.0]])  # by plain numbers the first place is as near as the second
    found = nearest_rows(table, table.table, np.array([0.0, 1000.0]), table.encode(wanted))
    assert found.tolist() == [[1.0, 0.0]]


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
    assert len(unique_rows(np.vstack([start, x]))[0]) == 5
    # The stream that drew the start draws it again: it is left out, or was not to be had.
    again = places_of(wf.Survey(), space, start, 0)
    assert start.tolist() not in again.tolist()


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "3"])
@pytest.mark.parametrize("what", ["least", "designs"])
def test_a_survey_of_no_places_or_designs_is_refused(what, wrong):
    with pytest.raises(wf.InvalidInput, match=f"Survey: {what}"):
        wf.Survey(**{what: wrong})


def begin(opening, space=PLANE, left=20, position=None, history=None, policy=None):
    method = wf.Method(policy or wf.UCB(), wf.Growing(1.1), opening=opening)
    travel = wf.Euclidean().bind(space)
    history = history or History.empty(space, position)
    return plan_batch(Task(method, space, travel, history, left), RNG(0)).itinerary


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_the_first_route_is_where_a_study_begins_and_the_opening(space):
    position = starts_in(space)[0]
    route = begin(wf.Survey(), space, position=position)
    n = 1 + max(4, len(set(space.groups.tolist())))
    assert len(route.places) == n
    assert position.tolist() in route.places.tolist()
    assert len(unique_rows(route.places)[0]) == n
    if len(set(space.groups.tolist())) > 1:  # along a single axis the start may lie on the way
        np.testing.assert_array_equal(route.places[0], position)
        assert route.legs[0] == 0


@pytest.mark.parametrize(("left", "more"), [(1, 0), (2, 0), (3, 1), (5, 1), (6, 2), (11, 3), (12, 4), (99, 4)])
def test_an_opening_takes_a_third_of_the_trials_at_most(left, more):
    places = begin(wf.Survey(), left=left, position=np.array([1.0, 0.5])).places
    assert len(places) == 1 + more
    np.testing.assert_array_equal(places[0], [1.0, 0.5])


def test_an_opening_does_not_change_where_a_study_without_a_start_begins():
    bare, surveyed = (begin(opening).places for opening in (wf.JustStart(), wf.Survey()))
    assert len(bare) == 1
    assert bare.tolist()[0] in surveyed.tolist()


def test_what_is_known_before_the_study_takes_the_place_of_an_opening():
    class Never:
        def places(self, space, start, travel, rng):
            raise AssertionError("asked though something is known")

    known = history_of(PLANE, 2, seed=0)
    known = History(PLANE, known.x, known.y, known.pending, visited=np.empty((0, 2)))
    assert known.handed_out == 0
    assert len(begin(Never(), history=known).places) == 1


def test_without_an_opening_the_stream_of_the_policy_is_untouched():
    class Nosy:
        def places(self, space, start, travel, rng):
            self.next = rng.random()
            return wf.JustStart().places(space, start, travel, rng)

    nosy = Nosy()
    begin(nosy)
    pick_rng = RNG(0).spawn(3)[1]
    _first_place(PLANE, wf.Euclidean(), History.empty(PLANE), pick_rng)
    assert nosy.next == pick_rng.random()
    assert wf.Method(wf.UCB(), wf.OneByOne()).opening == wf.JustStart()


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
        def places(self, space, start, travel, rng):
            return answer

    with pytest.raises(wf.InvalidInput, match=f"opening Odd .*{said}"):
        begin(Odd())


def test_an_opening_that_visits_a_single_visit_twice_is_named():
    class Again:
        def places(self, space, start, travel, rng):
            return start[None, :]

    begin(Again(), SPACES["places"])
    with pytest.raises(wf.InvalidInput, match=r"opening Again returned .* not in the space"):
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
