"""The methods that compete in development and are not in the catalogue."""

from collections.abc import Callable

from wayfare._core import checks
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import CATALOGUE
from wayfare.planning.method import Method
from wayfare.planning.opening import Survey
from wayfare.policy import UCB, OnTheWay
from wayfare.policy.schedule import Growing, OneByOne

CANDIDATES: dict[str, Callable[[], Method]] = {
    "ucb-1sd": lambda: Method(UCB(beta=1.0), OneByOne()),
    # What each ingredient of wayfare is worth: all of it but that one.
    "no-survey": lambda: Method(OnTheWay(), Growing(1.1)),
    "no-price": lambda: Method(OnTheWay(price=0.0), Growing(1.1), opening=Survey()),
    "no-batches": lambda: Method(OnTheWay(), OneByOne(), opening=Survey()),
    "two-sd": lambda: Method(OnTheWay(beta=4.0), Growing(1.1), opening=Survey()),
    "any-survey": lambda: Method(OnTheWay(), Growing(1.1), opening=Survey(designs=1)),
}


def builder(name: str) -> Callable[[], Method]:
    """Return what builds the candidate of that name, or else the method of the catalogue."""
    if name in CANDIDATES:
        return CANDIDATES[name]
    if name in CATALOGUE:
        return CATALOGUE[name].build
    every = [*CATALOGUE, *CANDIDATES]
    raise InvalidInput(f"method: none is called {name!r}; {checks.nearest(name, every, 'methods')}")
