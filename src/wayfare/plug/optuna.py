"""A sampler for Optuna: ``optuna.create_study(sampler=WayfareSampler(travel=..., trials=40))``, movement planned.

Optuna owns the trials. Everything the plan needs is kept with them: each trial carries, as a system attribute, the
events that led to its place, so any process that has the storage has the study. Trials take their turns in the order of
their numbers, which makes a storage without locks enough for several processes.
"""

from __future__ import annotations

import copy
import json
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Unpack

from attrs import evolve, frozen

from wayfare._core import checks
from wayfare._core.arrays import Values
from wayfare._core.extras import install
from wayfare._core.rng import stream
from wayfare.errors import BudgetSpent, InvalidInput
from wayfare.form import write_spec
from wayfare.planning.catalogue import DEFAULT
from wayfare.planning.method import Method
from wayfare.plug.host import Found, close, differences, learn
from wayfare.record.events import Asked, Inserted, StudySpec
from wayfare.record.spec import Options, make_spec
from wayfare.space import Choice, Integer, Real, Space
from wayfare.store import MemoryStore
from wayfare.study import Study
from wayfare.study.journal import Journal
from wayfare.travel import TravelCost

try:
    import optuna
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
    from optuna.trial import TrialState
except ImportError as error:
    raise InvalidInput(f"wayfare.plug.optuna needs Optuna: {install('optuna', 'optuna')}") from error

__all__ = ["WayfareSampler"]

_log = logging.getLogger(__name__)

EVENTS = "wayfare"
"""The system attribute of a trial: the events that led to its place, how many came before, and the place."""
FORM = "wayfare"
"""The system attribute of a study: its specification as it was when the first place was planned."""
SHORTEST, LONGEST = 0.005, 0.25
"""Seconds between two looks at the trials before one's own."""
LONGEST_NAME = 200


