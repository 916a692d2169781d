"""What the visits of a study cost, added up from its trials alone: nothing of wayfare's own books is used.

A visit costs what was told of its leg, else what the travel cost says from where the traveller really was.
A visit that is still out costs that, too, or, to be wary, what was learned of legs, if that is more.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

import wayfare as wf
from wayfare._core.arrays import Values
from wayfare.record.events import StudySpec, TrialState
from wayfare.travel.learned import LearnedCost

CLOSE = 1e-9
"""How far, in proportion, a limit may be exceeded by the sums of floating point."""

Puts: TypeAlias = Sequence[tuple[int, Values]]
"""Where the traveller was put by hand, each with the number of trials there were then."""


class Entry(NamedTuple):
    """One visit."""

    number: int
    leg: float
    ridden: float  # what of the leg belongs to the trip that it is on afterwards: what follows a visit home
    dwell: float  # what taking the results costs
    stated: float  # the leg by the travel cost alone, straight
    is_told: bool  # whether someone said what the leg cost
    begins: bool  # whether a new trip begins with it


class Prices:
    """What moves of a study cost by its travel cost."""

    def __init__(self, spec: StudySpec) -> None:
        self.spec = spec
        self.known: dict[tuple[bytes, bytes], float] = {}

    def __call__(self, origin: Values | None, target: Values | None) -> float:
        """Return what a move costs; nothing from nowhere, or to nowhere."""
        if origin is None or target is None:
            return 0.0
        ends = origin.tobytes(), target.tobytes()
        if ends not in self.known:
            self.known[ends] = float(self.spec.travel(origin[None, :], target[None, :])[0, 0])
        return self.known[ends]


def as_learned(stated: float, learned: LearnedCost | None) -> float:
    """Return what a move is expected to cost by what was learned; as stated, if nothing was."""
    return stated if learned is None or stated == 0 else learned.scale * stated + learned.offset


class Books(NamedTuple):
    """The visits of a study up to now, and the way home from where the traveller stands."""

    spec: StudySpec
    entries: list[Entry]
    home: float
    anew: bool  # whether the traveller was put at home since the last visit: the next trip is a new one

    def entry(self, number: int) -> Entry:
        """Return the entry of a visit."""
        return next(entry for entry in self.entries if entry.number == number)

    @property
    def legs(self) -> float:
        """What the legs cost."""
        return sum(entry.leg for entry in self.entries)

    @property
    def all(self) -> float:
        """What everything costs, the way home included."""
        return self.legs + sum(entry.dwell for entry in self.entries) + self.home

    @property
    def trip(self) -> float:
        """What the trip under way costs, the way home included."""
        used = 0.0
        for entry in [] if self.anew else reversed(self.entries):
            used += entry.ridden + entry.dwell
            if entry.begins:
                break
        return used + self.home

    def over_budget(self) -> float:
        """Return by how much the budget is exceeded, in proportion to it."""
        budget = self.spec.limits.budget or 1.0
        return max(0.0, self.all / budget - 1)

    def over_trip(self) -> float:
        """Return by how much the trip under way is too long, in proportion; 0 where there are none."""
        trip = self.spec.limits.trip
        return 0.0 if trip is None else max(0.0, self.trip / trip - 1)

    def over_step(self) -> float:
        """Return by how much the last leg is too long, in proportion; 0 where it may be of any length."""
        longest = self.spec.limits.max_step
        return 0.0 if longest is None else max(0.0, self.entries[-1].stated / longest - 1)


def books_of(
    trials: Sequence[wf.Trial], puts: Puts, prices: Prices, learned: LearnedCost | None = None, *, wary: bool = False
) -> Books:
    """Return the books; if ``wary``, legs still out and the way home cost no less than was learned."""
    spec, end = prices.spec, prices.spec.limits.home
    entries, here, anew = [], spec.start, False
    for trial, put in in_turn(trials, puts):
        if put is not None:
            here, anew = put, anew or (end is not None and np.array_equal(put, end))
        if trial is None or trial.state is TrialState.SKIPPED:
            continue
        entry = entered(trial, here, prices, learned, wary)
        entries.append(entry._replace(begins=anew or entry.begins))
        here, anew = trial.x, False
    home = prices(here, end)
    return Books(spec, entries, max(home, as_learned(home, learned)) if wary else home, anew)


def in_turn(trials: Sequence[wf.Trial], puts: Puts) -> Iterator[tuple[wf.Trial | None, Values | None]]:
    """Yield trials and what was done by hand as they came, one or the other."""
    for trial in trials:
        yield from ((None, place) for after, place in puts if after == trial.number)
        yield trial, None
    yield from ((None, place) for after, place in puts if after == len(trials))


def entered(trial: wf.Trial, here: Values | None, prices: Prices, learned: LearnedCost | None, wary: bool) -> Entry:
    """Return what a visit costs that began ``here``.

    Of a leg by way of home one number is told: it is divided as the parts were expected to cost.
    """
    limits, is_told = prices.spec.limits, trial.spent is not None
    out = prices(limits.home if trial.home_first else here, trial.x)
    back = prices(here, limits.home) if trial.home_first else 0.0
    if is_told:
        back, out = as_learned(back, learned), as_learned(out, learned)
    elif wary and trial.state is TrialState.ASKED:
        back, out = max(back, as_learned(back, learned)), max(out, as_learned(out, learned))
    leg, ridden = back + out + limits.trip_cost * trial.home_first, out
    if trial.spent is not None:
        leg, ridden = trial.spent, trial.spent * (out / leg if leg > 0 else 1.0)
    dwell, stated = limits.dwell * trial.count, prices(here, trial.x)
    return Entry(trial.number, leg, ridden, dwell, stated, is_told, trial.home_first)
