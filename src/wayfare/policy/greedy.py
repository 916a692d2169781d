"""Policies that fill a batch greedily: each place is hallucinated before the next one is chosen."""

from attrs import evolve, field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Points
from wayfare.policy.acquisition import best_visited, log_ei, pick_greedily, ucb_score
from wayfare.policy.base import Situation, valid
from wayfare.surrogate.history import History


@frozen
class UCB:
    """Batched UCB: the mean frozen at the batch's start, the standard deviation shrinking as places are chosen.

    GP-BUCB (Desautels, Krause and Burdick 2014) without the inflation of ``beta`` that its proof asks for, as in the
    paper's experiments; ``beta = 4`` is two standard deviations.
    """

    beta: float = field(default=4.0, validator=valid(checks.not_negative))

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the ``size`` places of highest upper confidence bound."""
        return pick_greedily(situation, ucb_score(self.beta), size, rng)


@frozen
class LogEI:
    """Batched expected improvement over the best posterior mean at a visited place.

    Chosen and pending places are taken to come out at their mean, and the next ones must improve upon that too (the
    Kriging believer of Ginsbourger, Le Riche and Carraro 2010).
    """

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the ``size`` places of highest expected improvement."""
        best = best_so_far(situation)

        def raise_best(mean: float) -> None:
            nonlocal best
            best = max(best, mean)

        return pick_greedily(situation, lambda x, at: log_ei(at.mean, at.sd, best), size, rng, raise_best)


def best_so_far(situation: Situation) -> float:
    """Return the value to improve upon: the best posterior mean at a visited or pending place."""
    pending = situation.history.pending
    # Before any result there is nothing to improve upon, and EI ranks by standard deviation: any constant serves.
    best = float(best_visited(situation)[1].max()) if situation.history.told else 0.0
    return max(best, float(situation.posterior.marginals(pending).mean.max())) if len(pending) else best


@frozen
class PureExploration:
    """Batched pure exploration: always the place of largest standard deviation (Li and Scarlett 2022).

    With ``fresh`` it is conditioned on this batch's own places only, as their proof requires; without it, on all
    results, which wastes none of them: a heuristic, and the better one in practice.
    """

    fresh: bool = False

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the ``size`` places of largest standard deviation."""
        return pick_greedily(_forgetful(situation) if self.fresh else situation, lambda x, at: at.sd, size, rng)


def _forgetful(situation: Situation) -> Situation:
    """Return the situation with the belief's hyperparameters but none of its results or pending places."""
    known, judge, admits = situation.history, situation.posterior, situation.admits
    nothing = History.empty(situation.space, known.position, known.noise)
    nothing = evolve(nothing, failed=known.failed, skipped=known.skipped)
    blank = situation.surrogate.recall(nothing, judge.notes)
    # Places are still ruled out by the results.
    return evolve(situation, history=nothing, posterior=blank, admits=lambda x, _: admits(x, judge.marginals(x)))
