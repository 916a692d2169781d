"""The studies of a store: ``wayfare new``, ``list``, ``rename``, ``archive``, ``delete``; and how commands find theirs.

A command that reports reads the store once, by ``read_study``; one that moves opens the study and lets the move read.
"""

import difflib
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict

import click
from attrs import asdict

from wayfare._core.format import counted, in_full, in_words, shown, side_by_side
from wayfare.cli.input import FILE, WHO, as_option, is_usual_store, json_option, on_store, with_study
from wayfare.cli.output import WIDTH, busy, listing, note, one_line, plain, print_json, table_or_lists
from wayfare.errors import InvalidInput, UnknownStudy, WayfareError
from wayfare.exchange.records import LineRecord, SpecRecord, line_record, method_records, spec_record
from wayfare.form import read_spec, read_study_file
from wayfare.planning.catalogue import CATALOGUE
from wayfare.record.stamp import person
from wayfare.store import archive as archive_study
from wayfare.store import archived, as_store
from wayfare.store import delete as delete_study
from wayfare.store import rename as rename_study
from wayfare.store.database import NoStore
from wayfare.study.explain import axes_in_words, explain
from wayfare.study.journal import Journal
from wayfare.study.study import Snapshot, Study


class Who(TypedDict):
    """Who makes a move, and by which way, as the library takes it."""

    by: str | None
    via: str


def who() -> Who:
    """Return who runs the command; None for the user of this process."""
    name = click.get_current_context().meta.get(WHO)
    return {"by": None if name is None else person(name, "--as"), "via": "cli"}


def open_study(store: Path | str, name: str) -> Study:
    """Return the study called ``name``, for a move."""
    with hinting(store, name):
        return Study.open(store, name, **who())


@contextmanager
def hinting(store: Path | str, name: str) -> Iterator[None]:
    """Say of a study that is not there which one was likely meant."""
    try:
        yield
    except UnknownStudy as error:
        if str(error) != f"no study named {name!r}":
            raise  # it was there, and the error says what became of it
        names = as_store(store).names()
        # A name that differs only in capital letters is nearer than any other.
        folded = [one for one in names if one.casefold() == name.casefold()]
        close = folded or difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "`wayfare list` names those there are"
        raise UnknownStudy(f"{error}; {hint if names else 'there is none yet, `wayfare new` begins one'}") from error


def names_in(store: Path | str) -> Sequence[str]:
    """Return the names of all studies, none if there is no store yet."""
    try:
        return as_store(store).names()
    except NoStore:
        return []


def read_study(store: Path | str, name: str) -> Snapshot:
    """Return the study called ``name`` as it stands now, for any number of reports."""
    return open_study(store, name).last  # opening has just read all of it


def check_name(name: str) -> None:
    """Refuse a name for a new study that a command line would take for an option."""
    if name.startswith("-"):
        raise InvalidInput(f"name: {name!r} begins with a dash, as options do; choose another")


@click.command()
@click.argument("file", type=FILE)
@click.option("--name", help="What the study is called, instead of the name in the file.")
@click.option("--check", is_flag=True, help="Only explain in words what was understood; nothing is written.")
@as_option
@on_store
def new(file: Path, name: str | None, check: bool, store: Path | str, as_json: bool) -> None:
    """Begin the study that a TOML file describes.

    docs/study-file.md has every key; `wayfare init` writes a file to begin with.
    """
    form = read_study_file(file)  # the files it names are looked for beside it
    with busy("reading"):  # a map may have many cells
        spec = read_spec(form if name is None else {**form, "name": name}, folder=file.parent)
    check_name(spec.name)
    if check:
        with busy():
            said = explain(spec)
        if as_json:
            print_json(asdict(said))
            return
        click.echo(listing([("study", spec.name), *said.entries]))
        return
    with busy("checking"):
        Journal.create(store, spec, **who())
    record = spec_record(spec, store)
    if as_json:
        print_json(record)
        return
    regions, also, anchor = record["forbidden"], record["also"], record["anchor"]
    back = "the best place so far" if isinstance(anchor, str) else in_words(anchor or {})
    elsewhere = [] if is_usual_store(store) else ["--store", str(store)]
    entries = [
        ("study", record["name"]),
        ("axes", "; ".join(axes_in_words(spec.space))),
        ("forbidden", f"{counted(len(regions), 'region')}: {'; '.join(regions)}" if regions else ""),
        ("constraints", "; ".join(record["constraints"])),
        ("trials", f"{record['trials']}, {record['direction']}"),
        ("method", record["method"]),
        ("unit", record["unit"] or "none given"),
        ("also", ", ".join(one["unit"] for one in also)),
        ("limits" if record["budget"] is None else "budget", _limits(record)),
        ("measured", "; ".join(map(str, spec.measured))),
        ("anchor", f"{back}, after {record['anchor_every']} other visits at most" if anchor else ""),
        ("stop", f"when less than {shown(spec.gain_below)} is to be gained" if spec.gain_below is not None else ""),
        ("shuffle", f"{100 * record['shuffle']:g}% of the stops" if record["shuffle"] else ""),
        ("store", record["store"]),
        ("next", shlex.join(["wayfare", "ask", spec.name, *elsewhere])),
    ]
    click.echo(listing([(key, text) for key, text in entries if text]))  # without what the study does not have


