"""The rows of a table of results: ``read_rows`` finds the columns by their names and checks every cell.

A fixed column may be left out, except ``value``; numbers come back bit for bit, and text without its guard.
"""

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np
from attrs import field, frozen

from wayfare._core import checks, parse
from wayfare._core.arrays import Points, Values, read_only
from wayfare._core.format import in_brackets, unit_of
from wayfare._core.parse import shown
from wayfare.errors import InvalidInput
from wayfare.exchange.csv import (
    AFTER,
    ASKED,
    BEFORE,
    EARLIER,
    RUNS,
    STAMPS,
    ChoiceCells,
    Choices,
    choice_cells,
    column_of,
)
from wayfare.exchange.table import (
    EVERYTHING,
    Line,
    Table,
    TableFormat,
    bare,
    decimal_of,
    guarded,
    located,
    read_table,
    with_point,
)
from wayfare.record.events import StudySpec, TrialState
from wayfare.record.spec import AXIS_PREFIX
from wayfare.space import AnySpace
from wayfare.study.inputs import reason, worker_name

TEXTS = ("state", "worker", "why", "prior")
"""The fixed columns that hold words."""
FEWEST_DIGITS = 6
"""The digits that a spreadsheet keeps at least if it rounds the numbers it saves."""


def measured_names(spec: StudySpec) -> list[str]:
    """Return the names of what is measured beside the value, which are columns of a table."""
    return [limit.name for limit in spec.measured]


def _known(spec: StudySpec, runs: bool) -> dict[str, str]:
    """Return the columns of a table by name, each with its unit."""
    axes = {column_of(axis, runs): unit_of(spec.space, axis) for axis in spec.space.names}
    found = {limit.name: limit.unit for limit in spec.measured}
    costs = {"leg": spec.unit, "spent": spec.unit}
    after, last = AFTER.index("value") + 1, RUNS if runs else ()
    names = (*BEFORE, *axes, *AFTER[:after], *found, *AFTER[after:], *last)
    return {name: {**found, **axes, **costs}.get(name, "") for name in names}


def _read_header(head: Line, spec: StudySpec, form: TableFormat) -> list[str | None]:
    """Return the column that each cell names, as it is called in a table with runs; None for one to pass over.

    A fixed column may be left out, except ``value``.
    """
    cells = _renamed(head, form)
    # Without "axis:count" in the file, "count" is the axis of that name, not the number of results.
    space = spec.space
    found = {bare(cell) for cell in cells if cell is not None}
    called = {axis: column_of(axis) for axis in space.names if axis in RUNS}
    runs = all({name, in_brackets(name, unit_of(space, axis))} & found for axis, name in called.items())
    known = _known(spec, runs)
    asked = {f"{ASKED}{axis}": unit_of(space, axis) for axis in space.names}
    # A column goes by its name with its unit, or without; those that the study knows come first.
    spelt: dict[str, str | None] = dict.fromkeys([*STAMPS, EARLIER, *asked])
    spelt |= {in_brackets(name, "UTC"): None for name in STAMPS}
    spelt |= {in_brackets(name, unit): None for name, unit in asked.items()}
    spelt |= {in_brackets(name, unit): name for name, unit in known.items()} | {name: name for name in known}
    if EVERYTHING in form.ignore:
        spelt |= dict.fromkeys(cell for cell in cells if cell is not None and not _spelling(cell, spelt))
    names: list[str | None] = []
    for at, cell in enumerate(cells):
        spelling = "" if cell is None else _spelling(cell, spelt)
        if cell is not None and at in head.odd:
            raise InvalidInput(head.odd[at])
        if cell is not None and not spelling:
            raise InvalidInput(f"{head.where}: {_unknown(bare(cell), known, cells)}")
        name = spelt.get(spelling)
        if name is not None and name in names:
            raise InvalidInput(f"{head.where}: column {shown(name)} is there twice; drop one")
        names.append(name)
    for name in (*(column_of(axis, runs) for axis in space.names), "value"):
        if name not in names:
            raise InvalidInput(f"{head.where}: there is no column {shown(name)}; every axis and 'value' need one")
    in_full = dict(zip(known, _known(spec, True), strict=False))
    return [None if name is None else in_full.get(name, name) for name in names]


def _spelling(cell: str, spelt: Mapping[str, str | None]) -> str:
    """Return how a cell of the header is spelt, if that is known, else an empty text."""
    return next((one for one in (bare(cell), cell, cell.strip(" ")) if one in spelt), "")


def _renamed(head: Line, form: TableFormat) -> list[str | None]:
    """Return the head with our names for the columns that the format names, and None for those to be passed over."""
    cells: list[str | None] = list(head.cells)
    theirs = [bare(cell).strip() for cell in head.cells]
    for what, names in (("columns", form.columns.values()), ("ignore", form.ignore)):
        for name in names:
            if name.strip() not in theirs and not (what == "ignore" and name == EVERYTHING):
                raise InvalidInput(
                    f"{head.where}: there is no column {shown(name)} to {'read' if what == 'columns' else 'ignore'}; "
                    f"{checks.nearest(name, theirs, 'columns')}"
                )
    for ours, name in form.columns.items():
        if theirs.count(name.strip()) > 1:
            raise InvalidInput(f"{head.where}: column {shown(name)} is there twice; drop one")
        cells[theirs.index(name.strip())] = guarded(ours)
    ignored = {name.strip() for name in form.ignore}
    return [None if own in ignored else cell for own, cell in zip(theirs, cells, strict=True)]


