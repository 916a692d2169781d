"""The methods that compete in development and are not in the catalogue."""

from collections.abc import Callable

from wayfare import door
from wayfare.errors import InvalidInput
from wayfare.methods import CATALOGUE, method_named
from wayfare.opening import Survey
from wayfare.plan import Method
from wayfare.policy import UCB, OnTheWay
from wayfare.schedule import Growing, OneByOne

CANDIDATES: dict[str, Callable[[], Method]] = {
    "tucb": lambda: method_named("tucb"),
    "ucb-1sd": lambda: Method(UCB(beta=1.0), OneByOne()),
    "y115": lambda: Method(OnTheWay(beta=1.0, price=1.5), Growing(1.1), opening=Survey(least=3)),
}


def builder(name: str) -> Callable[[], Method]:
    """Return what builds the candidate of that name, or else the method of the catalogue."""
    if name in CANDIDATES:
        return CANDIDATES[name]
    if name in CATALOGUE:
        return CATALOGUE[name].build
    every = [*CATALOGUE, *CANDIDATES]
    raise InvalidInput(f"method: none is called {name!r}; {door.nearest(name, every, 'methods')}")