def _limits(record: SpecRecord) -> str:
    """Return how much legs and results may cost, and where home is; empty without limits."""
    unit = record["unit"]
    besides = [(one["unit"], one["dwell"]) for one in record["also"] if one["dwell"]]
    budget, dwell, trip, day = record["budget"], record["dwell"], record["trip"], record["day"]
    longest, home = record["max_step"], record["home"]
    between = f", {in_full(record['trip_cost'], unit)} between" if record["trip_cost"] else ""
    said = (
        "" if budget is None else in_full(budget, unit),
        f"{side_by_side(dwell, unit, besides)} for each result" if dwell or besides else "",
        "" if trip is None else f"trips of {in_full(trip, unit)}{between}",
        "" if day is None else f"days of {in_full(day, unit)}{between}",
        "" if longest is None else f"no leg above {in_full(longest, unit)}",
        "" if home is None else f"home is {in_words(home)}",
    )
    return ", ".join(filter(None, said))


@click.command("list")
@click.option("--all", "with_all", is_flag=True, help="Those that are archived, too.")
@on_store
def list_studies(with_all: bool, store: Path | str, as_json: bool) -> None:
    """List the studies in the store, oldest first."""
    everything, hidden = as_store(store).names(), [] if with_all else archived(store)
    names = [name for name in everything if name not in hidden]
    records = [record for name in names if (record := _study_record(store, name)) is not None]
    if as_json:
        for record in records:
            print_json(record)
    elif records:
        click.echo(table_or_lists(list(records[0]), [[str(cell) for cell in record.values()] for record in records]))
    elif not everything:
        note("no studies yet: new begins one")
    if hidden and not as_json:
        note(f"{len(hidden)} archived; list --all shows {'it' if len(hidden) == 1 else 'them'}")
    if len(records) < len(names):
        click.get_current_context().exit(1)  # after the studies that can be read


def _study_record(store: Path | str, name: str) -> LineRecord | None:
    """Return a study in short; None, with a line on stderr, if it cannot be read, so that the others are shown."""
    try:
        state = read_study(store, name).state
    except WayfareError as error:
        click.echo(f"Error: study {plain(repr(name))} cannot be read: {one_line(str(error))}", err=True)
        return None
    return line_record(state)


why_option = click.option("--why", default="", metavar="TEXT", help="The reason, kept in the log.")


@click.command()
@with_study
@click.argument("new_name", metavar="NEW")
@why_option
@as_option
@json_option
def rename(name: str, store: Path | str, new_name: str, why: str, as_json: bool) -> None:
    """Give the study NAME the new name NEW.

    Programs that have it open under the old name are told so at their next move.
    """
    check_name(new_name)
    with hinting(store, name):
        rename_study(store, name, new_name, why=why, **who())
    if as_json:
        print_json({"store": str(store), "before": name, "after": new_name})
    else:
        click.echo(f"{plain(name)} is called {plain(new_name)} now")


@click.command()
@with_study
@click.option("--undo", is_flag=True, help="Show it again.")
@why_option
@as_option
@json_option
def archive(name: str, store: Path | str, undo: bool, why: str, as_json: bool) -> None:
    """Hide the study NAME from list; it is kept and still works."""
    with hinting(store, name):
        archive_study(store, name, undo=undo, why=why, **who())
    if as_json:
        print_json({"store": str(store), "study": name, "archived": not undo})
    else:
        click.echo(f"{plain(name)} is {'listed again' if undo else 'archived; `wayfare list --all` shows it'}")


@click.command()
@with_study
@click.option("--yes", metavar="NAME", help="The name once more, instead of typing it when asked.")
@why_option
@as_option
@json_option
def delete(name: str, store: Path | str, yes: str | None, why: str, as_json: bool) -> None:
    """Delete the study NAME for good, with all its results.

    It asks for the name first. Backups keep the study, and the log that it was deleted, when, by whom and why.
    """
    with hinting(store, name):
        events = len(as_store(store).read(name).events)
        if yes is None:
            note(f"{name} and its {counted(events, 'event')} will be gone for good; archive hides a study and keeps it")
            yes = click.prompt("Type the name to delete it", err=True)
        if yes != name:
            raise InvalidInput(f"{yes!r} is not the name of the study, {name!r}: nothing was deleted")
        delete_study(store, name, why=why, **who())
    if as_json:
        print_json({"store": str(store), "study": name, "events": events})
    else:
        click.echo(f"{plain(name)} is deleted, with {counted(events, 'event')}")


@click.command()
@json_option
def methods(as_json: bool) -> None:
    """List the methods: what each does, and where it comes from."""
    indent = " " * (max(map(len, CATALOGUE)) + 2)
    for entry in method_records():
        if as_json:
            print_json(entry)
            continue
        for text, first in ((entry["summary"], entry["name"].ljust(len(indent))), (entry["source"], indent)):
            if text:
                click.echo(textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=indent))
