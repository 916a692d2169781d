"""The comparison of processors: what it calls equal; and draws do not depend on how single numbers are added."""

import pytest

import kernels

HERE = [[0.0, 0.5], [0.25, 0.75], [1.0, 1.0]]


def moved(at, by):
    return [[x + by * (number == at), y] for number, (x, y) in enumerate(HERE)]


def test_ways_part_where_a_place_is_another_and_not_where_it_is_rounded():
    assert kernels.first_difference(HERE, HERE) is None
    assert kernels.first_difference(HERE, moved(1, 1e-9)) is None
    assert kernels.first_difference(HERE, moved(1, 1e-3)) == 1


def test_studies_are_counted_by_how_alike_they_are():
    pairs = [(HERE, HERE), (HERE, moved(0, 1e-12)), (HERE, moved(2, 0.1)), (HERE, moved(0, 0.1))]
    found = kernels.alike(pairs)
    assert found == kernels.Likeness(studies=4, equal=1, close=2, first=1)
    assert kernels.said(found) == "2 of 4 elsewhere, from trial 1"
    assert kernels.said(kernels.alike(pairs[:2])) == "equal but for rounding"
    assert kernels.said(kernels.alike(pairs[:1])) == "equal"


def test_the_page_has_every_method_and_the_kernels_that_were_compared():
    page = kernels.PAGE.read_text()
    assert [method for method in kernels.METHODS if f"| `{method}` | " not in page] == []
    assert "NumPy without AVX-512" in page


@pytest.mark.slow
@pytest.mark.subprocess
def test_draws_go_to_the_same_places_under_other_kernels():
    """Any x86 processor can run these two; on others nothing is set by their names, and the runs are equal, too."""
    one, other = (kernels.run(name, ["tts"], 14).ways for name in ("Sandybridge", "Nehalem"))
    assert kernels.compared(one, other)["tts"].close == 4
