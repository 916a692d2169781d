"""How far a study has come: what improvement is still plausible, and what more trials would buy.

Whole functions are drawn from the belief after all results. In each, the best value anywhere is compared with the value
at the place that ``study.best()`` shows: the difference is what is still to be gained, if the world is that function.
How often such a statement holds is measured in docs/progress.md.
"""

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from wayfare._core import html
from wayfare._core.arrays import Matrix, Points, Values, no_points
from wayfare._core.format import counted, rough, roughly
from wayfare._core.rng import one_thread, stream
from wayfare.policy.acquisition import RADII, first_look, is_small
from wayfare.policy.base import Situation
from wayfare.record.state import StudyState
from wayfare.report.allowance import spent_in_words
from wayfare.report.best import PROBABLY, belief_of, best_of
from wayfare.report.costs import budget_left, legs_paid, once_per_state, return_cost
from wayfare.surrogate.visit import VisitPosterior

DRAWS = 256
"""Functions drawn from the belief."""
TOPS = 4
"""Places looked at around the top of each draw, in each round of climbing."""
SURE = 0.9
"""The probability with which the remaining gain is stated: the plain share of the draws, which needed no correction."""
TOLERANCE = 0.01
"""The best place counts as found if less than this share of the spread of the results is to be gained."""
LATELY = 10
"""Of how many last visits it is said how many repeated a place."""
SAME = 0.01
"""Two places are the same if no axis differs by more than this part of it."""
AHEAD = 20
"""For how many further trials it is worked out what they would buy, at most."""


@frozen
class Progress:
    """How far a study has come. Gains are in the unit of the results, larger meaning better in either direction.

    Attributes:
        gain: with a probability of 90%, no place is better than the best one by more than this.
        expected_gain: what is to be gained on average.
        found: how probably no place is better by more than ``tolerance``, by the draws. Beyond 0.97 it is too sure, for
            no model knows of a needle that no result has touched: of such statements about three in four held.
        tolerance: a hundredth of the spread of the results.
        results: how many results it is judged by.
        lately: how many of the last visits are looked at for repeats.
        repeats: how many of these were at a place visited before.
        buys: what one, two, ... more trials at the most promising places would gain on average.
        leg: what a leg has cost on average; None before the first.
        affords: how many more trials the rest of the budget pays for, about, at what legs have cost; None without a
            budget, and before the first leg.
        unit: unit of the travel cost.
        left: trials left.
    """

    gain: float
    expected_gain: float
    found: float
    tolerance: float
    results: int
    lately: int
    repeats: int
    buys: tuple[float, ...]
    leg: float | None
    affords: int | None
    unit: str
    left: int

    @property
    def in_short(self) -> str:
        """What matters, in a line."""
        if self.found >= SURE:
            return f"the best is probably found: at most {rough(self.gain)} to gain (90% bound)"
        chance = math.floor(100 * self.found)
        return f"up to {rough(self.gain)} better is plausible (90% bound); {chance}% that the best is found"

    @property
    def repeated(self) -> str:
        """How many of the last visits repeated a place."""
        if self.lately < 2:
            return "one visit so far" if self.lately else "no visits yet"
        return f"{self.repeats} of the last {counted(self.lately, 'visit')} repeated a place"

    @property
    def offer(self) -> str:
        """What more trials would buy, and what moving for them would cost."""
        if not self.buys:
            return "nothing more to be measured"
        steps = [n for n in (1, 5, 10, 20) if n <= len(self.buys)]
        steps = steps if steps[-1] == len(self.buys) or len(self.buys) > AHEAD else [*steps, len(self.buys)]
        said = [f"{counted(n, 'more trial')} about {rough(self.buys[n - 1])}" for n in steps]
        cost = "" if not self.leg else f", at {roughly(self.leg, self.unit)} a leg so far"
        paid = "" if self.affords is None else f"; the budget left pays for about {self.affords} of them"
        return ", ".join(said) + cost + paid

    def __str__(self) -> str:
        """Say it in three lines."""
        return f"{self.in_short}\nmore trials would gain: {self.offer}\n{self.repeated}"

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        entries = {"still to gain": self.in_short, "more trials would gain": self.offer, "repeats": self.repeated}
        return html.card(f"progress after {counted(self.results, 'result')}", entries)


@once_per_state
def progress_of(state: StudyState) -> Progress:
    """Return how far a study with at least one result has come; the same state gives the same answer."""
    spec, history = state.spec, state.history
    values, here = drawn_values(state)
    gains = np.maximum(values.max(axis=0) - here, 0.0)
    tolerance = TOLERANCE * float(np.ptp(history.y)) if history.told > 1 else 0.0
    visits = sum(trial.is_visit for trial in state.trials)
    leg = legs_paid(state) / visits if visits else None
    lately, repeats = _repeats(state)
    return Progress(
        gain=float(np.quantile(gains, SURE)),
        expected_gain=float(gains.mean()),
        found=float((gains <= tolerance).mean()),
        tolerance=tolerance,
        results=history.told,
        lately=lately,
        repeats=repeats,
        buys=bought(values, here, min(AHEAD, max(state.trials_left, LATELY))),
        leg=leg,
        affords=_affords(state, leg),
        unit=spec.unit,
        left=state.trials_left,
    )


