"""The promise a policy makes."""

from collections.abc import Callable
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from attrs import define, field, frozen
from numpy.random import Generator

from wayfare._core.arrays import Mask, Order, Points, read_only, whole
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace
from wayfare.surrogate import Marginals, Posterior, Surrogate
from wayfare.surrogate.history import History
from wayfare.travel import TravelCost

# All a policy may look at when it chooses a batch.


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


@frozen(eq=False)
class Runs:
    """Places, each once, and how many results to take there in a row."""

    places: Points = field(converter=read_only)
    counts: Order = field(converter=whole)

    @classmethod
    def of(cls, batch: "Batch") -> "Runs":
        """Return a batch as runs; one result at every row of a table."""
        if isinstance(batch, Runs):
            return batch
        return cls(batch, np.ones(len(batch), dtype=np.intp))


Batch: TypeAlias = Points | Runs
"""A batch of places, in no order: a table of them, where repeats are allowed, or runs."""


class Policy(Protocol):
    """Chooses a batch of places. Keeps no state: all it may know is in the situation.

    One that cannot serve every study may also have ``suits(space, direction, noise)``, which refuses those.
    """

    def propose(self, situation: Situation, size: int, rng: Generator) -> Batch:
        """Return places of the space for between 1 and ``size`` results in all, in no order."""
        ...


# A batch held against the promise of ``Policy``, whoever wrote the policy.


def checked(policy: Policy, batch: Batch, space: AnySpace, size: int) -> Runs:
    """Return the batch unless it breaks the promise of ``Policy``, whoever wrote the policy."""
    who = f"policy {type(policy).__name__}"
    if not isinstance(batch, Runs):
        in_space(who, batch, space)
    runs = Runs.of(batch)
    in_space(who, runs.places, space)
    if runs.counts.shape != (len(runs.places),) or (runs.counts < 1).any():
        raise InvalidInput(f"{who} must return a count of at least 1 for each place, got {runs.counts}")
    if not 1 <= (results := int(runs.counts.sum())) <= size:
        raise InvalidInput(f"{who} was asked for 1 to {size} places and returned {results}")
    return runs


def in_space(who: str, batch: Points, space: AnySpace) -> Points:
    """Return the batch unless it is no table of places of the space."""
    if not isinstance(batch, np.ndarray) or batch.ndim != 2 or batch.shape[1] != space.d:
        raise InvalidInput(f"{who} must return an array of shape (n, {space.d}), got {batch!r}")
    allowed = space.contains(batch)
    if not allowed.all():
        outside = batch[int(np.argmin(allowed))].tolist()
        raise InvalidInput(f"{who} returned {outside}, which is not in the space")
    return batch
