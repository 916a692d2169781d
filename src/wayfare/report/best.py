"""The best place of a study so far, by what is believed after all of its results."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from wayfare._core.format import in_words, mean_of
from wayfare._core.rng import one_thread, stream
from wayfare.errors import TooEarly
from wayfare.record.state import StudyState
from wayfare.surrogate import Posterior


@frozen
class Best:
    """The visited place of best posterior mean, beside the best single result.

    ``mean`` and ``sd`` describe the function itself at ``params``, the noise averaged out as far as the
    results allow; ``observed`` is one result, noise and all, and flatters a lucky draw. Of a run it is
    the mean of ``observed_count`` results.
    """

    trial: int
    params: Mapping[str, Any]
    mean: float
    sd: float
    observed_trial: int
    observed_params: Mapping[str, Any]
    observed: float
    observed_count: int = 1

    def __str__(self) -> str:
        """Say both in a line each."""
        here, lucky = in_words(self.params), in_words(self.observed_params)
        single, seen = "single ", ""
        if self.observed_count > 1:
            single, seen = "", f" ({mean_of(self.observed_count)})"
        return (
            f"best place (posterior mean ± sd): {self.mean:.6g} ± {self.sd:.2g} at {here}, "
            f"trial {self.trial}\n"
            f"best {single}result: {self.observed:.6g}{seen} at {lucky}, trial {self.observed_trial}"
        )


def best_of(state: StudyState) -> Best:
    """Return the best place of a study that has at least one result."""
    if not state.results:
        raise TooEarly("no trial has been told yet, so there is no best place; ask and tell first")
    spec, history = state.spec, state.history
    with one_thread():
        mean, sd = belief_of(state).marginals(history.x)
    at, seen = int(mean.argmax()), int(history.y.argmax())
    trial, lucky = state.trials[state.results[at]], state.trials[state.results[seen]]
    return Best(
        trial=trial.number,
        params=trial.params,
        mean=spec.sign * float(mean[at]),
        sd=float(sd[at]),
        observed_trial=lucky.number,
        observed_params=lucky.params,
        observed=spec.sign * float(history.y[seen]),
        observed_count=lucky.count,
    )


def belief_of(state: StudyState) -> Posterior:
    """Return the belief after all results so far; the same state gives the same belief."""
    spec, history = state.spec, state.history
    with one_thread():
        return spec.method.surrogate.fit(history, stream(spec.seed, "best", history.told))
