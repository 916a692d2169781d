"""Every planner keeps the contract."""

import pytest

from wayfare.route import AsGiven, FastTsp, HeldKarp, NearestNext, ShortRoute, Shuffled
from wayfare.testing.route import RoutePlannerContract


class TestShortRoute(RoutePlannerContract):
    @pytest.fixture
    def planner(self):
        return ShortRoute()


class TestShortRouteThatSearchesAtOnce(RoutePlannerContract):
    @pytest.fixture
    def planner(self):
        return ShortRoute(exact_to=1, kicks=1)


class TestHeldKarp(RoutePlannerContract):
    sizes = (1, 2, 3, 7, 10)

    @pytest.fixture
    def planner(self):
        return HeldKarp()


class TestNearestNext(RoutePlannerContract):
    @pytest.fixture
    def planner(self):
        return NearestNext()


class TestAsGiven(RoutePlannerContract):
    @pytest.fixture
    def planner(self):
        return AsGiven()


class TestShuffled(RoutePlannerContract):
    @pytest.fixture
    def planner(self):
        return Shuffled(ShortRoute(), 0.5)


class TestFastTsp(RoutePlannerContract):
    # Up to 20 nodes, with start and end, fast-tsp is exact and so the same each time.
    sizes = (1, 2, 10, 11, 18)

    @pytest.fixture
    def planner(self):
        pytest.importorskip("fast_tsp")
        return FastTsp(seconds=0.05)
