"""All benchmark problems by name."""

from collections.abc import Callable

from wayfare._core import checks
from wayfare.bench.problems.boxes import AUTHORS, FIGURES, PAPER
from wayfare.bench.problems.lake import lake
from wayfare.bench.problems.lithium import lithium
from wayfare.bench.problems.problem import Problem
from wayfare.bench.problems.snar import snar
from wayfare.errors import InvalidInput

FIELD: dict[str, Callable[[], Problem]] = {
    "snar": snar,
    "lake1": lambda: lake(1),
    "lake2": lambda: lake(2),
    "lake3": lambda: lake(3),
    "lithium": lithium,
}
"""What a laboratory, a boat and a drill rig do."""

PROBLEMS = PAPER | AUTHORS | FIELD | FIGURES


def problem_named(name: str) -> Problem:
    """Return the problem of that name."""
    if name not in PROBLEMS:
        raise InvalidInput(f"problem: none is called {name!r}; {checks.nearest(name, PROBLEMS, 'problems')}")
    return PROBLEMS[name]()
