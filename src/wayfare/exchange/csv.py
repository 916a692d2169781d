"""Trials as a table: its columns, and the CSV file written by ``export_csv``; ``rows.py`` reads it back.

Cells are written so that a spreadsheet takes no text for a formula and every number comes back bit for bit.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from attrs import frozen

from wayfare._core import checks
from wayfare._core.format import in_brackets, unit_of
from wayfare._core.parse import PLAIN, shown
from wayfare.errors import InvalidInput
from wayfare.exchange.table import DECIMALS, guarded, is_risky, write_lines
from wayfare.record.events import Trial, TrialState
from wayfare.record.state import StudyState
from wayfare.report import dataframe
from wayfare.report.predict import COLUMNS, Prediction
from wayfare.space import AnySpace
from wayfare.space.axes import Scalar
from wayfare.study.study import Snapshot, Study

BEFORE = ("number", "state")
AFTER = ("leg", "value", "spent", "worker", "why", "prior")
RUNS = ("count", "variance")
"""Only in a table where some trial has several results."""
STAMPS = ("issued_at", "issued_by", "closed_at", "closed_by")
"""Only on request, and passed over when a table is read: an import has a stamp of its own."""
ASKED = "asked: "
"""In front of the column of an axis that says where a trial should have been; passed over when a table is read."""
EARLIER = "earlier values"
"""The values before a correction, passed over likewise."""


def export_csv(study: Study | Snapshot, *, stamps: bool = False, full: bool = False, decimal: str = "point") -> str:
    """Return the trials as CSV: ``number, state``, the axes, ``leg, value, spent, worker, why, prior``.

    After ``value``, a study with limits on what is measured has a column for each, by its name. If some trial is a run,
    ``count`` and ``variance`` follow: the value of a told trial is the mean of ``count`` results; at an open trial,
    ``count`` results are to be taken. Numbers are written in full, and an unknown one is an empty cell. A trial is
    shown where it really was. Plans are only in ``export_json`` and ``log_csv``.

    Args:
        study: a study, or a snapshot of one.
        stamps: add when each trial was handed out and by whom, and the same of its outcome or last correction:
            ``issued_at, issued_by, closed_at, closed_by``. An import passes over them.
        full: add these, where a trial should have been if the setting was missed, the values before it was corrected,
            and the units of costs and of what was measured. An import passes over the columns.
        decimal: "comma" writes decimal commas, semicolons and a byte order mark, as spreadsheets in many countries do.
    """
    if decimal not in DECIMALS:
        raise InvalidInput(f"decimal must be point or comma, got {checks.brief(decimal)}")
    state = study.snapshot().state
    return trials_csv(state, state.trials, stamps=stamps, full=full, decimal=DECIMALS[decimal])


def trials_csv(
    state: StudyState, trials: Iterable[Trial], *, stamps: bool = False, full: bool = False, decimal: str = "."
) -> str:
    """Return some trials of a study as CSV, with the columns that all of its trials need.

    Args:
        state: of the study.
        trials: some of its trials.
        stamps: add the columns of the stamps.
        full: add all there are, and all units.
        decimal: the decimal mark.
    """
    columns = columns_of(state, stamps=stamps, full=full)
    heads = [guarded(column.head if full or column.axis else column.name) for column in columns]
    rows = ([column.cell(trial, decimal) for column in columns] for trial in trials)
    return with_mark(write_lines([heads, *rows], delimiter_for(decimal)), decimal)


def delimiter_for(decimal: str) -> str:
    """Return the delimiter that goes with a decimal mark."""
    return "," if decimal == "." else ";"


def with_mark(text: str, decimal: str) -> str:
    """Return a text with decimal commas behind a byte order mark, by which Excel knows UTF-8."""
    return text if decimal == "." else f"\ufeff{text}"


# The columns of a table of trials, in CSV as in a workbook.


@frozen(eq=False)
class Column:
    """A column of a table of trials.

    Attributes:
        name: of the column.
        value: what it says of a trial; None for nothing.
        unit: of its numbers, shown in the head.
        axis: the axis that it shows; empty for another column.
        choice: the cells of a choice.
    """

    name: str
    value: Callable[[Trial], Scalar | None]
    unit: str = ""
    axis: str = ""
    choice: "ChoiceCells | None" = None

    @property
    def head(self) -> str:
        """The name with the unit."""
        return in_brackets(self.name, self.unit)

    def cell(self, trial: Trial, decimal: str) -> str:
        """Return the cell of a trial in a CSV file; numbers in full."""
        value = self.value(trial)
        if value is None:
            return ""
        if self.choice is not None:
            return self.choice.write(value, decimal)
        if isinstance(value, bool):
            return str(value).lower()
        return guarded(value) if isinstance(value, str) else repr(value).replace(".", decimal)


def columns_of(state: StudyState, *, stamps: bool = False, full: bool = False) -> list[Column]:
    """Return the columns that the trials of a study need.

    Args:
        state: of the study.
        stamps: those of the stamps, too.
        full: all there are.
    """
    spec, trials = state.spec, state.trials
    runs = any(trial.count > 1 for trial in trials)
    made = {
        "number": Column("number", lambda trial: trial.number),
        "state": Column("state", lambda trial: str(trial.state)),
        "leg": Column("leg", lambda trial: trial.leg, spec.unit),
        "value": Column("value", lambda trial: trial.value),
        "spent": Column("spent", lambda trial: trial.spent, spec.unit),
        "worker": Column("worker", lambda trial: trial.worker or None),
        "why": Column("why", lambda trial: trial.why or None),
        "prior": Column("prior", lambda trial: trial.prior),
        # A failed trial has no results, however many were to be taken there.
        "count": Column("count", lambda trial: None if trial.state is TrialState.FAILED else trial.count),
        "variance": Column("variance", lambda trial: trial.variance),
    }
    axes = [_axis_column(spec.space, axis, column_of(axis, runs)) for axis in spec.space.names]
    found = [_measured_column(limit.name, limit.unit) for limit in spec.measured]
    after, last = AFTER.index("value") + 1, RUNS if runs else ()
    columns = [
        *(made[name] for name in BEFORE),
        *axes,
        *(made[name] for name in AFTER[:after]),
        *found,
        *(made[name] for name in (*AFTER[after:], *last)),
    ]
    more = []
    if full and any(trial.asked is not None for trial in trials):
        more += [_asked_column(column) for column in axes]
    if full and any(trial.earlier for trial in trials):
        more.append(Column(EARLIER, _earlier))
    if full or stamps:
        more += _STAMPS
    taken = {column.name for column in columns}
    return [*columns, *(column for column in more if column.name not in taken)]


def _axis_column(space: AnySpace, axis: str, name: str) -> Column:
    values = space.choices[space.names.index(axis)]
    choice = None if values is None else ChoiceCells(values)
    return Column(name, lambda trial: trial.params[axis], unit_of(space, axis), axis, choice)


def _asked_column(column: Column) -> Column:
    def asked(trial: Trial) -> Scalar | None:
        return None if trial.asked is None else trial.asked[column.axis]

    return Column(f"{ASKED}{column.axis}", asked, column.unit, column.axis, column.choice)


def _measured_column(name: str, unit: str) -> Column:
    return Column(name, lambda trial: trial.measured.get(name), unit)


def _earlier(trial: Trial) -> str | None:
    return "; ".join("no value" if value is None else repr(value) for value in trial.earlier) or None


_STAMPS = [
    Column("issued_at", lambda trial: trial.issued.time or None, "UTC"),
    Column("issued_by", lambda trial: trial.issued.by or None),
    Column("closed_at", lambda trial: trial.closed.time or None, "UTC"),
    Column("closed_by", lambda trial: trial.closed.by or None),
]


class ChoiceCells:
    """The cells of one choice: its texts, numbers and booleans, each read back as the same value.

    Text that could be read as one of its numbers or booleans has an apostrophe in front, so that "1" and 1
    can stand in one column.
    """

    def __init__(self, values: Sequence[Scalar]) -> None:
        self.values = values
        others = [value for value in values if not isinstance(value, str)]
        self._words = {str(value).lower(): value for value in others}
        # Equal numbers have one key, whole or not; as a float, a long whole number would lose its end.
        self._numbers = {value: value for value in others if not isinstance(value, bool)}
        self._cells = {value: self._written(value) for value in values}
        texts = {value: cell for value, cell in self._cells.items() if isinstance(value, str)}
        self._texts = {value: value for value in texts} | {cell: value for value, cell in texts.items()}

    def write(self, value: Scalar, decimal: str = ".") -> str:
        """Return the cell of a value; a number has the decimal mark if no text is written so."""
        cell = self._cells[value]
        other = cell if isinstance(value, str) else cell.replace(".", decimal)
        return cell if other in self._texts else other

    def of_text(self, text: str) -> str:
        """Return the cell of what is text by its type, in a sheet, where "1" and 1 differ."""
        return self._cells.get(text, text)

    def read(self, cell: str, what: str, decimal: str = ".") -> Scalar:
        """Return the value a cell stands for.

        Args:
            cell: as it stands in the file.
            what: names the column in the refusal.
            decimal: the decimal mark of numbers.
        """
        plain = cell.strip(" ")
        if (other := self._other(plain)) is not None:
            return other
        for text in (cell, cell.removeprefix("'")):
            if text in self._texts:
                return self._texts[text]
        if decimal != "." and (other := self._other(plain.replace(decimal, "."))) is not None:
            return other
        raise InvalidInput(f"{what} has no value {shown(cell)}; {checks.nearest(cell[:80], self.values, 'values')}")

    def _written(self, value: Scalar) -> str:
        if not isinstance(value, str):
            return str(value).lower()  # true, 2.5, 1e+30
        return f"'{value}" if is_risky(value) or self._other(value.strip(" ")) is not None else value

    def _other(self, text: str) -> Scalar | None:
        """Return the number or boolean of the choice that the text can be read as; None if there is none."""
        number = self._numbers.get(float(text)) if PLAIN.fullmatch(text) else None
        return self._words.get(text.lower(), number)


Choices: TypeAlias = Sequence[ChoiceCells | None]
"""The cells of each axis, None for an axis of numbers."""


def choice_cells(space: AnySpace) -> Choices:
    """Return the cells of each axis."""
    return [None if values is None else ChoiceCells(values) for values in space.choices]


def column_of(axis: str, runs: bool = True) -> str:
    """Return the column of an axis in a table, with the columns of runs or without."""
    return dataframe.column_of(axis, (*BEFORE, *AFTER, *(RUNS if runs else ())))


def prediction_csv(space: AnySpace, prediction: Prediction) -> str:
    """Return a prediction as CSV: the axes, mean, sd, low_95, high_95, success and compliance, numbers in full."""
    choices = choice_cells(space)
    axes = (in_brackets(dataframe.column_of(axis, COLUMNS), unit_of(space, axis)) for axis in space.names)
    heads = [*axes, *COLUMNS]
    beliefs = zip(*(getattr(prediction, column).tolist() for column in COLUMNS), strict=True)
    rows = (
        [*(_plain(v, choice) for v, choice in zip(params.values(), choices, strict=True)), *map(repr, belief)]
        for params, belief in zip(prediction.params, beliefs, strict=True)
    )
    return write_lines([map(guarded, heads), *rows])


def _plain(value: Scalar, choice: ChoiceCells | None) -> str:
    return repr(value) if choice is None else choice.write(value)
