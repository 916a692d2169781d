"""``Ledger``: the cost of a study's movement, what ordering saved, and what is left."""

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import frozen

from wayfare._core import html
from wayfare._core.arrays import Mask, Points, Values
from wayfare._core.format import counted, results, roughly, with_unit
from wayfare.errors import InvalidInput
from wayfare.planning.layout import Plan
from wayfare.record.currencies import Currency
from wayfare.record.events import Planned, StudySpec, Trial
from wayfare.record.state import StudyState
from wayfare.report.allowance import Allowance, allowance_of
from wayfare.report.costs import (
    as_chosen,
    as_walked,
    begun_at_home,
    detour_cost,
    dwell_besides,
    dwell_paid,
    journey,
    learned_cost,
    leg_costs,
    legs_paid,
    saving,
)
from wayfare.travel import TravelCost
from wayfare.travel.learned import LearnedCost


@frozen
class Account:
    """The cost of the visits in a further currency, in ``unit``; nothing is planned by it.

    ``paid``, ``unordered``, ``ordered``, ``saved`` and ``dwell`` are as in ``Ledger``, by the travel cost of the
    currency: a ``spent`` that was told is in the study's own unit and counts there alone. If they cannot be worked
    out they are None, and ``remark`` says why.
    """

    unit: str
    paid: float | None = None
    unordered: float | None = None
    ordered: float | None = None
    saved: float | None = None
    dwell: float | None = None
    remark: str = ""

    def __str__(self) -> str:
        """Say it in a line."""
        if self.remark:
            return f"in {self.unit} unknown: {self.remark}"
        costs = {"paid": self.paid, "unordered": self.unordered}
        costs |= {"ordered": self.ordered} if self.has_basis else {}
        costs |= {"saved": self.saved}
        said = {word: cost for word, cost in costs.items() if cost is not None}
        said |= {"dwell": self.dwell} if self.dwell else {}
        return ", ".join(f"{word} {with_unit(cost, self.unit)}" for word, cost in said.items())

    @property
    def has_basis(self) -> bool:
        """Whether ``saved`` compares with something else than what was paid."""
        if self.paid is None or self.ordered is None:
            return False
        return with_unit(self.paid, self.unit) != with_unit(self.ordered, self.unit)


def accounts_of(state: StudyState) -> tuple[Account, ...]:
    """Return the account of each further currency, in the order they were given."""
    visits = [trial for trial in state.trials if trial.is_visit]
    return tuple(_account(state, visits, currency) for currency in state.spec.also)


def _account(state: StudyState, visits: Sequence[Trial], currency: Currency) -> Account:
    unit = currency.unit

    def cost(spec: StudySpec) -> TravelCost:
        """Return the cost that was reported in this currency then; the one of now, if there was none."""
        return next((one.travel for one in spec.also if one.unit == unit), currency.travel)

    try:
        paid = as_walked(state, visits, cost)
        unordered, ordered = (journey(state, visits, order, cost) for order in (as_chosen(state, visits), visits))
    except InvalidInput as error:  # a report must not fail over what is reported besides
        return Account(unit, remark=str(error))
    return Account(unit, paid, unordered, ordered, saving(unordered, ordered), dwell_besides(state, unit))


def legs_besides(
    state: StudyState, position: Values | None, x: Points, homes: Mask
) -> list[tuple[tuple[str, float], ...]]:
    """Return the leg to each stop in each further currency, from ``position`` on.

    A currency whose cost cannot be worked out is left out; the ledger says why.
    """
    known = []
    for currency in state.spec.also:
        try:
            legs = leg_costs(state, position, x, homes, currency.travel)
        except InvalidInput:
            continue
        known.append([(currency.unit, leg) for leg in legs])
    return [tuple(legs[at] for legs in known) for at in range(len(x))]


def detour_besides(state: StudyState, place: Values, count: int) -> tuple[tuple[str, float], ...]:
    """Return the cost of a detour by ``place`` in each further currency whose cost can be worked out."""
    known = []
    for currency in state.spec.also:
        try:
            known.append((currency.unit, detour_cost(state, place, count, currency.travel)))
        except InvalidInput:
            continue
    return tuple(known)


def leg_besides(state: StudyState, trial: Trial) -> tuple[tuple[str, float], ...]:
    """Return the leg of a visit in each further currency."""
    origin = state.origin(trial.number)
    return legs_besides(state, origin, trial.x[None, :], np.array([trial.home_first]))[0]


# The price of shuffling: what leaving some of the order to chance costs.


def price_of_shuffling(state: StudyState, plan: Plan) -> float:
    """Return the cost of a plan beyond the planner's own order of the same places, by the stated travel cost.

    Of the price for the whole batch it is the share of the stops to be walked. Never below 0, though chance may find an
    order that a search among many stops has missed.
    """
    if plan.unshuffled is None or not len(plan.whole):
        return 0.0
    share = len(plan.itinerary) / len(plan.whole)
    shuffled, unshuffled = (
        sum(leg_costs(state, state.position, stops.places, stops.homes)) for stops in (plan.whole, plan.unshuffled)
    )
    return share * max(0.0, shuffled - unshuffled)


