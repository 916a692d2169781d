"""The record of a study: its specification, its trials, and the events that made them.

Every event that a user or program causes carries a ``request``, an id of the caller's: the same request sent twice
happens once. A price is written when it is paid: the ``legs`` of an event are the ``(number, leg)`` pairs it changes,
so reading a study back needs no travel cost. Every event also carries a ``stamp``: when it was stored, by whom and by
which way. The journal puts it there; it decides nothing, and two events that differ only in it are equal.
"""

import json
import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
from attrs import NOTHING, field, fields, frozen

from wayfare._core import html
from wayfare._core.arrays import Order, Points, Values, read_only, whole
from wayfare._core.checks import LARGEST_WHOLE
from wayfare._core.format import in_words, mean_of, results, shown, with_unit
from wayfare.errors import StoreError
from wayfare.planning.anchor import Anchor
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.method import Method
from wayfare.planning.reach import Limits
from wayfare.record.currencies import Currency
from wayfare.record.stamp import NO_STAMP, Stamp, stamp_form, take_stamp
from wayfare.space import AnySpace
from wayfare.surrogate.history import Notes
from wayfare.surrogate.measured import Measured
from wayfare.travel import TravelCost

Direction = Literal["maximize", "minimize"]


@frozen(eq=False)
class StudySpec:
    """The specification of a study, as it was created or changed; a change makes another one.

    ``travel`` is bound to the space. ``Study.create`` explains the fields.
    """

    name: str
    space: AnySpace
    travel: TravelCost
    direction: Direction
    trials: int
    start: Values | None
    method: Method
    seed: int
    unit: str
    noise: float | None
    limits: Limits = field(factory=Limits)
    anchor: Anchor | None = None
    shuffle: float = 0.0
    also: tuple[Currency, ...] = ()
    measured: tuple[Measured, ...] = ()
    gain_below: float | None = None

    @property
    def sign(self) -> float:
        """Plus one to maximise, minus one to minimise."""
        return 1.0 if self.direction == "maximize" else -1.0


class TrialState(StrEnum):
    """Where a trial stands."""

    ASKED = "asked"
    TOLD = "told"
    FAILED = "failed"
    SKIPPED = "skipped"


