"""Successive elimination: choose only among the places that, with high probability, may still be the best."""

from collections.abc import Sequence

import numpy as np
from attrs import evolve, field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Mask, Matrix, Points, Values
from wayfare.policy.base import Batch, Policy, Situation, as_its_policy, valid
from wayfare.surrogate import Marginals, Posterior


@frozen
class Elimination:
    """``policy`` restricted to the places that may still be best (Algorithm 2 of the paper).

    A place survives if its upper confidence bound, mean + eta sd, reaches the highest lower bound of any place. With
    ``eta`` of at least sqrt(beta), UCB's choices are unchanged: a place that is ruled out could not have won.

    Attributes:
        policy: chooses among the survivors.
        eta: width of the bounds, in standard deviations.
        nested: the paper's literal rule: a place must have survived at every earlier plan too. At one standard
            deviation the true optimum is often ruled out early, and then it never returns; if no place survives,
            those that came closest do. By default only the current belief counts.
    """

    policy: Policy = field(validator=valid(checks.part, "propose"))
    eta: float = field(default=1.0, validator=valid(checks.not_negative))
    nested: bool = False
    needs_whole_space = as_its_policy

    def propose(self, situation: Situation, size: int, rng: Generator) -> Batch:
        """Return the policy's batch, chosen among the survivors."""
        earlier: list[Posterior] = []
        if self.nested:
            recall, history = situation.surrogate.recall, situation.history
            believed = [past for past in history.past if past.told and not past.is_opening]
            earlier = [recall(history.until(past.told), past.notes) for past in believed]
        return self.policy.propose(evolve(situation, admits=Survival(self.eta, earlier)), size, rng)


@frozen(eq=False)
class Survival:
    """The rule that admits the survivors, by the current belief and ``earlier`` ones.

    ``bars`` are, for each belief, the current one first, the highest lower bounds among the places seen before.
    """

    eta: float
    earlier: Sequence[Posterior] = ()
    bars: Values = field()

    @bars.default
    def _no_bars(self) -> Values:
        return np.full(len(self.earlier) + 1, -np.inf)

    def __call__(self, x: Points, marginals: Marginals) -> Mask:
        """Return which places survive, compared with each other and with those seen before.

        The place with the highest lower bound passes it, so of the first places shown at least one survives.
        """
        lower, upper = self._bounds(x, marginals)
        margin: Values = (upper - self._raised(lower)[:, None]).min(axis=0)
        survives = margin >= 0
        return survives if survives.any() or not self.earlier else margin == margin.max(initial=-np.inf)

    def after(self, x: Points, marginals: Marginals) -> "Survival":
        """Return the rule with the bars raised to the lower bounds of these places."""
        return evolve(self, bars=self._raised(self._bounds(x, marginals)[0]))

    def _bounds(self, x: Points, marginals: Marginals) -> tuple[Matrix, Matrix]:
        """Return the lower and upper bounds at each place (column), for each belief (row)."""
        beliefs = [marginals, *(posterior.marginals(x) for posterior in self.earlier)]
        lower, upper = zip(*((mean - self.eta * sd, mean + self.eta * sd) for mean, sd in beliefs), strict=True)
        return np.array(lower), np.array(upper)

    def _raised(self, lower: Matrix) -> Values:
        return np.asarray(np.maximum(self.bars, lower.max(axis=1, initial=-np.inf)))
