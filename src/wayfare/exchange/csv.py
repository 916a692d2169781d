"""A study as a CSV table, one row per trial, written by ``export_csv`` and read by ``read_rows``.

Cells are written so that a spreadsheet takes no text for a formula and every number comes back bit for bit.
"""

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import TypeAlias

import numpy as np
from attrs import field, frozen

from wayfare._core import checks, parse
from wayfare._core.arrays import Points, Values, read_only
from wayfare._core.format import in_brackets, unit_of
from wayfare._core.parse import PLAIN, shown
from wayfare.errors import InvalidInput
from wayfare.record.events import StudySpec, Trial, TrialState
from wayfare.record.spec import AXIS_PREFIX
from wayfare.record.state import StudyState
from wayfare.report import dataframe
from wayfare.report.predict import COLUMNS, Prediction
from wayfare.space import AnySpace
from wayfare.space.axes import Scalar
from wayfare.study.inputs import reason, worker_name
from wayfare.study.study import Snapshot, Study

BEFORE = ("number", "state")
AFTER = ("leg", "value", "spent", "worker", "why", "prior")
RUNS = ("count", "variance")
"""Only in a table where some trial has several results."""
STAMPS = ("issued_at", "issued_by", "closed_at", "closed_by")
"""Only on request, and passed over when a table is read: an import has a stamp of its own."""
FORMULA = tuple("=+-@＝＋－＠")
"""The signs a formula begins with, leading spaces aside; some spreadsheets accept the wide ones too."""
FEWEST_DIGITS = 6
"""The digits that a spreadsheet keeps at least if it rounds the numbers it saves."""
LARGEST = 50_000_000
"""Characters in a file: far beyond 100,000 trials."""


def export_csv(study: Study | Snapshot, *, stamps: bool = False) -> str:
    """Return the trials as CSV: ``number, state``, the axes, ``leg, value, spent, worker, why, prior``.

    After ``value``, a study with limits on what is measured has a column for each, by its name. If some trial is a run,
    ``count`` and ``variance`` follow: the value of a told trial is the mean of ``count`` results; at an open trial,
    ``count`` results are to be taken. Numbers are written in full, and an unknown one is an empty cell. A trial is
    shown where it really was. Plans and amended values are only in ``export_json`` and ``log_csv``.

    Args:
        study: a study, or a snapshot of one.
        stamps: add when each trial was handed out and by whom, and the same of its outcome or last correction:
            ``issued_at, issued_by, closed_at, closed_by``. An import passes over them.
    """
    state = study.snapshot().state
    return trials_csv(state, state.trials, stamps=stamps)


def trials_csv(state: StudyState, trials: Iterable[Trial], *, stamps: bool = False) -> str:
    """Return some trials of a study as CSV, with the columns that all of its trials need; ``stamps``, with those."""
    spec = state.spec
    runs = any(trial.count > 1 for trial in state.trials)
    choices, measured = _choice_cells(spec.space), measured_names(spec)
    columns = _columns(spec, runs)
    added = _stamp_columns(columns) if stamps else []
    rows = ([*_cells(trial, choices, measured, runs), *_stamp_cells(trial, added)] for trial in trials)
    return write_lines([map(guarded, [*_heads(spec, runs), *added]), *rows])


def _stamp_columns(columns: Sequence[str]) -> list[str]:
    """Return the columns of the stamps, without those that an axis or a measured number has the name of."""
    return [name for name in STAMPS if name not in columns]


def _stamp_cells(trial: Trial, columns: Sequence[str]) -> list[str]:
    said = (trial.issued.time, guarded(trial.issued.by), trial.closed.time, guarded(trial.closed.by))
    return [cell for name, cell in zip(STAMPS, said, strict=True) if name in columns]


def measured_names(spec: StudySpec) -> list[str]:
    """Return the names of what is measured beside the value, which are columns of a table."""
    return [limit.name for limit in spec.measured]


