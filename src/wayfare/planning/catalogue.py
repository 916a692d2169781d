"""The catalogue: method names, and what each is made of."""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from wayfare._core import checks
from wayfare.errors import InvalidInput
from wayfare.planning.method import Method
from wayfare.planning.opening import JustStart, NoOpening, Survey
from wayfare.policy import (
    BPE,
    UCB,
    DistanceUCB,
    EIPerCost,
    Elimination,
    ExploreFirst,
    LatinHypercube,
    LazyUCB,
    LimitedStep,
    LogEI,
    LookAhead,
    OnTheWay,
    Policy,
    PureExploration,
    Repeated,
    Snake,
    Thompson,
    Truncated,
    Uniform,
)
from wayfare.policy.bandit import UCB1, BaSE, BLiN, MeshUCB1, ThompsonBeta, ThompsonGaussian, Zooming
from wayfare.policy.schedule import Growing, Horizon, LogLog, OneByOne, Rolling, Schedule
from wayfare.surrogate import Tally


@frozen
class Entry:
    """A named method: its composition, one line on what it does, its source, and the spaces it takes.

    Those are any, a finite table whose places may be visited again, or a box of real axes.
    """

    build: Callable[[], Method]
    summary: str
    source: str
    spaces: Literal["any", "table", "box"] = "any"


def floor(policy: Policy, schedule: Schedule) -> Method:
    """Return a method that learns nothing, and so need not see anything first."""
    return Method(policy, schedule, opening=JustStart())


def bandit(policy: Policy, schedule: Schedule) -> Method:
    """Return a bandit: it tallies each place by itself, and chooses the first route too."""
    return Method(policy, schedule, surrogate=Tally(), opening=NoOpening())


PAPER = "Chen and Al Kontar, The Traveling Bandit"

DEFAULT = "wayfare"
"""The method where none is given."""

