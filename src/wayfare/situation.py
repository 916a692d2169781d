"""All a policy may look at when it chooses a batch."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from attrs import define

from wayfare.arrays import Mask, Points
from wayfare.history import History
from wayfare.space import AnySpace
from wayfare.surrogate import Marginals, Posterior, Surrogate
from wayfare.travel import TravelCost

Admits = Callable[[Points, Marginals], Mask]
"""Which of these places, believed to be so, may be chosen at all."""


def admit_all(x: Points, marginals: Marginals) -> Mask:
    """Admit every place."""
    return np.ones(len(x), dtype=np.bool_)


@define(eq=False, on_setattr=None)
class Situation:
    """The space, the cost of moving in it, what is known, what is believed, and what is ruled out.

    ``posterior`` knows results only. ``expected`` has the pending places hallucinated on top: choose by it,
    but rule out by ``posterior``, for a bound sharpened by results nobody has seen is no bound.
    """

    space: AnySpace
    travel: TravelCost
    history: History
    surrogate: Surrogate
    posterior: Posterior
    admits: Admits = admit_all

    @cached_property
    def expected(self) -> Posterior:
        """The belief with the pending places hallucinated."""
        return self.posterior.condition(self.history.pending)
