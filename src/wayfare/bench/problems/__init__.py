"""Benchmark problems: a function to maximise, its space, a start and the cost of moving."""

from collections.abc import Callable

from wayfare._core import checks
from wayfare.bench.problems.boxes import AUTHORS, FIGURES, PAPER
from wayfare.bench.problems.field import FIELD
from wayfare.bench.problems.problem import Problem
from wayfare.errors import InvalidInput

__all__ = ["AUTHORS", "FIELD", "FIGURES", "PAPER", "PROBLEMS", "Problem", "problem_named"]

PROBLEMS: dict[str, Callable[[], Problem]] = PAPER | AUTHORS | FIELD | FIGURES
"""All problems by name, each built when it is asked for."""


def problem_named(name: str) -> Problem:
    """Return the problem of that name."""
    if name not in PROBLEMS:
        raise InvalidInput(f"problem: none is called {name!r}; {checks.nearest(name, PROBLEMS, 'problems')}")
    return PROBLEMS[name]()
