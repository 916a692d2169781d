"""The trials of a study as a DataFrame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wayfare.errors import InvalidInput
from wayfare.record.state import StudyState

if TYPE_CHECKING:
    import pandas as pd


BEFORE, AFTER = ("number", "state"), ("leg", "value", "plan", "count", "variance")
PREFIX = "axis:"


def column_of(axis: str, fixed: Sequence[str]) -> str:
    """Return the column name of an axis: its own, unless a fixed column has that name."""
    return f"{PREFIX}{axis}" if axis in fixed or axis.startswith(PREFIX) else axis


def frame_of(state: StudyState) -> pd.DataFrame:
    """Return one row per trial: number, state, the axes, leg, value, plan, count and variance. Needs pandas.

    Of a run, the value is the mean of ``count`` results. An axis that is called like one of the other columns
    gets ``axis:`` in front.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise InvalidInput("to_dataframe needs pandas: pip install 'wayfare[pandas]'") from error
    names = state.spec.space.names
    columns = [*BEFORE, *(column_of(name, (*BEFORE, *AFTER)) for name in names), *AFTER]
    rows = [
        [
            trial.number,
            str(trial.state),
            *trial.params.values(),
            trial.leg,
            trial.value,
            trial.plan,
            trial.count,
            trial.variance,
        ]
        for trial in state.trials
    ]
    return pd.DataFrame(rows, columns=columns)
