"""Whether results drift: what repeated visits to the same places say about time.

Only a place that was visited again can tell a drift from the places themselves: a study that moves to better
ones finds better results though nothing drifts. There is no clock in the record, so time is counted in
visits. A straight line is all that is looked for: a step or a bend shows as far as it has a slope.
"""

import math
from collections.abc import Iterator
from itertools import dropwhile
from typing import Literal, TypeAlias

import numpy as np
from attrs import evolve, frozen

from wayfare._core import html, lazy_scipy
from wayfare._core.arrays import Order, Values, unique_rows
from wayfare._core.format import counted, rough
from wayfare.errors import DriftWarning, warn
from wayfare.record.events import Amended, Asked, Event, Inserted, StudySpec, Told, Trial
from wayfare.record.state import StudyState

CERTAIN = 0.01
"""A drift is found if results that do not drift would show as much this rarely, and not else."""
SMALLEST = 1e-9
"""A smaller p is not told from this one: no noise is so well known."""
FEWEST = 3
"""How many repeats it takes where the noise is to be learned from them as well."""
ROUNDING = 1e-12
"""What differs by less than this share of the largest value is the same."""

AnchorKind: TypeAlias = Literal["none", "fixed", "best"]
AGAIN = "only a visit to a place again can tell a drift from the place"
TO_TELL: dict[AnchorKind, str] = {
    "none": f"{AGAIN}; anchor and anchor_every plan such visits",
    "fixed": "where the anchor is a fixed place, only the results from there count, each after the first as "
    "a repeat, and those from no other place; anchor_every plans the visits there",
    "best": f"{AGAIN}; anchor_every plans such visits to the best place",
}
"""How to find out whether there is a drift, for each kind of anchor."""


@frozen
class Drift:
    """How much results changed from visit to visit at places that were the same.

    ``slope`` is that change, with its standard ``error``; ``p`` is how likely results that do not drift are
    to show as much or more. They are None as long as ``needed``, the repeats still missing, is above 0.
    ``repeats`` counts the visits to a place that had a result before, ``places`` where they were,
    ``visits`` all visits so far. With a "fixed" ``anchor`` only the visits there are looked at.
    """

    slope: float | None
    error: float | None
    p: float | None
    repeats: int
    places: int
    visits: int
    needed: int = 0
    anchor: AnchorKind = "none"

    @property
    def is_found(self) -> bool:
        """Whether there is a drift beyond reasonable doubt."""
        return self.p is not None and self.p < CERTAIN

    @property
    def change(self) -> float | None:
        """By how much results changed from the first visit of the study to the last."""
        return None if self.slope is None else self.slope * max(0, self.visits - 1)

    @property
    def in_short(self) -> str:
        """The finding in a line."""
        if self.slope is None or self.error is None or self.p is None or self.change is None:
            needed = self.repeats + self.needed
            where = " at the anchor" if self.anchor == "fixed" else ""
            return f"too few repeats to tell: {self.repeats} of {needed} needed{where}"
        by = counted(self.repeats, "repeat")
        p = f"p = {rough(self.p, 2)}" if self.p >= SMALLEST else "p < 1e-9"
        rate = f"{rough(self.slope, 2)} ± {rough(self.error, 2)} a visit, {p}, from {by}"
        if not self.is_found:
            return f"none shows over {self.visits} visits ({rate})"
        went = "rose" if self.slope > 0 else "fell"
        return f"results {went} by {rough(abs(self.change))} over {self.visits} visits ({rate})"

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        return html.card("drift", {"found": self.in_short, "places visited again": self.places})

    def __str__(self) -> str:
        """Say what was found, and what to do about it or what was not looked at."""
        if self.slope is None:
            return f"drift: {self.in_short};\n{TO_TELL[self.anchor]}, insert makes one now"
        if not self.is_found:
            return f"drift: {self.in_short};\na straight line was looked for, no step and no bend"
        return (
            f"drift: {self.in_short} though the places were the same;\n"
            "recalibrate, and amend the results you can correct or withdraw them; a step or a bend is seen "
            "only as far as it has a slope"
        )


