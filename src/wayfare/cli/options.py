"""The options that many commands share, and how they find their study."""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from wayfare.cli.text import plain
from wayfare.cli.values import COST, COUNT, FILE, SEVERAL, VARIANCE
from wayfare.errors import InvalidInput, StoreError, UnknownStudy, WayfareError

if TYPE_CHECKING:
    from wayfare.study import Study

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
request_option = click.option(
    "--request", metavar="ID", help="Your id of this request; sent again, it happens once."
)
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
count_option = click.option(
    "--count", type=SEVERAL, metavar="N", help="Of how many results VALUE is the mean."
)
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
    from wayfare.study import Study

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
