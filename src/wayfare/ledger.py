"""What the movement of a study cost, and what is left of its budget."""

from attrs import frozen

from wayfare.reach import ROUNDING
from wayfare.spending import budget_left, dwell_paid, legs_paid, way_home
from wayfare.state import StudyState
from wayfare.walk import as_chosen, journey
from wayfare.words import results, with_unit


@frozen
class Ledger:
    """What the movement cost, all in ``unit``.

    ``paid`` is what the visits cost in the order they were made, as told where someone said so;
    ``predicted``, what the travel cost said when they were handed out; ``unordered``, what the same places
    would have cost in the order the policy chose them. ``saved`` is what ordering them saved, by the travel
    cost both ways. ``results`` counts what the visits brought, of a run all it has. ``dwell`` is what
    taking results cost. Of the ``budget``, ``left`` is what ``paid`` and ``dwell`` leave, negative if
    overdrawn; ``home`` is the way home from here. They are None where the study has none.
    """

    paid: float
    predicted: float
    unordered: float
    saved: float
    unit: str
    visits: int
    plans: int
    results: int
    dwell: float = 0.0
    budget: float | None = None
    left: float | None = None
    home: float | None = None

    def __str__(self) -> str:
        """Say it in a line."""
        paid, predicted, unordered, saved = (
            with_unit(cost, self.unit) for cost in (self.paid, self.predicted, self.unordered, self.saved)
        )
        found = f" with {results(self.results)}" if self.results > self.visits else ""
        return (
            f"{self.visits} visits{found} on {self.plans} routes: paid {paid}, predicted {predicted}, "
            f"unordered {unordered}, saved {saved}"
            + (f", results {with_unit(self.dwell, self.unit)}" if self.dwell else "")
            + (f"; {said}" if (said := self.allowance) else "")
        )

    @property
    def allowance(self) -> str:
        """What is left and how far home is: ``3 m of 100 m left, home is 2.5 m away``; empty without."""
        return allowance(self.budget, self.left, self.home, self.unit)


def ledger_of(state: StudyState) -> Ledger:
    """Return what the movement of a study cost."""
    visits = [trial for trial in state.trials if trial.is_visit]
    unordered = journey(state, visits, as_chosen(state, visits))
    return Ledger(
        paid=legs_paid(state),
        predicted=float(sum(trial.predicted for trial in visits)),
        unordered=unordered,
        saved=unordered - journey(state, visits, visits),
        unit=state.spec.unit,
        visits=len(visits),
        plans=len(state.plans),
        results=sum(trial.count for trial in visits if trial.value is not None),
        dwell=dwell_paid(state),
        budget=state.spec.limits.budget,
        left=budget_left(state),
        home=way_home(state, state.position),
    )


def allowance(budget: float | None, left: float | None, home: float | None, unit: str) -> str:
    """Return what is left of a budget, and how far home is."""
    said = []
    if budget is not None and left is not None:
        whole = with_unit(budget, unit)
        # What rounding took from the last leg is no debt.
        over = left < -ROUNDING * budget
        said.append(
            f"overdrawn by {with_unit(-left, unit)} of {whole}"
            if over
            else f"{with_unit(max(0.0, left), unit)} of {whole} left"
        )
    if home is not None:
        said.append(f"home is {with_unit(home, unit)} away")
    return ", ".join(said)


def budget_in_words(state: StudyState) -> str:
    """Return what is left of a study's budget, and how far home is from where the traveller stands."""
    spec = state.spec
    return allowance(spec.limits.budget, budget_left(state), way_home(state, state.position), spec.unit)


def spent_in_words(state: StudyState) -> str:
    """Return why there is no stop though trials are left."""
    return f"the budget is spent, for no place is within reach ({budget_in_words(state)})"
