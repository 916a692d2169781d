"""The door of a move: trial numbers, values, places and reasons as a user states them, checked."""

import math
from collections.abc import Mapping, Sequence, Set
from datetime import UTC, datetime, timedelta
from numbers import Integral
from typing import Any

import numpy as np
from attrs import frozen

from wayfare._core import checks
from wayfare._core.arrays import Values
from wayfare._core.format import in_words
from wayfare.errors import InvalidInput, UnknownTrial
from wayfare.record.events import Amended, Replanned, Row, Told, Trial
from wayfare.record.spec import one_place
from wayfare.record.stamp import now
from wayfare.record.state import StudyState
from wayfare.study.moves import as_row
from wayfare.surrogate.measured import Measured

LARGEST = 1e300
LONGEST = 10_000
MOST = 2**53


def trial_number(trial: Trial | int) -> int:
    """Return the number of a trial given as handed out or by its number."""
    if isinstance(trial, Trial):
        return trial.number
    if isinstance(trial, bool) or not isinstance(trial, Integral):
        kind = type(trial).__name__
        raise InvalidInput(f"trial must be what ask returned, or its number, got a {kind}; of insert(...) it is .trial")
    return checks.count(trial, "trial", 0)


def labelled(state: StudyState, label: str) -> int:
    """Return the number of the trial with this label: of an old result "k3", of a trial its number."""
    number = next((trial.number for trial in state.trials if trial.label == label), None)
    if number is None:
        known = sum(trial.prior for trial in state.trials)
        there = f"old results are k0 to k{known - 1}" if known else "there are no old results"
        raise UnknownTrial(f"no trial is called {label!r}; {there}")
    return number


def check_own(state: StudyState, trial: Trial | int) -> None:
    """Refuse a trial that was never handed out, or that another study handed out."""
    own = state.trial(trial_number(trial))
    if isinstance(trial, Trial) and (trial.asked or trial.params) != (own.asked or own.params):
        place = in_words(trial.params)
        raise UnknownTrial(f"trial {trial.number} at {place} was handed out by another study")


def told_value(value: object, number: int, what: str = "value") -> float:
    """Return a result as a finite float of a size that can be standardised; ``what`` names it in the refusal."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    try:
        result = checks.number(value, what)
    except InvalidInput as error:
        raise InvalidInput(f"trial {number}: {what} must be a finite number, got {value!r}") from error
    if abs(result) > LARGEST:
        raise InvalidInput(f"trial {number}: {what} {value!r} is beyond ±1e300; rescale the results")
    return result


def measured_numbers(
    limits: Sequence[Measured], given: Mapping[str, object] | None, number: int
) -> dict[str, float | None]:
    """Return the numbers measured at a trial, by name in the order of the limits; None for what was not measured.

    A name that the study does not know is refused, but any may be left out.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(f"trial {number}: measured must be a dict of numbers by name, got {given!r}")
    names = [limit.name for limit in limits]
    for name in given:
        if not names:
            raise InvalidInput(
                f"trial {number}: {name!r} was measured, but the study limits nothing that is; it needs "
                "measured=Measured(...) when it is created"
            )
        if name not in names:
            hint = checks.nearest(name, names, "names")
            raise InvalidInput(f"trial {number}: the study does not measure {name!r}; {hint}")
    return {name: _measured_number(name, given[name], number) for name in names if name in given}


def _measured_number(name: str, given: object, number: int) -> float | None:
    if given is None:
        return None
    what = f"measured {name!r}"
    if is_several(given):
        raise InvalidInput(f"trial {number}: {what} must be one number, of several results their mean; got {given!r}")
    if isinstance(given, float) and math.isnan(given):
        raise InvalidInput(f"trial {number}: {what} is nan; leave it out if it was not measured")
    return told_value(given, number, what)


@frozen
class Result:
    """A result as told: a value, or the mean of several results and their variance."""

    value: float
    count: int
    variance: float | None

    def told(self, number: int, **fields: Any) -> Told:
        """Return the event of this result, for a move or an import; ``fields`` are the others of ``Told``."""
        return Told(number=number, value=self.value, count=self.count, variance=self.variance, **fields)


def told_result(value: object, count: object | None, variance: object | None, number: int) -> Result:
    """Return one result, several of them summed up, or a summary as it was given."""
    if is_several(value):
        if count is not None or variance is not None:
            raise InvalidInput(f"trial {number}: of a list of results, count and variance are worked out")
        return summed_up(value, number)
    mean = told_value(value, number)
    many = 1 if count is None else checks.count(count, f"trial {number}: count", 1)
    if many > MOST:
        raise InvalidInput(f"trial {number}: count {many} is beyond {MOST}, more than can be counted exactly")
    if variance is None:
        return Result(mean, many, None)
    if many == 1:
        raise InvalidInput(f"trial {number}: one result has no variance; say of how many with count=")
    spread = checks.not_negative(variance, f"trial {number}: variance")
    if spread > LARGEST:
        raise InvalidInput(f"trial {number}: variance {variance!r} is beyond 1e300; rescale the results")
    return Result(mean, many, spread)


def check_whole(state: StudyState, number: int, value: object, count: int | None) -> None:
    """Refuse a single number for a run: it could be one result or the mean of all."""
    many = state.trial(number).count
    if many > 1 and count is None and value is not None and not is_several(value):
        raise InvalidInput(
            f"trial {number} is a run of {many} results, and one number was given; give all results as a "
            "list, or their mean with count= and variance="
        )


