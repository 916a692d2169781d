"""Marks of experimental and deprecated parts: the warning, its place, the docstring, the signature."""

import inspect
import warnings

import pytest
from attrs import evolve, frozen

from wayfare._core.lifecycle import deprecated, experimental
from wayfare.errors import ExperimentalWarning


@experimental
def twice(x: int, *, more: int = 0) -> int:
    """Return the double.

    Args:
        x: a number.
    """
    return 2 * x + more


@deprecated(instead="Newer", removed_in="0.9")
class Older:
    """A class that goes."""

    def __init__(self, size: int = 1) -> None:
        self.size = size


class Heir(Older):
    pass


@experimental
@frozen
class Value:
    a: int
    b: int = 2

    @deprecated(instead="b", removed_in="1.0")
    def old(self) -> int:
        return self.b

    @classmethod
    @deprecated(instead="Value", removed_in="1.0")
    def of(cls, a: int) -> "Value":
        return cls(a)


def here() -> int:
    """Return the number of the line that calls."""
    return inspect.currentframe().f_back.f_lineno


def test_a_call_of_an_experimental_function_warns_at_the_line_of_the_call():
    with pytest.warns(ExperimentalWarning, match="^twice is experimental: it may change") as caught:
        result, line = twice(3, more=1), here()
    assert result == 7
    assert (caught[0].filename, caught[0].lineno) == (__file__, line)
    assert len(caught) == 1


def test_making_an_object_of_a_deprecated_class_warns_with_the_way_out():
    message = "^Older is deprecated and will be removed in wayfare 0.9; use Newer"
    with pytest.warns(FutureWarning, match=message) as caught:
        older, line = Older(size=3), here()
    assert (caught[0].filename, caught[0].lineno) == (__file__, line)
    assert len(caught) == 1
    assert older.size == 3
    assert type(older) is Older


def test_a_subclass_of_a_marked_class_warns_once():
    with pytest.warns(FutureWarning) as caught:
        assert isinstance(Heir(), Older)
    assert len(caught) == 1


def test_frozen_values_and_methods_can_be_marked():
    with pytest.warns(ExperimentalWarning, match="Value"):
        value = Value(1, b=5)
    with pytest.warns(FutureWarning, match="Value.old is deprecated"):
        assert value.old() == 5
    with pytest.warns((ExperimentalWarning, FutureWarning)) as caught:
        assert Value.of(1).b == 2
    assert {warning.category for warning in caught} == {ExperimentalWarning, FutureWarning}
    with pytest.warns(ExperimentalWarning):
        assert evolve(value, a=7) != value


def test_by_default_each_line_that_calls_is_shown_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.simplefilter("default")
        for _ in range(3):
            twice(1)
        twice(2)
    assert len(caught) == 2


def test_a_mark_keeps_name_signature_and_docstring_and_adds_a_note():
    assert twice.__name__ == "twice"
    assert str(inspect.signature(twice)) == "(x: int, *, more: int = 0) -> int"
    assert str(inspect.signature(Older)) == "(size: int = 1) -> None"
    assert twice.__doc__.startswith("Return the double.\n\nArgs:\n    x: a number.\n\nNote:\n    twice is experimental")
    assert Older.__doc__.endswith("Note:\n    Older is deprecated and will be removed in wayfare 0.9; use Newer.")
    assert Value.__doc__.startswith(("Note:", "Method generated"))


def test_defining_a_marked_part_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        experimental(lambda: None)
