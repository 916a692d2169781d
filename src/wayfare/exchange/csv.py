"""``export_csv``: a study as a table that a spreadsheet opens, one row per trial."""

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import TypeAlias

import numpy as np
from attrs import field, frozen

from wayfare._core import checks, parse
from wayfare._core.arrays import Values, read_only
from wayfare._core.parse import PLAIN, shown
from wayfare.errors import InvalidInput
from wayfare.record.events import Trial, TrialState
from wayfare.report import dataframe
from wayfare.space import AnySpace
from wayfare.space.axes import Scalar
from wayfare.study.inputs import reason, worker_name
from wayfare.study.study import Snapshot, Study

# Cells of a CSV file: text that no spreadsheet takes for a formula, numbers that come back bit for bit.


FORMULA = tuple("=+-@＝＋－＠")
"""How a formula begins, spaces aside; some spreadsheets take the wide signs too."""
FEWEST_DIGITS = 6
"""A spreadsheet that rounds what it saves keeps so many digits at least."""


def quoted(cell: str) -> str:
    """Return a cell as it stands in the file: in quotes where it would be misread without."""
    if any(sign in cell for sign in ',"\r\n') or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def guarded(text: str) -> str:
    """Return text with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{text}" if is_risky(text) else text


def bare(cell: str) -> str:
    """Return the text without the apostrophe that ``guarded`` put in front; another one stays."""
    return cell[1:] if cell.startswith("'") and is_risky(cell[1:]) else cell


def is_risky(text: str) -> bool:
    """Return whether a spreadsheet might take the text for a formula, or its apostrophe for a mark."""
    return text.startswith(("'", "\t", "\r", "\n")) or text.lstrip().startswith(FORMULA)


def write_number(number: float | None) -> str:
    """Return a number in full; an empty cell for none."""
    return "" if number is None else repr(number)


def read_number(cell: str, what: str) -> float:
    """Return the number in a cell; spaces around it do no harm."""
    return parse.read_number(cell.strip(" "), what)


def agrees(cell: str, number: float) -> bool:
    """Return whether a cell holds the number, as far as its digits go: spreadsheets round what they save."""
    given = float(cell)
    if given == number or number == 0:
        return given == number
    digits = re.sub(r"[eE].*|[^0-9]", "", cell).lstrip("0")
    kept = min(max(len(digits), FEWEST_DIGITS), 17)
    last = 10.0 ** (math.floor(math.log10(abs(number))) - kept + 1)
    return abs(given - number) <= 0.5000001 * last


# The values of a choice as cells: text, numbers and booleans, each coming back as what it was.


class ChoiceCells:
    """How the ``values`` of one choice are written and read.

    Text that could be read as one of its numbers or booleans has an apostrophe in front, so that "1" and 1
    can stand in one column.
    """

    def __init__(self, values: Sequence[Scalar]) -> None:
        self._values = values
        others = [value for value in values if not isinstance(value, str)]
        self._flags = {str(value).lower(): value for value in others if isinstance(value, bool)}
        # Equal numbers have one key, whole or not; as a float, a long whole number would lose its end.
        self._numbers = {value: value for value in others if not isinstance(value, bool)}
        self._digits = {repr(value): value for value in self._numbers}
        self._cells = [self._written(value) for value in values]
        texts = [(cell, v) for cell, v in zip(self._cells, values, strict=True) if isinstance(v, str)]
        self._texts = {v: v for _, v in texts} | dict(texts)

    def write(self, position: float) -> str:
        """Return the cell of the value at a position."""
        return self._cells[round(position)]

    def read(self, cell: str, what: str) -> Scalar:
        """Return the value a cell stands for; ``what`` names the column in the refusal."""
        other = self._other(cell.strip(" "))
        if other is not None:
            return other
        for text in (cell, cell.removeprefix("'")):
            if text in self._texts:
                return self._texts[text]
        raise InvalidInput(f"{what} has no value {shown(cell)}; {checks.nearest(cell[:80], self._values, 'values')}")

    def _written(self, value: Scalar) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if not isinstance(value, str):
            return repr(value)
        return f"'{value}" if is_risky(value) or self._other(value.strip(" ")) is not None else value

    def _other(self, text: str) -> Scalar | None:
        """Return which of the numbers or booleans the text could be; None if none."""
        if text.lower() in self._flags:
            return self._flags[text.lower()]
        if text in self._digits:
            return self._digits[text]
        return self._numbers.get(float(text)) if PLAIN.fullmatch(text) else None


def choice_cells(space: AnySpace) -> list[ChoiceCells | None]:
    """Return for each axis how its cells are written, None where they hold numbers."""
    return [None if values is None else ChoiceCells(values) for values in space.choices]


# The columns of a CSV file: those every study has, and one for each axis.


BEFORE = ("number", "state")
AFTER = ("leg", "value", "spent", "worker", "why", "prior")
RUNS = ("count", "variance")
"""Only in a table where some trial has several results."""


def column_of(axis: str, runs: bool = True) -> str:
    """Return what the column of an axis is called, in a table with the columns of runs or without."""
    return dataframe.column_of(axis, (*BEFORE, *AFTER, *(RUNS if runs else ())))


def columns_of(space: AnySpace, runs: bool) -> list[str]:
    """Return the names of all columns."""
    return [*BEFORE, *(column_of(axis, runs) for axis in space.names), *AFTER, *(RUNS if runs else ())]


def read_header(cells: Sequence[str], space: AnySpace, line: int) -> list[str]:
    """Return which column each cell names, as it is called beside those of runs.

    A fixed column but ``value`` may be left out.
    """
    runs = _has_room_for_runs(cells, space)
    known = columns_of(space, runs)
    names: list[str] = []
    for cell in cells:
        name = next((name for name in (bare(cell), cell, cell.strip(" ")) if name in known), None)
        if name is None:
            raise InvalidInput(f"line {line}: {_unknown(cell, known, cells)}")
        if name in names:
            raise InvalidInput(f"line {line}: column {shown(name)} is there twice; drop one")
        names.append(name)
    for name in (*(column_of(axis, runs) for axis in space.names), "value"):
        if name not in names:
            raise InvalidInput(f"line {line}: there is no column {shown(name)}; every axis and 'value' need one")
    called = dict(zip(known, columns_of(space, True), strict=False))
    return [called[name] for name in names]


def _has_room_for_runs(cells: Sequence[str], space: AnySpace) -> bool:
    """Return whether ``count`` and ``variance`` are what they say, not axes that are called so."""
    return all(column_of(axis) in map(bare, cells) for axis in space.names if axis in RUNS)


def _unknown(cell: str, known: Sequence[str], cells: Sequence[str]) -> str:
    if not cell.strip():
        return "a column has no name; name it or drop it"
    hint = checks.nearest(cell[:80], known, "columns")
    if hint.startswith("the columns") and "value" not in (other.strip(" ") for other in cells):
        hint = f"the result goes in 'value', and {hint}"
    return f"unknown column {shown(cell)}; {hint}"


def export_csv(study: Study | Snapshot) -> str:
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


# CSV text taken apart: cells line by line, whatever its line ends and its byte order mark.


LARGEST = 50_000_000
"""Characters in a file: far beyond 100,000 trials."""


def read_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of a line and its cells; the first are the header, and blank lines are left out.

    A cell in quotes may hold line ends and anything else; the line is then the one it begins on.
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


# A CSV file read into rows: every cell checked, every refusal with its line and column.


Choices: TypeAlias = Sequence[ChoiceCells | None]


@frozen(eq=False)
class Row:
    """One row of a file; ``state`` is None where neither a state nor a value was given.

    ``value`` is the mean of ``count`` results; None where nobody said of how many.
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
    texts: Mapping[str, str] = field(repr=False)
    """The cells by column, as they stand in the file."""

    def refuse(self, what: str) -> InvalidInput:
        """Return the refusal of this row."""
        return InvalidInput(f"line {self.line}: {what}")


