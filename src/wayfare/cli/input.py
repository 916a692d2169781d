"""The arguments and options that commands share.

Numbers are read as plain ASCII, and nothing is guessed.
"""

import re
import string
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import click
from click.core import ParameterSource

from wayfare._core.parse import DATABASES, hint, read_number
from wayfare._core.settings import STORE, USER, setting
from wayfare.errors import InvalidInput

Command = TypeVar("Command", bound=Callable[..., Any])

DIGITS = re.compile(r"\d{1,300}", re.ASCII)  # Python reads no more than 4300 digits, and no study counts that far


class Number(click.ParamType):  # type: ignore[type-arg]  # generic only in newer click
    """A finite number in plain ASCII; not below 0 if ``what`` says what it is."""

    def __init__(self, name: str = "number", what: str = "") -> None:
        self.name, self.what = name, what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or refuse it as misuse."""
        try:
            number = value if isinstance(value, float) else read_number(value, "it")
        except InvalidInput:
            self.fail(f"{value!r} is not a finite number such as 72.5{hint(value)}", param, ctx)
        if self.what and number < 0:
            self.fail(f"{value!r} must not be negative: it is {self.what}", param, ctx)
        return number


class Count(click.ParamType):  # type: ignore[type-arg]  # as above
    """A whole number from ``least`` on, in plain ASCII digits."""

    name = "count"

    def __init__(self, least: int = 0) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number, or refuse it as misuse."""
        if not isinstance(value, int) and DIGITS.fullmatch(value) is None:
            self.fail(f"{value!r} is not a whole number such as 3", param, ctx)
        if int(value) < self.least:
            self.fail(f"{value!r} must be at least {self.least}", param, ctx)
        return int(value)


class Length(click.ParamType):  # type: ignore[type-arg]  # as above
    """A length of time with its unit: 90min, 2.5h."""

    name = "time"
    UNITS: ClassVar = {"s": "seconds", "min": "minutes", "h": "hours", "d": "days"}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """Return the time, or refuse it as misuse."""
        if isinstance(value, timedelta):
            return value
        number = value.rstrip(string.ascii_letters)
        try:
            unit = self.UNITS[value[len(number) :]]
            return timedelta(**{unit: Number("time", "a length of time").convert(number.strip(), param, ctx)})
        except (KeyError, OverflowError):
            units = ", ".join(self.UNITS)
            self.fail(f"{value!r} is not a length of time such as 90min or 2h (units: {units})", param, ctx)


class Take(Count):
    """A whole number of stops, or the word ``day``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or the word."""
        return value if value == "day" else super().convert(value, param, ctx)


class File(click.Path):
    """The path of a file, which need not exist."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; a text that cannot be one is misuse."""
        if "\0" in str(value):
            self.fail(f"{value!r} is no path to a file", param, ctx)
        return super().convert(value, param, ctx)


class StoreAt(File):
    """The path of a store's file, or the address of its database."""

    name = "store"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or the address as it is."""
        if isinstance(value, str) and value.startswith(DATABASES):
            return value
        return super().convert(value, param, ctx)


NUMBER = Number()
COUNT = Count()
SEVERAL = Count(1)
TAKE = Take(1)
FILE = File(path_type=Path)
STORE_AT = StoreAt(path_type=Path)
DEFAULT_STORE = "wayfare.db"


def _choose_store(context: click.Context, parameter: click.Parameter, store: Path | str | None) -> Path | str:
    """Take the store named after the command, else before it, else by the environment, else the usual one."""
    group: Path | str | None = context.find_root().obj
    if group is not None and context.get_parameter_source("store") is not ParameterSource.COMMANDLINE:
        return group
    return store or Path(DEFAULT_STORE)


def is_usual_store(store: Path | str) -> bool:
    """Return whether a command finds this store without ``--store``."""
    usual = setting(STORE) or DEFAULT_STORE
    return store == (usual if usual.startswith(DATABASES) else Path(usual))


store_option = click.option(
    "--store",
    type=STORE_AT,
    envvar=STORE,
    callback=_choose_store,
    help=f"The file or database that keeps the studies.  [default: {DEFAULT_STORE}; env: {STORE}]",
)


def _note_who(context: click.Context, parameter: click.Parameter, name: str | None) -> None:
    """Keep the name given with ``--as``; given behind a command, it counts more than before it."""
    if name is not None:
        context.meta[WHO] = name


WHO = "wayfare.who"
"""Where the name given with ``--as`` is kept."""
as_option = click.option(
    "--as",
    "by",
    metavar="NAME",
    expose_value=False,
    callback=_note_who,
    help=f"Who does this, kept with it.  [default: your login name; env: {USER}]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
request_option = click.option("--request", metavar="ID", help="Your id of this request; sent again, it happens once.")
force_option = click.option("--force", is_flag=True, help="Write over the file if it is there.")


def options(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return one decorator for several arguments and options, which the help lists in this order."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


with_study = options(click.argument("name"), store_option)
move_options = options(request_option, as_option, json_option)
on_store = options(store_option, json_option)


def split_settings(
    settings: Sequence[str], names: Sequence[str], option: str, form: str = "AXIS=VALUE", what: str = "axis "
) -> dict[str, str]:
    """Return the texts of ``axis=value`` settings by axis; none may be given twice.

    Args:
        settings: as typed.
        names: that are known; a text may begin with another, which is returned too.
        option: that they were given with, for refusals.
        form: how a setting is written, for refusals.
        what: a name is, for refusals.
    """
    texts: dict[str, str] = {}
    for given in settings:
        if "=" not in given:
            raise InvalidInput(f"{option}: write {form}, got {given!r}")
        # A known name may hold a "=" itself; the longest that fits is meant.
        known = [name for name in names if given.startswith(f"{name}=")]
        axis = max(known, key=len, default=given.partition("=")[0])
        if axis in texts:
            raise InvalidInput(f"{option}: {what}{axis!r} is given twice")
        texts[axis] = given[len(axis) + 1 :]
    return texts


class Signed(click.Command):
    """A command that takes ``-0.5`` for a number; any other dash begins an option, which must be known."""

    # Also "-inf" and "-nan", which are no numbers here but were meant as such: refused as a value, not as an option.
    NEGATIVE = re.compile(r"-(\.?\d|inf|nan)", re.IGNORECASE)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the options first and the arguments, in their order, behind a ``--``."""
        valued = [one for one in self.params if isinstance(one, click.Option) and not one.is_flag]
        given = {name for option in valued for name in option.opts}
        options, arguments, rest = list[str](), list[str](), iter(args)
        for word in rest:
            if word == "--":
                arguments.extend(rest)
            elif word.startswith("-") and word != "-" and self.NEGATIVE.match(word) is None:
                value = list(islice(rest, 1)) if word in given else []
                options.extend([word, *value])
                if word in given and not value:
                    return super().parse_args(ctx, options)  # which says that the value is missing
            else:
                arguments.append(word)
        return super().parse_args(ctx, [*options, "--", *arguments])
