"""``export_csv``: a study as a table that a spreadsheet opens, one row per trial."""

from collections.abc import Iterable, Sequence

from wayfare.exchange.cells import guarded, quoted, write_number
from wayfare.exchange.choices import ChoiceCells, choice_cells
from wayfare.exchange.header import columns_of
from wayfare.records import Trial
from wayfare.study import Study


def export_csv(study: Study) -> str:
    """Return the trials as CSV: ``number, state``, the axes, ``leg, value, spent, worker, why, prior``.

    Numbers are written in full, and what is not known is an empty cell. A trial is shown where it really was;
    what it was before it was amended, and the plans, are only in ``export_json``.
    """
    space = study.spec.space
    lines = [_line(guarded(name) for name in columns_of(space))]
    choices = choice_cells(space)
    lines += [_line(_cells(trial, choices)) for trial in study.trials]
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


def _line(cells: Iterable[str]) -> str:
    return ",".join(map(quoted, cells)) + "\n"
