"""The classical bandits: one arm at a time, by an index or a draw. Blind to movement."""

import math

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare import door
from wayfare.arrays import Order, Points, Values
from wayfare.bandit.arms import Arms, table_of
from wayfare.bandit.noise import checked_noise, noise_of
from wayfare.errors import InvalidInput
from wayfare.situation import Situation
from wayfare.space import AnySpace


def ucb1_index(means: Values, counts: Order, t: int, c: float = 2.0, scale: float = 1.0) -> Values:
    """Return mean + scale sqrt(c log t / n); infinite where n is 0. Works for any shape."""
    width = scale * np.sqrt(c * math.log(max(1, t)) / np.maximum(counts, 1))
    return np.where(counts > 0, means + width, np.inf)


def beta_draw(successes: Values, counts: Order, a: float, b: float, rng: Generator) -> Values:
    """Return a draw from each Beta(a + successes, b + counts - successes)."""
    return rng.beta(a + successes, b + counts - successes)


def gaussian_draw(
    sums: Values, counts: Order, mean: float, spread: float, noise: float, rng: Generator
) -> Values:
    """Return a draw of each mean: prior N(mean, spread^2), results that add up to ``sums``, known noise."""
    precision = 1 / spread**2 + counts / noise**2
    centre = (mean / spread**2 + sums / noise**2) / precision
    return centre + rng.standard_normal(np.shape(centre)) / np.sqrt(precision)


@frozen
class UCB1:
    """The arm with the highest mean + scale sqrt(c log t / n) (Auer et al. 2002), each arm once before.

    ``scale`` is the range of the values: with 1 and c = 2 the bound is the published one. Results still out
    count in n and t.
    """

    c: float = 2.0
    scale: float = 1.0

    def __attrs_post_init__(self) -> None:
        door.not_negative(self.c, "UCB1: c")
        door.positive(self.scale, "UCB1: scale")

    def suits(self, space: AnySpace, direction: str, noise: float | None) -> None:
        """Refuse a study whose places cannot be arms."""
        table_of(space, "UCB1")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one arm."""
        arms = Arms.of(situation.space, situation.history, "UCB1")
        n = arms.pulled
        return arms.best(ucb1_index(arms.expected, n, int(n.sum()), self.c, self.scale))


@frozen
class ThompsonBeta:
    """The arm that is best in a draw of Beta beliefs, for values from ``low`` to ``high``.

    A value counts as the share of a success it is. Larger is better inside, so when minimising values from 0
    to 1, low is -1 and high is 0. Results still out are taken to come back at the mean.
    """

    a: float = 1.0
    b: float = 1.0
    low: float = 0.0
    high: float = 1.0

    def __attrs_post_init__(self) -> None:
        door.positive(self.a, "ThompsonBeta: a")
        door.positive(self.b, "ThompsonBeta: b")
        low, high = door.number(self.low, "ThompsonBeta: low"), door.number(self.high, "ThompsonBeta: high")
        if low >= high:
            raise InvalidInput(f"ThompsonBeta: low must be below high, got {low} and {high}")

    def suits(self, space: AnySpace, direction: str, noise: float | None) -> None:
        """Refuse a study whose places cannot be arms, or whose values cannot be shares."""
        table_of(space, "ThompsonBeta")
        if direction == "minimize" and self.low >= 0:
            raise InvalidInput(
                "ThompsonBeta: values to minimise are negative inside; for values from 0 to 1 set low = -1 "
                "and high = 0"
            )

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one arm."""
        self._check(situation.history.y)
        arms = Arms.of(situation.space, situation.history, "ThompsonBeta")
        # A sum of n values, rounded, may leave [0, n] by a hair.
        successes = np.clip((arms.sums - self.low * arms.counts) / (self.high - self.low), 0.0, arms.counts)
        successes = successes + arms.out * (self.a + successes) / (self.a + self.b + arms.counts)
        return arms.best(beta_draw(successes, arms.pulled, self.a, self.b, rng))

    def _check(self, y: Values) -> None:
        outside = (y < self.low) | (y > self.high)
        if outside.any():
            raise InvalidInput(
                f"ThompsonBeta takes values from {self.low:g} to {self.high:g}, got {y[outside][0]:g}; "
                "set low and high (minimised values are negative inside), or use ThompsonGaussian"
            )


@frozen
class ThompsonGaussian:
    """The arm that is best in a draw of Gaussian beliefs: prior N(mean, spread^2), known noise.

    With 0, 1 and a noise of 1 the draw has mean sum / (n + 1) and variance 1 / (n + 1) (Agrawal and Goyal
    2013). Without ``noise`` it is the study's, else that of the results. Results still out are taken to come
    back at the mean.
    """

    mean: float = 0.0
    spread: float = 1.0
    noise: float | None = None

    def __attrs_post_init__(self) -> None:
        door.number(self.mean, "ThompsonGaussian: mean")
        door.positive(self.spread, "ThompsonGaussian: spread")
        checked_noise(self.noise, "ThompsonGaussian")

    def suits(self, space: AnySpace, direction: str, noise: float | None) -> None:
        """Refuse a study whose places cannot be arms."""
        table_of(space, "ThompsonGaussian")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one arm."""
        arms = Arms.of(situation.space, situation.history, "ThompsonGaussian")
        noise = noise_of(self.noise, situation.history)
        weight = (noise / self.spread) ** 2
        centre = (weight * self.mean + arms.sums) / (weight + arms.counts)
        sums = arms.sums + arms.out * centre
        return arms.best(gaussian_draw(sums, arms.pulled, self.mean, self.spread, noise, rng))