def is_several(value: object) -> bool:
    """Return whether a value is a list of results, of whatever kind, rather than one."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def summed_up(values: Any, number: int) -> Result:
    """Return a list of results as their number, mean and sample variance; of yes and no, the share of yes."""
    if isinstance(values, Set | Mapping | np.ma.MaskedArray):
        raise InvalidInput(f"trial {number}: give the results as a list, not as a {type(values).__name__}")
    results = np.asarray(values) if hasattr(values, "__array__") else None
    if results is None or results.dtype.kind not in "fiub":
        results = np.array([told_value(one, number) for one in values])
    results = results.astype(np.float64)
    if results.ndim != 1 or len(results) == 0:
        raise InvalidInput(
            f"trial {number}: the results must be a list of one number or more, got shape {results.shape}"
        )
    bad = ~(np.abs(results) <= LARGEST)
    if bad.any():
        told_value(float(results[int(bad.argmax())]), number)
    scale = 2.0 ** int(np.frexp(np.abs(results).max())[1])  # so that no sum and no square overflows
    mean = scale * float((results / scale).mean())
    if len(results) == 1:
        return Result(mean, 1, None)
    spread = float((results / scale).var(ddof=1))
    if scale * spread**0.5 > LARGEST**0.5:
        raise InvalidInput(f"trial {number}: the results' variance is beyond 1e300; rescale the results")
    return Result(mean, len(results), scale * (scale * spread))


def spent_cost(spent: object | None) -> float | None:
    """Return the told cost of a leg, validated; None if it was not told."""
    if spent is None:
        return None
    cost = checks.not_negative(spent, "spent")
    if cost > LARGEST:
        raise InvalidInput(f"spent {spent!r} is beyond 1e300; use another unit")
    return cost


def check_amendment(
    number: int,
    value: object | None,
    summary: tuple[object | None, object | None],
    withdraw: bool,
    measured: Mapping[str, object] | None,
    others: tuple[object | None, object | None],
) -> None:
    """Refuse a correction that contradicts itself or corrects nothing.

    ``summary`` is the count and the variance of the value, ``others`` are the place and the cost of the leg.
    """
    if value is None and any(one is not None for one in summary):
        raise InvalidInput(f"trial {number}: count and variance describe a value; give the mean, too")
    if withdraw and value is not None:
        raise InvalidInput(f"trial {number}: withdraw takes the value back, so it cannot be {value!r} too")
    if withdraw and measured:
        raise InvalidInput(f"trial {number}: withdraw takes back what was measured, too; leave measured out")
    if not withdraw and value is None and not measured and all(other is None for other in others):
        raise InvalidInput(f"trial {number}: nothing to amend; give a value, measured, actual, spent or withdraw")


def actual_row(state: StudyState, number: int, actual: object | None) -> Row | None:
    """Return where a trial really was; a dict is completed from where it should have been."""
    if actual is None:
        return None
    trial = state.trial(number)
    place = completed(actual, trial.params if trial.asked is None else trial.asked)
    return as_row(one_place(state.spec.space, place, "actual"))


def amended_row(state: StudyState, number: int, actual: object | None, request: str) -> Row | None:
    """Return where a trial was after all; a dict is completed from where it was said to be."""
    if actual is None:
        return None
    before, known = state.requests.get(request), state.trial(number).params
    if isinstance(before, Amended) and before.actual is not None:  # sent again: as it was completed then
        known = state.spec.space.params(np.array(before.actual))
    return as_row(one_place(state.spec.space, completed(actual, known), "actual"))


def position_row(state: StudyState, position: object, request: str) -> Values:
    """Return where the traveller stands; a dict is completed from where that was thought to be."""
    before, here = state.requests.get(request), state.position
    if isinstance(before, Replanned) and before.position is not None:
        here = np.array(before.position)
    known = {} if here is None else state.spec.space.params(here)
    return one_place(state.spec.space, completed(position, known), "position")


def completed(place: object, known: Mapping[str, object]) -> object:
    """Return the place with what it does not name taken from ``known``."""
    return {**known, **place} if isinstance(place, Mapping) else place


def worker_name(worker: object) -> str:
    """Return a worker's name; empty for the only one."""
    if not isinstance(worker, str):
        more = f"; several stops are ask(n={worker})" if isinstance(worker, Integral) else ""
        raise InvalidInput(f"worker must be a name, got {worker!r}{more}")
    return short(worker, "worker")


def overdue_since(lease: object) -> datetime | None:
    """Return when a trial must have been handed out for its lease to be over now; None without a lease."""
    if lease is None:
        return None
    if not isinstance(lease, timedelta) or lease < timedelta():
        raise InvalidInput(f"take_over must be a time such as timedelta(hours=2), got {lease!r}")
    return (here := now()) - min(lease, here - datetime.min.replace(tzinfo=UTC))


def reason(why: object) -> str:
    """Return a reason; it may be empty."""
    if not isinstance(why, str):
        raise InvalidInput(f"why must be text, got {why!r}")
    return short(why, "why")


def short(text: str, what: str) -> str:
    """Return text that can be kept: not endless, and sayable in UTF-8."""
    if len(text) > LONGEST:
        raise InvalidInput(f"{what} has {len(text)} characters; {LONGEST} at most")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{what} holds half a character ({text!r}); write it again") from error
    return text
