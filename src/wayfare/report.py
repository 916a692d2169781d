"""What a study has to say: its best place, the route ahead, and what the movement cost."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import frozen

from wayfare.arrays import Points, Values
from wayfare.errors import InvalidInput
from wayfare.records import StudyState
from wayfare.rng import stream
from wayfare.surrogate import Posterior
from wayfare.threads import one_thread
from wayfare.travel import priced


@frozen
class Best:
    """The visited place of best posterior mean, beside the best single result.

    ``mean`` and ``sd`` describe the function itself at ``params``, the noise averaged out as far as the
    results allow; ``observed`` is one result, noise and all, and flatters whoever was lucky.
    """

    trial: int
    params: Mapping[str, Any]
    mean: float
    sd: float
    observed_trial: int
    observed_params: Mapping[str, Any]
    observed: float

    def __str__(self) -> str:
        """Say both in a line each."""
        here, lucky = in_words(self.params), in_words(self.observed_params)
        return (
            f"best place (posterior mean ± sd): {self.mean:.6g} ± {self.sd:.2g} at {here}, "
            f"trial {self.trial}\n"
            f"best single result: {self.observed:.6g} at {lucky}, trial {self.observed_trial}"
        )


@frozen
class Stop:
    """A stop ahead: where, what reaching it costs from the stop before, and in total from here."""

    params: Mapping[str, Any]
    leg: float
    total: float
    unit: str


@frozen
class RouteAhead:
    """The stops planned ahead, in visiting order."""

    stops: tuple[Stop, ...]
    unit: str

    @property
    def cost(self) -> float:
        """What walking all of it costs."""
        return self.stops[-1].total if self.stops else 0.0

    def __len__(self) -> int:
        """How many stops are ahead."""
        return len(self.stops)

    def __str__(self) -> str:
        """Say it stop by stop."""
        unit = self.unit
        lines = [
            f"{at}. {in_words(stop.params)}: leg {stop.leg:.6g} {unit}, total {stop.total:.6g} {unit}"
            for at, stop in enumerate(self.stops, 1)
        ]
        return "\n".join(line.rstrip() for line in lines) or "no stops ahead: the next ask() plans anew"


@frozen
class Ledger:
    """What the movement cost, all in ``unit``.

    ``paid`` is what the visits handed out so far cost in the order they were made; ``predicted``, what the
    plans said they would; ``unordered``, what they would have cost in the order the policy chose them, each
    batch begun where the one before would then have ended.
    """

    paid: float
    predicted: float
    unordered: float
    unit: str
    visits: int
    plans: int

    @property
    def saved(self) -> float:
        """What ordering saved."""
        return self.unordered - self.paid

    def __str__(self) -> str:
        """Say it in a line."""
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"{self.visits} visits on {self.plans} routes: paid {self.paid:.6g}{unit}, "
            f"predicted {self.predicted:.6g}{unit}, unordered {self.unordered:.6g}{unit}, "
            f"saved {self.saved:.6g}{unit}"
        )


def in_words(params: Mapping[str, Any]) -> str:
    """Return a place as text: ``temp_C=72.5, catalyst=Pd``."""
    shown = ((name, f"{value:.6g}" if isinstance(value, float) else value) for name, value in params.items())
    return ", ".join(f"{name}={value}" for name, value in shown)


def best_of(state: StudyState) -> Best:
    """Return the best place of a study that has at least one result."""
    if not state.results:
        raise InvalidInput("best: no trial has been told yet; ask() and tell() first")
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
    )


def belief_of(state: StudyState) -> Posterior:
    """Return what is believed after all results so far; the same state gives the same belief."""
    spec, history = state.spec, state.history
    with one_thread():
        return spec.method.surrogate.fit(history, stream(spec.seed, "best", history.told))


def route_ahead_of(state: StudyState) -> RouteAhead:
    """Return the stops planned ahead, priced from where the traveller stands."""
    spec, x = state.spec, state.stops_ahead
    if state.position is None:
        legs = np.concatenate([np.zeros(min(1, len(x))), walked(state, x)])
    else:
        legs = walked(state, np.vstack([state.position, x]))
    totals = np.cumsum(legs)
    return RouteAhead(
        tuple(
            Stop(spec.space.params(place), float(leg), float(total), spec.unit)
            for place, leg, total in zip(x, legs, totals, strict=True)
        ),
        spec.unit,
    )


def ledger_of(state: StudyState) -> Ledger:
    """Return what the movement of a study cost."""
    predicted = unordered = 0.0
    here, begun = state.spec.start, 0
    for number, plan in enumerate(state.plans):
        visits = [trial.x for trial in state.trials[begun:] if trial.plan == number]
        done = len(visits)
        predicted += float(plan.legs[:done].sum())
        as_chosen = plan.stops[:done][np.argsort(plan.picked[:done], kind="stable")]
        walk = as_chosen if here is None else np.vstack([here, as_chosen])
        unordered += float(walked(state, walk).sum())
        here = as_chosen[-1] if done else here
        begun += done
    paid = float(sum(trial.leg for trial in state.trials))
    return Ledger(paid, predicted, unordered, state.spec.unit, len(state.trials), len(state.plans))


def walked(state: StudyState, x: Points) -> Values:
    """Return the legs between consecutive rows."""
    if len(x) < 2:
        return np.zeros(0)
    return np.array([priced(state.spec.travel, a[None, :], b[None, :])[0, 0] for a, b in pairwise(x)])
