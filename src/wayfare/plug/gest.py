"""A generator of the gest-api standard, for Xopt, blop (bluesky) and libEnsemble: ``suggest``, ``ingest``, ids.

The host owns the data. It gets places one after the other, in the order of the route, each with the number of its trial
as ``_id``, and gives back what it found there.
"""

from __future__ import annotations

import uuid
from collections.abc import Generator as Steps
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from wayfare._core.extras import install
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import DEFAULT
from wayfare.planning.method import Method
from wayfare.plug.host import Found, axis_of, close, follow, is_at, opened
from wayfare.record.events import Trial, TrialState
from wayfare.record.spec import Options
from wayfare.space import Choice, Integer, Real, Space
from wayfare.store import Store
from wayfare.study import Study
from wayfare.surrogate.measured import Measured
from wayfare.travel import TravelCost

try:
    from gest_api.generator import Generator
    from gest_api.vocs import (
        VOCS,
        BoundsConstraint,
        ContextualVariable,
        DiscreteVariable,
        ExploreObjective,
        GreaterThanConstraint,
        MinimizeObjective,
    )
except ImportError as error:
    raise InvalidInput(f"wayfare.plug.gest needs gest-api: {install('gest-api', 'gest')}") from error

__all__ = ["WayfareGenerator", "acquire_in_order"]

ID = "_id"
"""The key of a trial's number."""
ERROR, WHY = "xopt_error", "xopt_error_str"
"""What Xopt says of an evaluation that failed."""


