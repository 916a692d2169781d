"""What is left of a large table finds rows and neighbours by the tree and the index of the whole."""

import numpy as np
import pytest

import wayfare as wf
from wayfare.errors import InvalidInput
from wayfare.space import Places, places
from wayfare.space.designs import nearest_rows, numbers_of
from wayfare.space.places import RowIndex

RNG = np.random.default_rng


def table(n: int, seed: int = 0):
    return RNG(seed).random((n, 2))


@pytest.fixture
def trees(monkeypatch):
    """Let small tables have trees, too."""
    monkeypatch.setattr(places, "TREE_FROM", 10)


def afresh(left: Places) -> Places:
    """Return the same places as a table of their own."""
    return Places.framed(left.table, left.frame, left.once, (False, False))


def test_what_is_left_is_what_a_table_of_its_own_would_be(trees):
    whole = Places(table(300), names=["a", "b"], once=True)
    left = whole.without(whole.table[::3]).without(whole.table[1::7]).without(whole.table[:100])
    alone = afresh(left)
    assert left.size == alone.size < 150
    np.testing.assert_array_equal(left.index(whole.table), alone.index(whole.table))
    np.testing.assert_array_equal(left.contains(whole.table), alone.contains(whole.table))
    x = RNG(1).random((20, 2))
    np.testing.assert_array_equal(left.snap(x), alone.snap(x))
    np.testing.assert_array_equal(left.around(x, 0.05, 9, RNG(2)), alone.around(x, 0.05, 9, RNG(2)))
    np.testing.assert_array_equal(left.sample(12, RNG(3)), alone.sample(12, RNG(3)))
    np.testing.assert_array_equal(left.survey(left.table[5], 8, RNG(4)), alone.survey(left.table[5], 8, RNG(4)))


def test_neighbours_are_found_where_most_places_are_gone(trees):
    whole = Places(table(400), names=["a", "b"], once=True)
    left = whole.without(whole.table[3:])
    for x in (left.table, whole.table[50:60]):
        near = left.around(x, 0.1, 3, RNG(0)).reshape(len(x), 3, 2)
        assert all({tuple(row) for row in three} == {tuple(row) for row in left.table} for three in near)


def test_a_survey_by_the_tree_has_the_places_of_one_that_looks_at_all(trees):
    """On a grid, too, where many places are equally near: the first in the table is taken."""
    axis = np.arange(12) / 11
    grid = np.array([[a, b] for a in axis for b in axis])
    for rows in (grid, table(150, 1)):
        space = Places(rows, names=["a", "b"])
        for seed in range(5):
            wanted = numbers_of(space, space.frame.survey(rows[7], 9, RNG(seed)))
            expected = nearest_rows(space, space.table, rows[7:8], wanted, RNG(0))
            np.testing.assert_array_equal(space.survey(rows[7], 9, RNG(seed)), expected)


def test_rows_are_found_by_their_bits_even_where_their_numbers_collide(monkeypatch):
    rows = np.vstack([table(50), [[0.0, 1.0], [1.0, 0.0]]])
    index = RowIndex(rows)
    wanted = np.vstack([rows[::-1], [[-0.0, 1.0]], [[0.5, 0.5]]])
    expected = [*range(51, -1, -1), 50, -1]
    assert index.find(wanted).tolist() == expected
    assert not index.has_repeats
    assert RowIndex(rows[[0, 1, 0]]).has_repeats
    monkeypatch.setattr(places, "_mixed", lambda x: np.zeros(len(x), dtype=np.uint64))
    assert RowIndex(rows).find(wanted).tolist() == expected
    assert not RowIndex(rows).has_repeats
    assert RowIndex(rows[[0, 1, 0]]).has_repeats


def test_a_table_with_a_row_twice_is_refused_by_its_numbers():
    with pytest.raises(InvalidInput, match="places 1 and 3 of the table are the same"):
        wf.Places([[0.0, 1.0], [2.0, 0.0], [3.0, 4.0], [2.0, -0.0]])


def test_an_ask_that_hands_out_does_not_look_at_the_whole_table(monkeypatch):
    study = wf.Study.create(
        wf.Places(table(500), names=["a", "b"], once=True),
        direction="maximize",
        travel=wf.Euclidean(),
        trials=60,
        method="lhs-route",
    )
    study.tell(study.ask(), 1.0)
    study.ask()
    monkeypatch.setattr(Places, "without", lambda *_: pytest.fail("looked at all places"))
    for worker in "abc":
        study.ask(worker)
