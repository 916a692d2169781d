"""The tests that every opening must pass: inherit, and parametrise ``opening`` or override it as a fixture."""

import numpy as np
import pytest

from wayfare._core.arrays import Points, Values, no_points, unique_rows
from wayfare.planning.opening import Beginning, Opening
from wayfare.space import AnySpace, Places
from wayfare.surrogate.history import History
from wayfare.testing.policy import SPACES
from wayfare.travel import Euclidean

_ROCKS = [{"east": east, "rock": rock} for east in range(6) for rock in ("chalk", "clay", "granite", "slate")]
OPENED: dict[str, AnySpace] = {**SPACES, "rocks": Places(_ROCKS), "rocks once": Places(_ROCKS, once=True)}


def starts_in(space: AnySpace) -> Points:
    """Return places to start from: some spread over the space, and two of its corners."""
    spread = space.sample(6, np.random.default_rng(4))
    return np.vstack([spread, space.snap(np.array([[-1e9], [1e9]]) * np.ones(space.d))])


def places_of(
    opening: Opening, space: AnySpace, start: Values, seed: int, known: Points | None = None, most: int = 1000
) -> Points:
    """Return the opening's places, if any, where moving costs the straight distance, with choices as numbers.

    Args:
        opening: the opening.
        space: where the traveller may go.
        start: where the study begins.
        seed: seeds the stream.
        known: the places of old results, the later the better; none by default.
        most: the most places of the first route.
    """
    x = no_points(space.d) if known is None else known
    history = History(space, x, np.arange(len(x)), no_points(space.d), start, visited=no_points(space.d))
    beginning = Beginning(space.without(x), start, Euclidean(), history, most)
    found = opening.places(beginning, np.random.default_rng(seed))
    return no_points(space.d) if found is None else found


class OpeningContract:
    """The promises of ``Opening``."""

    @pytest.mark.parametrize("old", [0, 1, 5])
    @pytest.mark.parametrize("space", OPENED.values(), ids=OPENED)
    def test_the_places_lie_in_the_space(self, opening: Opening, space: AnySpace, old: int) -> None:
        known = space.sample(old, np.random.default_rng(7))
        for seed, start in enumerate(starts_in(space.without(known))):
            x = places_of(opening, space, start, seed, known)
            assert x.ndim == 2
            assert x.shape[1] == space.d
            assert space.without(known).contains(x).all()

    @pytest.mark.parametrize("old", [0, 1])
    @pytest.mark.parametrize("space", OPENED.values(), ids=OPENED)
    def test_the_same_stream_gives_the_same_places(self, opening: Opening, space: AnySpace, old: int) -> None:
        known = space.sample(old, np.random.default_rng(7))
        start = starts_in(space.without(known))[0]
        first, again = (places_of(opening, space, start, 3, known) for _ in range(2))
        np.testing.assert_array_equal(first, again)

    @pytest.mark.parametrize("name", ["once", "rocks once"])
    def test_where_places_are_visited_once_none_comes_twice(self, opening: Opening, name: str) -> None:
        many = OPENED[name]
        # Two places are left: an opening must do with fewer places than it would like.
        few = many.without(many.sample((many.size or 0) - 2, np.random.default_rng(0)))
        for space in (many, few):
            for known in (None, space.sample(1, np.random.default_rng(1))):
                for seed, start in enumerate(starts_in(space)):
                    x = places_of(opening, space, start, seed, known)
                    assert len(unique_rows(x)[0]) == len(x)
