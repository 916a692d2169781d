"""A specification in words: its axes, what three moves cost, and what the first route costs.

So that a mistake in a study file (a bound, a unit, a speed turned round) shows before anything is measured.
"""

import numpy as np
from attrs import frozen

from wayfare._core import html
from wayfare._core.arrays import Points, Values
from wayfare._core.format import changes, counted, in_words, results, shown, with_unit
from wayfare._core.rng import stream
from wayfare.planning.itinerary import Itinerary
from wayfare.record.events import StudySpec
from wayfare.record.state import StudyState, apply
from wayfare.report.allowance import spent_in_words
from wayfare.report.costs import leg_cost, reach_of
from wayfare.space import AnySpace, Choice, Places, Space
from wayfare.study.moves import plan


@frozen
class Explanation:
    """A specification as it was understood, in words.

    Attributes:
        goal: what is looked for, and with how many trials.
        axes: each axis, or the table of places.
        legs: what three moves cost.
        opening: the first route and its price.
        limits: what else was stated: home, budget, regions.
    """

    goal: str
    axes: tuple[str, ...]
    legs: tuple[str, ...]
    opening: str
    limits: tuple[str, ...]

    @property
    def entries(self) -> list[tuple[str, str]]:
        """All of it as names with a sentence each."""
        axes = [("axes" if at == 0 else "", said) for at, said in enumerate(self.axes)]
        legs = [("moving" if at == 0 else "", said) for at, said in enumerate(self.legs)]
        limits = [("limits" if at == 0 else "", said) for at, said in enumerate(self.limits)]
        return [("goal", self.goal), *axes, *legs, *limits, ("opening", self.opening)]

    def __str__(self) -> str:
        """Say it line by line."""
        return "\n".join(f"{name:8}{said}" for name, said in self.entries)

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        return html.table("what was understood", ["", ""], self.entries)


def explain(spec: StudySpec) -> Explanation:
    """Return the specification in words; its first route is planned for it, and nothing is written."""
    space, state = spec.space, StudyState(spec)
    verb = "the largest" if spec.direction == "maximize" else "the smallest"
    goal = f"{verb} value, with {counted(spec.trials, 'trial')}"
    return Explanation(goal, tuple(axes_in_words(space)), tuple(_legs(spec)), _opening(state), tuple(_limits(spec)))


def axes_in_words(space: AnySpace) -> list[str]:
    """Return a line for each axis, or one for a table of places."""
    if isinstance(space, Places):
        once = ", each visited once at most" if space.once else ""
        return [f"{counted(int(space.size), 'place')} in a table of {', '.join(space.names)}{once}"]
    if not isinstance(space, Space):
        return [f"{', '.join(space.names)}, as a space of your own has them"]
    return [str(axis) for axis in space.axes]


def _legs(spec: StudySpec) -> list[str]:
    """Return three moves with their costs: along one axis alone, the same back, and from end to end."""
    state, params = StudyState(spec), spec.space.params
    said = []
    for here, there in _examples(spec):
        cost = with_unit(leg_cost(state, here, there), spec.unit)
        said.append(f"{changes(params(here), params(there))}: {cost}")
    return said


def _examples(spec: StudySpec) -> list[tuple[Values, Values]]:
    here, near, far = _ends(spec.space) if isinstance(spec.space, Space) else _far_apart(spec)
    return [(here, near), (near, here), (here, far)]


def _ends(space: Space) -> Points:
    """Return the low end of every axis, the same with the first axis at its high end, and the high end of all."""
    low, high = (
        np.array([float(end) for end in ends])
        for ends in zip(
            *((0, len(a.values) - 1) if isinstance(a, Choice) else (a.low, a.high) for a in space.axes), strict=True
        )
    )
    return np.asarray(space.snap(np.array([low, np.append(high[:1], low[1:]), high])))


def _far_apart(spec: StudySpec) -> Points:
    """Return a place, one near it and one far from it, of a few of the space."""
    x = spec.space.sample(32, stream(spec.seed, "examples"))
    features = spec.space.encode(x)
    first = int(features.sum(axis=1).argmin())
    ranked = np.argsort(np.abs(features - features[first]).sum(axis=1), kind="stable")
    return np.asarray(x[ranked[[0, min(1, len(x) - 1), -1]]])


def _opening(state: StudyState) -> str:
    """Return how many stops the first route has and what it costs; why there is none, if the limits allow none."""
    spec = state.spec
    made = plan(state)
    if made is None:
        return f"no stop is within the limits: {spent_in_words(state)}"
    after = apply(state, [made])
    route: Itinerary = after.itinerary
    fit = reach_of(after).walk(route).within
    many = int(route.counts.sum())
    taken = f" for {results(many)}" if many > len(route) else ""
    cost = with_unit(float(np.sum(route.legs)), spec.unit)
    dwell = f" and {with_unit(spec.limits.dwell * many, spec.unit)} for the results" if spec.limits.dwell else ""
    short = "" if fit == len(route) else f"; the limits allow {fit} of them"
    return f"{counted(len(route), 'stop')}{taken}, {cost} of moving{dwell}{short}"


def _limits(spec: StudySpec) -> list[str]:
    limits, place = spec.limits, spec.space.params
    said = [
        "the start is anywhere, and the first move is free"
        if spec.start is None
        else f"from {in_words(place(spec.start))}",
        "" if limits.home is None else f"home is {in_words(place(limits.home))}",
        "" if limits.budget is None else f"{with_unit(limits.budget, spec.unit)} in all, the way home included",
        f"{with_unit(limits.dwell, spec.unit)} for each result" if limits.dwell else "",
        "" if limits.trip is None else f"a {limits.called} of {with_unit(limits.trip, spec.unit)} from home to home",
        "" if limits.max_step is None else f"no leg above {with_unit(limits.max_step, spec.unit)}",
        *(f"never {region}" for region in getattr(spec.space, "forbidden", ())),
        *map(str, spec.measured),
        "" if spec.gain_below is None else f"ends when less than {shown(spec.gain_below)} is to be gained",
    ]
    return [one for one in said if one]