def _frozen_mapping(params: Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(params, MappingProxyType):
        return params
    return MappingProxyType(params.copy() if isinstance(params, dict) else dict(params))


NOTHING_MEASURED: Mapping[str, float] = MappingProxyType({})


def title_of(label: str) -> str:
    """Return the name of a trial in a sentence, by its label: ``trial 14``, or ``old result k3``."""
    return f"{'old result' if label.startswith('k') else 'trial'} {label}"


@frozen(eq=False, repr=False)
class Trial:
    """One visit: handed out, then told, failed or skipped.

    Attributes:
        number: the trial's number, from 0.
        params: where it really was, by axis name.
        x: the same as a row of the space.
        leg: the cost of getting there, in ``unit``: ``spent`` if that was told, else by the travel cost.
        unit: unit of the travel cost.
        worker: who it was handed out to; empty for the only one.
        plan: number of the route it belongs to, -1 before the first.
        stop: number of the stop on that route; None for an inserted place.
        predicted: the leg by the travel cost, when the trial was handed out.
        state: asked, told, failed or skipped.
        value: the result as told, whatever the direction; of a run, the mean.
        asked: where it should have been, if the setting was missed.
        spent: what the leg really cost, if that was told.
        why: a remark, or the reason of a failure.
        earlier: the values before it was amended.
        prior: whether the result was known before the study; nothing moved for it.
        count: the number of results of a run; of a failed one, 1.
        variance: sample variance of a run's results, if known.
        home_first: whether the leg went home and began a new trip.
        measured: what was measured with the value, by name; of a run, the means. Without what was not measured.
        issued: when it was handed out, or taken over, by whom and by which way.
        closed: the same of its outcome, or of its last correction.
        rank: of a result known before the study, its number among these; None of a trial of the study.
        former: the workers it was taken over from, oldest first.
    """

    number: int
    params: Mapping[str, Any] = field(converter=_frozen_mapping)
    x: Values = field(repr=False)
    leg: float
    unit: str
    worker: str
    plan: int
    stop: int | None
    predicted: float
    state: TrialState = TrialState.ASKED
    value: float | None = None
    asked: Mapping[str, Any] | None = None
    spent: float | None = None
    why: str = ""
    earlier: tuple[float | None, ...] = ()
    prior: bool = False
    count: int = 1
    variance: float | None = None
    home_first: bool = False
    measured: Mapping[str, float] = field(default=NOTHING_MEASURED, converter=_frozen_mapping)
    issued: Stamp = NO_STAMP
    closed: Stamp = NO_STAMP
    rank: int | None = None
    former: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], "Trial"], tuple[dict[str, Any]]]:
        """Return how a copy or a pickle is rebuilt, because its mappings can be neither copied nor pickled."""
        kept = {one.name: getattr(self, one.name) for one in fields(Trial)}
        return _as_trial, ({name: dict(one) if isinstance(one, Mapping) else one for name, one in kept.items()},)

    @property
    def is_visit(self) -> bool:
        """Whether the traveller went there, or is on the way."""
        return self.state is not TrialState.SKIPPED and not self.prior

    @property
    def label(self) -> str:
        """Its number in tables and pictures: ``14``; of a result known before the study ``k3``, numbered apart."""
        return str(self.number) if self.rank is None else f"k{self.rank}"

    @property
    def title(self) -> str:
        """Its name in a sentence: ``trial 14``, or ``old result k3``."""
        return title_of(self.label)

    @property
    def standing(self) -> str:
        """Where it stands, in a word: its state, or ``known`` if it was told before the study."""
        return "known" if self.prior and self.state is TrialState.TOLD else str(self.state)

    def __repr__(self) -> str:
        """Return its name, state and place, on a line, as lists of trials show it."""
        return f"<{self.title.capitalize()} {self.standing}: {in_words(self.params)}>"

    def __str__(self) -> str:
        """Say in two lines what became of it, and where it is."""
        found = (
            ""
            if self.value is None
            else f" {shown(self.value)}" + (f" ({mean_of(self.count)})" if self.count > 1 else "")
        )
        take = f", take {results(self.count)}" if self.count > 1 and self.state is TrialState.ASKED else ""
        leg = f", leg {with_unit(self.leg, self.unit)}" if self.is_visit else ""
        home = " by way of home" if self.home_first and self.is_visit else ""
        why = f" ({self.why})" if self.why else ""
        return f"{self.title} {self.standing}{found}{leg}{home}{take}{why}\n    {in_words(self.params)}"

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        first, place = str(self).split("\n    ", 1)
        return html.card(first, {"place": place, "worker": self.worker})


def _as_trial(kept: dict[str, Any]) -> Trial:
    asked = None if kept["asked"] is None else MappingProxyType(kept["asked"])
    return Trial(**kept | {"x": read_only(kept["x"]), "asked": asked})


Row: TypeAlias = tuple[float, ...]
"""A place as plain numbers: a row of the space."""
Legs: TypeAlias = tuple[tuple[int, float], ...]
"""Trial numbers and what their legs cost from now on; of ways home, which are numbered from 0, likewise."""


@frozen(eq=False)
class Planned:
    """A route was planned.

    Attributes:
        stops: the places in visiting order.
        legs: the predicted cost of reaching each.
        picked: rank of each stop in the order the policy chose them.
        told: number of results the plan could see. Fewer than there were before this event if some came in while it
            was planned; it saw their trials as still out, and everything else before this event.
        notes: hyperparameters, the fallback that was reached, and what else decided the plan.
        seed: seed of the study; the plan's random stream is keyed by its own number too.
        version: the version of wayfare.
        counts: number of results to take at each stop; empty for one each.
        homes: numbers of the stops before which the traveller goes home.
        between: numbers of the stops put in because a leg would have been too long.
    """

    stops: Points = field(converter=read_only)
    legs: Values = field(converter=read_only)
    picked: Order
    told: int
    notes: Notes
    seed: int
    version: str
    counts: tuple[int, ...] = ()
    homes: tuple[int, ...] = ()
    between: tuple[int, ...] = ()
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)

    @cached_property
    def itinerary(self) -> Itinerary:
        """The route as it was planned."""
        homes, between = np.zeros((2, len(self.stops)), dtype=np.bool_)
        homes[list(self.homes)] = between[list(self.between)] = True
        return Itinerary(self.stops, self.picked, self.legs, self.each, homes=homes, between=between)

    @property
    def each(self) -> Order:
        """Number of results to take at each stop."""
        return np.array(self.counts, dtype=np.intp) if self.counts else np.ones(len(self.stops), dtype=np.intp)


