"""The tests that every space must pass: inherit from ``SpaceContract`` and override its fixture."""

from typing import Any

import numpy as np
import pytest

from wayfare._core.arrays import Points
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace

MOST_LISTED = 1_000_000
"""The most places of a space that a test lists."""


class SpaceContract:
    """The promises of ``AnySpace``."""

    @pytest.fixture
    def space(self) -> AnySpace:
        raise NotImplementedError("return the space to test")

    @pytest.fixture
    def x(self, space: AnySpace) -> Points:
        """Some places of the space."""
        return space.sample(16, stream(1))

    @pytest.fixture
    def anywhere(self, x: Points) -> Points:
        """Numbers on both sides of the bounds and off the steps."""
        return np.concatenate([x, x * 3.7 - 1.3, -x - 0.6])

    def test_there_is_one_name_per_column(self, space: AnySpace, x: Points) -> None:
        assert len(set(space.names)) == len(space.names) == len(space.choices) == space.d == x.shape[1]
        assert [space.column(name) for name in space.names] == list(range(space.d))
        assert [space.column(column) for column in range(space.d)] == list(range(space.d))

    def test_an_unknown_name_is_refused(self, space: AnySpace) -> None:
        with pytest.raises(InvalidInput, match="no axis"):
            space.column("no such axis")

    def test_a_sample_is_in_the_space(self, space: AnySpace) -> None:
        for n in (0, 1, 7, 33):
            x = space.sample(n, stream(2))
            assert len(x) in {n, min(n, space.size or n)}  # a table may have fewer places
            assert x.shape[1] == space.d
            assert space.contains(x).all()

    def test_the_same_rng_gives_the_same_places(self, space: AnySpace, x: Points) -> None:
        assert np.array_equal(space.sample(9, stream(3)), space.sample(9, stream(3)))
        assert np.array_equal(space.around(x, 0.1, 4, stream(3)), space.around(x, 0.1, 4, stream(3)))

    def test_snapping_lands_in_the_space_and_stays(self, space: AnySpace, anywhere: Points) -> None:
        snapped = space.snap(anywhere)
        assert space.contains(snapped).all()
        assert np.array_equal(space.snap(snapped), snapped)

    def test_a_place_snaps_to_itself(self, space: AnySpace, x: Points) -> None:
        assert np.array_equal(space.snap(x), x)

    def test_features_are_in_the_unit_cube(self, space: AnySpace, x: Points) -> None:
        features = space.encode(x)
        assert features.shape == (len(x), len(space.groups))
        # Rounding may carry a bound over the edge.
        assert (features >= -1e-12).all()
        assert (features <= 1 + 1e-12).all()

    def test_different_places_have_different_features(self, space: AnySpace, x: Points) -> None:
        assert len(np.unique(space.encode(x), axis=0)) == len(np.unique(x, axis=0))

    def test_groups_number_the_active_axes_without_gaps(self, space: AnySpace) -> None:
        assert sorted(set(space.groups.tolist())) == list(range(len(set(space.groups.tolist()))))

    def test_params_read_back_to_the_same_place(self, space: AnySpace, x: Points) -> None:
        params = [space.params(row) for row in x]
        assert np.array_equal(space.points(params), x)
        assert np.array_equal(space.points(params[0]), x[:1])
        assert all(type(value) in (str, int, float, bool) for place in params for value in place.values())

    def test_rows_and_arrays_read_alike(self, space: AnySpace, x: Points) -> None:
        for places in (x, x.tolist(), list(x), tuple(map(tuple, x))):
            points = space.points(places)
            assert np.array_equal(points, x)
            assert not points.flags.writeable
        assert np.array_equal(space.points(x[0]), x[:1])
        assert space.points([]).shape == (0, space.d)

    def test_a_data_frame_reads_as_dicts_do(self, space: AnySpace, x: Points) -> None:
        pandas: Any = pytest.importorskip("pandas")
        frame = pandas.DataFrame([space.params(row) for row in x])
        assert np.array_equal(space.points(frame[list(reversed(space.names))]), x)

    def test_bad_places_are_refused(self, space: AnySpace, x: Points) -> None:
        good, name, d = space.params(x[0]), space.names[0], space.d
        lacking = {key: value for key, value in good.items() if key != name}
        wrong = [{**good, name: value} for value in (None, float("nan"), object())]
        arrays = np.full((2, d), np.nan), np.full((2, d), np.inf), np.zeros((2, d + 1)), np.zeros((1, 2, d))
        for bad in ({**good, "no such axis": 1.0}, lacking, *wrong, *arrays, [[None] * d], None, "somewhere"):
            with pytest.raises(InvalidInput):
                space.points(bad)

    def test_places_around_are_in_the_space(self, space: AnySpace, anywhere: Points) -> None:
        for radius in (1e-6, 0.05, 0.5):
            near = space.around(anywhere, radius, 5, stream(4))
            assert near.shape == (len(anywhere) * 5, space.d)
            assert space.contains(near).all()
        assert space.around(anywhere[:0], 0.1, 5, stream(4)).shape == (0, space.d)
        assert space.around(anywhere, 0.1, 0, stream(4)).shape == (0, space.d)

    def test_a_survey_is_in_the_space(self, space: AnySpace, x: Points) -> None:
        for n in (0, 1, 7):
            found = space.survey(x[0], n, stream(5))
            assert len(found) <= n
            assert found.shape[1] == space.d
            assert space.contains(found).all()
            assert np.array_equal(space.survey(x[0], n, stream(5)), found)

    def test_a_survey_shows_a_value_of_every_choice_with_each_place(self, space: AnySpace, x: Points) -> None:
        everywhere = space.sample(512, stream(6))
        for column, values in enumerate(space.choices):
            if values is None:
                continue
            there, start = set(everywhere[:, column].tolist()), x[0]
            found = space.survey(start, len(there) - 1, stream(5))
            assert {start[column], *found[:, column].tolist()} == there
            # Which of them a single place shows is drawn.
            firsts = {place[column] for seed in range(40) for place in space.survey(start, 1, stream(5, seed))}
            assert len(firsts) > 1 or len(there) <= 2

    def test_everything_is_every_place_once(self, space: AnySpace) -> None:
        if space.size is None:
            assert space.everything(10**9) is None
            return
        assert space.everything(space.size - 1) is None
        if space.size > MOST_LISTED:
            return
        everything = space.everything(space.size)
        assert everything is not None
        assert len(np.unique(everything, axis=0)) == space.size == len(everything)
        assert space.contains(everything).all()

    def test_visited_places_are_gone_where_each_is_visited_once(self, space: AnySpace, x: Points) -> None:
        rest = space.without(x[:3])
        if not space.once:
            assert rest is space
            return
        assert space.size is not None
        assert rest.size == space.size - len(x[:3])
        assert not rest.contains(x[:3]).any()
        # The rest is scaled as the whole, or a model would see other features after every visit.
        assert np.array_equal(rest.encode(x), space.encode(x))
        assert rest.without(x[:3]).size == rest.size
