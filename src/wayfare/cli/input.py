"""The options that many commands share, and how they find their study."""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from wayfare._core import checks
from wayfare._core.parse import WHOLE, hint, read_number
from wayfare.cli.output import plain
from wayfare.errors import InvalidInput, StoreError, UnknownStudy, WayfareError

if TYPE_CHECKING:
    from wayfare.space import AnySpace
    from wayfare.study.study import Study


# Numbers and places as typed on a command line: ASCII, plain, nothing guessed.


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
            raise InvalidInput(f"{option}: there is no axis {axis!r}; {checks.nearest(axis, space.names)}")
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
        return int(text) if WHOLE.fullmatch(text) and abs(number) <= checks.LARGEST_WHOLE else number
    # "1" may be the text or the number: what is written the same is the same, text first.
    for value in sorted(values, key=lambda value: not isinstance(value, str)):
        if text == (str(value).lower() if isinstance(value, bool) else str(value)):
            return value
    raise InvalidInput(f"{option}: axis {axis!r} has no value {text!r}; {checks.nearest(text, values, 'values')}")


Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT = "wayfare.db"
# What JSON leaves as it is, and a terminal or a reader of lines would not.
UNSAFE = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def keep_store(context: click.Context, parameter: click.Parameter, store: Path | None) -> Path:
    """Take the store the command names, else the group, else the environment, else the usual one."""
    group = context.find_object(Path)
    from_command = context.get_parameter_source("store") is ParameterSource.COMMANDLINE
    if group is not None and not from_command:
        return group
    return store or Path(DEFAULT)


store_option = click.option(
    "--store",
    type=FILE,
    envvar="WAYFARE_STORE",
    callback=keep_store,
    help=f"The file that keeps the studies.  [default: {DEFAULT}; env: WAYFARE_STORE]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
request_option = click.option("--request", metavar="ID", help="Your id of this request; sent again, it happens once.")
why_option = click.option("--why", default="", metavar="TEXT", help="The reason, kept with the trial.")
worker_option = click.option("--worker", default="", metavar="NAME", help="Who goes there.")
actual_option = click.option(
    "--actual",
    multiple=True,
    metavar="AXIS=VALUE",
    help="Where it really was, if the setting was missed; once per axis.",
)
spent_option = click.option(
    "--spent",
    type=COST,
    metavar="COST",
    help="What the leg really cost, in the study's unit; by way of home, all of it.",
)
count_option = click.option("--count", type=SEVERAL, metavar="N", help="Of how many results VALUE is the mean.")
variance_option = click.option(
    "--variance", type=VARIANCE, metavar="V", help="How those results varied: their sample variance."
)
study_argument = click.argument("name")
number_argument = click.argument("number", type=COUNT)


def with_study(command: Command) -> Command:
    """Give a command its NAME and its ``--store``."""
    return study_argument(store_option(command))


def open_study(store: Path, name: str) -> Study:
    """Return the study called ``name``."""
    from wayfare.study.study import Study

    try:
        study = Study.open(store, name)
    except UnknownStudy as error:
        raise UnknownStudy(f"{error}; {other_studies(store, name)}") from error
    try:
        _ = study.state  # read now, so that a history that does not add up is an error with a name
    except StoreError:
        raise
    except (WayfareError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        said = f"{store}: the events of study {name!r} cannot be replayed; restore a backup"
        raise StoreError(said) from error
    return study


def other_studies(store: Path, name: str) -> str:
    """Return the end of a refusal: which study was meant, or how to find out."""
    from wayfare.store import as_store

    names = as_store(store).names()
    if not names:
        return "there is none yet, `wayfare new` begins one"
    folded = next((one for one in names if one.casefold() == name.casefold()), None)
    close = [folded] if folded is not None else difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else "`wayfare list` names those there are"


def check_name(name: str) -> None:
    """Refuse a name for a new study that a command line would take for an option."""
    if name.startswith("-"):
        raise InvalidInput(f"name: {name!r} begins with a dash, as options do; choose another")


def note(text: str) -> None:
    """Say on stderr what is worth knowing, but no error."""
    click.echo(f"Note: {plain(text)}", err=True)


def print_json(record: dict[str, Any]) -> None:
    """Print one object on one line, every float in full, no control character raw."""
    readable = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    text = json.dumps(record, ensure_ascii=not readable, allow_nan=False)
    click.echo(UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


# Files that a command reads and writes: whole or not at all, and never one over another by accident.


STDIN = Path("-")


def read_text(file: Path, largest: int) -> str:
    """Return what a file of UTF-8 text holds, or standard input for ``-``."""
    try:
        if file == STDIN:
            data = sys.stdin.buffer.read(largest + 1)
        elif file.exists() and not file.is_file():
            raise InvalidInput(f"{file}: is not a file")
        else:
            with file.open("rb") as stream:
                data = stream.read(largest + 1)
    except FileNotFoundError as error:
        raise InvalidInput(f"{file}: no such file") from error
    except OSError as error:
        raise InvalidInput(f"{file}: cannot be read: {error.strerror or error}") from error
    if len(data) > largest:
        raise InvalidInput(f"{file}: is larger than {largest // 1_000_000} MB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{file}: line {line} is not UTF-8 text; save it as UTF-8") from error


def print_text(text: str) -> None:
    """Print text byte for byte, line ends as they are."""
    data = encoded(text)
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def encoded(text: str) -> bytes:
    """Return text in UTF-8."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("a text of this study holds half a character: it cannot be exported") from error


def check_target(out: Path, force: bool, *others: Path) -> None:
    """Refuse a file that is there already, unless ``force`` says so; and always a store, in ``others``."""
    if any(os.path.realpath(out) == os.path.realpath(other) for other in others):
        raise InvalidInput(f"{out}: is the store itself; choose another file")
    if out.exists() and not out.is_file():
        raise StoreError(f"{out}: is not a file; use another name")
    if out.exists() and not force:
        raise StoreError(f"{out}: exists already; use --force or another name")
    if not out.parent.is_dir():
        raise StoreError(f"{out}: there is no folder {out.parent}")


def write_file(out: Path, data: bytes) -> None:
    """Write a file at once: after a crash there is the old one, or none, or the new one."""
    target = Path(os.path.realpath(out))
    aside = target.with_name(f".{target.name[:100]}.{os.getpid()}.new")
    try:
        with aside.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, aside)
        aside.replace(target)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise StoreError(f"{out}: cannot be written: {error.strerror or error}") from error


# Commands whose arguments may be negative: ``wayfare tell snar 3 -0.5``, without a ``--`` before it.


# Also what is no number but was meant as one: better refused as a value than as an option.
NEGATIVE = re.compile(r"-(\.?\d|inf|nan)", re.IGNORECASE)


class Signed(click.Command):
    """A command that takes ``-0.5`` for a number; any other dash begins an option, which must be known."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the options first and the arguments, in their order, behind a ``--``."""
        given = {name for option in self.params if takes_value(option) for name in option.opts}
        options, arguments, rest = list[str](), list[str](), iter(args)
        for word in rest:
            if word == "--":
                arguments.extend(rest)
            elif word.startswith("-") and word != "-" and NEGATIVE.match(word) is None:
                value = list(islice(rest, 1)) if word in given else []
                options.extend([word, *value])
                if word in given and not value:
                    return super().parse_args(ctx, options)  # which says that the value is missing
            else:
                arguments.append(word)
        return super().parse_args(ctx, [*options, "--", *arguments])


def takes_value(parameter: click.Parameter) -> bool:
    """Return whether this is an option followed by its value."""
    return isinstance(parameter, click.Option) and not parameter.is_flag
