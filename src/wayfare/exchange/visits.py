"""From rows of a file to events: ``events_for`` decides what an import adds, from the state of the study alone.

A row closes an open trial, repeats a trial that has its outcome, or is a new visit; a contradiction is refused.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from enum import StrEnum
from operator import itemgetter
from typing import Any, TypeAlias

from attrs import frozen

from wayfare._core.arrays import Values
from wayfare._core.format import in_words, results
from wayfare._core.tolerance import COST_RTOL
from wayfare.errors import InvalidInput
from wayfare.exchange.match import Match
from wayfare.exchange.rows import Row, agrees, same_place
from wayfare.exchange.table import located
from wayfare.record.events import Event, Failed, Inserted, Legs, Skipped, Told, Trial, TrialState
from wayfare.record.state import StudyState
from wayfare.report.costs import leg_cost, way_home_cost
from wayfare.study.inputs import measured_numbers, spent_cost, told_result
from wayfare.study.moves import as_row, check_priced
from wayfare.study.prior import MOST_TWINS, key_of, prior_events
from wayfare.surrogate.measured import Measured

MOST_COMPARED = 100_000
"""Pairs of a row and a trial of the same value that are compared digit by digit, in one file."""


class Use(StrEnum):
    """The effect of one row of a file on a study."""

    TOLD = "told"
    FAILED = "failed"
    SKIPPED = "skipped"
    VISIT = "new visit"
    PRIOR = "known before"
    OPEN = "still open"
    SAME = "already there"


@frozen
class Used:
    """A row, and what it does to the study.

    Attributes:
        row: as it was read.
        use: what it does.
        number: of the trial it is, or becomes.
        trial: the open trial near which it was, if it did not say its number.
    """

    row: Row
    use: Use
    number: int
    trial: Trial | None = None


def events_for(
    state: StudyState, matches: Sequence[Match], request: str, again: bool
) -> tuple[list[Event], list[Used]]:
    """Return the events that the rows add, none if the study has all of them already; and the use of each row.

    A row with the number of an open trial, or near one, gives it its outcome. A row with the next number, or with none,
    is a new visit: its leg is the one given, else priced from where the traveller stands before it. A row without a
    count is one result. Event n has the request ``request/n``. Unless ``again`` is true, a row without a number that
    repeats a trial is refused. The time is nearly linear in the number of rows and trials.

    Args:
        state: of the study.
        matches: the rows, some with the open trial that each is the result of.
        request: the id that the events begin with.
        again: whether rows may repeat trials.
    """
    book = _Book(state, request)
    used = list[Used]()
    for match in matches:
        with located(match.row.where):
            used.append(book.add(match))
    if not again:
        _check_twins(state, [match.row for match in matches if match.trial is None and match.row.number is None])
    return book.events, used


def _outcome(
    row: Row,
    number: int,
    request: str,
    *,
    limits: Sequence[Measured],
    spent: float | None,
    legs: Legs,
    ways: Legs,
    actual: tuple[float, ...] | None,
) -> Told | Failed | Skipped:
    if row.state is TrialState.SKIPPED:
        return Skipped(number=number, why=row.why, request=request, legs=legs, ways_home=ways)
    if row.state is TrialState.FAILED:
        return Failed(
            number=number, why=row.why, request=request, spent=spent, legs=legs, ways_home=ways, actual=actual
        )
    found = told_result(row.value, row.count, row.variance, number)
    measured = _measured(row, number, limits)
    more: dict[str, Any] = {"spent": spent, "legs": legs, "ways_home": ways, "measured": measured, "actual": actual}
    return found.told(number, why=row.why, request=request, **more)


def _measured(row: Row, number: int, limits: Sequence[Measured]) -> dict[str, float]:
    found = measured_numbers(limits, row.measured, number)
    return {name: value for name, value in found.items() if value is not None}


class _Book:
    """The events so far, and the numbers, legs and positions that the next row depends on."""

    def __init__(self, state: StudyState, request: str) -> None:
        self.state, self.request = state, request
        self.events: list[Event] = []
        self.track = _Track(state)
        self.next = len(state.trials)
        self.spent = {trial.number for trial in state.trials if trial.spent is not None}
        self.homes = {trial.number for trial in state.trials if trial.home_first}
        self.lines: dict[int, str] = {}
        went = (trial for trial in state.trials if trial.state is not TrialState.SKIPPED)
        self.seen = {key_of(trial.x) for trial in went} if state.spec.space.once else set()

    def add(self, match: Match) -> Used:
        row, trial = match.row, match.trial
        number = row.number if trial is None else trial.number
        number = self.next if number is None else number
        if number in self.lines:
            raise InvalidInput(f"column 'number': {number} was already on {self.lines[number]}")
        if number > self.next:
            raise InvalidInput(
                f"column 'number': {number} leaves a gap, the next trial is {self.next}; "
                "leave the number out to add a visit"
            )
        self.lines[number] = row.where
        if number >= len(self.state.trials):
            self.insert(row, number)
            return Used(row, Use.PRIOR if row.prior else Use.VISIT, number)
        known = self.state.trials[number]
        if _closes(self.state, known, row, is_same=trial is not None):
            self.close(row, number, known.prior, spent_cost(row.spent), None if trial is None else known)
            return Used(row, Use(str(row.state)), number, trial)
        is_open = known.state is TrialState.ASKED
        return Used(row, Use.OPEN if is_open else Use.SAME, number, trial)

    def insert(self, row: Row, number: int) -> None:
        prior = bool(row.prior)
        if row.state is None:
            raise InvalidInput(
                "column 'value' is blank; give the value, or say failed, skipped or asked in a column 'state'"
            )
        if prior and row.state not in (TrialState.TOLD, TrialState.FAILED):
            raise InvalidInput(f"a result known before cannot be {row.state}; give its value or drop the row")
        if self.state.spec.space.once:
            self.check_once(row)
        if prior:
            self.known(row, number)
            return
        leg, spent, home_first = 0.0, spent_cost(row.spent), False
        if row.state is not TrialState.SKIPPED:
            leg, spent, home_first = self.costs(row, spent)
        place, count = as_row(row.x), row.count or 1
        taken: dict[str, Any] = {"count": count, "home_first": home_first}
        self.events.append(Inserted(number=number, place=place, leg=leg, worker=row.worker, request=self.id(), **taken))
        if home_first:
            self.homes.add(number)
        self.next += 1
        self.track.add(number, row.x)
        self.close(row, number, False, spent)

    def known(self, row: Row, number: int) -> None:
        """Add a result known before the study."""
        found = None if row.value is None else told_result(row.value, row.count, row.variance, number)
        kept = _measured(row, number, self.state.spec.measured)
        at = len(self.events)
        ids = f"{self.request}/{at}", f"{self.request}/{at + 1}"
        more: dict[str, Any] = {"measured": kept, "worker": row.worker, "why": row.why, "requests": ids}
        self.events += prior_events(number, row.x, found, **more)
        self.next += 1

    def check_once(self, row: Row) -> None:
        # A numbered row records a visit that happened, allowed or not.
        if row.number is None and key_of(row.x) in self.seen:
            raise InvalidInput("this place was visited, and a place may be visited only once")
        if row.state is not TrialState.SKIPPED:
            self.seen.add(key_of(row.x))

    def costs(self, row: Row, spent: float | None) -> tuple[float, float | None, bool]:
        """Return the price of a new row's leg, the cost really spent if it differs, and whether it goes home first.

        It does if the row's leg is the price of going home first, and not that of going straight. A leg of neither
        price was really spent: the traveller stood elsewhere, or the file has a measured cost.
        """
        by_home = None
        if self.state.spec.limits.trip is not None and row.leg is not None:
            by_home = leg_cost(self.state, self.track.here, row.x, via_home=True)
        said = self.straight(row)
        home_first = by_home is not None and _is_close(row.leg, by_home) and not _is_close(row.leg, said)
        if by_home is not None and home_first:
            said = by_home
        if row.leg is None or spent is not None:
            return said, spent, home_first
        if _is_close(row.leg, said):
            return row.leg, None, home_first
        # A trial that is still out has spent nothing yet: its leg is priced again.
        return said, None if row.state is TrialState.ASKED else spent_cost(row.leg), home_first

    def straight(self, row: Row) -> float:
        """Return the price of going straight to the row, and refuse a place that could not be left again."""
        space = self.state.spec.space
        inside = space.contains(row.x[None, :])[0]
        try:
            if not inside:
                leg_cost(self.state, row.x, space.snap(row.x[None, :])[0])
            return leg_cost(self.state, self.track.here, row.x)
        except InvalidInput:
            # The travel cost may be a Python function that is not at hand; then the file must know.
            if row.leg is None or not inside:
                raise
            return row.leg

    def close(self, row: Row, number: int, prior: bool, spent: float | None, near: Trial | None = None) -> None:
        """Add the outcome of a trial; ``near``, the trial if the row was only near its place."""
        if spent is not None:
            self.spent.add(number)
        if row.state is TrialState.ASKED:
            return
        legs: Legs = ()
        ways: Legs = ()
        actual = None
        if row.state is TrialState.SKIPPED and not prior:
            legs, ways = self.gap(number)
        elif near is not None and not same_place(row, near.x, self.state.spec.space):
            actual = as_row(row.x)
            legs, ways = self.elsewhere(near, row.x, spent)
        elif spent is not None and not prior:
            legs = ((number, spent),)
        changes: dict[str, Any] = {"spent": spent, "legs": legs, "ways": ways, "actual": actual}
        self.events.append(_outcome(row, number, self.id(), limits=self.state.spec.measured, **changes))

    def elsewhere(self, trial: Trial, x: Values, spent: float | None) -> tuple[Legs, Legs]:
        """Return the legs and ways home that change when a visit was made at ``x``: its own, and what began there."""
        check_priced(self.state, x, "the place")
        number = trial.number
        before, later, there, move = self.track.put(number, x)
        then = self.state.spec_of(number)
        own = leg_cost(self.state, before, x, via_home=number in self.homes, spec=then) if spent is None else spent
        if later is None or there is None or later in self.spent:
            return ((number, own),), self.ways_home(move, x)
        then = self.state.spec_of(later)
        leg = leg_cost(self.state, x, there, via_home=later in self.homes, spec=then)
        return ((number, own), (later, leg)), ()

    def ways_home(self, move: int | None, origin: Values | None) -> Legs:
        """Return the cost from ``origin`` of the way home of this move; empty if it has none, or its cost was told."""
        made = [(at, way) for at, way in enumerate(self.state.returns) if way.move == move and way.spent is None]
        return tuple((at, way_home_cost(self.state, way, origin)) for at, way in made)

    def gap(self, number: int) -> tuple[Legs, Legs]:
        """Return the legs and ways home that change when a visit is dropped: its own, and what began there."""
        before, later, x, move = self.track.drop(number)
        if later is not None and number in self.homes:
            self.homes.add(later)  # it goes home first instead
        if later is None or x is None or later in self.spent:
            return ((number, 0.0),), self.ways_home(move, before)
        leg = leg_cost(self.state, before, x, via_home=later in self.homes, spec=self.state.spec_of(later))
        return ((number, 0.0), (later, leg)), ()

    def id(self) -> str:
        return f"{self.request}/{len(self.events)}"


def _is_close(leg: float | None, cost: float) -> bool:
    return leg is not None and math.isclose(leg, cost, rel_tol=COST_RTOL)


class _Track:
    """Where every leg of a study begins, while visits are added and dropped."""

    def __init__(self, state: StudyState) -> None:
        put = [(after, False, x) for after, x in state.moved]
        visits = [(trial.number, True, trial.x) for trial in state.trials if trial.is_visit]
        start: _Stop = (-1, False, state.spec.start)
        self._stops: list[_Stop] = [start, *sorted([*put, *visits], key=_MOMENT)]

    @property
    def here(self) -> Values | None:
        """Current position; None if it is unknown."""
        return self._stops[-1][2]

    def add(self, number: int, x: Values) -> None:
        """Go on to ``x``."""
        self._stops.append((number, True, x))

    def put(self, number: int, x: Values) -> tuple[Values | None, int | None, Values | None, int | None]:
        """Move a visit to ``x``; return its origin, and what comes after it as ``drop`` does."""
        at = bisect_left(self._stops, (number, True), key=_MOMENT)
        self._stops[at] = (number, True, x)
        return self._around(at, at + 1)

    def drop(self, number: int) -> tuple[Values | None, int | None, Values | None, int | None]:
        """Take a visit out; return the new origin of the visit after it, and that visit's number and place.

        If the traveller was put somewhere next, or went home, the last is the number of that move.
        """
        at = bisect_left(self._stops, (number, True), key=_MOMENT)
        del self._stops[at]
        return self._around(at, at)

    def _around(self, at: int, after: int) -> tuple[Values | None, int | None, Values | None, int | None]:
        before = self._stops[at - 1][2]
        if after == len(self._stops):
            return before, None, None, None
        later, is_visit, x = self._stops[after]
        moves = sum(not is_visit for _, is_visit, _ in self._stops[1:after])  # the first of all is the start
        return (before, later, x, None) if is_visit else (before, None, None, moves)


_Stop: TypeAlias = tuple[int, bool, Values | None]
"""The number of a trial, True and its place; or of the next trial, False and the position set by ``replan``."""
_MOMENT = itemgetter(0, 1)


def _closes(state: StudyState, trial: Trial, row: Row, *, is_same: bool) -> bool:
    """Return whether the row gives an open trial its outcome; False if it adds nothing. A contradiction is refused.

    The row's leg is not compared: it is a price, and changes when a visit before is skipped. The real cost of a leg
    is ``spent``. ``is_same``: the row was found to be near the trial.
    """
    if not is_same:
        _check_same_trial(state, trial, row)
    if row.state in (None, TrialState.ASKED):
        return False  # a run sheet from before the outcome came in
    if trial.state is TrialState.ASKED:
        if trial.count > 1 and row.value is not None and row.count is None:
            raise InvalidInput(
                f"trial {trial.number} is a run of {results(trial.count)}; say in a column 'count' of how many "
                "'value' is the mean"
            )
        return True
    _check_same_outcome(trial, row)
    return False


def _check_same_trial(state: StudyState, trial: Trial, row: Row) -> None:
    """Refuse a row that has the number of a trial, but is not that trial."""
    space, asked = state.spec.space, trial.asked
    places = [trial.x] if asked is None else [trial.x, space.points(dict(asked))[0]]
    if not any(same_place(row, x, space) for x in places):
        raise InvalidInput(
            f"trial {trial.number} is at {in_words(trial.params)}, not here; if the setting was missed, tell "
            "it with actual, or leave the number out to add a visit"
        )
    if row.prior is not None and row.prior != trial.prior:
        was = "was known before the study" if trial.prior else "is a visit of this study"
        raise InvalidInput(f"column 'prior': trial {trial.number} {was}")
    if row.worker and row.worker != trial.worker:
        whom = f"to {trial.worker!r}" if trial.worker else "without a worker"
        raise InvalidInput(
            f"column 'worker' has {row.worker!r}, but trial {trial.number} was handed out {whom}; clear the cell"
        )


def _check_same_outcome(trial: Trial, row: Row) -> None:
    """Refuse a row that contradicts the outcome of its trial; a blank cell agrees."""
    skipped, failed = trial.state is TrialState.SKIPPED, trial.state is TrialState.FAILED
    way_out = "leave the number out to go there after all" if skipped else "amend corrects it"
    if row.state is not trial.state:
        said = f"{'' if failed else 'was '}{trial.state}{f' ({trial.why})' if trial.why else ''}"
        raise InvalidInput(f"trial {trial.number} {said}, the row says {row.state}; {way_out}")
    if trial.value is not None and not agrees(row.texts["value"], trial.value):
        raise InvalidInput(
            f"trial {trial.number} already has the value {trial.value!r}, the row says {row.value!r}; {way_out}"
        )
    contradictions = {
        "count": trial.value is not None and row.count not in (None, trial.count),
        "variance": _differs(row, "variance", trial.variance),
        "spent": _differs(row, "spent", trial.spent),
        "why": bool(row.why) and row.why != trial.why,
    }
    for column in (column for column, differs in contradictions.items() if differs):
        theirs, ours = getattr(row, column), getattr(trial, column)
        raise InvalidInput(f"trial {trial.number}: column {column!r} has {theirs!r}, the study {ours!r}; {way_out}")
    for name, theirs in row.measured.items():
        if (known := trial.measured.get(name)) is None or not agrees(row.texts[name], known):
            said = "no number" if known is None else repr(known)
            raise InvalidInput(f"trial {trial.number}: column {name!r} has {theirs!r}, the study {said}; {way_out}")


def _differs(row: Row, column: str, known: float | None) -> bool:
    return getattr(row, column) is not None and (known is None or not agrees(row.texts[column], known))


def _check_twins(state: StudyState, rows: Sequence[Row]) -> None:
    """Refuse new rows that repeat trials, as far as the digits in the file go: it was likely imported before."""
    known: dict[tuple[object, ...], dict[bytes, int]] = {}
    for trial in reversed(state.trials):
        known.setdefault(_finding(trial), {})[key_of(trial.x)] = trial.number
    twins, compared = list[tuple[str, int]](), 0
    for row in rows:
        there = known.get(_finding(row), {})
        number = there.get(key_of(row.x))
        if number is None and compared + len(there) <= MOST_COMPARED:
            compared += len(there)
            number = next((n for n in there.values() if same_place(row, state.trials[n].x, state.spec.space)), None)
        if number is not None:
            twins.append((row.where, number))
    if not twins:
        return
    some = ", ".join(f"{where} is trial {number}" for where, number in twins[:MOST_TWINS])
    more = f" and {len(twins) - MOST_TWINS} more" if len(twins) > MOST_TWINS else ""
    raise InvalidInput(
        f"{some}{more}, with the same place and value; drop what is there already, or say again (--again) if "
        "it was measured again"
    )


def _finding(one: Trial | Row) -> tuple[object, ...]:
    """Return the outcome without the place."""
    count = one.count or 1 if one.state is TrialState.TOLD else 1
    return one.state, one.value, bool(one.prior), count
