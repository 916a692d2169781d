"""What a study can say of itself; nothing here changes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wayfare.ahead import RouteAhead, route_ahead_of
from wayfare.best import Best, best_of
from wayfare.drift import Drift, drift_of
from wayfare.frame import frame_of
from wayfare.journal import Journal
from wayfare.learned import LearnedCost, learned_cost
from wayfare.ledger import Ledger, ledger_of
from wayfare.records import Event, StudySpec, Trial
from wayfare.state import StudyState

if TYPE_CHECKING:
    import pandas as pd


class Readable:
    """A study to look at."""

    def __init__(self, journal: Journal) -> None:
        """Go on with a journal; ``Study.create`` begins a study, ``Study.open`` finds one again."""
        self.journal = journal

    @property
    def spec(self) -> StudySpec:
        """What the study was created with."""
        return self.journal.spec

    @property
    def state(self) -> StudyState:
        """The state now, all events applied."""
        return self.journal.state

    @property
    def events(self) -> Sequence[Event]:
        """All that has happened, oldest first."""
        return self.journal.events

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials handed out so far."""
        return self.state.trials

    def best(self) -> Best:
        """Return the visited place of best posterior mean, beside the best result observed."""
        return best_of(self.state)

    def route(self) -> RouteAhead:
        """Return the stops planned ahead, with their legs and what changes at each."""
        return route_ahead_of(self.state)

    def ledger(self) -> Ledger:
        """Return what the movement cost, what was predicted, and what the same places cost unordered."""
        return ledger_of(self.state)

    def learned(self) -> LearnedCost | None:
        """Return what legs really cost, by what ``spent`` was told of; None from fewer than five."""
        return learned_cost(self.state)

    def drift(self) -> Drift:
        """Return whether results changed with time, as far as visits to the same places can tell."""
        return drift_of(self.state)

    def to_dataframe(self) -> pd.DataFrame:
        """Return one row per trial: number, state, the axes, leg, value and plan. Needs pandas."""
        return frame_of(self.state)

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<Study {self.spec.name!r}: {self.spec.trials} trials, {self.spec.direction}>"
