"""The tests that every opening must pass: inherit, and parametrise ``opening`` or override it as a fixture."""

import numpy as np
import pytest

from wayfare._core.arrays import Points, Values, no_points, unique_rows
from wayfare.planning.opening import Opening
from wayfare.space import AnySpace
from wayfare.testing.policy import SPACES
from wayfare.travel import Euclidean


def starts_in(space: AnySpace) -> Points:
    """Return places to start from: some spread over the space, and two of its corners."""
    spread = space.sample(6, np.random.default_rng(4))
    return np.vstack([spread, space.snap(np.array([[-1e9], [1e9]]) * np.ones(space.d))])


def places_of(opening: Opening, space: AnySpace, start: Values, seed: int) -> Points:
    """Return the opening's places, if any, where moving costs the straight distance, with choices as numbers."""
    found = opening.places(space, start, Euclidean(), np.random.default_rng(seed))
    return no_points(space.d) if found is None else found


class OpeningContract:
    """The promises of ``Opening``."""

    @pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
    def test_the_places_lie_in_the_space(self, opening: Opening, space: AnySpace) -> None:
        for seed, start in enumerate(starts_in(space)):
            x = places_of(opening, space, start, seed)
            assert x.ndim == 2
            assert x.shape[1] == space.d
            assert space.contains(x).all()

    @pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
    def test_the_same_stream_gives_the_same_places(self, opening: Opening, space: AnySpace) -> None:
        start = starts_in(space)[0]
        first, again = (places_of(opening, space, start, 3) for _ in range(2))
        np.testing.assert_array_equal(first, again)

    def test_where_places_are_visited_once_none_comes_twice_nor_is_the_start(self, opening: Opening) -> None:
        many = SPACES["once"]
        # Two places are left: an opening must do with fewer places than it would like.
        few = many.without(many.sample(38, np.random.default_rng(0)))
        for space in (many, few):
            for seed, start in enumerate(starts_in(space)):
                x = places_of(opening, space, start, seed)
                assert len(unique_rows(np.vstack([start, x]))[0]) == len(x) + 1