def _cells(trial: Trial, choices: "_Choices", measured: Sequence[str], runs: bool) -> list[str]:
    place = _place_cells(trial.params, trial.x, choices)
    found = map(trial.measured.get, measured)
    costs = map(_number_cell, (trial.leg, trial.value, *found, trial.spent))
    texts = [guarded(trial.worker), guarded(trial.why), str(trial.prior).lower()]
    cells = [str(trial.number), str(trial.state), *place, *costs, *texts]
    if runs:
        # A failed trial has no results, however many were to be taken there.
        cells += ["" if trial.state is TrialState.FAILED else str(trial.count), _number_cell(trial.variance)]
    return cells


def _place_cells(params: Mapping[str, Scalar], x: Values, choices: "_Choices") -> list[str]:
    return [
        repr(value) if choice is None else choice.write(float(position))
        for value, position, choice in zip(params.values(), x, choices, strict=True)
    ]


def _number_cell(number: float | None) -> str:
    return "" if number is None else repr(number)


def write_lines(rows: Iterable[Iterable[str]]) -> str:
    """Return rows of cells as CSV text; a cell stands in quotes if it would be misread without."""
    return "".join(",".join(map(_quoted, cells)) + "\n" for cells in rows)


def _quoted(cell: str) -> str:
    if any(sign in cell for sign in ',"\r\n') or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def guarded(text: str) -> str:
    """Return text with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{text}" if _is_risky(text) else text


def bare(cell: str) -> str:
    """Return the text without the apostrophe that ``guarded`` put in front; any other apostrophe stays."""
    return cell[1:] if cell.startswith("'") and _is_risky(cell[1:]) else cell


def _is_risky(text: str) -> bool:
    return text.startswith(("'", "\t", "\r", "\n")) or text.lstrip().startswith(FORMULA)


def read_number(cell: str, what: str) -> float:
    """Return the number in a cell, without the spaces around it; ``what`` names it in the refusal."""
    return parse.read_number(cell.strip(" "), what)


def agrees(cell: str, number: float) -> bool:
    """Return whether a cell holds the number, as far as its digits go: spreadsheets round the numbers they save."""
    if (given := float(cell)) == number or number == 0:
        return given == number
    digits = re.sub(r"[eE].*|[^0-9]", "", cell).lstrip("0")
    kept = min(max(len(digits), FEWEST_DIGITS), 17)
    last = 10.0 ** (math.floor(math.log10(abs(number))) - kept + 1)
    # Half a unit of the last digit, and a little for the rounding of this very sum.
    return abs(given - number) <= 0.5000001 * last


class _ChoiceCells:
    """The cells of one choice: its texts, numbers and booleans, each read back as the same value.

    Text that could be read as one of its numbers or booleans has an apostrophe in front, so that "1" and 1
    can stand in one column.
    """

    def __init__(self, values: Sequence[Scalar]) -> None:
        self._values = values
        others = [value for value in values if not isinstance(value, str)]
        self._words = {str(value).lower(): value for value in others}
        # Equal numbers have one key, whole or not; as a float, a long whole number would lose its end.
        self._numbers = {value: value for value in others if not isinstance(value, bool)}
        self._cells = [self._written(value) for value in values]
        texts = [(cell, v) for cell, v in zip(self._cells, values, strict=True) if isinstance(v, str)]
        self._texts = {v: v for _, v in texts} | dict(texts)

    def write(self, position: float) -> str:
        """Return the cell of the value at a position."""
        return self._cells[round(position)]

    def read(self, cell: str, what: str) -> Scalar:
        """Return the value a cell stands for; ``what`` names the column in the refusal."""
        if (other := self._other(cell.strip(" "))) is not None:
            return other
        for text in (cell, cell.removeprefix("'")):
            if text in self._texts:
                return self._texts[text]
        raise InvalidInput(f"{what} has no value {shown(cell)}; {checks.nearest(cell[:80], self._values, 'values')}")

    def _written(self, value: Scalar) -> str:
        if not isinstance(value, str):
            return str(value).lower()  # true, 2.5, 1e+30
        return f"'{value}" if _is_risky(value) or self._other(value.strip(" ")) is not None else value

    def _other(self, text: str) -> Scalar | None:
        """Return the number or boolean of the choice that the text can be read as; None if there is none."""
        number = self._numbers.get(float(text)) if PLAIN.fullmatch(text) else None
        return self._words.get(text.lower(), number)


_Choices: TypeAlias = Sequence[_ChoiceCells | None]
"""The cells of each axis, None for an axis of numbers."""


def _choice_cells(space: AnySpace) -> _Choices:
    return [None if values is None else _ChoiceCells(values) for values in space.choices]


def _column(axis: str, runs: bool = True) -> str:
    return dataframe.column_of(axis, (*BEFORE, *AFTER, *(RUNS if runs else ())))


def _columns(spec: StudySpec, runs: bool) -> list[str]:
    axes, after = (_column(axis, runs) for axis in spec.space.names), AFTER.index("value") + 1
    return [*BEFORE, *axes, *AFTER[:after], *measured_names(spec), *AFTER[after:], *(RUNS if runs else ())]


def _heads(spec: StudySpec, runs: bool) -> list[str]:
    """Return the columns as they are written: those of axes with their units."""
    units = {_column(axis, runs): unit_of(spec.space, axis) for axis in spec.space.names}
    return [in_brackets(column, units.get(column, "")) for column in _columns(spec, runs)]


def _read_header(cells: Sequence[str], spec: StudySpec, line: int) -> list[str]:
    """Return the column that each cell names, as it is called in a table with runs.

    A fixed column may be left out, except ``value``.
    """
    # Without "axis:count" in the file, "count" is the axis of that name, not the number of results.
    space = spec.space
    found = {bare(cell) for cell in cells}
    called = {axis: _column(axis) for axis in space.names if axis in RUNS}
    runs = all({name, in_brackets(name, unit_of(space, axis))} & found for axis, name in called.items())
    known = _columns(spec, runs)
    # An axis goes by its name with its unit, or without.
    spelt = [*_heads(spec, runs), *known, *(stamps := _stamp_columns(known))]
    named = dict(zip(spelt, [*known, *known, *stamps], strict=True))
    names: list[str] = []
    for cell in cells:
        name = next((named[name] for name in (bare(cell), cell, cell.strip(" ")) if name in named), None)
        if name is None:
            raise InvalidInput(f"line {line}: {_unknown(cell, known, cells)}")
        if name in names:
            raise InvalidInput(f"line {line}: column {shown(name)} is there twice; drop one")
        names.append(name)
    for name in (*(_column(axis, runs) for axis in space.names), "value"):
        if name not in names:
            raise InvalidInput(f"line {line}: there is no column {shown(name)}; every axis and 'value' need one")
    in_full = dict(zip(known, _columns(spec, True), strict=False))
    return [in_full.get(name, name) for name in names]


def _unknown(cell: str, known: Sequence[str], cells: Sequence[str]) -> str:
    if not cell.strip():
        return "a column has no name; name it or drop it"
    hint = checks.nearest(cell[:80], known, "columns")
    if hint.startswith("the columns") and "value" not in (other.strip(" ") for other in cells):
        hint = f"the result goes in 'value', and {hint}"
    return f"unknown column {shown(cell)}; {hint}"


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put ``where`` in front of a refusal: ``line 3: column 'value' is blank``."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from error


def read_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each line and its cells, the header first; blank lines are left out.

    A cell in quotes may hold line ends; the number is that of the line on which the row begins.
    """
    if len(text) > LARGEST:
        raise InvalidInput(f"the file is larger than {LARGEST // 1_000_000} MB")
    reader = csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    line, width = 1, 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if not width:
                    _check_commas(cells, line)
                elif len(cells) != width:
                    raise InvalidInput(f"line {line}: {len(cells)} cells, but there are {width} columns")
                width = len(cells)
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInput(f"line {line}: not valid CSV: {error}") from error
    if not width:
        raise InvalidInput("the file is empty; its first line names the columns")


