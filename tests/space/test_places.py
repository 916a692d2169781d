import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space import Places
from wayfare.space.places import TREE_FROM, Neighbours
from wayfare.testing.space import SpaceContract

SITES = [
    {"east": 0, "north": 1.5, "rock": "granite", "wet": True},
    {"east": 2, "north": 0.5, "rock": "chalk", "wet": True},
    {"east": 4, "north": -0.5, "rock": "granite", "wet": False},
    {"east": 4, "north": 2.5, "rock": "chalk", "wet": False},
]
relaxed = settings(deadline=None, max_examples=60)
tables = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 30), st.integers(1, 4)), elements=st.integers(-3, 3).map(float)
).map(lambda table: np.unique(table + 0.0, axis=0))


class TestSites(SpaceContract):
    @pytest.fixture
    def space(self):
        return Places(SITES)


class TestSitesVisitedOnce(SpaceContract):
    @pytest.fixture
    def space(self):
        return Places(SITES, once=True)


class TestManyPlaces(SpaceContract):
    @pytest.fixture
    def space(self):
        return Places(stream(0).normal(size=(300, 3)), once=True)


class TestMorePlacesThanFitAMatrix(SpaceContract):
    @pytest.fixture
    def space(self):
        return Places(stream(0).normal(size=(TREE_FROM, 2)))


class TestSinglePlace(SpaceContract):
    @pytest.fixture
    def space(self):
        return Places([[1.0, 2.0]])


@relaxed
@given(tables)
def test_every_place_is_found_in_its_row(table):
    places = Places(table)
    assert places.index(places.table).tolist() == list(range(places.size))
    assert places.index(places.table + 0.25).tolist() == [-1] * places.size


@relaxed
@given(tables, st.integers(0, 2**32))
def test_snapping_finds_the_nearest_row(table, seed):
    places = Places(table)
    x = stream(seed).uniform(-4, 4, size=(5, places.d))
    squares = ((places.encode(x)[:, None] - places.encode(table)) ** 2).sum(axis=2)
    snapped = places.index(places.snap(x))
    assert squares[np.arange(5), snapped] == pytest.approx(squares.min(axis=1))


@relaxed
@given(tables, st.integers(1, 40), st.integers(0, 2**32))
def test_no_place_is_drawn_twice_while_others_are_left(table, n, seed):
    places = Places(table)
    for drawn in (places.sample(n, stream(seed)), places.around(table[:1], 0.1, n, stream(seed))):
        assert len(np.unique(drawn, axis=0)) == min(n, places.size)


@relaxed
@given(tables, st.data())
def test_visited_places_leave_the_scaling_alone(table, data):
    places = Places(table, once=True)
    gone = data.draw(st.lists(st.integers(0, len(table) - 1), unique=True))
    rest = places.without(places.table[gone])
    assert rest.size == places.size - len(gone)
    assert np.array_equal(rest.encode(table), places.encode(table))
    assert np.array_equal(rest.table, np.delete(places.table, gone, axis=0))


def test_the_tree_and_the_matrix_agree():
    table = stream(0).random((TREE_FROM, 3))
    points = stream(1).random((20, 3))
    rows, squares = Neighbours(table).nearest(points, 7)
    few_rows, few_squares = Neighbours(table[: TREE_FROM - 1]).nearest(points, 7)
    same = (rows != TREE_FROM - 1).all(axis=1)
    assert same.sum() > 15
    assert np.array_equal(rows[same], few_rows[same])
    assert squares[same] == pytest.approx(few_squares[same])


def test_a_small_radius_gives_the_nearest_rows():
    line = Places(np.arange(10.0)[:, None])
    near = line.around(np.array([[5.0]]), 1e-6, 4, stream(0))
    assert sorted(near[:, 0]) == [3, 4, 6, 7]


def test_a_large_radius_reaches_far():
    line = Places(np.arange(100.0)[:, None])
    near = line.around(np.array([[50.0]]), 0.3, 15, stream(0))
    assert np.abs(near - 50).max() > 15


def test_when_all_are_visited_no_place_is_left():
    places = Places(SITES, once=True)
    rest = places.without(places.table)
    assert rest.size == 0
    assert rest.sample(3, stream(0)).shape == (0, 4)
    assert rest.everything(10).shape == (0, 4)
    assert not rest.contains(places.table).any()
    for lost in (lambda: rest.snap(places.table), lambda: rest.around(places.table, 0.1, 2, stream(0))):
        with pytest.raises(InvalidInput, match="no places left"):
            lost()


def test_minus_zero_is_zero():
    places = Places([[0.0], [1.0]])
    assert places.index(np.array([[-0.0]])).tolist() == [0]
    assert Places([[-0.0], [1.0]]).index(np.array([[0.0]])).tolist() == [0]
    with pytest.raises(InvalidInput, match="places 0 and 1"):
        Places([[0.0], [-0.0]])


def test_what_went_in_comes_out():
    places = Places(SITES)
    assert [places.params(row) for row in places.table] == SITES
    assert [[type(v) for v in places.params(row).values()] for row in places.table] == [[int, float, str, bool]] * 4
    assert places.choices == (None, None, ("granite", "chalk"), (True, False))