@frozen
class Asked:
    """A stop of the current route was handed out, for ``count`` of its results; ``home_first``: by way of home."""

    number: int
    stop: int
    leg: float
    worker: str
    request: str
    count: int = 1
    home_first: bool = False
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)


@frozen
class Told:
    """A trial came back with a value, of a run the mean; ``actual`` is where it was, if the setting was missed.

    ``measured`` holds the numbers measured with it, by name.
    """

    number: int
    value: float
    request: str
    actual: Row | None = None
    spent: float | None = None
    legs: Legs = ()
    why: str = ""
    count: int = 1
    variance: float | None = None
    measured: Mapping[str, float] = field(default=NOTHING_MEASURED, converter=_frozen_mapping, hash=False)
    ways_home: Legs = ()
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)


@frozen
class Failed:
    """The move was made, but there is no value."""

    number: int
    why: str
    request: str
    actual: Row | None = None
    spent: float | None = None
    legs: Legs = ()
    ways_home: Legs = ()
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)


@frozen
class Skipped:
    """The place was not visited."""

    number: int
    why: str
    request: str
    legs: Legs = ()
    ways_home: Legs = ()
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)


@frozen
class Inserted:
    """An unplanned place was handed out, or, if ``prior``, its result was known before the study."""

    number: int
    place: Row
    leg: float
    worker: str
    request: str
    prior: bool = False
    count: int = 1
    home_first: bool = False
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)


@frozen
class Amended:
    """A trial was corrected; without a value it counts as failed from now on.

    ``measured`` holds all numbers measured with the value, those that were not corrected too.
    """

    number: int
    value: float | None
    why: str
    request: str
    actual: Row | None = None
    spent: float | None = None
    legs: Legs = ()
    count: int = 1
    variance: float | None = None
    measured: Mapping[str, float] = field(default=NOTHING_MEASURED, converter=_frozen_mapping, hash=False)
    ways_home: Legs = ()
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)


@frozen
class Replanned:
    """The rest of the route was dropped; the traveller stands at ``position``, if that is given."""

    position: Row | None
    why: str
    request: str
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)


@frozen
class Reassigned:
    """A trial that was out was taken over by another worker."""

    number: int
    worker: str
    request: str
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)


@frozen
class Changed:
    """The specification was changed; what was measured and paid before stays.

    Attributes:
        form: the keys that changed, as in the form of a study, with what they are since; None for one that is gone.
        drops: whether the rest of the route was dropped.
        why: the reason.
        request: the id of the move.
        spec: the specification since, worked out when the event is read (``form.read_events``); not stored.
    """

    form: Mapping[str, Any] = field(converter=_frozen_mapping, hash=False)
    drops: bool
    why: str
    request: str
    spec: StudySpec | None = field(default=None, kw_only=True, eq=False, repr=False)
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)


@frozen
class Returned:
    """The traveller went home; the rest of the route stays.

    Attributes:
        leg: the cost of the way home by the travel cost, with that of a new trip if one begins.
        why: a remark.
        request: the caller's id of the request.
        spent: what it really cost, if that was told.
        new_trip: whether a new trip begins.
    """

    leg: float
    why: str
    request: str
    spent: float | None = None
    new_trip: bool = False
    stamp: Stamp = field(default=NO_STAMP, kw_only=True, eq=False, repr=False)


Event: TypeAlias = (
    Planned | Asked | Told | Failed | Skipped | Inserted | Amended | Replanned | Reassigned | Changed | Returned
)


# Events as text: one line of ASCII JSON each, from which every number comes back bit for bit. A field at its default is
# left out, so that a later version can add fields without changing what earlier ones wrote.


def write_event(event: Event) -> str:
    """Return the event as one line of JSON."""
    kind = type(event)
    if kind not in _FIELDS:
        raise StoreError(f"{event!r} is not an event that can be kept")
    form: dict[str, Any] = {"kind": kind.__name__.lower()}
    for name, (_, default) in _FIELDS[kind].items():
        value = getattr(event, name)
        if default is NOTHING or value != default:
            form[name] = value
    form |= stamp_form(event.stamp)
    try:
        return _ENCODER.encode(form)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"the {form['kind']} event cannot be written as JSON: {error}") from error


