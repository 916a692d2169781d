import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space import Choice, Integer, Places, Real, Space
from wayfare.testing.space import SpaceContract

from .strategies import spaces

LAB = Space(
    Real("temp", 40, 120),
    Real("conc", 0.01, 10, log=True),
    Integer("cycles", 2, 13, step=5),
    Choice("solvent", ["water", "ethanol", "dmso"]),
    Real("pressure", 3, 3),
)
relaxed = settings(deadline=None, max_examples=60)


class TestMixedSpace(SpaceContract):
    @pytest.fixture
    def space(self):
        return LAB


class TestRealSpace(SpaceContract):
    @pytest.fixture
    def space(self):
        return Space(Real("x", -1, 1), Real("y", 1e-3, 1e3, log=True))


class TestFiniteSpace(SpaceContract):
    @pytest.fixture
    def space(self):
        return Space(Choice("flag", [False, True]), Integer("n", -3, 3), Choice("kind", ["a", 1, 2.5]))


class TestSpaceInSteps(SpaceContract):
    @pytest.fixture
    def space(self):
        return Space(
            Real("temp", 20, 80, step=0.5, unit="°C"), Integer("n", 1, 900, log=True), Real("y", 0, 1, digits=3)
        )


class TestFixedSpace(SpaceContract):
    @pytest.fixture
    def space(self):
        return Space(Real("x", 2, 2), Choice("c", ["only"]), Integer("n", 7, 7))


class TestSpaceOf64Axes(SpaceContract):
    @pytest.fixture
    def space(self):
        return Space(*(Real(f"x{i}", 0, i + 1) for i in range(60)), *(Integer(f"n{i}", 0, i) for i in range(4)))


@relaxed
@given(spaces(), st.integers(0, 40), st.integers(0, 2**32))
def test_samples_are_allowed_and_encode_into_the_unit_cube(space, n, seed):
    x = space.sample(n, stream(seed))
    assert x.shape == (n, space.d)
    assert space.contains(x).all()
    assert np.array_equal(space.snap(x), x)
    features = space.encode(x)
    assert ((features >= -1e-9) & (features <= 1 + 1e-9)).all()
    assert np.array_equal(space.points([space.params(row) for row in x]), x)


@relaxed
@given(spaces(), st.floats(1e-6, 1.0), st.integers(0, 2**32))
def test_places_around_are_allowed(space, radius, seed):
    rng = stream(seed)
    assert space.contains(space.around(space.sample(4, rng), radius, 6, rng)).all()


@relaxed
@given(spaces())
def test_finite_spaces_are_listed_in_full(space):
    everything = space.everything(2000)
    if space.size is None or space.size > 2000:
        assert everything is None
    else:
        assert len(np.unique(everything, axis=0)) == len(everything) == space.size
        assert space.contains(everything).all()


def test_samples_fill_the_space_evenly():
    x = Space(Real("a", 0, 1), Real("b", 0, 1)).sample(256, stream(0))
    cells = np.floor(x * 16).astype(int)
    assert len(np.unique(cells, axis=0)) == 256  # one in each cell, which independent draws never manage


def test_every_value_is_sampled_equally_often():
    x = LAB.sample(1023, stream(0))
    for name, k in (("cycles", 3), ("solvent", 3)):
        counts = np.unique(x[:, LAB.column(name)], return_counts=True)[1]
        assert len(counts) == k
        assert abs(counts - 1023 / k).max() < 5


def test_every_value_can_be_reached_from_nearby():
    near = LAB.around(LAB.points({**GOOD, "cycles": 7}), 0.01, 400, stream(1))
    assert set(near[:, LAB.column("solvent")]) == {0, 1, 2}
    assert set(near[:, LAB.column("cycles")]) == {2, 7, 12}


def test_clouds_come_centre_by_centre():
    space = Space(Real("a", 0, 1), Real("b", 0, 1))
    centres = np.array([[0.1, 0.1], [0.9, 0.1], [0.5, 0.9]])
    near = space.around(centres, 0.01, 50, stream(0)).reshape(3, 50, 2)
    assert np.abs(near - centres[:, None]).max() < 0.06


@pytest.mark.parametrize(("d", "most"), [(1, 1), (2, 2), (4, 4), (20, 5), (64, 5)])
def test_clouds_move_along_few_axes_and_at_least_one(d, most):
    space = Space(*(Real(f"x{i}", 0, 1) for i in range(d)))
    centre = np.full((1, d), 0.5)
    moved = (space.around(centre, 0.1, 2000, stream(0)) != centre).sum(axis=1)
    assert moved.min() >= 1
    assert 1 <= moved.mean() <= most
    assert (d == 1) == (moved.max() == 1)


