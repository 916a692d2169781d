"""The trials of a study as a DataFrame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wayfare._core.extras import install
from wayfare.errors import InvalidInput
from wayfare.record.spec import AXIS_PREFIX
from wayfare.record.state import StudyState

if TYPE_CHECKING:
    import pandas as pd


BEFORE, AFTER = ("number", "state"), ("leg", "value", "plan", "count", "variance", "prior")


def column_of(axis: str, fixed: Sequence[str]) -> str:
    """Return the column name of an axis: its own, unless a fixed column has that name."""
    return f"{AXIS_PREFIX}{axis}" if axis in fixed or axis.startswith(AXIS_PREFIX) else axis


def frame_of(state: StudyState) -> pd.DataFrame:
    """Return one row per trial: number, state, the axes, leg, value, plan, count, variance and prior. Needs pandas.

    Then a column for everything measured besides, nan where it was not. Of a run, the value and what was measured are
    means of ``count`` results. An axis that is called like one of the other columns gets ``axis:`` in front.
    """
    names = state.spec.space.names
    columns = [*BEFORE, *(column_of(name, (*BEFORE, *AFTER)) for name in names), *AFTER]
    measured = [limit.name for limit in state.spec.measured]
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
            trial.prior,
            *(trial.measured.get(name, math.nan) for name in measured),
        ]
        for trial in state.trials
    ]
    frame: pd.DataFrame = import_pandas().DataFrame(rows, columns=[*columns, *measured])
    return frame


def import_pandas() -> Any:
    """Return pandas, which is an extra."""
    try:
        import pandas as pd
    except ImportError as error:
        raise InvalidInput(f"to_dataframe needs pandas: {install('pandas', 'pandas')}") from error
    return pd
