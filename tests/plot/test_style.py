"""A method has one colour in every picture."""

from wayfare.bench.figures import looks
from wayfare.planning.catalogue import EVERYWHERE
from wayfare.plot.style import METHODS, SERIES, colour_of, colours_of


def test_every_method_of_the_suites_has_a_colour_and_it_is_the_same_alone_and_among_others():
    assert set(EVERYWHERE) <= METHODS.keys()
    for methods in (["wayfare", "ucb"], ["ucb", "tucb", "wayfare"], list(EVERYWHERE)):
        assert colours_of(methods) == [colour_of(method) for method in methods]
        assert [look.colour for look in looks(methods).values()] == colours_of(methods)


def test_other_names_get_colours_that_no_method_among_them_has():
    mine, *_, ours = colours_of(["mine", "yours", "wayfare"])
    assert ours == METHODS["wayfare"]
    assert mine in SERIES
    assert len(set(colours_of(["a", "b", "ucb", "c", "tucb", "d", "wayfare"]))) == 7
