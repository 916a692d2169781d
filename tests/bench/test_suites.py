import pytest

from tests.cli.studies import done, records
from wayfare.bench.suites import SUITES, suite_named
from wayfare.planning.catalogue import EVERYWHERE


def test_the_suites_are_those_promised():
    sizes = {name: len(suite.cells()) for name, suite in SUITES.items()}
    assert sizes == {
        "quick": 6 * 2 * 3,
        "paper": 26 * 5 * 5,
        "authors": 10 * 5 * 10,
        "field": 26 * 5 * 2 * 10,
        "delay": 5 * 2 * 3 * 5,
    }
    assert suite_named("paper").methods == EVERYWHERE


@pytest.mark.parametrize("name", SUITES)
def test_every_cell_has_a_file_of_its_own(name):
    cells = suite_named(name).cells()
    assert len({cell.file for cell in cells}) == len(cells)


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_has_its_baseline(name):
    suite = suite_named(name)
    assert suite.baseline in suite.methods


def test_a_suite_can_be_cut_down():
    small = suite_named("paper").restricted(methods=("ucb",), problems=("levy",), seeds=1, trials=7)
    (cell,) = small.cells()
    assert (cell.method, cell.problem, cell.trials, cell.seed, cell.delay) == ("ucb", "levy", 7, 0, 0)


def test_the_list_says_what_is_in_each_suite():
    text = done("bench", "list")
    assert "quick: a first look, in minutes" in text
    assert "late by   0, 10, 25" in text
    assert {one["name"]: one["runs"] for one in records("bench", "list")}["paper"] == 650
