"""From rows to events: what a file adds to a study, decided from the state alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wayfare._core.arrays import Values
from wayfare._core.format import in_words, results
from wayfare.errors import InvalidInput
from wayfare.exchange.csv import Row, agrees, same_place
from wayfare.record.events import Event, Failed, Inserted, Legs, Skipped, Told, Trial, TrialState
from wayfare.record.state import StudyState
from wayfare.report.costs import leg_cost
from wayfare.study.inputs import spent_cost, told_result
from wayfare.study.moves import as_row

# A row whose trial is there already: its outcome, the same again, or a contradiction.


def closes(state: StudyState, trial: Trial, row: Row) -> bool:
    """Return whether the row gives an open trial its outcome; False if it says nothing new.

    What contradicts the study is refused. The row's leg is not compared: it is worked out, and changes when
    a visit before is skipped; what a leg really cost is ``spent``.
    """
    check_same_trial(state, trial, row)
    if row.state in (None, TrialState.ASKED):
        return False  # a run sheet from before the outcome came in
    if trial.state is TrialState.ASKED:
        check_whole(trial, row)
        return True
    if row.state is not trial.state:
        raise InvalidInput(f"trial {trial.number} {said(trial)}, the row says {row.state}; {way_out(trial)}")
    if trial.value is not None and not agrees(row.texts["value"], trial.value):
        raise InvalidInput(
            f"trial {trial.number} already has the value {trial.value!r}, the row says {row.value!r}; {way_out(trial)}"
        )
    check_same_run(trial, row)
    if row.spent is not None and (trial.spent is None or not agrees(row.texts["spent"], trial.spent)):
        raise InvalidInput(
            f"trial {trial.number}: column 'spent' has {row.spent!r}, the study {trial.spent!r}; {way_out(trial)}"
        )
    if row.why and row.why != trial.why:
        raise InvalidInput(
            f"trial {trial.number}: column 'why' has {row.why!r}, the study {trial.why!r}; {way_out(trial)}"
        )
    return False


def check_whole(trial: Trial, row: Row) -> None:
    """Refuse a single value for a run: nobody said whether it is one result or the mean of all."""
    if trial.count > 1 and row.value is not None and row.count is None:
        raise InvalidInput(
            f"trial {trial.number} is a run of {results(trial.count)}; say in a column 'count' of how many "
            "'value' is the mean"
        )


def check_same_run(trial: Trial, row: Row) -> None:
    """Refuse another number of results, or another variance, than the trial has; a blank cell agrees."""
    if trial.value is not None and row.count not in (None, trial.count):
        raise InvalidInput(
            f"trial {trial.number}: column 'count' has {row.count}, the study {trial.count}; {way_out(trial)}"
        )
    if row.variance is not None and (trial.variance is None or not agrees(row.texts["variance"], trial.variance)):
        raise InvalidInput(
            f"trial {trial.number}: column 'variance' has {row.variance!r}, the study {trial.variance!r}; "
            f"{way_out(trial)}"
        )


def check_same_trial(state: StudyState, trial: Trial, row: Row) -> None:
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
        whom = repr(trial.worker) if trial.worker else "nobody in particular"
        raise InvalidInput(
            f"column 'worker' has {row.worker!r}, but trial {trial.number} was handed out to {whom}; clear the cell"
        )


def said(trial: Trial) -> str:
    """Return what became of a trial: ``failed (clogged)``, ``was skipped``."""
    was = str(trial.state) if trial.state is TrialState.FAILED else f"was {trial.state}"
    return f"{was} ({trial.why})" if trial.why else was


def way_out(trial: Trial) -> str:
    """Return how to change what is known of a trial."""
    if trial.state is TrialState.SKIPPED:
        return "leave the number out to go there after all"
    return "amend corrects it"


# The way of the traveller as a chain, so that dropping one of many visits costs the same as dropping one.


class _Link:
    """A place where a leg may begin: a visit, or where the traveller was put (no number)."""

    __slots__ = ("after", "before", "number", "x")

    def __init__(self, number: int | None, x: Values | None, before: _Link | None) -> None:
        self.number, self.x, self.before = number, x, before
        self.after: _Link | None = None
        if before is not None:
            before.after = self


class Track:
    """Where every leg of a study begins, while visits are added and dropped."""

    def __init__(self, state: StudyState) -> None:
        self._last = _Link(None, state.spec.start, None)
        self._links: dict[int, _Link] = {}
        moved = list(reversed(state.moved))
        for trial in state.trials:
            while moved and moved[-1][0] <= trial.number:
                self._last = _Link(None, moved.pop()[1], self._last)
            if trial.is_visit:
                self.add(trial.number, trial.x)
        while moved:
            self._last = _Link(None, moved.pop()[1], self._last)

    @property
    def here(self) -> Values | None:
        """Where the traveller stands; None where nobody said."""
        return self._last.x

    def place(self, number: int) -> Values:
        """Return where a visit is."""
        x = self._links[number].x
        assert x is not None  # a visit is somewhere
        return x

    def add(self, number: int, x: Values) -> None:
        """Go on to ``x``."""
        self._links[number] = self._last = _Link(number, x, self._last)

    def drop(self, number: int) -> tuple[Values | None, int | None]:
        """Take a visit out; return where the one after it begins from now on, and its number if any."""
        link = self._links.pop(number)
        before, after = link.before, link.after
        assert before is not None  # the first link is no visit
        before.after = after
        if after is None:
            self._last = before
            return before.x, None
        after.before = before
        return before.x, after.number


CLOSE = 1e-9
"""How far, in proportion, a leg may be from what the travel cost says: the last digits of a machine."""
MOST_TWINS = 5
"""So many rows that are there already are named; the rest is counted."""


def events_for(state: StudyState, rows: Sequence[Row], request: str, again: bool) -> list[Event]:
    """Return the events that the rows add; none where all of them are there already.

    A row with the number of an open trial gives it its outcome. A row with the next number, or with none, is
    a new visit: its leg is the one given, else priced from where the traveller stands before it. A row with
    no count is one result. Each event has a request of its own, ``request/0`` and so on. Unless ``again``
    says so, a row without a number that says what a trial says already is refused. Takes time in proportion
    to rows and trials.
    """
    book = _Book(state, request)
    for row in rows:
        try:
            book.add(row)
        except InvalidInput as error:
            raise row.refuse(str(error)) from error
    if not again:
        check_twins(state, [row for row in rows if row.number is None])
    return book.events


class _Book:
    """The events so far, and what is needed to go on: numbers, legs and the traveller's way."""

    def __init__(self, state: StudyState, request: str) -> None:
        self.state, self.request = state, request
        self.events: list[Event] = []
        self.track = Track(state)
        self.next = len(state.trials)
        self.spent = {trial.number for trial in state.trials if trial.spent is not None}
        self.homes = {trial.number for trial in state.trials if trial.home_first}
        self.lines: dict[int, int] = {}
        went = (trial for trial in state.trials if trial.state is not TrialState.SKIPPED)
        self.seen = {_key(trial.x) for trial in went} if state.spec.space.once else set()

    def add(self, row: Row) -> None:
        number = self.next if row.number is None else row.number
        if number in self.lines:
            raise InvalidInput(f"column 'number': {number} was already on line {self.lines[number]}")
        if number > self.next:
            raise InvalidInput(
                f"column 'number': {number} leaves a gap, the next trial is {self.next}; "
                "leave the number out to add a visit"
            )
        self.lines[number] = row.line
        if number < len(self.state.trials):
            if closes(self.state, self.state.trials[number], row):
                self.close(row, number, self.state.trials[number].prior, spent_cost(row.spent))
        else:
            self.insert(row, number)

    def insert(self, row: Row, number: int) -> None:
        prior = bool(row.prior)
        check_new(row, prior)
        if self.state.spec.space.once:
            self.check_once(row)
        leg, spent, home = 0.0, spent_cost(row.spent), False
        if not prior and row.state is not TrialState.SKIPPED:
            home = self.went_home(row)
            leg, spent = self.costs(row, spent, home)
        place, count = as_row(row.x), row.count or 1
        self.events.append(Inserted(number, place, leg, row.worker, self.id(), prior, count, home))
        if home:
            self.homes.add(number)
        self.next += 1
        if not prior:
            self.track.add(number, row.x)
        self.close(row, number, prior, spent)

    def went_home(self, row: Row) -> bool:
        """Return whether the row's leg is what the way by home costs, and not what the straight one does."""
        if self.state.spec.limits.trip is None or row.leg is None:
            return False
        by_home = leg_cost(self.state, self.track.here, row.x, via_home=True)
        straight = math.isclose(row.leg, self.price(row), rel_tol=CLOSE)
        return math.isclose(row.leg, by_home, rel_tol=CLOSE) and not straight

    def costs(self, row: Row, spent: float | None, home: bool) -> tuple[float, float | None]:
        """Return what the row's leg should cost, and what it did cost where that is something else.

        A leg that the travel cost does not confirm, because the traveller was put elsewhere or someone wrote
        down what it took, was really spent. A leg not yet gone is worked out anew.
        """
        said = leg_cost(self.state, self.track.here, row.x, via_home=True) if home else self.price(row)
        if row.leg is None or spent is not None:
            return said, spent
        if math.isclose(row.leg, said, rel_tol=CLOSE):
            return row.leg, None
        return said, None if row.state is TrialState.ASKED else spent_cost(row.leg)

    def price(self, row: Row) -> float:
        """Return what the way to the row costs, and refuse a place that could not be left again."""
        state, here = self.state, self.track.here
        inside = state.spec.space.contains(row.x[None, :])[0]
        try:
            if not inside:
                leg_cost(state, row.x, state.spec.space.snap(row.x[None, :])[0])
            return leg_cost(state, here, row.x)
        except InvalidInput:
            # The travel cost may be a Python function that is not at hand; then the file must know.
            if row.leg is None or not inside:
                raise
            return row.leg

    def close(self, row: Row, number: int, prior: bool, spent: float | None) -> None:
        legs: Legs = () if spent is None or prior else ((number, spent),)
        if spent is not None:
            self.spent.add(number)
        match row.state:
            case TrialState.TOLD:
                found = told_result(row.value, row.count, row.variance, number)
                value, count, variance = found.value, found.count, found.variance
                self.events.append(Told(number, value, self.id(), None, spent, legs, row.why, count, variance))
            case TrialState.FAILED:
                self.events.append(Failed(number, row.why, self.id(), None, spent, legs))
            case TrialState.SKIPPED:
                self.events.append(Skipped(number, row.why, self.id(), () if prior else self.gap(number)))

    def gap(self, number: int) -> Legs:
        """Return the legs that change when a visit is dropped: its own, and the one that began there."""
        before, later = self.track.drop(number)
        if later is not None and number in self.homes:
            self.homes.add(later)  # it goes home first instead
        if later is None or later in self.spent:
            return ((number, 0.0),)
        home = later in self.homes
        return ((number, 0.0), (later, leg_cost(self.state, before, self.track.place(later), via_home=home)))

    def check_once(self, row: Row) -> None:
        """Refuse a second visit to a place that allows one; a numbered row is a record of what happened."""
        if row.number is None and _key(row.x) in self.seen:
            raise InvalidInput("this place was visited, and a place may be visited only once")
        if row.state is not TrialState.SKIPPED:
            self.seen.add(_key(row.x))

    def id(self) -> str:
        return f"{self.request}/{len(self.events)}"


