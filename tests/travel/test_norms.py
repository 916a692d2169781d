import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from wayfare.errors import InvalidInput
from wayfare.space import Choice, Space
from wayfare.travel import Chebyshev, Euclidean, Manhattan

from .worlds import LAB, PLANE

relaxed = settings(deadline=None, max_examples=60)
ORDERS = {Euclidean: 2, Manhattan: 1, Chebyshev: np.inf}
norms = pytest.mark.parametrize("norm", ORDERS)
points = hnp.arrays(np.float64, st.tuples(st.integers(1, 6), st.just(3)), elements=st.floats(-1e3, 1e3, width=32))


@norms
@relaxed
@given(a=points, b=points, scale=st.floats(1e-3, 1e3))
def test_norms_match_their_definition(norm, a, b, scale):
    expected = np.linalg.norm(a[:, None] - b[None], ord=ORDERS[norm], axis=2) * scale
    assert norm(scale=scale)(a, b) == pytest.approx(expected, rel=1e-12)


@norms
@relaxed
@given(a=points, b=points, scales=st.tuples(*[st.floats(1e-3, 1e3)] * 3))
def test_an_axis_scale_is_a_change_of_unit(norm, a, b, scales):
    by_axis = norm(scale=dict(enumerate(scales)))(a, b)
    assert by_axis == pytest.approx(norm()(a * scales, b * scales), rel=1e-9, abs=1e-9)


@norms
@pytest.mark.parametrize("scale", [1.0, 3.0, {0: 3.0}])
def test_near_places_keep_their_digits(norm, scale):
    a = np.array([[1e6, 7.0]])
    b = np.array([[1e6 + 2.0**-20, 7.0]])
    factor = scale[0] if isinstance(scale, dict) else scale
    assert norm(scale=scale)(a, b)[0, 0] == pytest.approx(factor * 2.0**-20, rel=1e-14)
    assert norm(scale=scale)(b, b)[0, 0] == 0.0


def test_known_distances():
    home, away = np.zeros((1, 2)), np.array([[3.0, -4.0]])
    assert Euclidean()(home, away).item() == 5
    assert Manhattan()(home, away).item() == 7
    assert Chebyshev()(home, away).item() == 4
    assert Euclidean(scale={1: 2})(home, away).item() == pytest.approx(np.hypot(3, 8))
    assert Chebyshev(scale={0: 2})(home, away).item() == 6


@norms
def test_only_the_named_axes_count(norm):
    x = LAB.points([[50, 1, 2, "Pd"], [60, 2, 9, "Ni"]])
    assert norm(["temp"]).bind(LAB)(x, x)[0, 1] == 10
    assert norm("temp").bind(LAB)(x, x)[0, 1] == 10
    assert norm([0])(x, x)[0, 1] == 10


@norms
def test_without_axes_a_bound_norm_ignores_choices(norm):
    x = LAB.points([[50, 1, 2, "Pd"], [50, 1, 2, "Ni"]])
    assert norm().bind(LAB)(x, x)[0, 1] == 0
    assert norm().bind(LAB).axes == (0, 1, 2)
    assert norm().bind(PLANE).axes is None


def test_a_large_matrix_is_right():
    x = np.random.default_rng(0).random((300, 5))
    expected = np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))
    assert Euclidean()(x, x) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Euclidean(scale=0), "scale must be above 0, got 0"),
        (lambda: Euclidean(scale=-1), "scale must be above 0"),
        (lambda: Euclidean(scale=float("nan")), "scale must be finite, got nan"),
        (lambda: Euclidean(scale="2"), "scale must be a number, got '2'"),
        (lambda: Euclidean(scale=True), "scale must be a number, got True"),
        (lambda: Euclidean(scale={"east": -2}), "scale of axis 'east' must be above 0, got -2"),
        (lambda: Euclidean(["east"], {"nort": 2}), "scale has 'nort', which is not among the axes"),
        (lambda: Euclidean([]), "must name at least one"),
        (lambda: Euclidean(["east", "east"]), "named once"),
        (lambda: Euclidean([""]), "must not be empty"),
        (lambda: Euclidean([1.5]), "must be a whole number, got 1.5"),
        (lambda: Euclidean([-1]), "a name or a column from 0 on, got -1"),
        (lambda: Euclidean(unit=3), "unit of a travel cost must be text, got 3"),
        (lambda: Euclidean(["esat"]).bind(PLANE), "there is no axis 'esat'; did you mean 'east'?"),
        (lambda: Euclidean(scale={"esat": 2}).bind(PLANE), "there is no axis 'esat'"),
        (lambda: Euclidean([2]).bind(PLANE), "no axis number 2; they are 0 to 1"),
        (lambda: Euclidean(["east", 0]).bind(PLANE), "named once"),
        (lambda: Euclidean(["temp", "catalyst"]).bind(LAB), "cannot measure the choice 'catalyst'; use Switch"),
        (lambda: Euclidean(scale={"catalyst": 2}).bind(LAB), "cannot measure the choice 'catalyst'"),
        (lambda: Euclidean().bind(Space(Choice("c", [1, 2]))), "are all choices; use Switch"),
        (lambda: Euclidean(["east"])(np.zeros((1, 2)), np.zeros((1, 2))), "call cost.bind(space) first"),
        (lambda: Manhattan(scale={"east": 2})(np.zeros((1, 2)), np.zeros((1, 2))), "call cost.bind(space) first"),
    ],
)
def test_bad_norms_are_refused(make, message):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert message in str(refused.value)