def _affords(state: StudyState, leg: float | None) -> int | None:
    """Return how many trials the rest of the budget pays for, the way home apart, at so much a leg."""
    left, home = budget_left(state), return_cost(state, state.position)
    each = None if leg is None else leg + state.spec.limits.dwell
    if left is None or not each:
        return None
    return min(max(0, math.floor((left - (home or 0.0)) / each)), state.trials_left)


def ended(state: StudyState) -> str:
    """Return why a study that has a rule for it has ended by itself; empty if it has not.

    It does not before its first route was walked, nor while a trial is out.
    """
    limit = state.spec.gain_below
    if limit is None or not state.plans or state.out or not state.results:
        return ""
    gain = progress_of(state).gain
    if gain >= limit:
        return ""
    return (
        f"the study has ended by its rule: with 90% at most {rough(gain)} is to be gained, less than {rough(limit)}; "
        "replan continues anyway"
    )


def nothing_left(state: StudyState) -> str:
    """Return why no stop is handed out: no trials are left or no place is within reach; and which trials are out."""
    out = f"{len(state.out)} still out ({trials_in_words(state.out)})"
    if state.trials_left and (rule := ended(state)):
        return rule
    if state.trials_left:
        return spent_in_words(state) + (f"; {out}" if state.out else "")
    said = f"no trials are left: all {state.spec.trials} have been handed out"
    return f"{said}, {out}" if state.out else f"{said} and have their outcome"


def trials_in_words(numbers: Sequence[int]) -> str:
    """Return trials by their numbers, in their order: ``trial 3``, ``trials 3, 4 and 7 to 12``."""
    runs = list[list[int]]()
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [text for run in runs for text in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    if len(shown) > 10:
        return f"trials {', '.join(shown[:10])}, …"
    if len(shown) > 1:
        return f"trials {', '.join(shown[:-1])} and {shown[-1]}"
    return f"trial{'s' if len(numbers) > 1 else ''} {', '.join(shown)}"


def drawn_values(state: StudyState) -> tuple[Matrix, Values]:
    """Return the value of each draw at each place worth a look, and at the place that is shown as best.

    The places are those that every search begins with, the best place, and around the top of each draw in smaller and
    smaller clouds. Places that probably fail, or break a limit on what is measured, are left out.
    """
    with one_thread():
        return _drawn_values(state, state.trials[best_of(state).trial].x)


def _drawn_values(state: StudyState, best: Values) -> tuple[Matrix, Values]:
    spec, history = state.spec, state.history
    belief = belief_of(state)
    look, path, *climbs = stream(spec.seed, "progress", history.told).spawn(2 + len(RADII))
    draws = belief.value.paths(DRAWS, path)
    situation = Situation(state.unvisited, spec.travel, history, spec.method.surrogate, belief)
    others = first_look(situation, look) if situation.space.size != 0 else no_points(spec.space.d)
    x = np.vstack([best[None, :], _good(belief, others)])
    values = draws(x)
    for radius, rng in zip(() if is_small(spec.space) else RADII, climbs, strict=False):
        tops = x[np.unique(values.argmax(axis=0))]
        nearby = _good(belief, spec.space.around(tops, radius, TOPS, rng))
        x, values = np.vstack([x, nearby]), np.vstack([values, draws(nearby)])
    return values, values[0]


def _good(belief: VisitPosterior, x: Points) -> Points:
    """Return the places where a visit probably succeeds and keeps the limits."""
    return x[(belief.success(x) >= PROBABLY) & (belief.compliance(x) >= PROBABLY)]


def bought(values: Matrix, here: Values, n: int) -> tuple[float, ...]:
    """Return the average gain of one to ``n`` further visits, each at the place that then adds most.

    Of every draw the best of the visited values counts, so it is what results without noise would gain.
    """
    best, gained = here.copy(), []
    for _ in range(n):
        at = int(np.maximum(values, best).mean(axis=1).argmax())
        best = np.maximum(best, values[at])
        gained.append(float((best - here).mean()))
    return tuple(gained)


def _repeats(state: StudyState) -> tuple[int, int]:
    """Return how many of the last visits are looked at, and how many of these were at a place visited before."""
    visits = [trial for trial in state.trials if trial.is_visit and trial.value is not None]
    if not visits:
        return 0, 0
    features = state.spec.space.encode(np.array([trial.x for trial in visits]))
    lately = min(LATELY, len(visits))
    repeats = 0
    for at in range(len(visits) - lately, len(visits)):
        far = np.abs(features[:at] - features[at]).max(axis=1, initial=0.0)
        repeats += bool((far <= SAME).any())
    return lately, repeats