def check_twins(state: StudyState, rows: Sequence[Row]) -> None:
    """Refuse new rows that say exactly what trials say: such a file was likely imported before."""
    known: dict[tuple[object, ...], int] = {}
    for trial in state.trials:
        results = trial.count if trial.state is TrialState.TOLD else 1
        known.setdefault((_key(trial.x), trial.state, trial.value, trial.prior, results), trial.number)
    told = [row.count or 1 if row.state is TrialState.TOLD else 1 for row in rows]
    keys = [
        (_key(row.x), row.state, row.value, bool(row.prior), results) for row, results in zip(rows, told, strict=True)
    ]
    twins = [(row.line, known[key]) for row, key in zip(rows, keys, strict=True) if key in known]
    if not twins:
        return
    some = ", ".join(f"line {line} is trial {number}" for line, number in twins[:MOST_TWINS])
    more = f" and {len(twins) - MOST_TWINS} more" if len(twins) > MOST_TWINS else ""
    raise InvalidInput(
        f"{some}{more}, with the same place and value; drop what is there already, or say again (--again) if "
        "it was measured again"
    )


def check_new(row: Row, prior: bool) -> None:
    """Refuse a new visit of which nobody said what became of it."""
    if row.state is None:
        raise InvalidInput(
            "column 'value' is blank; give the value, or say failed, skipped or asked in a column 'state'"
        )
    if prior and row.state not in (TrialState.TOLD, TrialState.FAILED):
        raise InvalidInput(f"a result known before cannot be {row.state}; give its value or drop the row")


def _key(x: Values) -> bytes:
    return (x + 0.0).tobytes()  # -0.0 is the same place as 0.0
