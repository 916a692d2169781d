import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.errors import InvalidInput
from wayfare.space import Linear, Places, Real, Space
from wayfare.travel import Custom, Euclidean, Fee, Manhattan, Ramp, Settling, Switch, Table, check
from wayfare.travel.base import obeys_triangle

from .test_base import Mine
from .worlds import LAB, PLANE, TOWNS


class Raw(Mine):
    """Returns what its function does, unchecked."""

    def __call__(self, origins, targets):
        return self.result(origins, targets)


def distances(a, b):
    return np.sqrt(((a[:, None] - b) ** 2).sum(axis=2))


def faults(report):
    names = ("nan", "negative", "home", "asymmetric", "triangle")
    return {name for name in names if getattr(report, name) is not None}


@pytest.mark.parametrize("cost", [Euclidean(), Manhattan(unit="m"), Ramp("east", 2, 2)])
def test_a_metric_has_no_faults(cost):
    report = cost.check(PLANE)
    assert faults(report) == set()
    assert report.is_metric
    assert report.is_usable
    assert str(report) == "a metric, as far as 24 places show"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda a, b: np.where(distances(a, b) > 9, np.nan, distances(a, b)), {"nan"}),
        (lambda a, b: np.where(distances(a, b) > 9, np.inf, distances(a, b)), {"nan"}),
        (lambda a, b: -distances(a, b), {"negative", "triangle"}),
        (lambda a, b: distances(a, b) + 1, {"home"}),
        (lambda a, b: distances(a, b) + np.maximum(b[:, 0] - a[:, :1], 0), {"asymmetric"}),
        (lambda a, b: distances(a, b) ** 2, {"triangle"}),
    ],
)
def test_each_fault_is_found_and_no_other(function, expected):
    report = check(Raw(function), PLANE)
    assert faults(report) == expected
    assert report.is_usable == (not expected & {"nan", "negative", "home"})
    assert not report.is_metric


def test_a_twin_that_is_not_home_is_found():
    report = check(Raw(lambda a, b: 1 - np.eye(len(a), len(b))), PLANE)
    assert faults(report) == {"home"}


def test_faults_of_functions_are_reported_not_raised():
    assert faults(Custom(lambda a, b: a[0] - b[0]).check(PLANE)) == {"negative"}
    assert faults(Custom(lambda a, b: np.nan).check(PLANE)) == {"nan"}


def test_the_worst_example_is_told_in_the_users_words():
    travel = Ramp("temp", up=5, down=2, unit="s") + Switch("catalyst", 9)
    report = travel.check(LAB)
    lines = str(report).splitlines()
    assert lines[0] == (
        "usable, but not a metric; the bound on movement is weaker by a factor of 2.5 (24 places sampled)"
    )
    assert lines[1].startswith("  asymmetric: (temp=")
    assert "catalyst=" in lines[1]
    assert lines[1].endswith("s back")
    squared = str(check(Raw(lambda a, b: distances(a, b) ** 2), TOWNS))
    assert "(east=0, north=0) to (east=3, north=4) costs 25 m, but 15 m via (east=1, north=1)" in squared


def test_an_unusable_cost_says_so():
    assert str(check(Raw(lambda a, b: distances(a, b) + 1), PLANE)).startswith("not usable (24 places sampled)")


def test_the_same_seed_gives_the_same_report():
    assert Ramp("east", 1, 2).check(PLANE) == Ramp("east", 1, 2).check(PLANE)
    assert check(Ramp("east", 1, 2), PLANE, seed=1) != check(Ramp("east", 1, 2), PLANE, seed=2)


def test_a_small_detour_is_found_beside_large_costs():
    places = Places([[0.0], [1.0], [2.0], [1e9], [3e9]])

    def cost(a, b):
        gap = np.abs(a - b.T)
        return np.where(gap == 2, 2 + 1e-6, gap)

    assert faults(check(Raw(cost), places)) == {"triangle"}


def test_rounding_is_no_fault():
    assert check(0.1 * Manhattan(scale={"east": 1e-7}), PLANE, n=60).is_metric


