"""Costs as they are paid: whatever a travel cost returns or raises, checked before it is used."""

import math

import numpy as np

from wayfare.arrays import Matrix, Points, Values
from wayfare.errors import InvalidInput
from wayfare.travel.base import TravelCost


class MissingCost(InvalidInput):
    """A cost that is known by name only."""


class BadCost(InvalidInput):
    """A cost that cannot be paid, between two places."""

    def __init__(self, cost: object, origin: Values, target: Values, amount: float) -> None:
        super().__init__(
            f"{named(cost)} asks {amount:g} from {origin.tolist()} to {target.tolist()}; "
            "a cost must be finite and not negative"
        )
        self.origin, self.target, self.amount = origin, target, amount


def priced(cost: TravelCost, origins: Points, targets: Points) -> Matrix:
    """Return the (n, m) costs, finite and not negative, or refuse them saying what the cost did."""
    try:
        matrix = cost(origins, targets)
    except InvalidInput:
        raise
    except Exception as error:  # the user's own code may raise anything
        raise raised(cost, error) from error
    return payable(cost, shaped(cost, matrix, origins, targets), origins, targets)


def shaped(cost: object, matrix: object, origins: Points, targets: Points) -> Matrix:
    """Return ``matrix`` as (n, m) floats, or refuse it."""
    shape = len(origins), len(targets)
    try:
        costs: Matrix = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{named(cost)} returned {matrix!r}; it must return numbers") from error
    if costs.shape != shape:
        raise InvalidInput(
            f"{named(cost)} returned shape {costs.shape}, not {shape}: a row per origin, a column per target"
        )
    return costs


def payable(cost: object, costs: Matrix, origins: Points, targets: Points) -> Matrix:
    """Return ``costs`` if they are all finite and not negative."""
    # nan fails both comparisons, and two passes are cheaper than a mask.
    if costs.size and not (costs.min() >= 0 and costs.max() < math.inf):
        row, column = np.argwhere(~((costs >= 0) & (costs < math.inf)))[0]
        raise BadCost(cost, origins[row], targets[column], float(costs[row, column]))
    return costs


def raised(cost: object, error: Exception) -> InvalidInput:
    """Return the refusal of a cost that raised ``error``."""
    return InvalidInput(f"{named(cost)} raised {type(error).__name__}: {error}")


def named(cost: object) -> str:
    """Return what to call a cost in a message: its class, or the function it wraps."""
    function = getattr(cost, "function", cost)
    return f"the travel cost {getattr(function, '__name__', type(function).__name__)}"
