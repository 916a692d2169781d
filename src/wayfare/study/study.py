"""The study: the only object that changes, and it changes by appending events to its store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from attrs import evolve, frozen

from wayfare._core import checks, html
from wayfare._core.arrays import Values
from wayfare._core.format import counted, in_words, with_unit
from wayfare.errors import InvalidInput, TooEarly
from wayfare.planning.catalogue import DEFAULT
from wayfare.planning.method import Method
from wayfare.record.change import Terms
from wayfare.record.events import Amended, Direction, Event, Failed, Skipped, StudySpec, Trial
from wayfare.record.spec import Options, make_method, make_spec, one_place
from wayfare.record.state import StudyState
from wayfare.report.allowance import allowance_of
from wayfare.report.best import Best, best_of
from wayfare.report.changes import Changes, changes_of
from wayfare.report.costs import detour_cost, learned_cost, legs_paid
from wayfare.report.dataframe import frame_of
from wayfare.report.drift import Drift, drift_of, warn_of_drift
from wayfare.report.importance import Importance, importance_of
from wayfare.report.ledger import Ledger, detour_besides, ledger_of
from wayfare.report.log import Log, form_changes, log_of
from wayfare.report.predict import Prediction, predict
from wayfare.report.progress import Progress, progress_of
from wayfare.report.reasons import Reasons, reasons_of
from wayfare.report.route_ahead import AtHome, Detour, NewRoute, RouteAhead, at_home_of, new_route_of, route_ahead_of
from wayfare.space import AnySpace
from wayfare.store import Store
from wayfare.study import change, inputs, moves, prior
from wayfare.study.change import Target
from wayfare.study.journal import Journal, as_request, caused
from wayfare.study.run import Found, run
from wayfare.travel import TravelCost
from wayfare.travel.learned import LearnedCost

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


# What a study can say of itself; nothing here changes it.


class _Reports:
    """The reports on a study, each on the state of one snapshot."""

    def snapshot(self) -> Snapshot:
        """Return the study as it stands at one moment, for any number of reports."""
        raise NotImplementedError

    def best(self) -> Best:
        """Return the visited place of best posterior mean, and the best result observed."""
        return best_of(self.snapshot().state)

    def predict(self, places: object | None = None) -> Prediction:
        """Return the belief at places: mean, sd and 95% interval of the function, and whether a visit would succeed.

        ``predict(...).to_dataframe()`` is a table of it.

        Args:
            places: a dict, a list of dicts, a DataFrame, an array or a list of rows, each with every axis; None for
                every place of a table, else for the places that have an outcome, each once.
        """
        return predict(self.snapshot().state, places)

    def route(self) -> RouteAhead:
        """Return the stops ahead as ``ask`` will hand them out, with their legs and what changes at each."""
        return route_ahead_of(self.snapshot().state)

    def ledger(self) -> Ledger:
        """Return the cost of the movement: paid, predicted, and for the same places unordered."""
        return ledger_of(self.snapshot().state)

    def learned(self) -> LearnedCost | None:
        """Return the travel cost as learned from the ``spent`` told; None if fewer than five were told."""
        return learned_cost(self.snapshot().state)

    def progress(self) -> Progress:
        """Return the gain that is still possible: a plausible improvement, and the gain of more trials."""
        return progress_of(self.snapshot().state)

    def importance(self) -> Importance:
        """Return how much each axis matters, by what is believed after all results."""
        return importance_of(self.snapshot().state)

    def drift(self) -> Drift:
        """Return whether results changed with time, judged by visits to the same places."""
        return drift_of(self.snapshot().state)

    def _repr_html_(self) -> str:
        """Return it for a notebook: how far it has come, in a few lines."""
        state = self.snapshot().state
        spec, here, route = state.spec, state.position, route_ahead_of(state)
        known = sum(trial.prior for trial in state.trials)
        told = [state.trials[number] for number in state.results]
        found = max(told, key=lambda trial: spec.sign * (trial.value or 0.0), default=None)
        entries = {
            "trials": f"{state.used} of {spec.trials} used, {state.trials_left} left"
            + (f", {counted(known, 'old result')}" if known else ""),
            "position": "" if here is None else in_words(spec.space.params(here)),
            "moved": with_unit(legs_paid(state), spec.unit),
            "left": str(allowance_of(state)),
            "ahead": f"{counted(len(route), 'stop')}, {with_unit(route.cost, spec.unit)}" if len(route) else "",
            "out": ", ".join(trial.title for trial in state.open_trials),
            "best result": "" if found is None else str(found).replace("\n    ", ": "),
        }
        return html.card(f"study {spec.name}: {spec.direction}", entries)

    def to_dataframe(self) -> pd.DataFrame:
        """Return one row per trial: number, state, the axes, leg, value, plan, prior and what was measured.

        Needs pandas.
        """
        return frame_of(self.snapshot().state)


@frozen(eq=False, repr=False)
class Snapshot(_Reports):
    """A study as it stood at one moment: every report on it speaks of the same events, and reads nothing."""

    state: StudyState

    def __repr__(self) -> str:
        """Return the name and how far the study has come."""
        return f"<Snapshot of study {self.spec.name!r}: {counted(len(self.state.results), 'result')}>"

    def snapshot(self) -> Snapshot:
        """Return itself, so that a report takes a study or a snapshot of one."""
        return self

    @property
    def spec(self) -> StudySpec:
        """The specification in force."""
        return self.state.spec

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials handed out so far."""
        return self.state.trials


