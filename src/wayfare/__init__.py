"""Optimize by experiment when moving between experiments costs something.

The parts, in the order data flows:

``Space`` (of ``Real``, ``Integer``, ``Choice`` axes) or ``Places``
    where the traveller may go;
``Euclidean``, ``Manhattan``, ``Chebyshev``, ``Ramp``, ``Settling``, ``Switch``, ``Fee``,
``Haversine``, ``Raster``, ``Network``, ``Table``, ``Custom``, ``Scaled``,
joined by ``parallel``, ``serial`` and ``+``
    what moving costs;
``GP``, ``Tally``
    what is believed of the function;
``UCB``, ``Thompson``, ``LogEI``, ``PureExploration``, ``Elimination``; ``Snake``, ``DistanceUCB``,
``EIPerCost``, ``OnTheWay``, ``Truncated``, ``LimitedStep``, ``Repeated``; ``Uniform``, ``LatinHypercube``
    which places to visit next, as a batch;
``BaSE``, ``UCB1``, ``ThompsonBeta``, ``ThompsonGaussian``; ``BLiN``, ``MeshUCB1``, ``Zooming``
    the same for bandits: the arms of a table; a box of which only a Lipschitz constant is known;
``OneByOne``, ``Fixed``, ``Growing``, ``LogLog``, ``Rolling``, ``Horizon``
    how far ahead to plan, and when anew;
``JustStart``, ``NoOpening``, ``Survey``
    where to look first;
``ShortRoute``, ``AsGiven``
    in which order to visit them;
``Method``, ``CATALOGUE``
    these choices together, and those that have a name;
``Study``
    ask for the next stop, tell what was found;
``maximize``, ``minimize``, ``order``
    the whole loop, or a route alone, in one call;
``dimension``
    how fast movement can fall under a cost.
"""

from wayfare._version import __version__ as __version__
from wayfare.analysis.dimension import Dimension, dimension
from wayfare.errors import (
    AlreadyTold,
    BudgetSpent,
    Conflict,
    DriftWarning,
    GuaranteeWarning,
    InvalidInput,
    ModelError,
    StoreError,
    TooEarly,
    UnknownStudy,
    UnknownTrial,
    WayfareError,
)
from wayfare.optimize import maximize, minimize, order
from wayfare.planning.catalogue import CATALOGUE
from wayfare.planning.opening import JustStart, NoOpening, Survey
from wayfare.planning.plan import Method
from wayfare.policy import (
    UCB,
    DistanceUCB,
    EIPerCost,
    Elimination,
    LatinHypercube,
    LimitedStep,
    LogEI,
    OnTheWay,
    PureExploration,
    Repeated,
    Snake,
    Thompson,
    Truncated,
    Uniform,
)
from wayfare.policy.bandit import UCB1, BaSE, BLiN, MeshUCB1, ThompsonBeta, ThompsonGaussian, Zooming
from wayfare.policy.schedule import Fixed, Growing, Horizon, LogLog, OneByOne, Rolling
from wayfare.record.events import Trial
from wayfare.report.best import Best
from wayfare.report.ledger import Account, Ledger
from wayfare.route import AsGiven, Route, ShortRoute
from wayfare.space import Choice, Integer, Places, Real, Space
from wayfare.store import MemoryStore
from wayfare.study.study import Study
from wayfare.surrogate import GP, Tally
from wayfare.travel import (
    Chebyshev,
    Custom,
    Euclidean,
    Fee,
    Haversine,
    Manhattan,
    Network,
    Ramp,
    Raster,
    Scaled,
    Settling,
    Switch,
    Table,
    parallel,
    serial,
)

__all__ = [
    "CATALOGUE",
    "GP",
    "UCB",
    "UCB1",
    "Account",
    "AlreadyTold",
    "AsGiven",
    "BLiN",
    "BaSE",
    "Best",
    "BudgetSpent",
    "Chebyshev",
    "Choice",
    "Conflict",
    "Custom",
    "Dimension",
    "DistanceUCB",
    "DriftWarning",
    "EIPerCost",
    "Elimination",
    "Euclidean",
    "Fee",
    "Fixed",
    "Growing",
    "GuaranteeWarning",
    "Haversine",
    "Horizon",
    "Integer",
    "InvalidInput",
    "JustStart",
    "LatinHypercube",
    "Ledger",
    "LimitedStep",
    "LogEI",
    "LogLog",
    "Manhattan",
    "MemoryStore",
    "MeshUCB1",
    "Method",
    "ModelError",
    "Network",
    "NoOpening",
    "OnTheWay",
    "OneByOne",
    "Places",
    "PureExploration",
    "Ramp",
    "Raster",
    "Real",
    "Repeated",
    "Rolling",
    "Route",
    "Scaled",
    "Settling",
    "ShortRoute",
    "Snake",
    "Space",
    "StoreError",
    "Study",
    "Survey",
    "Switch",
    "Table",
    "Tally",
    "Thompson",
    "ThompsonBeta",
    "ThompsonGaussian",
    "TooEarly",
    "Trial",
    "Truncated",
    "Uniform",
    "UnknownStudy",
    "UnknownTrial",
    "WayfareError",
    "Zooming",
    "dimension",
    "maximize",
    "minimize",
    "order",
    "parallel",
    "serial",
]
