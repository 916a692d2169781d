"""Decorators that mark public functions and classes as experimental or deprecated.

A mark warns at the caller's line, which Python shows once per line, and adds a note to the docstring.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from wayfare.errors import ExperimentalWarning, warn

Part = TypeVar("Part", bound=Callable[..., Any])
"""A function or a class; a mark keeps its type, and with it its signature."""


def experimental(part: Part) -> Part:
    """Mark a function or class that may change or be removed in any release."""
    note = f"{part.__qualname__} is experimental: it may change or be removed in any release"
    return _marked(part, note, ExperimentalWarning)


def deprecated(*, instead: str, removed_in: str) -> Callable[[Part], Part]:
    """Mark a function or class that will be removed; users see a ``FutureWarning``.

    Args:
        instead: the name to use in its place.
        removed_in: the first version without it.
    """

    def mark(part: Part) -> Part:
        note = f"{part.__qualname__} is deprecated and will be removed in wayfare {removed_in}; use {instead}"
        return _marked(part, note, FutureWarning)

    return mark


def _marked(part: Part, note: str, kind: type[Warning]) -> Part:
    """Return a function wrapped, or a class whose ``__init__`` is."""
    target: Any = part
    call = target.__init__ if isinstance(part, type) else target

    @wraps(call)
    def warned(*args: Any, **options: Any) -> Any:
        warn(note, kind)
        return call(*args, **options)

    if isinstance(part, type):
        target.__init__ = warned
    else:
        target = warned
    target.__doc__ = f"{inspect.cleandoc(part.__doc__ or '')}\n\nNote:\n    {note}.".lstrip()
    return cast(Part, target)