def test_a_cloud_at_a_corner_stays_partly_on_the_bounds():
    near = Space(Real("a", 0, 1), Real("b", 0, 1)).around(np.zeros((1, 2)), 0.1, 1000, stream(0))
    assert 0.3 < (near[:, 0] == 0).mean() < 0.8


def test_fixed_axes_have_no_feature_and_choices_one_per_value():
    assert LAB.groups.tolist() == [0, 1, 2, 3, 3, 3]
    row = LAB.points({"temp": 80, "conc": 0.01, "cycles": 12, "solvent": "ethanol", "pressure": 3})
    assert LAB.encode(row)[0] == pytest.approx([0.5, 0, 1, 0, np.sqrt(0.5), 0])


def test_a_start_may_be_out_of_bounds_and_snaps_into_them():
    start = LAB.points({"temp": 20, "conc": 0, "cycles": 1000, "solvent": "dmso", "pressure": 1})
    assert not LAB.contains(start)[0]
    assert LAB.params(LAB.snap(start)[0]) == {
        "temp": 40.0,
        "conc": 0.01,
        "cycles": 12,
        "solvent": "dmso",
        "pressure": 3.0,
    }


def test_params_are_plain_python():
    params = LAB.params(LAB.sample(1, stream(0))[0])
    assert [type(value) for value in params.values()] == [float, float, int, str, float]


def test_rows_may_name_choices():
    rows = [[80, 1.0, 2, "dmso", 3], (80, 1.0, 2, 2, 3)]
    assert np.array_equal(*LAB.points(rows))
    assert np.array_equal(LAB.points(rows[0]), LAB.points(np.array(rows[1])))
    assert np.array_equal(LAB.points(np.array(rows[:1], dtype=object)), LAB.points(rows[:1]))


GOOD = {"temp": 80, "conc": 1.0, "cycles": 2, "solvent": "dmso", "pressure": 3}


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ({**GOOD, "tmp": 3}, "the place has 'tmp', which is no axis; did you mean 'temp'?"),
        ([GOOD, {"temp": 3}], "place 1 lacks axes 'conc', 'cycles', 'solvent', 'pressure'; give"),
        ({**GOOD, "temp": True}, "the place: axis 'temp' must be a number, got True"),
        ({**GOOD, "temp": "80"}, "axis 'temp' must be a number, got '80'"),
        ({**GOOD, "temp": [1, 2]}, "axis 'temp' must be a number"),
        ({**GOOD, "temp": 1j}, "axis 'temp' must be a number"),
        ({**GOOD, "temp": float("inf")}, "axis 'temp' must be finite, got inf"),
        ({**GOOD, "cycles": 2.5}, "axis 'cycles' must be a whole number, got 2.5"),
        ({**GOOD, "solvent": "etanol"}, "axis 'solvent' has no value 'etanol'; did you mean 'ethanol'?"),
        ({**GOOD, "solvent": 1}, "has no value 1; the values are 'water', 'ethanol', 'dmso'"),
        ({**GOOD, "solvent": ["dmso"]}, "has no value"),
        (np.zeros((2, 4)), "places have shape (2, 4), but there are 5 axes"),
        (np.zeros(4), "places have shape (4,), but there are 5 axes"),
        (np.array(3.0), "places have shape ()"),
        (np.array([80, 1, 2.5, 0, 3]), "place 0: axis 'cycles' must be a whole number, got 2.5"),
        (np.array([[80, 1, 2, 0, 3], [80, 1, 2, 3, 3.0]]), "place 1: axis 'solvent' takes positions 0 to 2"),
        (np.array([80, 1, 2, np.nan, 3]), "place 0: axis 'solvent' must be finite, got nan"),
        ([80, 1, 2, 5, 3], "axis 'solvent' takes positions 0 to 2 in arrays, got 5; give dicts"),
        ([80, 1, 2, 1.5, 3], "axis 'solvent' takes positions"),
        ([80, 1, 2, "rum", 3], "axis 'solvent' has no value 'rum'"),
        ([80, 1, 2], "the place has 3 values, but there are 5 axes"),
        ([[80, 1, 2, 0, 3], [80, 1]], "place 1 has 2 values"),
        ([[80, 1, 2, 0, 3], 7], "place 1 is 7; use a dict or a row"),
        (np.ones((1, 5), dtype=bool), "must be a number, got True"),
        (7, "places must be a dict"),
        (None, "places must be a dict"),
        ("temp", "places must be a dict"),
    ],
)
def test_bad_places_are_refused_by_name(places, message):
    with pytest.raises(InvalidInput) as refused:
        LAB.points(places)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ((), "at least one axis"),
        (("temp",), "got 'temp'"),
        ((Real("a", 0, 1), Choice("a", [1])), "two axes are named 'a'"),
        ([Real(f"x{i}", 0, 1) for i in range(65)], "64 axes at most, got 65"),
    ],
)
def test_bad_spaces_are_refused(axes, message):
    with pytest.raises(InvalidInput, match=message):
        Space(*axes)


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ("solvnt", "did you mean 'solvent'?"),
        ("zzz", "the names are 'temp'"),
        (5, "0 to 4"),
        (-1, "0 to 4"),
        (True, "True"),
    ],
)
def test_unknown_columns_are_refused(axis, message):
    with pytest.raises(InvalidInput) as refused:
        LAB.column(axis)
    assert message in str(refused.value)