def walked_share(state: StudyState, plan: int) -> float:
    """Return the share of a plan's stops that were visited."""
    visited = {trial.stop for trial in state.trials if trial.plan == plan and trial.is_visit}
    return len(visited - {None}) / len(state.plans[plan].stops)


def price_in(plan: Planned) -> float | None:
    """Return the price of shuffling noted in a plan, in the unit of the study; None if nothing was shuffled."""
    noted = plan.notes.get("shuffle")
    cost = noted.get("cost") if isinstance(noted, Mapping) else None
    # An archive made elsewhere may have noted anything.
    return float(cost) if isinstance(cost, float | int) else None


@frozen
class Ledger:
    """The cost of a study's movement, in ``unit``.

    Attributes:
        paid: cost of the visits in the order they were made: as told, else by the travel cost.
        predicted: the same by the travel cost, when they were handed out.
        unordered: cost of the same places in the order the policy chose them. Like ``ordered`` it is by the travel
            cost, with visits home where they would have been cheapest.
        ordered: cost in the order of the visits; differs from ``predicted`` if a setting was missed or a visit home was
            made elsewhere.
        unit: unit of the travel cost.
        visits: number of visits.
        plans: number of routes.
        results: number of results; a run counts all of its.
        dwell: cost of taking the results.
        budget, left, trip, trip_left, home, home_expected, owed: as in ``Allowance``.
        trips: trips begun: at the start, by every visit home, ``go_home`` and ``replan(position=home)``; None without
            trips.
        called: what a trip is called, a trip or a day.
        shuffled: what leaving the order to chance added, as far as routes were walked; None if it was not.
        learned: the travel cost as learned; None while too few legs were told.
        also: the account of each further currency.
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
    called: str = "trip"

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
        trips = "" if self.trips is None else f" in {counted(self.trips, self.called)}"
        return (
            f"{counted(self.visits, 'visit')}{found} on {counted(self.plans, 'route')}{trips}: "
            f"paid {paid}, predicted {predicted}, unordered {unordered}{basis}, saved {saved}"
            + (f", dwell {with_unit(self.dwell, self.unit)}" if self.dwell else "")
            + ("" if self.shuffled is None else f", shuffling {roughly(self.shuffled, self.unit)}")
            + (f"; {said}" if (said := self.allowance) else "")
            + ("" if self.learned is None else f"; {self.learned}")
            + "".join(f"; {account}" for account in self.also)
        )

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        words = ("paid", "predicted", "unordered", "ordered", "saved")
        costs = {word: with_unit(getattr(self, word), self.unit) for word in words if word != "ordered" or self.basis}
        trips = "" if self.trips is None else f" in {counted(self.trips, self.called)}"
        rest = {
            "dwell": with_unit(self.dwell, self.unit) if self.dwell else "",
            "shuffled": "" if self.shuffled is None else roughly(self.shuffled, self.unit),
            "left": self.allowance,
            "learned": "" if self.learned is None else str(self.learned),
            **{account.unit: str(account) for account in self.also},
        }
        title = f"{counted(self.visits, 'visit')} on {counted(self.plans, 'route')}{trips}"
        return html.card(title, costs | rest)

    @property
    def allowance(self) -> str:
        """The allowance in words: ``3 m of 100 m left, home is 2.5 m away``; empty without limits and home."""
        lefts = self.budget, self.left, self.trip, self.trip_left
        return str(Allowance(self.unit, *lefts, self.home, self.home_expected, self.owed, self.called))


def ledger_of(state: StudyState) -> Ledger:
    """Return the ledger of a study."""
    visits, now = [trial for trial in state.trials if trial.is_visit], allowance_of(state)
    prices = [
        price * walked_share(state, number)
        for number, plan in enumerate(state.plans)
        if (price := price_in(plan)) is not None
    ]
    return Ledger(
        paid=legs_paid(state),
        predicted=float(sum(trial.predicted for trial in visits) + sum(way.predicted for way in state.returns)),
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
        called=now.called,
    )


def trips_begun(state: StudyState) -> int:
    """Return how many trips were begun, the one under way included.

    ``replan(position=home)`` begins a new one only if a place was visited since the last began.
    """
    put_home = {state.moved[move][0] for move in begun_at_home(state)}
    trips, visited = 1, False
    for number, trial in enumerate((*state.trials, None)):  # None: what comes next
        if visited and number in put_home:
            trips, visited = trips + 1, False
        if trial is not None and trial.is_visit:
            trips, visited = trips + trial.home_first, True
    return trips
