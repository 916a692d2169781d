"""The tests that every travel cost must pass: inherit from ``TravelCostContract`` and override its fixtures."""

import numpy as np
import pytest

from wayfare._core.arrays import Points, read_only
from wayfare._core.rng import stream
from wayfare.space import AnySpace
from wayfare.travel import TravelCost, check, embedding, priced


class TravelCostContract:
    """The promises of ``TravelCost``, tested with the fixtures ``cost`` and ``space``."""

    @pytest.fixture
    def cost(self) -> TravelCost:
        raise NotImplementedError("return the cost to test, not yet bound")

    @pytest.fixture
    def space(self) -> AnySpace:
        raise NotImplementedError("return the space it travels in")

    @pytest.fixture
    def bound(self, cost: TravelCost, space: AnySpace) -> TravelCost:
        return cost.bind(space)

    @pytest.fixture
    def x(self, space: AnySpace) -> Points:
        """Some places, one of them twice, in a read-only array: a cost must not change its arguments."""
        x = space.sample(12, stream(1))
        return read_only(np.concatenate([x, x[:1]]))

    def test_it_costs_something_finite_between_all_places(self, bound: TravelCost, x: Points) -> None:
        costs = priced(bound, x, x[:5])
        assert costs.shape == (len(x), len(x[:5]))
        assert costs.dtype == np.float64

    def test_staying_is_free(self, bound: TravelCost, x: Points) -> None:
        assert not bound(x, x).diagonal().any()
        assert bound(x[:1], x[-1:])[0, 0] == 0  # the same place in two arrays

    def test_a_leg_costs_the_same_whatever_else_is_asked(self, bound: TravelCost, x: Points) -> None:
        costs = bound(x, x)
        one_by_one = [[bound(x[i : i + 1], x[j : j + 1])[0, 0] for j in range(len(x))] for i in range(len(x))]
        # Sums may round otherwise in a larger array.
        assert np.allclose(costs, one_by_one, rtol=1e-12, atol=0)

    def test_distances_of_its_embedding_are_its_costs(self, bound: TravelCost, x: Points) -> None:
        points = embedding(bound, x)
        if points is not None:
            costs = bound(x, x)
            assert np.allclose([points[row] for row in range(len(x))], costs, rtol=1e-9, atol=1e-9 * costs.max())

    def test_nowhere_costs_nothing(self, bound: TravelCost, x: Points) -> None:
        assert bound(x[:0], x).shape == (0, len(x))
        assert bound(x, x[:0]).shape == (len(x), 0)

    def test_a_metric_is_symmetric_and_no_detour_is_cheaper(self, cost: TravelCost, space: AnySpace) -> None:
        report = check(cost, space)
        assert report.is_usable, str(report)
        if cost.bind(space).is_metric:
            assert report.is_metric, str(report)

    def test_binding_twice_changes_nothing(self, bound: TravelCost, space: AnySpace, x: Points) -> None:
        assert np.array_equal(bound.bind(space)(x, x), bound(x, x))

    def test_binding_keeps_the_unit_and_the_promise(self, cost: TravelCost, bound: TravelCost) -> None:
        assert isinstance(cost.unit, str)
        assert bound.unit == cost.unit
        assert bound.is_metric == cost.is_metric
