"""Methods as others run them, where that differs from our catalogue: what is the difference worth?

Run in this folder, ``page.py`` shows them beside ours:
``wayfare bench run paper --methods variants:mini_raw,variants:snake_resampling,variants:tucb_authors``.
"""

import math

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core.arrays import Points
from wayfare.planning.method import Method
from wayfare.policy import UCB, Elimination, Policy, Runs, Snake
from wayfare.policy.base import Situation
from wayfare.policy.schedule import Growing, Horizon, Rolling


@frozen
class RawRepeated:
    """MINI's repeats as in the authors' code: ``ceil((C^2 - 1) / s^2)``, whatever the noise."""

    policy: Policy
    shrink: float = 1.1

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place, up to ``size`` times."""
        place = Runs.of(self.policy.propose(situation, 1, rng)).places[:1]
        variance = float(situation.expected.marginals(place).sd[0]) ** 2
        times = math.ceil(min((self.shrink**2 - 1) / max(variance, 1e-12), size))
        return np.repeat(place, min(times, size), axis=0)


mini_raw = Method(RawRepeated(UCB()), Horizon())
snake_resampling = Method(Snake("none"), Rolling())
tucb_authors = Method(Elimination(UCB(), nested=True), Growing(1.1, rounding="ceil"))

SIBLINGS = {"variants:mini_raw": "mini", "variants:snake_resampling": "snake", "variants:tucb_authors": "tucb"}