def drift_of(state: StudyState) -> Drift:
    """Return what repeated visits say; a run counts as often as it has results.

    Least squares for ``value = level of its place + slope * visit``. The noise is the one the study was told,
    with the normal distribution, else that of the residuals, with Student's. Where the study has an anchor of
    its own place, only the visits there are looked at: a place that a method goes back to for its results had
    lucky ones, and the later ones fall to what it is really worth.
    """
    visits, anchor = [trial for trial in state.trials if trial.is_visit], fixed_anchor(state.spec)
    kind: AnchorKind = "none" if state.spec.anchor is None else "best" if anchor is None else "fixed"
    told = [
        (at, trial)
        for at, trial in enumerate(visits)
        if trial.value is not None and (anchor is None or np.array_equal(trial.x, anchor))
    ]
    if not told:
        return Drift(None, None, None, 0, 0, len(visits), 1 if state.spec.noise else FEWEST, kind)
    t = np.array([at for at, _ in told], dtype=np.float64)
    y = np.array([trial.value for _, trial in told], dtype=np.float64)
    weights = np.array([trial.count for _, trial in told], dtype=np.float64)
    _, place = unique_rows(np.array([trial.x for _, trial in told]))
    return evolve(fitted_line(t, y, weights, place, state.spec.noise, len(visits)), anchor=kind)


def fixed_anchor(spec: StudySpec) -> Values | None:
    """Return the place that is gone back to whatever its results are; None where there is no such place.

    A drift that shows elsewhere may be luck that wore off, so it is reported only on request.
    """
    return None if spec.anchor is None else spec.anchor.place


def fitted_line(t: Values, y: Values, weights: Values, place: Order, noise: float | None, visits: int) -> Drift:
    """Return the slope common to all places, each with a level of its own."""
    many = np.bincount(place)
    places, repeats = int((many > 1).sum()), int((many - 1).sum())
    needed = (1 if noise else FEWEST) - repeats
    if needed > 0:
        return Drift(None, None, None, repeats, places, visits, needed)
    scale = float(np.abs(y).max()) or 1.0  # so that no square overflows
    time, value = centred(t, weights, place), centred(y / scale, weights, place)
    value[np.abs(value) <= ROUNDING] = 0.0
    spread = float((weights * time**2).sum())
    slope = float((weights * time * value).sum()) / spread
    if noise is None:
        left = float((weights * (value - slope * time) ** 2).sum())
        sd = math.sqrt(left / (repeats - 1))
    else:
        sd = noise / scale
    error = sd / math.sqrt(spread)
    p = tail(slope, error, None if noise else repeats - 1)
    return Drift(scale * slope, scale * error, p, repeats, places, visits)


def centred(values: Values, weights: Values, place: Order) -> Values:
    """Return the values as they differ from the mean of their place."""
    means = np.bincount(place, weights * values) / np.bincount(place, weights)
    return np.asarray(values - means[place])


def tail(slope: float, error: float, freedom: int | None) -> float:
    """Return how likely a slope this far from zero is if there is none; ``freedom`` None: error is known."""
    if slope == 0.0:
        return 1.0
    if error == 0.0:
        return 0.0
    if freedom is None:
        return math.erfc(abs(slope / error) / math.sqrt(2.0))
    return float(2.0 * lazy_scipy.stdtr(freedom, -abs(slope / error)))


def warn_of_drift(state: StudyState, trial: Trial) -> None:
    """Warn of a drift with the first trial handed out after a result from the fixed anchor, if any."""
    anchor = fixed_anchor(state.spec)
    if anchor is None or not any(np.array_equal(one.x, anchor) for one in told_before(state, trial)):
        return
    found = drift_of(state)
    if found.is_found:
        warn(str(found), DriftWarning)


def told_before(state: StudyState, trial: Trial) -> Iterator[Trial]:
    """Yield the trials that got a result after the one before ``trial`` was handed out, and before it was."""
    events = reversed(list(state.requests.values()))  # which are in the order they happened
    for event in dropwhile(lambda event: not hands_out(event, trial.number), events):
        if isinstance(event, Asked | Inserted) and event.number < trial.number:
            break
        if isinstance(event, Told | Amended):
            yield state.trials[event.number]


def hands_out(event: Event, number: int) -> bool:
    """Return whether the event hands out the trial of that number."""
    return isinstance(event, Asked | Inserted) and event.number == number