def _check_commas(header: list[str], line: int) -> None:
    for sign, words in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and sign in header[0]:
            raise InvalidInput(f"line {line}: the columns are separated by {words}; save the file with commas")


@frozen(eq=False)
class Row:
    """One row of a file, read and checked; an empty cell is None, or "" for text.

    ``state`` is None if the row has neither a state nor a value. ``value`` is the mean of ``count`` results.
    """

    line: int
    x: Values
    number: int | None
    state: TrialState | None
    leg: float | None
    value: float | None
    spent: float | None
    worker: str
    why: str
    prior: bool | None
    count: int | None
    variance: float | None
    measured: Mapping[str, float]
    texts: Mapping[str, str] = field(repr=False)
    """The cells by column, as they stand in the file."""


def read_rows(spec: StudySpec, text: str) -> list[Row]:
    """Return the rows of a CSV file that names its columns in the first line; blank rows are left out."""
    (line, first), *rest = read_lines(text)
    columns, choices = _read_header(first, spec, line), _choice_cells(spec.space)
    rows = []
    for line, cells in rest:
        with located(f"line {line}"):
            rows.append(_read_row(spec, choices, line, dict(zip(columns, cells, strict=True))))
    return rows


def _read_row(spec: StudySpec, choices: _Choices, line: int, texts: dict[str, str]) -> Row:
    value, spent = _number(texts, "value"), _number(texts, "spent")
    state, why = _state(texts, value), reason(bare(texts.get("why", "")))
    count, variance = _count(texts, "count", 1), _number(texts, "variance")
    found = ((name, _number(texts, name)) for name in measured_names(spec))
    measured = {name: number for name, number in found if number is not None}
    _check_outcome(state, value, measured, spent, why)
    _check_run(state, count, variance)
    if (leg := _number(texts, "leg")) is not None:
        checks.not_negative(leg, "column 'leg'")
    x, number = _place(spec.space, choices, texts), _count(texts, "number", 0)
    worker, prior = worker_name(bare(texts.get("worker", ""))), _flag(texts)
    return Row(line, x, number, state, leg, value, spent, worker, why, prior, count, variance, measured, texts)


