"""Events as text: one line of JSON each, every number coming back bit for bit."""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeAlias

import numpy as np
from attrs import NOTHING, fields

from wayfare._core.arrays import Order, Points, Values, whole
from wayfare.errors import StoreError
from wayfare.record.events import Amended, Asked, Event, Failed, Inserted, Legs, Planned, Replanned, Row, Skipped, Told

Reader: TypeAlias = Callable[[Any], Any]


def write_event(event: Event) -> str:
    """Return the event as compact ASCII JSON; what stands at its default is left out."""
    kind = type(event)
    if kind not in _FIELDS:
        raise StoreError(f"{event!r} is not an event that can be kept")
    form: dict[str, Any] = {"kind": kind.__name__.lower()}
    for name, (_, default) in _FIELDS[kind].items():
        value = getattr(event, name)
        if default is NOTHING or value != default:
            form[name] = value
    try:
        return _ENCODER.encode(form)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"the {form['kind']} event cannot be written as JSON: {error}") from error


def read_event(text: str | bytes) -> Event:
    """Return the event; a ``StoreError`` if the text is not one that ``write_event`` writes."""
    try:
        form = _DECODER.decode(text if isinstance(text, str) else text.decode())
        kind = _KINDS[form.pop("kind")]
        readers = _FIELDS[kind]
        return kind(**{name: readers[name][0](value) for name, value in form.items()})
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise StoreError(f"not an event this version can read: {_shortened(text)}") from error


def _shortened(text: str | bytes) -> str:
    shown = repr(text)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


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


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


def _number(value: Any) -> float:
    if type(value) is not float and type(value) is not int:
        raise ValueError(f"{value!r} is not a number")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is not finite")
    return number


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError(f"{value!r} is not text")
    return value


def _yes_or_no(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def _counts(value: Any) -> tuple[int, ...]:
    return tuple([_at_least_one(number) for number in value])


def _numbers(value: Any) -> tuple[int, ...]:
    return tuple([_count(number) for number in value])


def _at_least_one(value: Any) -> int:
    if _count(value) == 0:
        raise ValueError("a count of nothing")
    return int(value)


def _notes(value: Any) -> dict[str, Any]:
    if type(value) is not dict:
        raise ValueError(f"{value!r} are not notes")
    return value


def _row(value: Any) -> Row:
    if type(value) is not list:
        raise ValueError(f"{value!r} is not a place")
    return tuple([_number(number) for number in value])


def _legs(value: Any) -> Legs:
    return tuple([(_count(number), _number(leg)) for number, leg in value])


def _array(value: Any, dimensions: int) -> Values:
    if not value:
        return np.empty((0,) * dimensions)
    array = np.array(value)
    if array.ndim != dimensions or array.dtype.kind not in "fi" or not np.isfinite(array).all():
        raise ValueError(f"{value!r} are not numbers in {dimensions} dimensions")
    return array


def _values(value: Any) -> Values:
    return _array(value, 1)


def _points(value: Any) -> Points:
    return _array(value, 2)


def _order(value: Any) -> Order:
    return whole([_count(number) for number in value])


def _or_none(read: Reader) -> Reader:
    return lambda value: None if value is None else read(value)


_WAYS: dict[str, Reader] = {
    "number": _count,
    "stop": _count,
    "value": _number,
    "request": _text,
    "why": _text,
    "worker": _text,
    "actual": _or_none(_row),
    "spent": _or_none(_number),
    "legs": _legs,
    "leg": _number,
    "place": _row,
    "prior": _yes_or_no,
    "position": _or_none(_row),
    "told": _count,
    "seed": _count,
    "version": _text,
    "notes": _notes,
    "picked": _order,
    "count": _at_least_one,
    "counts": _counts,
    "homes": _numbers,
    "between": _numbers,
    "home_first": _yes_or_no,
    "variance": _or_none(_number),
}
"""How a field is read, by its name, ..."""
_OWN_WAYS: dict[type, dict[str, Reader]] = {
    Planned: {"stops": _points, "legs": _values},
    Amended: {"value": _or_none(_number)},
}
"""... unless the event has its own way."""

_ALL = (Planned, Asked, Told, Failed, Skipped, Inserted, Amended, Replanned)
_KINDS: dict[str, type[Event]] = {kind.__name__.lower(): kind for kind in _ALL}
_FIELDS: dict[type, dict[str, tuple[Reader, Any]]] = {
    kind: {one.name: ((_WAYS | _OWN_WAYS.get(kind, {}))[one.name], one.default) for one in fields(kind)}
    for kind in _ALL
}
