"""Numbers and places as typed on a command line: ASCII, plain, nothing guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wayfare import door
from wayfare.errors import InvalidInput
from wayfare.typed import WHOLE, hint, read_number

if TYPE_CHECKING:
    from wayfare.space import AnySpace

DIGITS = re.compile(r"\d+", re.ASCII)
MOST_DIGITS = 300


class Number(click.ParamType):  # type: ignore[type-arg]  # generic only in newer click
    """A finite number in plain ASCII."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or refuse it as misuse."""
        if isinstance(value, float):
            return value
        try:
            return read_number(value, "it")
        except InvalidInput:
            self.fail(f"{value!r} is not a finite number such as 72.5{hint(value)}", param, ctx)


class NotNegative(Number):
    """A finite number, 0 or above; ``what`` says what it is."""

    def __init__(self, name: str, what: str) -> None:
        self.name, self.what = name, what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or refuse it as misuse."""
        number = super().convert(value, param, ctx)
        if number < 0:
            self.fail(f"{value!r} must not be negative: it is {self.what}", param, ctx)
        return number


class Count(click.ParamType):  # type: ignore[type-arg]  # as above
    """A whole number from 0 on, in plain ASCII digits."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number, or refuse it as misuse."""
        if isinstance(value, int):
            return value
        # Python reads no more than 4300 digits, and no study counts that far.
        if DIGITS.fullmatch(value) is None or len(value) > MOST_DIGITS:
            self.fail(f"{value!r} is not a whole number such as 3", param, ctx)
        return int(value)


class Several(Count):
    """A whole number from 1 on."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number, or refuse it as misuse."""
        number = super().convert(value, param, ctx)
        if number < 1:
            self.fail(f"{value!r} must be at least 1", param, ctx)
        return number


class File(click.Path):
    """The path of a file, which need not be there."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; what no file can be called is misuse."""
        if "\0" in str(value):
            self.fail(f"{value!r} is no path to a file", param, ctx)
        return super().convert(value, param, ctx)


NUMBER = Number()
COST = NotNegative("cost", "what the leg cost")
VARIANCE = NotNegative("variance", "a variance")
COUNT = Count()
SEVERAL = Several()
FILE = File(path_type=Path)


def read_place(space: AnySpace, settings: Sequence[str], option: str) -> dict[str, Any]:
    """Return the place typed as ``axis=value`` settings; axes may be missing, none may be unknown."""
    place: dict[str, Any] = {}
    for setting in settings:
        axis, text = split_setting(setting, space.names, option)
        if axis not in space.names:
            raise InvalidInput(f"{option}: there is no axis {axis!r}; {door.nearest(axis, space.names)}")
        if axis in place:
            raise InvalidInput(f"{option}: axis {axis!r} is given twice")
        place[axis] = read_value(space, axis, text, option)
    return place


def split_setting(setting: str, names: Iterable[str], option: str) -> tuple[str, str]:
    """Return the axis and the text of an ``axis=value`` setting; a known name may hold a ``=`` itself."""
    known = [name for name in names if setting.startswith(f"{name}=")]
    if known:
        axis = max(known, key=len)
        return axis, setting[len(axis) + 1 :]
    axis, equals, text = setting.partition("=")
    if not equals:
        raise InvalidInput(f"{option}: write AXIS=VALUE, got {setting!r}")
    return axis, text


def read_value(space: AnySpace, axis: str, text: str, option: str) -> Any:
    """Return what was typed as a value of one axis."""
    values = space.choices[space.column(axis)]
    if values is None:
        number = read_number(text, f"{option}: axis {axis!r}")
        return int(text) if WHOLE.fullmatch(text) and abs(number) <= door.LARGEST_WHOLE else number
    # "1" may be the text or the number: what is written the same is the same, text first.
    for value in sorted(values, key=lambda value: not isinstance(value, str)):
        if text == (str(value).lower() if isinstance(value, bool) else str(value)):
            return value
    raise InvalidInput(
        f"{option}: axis {axis!r} has no value {text!r}; {door.nearest(text, values, 'values')}"
    )
