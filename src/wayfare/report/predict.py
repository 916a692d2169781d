"""The belief at any place: the value, how sure that is, and whether a visit would succeed and keep the limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen

from wayfare._core import html
from wayfare._core.arrays import Points, Values, read_only, unique_rows
from wayfare._core.format import counted, estimate, in_words, rough
from wayfare._core.rng import one_thread
from wayfare.errors import InvalidInput, TooEarly
from wayfare.record.events import TrialState
from wayfare.record.spec import as_shown
from wayfare.record.state import StudyState
from wayfare.report.best import belief_of
from wayfare.report.dataframe import column_of, import_pandas
from wayfare.space import Places
from wayfare.surrogate.visit import VisitPosterior

if TYPE_CHECKING:
    import pandas as pd

WIDE = 1.959963984540054
"""Standard deviations on each side of the mean that hold 95% of a normal distribution."""
COLUMNS = ("mean", "sd", "low_95", "high_95", "success", "compliance")


@frozen(eq=False)
class Belief:
    """The belief after all results, in the user's sign; called, it returns the posterior mean."""

    posterior: VisitPosterior
    sign: float

    def __call__(self, x: Points) -> Values:
        """Return the posterior mean."""
        return self.marginals(x)[0]

    def marginals(self, x: Points) -> tuple[Values, Values]:
        """Return mean and standard deviation of the function itself, without the noise of a result."""
        with one_thread():
            mean, sd = self.posterior.value.marginals(x)
        return self.sign * mean, sd

    def success(self, x: Points) -> Values:
        """Return the probability that a visit gives a value."""
        with one_thread():
            return self.posterior.success(x)

    def compliance(self, x: Points) -> Values:
        """Return the probability that all limits on what is measured hold."""
        with one_thread():
            return self.posterior.compliance(x)


def believe(state: StudyState) -> Belief:
    """Return the belief that ``study.best()`` judges by."""
    if not state.results:
        raise TooEarly(f"no trial of {state.spec.name!r} has been told yet; ask and tell first")
    return Belief(belief_of(state), state.spec.sign)


@frozen(eq=False)
class Prediction:
    """The belief at some places, an entry per place in every field.

    Attributes:
        x: the places as rows of the space.
        params: the same as values by axis.
        mean: the posterior mean of the function, in the unit and the sign of the results.
        sd: its standard deviation: how unsure the function itself is, without the noise of a single result.
        success: the probability that a visit gives a value.
        compliance: the probability that all limits on what is measured hold; 1 without limits.
    """

    x: Points = field(repr=False)
    params: tuple[Mapping[str, Any], ...]
    mean: Values
    sd: Values
    success: Values
    compliance: Values

    @property
    def low_95(self) -> Values:
        """The lower end of the 95% interval of the function."""
        return self.mean - WIDE * self.sd

    @property
    def high_95(self) -> Values:
        """The upper end of the 95% interval of the function."""
        return self.mean + WIDE * self.sd

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self.x)

    def __str__(self) -> str:
        """Say a line for each place."""
        rows = zip(self.params, *(getattr(self, column).tolist() for column in COLUMNS), strict=True)
        return "\n".join(
            f"{in_words(params)}: {estimate(mean, sd)} ± {rough(sd, 2)} (95%: {low:.4g} to {high:.4g}), "
            f"success {success:.0%}, compliance {compliance:.0%}"
            for params, mean, sd, low, high, success, compliance in rows
        )

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        rows = []
        for params, *numbers in zip(self.params, *(getattr(self, column).tolist() for column in COLUMNS), strict=True):
            mean, sd, low, high, success, compliance = numbers
            belief = [estimate(mean, sd), rough(sd, 2), f"{low:.4g} to {high:.4g}"]
            rows.append([in_words(params), *belief, f"{success:.0%}", f"{compliance:.0%}"])
        heads = ["place", "mean", "sd", "95% interval", "success", "compliance"]
        return html.table(f"belief at {counted(len(self), 'place')}", heads, rows)

    def to_dataframe(self) -> pd.DataFrame:
        """Return one row per place: the axes, mean, sd, low_95, high_95, success and compliance. Needs pandas.

        An axis that is called like one of the other columns gets ``axis:`` in front.
        """
        axes = {column_of(name, COLUMNS): [params[name] for params in self.params] for name in self.params[0]}
        beliefs = {column: getattr(self, column) for column in COLUMNS}
        frame: pd.DataFrame = import_pandas().DataFrame(axes | beliefs)
        return frame


def predict(state: StudyState, places: object | None = None) -> Prediction:
    """Return the belief at places.

    Args:
        state: of a study with at least one result.
        places: a dict, a list of dicts, a DataFrame, an array or a list of rows, each with every axis; None for every
            place of a table, else for the places that have an outcome, each once.
    """
    belief, space = believe(state), state.spec.space
    x = _known_places(state) if places is None else _read_places(state, places)
    mean, sd = belief.marginals(x)
    params = tuple(space.params(row) for row in x)
    return Prediction(x, params, mean, sd, belief.success(x), belief.compliance(x))


def _known_places(state: StudyState) -> Points:
    """Return every place of a table; of any other space those that were visited, in the order of the trials."""
    if isinstance(state.spec.space, Places):
        return state.spec.space.table
    done = (TrialState.TOLD, TrialState.FAILED)
    visited = np.array([trial.x for trial in state.trials if trial.state in done])
    return read_only(visited[unique_rows(visited)[0]])


def _read_places(state: StudyState, places: object) -> Points:
    """Return the rows of the places that a user wrote; what reads like a place of a table is that place."""
    space = state.spec.space
    try:
        x = space.points(places)
    except InvalidInput as error:
        raise InvalidInput(f"predict: {error}") from error
    if not len(x):
        raise InvalidInput("predict: no place was given; leave places out for all that are known")
    if space.size is None or space.contains(x).all():
        return x
    return read_only(np.vstack([as_shown(space, row[None, :]) for row in x]))