class WayfareGenerator(Generator):  # type: ignore[misc]  # gest-api is an extra, and skipped by mypy
    """Suggests places in the order of a short route, and learns from what the host found there.

    A point that comes back with its ``_id`` is the result of that trial; if the variables differ from what was
    suggested, they are where it really was. A result that is missing or no finite number is a failure. ``spent`` in a
    point is what getting there really cost. A point without ``_id`` is the result of a trial that is out there, or is
    known already, or is an old result, for which nothing moved; the traveller stands at the last of these, if a trial
    was handed out before, or if there is no ``start``.

    Attributes:
        vocs: what the host calls variables, objective and constraints.
        study: the study, for its ledger, route and pictures.
    """

    returns_id = True

    def __init__(
        self,
        vocs: VOCS,
        *,
        travel: TravelCost,
        trials: int,
        space: Space | None = None,
        start: Mapping[str, Any] | None = None,
        method: str | Method = DEFAULT,
        seed: int = 0,
        unit: str = "",
        noise: float | None = None,
        store: Store | str | None = None,
        name: str = "study",
        by: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        """State what a study of ours would be created with; ``Study.create`` explains each.

        Args:
            vocs: variables, one objective, constraints (limits on what is measured) and constants.
            travel: what moving costs.
            trials: how many visits in all.
            space: the variables as a space of ours, with units, steps, forbidden regions or constraints; None: as the
                VOCS has them.
            start: where the traveller stands, a value for each variable.
            method: a name from the catalogue, or a ``Method``.
            seed: the same seed and the same results give the same plans.
            unit: of the travel cost, if the cost itself does not say.
            noise: the known standard deviation of one result, or None to learn it.
            store: where the study is kept, so that a crash costs nothing and several processes share it: a path, or a
                store. None: in memory; then the host brings back what it has with ``ingest``.
            name: what the study is called there.
            by: who makes the moves, kept with each.
            **options: limits and checks, as for ``Study.create``.
        """
        self.vocs = vocs
        super().__init__(vocs)
        (self._objective, objective), *_ = vocs.objectives.items()
        space = Space(*(_axis(*item) for item in vocs.variables.items())) if space is None else space
        if set(space.names) != set(vocs.variables):
            raise InvalidInput(f"space: its axes must be the variables {list(vocs.variables)}, got {list(space.names)}")
        limits = [_limit(*item) for item in vocs.constraints.items()]
        if limits:
            options["measured"] = limits
        self.study: Study = opened(
            store,
            space,
            direction="minimize" if isinstance(objective, MinimizeObjective) else "maximize",
            travel=travel,
            trials=trials,
            start=start,
            method=method,
            seed=seed,
            unit=unit,
            noise=noise,
            name=name,
            by=by,
            options=options,
        )

    def _validate_vocs(self, vocs: VOCS) -> None:
        """Refuse what cannot be planned."""
        if len(vocs.objectives) != 1:
            many = len(vocs.objectives)
            raise InvalidInput(f"WayfareGenerator has one objective, and this VOCS has {many}; give one")
        for name, objective in vocs.objectives.items():
            if isinstance(objective, ExploreObjective):
                raise InvalidInput(f"objective {name!r}: WayfareGenerator maximizes or minimizes, it does not explore")
        for name, variable in vocs.variables.items():
            if isinstance(variable, ContextualVariable):
                raise InvalidInput(f"variable {name!r} is contextual: WayfareGenerator has no context; leave it out")

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """Return the next places of the route; ask for one at a time, so that each is planned with all results.

        Args:
            num_points: how many, all or none; None: one.
        """
        many = 1 if num_points is None else num_points
        made = self.study.ask(n=many, wait=False)
        if len(made) < many:
            for trial in reversed(made):
                self.study.skip(trial, "there were too few for the host")
            raise InvalidInput(
                f"{many} points were asked for, and {len(made)} are left: no trials, or no budget, trip or step, for "
                "more; ask for fewer, or end here"
            )
        return [self._point(trial) for trial in made]

    def ingest(self, results: Iterable[Mapping[str, Any]]) -> None:
        """Take what the host found.

        Args:
            results: a dict for each point, with what ``suggest`` returned and the objective.
        """
        foreign = list[Found]()
        for point in results:
            number = _number(point)
            if number is None:
                foreign.append(self._found(point, None))
                continue
            state = self.study.state  # another process may have handed it out
            if not 0 <= number < len(state.trials) or state.trials[number].prior:
                raise InvalidInput(
                    f"{ID} {number} was not handed out by this generator; leave {ID} out for results from elsewhere"
                )
            found = self._found(point, state.trials[number])
            close(self.study, number, found, uuid.uuid4().hex)
        follow(self.study, foreign)

    def finalize(self) -> None:
        """Do nothing: what was ingested is in the study already."""

    def add_data(self, data: Any) -> None:
        """Take the data that Xopt begins with, a DataFrame, also of an earlier generator.

        Args:
            data: a row for each point.
        """
        known = len(self.study.trials)
        rows = [{key: value for key, value in row.items() if value == value} for row in data.to_dict("records")]
        own = (_number(row) for row in rows)
        self.ingest(
            {key: value for key, value in row.items() if key != ID} if number is None or number >= known else row
            for row, number in zip(rows, own, strict=True)
        )

    def get_best_points(self) -> list[tuple[int, dict[str, Any], dict[str, float]]]:
        """Return the best place visited, as blop asks for it: its id, its variables, and the belief there."""
        best = self.study.best()
        return [(best.trial, dict(best.params), {self._objective: best.mean})]

    def register_suggestions(self, suggestions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Hand out places of the user's own as trials, and return them with their ids.

        Args:
            suggestions: a dict for each, with all variables.
        """
        places = [{name: point[name] for name in self.study.spec.space.names} for point in suggestions]
        return [self._point(self.study.insert(place).trial) for place in places]

    def register_failures(self, suggestions: Sequence[Mapping[str, Any]]) -> None:
        """Record that places were visited in vain, as blop says after an error.

        Args:
            suggestions: as they were handed out, with their ids.
        """
        for point in suggestions:
            number = _number(point)
            if number is not None and number in self.study.state.out:
                self.study.fail(number, "the acquisition failed")

    def should_stop(self) -> tuple[bool, str | None]:
        """Return whether no trial is left, and say so."""
        over = self.study.state.trials_left == 0
        return over, f"all {self.study.spec.trials} trials have been handed out" if over else None

    def _point(self, trial: Trial) -> dict[str, Any]:
        constants = {name: one.value for name, one in self.vocs.constants.items()}
        return {**trial.params, **constants, ID: trial.number}

    def _found(self, point: Mapping[str, Any], trial: Trial | None) -> Found:
        """Return the place and the result of a point; variables it lacks are taken from its trial."""
        space = self.study.spec.space
        there = {name: _plain(point[name]) for name in space.names if name in point}
        place = {**(trial.params if trial is not None else {}), **there}
        lacks = [name for name in space.names if name not in place]
        if lacks:
            raise InvalidInput(f"a point without {ID} must have all variables; this one lacks {', '.join(lacks)}")
        moved = trial is not None and trial.state is TrialState.ASKED and not is_at(space, place, [trial])[0]
        failed = bool(point.get(ERROR, False))
        value = None if failed else _value(point.get(self._objective))
        why = str(point.get(WHY) or "the evaluation failed").strip().splitlines()[-1] if failed else ""
        measured = {limit.name: _value(point.get(limit.name)) for limit in self.study.spec.measured}
        return Found(
            place=place,
            value=value,
            why=why or ("there is no value" if value is None else ""),
            actual=place if moved else None,
            spent=_value(point.get("spent")),
            measured={name: one for name, one in measured.items() if one is not None},
        )


def acquire_in_order(
    suggestions: Sequence[Mapping[str, Any]],
    actuators: Sequence[Any],
    sensors: Sequence[Any] | None = None,
    md: Mapping[str, Any] | None = None,
) -> Steps[Any, Any, Any]:
    """Return an acquisition plan for blop that visits places in the order they were suggested.

    blop's own puts a batch of several into an order of its own, by distances between numbers as they are: it knows
    neither what moving costs nor that an axis may be a thousand times wider than another.

    Args:
        suggestions: the places, with their ids.
        actuators: what is set, each named like a variable.
        sensors: what is read at each place.
        md: metadata of the run.
    """
    from bluesky import plans, preprocessors

    moved = [one for one in actuators if one.name in suggestions[0]]
    cycle = [part for one in moved for part in (one, [point[one.name] for point in suggestions])]
    ids = [point[ID] for point in suggestions]
    scan = plans.list_scan(list(sensors or ()), *cycle, md={**(md or {}), "blop_acquisition_order": ids})
    # A run of its own within that of the optimization, where the run engine takes no checkpoints.
    inner = preprocessors.set_run_key_wrapper(scan, "acquire_in_order")
    return (yield from preprocessors.msg_mutator(inner, lambda msg: None if msg.command == "checkpoint" else msg))


def _axis(name: str, variable: Any) -> Real | Integer | Choice:
    """Return the axis of a variable."""
    if isinstance(variable, DiscreteVariable):
        return axis_of(name, variable.values)
    return Real(name, *variable.domain)


def _limit(name: str, constraint: Any) -> Measured:
    """Return a constraint on an output as a limit on what is measured."""
    if isinstance(constraint, BoundsConstraint):
        return Measured(name, at_least=constraint.range[0], at_most=constraint.range[1])
    if isinstance(constraint, GreaterThanConstraint):
        return Measured(name, at_least=constraint.value)
    return Measured(name, at_most=constraint.value)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _value(value: Any) -> float | None:
    """Return a number that a host gave; None where there is none."""
    value = _plain(value)
    if value is None or (isinstance(value, float) and not np.isfinite(value)):
        return None
    return float(value)


def _number(point: Mapping[str, Any]) -> int | None:
    """Return the number of a point's trial; None without one, also where a table has nan for it."""
    value = _value(point.get(ID))
    return None if value is None else int(value)