CATALOGUE: dict[str, Entry] = {
    "wayfare": Entry(
        lambda: Method(
            ExploreFirst(exploit=OnTheWay(per_combination=True), waiting=OnTheWay(beta=4.0)),
            Growing(1.2),
            opening=Survey(designs=24, covering=True),
        ),
        "a survey, then batched EI and later UCB that prefer what lies on the way, growing batches, short routes",
        "docs/method.md",
    ),
    "thrifty": Entry(
        lambda: Method(OnTheWay(beta=0.5, reach=0.2), Growing(1.1), opening=Survey()),
        "moves a third as much as ucb, but keeps a clearly worse place half as often again",
        "docs/method.md; the default until version 0.2.0",
    ),
    "ucb": Entry(
        lambda: Method(UCB(beta=4.0, per_combination=True), OneByOne()),
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
    "plan-ucb": Entry(
        lambda: Method(UCB(beta=4.0), Growing(1.1, rounding="ceil")),
        "batched UCB, batches that grow as published, short routes; no elimination",
        PAPER + ", Algorithm 1",
    ),
    "plan-ts": Entry(
        lambda: Method(Thompson(), Growing(1.1, rounding="ceil")),
        "batched Thompson sampling, batches that grow as published, short routes; no elimination",
        PAPER + ", Algorithm 1",
    ),
    "tucb-paper": Entry(
        lambda: Method(Elimination(UCB(beta=4.0), eta=1.0, nested=True), Growing(1.1, rounding="ceil")),
        "tucb to the letter: nested sets of survivors, batches rounded up",
        PAPER + ", Algorithm 2",
    ),
    "tts-paper": Entry(
        lambda: Method(Elimination(Thompson(), eta=1.0, nested=True), Growing(1.1, rounding="ceil")),
        "tts to the letter: nested sets of survivors, batches rounded up",
        PAPER + ", Algorithm 2",
    ),
    "bpe": Entry(
        lambda: Method(BPE(), LogLog(), opening=JustStart()),
        "pure exploration as proven: a fixed kernel, each batch by its own results, about log log T batches",
        "Li and Scarlett 2022; the constants of the proof are stated in BPE",
    ),
    "bpe-heuristic": Entry(
        lambda: Method(Elimination(PureExploration(), eta=2.0), LogLog()),
        "pure exploration among survivors by all results, about log log T batches, short routes; no proof",
        "after Li and Scarlett 2022; called bpe until version 0.2.0",
    ),
    "snake": Entry(
        lambda: Method(Snake("eps", eps=0.1), Rolling()),
        "draws of the optimum on one route, planned again at every result",
        "Folch et al. 2022, eps-Point Deletion with eps = 0.1 of the unit cube",
    ),
    "lookahead": Entry(
        lambda: Method(LookAhead(), Rolling()),
        "a route of up to twelve stops that pays on functions drawn from the belief, planned again at every result",
        "after Truong et al. 2026 (LookaHES), without its network; read in the abstract and public description",
    ),
    "gs": Entry(
        lambda: Method(DistanceUCB(beta=4.0, weight=1.0), OneByOne()),
        "UCB less the distance, in the user's units; often never moves",
        "Shi et al. 2023, as the paper ran it",
    ),
    "dist-ucb": Entry(
        lambda: Method(DistanceUCB(beta=4.0, weight=1.0, steps=3), OneByOne()),
        "UCB less the distance, looking three steps ahead",
        "after Liu, Wang and Wei 2023; read in the abstract only, so uncertain",
    ),
    "eipu": Entry(
        lambda: Method(EIPerCost(), OneByOne()),
        "expected improvement per unit of cost",
        "Lee et al. 2020, with the gap of Folch et al. 2022",
    ),
    "tr-ei": Entry(
        lambda: Method(Truncated(), OneByOne()),
        "expected improvement, no step longer than the shortest length-scale",
        "Samaniego et al. 2021, with the step of Folch et al. 2022",
    ),
    "mini": Entry(
        lambda: Method(Repeated(UCB(beta=4.0), shrink=1.1), Horizon()),
        "UCB, each place repeated while that teaches enough",
        "Calandriello et al. 2022",
    ),
    "lsr": Entry(
        lambda: Method(LimitedStep(radius=0.1), OneByOne()),
        "UCB, steps of at most a tenth of the unit cube",
        "after Paulson et al. 2023; our reading of it",
    ),
    "lambo": Entry(
        lambda: Method(LazyUCB(levels=4, beta=4.0), OneByOne()),
        "UCB that seldom goes far: how far it may go is drawn, half as far twice as often",
        "after Lin, Miano and Dyer 2021 (LaMBO); read in the abstract only, so uncertain",
    ),
    "random": Entry(lambda: floor(Uniform(), OneByOne()), "places at random, one at a time; the floor", ""),
    "random-route": Entry(lambda: floor(Uniform(), Horizon()), "places spread at random, all on one short route", ""),
    "lhs-route": Entry(
        lambda: floor(LatinHypercube(), Horizon()), "a Latin hypercube on one short route", "McKay et al. 1979"
    ),
    "base": Entry(
        lambda: bandit(BaSE(), Horizon()),
        "a table's places that may still be best, in runs, about log log T tours",
        "Gao et al. 2019, with a finer grid",
        "table",
    ),
    "base-minimax": Entry(
        lambda: bandit(BaSE(grid="minimax", gamma=0.5), Horizon()),
        "as base, on the published grid of log log T batches",
        "Gao et al. 2019",
        "table",
    ),
    "base-geometric": Entry(
        lambda: bandit(BaSE(grid="geometric", gamma=0.5), Horizon()),
        "as base, on the published grid of log T batches",
        "Gao et al. 2019",
        "table",
    ),
    "ucb1": Entry(
        lambda: bandit(UCB1(), OneByOne()),
        "the place of a table with the highest bound, one at a time; blind to movement",
        "Auer et al. 2002",
        "table",
    ),
    "ts-beta": Entry(
        lambda: bandit(ThompsonBeta(), OneByOne()),
        "Thompson sampling in a table, values from 0 to 1, one at a time; blind to movement",
        "Thompson 1933; Agrawal and Goyal 2013",
        "table",
    ),
    "ts-gauss": Entry(
        lambda: bandit(ThompsonGaussian(), OneByOne()),
        "Thompson sampling in a table, Gaussian noise, one at a time; blind to movement",
        "Agrawal and Goyal 2013",
        "table",
    ),
    "blin": Entry(
        lambda: bandit(BLiN(), Horizon()),
        "a box's cubes that may hold the best place, in runs, about log log T tours",
        "Feng et al. 2022, with smaller constants",
        "box",
    ),
    "mesh-ucb1": Entry(
        lambda: bandit(MeshUCB1(), OneByOne()),
        "UCB1 on an even mesh in a box, one place at a time; blind to movement",
        "Kleinberg 2004",
        "box",
    ),
    "zooming": Entry(
        lambda: bandit(Zooming(), OneByOne()),
        "arms in a box, added where none is near, one place at a time; blind to movement",
        "Kleinberg, Slivkins and Upfal 2008",
        "box",
    ),
}

EVERYWHERE = tuple(name for name, entry in CATALOGUE.items() if entry.spaces == "any")
"""The methods that take any space."""


def method_named(name: str) -> Method:
    """Return the method called ``name`` in the catalogue."""
    if name not in CATALOGUE:
        raise InvalidInput(f"method: none is called {name!r}; {checks.nearest(name, CATALOGUE, 'methods')}")
    return CATALOGUE[name].build()
