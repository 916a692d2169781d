"""Why a stop was chosen: what was believed of it then, what it would teach, what it costs, and what else there was."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from wayfare._core import html, lazy_scipy
from wayfare._core.arrays import Points, Values
from wayfare._core.format import changes, in_words, rough, roughly, with_unit
from wayfare._core.rng import one_thread, stream
from wayfare.policy.acquisition import apart, first_look
from wayfare.policy.base import Situation
from wayfare.record.events import Event, Inserted, Planned, Trial
from wayfare.record.state import StudyState, replay
from wayfare.report.best import belief_of, best_of
from wayfare.report.costs import leg_cost
from wayfare.surrogate.history import ADDED

OTHERS = 3
"""Alternatives that are shown."""
APART = 0.1
"""In the unit cube: an alternative is at least as far from the stops of the route and from the other alternatives."""
SAMPLE = 256
"""Places at which it is judged what a result would teach."""


@frozen
class Alternative:
    """Another place worth a visit: where, what was believed of it, and the leg there from the same place."""

    params: Mapping[str, Any]
    mean: float
    sd: float
    leg: float


@frozen
class Reasons:
    """Why a stop was chosen, by what was known when its route was planned.

    Attributes:
        title: of the trial.
        params: where it is.
        before: where the traveller stood; None if that is unknown.
        kind: how it came into the route, in a sentence.
        leg: what going there costs, in ``unit``.
        unit: unit of the travel cost.
        mean: what was expected there; None before the first result.
        sd: how unsure that was.
        beats: how probably it is better than the best place known then.
        teaches: by which share a result there makes the belief surer, over the whole space.
        others: the next best places that the route does not visit.
    """

    title: str
    params: Mapping[str, Any]
    before: Mapping[str, Any] | None
    kind: str
    leg: float
    unit: str
    mean: float | None = None
    sd: float | None = None
    beats: float | None = None
    teaches: float | None = None
    others: tuple[Alternative, ...] = ()

    @property
    def entries(self) -> list[tuple[str, str]]:
        """All of it as names with a sentence each."""
        leg = f"{with_unit(self.leg, self.unit)}: {changes(self.before, self.params)}"
        said = [("chosen", self.kind), ("leg", leg)]
        if self.mean is not None and self.sd is not None and self.beats is not None and self.teaches is not None:
            said += [
                ("expected", f"{rough(self.mean)} ± {rough(self.sd, 2)}; better than the best known: {self.beats:.0%}"),
                ("teaches", f"a result makes the belief surer by {self.teaches:.1%} over the whole space"),
            ]
        for at, other in enumerate(self.others):
            extra = other.leg - self.leg
            more = f"{roughly(abs(extra), self.unit)} {'more' if extra > 0 else 'less'}"
            text = f"{in_words(other.params)}: {rough(other.mean)} ± {rough(other.sd, 2)}, leg {more}"
            said.append(("instead" if at == 0 else "", text))
        return said

    def __str__(self) -> str:
        """Say it line by line."""
        lines = (f"    {name:10}{text}" for name, text in self.entries)
        return "\n".join([f"{self.title}: {in_words(self.params)}", *lines])

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        return html.table(f"{self.title}: {in_words(self.params)}", ["", ""], self.entries)


def reasons_of(state: StudyState, events: Sequence[Event], trial: Trial) -> Reasons:
    """Return why a trial was chosen.

    Args:
        state: the study as it stands.
        events: all of its events, oldest first.
        trial: one of its trials.
    """
    plans = [at for at, event in enumerate(events) if isinstance(event, Planned)]
    if trial.stop is None:
        cut = next(at for at, one in enumerate(events) if isinstance(one, Inserted) and one.number == trial.number)
    else:
        cut = plans[trial.plan]
    then = replay(state.created, events[:cut])
    origin, x = state.origin(trial.number), trial.x if trial.asked is None else _row(state, trial.asked)
    space = then.spec.space
    before = None if origin is None else space.params(origin)
    found = Reasons(trial.title, space.params(x), before, _kind(state, trial), trial.predicted, state.spec.unit)
    if not then.results:
        return found
    with one_thread():
        belief, sign = belief_of(then), state.spec.sign
        means, sds = belief.value.marginals(x[None, :])
        best = sign * best_of(then).mean
        stops = state.plans[trial.plan].stops if trial.stop is not None else x[None, :]
        others = _others(then, stops, origin, best)
        sample = space.sample(SAMPLE, stream(state.spec.seed, "why"))
        was, will = (np.square(one.marginals(sample).sd).mean() for one in (belief, belief.condition(x[None, :])))
    return evolve(
        found,
        mean=sign * float(means[0]),
        sd=float(sds[0]),
        beats=float(lazy_scipy.ndtr((means[0] - best) / sds[0])),
        teaches=float(max(0.0, 1 - will / was)) if was > 0 else 0.0,
        others=others,
    )


def _row(state: StudyState, params: Mapping[str, Any]) -> Values:
    return np.asarray(state.spec.space.points(dict(params))[0])


def _kind(state: StudyState, trial: Trial) -> str:
    """Return how a trial came into the study."""
    if trial.prior:
        return "known before the study, not visited by it"
    if trial.stop is None:
        return "an extra place, asked for by hand"
    plan = state.plans[trial.plan]
    many = f"stop {trial.stop + 1} of {len(plan.stops)} on route {trial.plan + 1}"
    if trial.stop in plan.between:
        return f"{many}: on the way, because one leg would have been too long"
    if plan.notes.get("step") == ADDED["step"]:
        return f"{many}: it shows a value that a change of the study brought in"
    if plan.told == 0:
        return f"{many}: it looks around before anything is known"
    if trial.plan == 0:
        return f"{many}: it looks around, given {plan.told} old results"
    return f"{many}: picked as number {int(plan.picked[trial.stop]) + 1} after {plan.told} results, then ordered"


def _others(then: StudyState, stops: Points, origin: Values | None, best: float) -> tuple[Alternative, ...]:
    """Return the places of most expected improvement that lie apart from the stops and from each other."""
    spec, space = then.spec, then.spec.space
    belief = belief_of(then)
    situation = Situation(then.unvisited, spec.travel, then.history, spec.method.surrogate, belief)
    x = first_look(situation, stream(spec.seed, "instead", then.history.told))
    mean, sd = belief.marginals(x)
    z = (mean - best) / sd
    improvement = sd * (z * lazy_scipy.ndtr(z) + np.exp(-0.5 * np.square(z)) / np.sqrt(2 * np.pi))
    ranked = x[np.argsort(-improvement, kind="stable")]
    features = space.encode(np.vstack([stops, ranked]))
    kept = [int(at) - len(stops) for at in apart(features, len(stops) + OTHERS, APART) if at >= len(stops)][:OTHERS]
    means, sds = belief.value.marginals(ranked[kept]) if kept else (np.empty(0), np.empty(0))
    return tuple(
        Alternative(space.params(ranked[at]), spec.sign * float(m), float(s), leg_cost(then, origin, ranked[at]))
        for at, m, s in zip(kept, means, sds, strict=True)
    )
