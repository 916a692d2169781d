"""What the movement of a study cost, and what is left of its budget."""

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import evolve, frozen

from wayfare._core.arrays import Mask, Points, Values
from wayfare._core.format import counted, results, roughly, with_unit
from wayfare.errors import InvalidInput
from wayfare.planning.layout import Layout
from wayfare.planning.plan import Method
from wayfare.record.currencies import Currency
from wayfare.record.events import Planned, StudySpec, Trial
from wayfare.record.state import StudyState
from wayfare.report.allowance import Allowance, allowance_of
from wayfare.report.costs import (
    LearnedCost,
    as_chosen,
    as_walked,
    detour,
    dwell_paid,
    journey,
    learned_cost,
    legs_of,
    legs_paid,
    saving,
)
from wayfare.route import Shuffled

# What a study's movement costs in each further currency: nothing is planned by it, it is only said.


@frozen
class Account:
    """What the visits cost in a further currency, all in ``unit``, by its travel cost.

    As in the ledger, ``paid`` is for the way that was made, ``unordered`` for the same places in the order
    they were chosen and ``ordered`` in that of the visits, both with the visits home of the ledger; ``saved``
    is their difference and ``dwell`` what taking results cost. What was told of a leg
    is in the study's own unit and counts there alone. Where the cost cannot be worked out, they are None, and
    ``remark`` says why.
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
    """Return what the visits cost in each further currency, in the order they were given."""
    visits = [trial for trial in state.trials if trial.is_visit]
    return tuple(_account(state, visits, currency) for currency in state.spec.also)


def _account(state: StudyState, visits: Sequence[Trial], currency: Currency) -> Account:
    travel, unit = currency.travel, currency.unit
    try:
        paid = as_walked(state, visits, travel)
        unordered, ordered = (journey(state, visits, order, travel) for order in (as_chosen(state, visits), visits))
    except InvalidInput as error:  # a report must not fail over what is reported besides
        return Account(unit, remark=str(error))
    return Account(unit, paid, unordered, ordered, saving(unordered, ordered), currency.dwell * state.used)


def legs_besides(
    state: StudyState, position: Values | None, x: Points, homes: Mask
) -> list[tuple[tuple[str, float], ...]]:
    """Return for each of these stops its leg in each further currency, from ``position`` on.

    A currency whose cost cannot be worked out is left out; the ledger says why.
    """
    known = []
    for currency in state.spec.also:
        try:
            legs = legs_of(state, position, x, homes, currency.travel)
        except InvalidInput:
            continue
        known.append([(currency.unit, leg) for leg in legs])
    return [tuple(legs[at] for legs in known) for at in range(len(x))]


def detour_besides(state: StudyState, place: Values, count: int) -> tuple[tuple[str, float], ...]:
    """Return what going by ``place`` costs on top in each further currency whose cost can be worked out."""
    known = []
    for currency in state.spec.also:
        try:
            known.append((currency.unit, detour(state, place, count, currency.travel)))
        except InvalidInput:
            continue
    return tuple(known)


def leg_besides(state: StudyState, trial: Trial) -> tuple[tuple[str, float], ...]:
    """Return the leg of a visit in each further currency."""
    origin = state.origin(trial.number)
    return legs_besides(state, origin, trial.x[None, :], np.array([trial.home_first]))[0]


# What leaving some of the order to chance costs: the price of a plan with ``shuffle``, as it was planned.


def shuffled_method(spec: StudySpec) -> Method:
    """Return the method of a study, its order left to chance as far as the study says."""
    if spec.shuffle == 0:
        return spec.method
    return evolve(spec.method, planner=Shuffled(spec.method.planner, spec.shuffle))


def price_of_shuffling(state: StudyState, layout: Layout) -> float:
    """Return what a way costs beyond the one that the planner would have chosen, by the stated travel cost.

    Both lead through the whole of the batch, for the same places; it is the share for the stops to be walked.
    Never below 0, though chance may find a way that a search of many stops has missed.
    """
    if layout.own is None or not len(layout.whole):
        return 0.0
    here, share = state.position, len(layout.way) / len(layout.whole)
    ways = layout.whole, layout.own
    costs = [sum(legs_of(state, here, way.route.places, way.homes)) for way in ways]
    return share * max(0.0, costs[0] - costs[1])


def walked_share(state: StudyState, plan: int) -> float:
    """Return the share of a plan's stops that were visited."""
    visited = {trial.stop for trial in state.trials if trial.plan == plan and trial.is_visit}
    return len(visited - {None}) / len(state.plans[plan].stops)


def price_in(plan: Planned) -> float | None:
    """Return what shuffling added to a plan, in the unit of the study; None where nothing was shuffled."""
    noted = plan.notes.get("shuffle")
    cost = noted.get("cost") if isinstance(noted, Mapping) else None
    # An archive made elsewhere may have noted anything.
    return float(cost) if isinstance(cost, float | int) else None


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
    end = state.spec.limits.home
    put_home = {after for after, x in state.moved if end is not None and np.array_equal(x, end)}
    trips, visited = 1, False
    for number, trial in enumerate((*state.trials, None)):  # None: what comes next
        if visited and number in put_home:
            trips, visited = trips + 1, False
        if trial is not None and trial.is_visit:
            trips, visited = trips + trial.home_first, True
    return trips
