import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space import Choice, Integer, Real

from .strategies import FINITE, axes, integers, reals, stepped

relaxed = settings(deadline=None, max_examples=60)
COLUMNS = st.lists(FINITE, min_size=1, max_size=20).map(np.array)


@relaxed
@given(axes(), COLUMNS)
def test_snapped_numbers_are_allowed_and_stay(axis, column):
    snapped = axis.snap(column)
    assert np.array_equal(axis.snap(snapped), snapped)


@relaxed
@given(st.one_of(reals(), stepped(), integers()), COLUMNS)
def test_no_allowed_number_is_nearer_than_the_snapped_one(axis, column):
    nearest = np.abs(axis.snap(column) - column)
    allowed = axis.place(np.linspace(0, 1, 101)) if axis.size is None else axis.everything()
    best = np.abs(allowed[None, :] - column[:, None]).min(axis=1)
    assert (nearest <= best).all()


@relaxed
@given(axes(), st.lists(st.floats(0, 1), min_size=1, max_size=20).map(np.array))
def test_shares_of_the_way_are_allowed_numbers(axis, unit):
    assert np.array_equal(axis.snap(axis.place(unit)), axis.place(unit))


@relaxed
@given(reals(), st.lists(st.floats(0, 1), min_size=1, max_size=20).map(np.array))
def test_encoding_undoes_placing(axis, unit):
    if axis.width:
        assert np.allclose(axis.encode(axis.place(unit))[:, 0], unit, atol=1e-6)


@relaxed
@given(st.one_of(reals(), stepped(), integers()))
def test_bounds_encode_to_zero_and_one(axis):
    if axis.width:
        ends = axis.place(np.array([0.0, 1.0]))
        assert axis.encode(ends)[:, 0] == pytest.approx([0, 1], abs=1e-9)


@relaxed
@given(axes())
def test_values_read_back(axis):
    numbers = axis.place(np.linspace(0, 1, 7))
    assert [axis.read(axis.value(number)) for number in numbers] == numbers.tolist()


@relaxed
@given(st.one_of(integers(), stepped()), st.floats(1e-9, 1.0))
def test_numbers_in_steps_nudged_move_at_least_a_step(axis, radius):
    if axis.width:
        everything = axis.everything()
        moved = axis.nudge(everything, radius, stream(0))
        assert np.array_equal(axis.snap(moved), moved)
        assert (np.abs(moved - everything) >= axis.step * (1 - 1e-6)).all()


@relaxed
@given(st.one_of(integers(), stepped()))
def test_each_step_has_its_share_of_the_axis(axis):
    """The shares of all steps join from 0 to 1, and whatever is placed between a step's shares is that step."""
    everything = axis.everything()
    begin, end = axis.grid.shares(everything)
    assert begin[0] == 0
    assert end[-1] == 1
    assert begin[1:] == pytest.approx(end[:-1])
    for share in (0.01, 0.5, 0.99):
        assert np.array_equal(axis.place(begin + share * (end - begin)), everything)


@relaxed
@given(stepped())
def test_a_number_in_steps_is_the_one_that_is_typed(axis):
    """A step reads back from its shortest decimal text to the same float, so that typing it is being there."""
    for number in axis.everything():
        text = axis.scale.number(axis.value(number))
        assert float(text) == number
        assert len(text.partition(".")[2]) <= axis.grid.decimals


@relaxed
@given(stepped(), st.floats(-700, 700), st.sampled_from([-1, 1]))
def test_the_next_step_from_a_number_on_is_the_nearest_there(axis, number, way):
    found = axis.grid.next_to(number, way)
    assert way * (found - number) >= 0
    assert way * (found - way * axis.step - number) <= axis.step * 1e-6
    assert found == axis.grid.beyond(axis.grid.steps(np.array([found])))[0]


def test_steps_and_digits_say_the_same():
    axis = Real("temp", 20, 80, digits=1, unit="°C")
    assert axis == Real("temp", 20, 80, step=0.1, unit="°C")
    assert axis.size == 601
    assert axis.snap(np.array([20.34, 79.97, 200.0])).tolist() == [20.3, 80.0, 80.0]
    assert str(axis) == "temp 20 to 80 °C in steps of 0.1"


def test_a_log_integer_has_many_small_values_in_a_sample():
    axis = Integer("n", 1, 1000, log=True)
    x = axis.place((np.arange(3000) + 0.5) / 3000)
    assert 0.2 < (x <= 3).mean() < 0.4
    assert axis.encode(np.array([1.0, 1000**0.5, 1000.0]))[:, 0] == pytest.approx([0, 0.5, 1])
    assert str(axis) == "n 1 to 1000, log"


def test_outside_the_bounds_is_outside_the_unit_cube():
    assert Real("t", 40, 120).encode(np.array([20.0, 140.0]))[:, 0] == pytest.approx([-0.25, 1.25])


def test_a_log_axis_encodes_the_logarithm():
    axis = Real("c", 0.01, 100, log=True)
    assert axis.encode(np.array([0.01, 1.0, 100.0]))[:, 0] == pytest.approx([0, 0.5, 1])
    assert axis.place(np.array([0.25, 0.75])) == pytest.approx([0.1, 10])


def test_a_log_axis_takes_a_start_at_zero():
    assert np.isfinite(Real("c", 0.01, 100, log=True).encode(np.array([0.0, -3.0]))).all()


def test_a_high_off_the_steps_is_never_reached():
    assert Integer("n", 1, 10, step=4).everything().tolist() == [1, 5, 9]


