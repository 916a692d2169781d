"""The study: the only object that changes, and it changes by appending events to its store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wayfare.errors import Conflict, InvalidInput
from wayfare.plan import Method, plan_batch
from wayfare.records import Asked, Direction, Event, Planned, StudySpec, StudyState, Told, Trial
from wayfare.report import Best, Ledger, RouteAhead, best_of, ledger_of, route_ahead_of
from wayfare.rng import stream
from wayfare.space import AnySpace
from wayfare.spec import check_own, make_spec, told_value, trial_number
from wayfare.store import MemoryStore, Store
from wayfare.travel import TravelCost, priced

if TYPE_CHECKING:
    import pandas as pd


class Study:
    """An optimisation under way: ``ask`` for the next stop, ``tell`` what was found there."""

    def __init__(self, store: Store, name: str) -> None:
        """Open the study called ``name``; ``Study.create`` begins a new one."""
        self._store, self._state = store, StudyState(store.spec(name))

    @classmethod
    def create(
        cls,
        space: AnySpace,
        *,
        direction: Direction,
        travel: TravelCost,
        trials: int,
        start: object | None = None,
        method: str | Method = "tucb",
        seed: int = 0,
        unit: str = "",
        noise: float | None = None,
        store: Store | None = None,
        name: str = "study",
    ) -> Study:
        """Begin a study.

        Args:
            space: where the traveller may go, a ``Space`` or ``Places``.
            direction: "maximize" or "minimize".
            travel: what moving costs.
            trials: how many visits in all, the first included.
            start: where the traveller stands; may lie outside the space. None: anywhere, reached for free.
            method: a name from the catalogue, or a ``Method``.
            seed: the same seed and the same results give the same plans.
            unit: of the travel cost, if the cost itself does not say.
            noise: the known standard deviation of one result, or None to learn it.
            store: where the study is kept; None: in memory.
            name: what it is called there.
        """
        if store is not None and not hasattr(store, "append"):
            raise InvalidInput(f"store must be a Store such as MemoryStore(), or None; got {store!r}")
        spec = make_spec(space, direction, travel, trials, start, method, seed, unit, noise, name)
        store = MemoryStore() if store is None else store
        store.create(spec)
        return cls(store, name)

    @property
    def spec(self) -> StudySpec:
        """What the study was created with."""
        return self._state.spec

    @property
    def state(self) -> StudyState:
        """The state now, all events applied."""
        # Folded aside and put in place at once: threads that share a study may both be reading.
        state = self._state
        for event in self._store.events(state.spec.name, state.version):
            state = state.apply(event)
        if state.version > self._state.version:
            self._state = state
        return state

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials handed out so far."""
        return self.state.trials

    def ask(self, worker: str = "", *, wait: bool = True) -> Trial | None:
        """Return the next stop, or None when all trials have been handed out.

        The same worker gets the same open trial again until it is told. With ``wait=False`` the traveller
        goes on to the next stop although results are still out; they may come late and in any order. Workers
        share the one traveller: a leg is counted from the place handed out last, to whomever.
        """
        if not isinstance(worker, str):
            raise InvalidInput(f"worker must be a name, got {worker!r}")
        while True:
            state = self.state
            if wait:
                mine = [trial for trial in state.open_trials if trial.worker == worker]
                if mine:
                    return mine[0]
            if state.left == 0:
                return None
            try:
                self._store.append(self.spec.name, state.version, self._next_stop(state, worker))
            except Conflict:
                continue  # another process was faster: look again at what it left
            return self.state.trials[len(state.trials)]

    def _next_stop(self, state: StudyState, worker: str) -> list[Event]:
        spec, events = state.spec, list[Event]()
        if state.ahead == 0 or spec.method.schedule.is_due(state.news):
            rng = stream(spec.seed, len(state.plans))
            plan = plan_batch(spec.method, spec.space, spec.travel, state.history, state.left, rng)
            route = plan.route
            events.append(Planned(route.places, route.legs, route.order, len(state.results), plan.notes))
            state = state.apply(events[0])
        leg = 0.0
        if state.position is not None:
            leg = float(priced(spec.travel, state.position[None, :], state.stops_ahead[:1])[0, 0])
        return [*events, Asked(len(state.trials), leg, worker)]

    def tell(self, trial: Trial | int, value: float) -> None:
        """Record what was found at a trial, given as handed out or by its number."""
        number = trial_number(trial)
        event = Told(number, told_value(value, number))
        while True:
            state = self.state
            check_own(state, trial)
            state.apply(event)  # refuses what cannot be, before anything is written
            try:
                return self._store.append(self.spec.name, state.version, [event])
            except Conflict:
                continue

    def best(self) -> Best:
        """Return the visited place of best posterior mean, beside the best result observed."""
        return best_of(self.state)

    def route(self) -> RouteAhead:
        """Return the stops planned ahead, with their legs."""
        return route_ahead_of(self.state)

    def ledger(self) -> Ledger:
        """Return what the movement cost, what was predicted, and what the same places cost unordered."""
        return ledger_of(self.state)

    def to_dataframe(self) -> pd.DataFrame:
        """Return one row per trial: number, state, the axes, leg and value. Needs pandas."""
        try:
            import pandas as pd
        except ImportError as error:
            raise InvalidInput("to_dataframe needs pandas: pip install 'wayfare[pandas]'") from error
        rows = [
            {
                "trial": t.number,
                "state": str(t.state),
                **t.params,
                "leg": t.leg,
                "value": t.value,
                "plan": t.plan,
            }
            for t in self.trials
        ]
        columns = ["trial", "state", *self.spec.space.names, "leg", "value", "plan"]
        return pd.DataFrame(rows, columns=columns)

    def plot_route(self, **options: Any) -> Any:
        """Draw the route; see ``wayfare.plot.plot_route``."""
        from wayfare.plot import plot_route

        return plot_route(self, **options)

    def plot_history(self, **options: Any) -> Any:
        """Draw the results and the movement over the trials; see ``wayfare.plot.plot_history``."""
        from wayfare.plot import plot_history

        return plot_history(self, **options)

    def __repr__(self) -> str:
        """Say what it is and how far it has come."""
        state = self.state
        return f"<Study {self.spec.name!r}: {len(state.results)} of {self.spec.trials} trials told>"