def _unknown(cell: str, known: Mapping[str, str], cells: Sequence[str | None]) -> str:
    if not cell.strip():
        return "a column has no name; name it or drop it"
    name, _, unit = cell.strip().removesuffix("]").rpartition(" [")
    if cell.strip().endswith("]") and name in known:
        ours = f"is in {known[name]} here; convert the numbers" if known[name] else "has no unit here"
        takes = f"--column {name}={shown(cell)} takes them as they are"
        return f"column {shown(cell)} is in {shown(unit)[1:-1]}, and {name!r} {ours}, or {takes}"
    hint = checks.nearest(cell[:80], list(known), "columns")
    if hint.startswith("the columns"):
        named = "value" in (other.strip(" ") for other in cells if other is not None)
        result = "" if named else "the result goes in 'value', and "
        hint = f"{result}--column OURS={shown(cell)} names it, --ignore passes over it; {hint}"
    return f"unknown column {shown(cell)}; {hint}"


def read_number(cell: str, what: str) -> float:
    """Return the number in a cell, without the spaces around it; ``what`` names it in the refusal."""
    return parse.read_number(cell.strip(" "), what)


def agrees(cell: str, number: float) -> bool:
    """Return whether a cell holds the number, as far as its digits go: spreadsheets round the numbers they save."""
    given = float(cell)
    return given == number or abs(given - number) <= half_digit(cell, number)


def half_digit(cell: str, number: float) -> float:
    """Return half a unit of the last digit to which a cell gives a number; 0 for the number 0."""
    if number == 0:
        return 0.0
    digits = re.sub(r"[eE].*|[^0-9]", "", cell).lstrip("0")
    kept = min(max(len(digits), FEWEST_DIGITS), 17)
    # A little more for the rounding of the difference that it is compared with.
    return 0.5000001 * 10.0 ** (math.floor(math.log10(abs(number))) - kept + 1)


class Cells(dict[str, str]):
    """The cells of a row by column, numbers with decimal points; of a sheet, with what each is called there."""

    def __init__(self, cells: Mapping[str, str], names: Mapping[str, str], decimal: str = ".") -> None:
        super().__init__(cells)
        self.names, self.decimal = names, decimal

    def called(self, column: str, axis: str = "") -> str:
        """Return the name of a cell in a refusal: ``column 'value'``, of a sheet ``column 'value' (D5)``."""
        what = f"axis {axis!r}" if axis else f"column {column!r}"
        return f"{what} ({self.names[column]})" if column in self.names else what


@frozen(eq=False)
class Row:
    """One row of a file, read and checked; an empty cell is None, or "" for text.

    ``state`` is None if the row has neither a state nor a value. ``value`` is the mean of ``count`` results.
    """

    where: str
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
    """The cells by column, as they stand in the file, numbers with decimal points."""


def read_rows(spec: StudySpec, data: bytes | str, form: TableFormat | None = None) -> tuple[list[Row], Table]:
    """Return the rows of a file that names its columns in the first line, and the table; blank rows are left out.

    Args:
        spec: of the study that the results are of.
        data: the file, CSV or an .xlsx workbook.
        form: how it is to be read, as far as it does not say so itself.
    """
    form = form or TableFormat()

    def suits(head: Line) -> bool:
        try:
            return bool(_read_header(head, spec, form))
        except InvalidInput:
            return False

    table = read_table(data, form, suits)
    columns, choices = _read_header(table.head, spec, form), choice_cells(spec.space)
    of_axis = {column_of(axis): choice for axis, choice in zip(spec.space.names, choices, strict=True)}
    words = {*TEXTS, *(name for name, choice in of_axis.items() if choice is not None)}
    numbers = [at for at, name in enumerate(columns) if name is not None and name not in words]
    given = ((line, line.cells[at]) for line in table.lines for at in numbers)
    decimal = decimal_of(given, table.delimiter, form.decimal)
    rows = []
    for line in table.lines:
        with located(line.where):
            rows.append(_read_row(spec, choices, line.where, _cells_of(line, columns, of_axis, numbers, decimal)))
    return rows, table


def _cells_of(
    line: Line,
    columns: Sequence[str | None],
    of_axis: Mapping[str, ChoiceCells | None],
    numbers: Sequence[int],
    decimal: str,
) -> Cells:
    """Return the cells that are read; one that a sheet cannot give a value is refused."""
    cells = dict[str, str]()
    for at, (name, cell) in enumerate(zip(columns, line.cells, strict=True)):
        if name is None:
            continue
        if at in line.odd:
            raise InvalidInput(line.odd[at])
        if at in line.dates and name not in ("why", "worker"):
            kind, wanted = "date" if "-" in cell else "time", "a number" if at in numbers else "words"
            raise InvalidInput(
                f"cell {line.names[at]}: {cell} is a {kind}, where column {name!r} takes {wanted}; correct it"
            )
        if at in line.texts and (choice := of_axis.get(name)) is not None:
            cell = choice.of_text(cell)
        elif at in line.texts and name in TEXTS:
            cell = guarded(cell)
        cells[name] = cell
    names = {name: line.names[at] for at, name in enumerate(columns) if name is not None} if line.names else {}
    found = Cells(cells, names, decimal)
    for at in numbers:
        name = columns[at]
        if name is not None and name in found:
            found[name] = with_point(found[name], decimal, found.called(name))
    return found