def test_a_data_frame_with_a_wrong_column_is_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InvalidInput, match="the table has 'temperature'"):
        LAB.points(pandas.DataFrame([GOOD]).rename(columns={"temp": "temperature"}))
    with pytest.raises(InvalidInput, match="two columns of one name"):
        LAB.points(pandas.DataFrame(np.zeros((1, 5)), columns=["temp", "temp", "cycles", "solvent", "pressure"]))
    with pytest.raises(InvalidInput, match="place 0: axis 'temp' must be finite"):
        LAB.points(pandas.DataFrame([{**GOOD, "temp": np.nan}]))
    assert LAB.points(pandas.DataFrame([GOOD]).iloc[:0]).shape == (0, 5)


def test_spaces_are_values():
    twin = Space(*LAB.axes)
    assert twin == LAB
    assert hash(twin) == hash(LAB)
    assert twin != Space(*LAB.axes[:4])
    assert eval(repr(LAB)) == LAB


@pytest.mark.parametrize("far", [1.1e150, -1e300, 1.7e308])
def test_a_place_beyond_all_distances_is_refused(far):
    for space in (Space(Real("x", 0, 1)), Places([[0.0], [1.0]], ["x"]), Space(Real("x", 3, 3))):
        with pytest.raises(InvalidInput, match=r"axis 'x': .* is too far beyond its bounds"):
            space.points({"x": far})


def test_a_place_many_widths_away_is_refused_however_small_its_numbers():
    space = Space(Real("x", 0, 1e-200))
    assert space.points({"x": 1e-120}).tolist() == [[1e-120]]
    with pytest.raises(InvalidInput, match="too far beyond its bounds"):
        space.points({"x": 1.0})


def test_a_place_within_wide_bounds_is_as_near_as_any():
    space = Space(Real("x", -1e200, 1e200))
    assert space.points({"x": 5e199}).tolist() == [[5e199]]


class TestSpaceWithRetiredValues(SpaceContract):
    @pytest.fixture
    def space(self):
        return Space(Real("x", 0, 1), Choice("c", ["a", "b", "d", "e"], retired=["b", "e"]), Choice("k", [1, 2]))


def test_a_retired_value_is_read_and_encoded_but_no_place_has_it():
    """Results of it keep their columns of the model; nothing drawn, snapped or listed has it."""
    whole, space = (Space(Choice("c", ["a", "b", "d"], retired=gone), Integer("n", 1, 4)) for gone in ((), ["b"]))
    x = whole.everything(100)
    assert np.array_equal(space.encode(x), whole.encode(x))
    assert space.params(np.array([1.0, 2.0])) == {"c": "b", "n": 2}
    assert space.points({"c": "b", "n": 2}).tolist() == [[1.0, 2.0]]
    assert np.array_equal(space.contains(x), x[:, 0] != 1)
    assert space.size == len(space.everything(100)) == 8
    assert space.whole == whole
    assert str(space.axes[0]) == "c a or d (no longer b)"


@pytest.mark.parametrize(("gone", "said"), [(["z"], "a list of its values"), ("a", "list"), (["a", "b"], "leave one")])
def test_retired_values_are_some_of_the_values(gone, said):
    with pytest.raises(InvalidInput, match=said):
        Choice("c", ["a", "b"], retired=gone)


def test_a_table_may_have_the_units_of_its_axes_in_its_heads():
    pd = pytest.importorskip("pandas")
    space = Space(Real("temp", 0, 9, unit="°C"), Real("flow", 0, 9))
    for places in ({"temp [°C]": [1.0], "flow": [2.0]}, {"flow": [2.0], "temp": [1.0]}):
        assert space.points(pd.DataFrame(places)).tolist() == [[1.0, 2.0]]
        assert space.points([{head: column[0] for head, column in places.items()}]).tolist() == [[1.0, 2.0]]
    with pytest.raises(InvalidInput, match=r"has 'temp \[K\]', but axis 'temp' is in °C here; convert the numbers"):
        space.points({"temp [K]": 300.0, "flow": 1.0})
    with pytest.raises(InvalidInput, match=r"has 'flow \[L\]', but axis 'flow' has no unit here"):
        space.points({"temp": 3.0, "flow [L]": 1.0})