def _place(space: AnySpace, choices: _Choices, texts: dict[str, str]) -> Values:
    place: dict[str, object] = {}
    for axis, choice in zip(space.names, choices, strict=True):
        cell, what = texts[_column(axis)], f"axis {axis!r}"
        place[axis] = read_number(cell, what) if choice is None else choice.read(cell, what)
    try:
        return read_only(space.points(place)[0])
    except InvalidInput as error:
        raise InvalidInput(str(error).removeprefix("the place: ")) from error


def _number(texts: dict[str, str], column: str) -> float | None:
    cell = texts.get(column, "")
    return read_number(cell, f"column {column!r}") if cell.strip() else None


def _count(texts: dict[str, str], column: str, least: int) -> int | None:
    if (number := _number(texts, column)) is None:
        return None
    count = checks.whole(checks.not_negative(number, f"column {column!r}"), f"column {column!r}")
    if count < least:
        raise InvalidInput(f"column {column!r} must be at least {least}, got {count}")
    return count


def _flag(texts: dict[str, str]) -> bool | None:
    cell = texts.get("prior", "").strip(" ").lower()
    if cell not in ("true", "false", ""):
        raise InvalidInput(f"column 'prior' must be true or false, got {shown(texts['prior'])}")
    return cell == "true" if cell else None


