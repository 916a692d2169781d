"""Old results: what was known before the study, added as events of a visit for which nothing moved.

Every way in, ``study.add``, ``Study.create(known=...)`` and a file, writes them by ``prior_events``.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from wayfare._core.arrays import Values
from wayfare._core.format import counted, in_words
from wayfare.errors import InvalidInput
from wayfare.record.events import Event, Failed, Inserted, StudySpec, TrialState
from wayfare.record.state import StudyState
from wayfare.space.reading import is_frame
from wayfare.study.inputs import Result, measured_numbers, told_result
from wayfare.study.moves import as_row, granted_under

VALUE = "value"
"""The column of results in a table of places, unless another is named."""
MOST_TWINS = 5
"""How many repeated results a refusal names; the rest is counted."""


@frozen(eq=False)
class Known:
    """A result known before the study; ``found`` is None where the experiment failed."""

    x: Values
    found: Result | None
    measured: Mapping[str, float]

    @property
    def value(self) -> float | None:
        """The value; None where it failed."""
        return None if self.found is None else self.found.value

    @property
    def count(self) -> int:
        """Of how many results it is the mean."""
        return 1 if self.found is None else self.found.count


def prior_events(
    number: int,
    x: Values,
    found: Result | None,
    *,
    measured: Mapping[str, float],
    worker: str,
    why: str,
    requests: tuple[str, str],
) -> list[Event]:
    """Return the two events of an old result: that it was there, and what was found.

    Args:
        number: of the trial.
        x: the place, as a row of the space; it may be out of bounds.
        found: the result; None where the experiment failed.
        measured: what was measured with it, by name.
        worker: who took it.
        why: a remark.
        requests: the ids of both events.
    """
    many = 1 if found is None else found.count
    there = Inserted(number, as_row(x), 0.0, worker, requests[0], prior=True, count=many)
    if found is None:
        return [there, Failed(number=number, why=why, request=requests[1])]
    return [there, found.told(number, request=requests[1], why=why, measured=measured)]


def read_known(spec: StudySpec, places: object, values: object, measured: object | None = None) -> list[Known]:
    """Return old results as a user wrote them, all of them checked.

    Args:
        spec: of the study.
        places: dicts, a DataFrame, an array or rows, each with every axis.
        values: one for each place: a number, a list of results, or None where it failed; or the name of the column of
            ``places`` that has them. Then columns called as what the study measures are read, too.
        measured: for each place a dict of what else was measured, by name.
    """
    if isinstance(values, str):
        places, values, columns = _apart(places, values, [limit.name for limit in spec.measured])
        measured = columns if measured is None else measured
    try:
        x = spec.space.points(places)
    except InvalidInput as error:
        raise InvalidInput(f"known: {error}") from error
    listed = _listed(values, len(x), "values; give one for each, None where it failed")
    besides = [None] * len(x) if measured is None else _listed(measured, len(x), "dicts in measured; give one for each")
    return [_known(spec, at, *row) for at, row in enumerate(zip(x, listed, besides, strict=True))]


def _apart(table: object, column: str, names: Sequence[str]) -> tuple[object, list[object], list[object]]:
    """Return the places of a table, its column of values, and what was measured beside each."""
    if is_frame(table):
        table = [dict(row) for row in table.to_dict("records")]  # type: ignore[attr-defined]  # any kind of frame
    rows = [table] if isinstance(table, Mapping) else table
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        raise InvalidInput(f"known: {column!r} is a column, so places must be a DataFrame or dicts; or give the values")
    for at, row in enumerate(rows):
        if column not in row:
            said = "name the column that has it, or give None where it failed"
            raise InvalidInput(f"known: place {at} lacks {column!r}, its result; {said}")
    own = (column, *names)
    # A table of numbers has nan where nothing was measured.
    found = [{name: row[name] for name in names if name in row and row[name] == row[name]} for row in rows]
    return [{key: row[key] for key in row if key not in own} for row in rows], [row[column] for row in rows], [*found]


def _listed(given: Any, n: int, what: str) -> list[object]:
    """Return the given values as a list, one for each place."""
    listed = [given] if isinstance(given, Mapping) or not hasattr(given, "__len__") else list(given)
    if len(listed) != n:
        raise InvalidInput(f"known: {counted(n, 'place')} but {len(listed)} {what}")
    return listed


def _known(spec: StudySpec, at: int, x: Values, value: object, measured: Any) -> Known:
    """Return one old result, checked as a told trial is."""
    try:
        if value is None:
            return Known(x, None, {})
        numbers = measured_numbers(spec.measured, measured, at)
        return Known(x, told_result(value, None, None, at), {k: v for k, v in numbers.items() if v is not None})
    except InvalidInput as error:
        said = str(error).removeprefix(f"trial {at}: ")
        is_nan = isinstance(value, float) and math.isnan(value)
        way_out = "; drop the row, or give None where it failed" if is_nan else ""
        raise InvalidInput(f"known: place {at}: {said}{way_out}") from error


def request_of(known: Sequence[Known], base: str) -> str:
    """Return the id of a request for these very results: with others it is another."""
    text = repr([(as_row(one.x), one.found, one.measured) for one in known])
    return f"{base}/{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def add(state: StudyState, known: Sequence[Known], why: str, base: str, again: bool) -> list[Event]:
    """Add old results; none if that was done before under the same request."""
    own = request_of(known, base)
    if granted_under(state, base, f"{own}/0", "other results or another move"):
        return []
    if not again:
        _check_new(state, known)
    if state.spec.space.once:
        _check_once(state, known)
    events: list[Event] = []
    for number, one in enumerate(known, start=len(state.trials)):
        requests = f"{own}/{len(events)}", f"{own}/{len(events) + 1}"
        events += prior_events(number, one.x, one.found, measured=one.measured, worker="", why=why, requests=requests)
    return events


def _check_once(state: StudyState, known: Sequence[Known]) -> None:
    seen = {key_of(trial.x) for trial in state.trials if trial.state is not TrialState.SKIPPED}
    for at, one in enumerate(known):
        if key_of(one.x) in seen:
            place = in_words(state.spec.space.params(one.x))
            raise InvalidInput(f"known: place {at} ({place}) was visited, and a place may be visited only once")
        seen.add(key_of(one.x))


def _check_new(state: StudyState, known: Sequence[Known]) -> None:
    """Refuse results that the study has already: a cell of a notebook is easily run twice."""
    there = {fingerprint(trial.x, trial.value, trial.count): trial for trial in reversed(state.trials) if trial.prior}
    twins = [
        (at, there[key]) for at, one in enumerate(known) if (key := fingerprint(one.x, one.value, one.count)) in there
    ]
    if twins:
        some = ", ".join(f"place {at} is {trial.title}" for at, trial in twins[:MOST_TWINS])
        more = f" and {len(twins) - MOST_TWINS} more" if len(twins) > MOST_TWINS else ""
        raise InvalidInput(f"known: {some}{more}, with the same value; drop it, or say again=True if measured twice")


def fingerprint(x: Values, value: float | None, count: int) -> tuple[object, ...]:
    """Return what two records of one old result have in common."""
    return key_of(x), value, count if value is not None else 1


def key_of(x: Values) -> bytes:
    """Return a place as a key; -0.0 is the same place as 0.0."""
    return (x + 0.0).tobytes()
