"""What the movement of a study cost, and what is left of its budget."""

import numpy as np
from attrs import frozen

from wayfare.accounts import Account, accounts_of
from wayfare.allowance import Allowance, allowance_of
from wayfare.learned import LearnedCost, learned_cost
from wayfare.shuffling import price_in, walked_share
from wayfare.spending import dwell_paid, legs_paid
from wayfare.state import StudyState
from wayfare.walk import as_chosen, journey, saving
from wayfare.words import counted, results, roughly, with_unit


@frozen
class Ledger:
    """What the movement cost, all in ``unit``.

    ``paid`` is what the visits cost in the order they were made, as told where someone said so;
    ``predicted``, what the travel cost said when they were handed out; ``unordered``, what the same places
    would have cost in the order the policy chose them, and ``ordered`` in that of the visits, by the travel
    cost both and, where there are trips, with the visits home where they would have been cheapest. ``saved``
    is ``unordered`` less ``ordered``, which is not ``predicted`` where a setting was missed or a visit home
    was made elsewhere. ``results`` counts what the visits brought, of a run all it has. ``dwell`` is what
    taking results cost. Of the ``budget``, ``left`` is what ``paid``, ``dwell`` and ``owed`` leave, negative
    if overdrawn: ``owed`` is what legs still out are expected to cost beyond ``paid``. ``home`` is the way
    home from here, and ``home_expected`` what it will really cost by what was learned, where that is more:
    limits are kept by it. ``trip`` is what a whole one may cost. ``trips`` counts those begun: at the start,
    by every visit home, and where put home by hand, unless nothing was visited since the one before began;
    ``trip_left`` is what is left of the last. They are None where the study has none. ``shuffled`` is what
    leaving the order to chance added to the routes, as far as they were walked, by the travel cost; None
    where it was not. ``learned`` is what legs really cost beside what was predicted, None while too few were
    told. ``also`` is what the visits cost in each further currency.
    """

    paid: float
    predicted: float
    unordered: float
    ordered: float
    unit: str
    visits: int
    plans: int
    results: int
    dwell: float = 0.0
    budget: float | None = None
    left: float | None = None
    home: float | None = None
    home_expected: float | None = None
    owed: float = 0.0
    trips: int | None = None
    trip: float | None = None
    trip_left: float | None = None
    shuffled: float | None = None
    learned: LearnedCost | None = None
    also: tuple[Account, ...] = ()

    @property
    def saved(self) -> float:
        """What ordering saved: ``unordered`` less ``ordered``."""
        return saving(self.unordered, self.ordered)

    @property
    def basis(self) -> str:
        """What ``saved`` compares with where that was not predicted: ``ordered 57.8909 km``; else empty."""
        said = with_unit(self.ordered, self.unit)
        return "" if said == with_unit(self.predicted, self.unit) else f"ordered {said}"

    def __str__(self) -> str:
        """Say it in a line."""
        paid, predicted, unordered, saved = (
            with_unit(cost, self.unit) for cost in (self.paid, self.predicted, self.unordered, self.saved)
        )
        basis = f", {self.basis}" if self.basis else ""
        found = f" with {results(self.results)}" if self.results > self.visits else ""
        trips = "" if self.trips is None else f" in {counted(self.trips, 'trip')}"
        return (
            f"{counted(self.visits, 'visit')}{found} on {counted(self.plans, 'route')}{trips}: "
            f"paid {paid}, predicted {predicted}, unordered {unordered}{basis}, saved {saved}"
            + (f", dwell {with_unit(self.dwell, self.unit)}" if self.dwell else "")
            + ("" if self.shuffled is None else f", shuffling {roughly(self.shuffled, self.unit)}")
            + (f"; {said}" if (said := self.allowance) else "")
            + ("" if self.learned is None else f"; {self.learned}")
            + "".join(f"; {account}" for account in self.also)
        )

    @property
    def allowance(self) -> str:
        """What is left and how far home is: ``3 m of 100 m left, home is 2.5 m away``; empty without."""
        lefts = self.budget, self.left, self.trip, self.trip_left
        return str(Allowance(self.unit, *lefts, self.home, self.home_expected, self.owed))


def ledger_of(state: StudyState) -> Ledger:
    """Return what the movement of a study cost."""
    visits, now = [trial for trial in state.trials if trial.is_visit], allowance_of(state)
    prices = [
        price * walked_share(state, number)
        for number, plan in enumerate(state.plans)
        if (price := price_in(plan)) is not None
    ]
    return Ledger(
        paid=legs_paid(state),
        predicted=float(sum(trial.predicted for trial in visits)),
        unordered=journey(state, visits, as_chosen(state, visits)),
        ordered=journey(state, visits, visits),
        unit=state.spec.unit,
        visits=len(visits),
        plans=len(state.plans),
        results=sum(trial.count for trial in visits if trial.value is not None),
        dwell=dwell_paid(state),
        budget=now.budget,
        left=now.left,
        home=now.home,
        home_expected=now.home_expected,
        owed=now.owed,
        trips=None if now.trip is None else trips_begun(state),
        trip=now.trip,
        trip_left=now.trip_left,
        shuffled=float(sum(prices)) if prices else None,
        learned=learned_cost(state),
        also=accounts_of(state),
    )


def trips_begun(state: StudyState) -> int:
    """Return how many trips were begun, the one under way included.

    Whoever is put home by hand without a visit since the trip began only begins that trip again.
    """
    end = state.spec.limits.end
    put_home = {after for after, x in state.moved if end is not None and np.array_equal(x, end)}
    trips, visited = 1, False
    for number, trial in enumerate((*state.trials, None)):  # None: what comes next
        if visited and number in put_home:
            trips, visited = trips + 1, False
        if trial is not None and trial.is_visit:
            trips, visited = trips + trial.home_first, True
    return trips