def test_no_places_show_no_faults():
    towns = Places(TOWNS.table, names=TOWNS.names, once=True)
    assert Euclidean().check(towns.without(towns.table)).is_metric


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (Ramp("eats", 1, 1), "did you mean 'east'?"),
        (Mine(np.ones(3)), "returned shape"),
        (Mine(KeyError("fuel")), "raised KeyError"),
    ],
)
def test_what_cannot_be_checked_is_refused(cost, message):
    with pytest.raises(InvalidInput) as refused:
        check(cost, PLANE)
    assert message in str(refused.value)


@pytest.mark.parametrize("fee", [Fee(3, unit="m"), Euclidean(unit="m") + Fee(3), 2 * Fee(1.5, unit="m") + Euclidean()])
def test_a_fee_for_every_move_is_found_where_places_are_infinitely_many(fee):
    report = fee.check(PLANE)
    assert report.is_metric
    assert not report.keeps_guarantee
    assert str(report) == (
        "a metric, and average movement need not go to zero (24 places sampled)\n"
        "  a fee for every move: 3 m, however short"
    )
    assert fee.check(TOWNS).keeps_guarantee


def test_a_fee_for_some_moves_is_none_for_every_move():
    assert (Ramp("temp", 5, 5) + Switch("catalyst", 900)).check(LAB).fee is None
    assert (Euclidean() + Fee(3, axes=["north"])).check(PLANE).fee is None


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0.0, 100.0))
def test_the_asymmetry_is_the_worst_ratio_of_a_leg_to_its_way_back(up, down, level):
    """Ramps on one axis have the ratio of their speeds; a cost that is the same both ways brings it nearer to 1."""
    ramp = Ramp("east", up, down)
    assert ramp.check(PLANE).asymmetry == pytest.approx(max(up / down, down / up))
    assert ramp.check(PLANE).keeps_guarantee
    mixed = (ramp + level * Manhattan() if level else ramp).check(PLANE).asymmetry
    assert 1 <= mixed <= ramp.check(PLANE).asymmetry * (1 + 1e-9)


def test_a_free_way_back_has_no_factor():
    report = Custom(lambda origin, target: max(target[0] - origin[0], 0.0)).check(PLANE)
    assert report.asymmetry == np.inf
    assert not report.keeps_guarantee
    assert str(report).startswith("usable, but not a metric, and average movement need not go to zero (24")


@pytest.mark.parametrize(
    ("cost", "obeys"),
    [
        (Euclidean(), True),
        (Ramp("east", 1, 2), True),
        (Ramp("east", 1, 2) + Switch("north", 3), True),
        (Settling("east", 1.0, 0.1, 3.0), False),
        (3 * (Ramp("east", 1, 2) + Settling("east", 1.0, 0.1, 3.0)), False),
        (Settling("east", 1.0, 3.0, 0.1), True),
        (Switch("east", [[0, 1], [2, 0]]), True),
        (Switch("east", [[0, 1, 9], [2, 0, 1], [1, 1, 0]]), False),
        (Table(TOWNS, 4.0 - 4 * np.eye(4) + np.triu(np.ones((4, 4)), 1)), True),
        (Table(TOWNS, [[0, 1, 4, 9], [1, 0, 1, 4], [4, 1, 0, 1], [8, 4, 1, 0]]), False),
        (Custom(abs), None),
        (Custom(abs) + Ramp("east", 1, 2), None),
        (Custom(abs) + Settling("east", 1.0, 0.1, 3.0), False),
    ],
)
def test_costs_say_whether_detours_are_cheaper(cost, obeys):
    assert obeys_triangle(cost) is obeys


def test_a_step_of_an_axis_is_no_fee():
    """The least move that can be made is not short, so that it says nothing of moves that are ever shorter."""
    steps = Space(Real("temp", 40, 120, step=0.5), Real("flow", 0, 1, step=0.001), Real("east", 0, 1))
    assert Ramp("temp", 5, 2).check(steps).fee is None
    mixture = [Real(part, 0, 1, step=0.05) for part in ("a", "b", "c")]
    rule = Linear(["a", "b", "c"], equals=1)
    assert Ramp("a", 5, 2).check(Space(*mixture, Real("temp", 40, 120, step=0.1), constraints=[rule])).fee is None
    assert (Ramp("temp", 5, 2) + Fee(3)).check(steps).fee is not None
