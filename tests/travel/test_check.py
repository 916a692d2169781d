import numpy as np
import pytest

from wayfare.errors import InvalidInput
from wayfare.space import Places
from wayfare.travel import Custom, Euclidean, Fee, Manhattan, Ramp, Switch, check

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


@pytest.mark.parametrize("cost", [Euclidean(), Manhattan(unit="m"), Fee(3), Ramp("east", 2, 2) + Fee(1)])
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
    assert lines[0] == "usable, but not a metric (24 places sampled)"
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