def _state(texts: dict[str, str], value: float | None) -> TrialState | None:
    cell = texts.get("state", "").strip(" ").lower()
    if not cell:
        return None if value is None else TrialState.TOLD
    if cell not in list(TrialState):
        hint = checks.nearest(cell[:80], map(str, TrialState), "states")
        raise InvalidInput(f"column 'state': there is no state {shown(cell)}; {hint}")
    state = TrialState(cell)
    # A run sheet comes with "asked" printed; the user fills in only the value.
    return TrialState.TOLD if state is TrialState.ASKED and value is not None else state


def _check_outcome(
    state: TrialState | None, value: float | None, measured: Mapping[str, float], spent: float | None, why: str
) -> None:
    told = state is TrialState.TOLD
    if told and value is None:
        raise InvalidInput("column 'value' is blank, but the state is told; give the value")
    if value is not None and not told:
        raise InvalidInput(f"column 'value' has {value!r}, but the state is {state}; clear one of them")
    if measured and not told:
        raise InvalidInput(
            f"column {next(iter(measured))!r} is filled, but there is no value; clear it or give the value"
        )
    if spent is not None and state not in (TrialState.TOLD, TrialState.FAILED):
        raise InvalidInput("column 'spent' is filled, but there was no visit; clear it or give the outcome")
    if why and state in (None, TrialState.ASKED):
        raise InvalidInput("column 'why' is filled, but there is no outcome; say failed or skipped")


def _check_run(state: TrialState | None, count: int | None, variance: float | None) -> None:
    if variance is None:
        return
    checks.not_negative(variance, "column 'variance'")
    if state is not TrialState.TOLD:
        raise InvalidInput("column 'variance' is filled, but there is no value; clear it or give the mean")
    if count in (None, 1):
        raise InvalidInput("column 'variance' is filled, but 'count' does not say of how many results, 2 or more")


def same_place(row: Row, x: Values, space: AnySpace) -> bool:
    """Return whether a row is at ``x``, as far as the digits in the file go."""
    return all(
        there == here if values is not None else agrees(row.texts[_column(axis)], float(there))
        for axis, values, here, there in zip(space.names, space.choices, row.x, np.asarray(x), strict=True)
    )


def read_places(space: AnySpace, text: str) -> Points:
    """Return the places of a CSV file that has a column for every axis; other columns are passed over."""
    (line, first), *rest = read_lines(text)
    heads, choices = [bare(cell.strip(" ")) for cell in first], _choice_cells(space)
    spellings = {axis: [f"{AXIS_PREFIX}{axis}", axis] for axis in space.names}
    columns = {
        axis: next((name for name in (*names, *_united(space, axis, names)) if name in heads), axis)
        for axis, names in spellings.items()
    }
    for name in columns.values():
        if heads.count(name) != 1:
            problem = "is there twice; drop one" if name in heads else "is missing; every axis needs one"
            raise InvalidInput(f"line {line}: column {shown(name)} {problem}")
    if not rest:
        raise InvalidInput("the file has no places, only a header")
    rows = []
    for line, cells in rest:
        with located(f"line {line}"):
            texts = {_column(axis): cells[heads.index(name)] for axis, name in columns.items()}
            rows.append(_place(space, choices, texts))
    return read_only(rows)


def _united(space: AnySpace, axis: str, names: Sequence[str]) -> list[str]:
    return [in_brackets(name, unit_of(space, axis)) for name in names]


def prediction_csv(space: AnySpace, prediction: Prediction) -> str:
    """Return a prediction as CSV: the axes, mean, sd, low_95, high_95, success and compliance, numbers in full."""
    choices = _choice_cells(space)
    axes = (in_brackets(dataframe.column_of(axis, COLUMNS), unit_of(space, axis)) for axis in space.names)
    heads = [*axes, *COLUMNS]
    beliefs = zip(*(getattr(prediction, column).tolist() for column in COLUMNS), strict=True)
    rows = (
        [*_place_cells(params, x, choices), *map(repr, belief)]
        for params, x, belief in zip(prediction.params, prediction.x, beliefs, strict=True)
    )
    return write_lines([map(guarded, heads), *rows])