def test_equal_shares_make_equal_counts_of_whole_numbers_and_choices():
    unit = (np.arange(1200) + 0.5) / 1200
    for axis in (Integer("n", 1, 10, step=4), Choice("c", ["a", "b", "c"])):
        assert np.unique(axis.place(unit), return_counts=True)[1].tolist() == [400, 400, 400]


def test_different_choices_are_one_apart():
    features = Choice("c", ["a", "b", "c"]).encode(np.array([0.0, 1.0, 2.0]))
    squares = ((features[:, None] - features) ** 2).sum(axis=2)
    assert squares == pytest.approx(1 - np.eye(3))


def test_real_steps_have_the_radius_in_the_unit_cube():
    axis = Real("t", 100, 300)
    steps = axis.nudge(np.full(20000, 200.0), 0.05, stream(0)) - 200
    assert steps.std() == pytest.approx(10, rel=0.03)
    assert abs(steps.mean()) < 0.3


@pytest.mark.parametrize("axis", [Real("x", 3, 3), Real("x", 3, 3, log=True), Integer("x", 3, 5, 7), Choice("x", [3])])
def test_zero_width_axes_are_fixed(axis):
    assert (axis.size, axis.width) == (1, 0)
    assert axis.value(axis.snap(np.array([17.0]))[0]) == 3


def test_true_is_not_one():
    assert Choice("c", [False, True]).read(True) == 1
    assert Choice("c", [False, True]).read(np.True_) == 1
    with pytest.raises(InvalidInput, match="has no value 1; the values are False, True"):
        Choice("c", [False, True]).read(1)
    with pytest.raises(InvalidInput, match="has no value True"):
        Choice("c", [1, 2]).read(True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Real("", 0, 1), "axis name must not be empty"),
        (lambda: Real("  ", 0, 1), "axis name must not be empty"),
        (lambda: Real(3, 0, 1), "axis name must be text, got 3"),
        (lambda: Real("t", 2, 1), "'t' has low 2.0 above high 1.0; swap them"),
        (lambda: Real("t", float("nan"), 1), "low of axis 't' must be finite, got nan"),
        (lambda: Real("t", 0, float("inf")), "high of axis 't' must be finite, got inf"),
        (lambda: Real("t", 0, 10**400), "high of axis 't' must be finite"),
        (lambda: Real("t", True, 2), "low of axis 't' must be a number, got True"),
        (lambda: Real("t", "0", 1), "low of axis 't' must be a number, got '0'"),
        (lambda: Real("t", None, 1), "low of axis 't' must be a number, got None"),
        (lambda: Real("t", 0, 1, log=True), "must be above 0 with log=True, got 0.0"),
        (lambda: Real("t", -1e308, 1e308), "too wide"),
        (lambda: Real("t", 1e300, np.nextafter(1e300, 2e300), log=True), "too narrow"),
        (lambda: Integer("n", 0.5, 2), "low of axis 'n' must be a whole number, got 0.5"),
        (lambda: Integer("n", 0, True), "high of axis 'n' must be a number, got True"),
        (lambda: Integer("n", 0, 2**60), "within"),
        (lambda: Integer("n", 3, 2), "swap them"),
        (lambda: Integer("n", 0, 5, step=0), "step of axis 'n' must be 1 or more, got 0"),
        (lambda: Integer("n", 0, 5, step=-2), "step of axis 'n' must be 1 or more, got -2"),
        (lambda: Integer("n", 0, 5, step=1.5), "step of axis 'n' must be a whole number, got 1.5"),
        (lambda: Integer("n", 0, 5, log=True), "must be 1 or more with log=True, got 0"),
        (lambda: Real("t", 0, 5, step=0), "step of axis 't' must be above 0, got 0"),
        (lambda: Real("t", 0, 5, step=1, digits=1), "has both step and digits; give one of them"),
        (lambda: Real("t", 0, 5, digits=1.5), "digits of axis 't' must be a whole number of at least 0, got 1.5"),
        (lambda: Real("t", 0, 5, digits=20), "digits of axis 't' must be at most 12, got 20"),
        (lambda: Real("t", 0.05, 5, digits=1), "low of axis 't' is 0.05, which has more than 1 digits; round it"),
        (lambda: Real("t", 0, 5, step=1e-15), "far too fine for 0.0 to 5.0; leave it out"),
        (lambda: Real("t", 0, 5, unit=3), "unit of axis 't' must be text such as '°C', got 3"),
        (lambda: Choice("c", []), "must not be empty"),
        (lambda: Choice("c", "abc"), "must be a list, got 'abc'"),
        (lambda: Choice("c", 3), "must be a list, got 3"),
        (lambda: Choice("c", ["a", "b", "a"]), "have 'a' twice"),
        (lambda: Choice("c", [1, 1.0]), "have 1.0 twice"),
        (lambda: Choice("c", [None]), "got None"),
        (lambda: Choice("c", [["a"]]), "must be text"),
        (lambda: Choice("c", [float("nan")]), "got nan"),
    ],
)
def test_bad_axes_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message.replace("(", r"\(")):
        make()


def test_numpy_numbers_become_plain_python():
    axis = Choice("c", [np.int64(3), np.float64(0.5), np.str_("a"), np.True_])
    assert [type(value) for value in axis.values] == [int, float, str, bool]
    assert type(Real("t", np.float32(1), np.int8(2)).low) is float
    assert type(Integer("n", np.int64(1), 3.0).high) is int


@relaxed
@given(axes())
def test_axes_are_values(axis):
    twin = type(axis)(axis.name, axis.values) if isinstance(axis, Choice) else axis
    assert twin == axis
    assert hash(twin) == hash(axis)
