"""JSON by its types: ``read`` checks a value by a type, ``schema`` describes the type (JSON Schema, for OpenAPI).

Both walk the same ``TypedDict``, so that what is checked, what is answered and what is described cannot differ.
"""

import json
import types
from collections.abc import Mapping
from typing import Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from wayfare._core import checks
from wayfare.errors import InvalidInput

Kind = TypeVar("Kind")
DEEPEST = 40
"""Objects and lists within each other."""
_WORDS: Mapping[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
_SIMPLE: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


class NotJson(ValueError):
    """A text that is no JSON, or nested too deep."""


def parse(text: bytes | str) -> Any:
    """Return the value of a JSON text; NaN, a key given twice and deep nesting are refused."""
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
    except RecursionError as error:
        raise NotJson("nested too deep") from error
    except (ValueError, UnicodeError) as error:  # malformed, or a number of thousands of digits
        raise NotJson(" ".join(str(error).split())[:200]) from error
    if _depth(value) > DEEPEST:
        raise NotJson("nested too deep")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise ValueError(f"the key {checks.brief(twice)} is given twice")
    return found


def _depth(value: Any) -> int:
    """Return how deep lists and objects are nested, without recursion."""
    deepest, level = 0, [value]
    while level:
        level = [one for part in level for one in _inside(part)]
        deepest += bool(level)
    return deepest


def _inside(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def read(kind: type[Kind], value: Any, where: str = "") -> Kind:
    """Return a value that is what ``kind`` says; else raise ``InvalidInput``, which names the field.

    Args:
        kind: a ``TypedDict``, ``list[...]``, ``dict[str, ...]``, a union, a ``Literal`` or a simple type.
        value: as JSON was read.
        where: the path of the value, for the refusal.
    """
    _check(kind, value, where)
    return value  # type: ignore[no-any-return]  # just checked


def _check(kind: Any, value: Any, where: str) -> None:
    origin = get_origin(kind)
    if kind is Any:
        return
    if is_typeddict(kind):
        _check_fields(kind, value, where)
    elif origin in (Union, types.UnionType):
        _check_any(get_args(kind), value, where)
    elif origin is Literal:
        if value not in get_args(kind):
            raise InvalidInput(f"{where or 'value'} must be one of {', '.join(get_args(kind))}, got {_brief(value)}")
    elif origin is list:
        _expect(isinstance(value, list), "a list", value, where)
        for at, one in enumerate(value):
            _check(get_args(kind)[0], one, f"{where}[{at}]")
    elif origin is dict:
        _expect(isinstance(value, dict), "an object", value, where)
        for key, one in value.items():
            _check(get_args(kind)[1], one, f"{where}.{key}" if where else key)
    elif kind is type(None):
        _expect(value is None, "null", value, where)
    elif kind is float:
        _expect(type(value) in (int, float), _WORDS[kind], value, where)
    else:
        _expect(type(value) is kind, _WORDS[kind], value, where)


def _check_fields(kind: Any, value: Any, where: str) -> None:
    _expect(isinstance(value, dict), "an object", value, where)
    hints, prefix = get_type_hints(kind), f"{where}." if where else ""
    for key in value:
        if key not in hints:
            raise InvalidInput(f"there is no {_brief(prefix + key)}; {checks.nearest(key, hints)}")
    for key in sorted(kind.__required_keys__):
        if key not in value:
            raise InvalidInput(f"{prefix}{key} is missing")
    for key, one in value.items():
        _check(hints[key], one, f"{prefix}{key}")


def _check_any(kinds: tuple[Any, ...], value: Any, where: str) -> None:
    """Refuse what is of none of the kinds; a list or an object is judged by the kind that is one, too."""
    for kind in kinds:
        if isinstance(value, dict | list) and _is_whole(kind, value):
            return _check(kind, value, where)
    for kind in kinds:
        try:
            return _check(kind, value, where)
        except InvalidInput:
            continue
    said = " or ".join(_named(kind) for kind in kinds)
    return _expect(False, said, value, where)


def _is_whole(kind: Any, value: Any) -> bool:
    origin = get_origin(kind)
    return origin is list if isinstance(value, list) else origin is dict or is_typeddict(kind)


def _named(kind: Any) -> str:
    if get_origin(kind) is list:
        return "a list"
    if get_origin(kind) is Literal:
        return " or ".join(map(repr, get_args(kind)))
    return "null" if kind is type(None) else _WORDS.get(kind, "an object")


def _expect(holds: bool, what: str, value: Any, where: str) -> None:
    if not holds:
        raise InvalidInput(f"{where or 'the body'} must be {what}, got {_brief(value)}")


def _brief(value: Any) -> str:
    return checks.brief(value)[:80]


def schema(kind: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a type; each ``TypedDict`` is entered into ``known`` by its name and referred to."""
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if is_typeddict(kind):
        return _named_schema(kind, known)
    if origin in (Union, types.UnionType):
        simple = [_SIMPLE[one] for one in args if one in _SIMPLE]
        if len(simple) == len(args):
            return {"type": simple}
        return {"anyOf": [schema(one, known) for one in args]}
    if origin is Literal:
        return {"enum": list(args)}
    if origin is list:
        return {"type": "array", "items": schema(args[0], known)}
    if origin is dict:
        inner = schema(args[1], known)
        return {"type": "object", "additionalProperties": inner} if inner else {"type": "object"}
    return {"type": _SIMPLE[kind]}


def _named_schema(kind: Any, known: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    if name not in known:
        known[name] = {}  # a type may hold itself
        known[name] = {
            "type": "object",
            "description": " ".join((kind.__doc__ or "").split()),
            "properties": {key: schema(one, known) for key, one in get_type_hints(kind).items()},
            "required": sorted(kind.__required_keys__),
            "additionalProperties": False,
        }
    return {"$ref": f"#/components/schemas/{name}"}
