import pickle

import numpy as np
import pytest

from tournament.functions import CHARACTERS, development, function_named, reporting
from tournament.optima import search
from tournament.problems import NOISE, ROTATION, crossing, problem, start_of, variant_of
from wayfare._core.rng import stream
from wayfare.bench import PAPER, problem_named
from wayfare.errors import InvalidInput
from wayfare.travel import check

EVERY = development() | reporting()
SETS = {"development": development(), "reporting": reporting()}


@pytest.fixture(params=EVERY)
def function(request):
    return EVERY[request.param]


@pytest.fixture(params=SETS)
def members(request):
    return SETS[request.param].values()


def test_no_function_is_in_both_sets():
    assert not development().keys() & reporting().keys()
    assert len(development()) >= 14
    assert len(reporting()) >= 20
    for mine in development().values():
        x = mine.place(stream(0).random((50, mine.d)))
        for other in reporting().values():
            if other.d == mine.d:
                values = other(other.place(mine.unit(x)))
                assert abs(np.corrcoef(mine(x), values)[0, 1]) < 0.999, (mine.name, other.name)


def test_each_set_has_every_character(members):
    assert {character for function in members for character in function.characters} == set(CHARACTERS)


def test_each_set_has_few_and_many_variables(members):
    dimensions = [function.d for function in members]
    assert 1 in dimensions
    assert max(dimensions) <= 8
    assert sum(d >= 6 for d in dimensions) >= (4 if len(members) == len(reporting()) else 2)


def test_reporting_has_corners_in_two_four_and_six_variables():
    corners = {function.d for function in reporting().values() if "corner" in function.characters}
    assert {2, 4, 6} <= corners


def test_boxes_have_many_sizes(members):
    widths = np.concatenate([function.high - function.low for function in members])
    assert widths.max() / widths.min() > 100


def test_the_papers_five_are_reported_on_but_no_best_place_is_in_the_middle():
    for name in PAPER:
        mine, theirs = reporting()[name], problem_named(name)
        x = mine.space.sample(20, stream(1))
        assert np.array_equal(mine(x), theirs.function(x))
        assert mine.optimum == pytest.approx(theirs.optimum, abs=1e-9)
        assert (mine.space == theirs.space) == (name in ("branin", "levy"))
        widths = mine.high - mine.low, [axis.high - axis.low for axis in theirs.space.axes]
        assert widths[0] == pytest.approx(widths[1], rel=0.01)


def test_the_best_place_is_in_the_box_and_has_the_optimum(function):
    assert function.space.contains(function.best[None, :]).all()
    assert function(function.best[None, :])[0] == function.optimum


def test_no_search_finds_more_than_the_optimum(function):
    place, value = search(function, log2_places=11, starts=3)
    assert value <= function.optimum + 1e-6 * function.spread, place.tolist()
    near = function.unit(function.best[None, :]) + 0.01 * stream(2).standard_normal((1000, function.d))
    assert function(function.place(np.clip(near, 0, 1))).max() <= function.optimum + 1e-6 * function.spread


KNOWN = {
    "forrester": 6.02074,
    "himmelblau": 0,
    "trid": 50,
    "camel6": 1.0316285,
    "styblinski-tang": 4 * 39.1661657,
    "rosenbrock": 0,
    "shekel": 10.402915,
    "hartmann3": 3.8627798,
    "hartmann6": 3.322368,
    "goldstein-price": -np.log(3),
    "gramacy-lee": 0.8690111,
    "currin": 13.798722,
    "easom": 1,
    "beale": 0,
    "dixon-price": 0,
}


@pytest.mark.parametrize("name", KNOWN)
def test_optima_are_those_of_the_literature(name):
    assert EVERY[name].optimum == pytest.approx(KNOWN[name], rel=1e-6, abs=1e-9)


def test_a_corner_is_a_corner_and_an_edge_an_edge(function):
    ends = np.isin(function.unit(function.best[None, :])[0], [0, 1])
    if "corner" in function.characters:
        assert ends.all()
    if "edge" in function.characters:
        assert ends.any()
        assert not ends.all()


def test_no_function_has_its_best_place_in_the_middle(function):
    away = np.abs(function.unit(function.best[None, :])[0] - 0.5).max()
    assert away > 0.05
    if "off-centre" in function.characters:
        assert away >= 0.1 - 1e-9


def test_places_are_valued_one_by_one_as_together(function):
    x = function.space.sample(7, stream(3))
    together = function(x)
    assert together.shape == (7,)
    assert np.allclose(together, [function(row[None, :])[0] for row in x], rtol=1e-12, atol=1e-12)


def test_every_start_has_something_to_gain(function):
    for start in ("corner", "middle"):
        place = start_of(function, start)
        assert function.space.contains(place[None, :]).all()
        assert function.optimum - function(place[None, :])[0] > 0.25 * function.spread


def test_a_corner_to_start_from_is_not_the_one_that_the_best_place_is_nearer_to(function):
    start, best = (function.unit(place[None, :])[0] for place in (start_of(function, "corner"), function.best))
    assert np.linalg.norm(start - best) >= np.linalg.norm(1 - start - best) - 1e-9
    assert np.linalg.norm(start - best) > 0.4


def test_noise_is_a_part_of_the_spread(function):
    x = function.place(stream(4).random((20_000, function.d)))
    assert function.spread == pytest.approx(function(x).std(), rel=0.15)
    for noise, part in NOISE.items():
        assert problem(function.name, noise).noise == pytest.approx(part * function.spread)


def test_ramps_rise_three_times_as_fast_as_they_fall(function):
    ramps = problem(function.name, travel="ramps")
    cost = ramps.travel.bind(ramps.space)
    low, high = function.low[None, :], function.high[None, :]
    assert cost(low, high)[0, 0] == pytest.approx(1)
    assert cost(high, low)[0, 0] == pytest.approx(3)
    one_axis = low.copy()
    one_axis[0, -1] = high[0, -1]
    assert cost(low, one_axis)[0, 0] == pytest.approx(1)
    assert check(ramps.travel, ramps.space).is_usable


def test_euclidean_is_in_the_users_units():
    assert crossing(EVERY["lure"], "euclidean") == pytest.approx(np.hypot(100, 20))


def test_a_drawn_start_is_drawn_by_the_seed():
    one, same, other = (problem("quay", start="drawn", seed=seed).start for seed in (5, 5, 6))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    with pytest.raises(InvalidInput, match="needs a seed"):
        problem("quay", start="drawn")


def test_the_rotation_covers_all_variants_evenly():
    assert len(set(ROTATION)) == 8
    for index in (0, 3):
        assert {variant_of(index, seed) for seed in range(1000, 1008)} == set(ROTATION)
    for first, second in zip(ROTATION[::2], ROTATION[1::2], strict=True):
        assert all(a != b for a, b in zip(first, second, strict=True))


def test_a_problem_can_be_sent_to_another_process():
    for name in ("draw2", "currin", "needle"):
        sent = pickle.loads(pickle.dumps(problem(name)))
        x = sent.space.sample(3, stream(5))
        assert np.array_equal(sent.function(x), problem(name).function(x))


def test_an_unknown_name_is_refused_with_a_likely_one():
    with pytest.raises(InvalidInput, match="did you mean 'currin'"):
        function_named("curin")