def read_rows(space: AnySpace, text: str) -> list[Row]:
    """Return the rows of a CSV file that names its columns in the first line; blank rows are left out."""
    (line, first), *rest = read_lines(text)
    columns, choices = read_header(first, space, line), choice_cells(space)
    return [_read_row(space, choices, at, dict(zip(columns, found, strict=True))) for at, found in rest]


def _read_row(space: AnySpace, choices: Choices, line: int, texts: dict[str, str]) -> Row:
    try:
        return _read_cells(space, choices, line, texts)
    except InvalidInput as error:
        raise InvalidInput(f"line {line}: {error}") from error


def _read_cells(space: AnySpace, choices: Choices, line: int, texts: dict[str, str]) -> Row:
    value, spent = _number(texts, "value"), _number(texts, "spent")
    state, why = _state(texts, value), reason(bare(texts.get("why", "")))
    count, variance = _count(texts, "count", 1), _number(texts, "variance")
    _check_state(state, value, spent, why)
    _check_run(state, count, variance)
    if (leg := _number(texts, "leg")) is not None:
        checks.not_negative(leg, "column 'leg'")
    return Row(
        line=line,
        x=_place(space, choices, texts),
        number=_count(texts, "number", 0),
        state=state,
        leg=leg,
        value=value,
        spent=spent,
        worker=worker_name(bare(texts.get("worker", ""))),
        why=why,
        prior=_flag(texts),
        count=count,
        variance=variance,
        texts=texts,
    )


