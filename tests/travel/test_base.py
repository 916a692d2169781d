import numpy as np
import pytest

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.travel import Euclidean, priced

from .worlds import PLANE

A, B = PLANE.sample(4, stream(0)), PLANE.sample(3, stream(1))


class Mine:
    """A travel cost that inherits from nothing."""

    is_metric = False
    unit = "m"

    def __init__(self, result):
        self.result = result

    def __call__(self, origins, targets):
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    def bind(self, space):
        return self


def test_good_costs_pass_unchanged():
    assert np.array_equal(priced(Euclidean(), A, B), Euclidean()(A, B))
    assert priced(Euclidean(), A[:0], B).shape == (0, 3)
    assert priced(Mine(np.ones((4, 3), dtype=int)), A, B).dtype == np.float64


def planted(value):
    costs = np.ones((4, 3))
    costs[2, 1] = value
    return Mine(costs)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1e-300])
def test_a_cost_that_cannot_be_paid_is_refused_with_its_places(value):
    with pytest.raises(InvalidInput, match="Mine asks") as refused:
        priced(planted(value), A, B)
    assert f"from {A[2].tolist()} to {B[1].tolist()}" in str(refused.value)


@pytest.mark.parametrize("result", [np.ones((3, 4)), np.ones(4), 1.0, None, "far", [[1.0], [1.0, 2.0]]])
def test_the_wrong_shape_is_refused(result):
    with pytest.raises(InvalidInput, match="the travel cost Mine returned"):
        priced(Mine(result), A, B)


def test_whatever_it_raises_is_ours_with_the_cause():
    with pytest.raises(InvalidInput, match="Mine raised KeyError") as refused:
        priced(Mine(KeyError("fuel")), A, B)
    assert isinstance(refused.value.__cause__, KeyError)