@frozen(eq=False)
class Axes:
    """The parameters of an Optuna study as a space.

    Attributes:
        space: the space.
        kinds: the distribution of each parameter, in the order of the axes.
        exact: whether the distributions are those of the objective, so that trials must have the same.
    """

    space: Space
    kinds: Mapping[str, Any]
    exact: bool

    @classmethod
    def of(cls, given: Space | Mapping[str, Any]) -> Axes:
        """Return the axes of a space, or of distributions by name."""
        if isinstance(given, Space):
            return cls(given, {axis.name: _kind(axis) for axis in given.axes}, exact=False)
        if not isinstance(given, Mapping) or not given:
            raise InvalidInput(f"space must be a wayfare Space, or Optuna distributions by name, got {given!r:.200}")
        return cls(Space(*(_axis(name, kind) for name, kind in given.items())), dict(given), exact=True)

    def params(self, x: Sequence[float]) -> dict[str, Any]:
        """Return a place as Optuna's parameters."""
        axes = zip(self.space.axes, self.kinds.items(), x, strict=True)
        return {
            name: kind.choices[round(number)] if isinstance(axis, Choice) else axis.value(number)
            for axis, (name, kind), number in axes
        }

    def place(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters as the values of a place; a value no choice has is refused."""
        place = {}
        for axis in self.space.axes:
            value = params[axis.name]
            if isinstance(axis, Choice):
                try:
                    value = axis.values[int(self.kinds[axis.name].to_internal_repr(value))]
                except ValueError as error:
                    raise InvalidInput(f"parameter {axis.name!r} has no choice {value!r}; {DYNAMIC}") from error
            place[axis.name] = value
        return place

    def is_whole(self, params: Mapping[str, Any]) -> bool:
        """Return whether every axis has a parameter."""
        return all(name in params for name in self.kinds)

    def check(self, trial: Any) -> None:
        """Refuse a finished trial with other parameters than the others."""
        for name in trial.distributions:
            self.check_name(name, trial.number)
        for name, kind in self.kinds.items():
            if name not in trial.distributions:
                raise InvalidInput(f"trial {trial.number} has no parameter {name!r}; {DYNAMIC}")
            own = trial.distributions[name]
            if type(own) is not type(kind) or (self.exact and own != kind):
                raise InvalidInput(f"trial {trial.number} has parameter {name!r} as {own}, not as {kind}; {DYNAMIC}")

    def check_name(self, name: str, number: int) -> None:
        """Refuse a parameter that the other trials do not have."""
        if name not in self.kinds:
            raise InvalidInput(f"trial {number} has a parameter {name!r}, which others have not; {DYNAMIC}")


DYNAMIC = "WayfareSampler plans in one space and cannot follow spaces that change from trial to trial (dynamic spaces)"


def _axis(name: str, kind: Any) -> Real | Integer | Choice:
    """Return the axis of a distribution."""
    if isinstance(kind, FloatDistribution):
        return Real(name, kind.low, kind.high, log=kind.log, step=kind.step)
    if isinstance(kind, IntDistribution):
        return Integer(name, kind.low, kind.high, step=kind.step, log=kind.log)
    if isinstance(kind, CategoricalDistribution):
        return Choice(name, [one if isinstance(one, str | int | float) else str(one) for one in kind.choices])
    raise InvalidInput(f"space: {name!r} must be an Optuna distribution, got {kind!r}")


def _kind(axis: Real | Integer | Choice) -> Any:
    """Return a distribution that holds the values of an axis; its steps are the axis's own affair."""
    if isinstance(axis, Choice):
        return CategoricalDistribution(axis.values)
    return (FloatDistribution if isinstance(axis, Real) else IntDistribution)(axis.low, axis.high, log=axis.log)


class WayfareSampler(optuna.samplers.BaseSampler):  # type: ignore[misc]  # Optuna is an extra, and skipped by mypy
    """Plans where the trials of an Optuna study are made, so that going from one to the next costs little.

    A trial that failed counts as visited without a result; one that was pruned has its last intermediate value, or
    failed if it has none. An objective may say more of its trial in user attributes: ``spent``, what getting there
    really cost; ``actual``, a dict of the parameters that were not set as suggested; ``measured``, numbers by name, if
    there are limits on them; ``skipped``, if the place was not visited; and ``why``, a remark. Trials of other samplers
    are known results.

    Attributes:
        space: the parameters, if they were given.
    """

    def __init__(
        self,
        *,
        travel: TravelCost,
        trials: int,
        space: Space | Mapping[str, Any] | None = None,
        start: Mapping[str, Any] | None = None,
        method: str | Method = DEFAULT,
        seed: int = 0,
        unit: str = "",
        noise: float | None = None,
        by: str | None = None,
        patience: float = 60.0,
        **options: Unpack[Options],
    ) -> None:
        """State what a study of ours would be created with; ``Study.create`` explains each.

        Args:
            travel: what moving costs.
            trials: how many visits in all; then ``study.optimize`` ends by itself. A later sampler may have more.
            space: the parameters as Optuna distributions by name, or as a wayfare ``Space``, which may have forbidden
                regions and constraints. None: those of the first trial that is complete; until then nothing is planned,
                and trials are made at ``start``, or at random without one.
            start: where the traveller stands, a value for each parameter. None: at the last trial of another sampler,
                if there is one, else anywhere.
            method: a name from the catalogue, or a ``Method``.
            seed: the same seed and the same results give the same plans.
            unit: of the travel cost, if the cost itself does not say.
            noise: the known standard deviation of one result, or None to learn it.
            by: who makes the moves, kept with each.
            patience: how many seconds to wait for a trial before this one that has no place yet, because its process is
                still planning, or dead.
            **options: limits and checks, as for ``Study.create``.
        """
        self.space = None if space is None else Axes.of(space)
        self._stated = (travel, checks.count(trials, "trials", 1), start, method, seed, unit, noise)
        self._options, self._by = options, by
        self._start, self._seed = start, seed
        self._patience = checks.not_negative(patience, "patience, in seconds,")
        self.__setstate__({})

    def __getstate__(self) -> dict[str, Any]:
        """Return the stated options; all else is in the storage."""
        return {key: value for key, value in vars(self).items() if key not in ("_lock", "_kept", "_dead", "_made")}

    def __setstate__(self, stated: dict[str, Any]) -> None:
        """Begin with what was stated."""
        self.__dict__.update(stated)
        self._lock = threading.Lock()
        self._kept: tuple[StudySpec, Study] | None = None
        self._made: tuple[str, Axes, StudySpec] | None = None
        self._dead = set[int]()

    def study(self, study: optuna.Study) -> Study:
        """Return what wayfare made of an Optuna study, all finished trials told: for its ledger, route and pictures.

        It is a copy; what is done with it changes nothing in Optuna.

        Args:
            study: the Optuna study.
        """
        trials = study.get_trials(deepcopy=False)
        axes = self._axes(trials)
        if axes is None:
            raise InvalidInput("no trial is complete yet, so the space is not known; give space= to the sampler")
        with self._lock:
            told = copy.deepcopy(self._own(self._created(study, axes), _chain(study, trials)))
        self._take(told, axes, trials)
        return told

    def before_trial(self, study: optuna.Study, trial: optuna.trial.FrozenTrial) -> None:
        """Decide where the trial is made, once those before it are decided."""
        if _decided(study, trial):
            return  # when it was made; here it was taken from the storage again
        try:
            _check(study)
            self._wait(study, trial.number)
            with self._lock:
                self._decide(study, trial)
        except BaseException:
            study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
            raise

    def infer_relative_search_space(
        self, study: optuna.Study, trial: optuna.trial.FrozenTrial
    ) -> dict[str, optuna.distributions.BaseDistribution]:
        """Return the parameters, if the place of this trial was planned."""
        axes = self._axes_of(study, trial)
        return {} if axes is None else dict(axes.kinds)

    def sample_relative(
        self, study: optuna.Study, trial: optuna.trial.FrozenTrial, search_space: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the place of this trial."""
        axes = self._axes_of(study, trial)
        return {} if axes is None else axes.params(_decided(study, trial)["x"])

    def sample_independent(
        self, study: optuna.Study, trial: optuna.trial.FrozenTrial, param_name: str, param_distribution: Any
    ) -> Any:
        """Return a value for a parameter of the first trial, whose space is not known yet; else refuse it."""
        if _decided(study, trial).get("over"):
            raise optuna.TrialPruned(OVER)
        if (axes := self._axes_of(study, trial)) is not None:
            axes.check_name(param_name, trial.number)
            own = axes.kinds[param_name]
            raise InvalidInput(
                f"trial {trial.number} has parameter {param_name!r} as {param_distribution}, not as {own}; {DYNAMIC}"
            )
        if self._start is not None and param_name in self._start:
            value = self._start[param_name]
            if param_distribution._contains(param_distribution.to_internal_repr(value)):
                return value
        one = Axes.of({param_name: param_distribution})
        draw = one.space.sample(1, stream(self._seed, f"optuna {trial.number} {param_name}"))
        return one.params(draw[0].tolist())[param_name]

    def after_trial(
        self, study: optuna.Study, trial: optuna.trial.FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """End the loop of ``study.optimize`` after the last trial."""
        if self._kept is not None and self._kept[1].last.state.trials_left == 0 and not trial.user_attrs.get("skipped"):
            with suppress(RuntimeError):  # there is no loop to end
                study.stop()

    # The turn of one trial.

    def _wait(self, study: optuna.Study, number: int) -> None:
        """Wait until every trial before this one has its place."""
        since, before, pause = time.monotonic(), set[int](), SHORTEST
        while True:
            running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
            undecided = {one.number for one in running if not _of(study, one) and not one.params}
            undecided = {one for one in undecided - self._dead if one < number}
            if not undecided:
                return
            if undecided != before:
                since, before, pause = time.monotonic(), undecided, SHORTEST
            if time.monotonic() - since > self._patience:
                _log.warning(
                    "trial %d goes on without trial %d, which has had no place for %g s",
                    number,
                    min(undecided),
                    self._patience,
                )
                self._dead |= undecided
                return
            time.sleep(pause)
            pause = min(2 * pause, LONGEST)

    def _decide(self, study: optuna.Study, trial: optuna.trial.FrozenTrial) -> None:
        """Decide where a trial is made, and keep with it all that led there."""
        request = _request(trial.number)
        while True:
            trials = study.get_trials(deepcopy=False)
            axes = self._axes(trials)
            if axes is None:
                return _keep(study, trial, {})
            created, texts = self._created(study, axes), _chain(study, trials)
            own = self._own(created, texts)
            self._take(own, axes, [one for one in trials if one.number != trial.number])
            if own.spec.trials != self._stated[1]:
                own.change(trials=self._stated[1], why="another sampler", request=f"trials/{trial.number}")
            # Of a trial that is tried again, the parameters are there already.
            made = self._next(own, axes, {**trial.params, **trial.system_attrs.get("fixed_params", {})}, request)
            kept: dict[str, Any] = {"after": len(texts), "events": _texts(own)[len(texts) :]}
            if made is None:
                try:
                    study.stop()
                except RuntimeError:  # no loop that could end
                    raise BudgetSpent(OVER) from None
            _keep(study, trial, kept | ({"over": True} if made is None else {"x": [*map(float, made)]}))
            if made is None or _chain(study, study.get_trials(deepcopy=False))[: len(_texts(own))] == _texts(own):
                return None

    def _next(self, own: Study, axes: Axes, fixed: Mapping[str, Any], request: str) -> Values | None:
        """Return the next stop, or the place that the user fixed."""
        if axes.is_whole(fixed):
            with suppress(InvalidInput, BudgetSpent):
                return own.insert(axes.place(fixed), request=request).trial.x
        trial = own.ask(wait=False, request=request)
        return None if trial is None else trial.x

    def _take(self, own: Study, axes: Axes, trials: Sequence[Any]) -> None:
        """Tell the study what became of the trials since its last event; what it knows is passed over."""
        finished = [one for one in trials if one.state.is_finished()]
        handed = {one.number: _trial_of(own, one.number) for one in trials}
        newest = max((number for number, own_number in handed.items() if own_number is not None), default=-1)
        foreign = list[Any]()
        for one in sorted(finished, key=lambda one: (one.datetime_complete, one.number)):
            if one.state is TrialState.COMPLETE:
                axes.check(one)
            if (number := handed[one.number]) is not None:
                found = _found(one, axes, own.last.state.trial(number).params)
                close(own, number, found, f"{_request(one.number)}/told")
            elif axes.is_whole(one.params) and not _is_known(own, one.number):
                foreign.append(one)
        for one in sorted(foreign, key=lambda one: one.number):
            begun = newest >= 0 or own.spec.start is None
            last = one is max(foreign, key=lambda one: one.number)
            learn(own, [_found(one, axes, None)], _request(one.number), stands=last and begun and one.number > newest)
        for one in trials:
            if one.state is TrialState.RUNNING and handed[one.number] is None and axes.is_whole(one.params):
                with suppress(InvalidInput, BudgetSpent):
                    own.insert(axes.place(one.params), request=_request(one.number))

    # What the storage has.

    def _axes_of(self, study: optuna.Study, trial: Any) -> Axes | None:
        """Return the space of a trial whose place was planned; None if it was not."""
        if _decided(study, trial).get("x") is None:
            return None
        return self._axes(study.get_trials(deepcopy=False))

    def _axes(self, trials: Sequence[Any]) -> Axes | None:
        """Return the space: as given, or as the first complete trial has it."""
        if self.space is not None:
            return self.space
        first = next((one for one in trials if one.state is TrialState.COMPLETE), None)
        if first is None:
            return None
        if self._made is not None and dict(self._made[1].kinds) == first.distributions:
            return self._made[1]
        return Axes.of(first.distributions)

    def _created(self, study: optuna.Study, axes: Axes) -> StudySpec:
        """Return the specification that the study was begun with, and keep it there; refuse another one."""
        name = study.study_name[:LONGEST_NAME]
        if self._made is not None and self._made[:2] == (name, axes):
            return self._made[2]
        travel, trials, start, method, seed, unit, noise = self._stated
        place = None if start is None else axes.place(start)
        stated = study.direction.name.lower(), travel, trials, place, method, seed, unit, noise, name
        spec = make_spec(axes.space, *stated, **self._options)
        form = json.loads(json.dumps(write_spec(spec)))
        kept = study._storage.get_study_system_attrs(study._study_id).get(FORM)
        if kept is None:
            study._storage.set_study_system_attr(study._study_id, FORM, form)
        else:
            if differ := differences(kept, {**form, "name": kept["name"]}):  # a copied study may have another name
                raise InvalidInput(
                    f"study {name!r} was planned with another {' and '.join(differ)}; state them as then, or begin "
                    "another study (trials may change)"
                )
            spec = evolve(spec, trials=kept["trials"])
        self._made = name, axes, spec
        return spec

    def _own(self, created: StudySpec, texts: Sequence[str]) -> Study:
        """Return the study after these events."""
        if self._kept is not None and self._kept[0] is created and _texts(self._kept[1]) == texts:
            return self._kept[1]
        store = MemoryStore()
        store.create(created.name, "", texts)
        own = Study(Journal(store, created, texts, who=(self._by, "plug")))
        self._kept = created, own
        return own


OVER = "no trials are left, or budget, trip and step allow no further place"


def _check(study: optuna.Study) -> None:
    """Refuse studies that cannot be planned."""
    if len(study.directions) > 1:
        raise InvalidInput("WayfareSampler has one objective, and this study has several; use another sampler")
    if isinstance(study.pruner, optuna.pruners.HyperbandPruner):
        raise InvalidInput(
            "HyperbandPruner shows a sampler only a part of the trials, and the traveller makes them all; use another"
        )


def _request(number: int) -> str:
    return f"optuna/{number}"


def _trial_of(own: Study, number: int) -> int | None:
    """Return our number of a trial of Optuna; None if it was not handed out."""
    event = own.last.state.requests.get(_request(number))
    return event.number if isinstance(event, Asked | Inserted) else None


def _is_known(own: Study, number: int) -> bool:
    return any(request.startswith(f"{_request(number)}/") for request in own.last.state.requests)


def _texts(own: Study) -> list[str]:
    """Return the events of a study in memory."""
    return list(own.journal._store.read(own.spec.name).events)


def _chain(study: optuna.Study, trials: Sequence[Any]) -> list[str]:
    """Return all events, put together from the trials that have them.

    If two trials follow the same event, one of them was given up by the other, which has the higher number, and counts.
    """
    parts = {kept["after"]: kept["events"] for one in trials if (kept := _of(study, one)).get("events")}
    texts = list[str]()
    while more := parts.get(len(texts)):
        texts += more
    return texts


def _keep(study: optuna.Study, trial: Any, decided: Mapping[str, Any]) -> None:
    own = {"of": [study.study_name, trial.number]}
    study._storage.set_trial_system_attr(trial._trial_id, EVENTS, {**own, **decided})


def _of(study: optuna.Study, trial: Any) -> dict[str, Any]:
    """Return the record kept with a trial; empty if it was copied from another trial or study."""
    kept = trial.system_attrs.get(EVENTS, {})
    return dict(kept) if kept.get("of") == [study.study_name, trial.number] else {}


def _decided(study: optuna.Study, trial: Any) -> dict[str, Any]:
    """Return the record kept with a trial, read from the storage: ``trial`` itself may be out of date."""
    return _of(study, study._storage.get_trial(trial._trial_id))


def _found(trial: Any, axes: Axes, asked: Mapping[str, Any] | None) -> Found:
    """Return what became of a finished trial.

    Args:
        trial: of Optuna.
        axes: the space.
        asked: the place it was sent to; None for one of another sampler.
    """
    said = trial.user_attrs
    place = axes.place(trial.params) if axes.is_whole(trial.params) else {}
    actual = dict(said["actual"]) if said.get("actual") else None
    if asked is not None and place and place != dict(asked):
        actual = {**place, **(actual or {})}  # the user fixed some of the parameters
    pruned = trial.state is TrialState.PRUNED
    why = "" if trial.state is TrialState.COMPLETE else f"pruned at step {trial.last_step}" if pruned else "failed"
    value = trial.values[0] if trial.values and trial.state is not TrialState.FAIL else None
    return Found(
        place=place,
        value=value,
        why=str(said.get("why", why)),
        actual=actual,
        spent=said.get("spent"),
        measured=dict(said.get("measured", {})),
        skipped=bool(said.get("skipped")) or (asked is not None and not trial.params),
    )
