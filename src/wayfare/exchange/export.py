"""``export_csv``: a study as a table that a spreadsheet opens, one row per trial."""

from collections.abc import Iterable, Sequence

from wayfare.exchange.cells import guarded, quoted, write_number
from wayfare.exchange.choices import ChoiceCells, choice_cells
from wayfare.exchange.header import columns_of
from wayfare.records import Trial, TrialState
from wayfare.study import Study


def export_csv(study: Study) -> str:
    """Return the trials as CSV: ``number, state``, the axes, ``leg, value, spent, worker, why, prior``.

    If some trial is a run, ``count`` and ``variance`` follow: the value is the mean of so many results, and
    of a trial that is out so many are to be taken. Numbers are written in full, and what is not known is an
    empty cell. A trial is shown where it really was; what it was before it was amended, and the plans, are
    only in ``export_json``.
    """
    space, trials = study.spec.space, study.trials
    runs = any(trial.count > 1 for trial in trials)
    lines = [_line(guarded(name) for name in columns_of(space, runs))]
    choices = choice_cells(space)
    lines += [_line(_cells(trial, choices) + (_run_cells(trial) if runs else [])) for trial in trials]
    return "".join(lines)


def _cells(trial: Trial, choices: Sequence[ChoiceCells | None]) -> list[str]:
    place = [
        repr(value) if choice is None else choice.write(float(position))
        for value, position, choice in zip(trial.params.values(), trial.x, choices, strict=True)
    ]
    return [
        str(trial.number),
        str(trial.state),
        *place,
        write_number(trial.leg),
        write_number(trial.value),
        write_number(trial.spent),
        guarded(trial.worker),
        guarded(trial.why),
        str(trial.prior).lower(),
    ]


def _run_cells(trial: Trial) -> list[str]:
    # What failed has no results, whatever was to be taken there.
    count = "" if trial.state is TrialState.FAILED else str(trial.count)
    return [count, write_number(trial.variance)]


def _line(cells: Iterable[str]) -> str:
    return ",".join(map(quoted, cells)) + "\n"
