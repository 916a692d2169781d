"""The promise a policy makes."""

from typing import Protocol

from numpy.random import Generator

from wayfare.arrays import Points
from wayfare.situation import Situation


class Policy(Protocol):
    """Chooses a batch of places. Keeps no state: all it may know is in the situation."""

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return between 1 and ``size`` places of the space, in no order; repeats are allowed."""
        ...
