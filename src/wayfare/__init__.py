"""Optimize by experiment when moving between experiments costs something.

The parts, in the order data flows:

``Space`` (of ``Real``, ``Integer``, ``Choice`` axes) or ``Places``
    where the traveller may go;
``Euclidean``, ``Manhattan``, ``Chebyshev``, ``Ramp``, ``Settling``, ``Switch``, ``Fee``, ``Haversine``, ``Raster``,
``Network``, ``Table``, ``Custom``, ``Scaled``, joined by ``parallel``, ``serial`` and ``+``
    the cost of moving;
``GP``, ``Tally``
    what is believed of the function;
``UCB``, ``Thompson``, ``LogEI``, ``PureExploration``, ``BPE``, ``Elimination``; ``Snake``, ``DistanceUCB``,
``EIPerCost``, ``OnTheWay``, ``EIOnTheWay``, ``ExploreFirst``, ``LookAhead``, ``Truncated``, ``LimitedStep``,
``LazyUCB``, ``Repeated``;
``Uniform``, ``LatinHypercube``
    which places to visit next, as a batch;
``BaSE``, ``UCB1``, ``ThompsonBeta``, ``ThompsonGaussian``; ``BLiN``, ``MeshUCB1``, ``Zooming``
    the same for bandits: the arms of a table; a box of which only a Lipschitz constant is known;
``OneByOne``, ``Fixed``, ``Growing``, ``LogLog``, ``Rolling``, ``Horizon``
    how far ahead to plan, and when to plan again;
``JustStart``, ``NoOpening``, ``ShowValues``, ``Survey``
    where to look first;
``ShortRoute``, ``AsGiven``
    in which order to visit a batch;
``Method``, ``CATALOGUE``
    these choices together, and those that have a name;
``Measured``
    what is measured beside the value, and the limit it must keep;
``Study``
    ask for the next stop, tell what was found;
``maximize``, ``minimize``, ``order``
    the whole loop, or a route alone, in one call;
``dimension``
    how fast movement can fall under a cost.

Names are imported when they are first used (PEP 562), so that ``import wayfare`` is quick. ``__init__.pyi`` tells type
checkers where they are.
"""

import logging
from importlib import import_module

from wayfare._version import __version__ as __version__

_EXPORTS = {
    "analysis.dimension": "Dimension dimension",
    "errors": (
        "AlreadyTold BudgetSpent Conflict DriftWarning ExperimentalWarning GuaranteeWarning InvalidInput ModelError "
        "StoreError TooEarly UnknownStudy UnknownTrial WayfareError"
    ),
    "optimize": "maximize minimize order",
    "planning.catalogue": "CATALOGUE",
    "planning.method": "Method",
    "planning.opening": "Beginning JustStart NoOpening Opening ShowValues Survey",
    "policy": (
        "BPE DistanceUCB EIOnTheWay EIPerCost Elimination ExploreFirst LatinHypercube LazyUCB LimitedStep LogEI "
        "LookAhead OnTheWay Policy PureExploration Repeated Snake Thompson Truncated UCB Uniform"
    ),
    "policy.bandit": "BLiN BaSE MeshUCB1 ThompsonBeta ThompsonGaussian UCB1 Zooming",
    "policy.base": "Situation",
    "policy.schedule": "Fixed Growing Horizon LogLog OneByOne Rolling Schedule",
    "record.events": "StudySpec Trial TrialState",
    "record.state": "StudyState",
    "report.best": "Best",
    "report.changes": "Changes",
    "report.drift": "Drift",
    "report.ledger": "Account Ledger",
    "report.predict": "Prediction",
    "report.importance": "AxisImportance Importance",
    "report.progress": "Progress",
    "report.reasons": "Alternative Reasons",
    "report.route_ahead": "Detour NewRoute RouteAhead Stop",
    "route": "AsGiven Route RoutePlanner ShortRoute",
    "space": "AnySpace Choice Integer Linear Only Places Product Real Space",
    "store": "MemoryStore PostgresStore SqliteStore Store",
    "study.study": "Snapshot Study",
    "surrogate": "GP Measured Posterior Surrogate Tally",
    "surrogate.history": "History",
    "travel": (
        "Chebyshev Custom Euclidean Fee Haversine Manhattan Network Ramp Raster Scaled Settling Switch Table "
        "TravelCost parallel serial"
    ),
    "travel.learned": "LearnedCost",
}
"""The public names, by the module that has them."""
_HOMES = {name: module for module, names in _EXPORTS.items() for name in names.split()}

__all__ = sorted(_HOMES)

logging.getLogger("wayfare").addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'wayfare' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"wayfare.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
