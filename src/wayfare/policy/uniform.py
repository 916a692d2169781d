"""Places chosen blindly."""

from attrs import frozen
from numpy.random import Generator

from wayfare.arrays import Points
from wayfare.situation import Situation


@frozen
class Uniform:
    """Places spread evenly at random, whatever was learned: the floor under every comparison."""

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return ``size`` scrambled Sobol places (a single one is uniform)."""
        return situation.space.sample(size, rng)
