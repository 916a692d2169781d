"""A generation node for Ax: ``GenerationStrategy(nodes=[WayfareNode(travel=..., trials=40)])``, movement planned.

Ax owns the trials. Whenever it asks for the next one, the node reads what became of all of them: results of our own are
told, anything else is known. Ax asks for nothing after the last trial, so ``flush`` brings in the last results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from wayfare._core.extras import install
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import DEFAULT
from wayfare.planning.method import Method
from wayfare.plug.host import Found, axis_of, follow, opened
from wayfare.record.spec import Options
from wayfare.space import Choice, Integer, Real, Space
from wayfare.store import Store
from wayfare.study import Study
from wayfare.surrogate.measured import Measured
from wayfare.travel import TravelCost

try:
    from ax.core.parameter import ChoiceParameter, FixedParameter, ParameterType, RangeParameter
    from ax.core.trial_status import TrialStatus
    from ax.core.types import ComparisonOp
    from ax.exceptions.core import OptimizationComplete
    from ax.generation_strategy.external_generation_node import ExternalGenerationNode
except ImportError as error:
    raise InvalidInput(f"wayfare.plug.ax needs Ax: {install('ax-platform', 'ax')}") from error

__all__ = ["WayfareNode"]

DONE = (TrialStatus.COMPLETED, TrialStatus.EARLY_STOPPED)
UNVISITED = (TrialStatus.ABANDONED, TrialStatus.STALE)
OUT = (TrialStatus.RUNNING, TrialStatus.STAGED)


class WayfareNode(ExternalGenerationNode):  # type: ignore[misc]  # Ax is an extra, and skipped by mypy
    """Generates trials in the order of a short route, and learns from all trials of the experiment.

    A completed trial is told, an early stopped one with what it has; a failed one was visited in vain, an abandoned one
    was not visited. A trial's run metadata may say ``spent``, what getting there really cost, and ``actual``, a dict of
    the parameters that were not set as suggested. Trials of other nodes, and attached ones, are known results, for
    which nothing moved; the traveller stands at the last of them, if a trial of ours was generated before, or if there
    is no ``start``. While such a trial runs it counts as a visit.
    """

    def __init__(
        self,
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
        name: str = "wayfare",
        by: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        """State what a study of ours would be created with; ``Study.create`` explains each.

        Args:
            travel: what moving costs.
            trials: how many visits in all.
            space: the parameters as a space of ours, with units, forbidden regions or constraints; None: as Ax has
                them.
            start: where the traveller stands, a value for each parameter.
            method: a name from the catalogue, or a ``Method``.
            seed: the same seed and the same results give the same plans.
            unit: of the travel cost, if the cost itself does not say.
            noise: the known standard deviation of one result, or None to learn it.
            store: where the study is kept, so that a crash costs nothing: a path, or a store. None: in memory; then the
                trials of the experiment are known results to a new node.
            name: of the node, and of the study.
            by: who makes the moves, kept with each.
            **options: limits and checks, as for ``Study.create``.
        """
        super().__init__(name=name, should_deduplicate=False)  # a place may be worth another visit
        self._space, self._options, self._store, self._by = space, options, store, by
        self._stated: dict[str, Any] = {
            "travel": travel,
            "trials": trials,
            "start": start,
            "method": method,
            "seed": seed,
            "unit": unit,
            "noise": noise,
        }
        self._study: Study | None = None

    @property
    def study(self) -> Study:
        """The study, for its ledger, route and pictures."""
        if self._study is None:
            raise InvalidInput("Ax has asked for no trial yet, so there is no study")
        return self._study

    def update_generator_state(self, experiment: Any, data: Any) -> None:
        """Read what became of the trials.

        Args:
            experiment: of Ax.
            data: its results.
        """
        if self._study is None:
            self._study = self._opened(experiment)
        own, table = self._study, data.df
        objective = experiment.optimization_config.objective.metric_names[0]
        found = [
            self._found(trial, arm, table[(table.trial_index == index) & (table.arm_name == arm.name)], objective)
            for index, trial in sorted(experiment.trials.items())
            if trial.status in (*DONE, *UNVISITED, *OUT, TrialStatus.FAILED)
            for arm in trial.arms
        ]
        follow(own, found)

    def get_next_candidate(self, pending_parameters: list[Any]) -> dict[str, Any]:
        """Return the next stop of the route.

        Args:
            pending_parameters: of Ax; the experiment has told of them already.
        """
        trial = self.study.ask(wait=False)
        if trial is None:
            raise OptimizationComplete("no trials are left, or budget, trip and step allow no further place")
        return dict(trial.params)

    def flush(self, host: Any) -> Study:
        """Take in the last results, after which Ax asks for no further trial; return the study.

        Args:
            host: the experiment, or the ``Client`` that has it.
        """
        experiment = getattr(host, "_experiment", host)
        self.update_generator_state(experiment, experiment.lookup_data())
        return self.study

    def _opened(self, experiment: Any) -> Study:
        """Return the study of an experiment; refuse what cannot be planned."""
        config, space = experiment.optimization_config, experiment.search_space
        if not config.objective.is_single_objective:
            raise InvalidInput(
                f"WayfareNode has one objective, and this experiment has {config.objective.expression!r}"
            )
        if space.is_hierarchical:
            raise InvalidInput(
                "WayfareNode plans in one space, and this one is hierarchical: give all of its parameters"
            )
        if space.parameter_constraints and self._space is None:
            raise InvalidInput("the search space has constraints: state them as space=wf.Space(..., constraints=[...])")
        own = Space(*map(_axis, space.parameters.values())) if self._space is None else self._space
        if set(own.names) != set(space.parameters):
            raise InvalidInput(f"space: its axes must be {list(space.parameters)}, got {list(own.names)}")
        if config.outcome_constraints:
            self._options["measured"] = [_limit(one) for one in config.outcome_constraints]
        stated = {**self._stated, "direction": "minimize" if config.objective.minimize else "maximize"}
        return opened(self._store, own, name=self.name, by=self._by, options=self._options, **stated)

    def _found(self, trial: Any, arm: Any, table: Any, objective: str) -> Found:
        """Return the place, the result and the state of a trial."""
        means = {metric: float(mean) for metric, mean in zip(table.metric_name, table["mean"], strict=True)}
        said, status = trial.run_metadata, trial.status
        return Found(
            place={name: arm.parameters[name] for name in self.study.spec.space.names},
            value=means.get(objective) if status in DONE else None,
            why="" if status is TrialStatus.COMPLETED else status.name.lower().replace("_", " "),
            actual=said.get("actual"),
            spent=said.get("spent"),
            measured={one.name: means[one.name] for one in self.study.spec.measured if one.name in means},
            skipped=status in UNVISITED,
            pending=status in OUT,
        )


def _axis(parameter: Any) -> Real | Integer | Choice:
    """Return the axis of a parameter."""
    if isinstance(parameter, RangeParameter):
        kind = Integer if parameter.parameter_type is ParameterType.INT else Real
        return kind(parameter.name, parameter.lower, parameter.upper, log=parameter.log_scale)
    if isinstance(parameter, ChoiceParameter):
        return axis_of(parameter.name, parameter.values)
    if isinstance(parameter, FixedParameter):
        return Choice(parameter.name, [parameter.value])
    raise InvalidInput(f"parameter {parameter.name!r} is a {type(parameter).__name__}, which cannot be planned")


def _limit(constraint: Any) -> Measured:
    """Return a constraint on an outcome as a limit on what is measured."""
    (name, *others) = constraint.metric_names
    if constraint.relative or others:
        raise InvalidInput(
            f"outcome constraint {constraint.expression!r}: only a bound on one metric can be planned with"
        )
    if constraint.op is ComparisonOp.GEQ:
        return Measured(name, at_least=constraint.bound)
    return Measured(name, at_most=constraint.bound)
