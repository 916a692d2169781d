"""The state of a study: what its events add up to."""

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from attrs import define, field

from wayfare.arrays import Mask, Order, Points, Values, no_points, read_only
from wayfare.errors import UnknownTrial
from wayfare.history import History, Past
from wayfare.records import Event, Planned, StudySpec, Trial, TrialState
from wayfare.space import AnySpace


@define(eq=False, on_setattr=None)
class StudyState:
    """The state of a study after its first ``version`` events.

    ``used`` counts the trials used up, a run as many as it has results. ``ahead`` counts the stops of the
    current plan that are not handed out or not wholly; of the first of them ``taken`` results were. ``news``
    is what was learned since it was made: results and corrections. ``results`` lists the numbers of told
    trials in the order their values arrived, ``out`` those handed out and still without an outcome. ``moved``
    says where the traveller was put by hand, each with the number of trials there were then. ``last`` is the
    last event, and ``requests`` has the one that every request caused.
    """

    spec: StudySpec
    version: int = 0
    trials: tuple[Trial, ...] = ()
    results: tuple[int, ...] = ()
    out: tuple[int, ...] = ()
    used: int = 0
    plans: tuple[Planned, ...] = ()
    ahead: int = 0
    taken: int = 0
    news: int = 0
    moved: tuple[tuple[int, Values], ...] = ()
    last: Event | None = None
    requests: Mapping[str, Event] = field(factory=dict[str, Event])

    @property
    def position(self) -> Values | None:
        """Where the traveller stands: at the last place visited, where put since, or still at the start."""
        return self.origin(len(self.trials))

    @cached_property
    def trials_left(self) -> int:
        """How many trials may still be handed out; a place that was skipped does not count.

        No more than there are places left, where each may be visited only once.
        """
        left, size = max(0, self.spec.trials - self.used), self.unvisited.size
        return min(left, size) if self.spec.space.once and size is not None else left

    @cached_property
    def unvisited(self) -> AnySpace:
        """The space without what was visited, where each place may be only once; skipped places stay."""
        space = self.spec.space
        if not space.once:
            return space
        return space.without(self._places(t for t in self.trials if t.state is not TrialState.SKIPPED))

    @cached_property
    def to_come(self) -> Order:
        """The numbers of the current plan's stops that are ahead, in visiting order.

        Without those visited off the plan meanwhile, where a place may be visited only once.
        """
        if not self.plans:
            return np.empty(0, dtype=np.intp)
        stops = self.plans[-1].stops
        numbers = np.arange(len(stops) - self.ahead, len(stops))
        if self.spec.space.once:
            numbers = numbers[self.unvisited.contains(stops[numbers])]
        counts = self._to_take(numbers)
        return numbers[np.cumsum(counts) - counts < self.trials_left]

    @cached_property
    def counts_ahead(self) -> Order:
        """How many results are still to be taken at each of the stops ahead."""
        counts = self._to_take(self.to_come)
        before = np.cumsum(counts) - counts
        return np.asarray(np.minimum(counts, self.trials_left - before))

    @property
    def homes_ahead(self) -> Mask:
        """Before which of the stops ahead the traveller goes home first, as it was planned."""
        if not self.plans:
            return np.zeros(0, dtype=np.bool_)
        plan = self.plans[-1]
        first = len(plan.stops) - self.ahead + (self.taken > 0)  # where some was taken, the traveller is
        before = [first, *(self.to_come[:-1] + 1)]
        return np.array(
            [
                any(start <= home <= stop for home in plan.homes)
                for start, stop in zip(before, self.to_come, strict=False)
            ],
            dtype=np.bool_,
        )

    def _to_take(self, numbers: Order) -> Order:
        if not len(numbers):
            return np.empty(0, dtype=np.intp)
        plan = self.plans[-1]
        counts = plan.each[numbers]
        counts[numbers == len(plan.stops) - self.ahead] -= self.taken
        return counts

    @property
    def stops_ahead(self) -> Points:
        """The stops of the current plan that are ahead, in visiting order."""
        return self.plans[-1].stops[self.to_come] if self.plans else no_points(self.spec.space.d)

    @property
    def open_trials(self) -> tuple[Trial, ...]:
        """The trials handed out and still without an outcome."""
        return tuple(self.trials[number] for number in self.out)

    @cached_property
    def history(self) -> History:
        """What a planner may know, larger being better."""
        told = [self.trials[number] for number in self.results]
        failed = [trial for trial in self.trials if trial.state is TrialState.FAILED]
        skipped = [trial for trial in self.trials if trial.state is TrialState.SKIPPED]
        return History(
            space=self.spec.space,
            x=self._places(told),
            y=np.array([self.spec.sign * (trial.value or 0.0) for trial in told]),
            pending=self._places(self.open_trials),
            failed=self._places(failed),
            skipped=self._places(skipped),
            position=self.position,
            noise=self.spec.noise,
            past=tuple(Past(plan.told, plan.notes) for plan in self.plans),
            visited=self._places(trial for trial in self.trials if trial.is_visit),
            between=self._between(),
            counts=[trial.count for trial in told],
            variances=[np.nan if trial.variance is None else trial.variance for trial in told],
            pending_counts=[trial.count for trial in self.open_trials],
            handed_out=self.used,
            just_skipped=self._places(trial for trial in skipped if trial.plan == len(self.plans) - 1),
        )

    def _between(self) -> Mask:
        """Return which visits nobody chose: put in on the way, or a further result of the stop before."""
        between, before = [], None
        for trial in self.trials:
            if trial.is_visit:
                stop = None if trial.stop is None else (trial.plan, trial.stop)
                put_in = stop is not None and trial.stop in self.plans[trial.plan].between
                between.append(put_in or (stop is not None and stop == before))
                before = stop
        return np.array(between, dtype=np.bool_)

    def _places(self, trials: Iterable[Trial]) -> Points:
        return read_only(np.array([trial.x for trial in trials]).reshape(-1, self.spec.space.d))

    def origin(self, number: int) -> Values | None:
        """Return where the traveller stood before trial ``number``; None where nobody said."""
        moves = [(after, x) for after, x in self.moved if after <= number]
        after, put = moves[-1] if moves else (0, self.spec.start)
        visited = (trial.x for trial in reversed(self.trials[after:number]) if trial.is_visit)
        return next(visited, put)

    def next_visit(self, number: int) -> Trial | None:
        """Return the visit after trial ``number`` whose leg began there; None if there is none."""
        until = next((after for after, _ in self.moved if after > number), len(self.trials))
        return next((trial for trial in self.trials[number + 1 : until] if trial.is_visit), None)

    def trial(self, number: int) -> Trial:
        """Return the trial of that number."""
        if not 0 <= number < len(self.trials):
            asked = f"0 to {len(self.trials) - 1} have been" if self.trials else "none has been"
            raise UnknownTrial(f"trial {number} was never handed out ({asked}); ask first")
        return self.trials[number]
