"""Forbidden regions: no place is within them, and what is moved out goes no farther than it must."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space import Choice, Integer, Real, Space, forbidden
from wayfare.space.forbidden import MARGIN, forbidding
from wayfare.testing.space import SpaceContract

from .strategies import holed, spaces


def squared_distances(a, b):
    return np.square(a[:, None] - b[None, :]).sum(axis=2)


relaxed = settings(deadline=None, max_examples=60)
HOT_ETHER = {"temp": (100, None), "solvent": ["ether"]}
LAB = Space(
    Real("temp", 40, 120),
    Real("conc", 0.01, 10, log=True),
    Integer("cycles", 2, 13, step=5),
    Choice("solvent", ["water", "ether", "dmso"]),
    Real("pressure", 3, 3),
    forbidden=[HOT_ETHER, {"temp": (60, 80), "conc": (None, 1)}, {"cycles": (2, 7), "solvent": "dmso"}],
)
WITHOUT = forbidden._without
SQUARE = [Real("x", 0, 1), Real("y", 0, 1)]


class TestMixedSpace(SpaceContract):
    @pytest.fixture
    def space(self):
        return LAB


class TestOverlappingRegions(SpaceContract):
    @pytest.fixture
    def space(self):
        crossing = [{"x": (0.2, 0.8), "y": (0.4, 0.6)}, {"x": (0.4, 0.6), "y": (0.2, 0.8)}, {"x": (None, 0.1)}]
        return Space(*SQUARE, forbidden=crossing)


class TestSpaceInSteps(SpaceContract):
    @pytest.fixture
    def space(self):
        axes = Real("temp", 20, 80, step=0.1), Integer("n", 1, 900, log=True), Real("y", 0.2, 9.7, log=True, step=0.5)
        return Space(*axes, forbidden=[{"temp": (20.3, 40), "n": (None, 30)}, {"y": (1.2, 4.7)}])


class TestFiniteSpace(SpaceContract):
    @pytest.fixture
    def space(self):
        axes = Choice("flag", [False, True]), Integer("n", -3, 3), Choice("kind", ["a", 1, 2.5])
        return Space(*axes, forbidden=[{"flag": True, "n": (0, 9)}, {"kind": [1, "a"], "n": (None, -2)}])


class TestThinSpace(SpaceContract):
    @pytest.fixture
    def space(self):
        # What is left is a millionth of the whole: no draw at random would find it.
        return Space(*SQUARE, forbidden=[{"x": (0.001, None)}, {"y": (None, 0.999)}])


class TestRegionBesideAFixedAxis(SpaceContract):
    @pytest.fixture
    def space(self):
        return Space(Real("p", 3, 3), Real("x", 0, 1), forbidden=[{"p": (3.0000001, 4)}, {"p": (3, 3), "x": (0.5, 1)}])


@relaxed
@given(holed(), st.floats(1e-6, 1.0), st.integers(0, 2**32))
def test_nothing_that_a_space_gives_is_forbidden(space, radius, seed):
    rng = stream(seed)
    start = space.whole.sample(1, rng)[0]
    given = [
        space.sample(33, rng),
        space.survey(start, 7, rng),
        space.around(space.whole.sample(4, rng), radius, 6, rng),
        space.at(rng.random((9, space.d))),
        space.snap(space.whole.sample(33, rng) * 1.7 - 0.3),
    ]
    for x in given:
        assert len(x) or space.size == 1  # a survey has no place but the start's
        assert space.whole.contains(x).all()
        assert not any(region.holds(x).any() for region in space.forbidden)
        assert space.contains(x).all()


@relaxed
@given(holed(), st.integers(0, 2**32))
def test_snapping_goes_no_farther_than_to_the_nearest_allowed_place(space, seed):
    rng = stream(seed)
    x = space.whole.sample(16, rng)
    snapped = space.snap(x)
    assert np.array_equal(space.snap(snapped), snapped)
    inside = space.contains(x)
    assert np.array_equal(snapped[inside], x[inside])
    others = np.vstack([space.sample(1000, rng), space.around(x, 0.05, 20, rng)])
    gone = np.sqrt(squared_distances(space.encode(x), space.encode(snapped)).diagonal())
    nearest = np.sqrt(squared_distances(space.encode(x), space.encode(others)).min(axis=1))
    assert (gone <= nearest + 2 * MARGIN * space.d**0.5).all()


@relaxed
@given(holed())
def test_a_finite_space_lists_and_counts_what_is_allowed(space):
    whole = space.whole.everything(2000)
    assume(whole is not None)
    allowed = whole[space.contains(whole)]
    assert space.size == len(allowed)
    assert np.array_equal(space.everything(len(allowed)), allowed)
    assert space.everything(len(allowed) - 1) is None


@relaxed
@given(spaces(), st.integers(0, 2**32))
def test_without_regions_nothing_changes(space, seed):
    bare = Space(*space.axes, forbidden=[])
    assert bare == space
    assert hash(bare) == hash(space)
    assert repr(bare) == repr(space)
    assert np.array_equal(bare.sample(9, stream(seed)), space.sample(9, stream(seed)))
    assert bare.whole is bare


def test_edges_are_forbidden_and_a_number_beside_one_is_off_it_in_six_digits():
    space = Space(Real("temp", 40, 120), forbidden=[{"temp": (60, 100)}])
    assert space.contains(np.array([[59.999], [60.0], [80.0], [100.0], [100.001]])).tolist() == [
        True, False, False, False, True,
    ]  # fmt: skip
    below, above = space.snap(np.array([[60.0], [99.0]]))[:, 0]
    assert (f"{below:.6g}", f"{above:.6g}") == ("59.9992", "100.001")


def test_known_answers_on_the_way_out():
    cross = Space(*SQUARE, forbidden=[{"x": (0.2, 0.8), "y": (0.4, 0.6)}, {"x": (0.4, 0.6), "y": (0.2, 0.8)}])
    # From the middle of the cross the way out is by a notch between its arms: its nearest edges are covered.
    out = cross.snap(np.array([[0.5, 0.49], [0.3, 0.45]]))
    assert np.abs(out[0] - 0.5).max() == pytest.approx(0.1, abs=1e-4)
    assert out[1] == pytest.approx([0.3, 0.4], abs=1e-4)
    assert LAB.params(LAB.snap(LAB.points({**HERE, "temp": 101}))[0]) == {**HERE, "temp": pytest.approx(100, abs=1e-3)}
    far = Space(Real("x", 0, 1), Choice("c", ["a", "b"]), forbidden=[{"c": "a"}])
    assert far.snap(np.array([[0.3, 0.0]])).tolist() == [[0.3, 1.0]]


HERE = {"temp": 110.0, "conc": 5.0, "cycles": 12, "solvent": "ether", "pressure": 3.0}


def test_an_end_just_off_a_step_does_not_forbid_the_step():
    space = Space(Integer("n", -2, 1), forbidden=[{"n": (None, -1e-127)}])
    assert space.everything(9).ravel().tolist() == [0.0, 1.0]
    assert Space(Integer("n", -1, 2), forbidden=[{"n": (1e-127, None)}]).size == 2


def test_what_is_left_between_a_region_and_a_bound_is_found_however_narrow():
    space = Space(Real("x", 0, 1), forbidden=[{"x": (0, 0.999999)}])
    assert space.snap(np.array([[0.5], [0.999999]])).tolist() == [[1.0], [1.0]]
    assert space.sample(3, stream(0)).tolist() == [[1.0]] * 3
    assert space.contains(np.array([[0.9999995]])).all()


def test_a_sample_fills_what_is_left_evenly():
    space = Space(*SQUARE, forbidden=[{"x": (0.5, None), "y": (0.5, None)}])
    x = space.sample(768, stream(0))
    cells = np.unique(np.floor(x * 8).astype(int), axis=0, return_counts=True)[1]
    assert len(cells) == 48  # three quarters of 64
    assert cells.min() >= 8
    assert cells.max() <= 24


def test_a_sample_has_every_value_as_often_as_there_is_room_for_it():
    axes = Integer("n", 0, 5), Choice("c", ["a", "b"]), Real("x", 0, 1)
    x = Space(*axes, forbidden=[{"n": (2, 3), "c": "b"}]).sample(1000, stream(0))
    counts = np.unique(x[:, :2], axis=0, return_counts=True)[1]
    assert len(counts) == 10
    assert abs(counts - 100).max() <= 12
    assert np.histogram(x[:, 2], bins=10)[0] == pytest.approx([100] * 10, abs=12)


def test_a_region_says_what_it_is_and_spaces_with_regions_are_values():
    assert [str(region) for region in LAB.forbidden] == [
        "temp 100 or more with solvent ether",
        "temp 60 to 80 with conc 1 or less",
        "cycles 2 to 7 with solvent dmso",
    ]
    assert str(forbidding(LAB, LAB.points(HERE)[0])) == "temp 100 or more with solvent ether"
    assert forbidding(LAB, LAB.points({**HERE, "temp": 90})[0]) is None
    assert eval(repr(LAB)) == LAB
    assert hash(eval(repr(LAB))) == hash(LAB)
    assert LAB.whole != LAB
    assert Space(*LAB.axes, forbidden=LAB.forbidden) == LAB


@pytest.mark.parametrize(
    ("forbidden", "message"),
    [
        ([{"tmp": (1, 2)}], "forbidden[0] has 'tmp', which is no axis; did you mean 'temp'?"),
        ([HOT_ETHER, {}], "forbidden[1] is empty"),
        ([{"temp": (80, 60)}], "forbidden[0]: axis 'temp' has low 80.0 above high 60.0; swap them"),
        ([{"temp": (float("nan"), 60)}], "forbidden[0]: low of axis 'temp' must be finite, got nan"),
        ([{"temp": (float("inf"), None)}], "low of axis 'temp' must be finite, got inf"),
        ([{"temp": (None, None)}], "open at both ends; leave the axis out"),
        ([{"temp": 100}], "axis 'temp' takes (low, high), None or inf for an open end, got 100"),
        ([{"temp": (1, 2, 3)}], "axis 'temp' takes (low, high)"),
        ([{"temp": ("hot", None)}], "low of axis 'temp' must be a number, got 'hot'"),
        ([{"solvent": ["ethr"]}], "axis 'solvent' has no value 'ethr'; did you mean 'ether'?"),
        ([{"solvent": []}], "axis 'solvent' has no values"),
        ([HOT_ETHER, {"temp": (None, 200)}], "forbidden[1] (temp 200 or less) leaves no places at all"),
        ([{"temp": (None, 80)}, {"temp": (80, None)}], "narrow it, or one before it"),
        ([{"solvent": ["water", "ether", "dmso"]}], "leaves no places at all; narrow it"),
        ([["temp", 1, 2]], "forbidden[0] must be a dict"),
        ({"temp": (1, 2)}, "forbidden must be a list of regions"),
        (7, "forbidden must be a list of regions"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_region_is_refused_by_name(forbidden, message):
    with pytest.raises(InvalidInput) as refused:
        Space(*LAB.axes, forbidden=forbidden)
    assert message in str(refused.value)


def test_regions_that_shatter_a_space_are_refused_with_the_way_out():
    rng = stream(0)
    axes = [Real(f"x{i}", 0, 1) for i in range(6)]
    crossing = [
        {f"x{i}": tuple(sorted(rng.random(2))) for i in rng.choice(6, size=3, replace=False)} for _ in range(40)
    ]
    few = Space(*axes, forbidden=crossing[:8])
    assert few.contains(few.sample(100, rng)).all()
    with pytest.raises(InvalidInput, match="5000 pieces, or too often; state fewer, or list the allowed places"):
        Space(*axes, forbidden=crossing)


def test_regions_side_by_side_leave_few_pieces():
    # A box that a region does not touch stays whole: pieces grow with the regions, not by a power of them.
    axes = [Real(f"x{i}", 0, 1) for i in range(4)]
    apart = [{f"x{i}": (0.1 * k, 0.1 * k + 0.05) for i in range(4)} for k in range(9)]
    assert len(Space(*axes, forbidden=apart)._pieces.lows) <= 9 * 8


def test_along_a_logarithmic_axis_the_margin_is_a_factor():
    space = Space(Real("c", 1e-6, 1e6, log=True), forbidden=[{"c": (1e-3, 1e3)}])
    x = np.array([[1e-6], [9e-4], [2e3], [1e6]])
    assert space.contains(x).all()
    assert np.array_equal(space.snap(x), x)
    below, above = space.snap(np.array([[2e-3], [5e2]]))[:, 0]
    assert below == pytest.approx(1e-3 * 1e12**-MARGIN)
    assert above == pytest.approx(1e3 * 1e12**MARGIN)


def test_of_a_narrow_axis_far_from_zero_the_edge_is_left_by_one_number():
    low, edge, high = 1e9, 1e9 + 1e-5, 1e9 + 2e-5
    space = Space(Real("x", low, high), forbidden=[{"x": (edge, None)}])
    x = space.snap(np.array([[edge], [high]]))
    assert np.array_equal(x, np.nextafter([[edge], [edge]], low))
    assert not space.forbidden[0].holds(x).any()


def test_where_single_numbers_are_left_all_of_them_are_drawn():
    space = Space(Real("x", 0, 1), forbidden=[{"x": (1e-9, 1 - 1e-9)}])
    drawn = space.sample(64, stream(0))[:, 0]
    assert set(drawn) == {0.0, 1.0}
    assert 20 < (drawn == 0.0).sum() < 44


def test_thousands_of_regions_cut_only_what_they_meet(monkeypatch):
    """A strip for each would else be compared with all pieces before it, one by one."""
    cuts = []
    monkeypatch.setattr(forbidden, "_without", lambda box, *rest: cuts.append(box) or WITHOUT(box, *rest))
    space = Space(*SQUARE, forbidden=[{"x": (k / 2000, (k + 0.5) / 2000), "y": (0, 0.5)} for k in range(2000)])
    assert len(space._pieces.lows) == 4000
    assert len(cuts) == 2000


def test_regions_that_cut_the_same_pieces_without_end_are_refused():
    strips = [{"x": (k / 4000, (k + 0.5) / 4000)} for k in range(4000)]
    with pytest.raises(InvalidInput, match="or too often"):
        Space(*SQUARE, forbidden=[*strips, *({"y": (0, k / 1000)} for k in range(1, 1000))])
    with pytest.raises(InvalidInput, match="forbidden has 6000 regions, 5000 at most"):
        Space(*SQUARE, forbidden=strips[:1] * 6000)


@relaxed
@given(st.integers(0, 2**32), st.integers(1, 12))
def test_pieces_are_cut_in_the_order_of_the_regions(seed, many):
    """The order decides what is drawn from a space, so stored studies rely on it."""
    rng = stream(seed)
    axes = [Real("x", 0, 1), Integer("n", 0, 30, step=4), Choice("c", list("abcd")), Real("s", 0, 1, step=0.1)]
    regions = []
    for _ in range(many):
        low, first = rng.random(), int(rng.integers(-3, 30))
        region = {"x": (low, low + 0.3 * rng.random()), "n": (first, first + 9), "c": ["a", "d"][: rng.integers(1, 3)]}
        region["s"] = (0.1 * rng.integers(0, 10), 0.1 * rng.integers(10, 13))  # on steps, but for rounding
        regions.append({name: region[name] for name in rng.choice(list(region), rng.integers(1, 5), replace=False)})
    try:
        space = Space(*axes, forbidden=regions)
    except InvalidInput:
        assume(False)
    boxes = [tuple(forbidden._ends(axis) for axis in axes)]
    for region in space.forbidden:
        boxes = [left for box in boxes for left in WITHOUT(box, region, axes)]
    bounds = np.array(boxes)
    assert np.array_equal(space._pieces.lows, bounds[:, :, 0])
    assert np.array_equal(space._pieces.highs, bounds[:, :, 1])
