"""The promise a policy makes."""

from typing import Protocol, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare.arrays import Order, Points, read_only, whole
from wayfare.situation import Situation


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