def _read_row(spec: StudySpec, choices: Choices, where: str, texts: Cells) -> Row:
    value, spent = _number(texts, "value"), _number(texts, "spent")
    state, why = _state(texts, value), reason(bare(texts.get("why", "")))
    count, variance = _count(texts, "count", 1), _number(texts, "variance")
    found = ((name, _number(texts, name)) for name in measured_names(spec))
    measured = {name: number for name, number in found if number is not None}
    _check_outcome(state, value, measured, spent, why)
    _check_run(state, count, variance)
    if (leg := _number(texts, "leg")) is not None:
        checks.not_negative(leg, texts.called("leg"))
    x, number = _place(spec.space, choices, texts), _count(texts, "number", 0)
    worker, prior = worker_name(bare(texts.get("worker", ""))), _flag(texts)
    return Row(where, x, number, state, leg, value, spent, worker, why, prior, count, variance, measured, texts)


def _place(space: AnySpace, choices: Choices, texts: Cells) -> Values:
    place: dict[str, object] = {}
    for axis, choice in zip(space.names, choices, strict=True):
        cell, what = texts[column_of(axis)], texts.called(column_of(axis), axis)
        if choice is None and not cell.strip():
            raise InvalidInput(f"{what} is blank; fill it in")
        place[axis] = read_number(cell, what) if choice is None else choice.read(cell, what, texts.decimal)
    try:
        return read_only(space.points(place)[0])
    except InvalidInput as error:
        raise InvalidInput(str(error).removeprefix("the place: ")) from error


def _number(texts: Cells, column: str) -> float | None:
    cell = texts.get(column, "")
    return read_number(cell, texts.called(column)) if cell.strip() else None


def _count(texts: Cells, column: str, least: int) -> int | None:
    if (number := _number(texts, column)) is None:
        return None
    what = texts.called(column)
    count = checks.whole(checks.not_negative(number, what), what)
    if count < least:
        raise InvalidInput(f"{what} must be at least {least}, got {count}")
    return count


def _flag(texts: Cells) -> bool | None:
    cell = texts.get("prior", "").strip(" ").lower()
    if cell not in ("true", "false", ""):
        raise InvalidInput(f"{texts.called('prior')} must be true or false, got {shown(texts['prior'])}")
    return cell == "true" if cell else None


def _state(texts: Cells, value: float | None) -> TrialState | None:
    cell = texts.get("state", "").strip(" ").lower()
    if not cell:
        return None if value is None else TrialState.TOLD
    if cell not in list(TrialState):
        hint = checks.nearest(cell[:80], map(str, TrialState), "states")
        raise InvalidInput(f"{texts.called('state')}: there is no state {shown(cell)}; {hint}")
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
        there == here if values is not None else agrees(row.texts[column_of(axis)], float(there))
        for axis, values, here, there in zip(space.names, space.choices, row.x, np.asarray(x), strict=True)
    )


def read_places(space: AnySpace, data: bytes | str) -> Points:
    """Return the places of a file that has a column for every axis; other columns are passed over."""
    table = read_table(data)
    heads, choices = [bare(cell.strip(" ")) for cell in table.head.cells], choice_cells(space)
    spellings = {axis: [f"{AXIS_PREFIX}{axis}", axis] for axis in space.names}
    columns = {
        axis: next((name for name in (*names, *_united(space, axis, names)) if name in heads), axis)
        for axis, names in spellings.items()
    }
    for name in columns.values():
        if heads.count(name) != 1:
            problem = "is there twice; drop one" if name in heads else "is missing; every axis needs one"
            raise InvalidInput(f"{table.head.where}: column {shown(name)} {problem}")
    if not table.lines:
        raise InvalidInput("the file has no places, only a header")
    ours = {heads.index(name): column_of(axis) for axis, name in columns.items()}
    of_axis = {column_of(axis): choice for axis, choice in zip(space.names, choices, strict=True)}
    names = [ours.get(at) for at in range(len(heads))]
    numbers = [at for at, name in ours.items() if of_axis[name] is None]
    decimal = decimal_of(((line, line.cells[at]) for line in table.lines for at in numbers), table.delimiter, None)
    rows = []
    for line in table.lines:
        with located(line.where):
            rows.append(_place(space, choices, _cells_of(line, names, of_axis, numbers, decimal)))
    return read_only(rows)


def _united(space: AnySpace, axis: str, names: Sequence[str]) -> list[str]:
    return [in_brackets(name, unit_of(space, axis)) for name in names]