def test_arrays_dicts_rows_and_frames_make_the_same_places():
    pandas = pytest.importorskip("pandas")
    rows = [list(site.values()) for site in SITES]
    names = list(SITES[0])
    whole = Places(SITES)
    assert Places(rows, names=names) == whole
    assert Places(np.array(rows, dtype=object), names=names) == whole
    assert Places(pandas.DataFrame(SITES)) == whole
    assert hash(Places(rows, names=names)) == hash(whole)
    assert Places(SITES[:3]) != whole


def test_names_pick_columns():
    pandas = pytest.importorskip("pandas")
    for table in (SITES, pandas.DataFrame(SITES)):
        places = Places(table, names=["north", "east"])
        assert places.names == ("north", "east")
        assert places.table[0].tolist() == [1.5, 0]
    assert Places(np.eye(3)).names == ("x0", "x1", "x2")


def test_constant_columns_are_fixed_and_the_rest_fills_the_unit_cube():
    places = Places(np.array([[1.0, 7, 10], [2, 7, 30], [5, 7, 20]]))
    assert places.encode(places.table).tolist() == [[0, 0], [0.25, 1], [1, 0.5]]
    assert places.groups.tolist() == [0, 1]


def test_a_start_need_not_be_in_the_table():
    start = Places(SITES).points({"east": 0.5, "north": 99, "rock": "chalk", "wet": False})
    assert not Places(SITES).contains(start)[0]


def test_changing_the_array_later_changes_nothing():
    table = np.eye(3)
    places = Places(table)
    table[:] = 5
    assert np.array_equal(places.table, np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        places.table[0, 0] = 3


@pytest.mark.parametrize(
    ("table", "names", "message"),
    [
        ([], None, "no places at all"),
        (np.empty((0, 2)), None, "no places at all"),
        (np.empty((2, 0)), None, "no columns"),
        ([{}], None, "no columns"),
        (np.zeros(3), None, "needs two dimensions, got shape (3,)"),
        (None, None, "must be an array, a list of dicts or a DataFrame"),
        ("abc", None, "must be an array"),
        ({"a": [1, 2]}, None, "must be an array"),
        ([1.0, 2.0], None, "place 0 of the table is 1.0"),
        ([[1.0, 2.0], [3.0]], None, "place 1 of the table is [3.0]"),
        ([[1.0], [2.0], [1.0]], None, "places 0 and 2 of the table are the same; drop the duplicates"),
        (np.array([[1.0], [np.nan]]), None, "place 1 of the table: 'x0' must be finite, got nan"),
        ([[1.0], [float("inf")]], None, "place 1 of the table: 'x0' must be finite"),
        ([[1.0], [None]], None, "place 1 of the table: 'x0' must be a number, got None"),
        ([[1.0], ["a"]], None, "mixes 1.0 with 'a'"),
        ([[1.0], [True]], None, "mixes 1.0 with True"),
        ([{"a": 1}, {"b": 2}], None, "place 1 of the table has 'b'"),
        ([{"a": 1}, [2]], None, "place 1 of the table is [2]"),
        ([{"a": 1, "": 2}], None, "column name must not be empty"),
        (np.eye(2), ["a"], "names has 1 names for 2 columns"),
        (np.eye(2), ["a", "a"], "two axes are named 'a'"),
        (np.eye(2), "ab", "names must be a list, got 'ab'"),
        (SITES, ["nort"], "the table has no column 'nort'; did you mean 'north'?"),
        (SITES, [], "no columns"),
        (np.eye(65), None, "64 axes at most"),
    ],
)
def test_bad_tables_are_refused(table, names, message):
    with pytest.raises(InvalidInput) as refused:
        Places(table, names=names)
    assert message in str(refused.value)


def test_a_frame_with_holes_is_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InvalidInput, match="place 1 of the table: 'a' must be finite, got nan"):
        Places(pandas.DataFrame({"a": [1.0, None]}))
    with pytest.raises(InvalidInput, match="mixes"):
        Places(pandas.DataFrame({"a": ["x", None]}))
    with pytest.raises(InvalidInput, match="no places at all"):
        Places(pandas.DataFrame({"a": []}))
    with pytest.raises(InvalidInput, match="column name must be text, got 0"):
        Places(pandas.DataFrame([[1.0]]))


@pytest.mark.parametrize("seed", range(5))
def test_a_survey_has_the_nearest_places_to_that_of_the_frame_none_twice_nor_the_start(seed):
    places = Places(stream(seed).random((30, 2)) * [1.0, 1000.0])
    start = places.table[seed]
    found = places.survey(start, 6, stream(seed, "survey"))
    wanted = places.encode(places.frame.survey(start, 6, stream(seed, "survey")))
    left = [row for row in places.table.tolist() if row != start.tolist()]
    for place, row in zip(wanted, found.tolist(), strict=True):
        away = np.square(places.encode(np.array(left)) - place).sum(axis=1)
        assert left[int(away.argmin())] == row
        left.remove(row)


def test_a_survey_of_few_places_has_all_but_the_start():
    places = Places([[1.0], [2.0], [3.0]], once=True)
    assert sorted(places.survey(np.array([2.0]), 9, stream(0)).ravel()) == [1.0, 3.0]
    rest = places.without(places.table[:2])
    assert rest.survey(np.array([3.0]), 9, stream(0)).shape == (0, 1)
