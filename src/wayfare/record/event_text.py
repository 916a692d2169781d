"""Events as text: one line of ASCII JSON each, from which every number comes back bit for bit.

Stores and exports keep these lines. A field at its default is left out, so that a later version can add fields without
changing what earlier ones wrote.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeAlias

import numpy as np
from attrs import NOTHING, fields

from wayfare._core.arrays import Order, Values, whole
from wayfare.errors import StoreError
from wayfare.record.events import Amended, Asked, Event, Failed, Inserted, Legs, Planned, Replanned, Skipped, Told


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
    try:
        return _ENCODER.encode(form)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"the {form['kind']} event cannot be written as JSON: {error}") from error


def read_event(text: str) -> Event:
    """Return the event; raise ``StoreError`` if ``write_event`` cannot have written the text."""
    try:
        form = _DECODER.decode(text)
        kind = _KINDS[form.pop("kind")]
        readers = _FIELDS[kind]
        return kind(**{name: readers[name][0](value) for name, value in form.items()})
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
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a count")
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
    "leg": _number,
    "place": _place,
    "prior": _flag,
    "position": _or_none(_place),
    "told": _count,
    "seed": _count,
    "version": _text,
    "notes": _typed(dict),
    "picked": _order,
    "count": _at_least_one,
    "counts": _each(_at_least_one),
    "homes": _each(_count),
    "between": _each(_count),
    "home_first": _flag,
    "variance": _or_none(_number),
}
"""How a field is read, by its name, whichever event it belongs to ..."""
_OWN_READERS: dict[type, dict[str, _Reader]] = {
    Planned: {"stops": _array(2), "legs": _array(1)},
    Amended: {"value": _or_none(_number)},
}
"""... unless the event reads it differently."""

_ALL = (Planned, Asked, Told, Failed, Skipped, Inserted, Amended, Replanned)
_KINDS: dict[str, type[Event]] = {kind.__name__.lower(): kind for kind in _ALL}
_FIELDS: dict[type, dict[str, tuple[_Reader, Any]]] = {
    kind: {one.name: ((_READERS | _OWN_READERS.get(kind, {}))[one.name], one.default) for one in fields(kind)}
    for kind in _ALL
}
