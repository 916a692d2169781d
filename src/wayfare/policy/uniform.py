"""Places drawn from the space alone, whatever was learned: the floor under every comparison."""

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core.arrays import Points
from wayfare.policy.base import Situation
from wayfare.space import Space


@frozen
class Uniform:
    """Places spread evenly at random."""

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return ``size`` scrambled Sobol places (a single one is uniform)."""
        return situation.space.sample(size, rng)


@frozen
class LatinHypercube:
    """Places of which no two share a slice of any axis (McKay et al. 1979).

    Places in a forbidden region are replaced as ``Uniform`` draws them.
    """

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return ``size`` places; in a table of places, as ``Uniform`` does."""
        space = situation.space
        if not isinstance(space, Space):
            return space.sample(size, rng)
        slices = rng.permuted(np.tile(np.arange(size), (space.d, 1)), axis=1).T
        x = space.whole.at((slices + rng.random((size, space.d))) / size)
        bad = ~space.contains(x)
        if bad.any():
            x[bad] = space.sample(int(bad.sum()), rng)
        return x
