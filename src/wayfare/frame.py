"""The trials of a study as a DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wayfare.errors import InvalidInput
from wayfare.state import StudyState

if TYPE_CHECKING:
    import pandas as pd


def frame_of(state: StudyState) -> pd.DataFrame:
    """Return one row per trial: number, state, the axes, leg, value and plan. Needs pandas."""
    try:
        import pandas as pd
    except ImportError as error:
        raise InvalidInput("to_dataframe needs pandas: pip install 'wayfare[pandas]'") from error
    columns = ["trial", "state", *state.spec.space.names, "leg", "value", "plan"]
    rows = [
        [trial.number, str(trial.state), *trial.params.values(), trial.leg, trial.value, trial.plan]
        for trial in state.trials
    ]
    return pd.DataFrame(rows, columns=columns)
