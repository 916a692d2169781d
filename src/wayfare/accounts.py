"""What a study's movement costs in each further currency: nothing is planned by it, it is only said."""

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from wayfare.arrays import Mask, Points, Values
from wayfare.currencies import Currency
from wayfare.errors import InvalidInput
from wayfare.records import Trial
from wayfare.state import StudyState
from wayfare.walk import as_chosen, as_walked, detour, journey, legs_of, saving
from wayfare.words import with_unit


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
        unordered, ordered = (
            journey(state, visits, order, travel) for order in (as_chosen(state, visits), visits)
        )
    except InvalidInput as error:  # a report must not fail over what is reported besides
        return Account(unit, remark=str(error))
    return Account(unit, paid, unordered, ordered, saving(unordered, ordered), currency.run_cost * state.used)


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
