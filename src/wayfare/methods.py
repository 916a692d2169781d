"""The catalogue: method names, and what each is made of."""

from collections.abc import Callable

from attrs import frozen

from wayfare import door
from wayfare.errors import InvalidInput
from wayfare.plan import Method
from wayfare.policy import UCB, Elimination, LogEI, PureExploration, Thompson, Uniform
from wayfare.schedule import Growing, LogLog, OneByOne


@frozen
class Entry:
    """A named method: its composition, one line on what it does, and where it comes from."""

    build: Callable[[], Method]
    summary: str
    source: str


PAPER = "Chen and Al Kontar, The Traveling Bandit"

CATALOGUE: dict[str, Entry] = {
    "ucb": Entry(
        lambda: Method(UCB(beta=4.0), OneByOne()),
        "upper confidence bound, one place at a time; blind to movement",
        "Srinivas et al. 2010",
    ),
    "ts": Entry(
        lambda: Method(Thompson(), OneByOne()),
        "Thompson sampling, one place at a time; blind to movement",
        "Thompson 1933; Kandasamy et al. 2018",
    ),
    "ei": Entry(
        lambda: Method(LogEI(), OneByOne()),
        "expected improvement, one place at a time; blind to movement",
        "Jones et al. 1998; Ament et al. 2023",
    ),
    "tucb": Entry(
        lambda: Method(Elimination(UCB(beta=4.0), eta=1.0), Growing(1.1)),
        "batched UCB among survivors, growing batches, short routes",
        PAPER,
    ),
    "tts": Entry(
        lambda: Method(Elimination(Thompson(), eta=1.0), Growing(1.1)),
        "batched Thompson sampling among survivors, growing batches, short routes",
        PAPER,
    ),
    "tei": Entry(
        lambda: Method(Elimination(LogEI(), eta=1.0), Growing(1.1)),
        "batched EI among survivors, growing batches, short routes",
        PAPER + ", with EI as its batched policy",
    ),
    "bpe": Entry(
        lambda: Method(Elimination(PureExploration(), eta=2.0), LogLog()),
        "pure exploration among survivors, about log log T batches, short routes",
        "Li and Scarlett 2022, with all results in the belief (a heuristic)",
    ),
    "random": Entry(
        lambda: Method(Uniform(), OneByOne()),
        "places at random, one at a time; the floor",
        "",
    ),
}


def method_named(name: str) -> Method:
    """Return the method called ``name`` in the catalogue."""
    if name not in CATALOGUE:
        raise InvalidInput(f"method: none is called {name!r}; {door.nearest(name, CATALOGUE, 'methods')}")
    return CATALOGUE[name].build()