def read_event(text: str) -> Event:
    """Return the event; raise ``StoreError`` if ``write_event`` cannot have written the text."""
    try:
        form, end = _DECODER.raw_decode(text)  # written without blanks around it
        if end != len(text):
            raise ValueError("more than one value")
        kind = _KINDS[form.pop("kind")]
        stamp, readers = take_stamp(form), _FIELDS[kind]
        return kind(**{name: readers[name][0](value) for name, value in form.items()}, stamp=stamp)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        shown = repr(text)
        shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
        raise StoreError(f"not an event this version can read: {shown}") from error


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} is not a plain JSON value")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"), default=_plain)
_DECODER = json.JSONDecoder(parse_constant=_refuse)

_Reader: TypeAlias = Callable[[Any], Any]


def _typed(kind: type) -> _Reader:
    def read(value: Any) -> Any:
        # Not isinstance: true is no number in JSON.
        if type(value) is not kind:
            raise ValueError(f"{value!r} is not a {kind.__name__}")
        return value

    return read


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST_WHOLE:  # most numbers of a store are counts: no calls
        raise ValueError("not a count up to 2**53")
    return value


def _seed(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("not a count")
    return value


def _at_least_one(value: Any) -> int:
    if _count(value) == 0:
        raise ValueError("a count of 0")
    return int(value)


def _number(value: Any) -> float:
    if type(value) is not float and type(value) is not int:
        raise ValueError(f"{value!r} is not a number")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is not finite")
    return number


def _each(read: _Reader) -> _Reader:
    return lambda value: tuple([read(one) for one in _list(value)])


def _or_none(read: _Reader) -> _Reader:
    return lambda value: None if value is None else read(value)


def _legs(value: Any) -> Legs:
    return tuple([(_count(number), _number(leg)) for number, leg in value])


def _numbers(value: Any) -> dict[str, float]:
    return {name: _number(number) for name, number in _typed(dict)(value).items()}


def _order(value: Any) -> Order:
    return whole([_count(number) for number in value])


def _array(dimensions: int) -> _Reader:
    def read(value: Any) -> Values:
        array = np.array(value) if value else np.empty((0,) * dimensions)
        if array.ndim != dimensions or array.dtype.kind not in "fi" or not np.isfinite(array).all():
            raise ValueError(f"{value!r} are not numbers in {dimensions} dimensions")
        return array

    return read


_list, _text, _flag = _typed(list), _typed(str), _typed(bool)
_place = _each(_number)

_READERS: dict[str, _Reader] = {
    "number": _count,
    "stop": _count,
    "value": _number,
    "request": _text,
    "why": _text,
    "worker": _text,
    "actual": _or_none(_place),
    "spent": _or_none(_number),
    "legs": _legs,
    "ways_home": _legs,
    "new_trip": _flag,
    "leg": _number,
    "place": _place,
    "prior": _flag,
    "position": _or_none(_place),
    "told": _count,
    "seed": _seed,
    "version": _text,
    "notes": _typed(dict),
    "picked": _order,
    "count": _at_least_one,
    "counts": _each(_at_least_one),
    "homes": _each(_count),
    "between": _each(_count),
    "home_first": _flag,
    "variance": _or_none(_number),
    "measured": _numbers,
    "form": _typed(dict),
    "drops": _flag,
}
"""How a field is read, by its name, whichever event it belongs to ..."""
_OWN_READERS: dict[type, dict[str, _Reader]] = {
    Planned: {"stops": _array(2), "legs": _array(1)},
    Amended: {"value": _or_none(_number)},
}
"""... unless the event reads it differently."""

_ALL = (Planned, Asked, Told, Failed, Skipped, Inserted, Amended, Replanned, Reassigned, Changed, Returned)
_KINDS: dict[str, type[Event]] = {kind.__name__.lower(): kind for kind in _ALL}
_FIELDS: dict[type, dict[str, tuple[_Reader, Any]]] = {
    kind: {
        one.name: ((_READERS | _OWN_READERS.get(kind, {}))[one.name], one.default)
        for one in fields(kind)
        if one.name not in ("stamp", "spec")
    }
    for kind in _ALL
}
