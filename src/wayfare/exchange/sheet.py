"""A CSV file read into rows: every cell checked, every refusal with its line and column."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from attrs import field, frozen

from wayfare import door, typed
from wayfare.arrays import Values, read_only
from wayfare.errors import InvalidInput
from wayfare.exchange import cells
from wayfare.exchange.choices import ChoiceCells, choice_cells
from wayfare.exchange.header import column_of, read_header
from wayfare.exchange.lines import read_lines
from wayfare.outcome import reason, worker_name
from wayfare.records import TrialState
from wayfare.space import AnySpace

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
    state, why = _state(texts, value), reason(cells.bare(texts.get("why", "")))
    count, variance = _count(texts, "count", 1), _number(texts, "variance")
    _check_state(state, value, spent, why)
    _check_run(state, count, variance)
    if (leg := _number(texts, "leg")) is not None:
        door.not_negative(leg, "column 'leg'")
    return Row(
        line=line,
        x=_place(space, choices, texts),
        number=_count(texts, "number", 0),
        state=state,
        leg=leg,
        value=value,
        spent=spent,
        worker=worker_name(cells.bare(texts.get("worker", ""))),
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
        place[axis] = cells.read_number(cell, what) if choice is None else choice.read(cell, what)
    try:
        return read_only(space.points(place)[0])
    except InvalidInput as error:
        raise InvalidInput(str(error).removeprefix("the place: ")) from error


def _number(texts: dict[str, str], column: str) -> float | None:
    cell = texts.get(column, "")
    return cells.read_number(cell, f"column {column!r}") if cell.strip() else None


def _count(texts: dict[str, str], column: str, least: int) -> int | None:
    number = _number(texts, column)
    if number is None:
        return None
    count = door.whole(door.not_negative(number, f"column {column!r}"), f"column {column!r}")
    if count < least:
        raise InvalidInput(f"column {column!r} must be at least {least}, got {count}")
    return count


def _flag(texts: dict[str, str]) -> bool | None:
    cell = texts.get("prior", "").strip(" ").lower()
    if cell not in ("true", "false", ""):
        raise InvalidInput(f"column 'prior' must be true or false, got {typed.shown(texts['prior'])}")
    return cell == "true" if cell else None


def _state(texts: dict[str, str], value: float | None) -> TrialState | None:
    cell = texts.get("state", "").strip(" ").lower()
    if not cell:
        return None if value is None else TrialState.TOLD
    if cell not in list(TrialState):
        hint = door.nearest(cell[:80], map(str, TrialState), "states")
        raise InvalidInput(f"column 'state': there is no state {typed.shown(cell)}; {hint}")
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
    door.not_negative(variance, "column 'variance'")
    if state is not TrialState.TOLD:
        raise InvalidInput("column 'variance' is filled, but there is no value; clear it or give the mean")
    if count is None or count == 1:
        raise InvalidInput(
            "column 'variance' is filled, but 'count' does not say of how many results, 2 or more"
        )


def same_place(row: Row, x: Values, space: AnySpace) -> bool:
    """Return whether a row is at ``x``, as far as the digits in the file go."""
    return all(
        there == here if values is not None else cells.agrees(row.texts[column_of(axis)], float(there))
        for axis, values, here, there in zip(space.names, space.choices, row.x, np.asarray(x), strict=True)
    )
