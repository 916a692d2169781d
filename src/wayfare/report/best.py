"""The best place of a study so far, by what is believed after all of its results."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve, frozen

from wayfare._core import html
from wayfare._core.format import estimate, in_words, mean_of, rough, shown
from wayfare._core.rng import one_thread, stream
from wayfare.errors import TooEarly
from wayfare.record.state import StudyState
from wayfare.report.costs import once_per_state
from wayfare.surrogate.visit import VisitPosterior, Visits

PROBABLY = 0.5
"""The least probability that the limits hold at a place that is shown as the best."""


@frozen
class Best:
    """The visited place of best posterior mean, beside the best single result.

    ``mean`` and ``sd`` describe the function itself at ``params``, the noise averaged out as far as the
    results allow; ``observed`` is one result, noise and all, and flatters a lucky draw. Of a run it is
    the mean of ``observed_count`` results.

    With limits on what is measured, both are the best that keep them: the place probably, with the probability
    ``compliance``, the result by what was measured with it. If no place probably does, the best whose results do is
    shown, else the likeliest; if no result does, the best of those that break the fewest.

    Both are at places that may still be visited, if any of the results is; ``remark`` says so if a change of the study
    has ruled out a better one, or all.

    ``title`` and ``observed_title`` name the trials: "trial 14", or "old result k3" if it was known before the study.
    """

    trial: int
    params: Mapping[str, Any]
    mean: float
    sd: float
    observed_trial: int
    observed_params: Mapping[str, Any]
    observed: float
    observed_count: int = 1
    compliance: float | None = None
    title: str = ""
    observed_title: str = ""
    remark: str = ""

    def __str__(self) -> str:
        """Say both in a line each."""
        here, lucky = in_words(self.params), in_words(self.observed_params)
        single, seen = "single ", ""
        if self.observed_count > 1:
            single, seen = "", f" ({mean_of(self.observed_count)})"
        keeps = "" if self.compliance is None else f", keeps its limits with a probability of {self.compliance:.0%}"
        return (
            f"best place (posterior mean ± sd): {estimate(self.mean, self.sd)} ± {rough(self.sd, 2)} at {here}, "
            f"{self.title or f'trial {self.trial}'}{keeps}\n"
            f"best {single}result: {self.observed:.6g}{seen} at {lucky}, "
            f"{self.observed_title or f'trial {self.observed_trial}'}" + (f"\n{self.remark}" if self.remark else "")
        )

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        entries = (line.split(": ", 1) for line in str(evolve(self, remark="")).splitlines())
        return html.card("best so far", {**dict(entries), "note": self.remark})


@once_per_state
def best_of(state: StudyState) -> Best:
    """Return the best place of a study that has at least one result."""
    if not state.results:
        raise TooEarly("no trial has been told yet, so there is no best place; ask and tell first")
    spec, history = state.spec, state.history
    with one_thread():
        belief = belief_of(state)
        mean, sd = belief.value.marginals(history.x)
        compliance = belief.compliance(history.x)
    # A place that may break a limit is worth less by the chance that it does; one that probably does is not shown.
    worth = compliance * (mean - belief.poor)
    allowed = history.allowed if history.allowed.any() else np.ones_like(history.allowed)
    good = [allowed & (compliance >= PROBABLY), allowed & (history.broken == 0)]
    among = next((some for some in good if some.any()), allowed & (compliance == compliance[allowed].max()))
    at = int(np.where(among, worth, -np.inf).argmax())
    seen = int(history.ranked[0])
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
        compliance=float(compliance[at]) if history.limits else None,
        title=trial.title,
        observed_title=lucky.title,
        remark=_remark(state, seen),
    )


def _remark(state: StudyState, seen: int) -> str:
    """Return that a change has ruled out a better result than that at ``seen``, or the places of all; else nothing."""
    history = state.history
    if not history.allowed.any():
        return "no place with a result is in the space any more, since it was changed"
    out = np.flatnonzero(~history.allowed & (history.y > history.y[seen]) & (history.broken <= history.broken[seen]))
    if not len(out):
        return ""
    trial = state.trials[state.results[int(out[history.y[out].argmax()])]]
    place = in_words(trial.params)
    return f"{trial.title} had {shown(trial.value)} at {place}, which is not in the space any more since it was changed"


@once_per_state
def belief_of(state: StudyState) -> VisitPosterior:
    """Return the belief after all results so far; the same state gives the same belief."""
    spec, history = state.spec, state.history
    with one_thread():
        return Visits(spec.method.surrogate).fit(history, stream(spec.seed, "best", history.told))