def _place(space: AnySpace, choices: Choices, texts: dict[str, str]) -> Values:
    place: dict[str, object] = {}
    for axis, choice in zip(space.names, choices, strict=True):
        cell, what = texts[column_of(axis)], f"axis {axis!r}"
        place[axis] = read_number(cell, what) if choice is None else choice.read(cell, what)
    try:
        return read_only(space.points(place)[0])
    except InvalidInput as error:
        raise InvalidInput(str(error).removeprefix("the place: ")) from error


def _number(texts: dict[str, str], column: str) -> float | None:
    cell = texts.get(column, "")
    return read_number(cell, f"column {column!r}") if cell.strip() else None


def _count(texts: dict[str, str], column: str, least: int) -> int | None:
    number = _number(texts, column)
    if number is None:
        return None
    count = checks.whole(checks.not_negative(number, f"column {column!r}"), f"column {column!r}")
    if count < least:
        raise InvalidInput(f"column {column!r} must be at least {least}, got {count}")
    return count


def _flag(texts: dict[str, str]) -> bool | None:
    cell = texts.get("prior", "").strip(" ").lower()
    if cell not in ("true", "false", ""):
        raise InvalidInput(f"column 'prior' must be true or false, got {parse.shown(texts['prior'])}")
    return cell == "true" if cell else None


def _state(texts: dict[str, str], value: float | None) -> TrialState | None:
    cell = texts.get("state", "").strip(" ").lower()
    if not cell:
        return None if value is None else TrialState.TOLD
    if cell not in list(TrialState):
        hint = checks.nearest(cell[:80], map(str, TrialState), "states")
        raise InvalidInput(f"column 'state': there is no state {parse.shown(cell)}; {hint}")
    state = TrialState(cell)
    # The run sheet says "asked"; whoever fills it in writes down the value.
    return TrialState.TOLD if state is TrialState.ASKED and value is not None else state


def _check_state(state: TrialState | None, value: float | None, spent: float | None, why: str) -> None:
    if state is TrialState.TOLD:
        if value is None:
            raise InvalidInput("column 'value' is blank, but the state is told; give the value")
    elif value is not None:
        raise InvalidInput(f"column 'value' has {value!r}, but the state is {state}; clear one of them")
    if spent is not None and state not in (TrialState.TOLD, TrialState.FAILED):
        raise InvalidInput("column 'spent' is filled, but nobody went there; clear it or give the outcome")
    if why and state in (None, TrialState.ASKED):
        raise InvalidInput("column 'why' is filled, but there is no outcome; say failed or skipped")


def _check_run(state: TrialState | None, count: int | None, variance: float | None) -> None:
    if variance is None:
        return
    checks.not_negative(variance, "column 'variance'")
    if state is not TrialState.TOLD:
        raise InvalidInput("column 'variance' is filled, but there is no value; clear it or give the mean")
    if count is None or count == 1:
        raise InvalidInput("column 'variance' is filled, but 'count' does not say of how many results, 2 or more")


def same_place(row: Row, x: Values, space: AnySpace) -> bool:
    """Return whether a row is at ``x``, as far as the digits in the file go."""
    return all(
        there == here if values is not None else agrees(row.texts[column_of(axis)], float(there))
        for axis, values, here, there in zip(space.names, space.choices, row.x, np.asarray(x), strict=True)
    )
