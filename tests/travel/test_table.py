import numpy as np
import pytest

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space import Integer, Places, Space
from wayfare.travel import Euclidean, Table

from .worlds import LAB, PLANE, TOWNS

HOURS = np.array([[0.0, 1, 2, 9], [1, 0, 1, 8], [2, 1, 0, 7], [9, 8, 7, 0]])


def test_a_table_gives_the_cost_from_row_to_column():
    hours = np.arange(16.0).reshape(4, 4)
    np.fill_diagonal(hours, 0)
    table = Table(TOWNS, hours, unit="h").bind(TOWNS)
    assert np.array_equal(table(TOWNS.table, TOWNS.table), hours)
    assert table(TOWNS.table[[2]], TOWNS.table[[1, 3]]).tolist() == [[9, 11]]


def test_a_table_is_a_metric_if_symmetric_and_without_shortcuts():
    assert Table(TOWNS, HOURS).is_metric
    assert not Table(TOWNS, HOURS + np.triu(np.ones((4, 4)), 1)).is_metric
    shortcut = HOURS.copy()
    shortcut[0, 2] = shortcut[2, 0] = 5
    assert not Table(TOWNS, shortcut).is_metric


def test_large_tables_are_judged_by_some_detours():
    places = Places(stream(0).random((600, 2)))
    costs = Euclidean()(places.table, places.table)
    assert Table(places, costs).is_metric
    assert not Table(places, costs**2).is_metric


def test_a_table_still_prices_the_places_that_are_left():
    once = Places(TOWNS.table, names=TOWNS.names, once=True)
    rest = once.without(once.table[:2])
    table = Table(once, HOURS).bind(rest)
    assert table(once.table[:1], rest.table).tolist() == [[2, 9]]


def test_a_finite_space_will_do_if_all_its_places_are_known():
    towns = Places([[0], [1], [2]], names=["n"])
    line = Table(towns, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    assert line.bind(Space(Integer("n", 0, 2))) == line
    with pytest.raises(InvalidInput, match=r"no cost for the place \{'n': 3\}"):
        line.bind(Space(Integer("n", 0, 3)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Table(TOWNS.table, HOURS), "places of a Table must be Places"),
        (lambda: Table(TOWNS, HOURS[:3, :3]), "has shape (3, 3) for 4 places"),
        (lambda: Table(TOWNS, HOURS[:3]), "the matrix of a Table must be square, got shape (3, 4)"),
        (lambda: Table(TOWNS, -HOURS), "not negative, got -1.0 from 0 to 1"),
        (lambda: Table(TOWNS, np.where(HOURS == 9, np.inf, HOURS)), "must be finite"),
        (lambda: Table(TOWNS, HOURS + 1), "must be 0 on the diagonal, got 1.0 at 0"),
        (lambda: Table(TOWNS, "near"), "must hold numbers"),
        (lambda: Table(TOWNS, HOURS).bind(LAB), "cannot price ('temp',"),
        (lambda: Table(TOWNS, HOURS).bind(PLANE), "infinitely many places; use its Places as the space"),
        (
            lambda: Table(TOWNS, HOURS)(np.array([[0.0, 0.5]]), TOWNS.table),
            "no cost for the place {'east': 0.0, 'north': 0.5}; add it",
        ),
    ],
)
def test_bad_tables_are_refused(make, message):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert message in str(refused.value)