class Study(_Reports):
    """An optimisation under way: ``ask`` for the next stop, ``tell`` what was found there.

    Every move takes a ``request``: an id of the caller's making (one is made up if it is left out). Sent
    again, say after a crash that hid the answer, what it caused happens once and is returned again. An
    ``ask`` that only shows an open trial causes nothing.
    """

    def __init__(self, journal: Journal) -> None:
        """Go on with a journal; ``Study.create`` begins a study, ``Study.open`` finds one again."""
        self.journal = journal

    @classmethod
    def open(
        cls,
        store: Store | str | Path,
        name: str,
        *,
        travel: TravelCost | None = None,
        method: str | Method | None = None,
        also: Sequence[TravelCost] | None = None,
        space: AnySpace | None = None,
        by: str | None = None,
        via: str = "python",
    ) -> Study:
        """Open the study called ``name`` in a store, or in the file of that path.

        A store cannot keep a Python function: if the travel cost or a part of the method is one, give it again.

        Args:
            store: a store, or the path of its file.
            name: the name of the study.
            travel: the travel cost, if it is a Python function.
            method: the method, if a part of it is the user's own.
            also: all costs in further currencies, if one of them is a Python function; they may be absent.
            space: the space, if one of its constraints is a Python function.
            by: who makes the moves, kept with each; None: ``WAYFARE_USER``, else the login name.
            via: by which way they come, kept too: "python", "cli", "web", "import" or "plug".
        """
        own = None if method is None else make_method(method)
        return cls(Journal.open(store, name, travel=travel, method=own, also=also, space=space, by=by, via=via))

    @classmethod
    def create(
        cls,
        space: AnySpace,
        *,
        direction: Direction,
        travel: TravelCost,
        trials: int,
        start: object | None = None,
        method: str | Method = DEFAULT,
        seed: int = 0,
        unit: str = "",
        noise: float | None = None,
        store: Store | str | Path | None = None,
        name: str = "study",
        known: object | None = None,
        by: str | None = None,
        via: str = "python",
        **options: Unpack[Options],
    ) -> Study:
        """Begin a study.

        Args:
            space: where the traveller may go, a ``Space`` or ``Places``.
            direction: "maximize" or "minimize".
            travel: what moving costs.
            trials: how many visits in all, the first included.
            start: where the traveller stands; may lie outside the space. None: anywhere, reached for free.
            method: a name from the catalogue, or a ``Method``; else the default, ``wayfare``.
            seed: the same seed and the same results give the same plans, on one machine.
            unit: of the travel cost, if the cost itself does not say.
            noise: the known standard deviation of one result, or None to learn it; ``blin`` and ``zooming``
                must know it.
            store: where the study is kept: a path ("lab.db"), or a store; None: in memory.
            name: what it is called there.
            known: old results: a DataFrame or dicts with every axis and a column ``value``, or a pair of places and
                values, as for ``add``.
            by: who makes the moves, kept with each; None: ``WAYFARE_USER``, else the login name.
            via: by which way they come, kept too: "python", "cli", "web", "import" or "plug".
            **options: limits and checks, as below; costs are in the unit of the travel cost.

        Options:
            budget: what legs, results and the way home may cost together; a leg that would exceed it is never
                begun.
            home: where the traveller must be able to get to, a place or "start".
            dwell: what taking one result costs; by unit if there are several, {"min": 5, "EUR": 30}.
            trip: what legs, results and the way home may cost between two visits to ``home``, as a battery
                lasts; the traveller goes there in between.
            day: a trip that is a day of work, as a text such as "8 h" or in the unit of the travel cost, a time: home
                by evening, and a route ends where the day does, but for the first, which may go over several.
            trip_cost: what every such visit costs on top, as changing the battery does.
            max_step: what one leg may cost; results are taken on the way to a place that is further.
            anchor: where to go back to now and then, so that a drift shows: a place, "start", or "best" for
                the best place so far.
            anchor_every: after how many other visits at most.
            shuffle: the share of stops, from 0 to 1, that are visited in random order, so that what changes
                with time does not look like a difference between places; the plan says what that costs.
            also: further travel costs, each in a unit of its own: reported, but not planned with.
            measured: what is measured beside the value and must keep a limit, a ``Measured`` or several:
                ``tell(..., measured={name: number})`` takes the numbers.
            stop: ``{"gain_below": 0.01}`` ends the study by itself: once its first route is walked, no further route is
                planned when, with a probability of 90%, no more than this is to be gained, in the unit of the results.
        """
        stated = (space, direction, travel, trials, start, method, seed, unit, noise, name)
        spec = make_spec(*stated, **options)
        pair = known if isinstance(known, tuple) and len(known) == 2 else (known, prior.VALUE)
        old = [] if known is None else prior.read_known(spec, *pair)  # refused before anything is written
        prior.add(StudyState(spec), old, "", "", True)
        study = cls(Journal.create(store, spec, by=by, via=via))
        if old:
            study._add(old, "", as_request(None), True)
        return study

    def add(
        self,
        places: object,
        values: object = prior.VALUE,
        *,
        measured: Sequence[Mapping[str, float | None]] | None = None,
        why: str = "",
        again: bool = False,
        request: str | None = None,
    ) -> tuple[Trial, ...]:
        """Add old results: what is known without this study. All of them are added, or none.

        They teach the model like any other result, but nothing moved for them and no trial was spent. They may be out
        of bounds; the study will not go there. Tables and pictures mark them, and number them apart: k0, k1, ...

        Args:
            places: a DataFrame, dicts, an array or a list of rows, each with every axis.
            values: a value for each place, or a list of results, or None where the experiment failed; or the name of
                the column of ``places`` that has them, next to which columns named like ``measured`` are read, too.
            measured: for each place a dict of what else was measured.
            why: a remark, kept with each.
            again: whether to add what repeats the place and value of an old result that is there already.
            request: the caller's id of this request.
        """
        old = prior.read_known(self.spec, places, values, measured)
        if not old:
            return ()
        return self._add(old, inputs.reason(why), as_request(request), again)

    def _add(self, old: Sequence[prior.Known], why: str, request: str, again: bool) -> tuple[Trial, ...]:
        own = prior.request_of(old, request)
        state = self.journal.commit(f"{own}/0", lambda state: prior.add(state, old, why, request, again))
        return tuple(caused(state, f"{own}/{2 * at}") for at in range(len(old)))

    @overload
    def ask(
        self,
        worker: str = "",
        *,
        n: None = None,
        wait: bool = True,
        count: bool = False,
        take_over: timedelta | None = None,
        request: str | None = None,
    ) -> Trial | None: ...

    @overload
    def ask(
        self,
        worker: str = "",
        *,
        n: int | Literal["day"],
        wait: bool = True,
        count: bool = False,
        request: str | None = None,
    ) -> list[Trial]: ...

    def ask(
        self,
        worker: str = "",
        *,
        n: int | Literal["day"] | None = None,
        wait: bool = True,
        count: bool = False,
        take_over: timedelta | None = None,
        request: str | None = None,
    ) -> Trial | list[Trial] | None:
        """Return the next stop; None when all trials are handed out, or budget, trip and step allow no place.

        The same worker gets the same open trial again until it has an outcome. Workers share the one traveller: a leg
        is counted from the place handed out last, to any worker. If results drift at a fixed anchor, a
        ``DriftWarning`` comes with the first trial after each result from there.

        With ``n`` a list of the next ``n`` stops is returned, in the order of the route, fewer if the limits allow no
        more. They are handed out together: where the route ends before the ``n``-th, the next is planned with all of
        them pending. Asked again, the worker has those still open, and as many more as make ``n``. With "day" these are
        the stops up to the next return home; the first may go home before, if no trial is out.

        Args:
            worker: who asks; empty for the only one.
            n: how many stops to hand out at once, as a list, or "day"; None for one alone.
            wait: False to go on to the next stop although results are still out; they may come late and in any order.
            count: if a method wants several results at a stop, hand them out together, as a run of ``trial.count``.
            take_over: how long a worker's lease of a trial is, such as ``timedelta(hours=2)``: if another worker has
                had one out for as long or longer, take that over, the oldest first, instead of going on to the next
                stop. The log keeps it, and ``trial.former`` says from whom. Not with ``n``.
            request: the caller's id of this request.
        """
        worker, request, overdue = inputs.worker_name(worker), as_request(request), inputs.overdue_since(take_over)
        if n is not None:
            if overdue is not None:
                raise InvalidInput("take_over takes over one trial at a time; leave n out")
            if n == "day" and self.spec.limits.trip is None:
                raise InvalidInput("the stops of a day: the study has neither a day nor a trip; say how many")
            many = None if n == "day" else checks.count(n, "n", 1)
            return self._ask_several(many, worker, wait, count, request)
        state = self.journal.commit(request, lambda state: moves.ask(state, worker, wait, count, request, overdue))
        if request in state.requests:
            trial = caused(state, request)
            if state.spec.anchor is not None:
                warn_of_drift(state, trial)
            return trial
        return moves.open_trial(state, worker) if wait else None

    def _ask_several(self, n: int | None, worker: str, wait: bool, count: bool, request: str) -> list[Trial]:
        state = self.journal.commit(request, lambda state: moves.ask_several(state, n, worker, wait, count, request))
        trials = moves.handed_out(state, worker, wait, request)
        if state.spec.anchor is not None:
            for trial in trials:
                warn_of_drift(state, trial)
        return trials

    def tell(
        self,
        trial: Trial | int,
        value: float | Sequence[float] | Values,
        *,
        count: int | None = None,
        variance: float | None = None,
        measured: Mapping[str, float | None] | None = None,
        actual: object | None = None,
        spent: float | None = None,
        why: str = "",
        request: str | None = None,
    ) -> Trial:
        """Record what was found at a trial, given as handed out or by its number.

        Args:
            trial: which.
            value: what was found; several results as a list, or their mean together with ``count``.
            count: of how many results the value is the mean; they may be fewer or more than were asked for.
            variance: the sample variance of those results, if it is known.
            measured: what else was measured, by the names of the study's ``measured``; of several results, the means.
                What was not measured is left out, or None. A number that breaks its limit is a result like any other.
            actual: where it really was, if the setting was missed; a dict may name only what differed. Model
                and movement use it; it may be out of bounds.
            spent: what the leg really cost, in the study's unit.
            why: a remark, kept with the trial.
            request: the caller's id of this request.
        """
        number, cost, why = inputs.trial_number(trial), inputs.spent_cost(spent), inputs.reason(why)
        found, request = inputs.told_result(value, count, variance, number), as_request(request)
        taken = inputs.measured_numbers(self.spec.measured, measured, number)
        kept = {name: number for name, number in taken.items() if number is not None}

        def decide(state: StudyState) -> list[Event]:
            inputs.check_own(state, trial)
            if request not in state.requests:
                inputs.check_whole(state, number, value, count)
            row = inputs.actual_row(state, number, actual)
            told = found.told(number, request=request, actual=row, spent=cost, why=why, measured=kept)
            return moves.close(state, told)

        return caused(self.journal.commit(request, decide), request)

    def fail(
        self,
        trial: Trial | int,
        why: str = "",
        *,
        actual: object | None = None,
        spent: float | None = None,
        request: str | None = None,
    ) -> Trial:
        """Record that the move was made but there is no value; the place counts as visited.

        Args:
            trial: which, as handed out or by its number.
            why: the reason, kept with the trial.
            actual: where it really was, if the setting was missed; a dict may name only what differed.
            spent: what the leg really cost, in the study's unit.
            request: the caller's id of this request.
        """
        number, request = inputs.trial_number(trial), as_request(request)
        why, cost = inputs.reason(why), inputs.spent_cost(spent)

        def decide(state: StudyState) -> list[Event]:
            inputs.check_own(state, trial)
            row = inputs.actual_row(state, number, actual)
            return moves.close(state, Failed(number=number, why=why, request=request, actual=row, spent=cost))

        return caused(self.journal.commit(request, decide), request)

    def skip(self, trial: Trial | int, why: str = "", *, request: str | None = None) -> Trial:
        """Record that the place was not visited: no movement, no trial spent, the route closes over the gap.

        The next plan looks elsewhere first; ``insert`` goes there after all.

        Args:
            trial: which, as handed out or by its number.
            why: the reason, kept with the trial.
            request: the caller's id of this request.
        """
        number, request, why = inputs.trial_number(trial), as_request(request), inputs.reason(why)

        def decide(state: StudyState) -> list[Event]:
            inputs.check_own(state, trial)
            return moves.close(state, Skipped(number=number, why=why, request=request))

        return caused(self.journal.commit(request, decide), request)

    def run(
        self,
        function: Callable[..., Found],
        *,
        workers: int = 1,
        worker: str = "",
        executor: Executor | None = None,
        lease: timedelta | None = None,
        failures: int = 3,
    ) -> None:
        """Measure the stops by ``function(**params)`` until no more are left, several at a time.

        Every result is kept as it comes. An exception is a failed trial, with its text as the reason; what is out when
        this process is killed is measured again when it is run again. Other workers may be at the same study.

        Args:
            function: returns the value, or the value and a dict of what was measured with it, by name.
            workers: how many stops are measured at a time: here, or if several, each in a process of its own.
            worker: a name; several workers are numbered behind it. Empty: the user and the machine.
            executor: calls the function instead of own processes, such as ``dask.distributed``'s
                ``client.get_executor()``.
            lease: take over what other workers have had out for so long, such as ``timedelta(hours=2)``, which should
                be more than a measurement takes; None: leave it to them.
            failures: how many trials may fail in a row; then the last exception is raised.
        """
        run(self, function, workers, worker, executor, lease, failures)

    def insert(
        self, place: object, *, count: int = 1, worker: str = "", dry_run: bool = False, request: str | None = None
    ) -> Detour:
        """Hand out an extra place now, after those handed out before; say what the detour costs.

        It counts as a trial, or as ``count`` of them, but is never refused for want of trials; it is if
        budget, trip or ``max_step`` do not allow it and the return home. The rest of the route stays.

        Args:
            place: where to go: a dict of values by axis, or a row.
            count: how many results to take there.
            worker: who goes; empty for the only one.
            dry_run: write nothing; the trial is the one that would be handed out.
            request: the caller's id of this request.
        """
        worker, request = inputs.worker_name(worker), as_request(request)
        row = one_place(self.spec.space, place, "insert")
        many = checks.count(count, "count", 1)

        def decide(state: StudyState) -> list[Event]:
            return moves.insert(state, row, many, worker, request)

        made = self.journal.preview if dry_run else self.journal.commit_around
        before, after = made(request, decide)
        cost, also = detour_cost(before, row, many), detour_besides(before, row, many)
        return Detour(caused(after, request), cost, self.spec.unit, also)

    def amend(
        self,
        trial: Trial | int | str,
        value: float | Sequence[float] | Values | None = None,
        *,
        count: int | None = None,
        variance: float | None = None,
        measured: Mapping[str, float | None] | None = None,
        withdraw: bool = False,
        why: str = "",
        actual: object | None = None,
        spent: float | None = None,
        request: str | None = None,
    ) -> Trial:
        """Correct a trial that has its outcome: its value, what was measured, its place, what its leg cost.

        What is left out stays. The values before stay readable as ``trial.earlier``, and all of it in the events.

        Args:
            trial: which, as handed out or by its number; an old result by its label, such as "k3".
            value: the correct value; of a run as for ``tell``.
            count: of how many results the value is the mean.
            variance: the sample variance of those results, if it is known.
            measured: the correct numbers by name; None for one that was not measured after all.
            withdraw: take the value back, and what was measured with it: the trial counts as failed.
            why: the reason, kept with the trial.
            actual: where it really was; a dict may name only what differs.
            spent: what the leg really cost, in the study's unit.
            request: the caller's id of this request.
        """
        trial = inputs.labelled(self.state, trial) if isinstance(trial, str) else trial
        number, request, why = inputs.trial_number(trial), as_request(request), inputs.reason(why)
        inputs.check_amendment(number, value, (count, variance), withdraw, measured, (actual, spent))
        numbers = inputs.measured_numbers(self.spec.measured, measured, number)
        found = None if value is None else inputs.told_result(value, count, variance, number)
        cost = inputs.spent_cost(spent)

        def decide(state: StudyState) -> list[Event]:
            inputs.check_own(state, trial)
            if request not in state.requests:
                inputs.check_whole(state, number, value, count)
            row = inputs.amended_row(state, number, actual, request)
            wanted = Amended(number=number, value=None, why=why, request=request, actual=row, spent=cost)
            if found is not None:
                wanted = evolve(wanted, value=found.value, count=found.count, variance=found.variance)
            return moves.amend(state, wanted, not withdraw and value is None, numbers)

        return caused(self.journal.commit(request, decide), request)

    def replan(self, position: object | None = None, *, why: str = "", request: str | None = None) -> NewRoute:
        """Drop the rest of the route and plan again, from ``position`` if the traveller is elsewhere.

        Moving there is not counted as movement: it was not done for the study. ``replan(position=home)`` starts a new
        trip; any other position continues the current one.

        Args:
            position: where the traveller stands; a dict may name only what differs from where it was thought to be.
            why: the reason, kept with the event.
            request: the caller's id of this request.

        Returns:
            The new route, and the rest of the one that was dropped.
        """
        request, why = as_request(request), inputs.reason(why)

        def decide(state: StudyState) -> moves.Decided:
            row = None if position is None else inputs.position_row(state, position, request)
            return moves.replan(state, row, why, request)

        return new_route_of(*self.journal.commit_around(request, decide))

    def change(
        self, *, why: str = "", dry_run: bool = False, request: str | None = None, **terms: Unpack[Terms]
    ) -> Changes:
        """Change the study under way: what it allows, what it may cost, how it plans. What was measured and paid stays.

        Results out of the space as it is now still teach the model, but no route goes there. A route that the change
        affects is dropped, and the next ``ask`` plans a new one; trials that are out stay valid. Values added to a
        choice are visited first. Legs already handed out keep their price. Only another change undoes a change.

        Args:
            why: the reason, kept with the event.
            dry_run: write nothing; return what would change, and its price.
            request: the caller's id of this request.
            **terms: what is to hold from now on, as below; None takes a limit away.

        Terms:
            axes: by name, ``(low, high)`` of an axis of numbers, None for an end that stays; all values that a choice
                is to have, in a list; a dict of fields, such as ``{"step": 0.5}``; or a whole axis.
            places: of a study of a table, the table as it is from now on.
            forbidden: all forbidden regions.
            constraints: all constraints.
            space: all of the space at once.
            travel: what moving costs from now on, in the study's unit.
            trials, method, noise, and all the options of ``create``: as there.
            start: where the traveller stands, as long as no trial was handed out.

        Returns:
            What changed, what falls out of the route, and what is left.
        """
        return self._change(change.by_terms(terms), why, dry_run, request)

    def change_by_form(
        self,
        form: Mapping[str, Any],
        *,
        folder: Path | None = None,
        whole: bool = False,
        why: str = "",
        dry_run: bool = False,
        request: str | None = None,
    ) -> Changes:
        """Change the study by keys of a study file.

        Args:
            form: the keys, each as a study file states it; None takes one away.
            folder: files named in it must be below this folder; None: it may name none.
            whole: the form is a whole study file, and what it leaves out is to be left out from now on.
            why: the reason, kept with the event.
            dry_run: write nothing; return what would change, and its price.
            request: the caller's id of this request.
        """
        target = change.by_file(form, folder or Path()) if whole else change.by_form(form, folder)
        return self._change(target, why, dry_run, request)

    def _change(self, target: Target, why: str, dry_run: bool, request: str | None) -> Changes:
        why, request = inputs.reason(why), as_request(request)

        def decide(state: StudyState) -> list[Event]:
            return change.change(state, target, why, request)

        before, after = (self.journal.preview if dry_run else self.journal.commit_around)(request, decide)
        made = after.requests[request]
        found = form_changes(change.form_of(before.spec), getattr(made, "form", {}))
        return changes_of(before, after, tuple(found), dry_run)

    def go_home(self, *, spent: float | None = None, why: str = "", request: str | None = None) -> AtHome:
        """Let the traveller go home now: the way there is paid, and the next day or trip begins.

        The rest of the route stays, and ``ask`` goes on with it from home; ``replan`` plans again. Trials that are out
        may be told later; the way home begins at the last of them, or at the visit before if that is skipped.

        Args:
            spent: what the way home really cost, in the study's unit.
            why: a remark, kept with the event.
            request: the caller's id of this request.
        """
        cost, why, request = inputs.spent_cost(spent), inputs.reason(why), as_request(request)
        self.journal.commit(request, lambda state: moves.go_home(state, cost, why, request))
        return at_home_of(self.journal.last, request)

    def why(self, trial: Trial | int | None = None) -> Reasons:
        """Return why a trial was chosen: what was believed then, what it teaches and costs, and what else there was.

        Args:
            trial: which, as handed out or by its number; None for the one that is out, else the last.
        """
        state = self.state
        if not state.trials:
            raise TooEarly("no trial has been handed out yet; ask first")
        last = state.open_trials[0] if state.out else state.trials[-1]
        chosen = last if trial is None else state.trial(inputs.trial_number(trial))
        return reasons_of(state, self.events, chosen)

    def acting(self, by: str, via: str = "python") -> Study:
        """Return the study for the moves of another user, as it was read here last; the store is not read for it.

        A program that serves many users opens a study once, and lets each of them act on it.

        Args:
            by: who makes the moves, kept with each.
            via: by which way they come: "python", "cli", "web", "import" or "plug".
        """
        return Study(self.journal.acting(by, via))

    def snapshot(self) -> Snapshot:
        """Return the study as it stands now, read once, for any number of reports."""
        return Snapshot(self.journal.state)

    @property
    def last(self) -> Snapshot:
        """The study as the last move or ``snapshot`` here left it, without reading the store.

        A report after a move needs no second read. Other processes may have moved on since: ``snapshot`` looks.
        """
        return Snapshot(self.journal.last)

    @property
    def spec(self) -> StudySpec:
        """The specification in force when the study was last read here; ``state.created`` is that of its beginning."""
        return self.journal.spec

    @property
    def state(self) -> StudyState:
        """The state now, all events applied."""
        return self.journal.state

    @property
    def events(self) -> Sequence[Event]:
        """All that has happened, oldest first."""
        return self.journal.events

    def log(self) -> Log:
        """Return the audit trail: what changed, from what, to what, why, by whom, when and by which way.

        ``log().to_dataframe()`` is a table of it.
        """
        events, made = self.events, self.journal.last.created
        form = change.form_of(made) if self.journal.last.earlier else {}
        return log_of(made, events, self.journal.created, self.journal.history, form)

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials handed out so far."""
        return self.state.trials

    def __repr__(self) -> str:
        """Return the name, the trials and the direction."""
        return f"<Study {self.spec.name!r}: {self.spec.trials} trials, {self.spec.direction}>"

    def plot_route(self, **options: Any) -> Figure:
        """Draw the route, and return the figure; see ``wayfare.plot.plot_route``."""
        from wayfare.plot import plot_route

        return plot_route(self, **options)

    def plot_history(self, **options: Any) -> Figure:
        """Draw results and movement over the trials, and return the figure; see ``wayfare.plot.plot_history``."""
        from wayfare.plot import plot_history

        return plot_history(self, **options)

    def plot_importance(self, **options: Any) -> Figure:
        """Draw how much each axis matters, and return the figure; see ``wayfare.plot.plot_importance``."""
        from wayfare.plot import plot_importance

        return plot_importance(self, **options)

    def plot_belief(self, **options: Any) -> Figure:
        """Draw what is believed of the function, and return the figure; see ``wayfare.plot.plot_belief``."""
        from wayfare.plot import plot_belief

        return plot_belief(self, **options)
