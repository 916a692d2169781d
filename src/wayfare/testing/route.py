"""The tests that every route planner must pass: inherit from ``RoutePlannerContract`` and override its fixture."""

import numpy as np
import pytest
from numpy.random import Generator

from wayfare._core.arrays import Matrix, Values, read_only
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.route import RoutePlanner
from wayfare.route.base import orders_points
from wayfare.travel import Embedding

Problem = tuple[Values, Matrix, Values | None]
"""The costs that ``RoutePlanner.order`` takes: first, between and last."""


def random_problem(n: int, rng: Generator, *, symmetric: bool = True, ends: bool = False) -> Problem:
    """Return read-only costs of ``n`` stops in the unit square; there and back differ unless ``symmetric``."""
    x = rng.random((n + 2, 2))
    costs = np.linalg.norm(x[:, None] - x, axis=-1)
    if not symmetric:
        costs *= rng.uniform(0.5, 1.5, size=costs.shape)
    last = read_only(costs[:n, n + 1]) if ends else None
    return read_only(costs[n, :n]), read_only(costs[:n, :n]), last


class RoutePlannerContract:
    """The promises of ``RoutePlanner``, for each number of stops in ``sizes``; a planner with a limit lowers them."""

    sizes: tuple[int, ...] = (1, 2, 3, 4, 7, 10, 11, 12, 25)

    @pytest.fixture
    def planner(self) -> RoutePlanner:
        raise NotImplementedError("return the planner to test")

    @pytest.mark.parametrize("ends", [False, True], ids=["open", "ends"])
    @pytest.mark.parametrize("symmetric", [True, False], ids=["symmetric", "asymmetric"])
    def test_every_stop_comes_exactly_once(self, planner: RoutePlanner, symmetric: bool, ends: bool) -> None:
        for n in self.sizes:
            problem = random_problem(n, stream(n), symmetric=symmetric, ends=ends)
            order = planner.order(*problem, stream(0))
            assert sorted(order) == list(range(n))

    @pytest.mark.parametrize("ends", [False, True], ids=["open", "ends"])
    def test_every_point_comes_exactly_once(self, planner: RoutePlanner, ends: bool) -> None:
        """Only a planner with ``order_points`` sees points."""
        if (of_points := orders_points(planner)) is not None:
            for n in self.sizes:
                first, _, last = random_problem(n, stream(n), ends=ends)
                points = Embedding(stream(n).random((n, 2)))
                assert sorted(of_points.order_points(first, points, last, stream(0))) == list(range(n))

    def test_no_stops_make_an_empty_route(self, planner: RoutePlanner) -> None:
        assert len(planner.order(np.empty(0), np.empty((0, 0)), None, stream(0))) == 0

    def test_the_same_stream_gives_the_same_order(self, planner: RoutePlanner) -> None:
        problem = random_problem(max(self.sizes), stream(1))
        assert np.array_equal(planner.order(*problem, stream(2)), planner.order(*problem, stream(2)))

    def test_free_travel_is_fine(self, planner: RoutePlanner) -> None:
        n = max(self.sizes)
        assert sorted(planner.order(np.zeros(n), np.zeros((n, n)), None, stream(0))) == list(range(n))

    @pytest.mark.parametrize("unit", [1e-300, 1e300])
    def test_the_unit_of_the_costs_does_not_matter(self, planner: RoutePlanner, unit: float) -> None:
        # Squares or sums of such costs leave the range of floats.
        for symmetric in (True, False):
            first, between, last = random_problem(max(self.sizes), stream(3), symmetric=symmetric, ends=True)
            assert last is not None
            order = planner.order(unit * first, unit * between, unit * last, stream(0))
            assert sorted(order) == list(range(len(first)))

    def test_costs_that_do_not_fit_together_are_refused(self, planner: RoutePlanner) -> None:
        with pytest.raises(InvalidInput, match="between"):
            planner.order(np.zeros(3), np.zeros((3, 2)), None, stream(0))
        with pytest.raises(InvalidInput, match="last"):
            planner.order(np.zeros(3), np.zeros((3, 3)), np.zeros(2), stream(0))

    @pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0])
    def test_costs_that_cannot_be_paid_are_refused(self, planner: RoutePlanner, wrong: float) -> None:
        between = np.ones((3, 3))
        between[1, 2] = wrong
        with pytest.raises(InvalidInput, match="between"):
            planner.order(np.zeros(3), between, None, stream(0))
