"""The methods that compete in development and are not in the catalogue."""

from collections.abc import Callable

from wayfare._core import checks
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import CATALOGUE
from wayfare.planning.method import Method
from wayfare.planning.opening import Survey
from wayfare.policy import UCB, EIOnTheWay, ExploreFirst, LogEI, OnTheWay
from wayfare.policy.schedule import Growing, OneByOne

SURVEY = Survey(designs=24, covering=True)
"""The opening of wayfare."""
ON_THE_WAY, FARTHER = OnTheWay(per_combination=True), UCB(1.0, per_combination=True)
"""What wayfare exploits with, and the same blind to movement."""

CANDIDATES: dict[str, Callable[[], Method]] = {
    # Mean + 2 sd and mean + 1 sd everywhere. Where there are choices, ucb of the catalogue looks farther.
    "ucb-2sd": lambda: Method(UCB(beta=4.0), OneByOne()),
    "ucb-1sd": lambda: Method(UCB(beta=1.0), OneByOne()),
    # None of the ideas: the opening and the scores of wayfare, one place at a time, blind to movement.
    "control": lambda: Method(ExploreFirst(LogEI(), FARTHER), OneByOne(), opening=SURVEY),
    # What each ingredient of wayfare is worth: all of it but that one.
    "no-survey": lambda: Method(ExploreFirst(exploit=ON_THE_WAY), Growing(1.2)),
    "no-price": lambda: Method(ExploreFirst(LogEI(), FARTHER), Growing(1.2), opening=SURVEY),
    "no-batches": lambda: Method(ExploreFirst(exploit=ON_THE_WAY), OneByOne(), opening=SURVEY),
    "settled": lambda: Method(ExploreFirst(), Growing(1.2), opening=SURVEY),
    "ucb-first": lambda: Method(ExploreFirst(OnTheWay(beta=3.0), ON_THE_WAY), Growing(1.2), opening=SURVEY),
    "short-survey": lambda: Method(ExploreFirst(exploit=ON_THE_WAY), Growing(1.2), opening=Survey()),
    "always-explore": lambda: Method(EIOnTheWay(), Growing(1.2), opening=SURVEY),
}


def builder(name: str) -> Callable[[], Method]:
    """Return what builds the candidate of that name, or else the method of the catalogue."""
    if name in CANDIDATES:
        return CANDIDATES[name]
    if name in CATALOGUE:
        return CATALOGUE[name].build
    every = [*CATALOGUE, *CANDIDATES]
    raise InvalidInput(f"method: none is called {name!r}; {checks.nearest(name, every, 'methods')}")
