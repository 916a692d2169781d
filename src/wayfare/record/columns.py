"""The trials of a study as arrays, kept from plan to plan: what is new since the last one is added, the rest is kept.

A planner looks at all results before each route. Reading them trial by trial would make a study of T trials, planned
one by one, cost T^2.
"""

from collections.abc import Sequence, Set
from typing import Any

import numpy as np
from attrs import evolve, frozen

from wayfare._core.arrays import Mask, Matrix, Order, Points, Values, no_points
from wayfare.record.events import Planned, StudySpec, Trial, TrialState

_KINDS = {state: number for number, state in enumerate(TrialState)}


@frozen(eq=False)
class Columns:
    """The trials as arrays, one entry for each.

    Attributes:
        x: (n, d) the places.
        places: (n,) equal numbers for equal places.
        values: (n,) the values; 0 where there is none.
        counts: (n,) the numbers of results.
        variances: (n,) the variances among these; nan where unknown.
        measured: (n, k) what was measured, a column per limit; nan where it was not.
        kinds: (n,) the states, numbered.
        visits: (n,) whether each is a visit.
        stops: (n, 2) the plan and the stop there; -1 for no stop.
        put_in: (n,) whether the stop was put in on the way.
        results: (m,) the numbers of the told trials, in the order their values arrived.
        known: the number of every place. It only grows, and is shared with the columns of later states.
    """

    x: Points
    places: Order
    values: Values
    counts: Order
    variances: Values
    measured: Matrix
    kinds: Order
    visits: Mask
    stops: Order
    put_in: Mask
    results: Order
    known: dict[bytes, int]

    @classmethod
    def empty(cls, spec: StudySpec) -> "Columns":
        """Return the columns of no trials."""
        none, some = np.empty(0, dtype=np.intp), np.empty(0)
        no, stops, measured = (
            np.empty(0, dtype=np.bool_),
            np.empty((0, 2), dtype=np.intp),
            np.empty((0, len(spec.measured))),
        )
        return cls(no_points(spec.space.d), none, some, none, some, measured, none, no, stops, no, none, {})

    def after(
        self,
        spec: StudySpec,
        trials: Sequence[Trial],
        plans: Sequence[Planned],
        results: Sequence[int],
        changed: Set[int],
    ) -> "Columns":
        """Return the columns with the trials, plans and results that came since.

        Args:
            spec: in force; it measures what it measured before.
            trials: all trials.
            plans: all plans.
            results: the numbers of the told trials; those that were there before still come first.
            changed: the numbers of the trials that changed since; new ones need not be among them.
        """
        before = len(self.x)
        at = np.array(
            [*sorted(number for number in changed if number < before), *range(before, len(trials))], dtype=np.intp
        )
        some = [trials[number] for number in at]
        names = [limit.name for limit in spec.measured]
        rows = {
            "x": np.array([trial.x for trial in some]).reshape(len(some), spec.space.d),
            "places": [self._number(trial.x) for trial in some],
            "values": [trial.value or 0.0 for trial in some],
            "counts": [trial.count for trial in some],
            "variances": [np.nan if trial.variance is None else trial.variance for trial in some],
            "measured": np.array(
                [[trial.measured.get(name, np.nan) for name in names] for trial in some], dtype=np.float64
            ).reshape(len(some), len(names)),
            "kinds": [_KINDS[trial.state] for trial in some],
            "visits": [trial.is_visit for trial in some],
            "stops": np.array(
                [(trial.plan, -1 if trial.stop is None else trial.stop) for trial in some], dtype=np.intp
            ).reshape(len(some), 2),
            "put_in": [trial.stop is not None and trial.stop in plans[trial.plan].between for trial in some],
        }
        columns: dict[str, Any] = {}
        for name, entries in rows.items():
            old = getattr(self, name)
            columns[name] = np.empty((len(trials), *old.shape[1:]), dtype=old.dtype)
            columns[name][:before] = old
            columns[name][at] = entries
        told = np.concatenate([self.results, np.array(results[len(self.results) :], dtype=np.intp)])
        return evolve(self, **columns, results=told)

    def _number(self, x: Values) -> int:
        return self.known.setdefault((x + 0.0).tobytes(), len(self.known))

    def of(self, state: TrialState) -> Mask:
        """Return which trials are in a state."""
        return np.asarray(self.kinds == _KINDS[state])

    @property
    def between(self) -> Mask:
        """Which visits were not chosen: put in on the way, or a further result at the stop before."""
        stops, put_in = self.stops[self.visits], self.put_in[self.visits]
        again = (stops[1:] == stops[:-1]).all(axis=1) & (stops[1:, 1] >= 0)
        put_in[1:] |= again
        return put_in
