"""Successive elimination: no place is chosen that, in all likelihood, is not the best."""

import numpy as np
from attrs import evolve, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Mask, Points
from wayfare.policy.base import Batch, Policy, Situation
from wayfare.surrogate import Marginals, Posterior


@frozen
class Elimination:
    """``policy`` restricted to the places that may still be best (Algorithm 2 of the paper).

    A place survives if its upper confidence bound, mean + eta sd, reaches the highest lower bound of any
    place. By default the test is made anew with the current belief. ``nested`` is the paper's literal rule:
    a place must have survived at every earlier plan too. At one standard deviation the true optimum is often
    ruled out early, and then it never returns; if nothing survives, those stay that came closest.

    With ``eta`` of at least sqrt(beta), UCB's choices are unchanged: what is ruled out could not have won.
    """

    policy: Policy
    eta: float = 1.0
    nested: bool = False

    def __attrs_post_init__(self) -> None:
        checks.part(self.policy, "policy", "propose")
        checks.not_negative(self.eta, "eta")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Batch:
        """Return the policy's batch, chosen among the survivors."""
        earlier: list[Posterior] = []
        if self.nested:
            recall, history = situation.surrogate.recall, situation.history
            earlier = [recall(history.until(past.told), past.notes) for past in history.past if past.told]
        return self.policy.propose(evolve(situation, admits=Survival(self.eta, earlier)), size, rng)


class Survival:
    """The test, against the highest lower bound among all places it has been shown.

    The bar rises as the search shows it more places, so that a cloud of near places is not judged only
    against itself. Whoever holds the bar passes it, so of the first places shown at least one survives.
    """

    def __init__(self, eta: float, earlier: list[Posterior]) -> None:
        self._eta, self._earlier = eta, earlier
        self._bars = np.full(len(earlier) + 1, -np.inf)

    def __call__(self, x: Points, marginals: Marginals) -> Mask:
        """Return who survives."""
        margin = np.full(len(x), np.inf)
        believed = [marginals, *(posterior.marginals(x) for posterior in self._earlier)]
        for i, (mean, sd) in enumerate(believed):
            self._bars[i] = max(self._bars[i], float((mean - self._eta * sd).max(initial=-np.inf)))
            margin = np.minimum(margin, mean + self._eta * sd - self._bars[i])
        survives = margin >= 0
        if survives.any() or not self._earlier:
            return survives
        return np.asarray(margin == margin.max(initial=-np.inf))
