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

CANDIDATES: dict[str, Callable[[], Method]] = {
    # The baseline of all figures: mean + 2 sd everywhere. Where there are choices, that of the catalogue looks farther.
    "ucb": lambda: Method(UCB(beta=4.0), OneByOne()),
    # Looking farther where there are choices.
    "ucb-choices": CATALOGUE["ucb"].build,
    "wayfare-choices": lambda: Method(
        ExploreFirst(exploit=OnTheWay(per_combination=True)), Growing(1.2), opening=SURVEY
    ),
    "ucb-1sd": lambda: Method(UCB(beta=1.0), OneByOne()),
    # None of the ideas: the opening and the scores of wayfare, one place at a time, blind to movement.
    "control": lambda: Method(ExploreFirst(LogEI(), UCB(1.0)), OneByOne(), opening=SURVEY),
    # What each ingredient of wayfare is worth: all of it but that one.
    "no-survey": lambda: Method(ExploreFirst(), Growing(1.2)),
    "no-price": lambda: Method(ExploreFirst(LogEI(), UCB(1.0)), Growing(1.2), opening=SURVEY),
    "no-batches": lambda: Method(ExploreFirst(), OneByOne(), opening=SURVEY),
    "ucb-first": lambda: Method(ExploreFirst(OnTheWay(beta=3.0)), Growing(1.2), opening=SURVEY),
    "any-survey": lambda: Method(ExploreFirst(), Growing(1.2), opening=Survey(designs=1, covering=True)),
    "short-survey": lambda: Method(ExploreFirst(), Growing(1.2), opening=Survey()),
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
