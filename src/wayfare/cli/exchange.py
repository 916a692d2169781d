"""``wayfare export`` and ``wayfare import``: a study as CSV for spreadsheets, or whole as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import click

from wayfare._core.format import counted
from wayfare.cli.input import (
    FILE,
    STDIN,
    check_name,
    check_target,
    encoded,
    json_option,
    note,
    open_study,
    print_json,
    print_text,
    read_text,
    request_option,
    with_study,
    write_file,
)
from wayfare.cli.moves import note_missed
from wayfare.cli.output import plain
from wayfare.cli.records import Record
from wayfare.errors import Conflict, InvalidInput

Format: TypeAlias = Literal["csv", "json"]
FORMATS: tuple[Format, ...] = ("csv", "json")

MOST_NOTES = 5
"""So many values outside their bounds are named; the rest is counted."""

format_option = click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Instead of what the file's ending says."
)


def format_of(file: Path | None, said: Format | None) -> Format:
    """Return the format said, or that of the file's ending; CSV where there is no file."""
    if said is not None:
        return said
    if file is None or file == STDIN:
        return "csv"
    for form in FORMATS:
        if file.suffix.lower() == f".{form}":
            return form
    raise InvalidInput(f"{file}: ends neither in .csv nor in .json; say which with --format")


@click.command()
@with_study
@format_option
@click.option("--out", type=FILE, metavar="FILE", help="Where to; else it is printed.")
@click.option("--force", is_flag=True, help="Write over the file if it is there.")
@json_option
def export(name: str, store: Path, form: Format | None, out: Path | None, force: bool, as_json: bool) -> None:
    """Write down the study NAME, as CSV or JSON.

    CSV has a row per trial and opens in a spreadsheet; fill in the open trials and import it again. JSON has
    the whole study, plans and corrections too.
    """
    from wayfare.exchange import export_csv, export_json

    kind = format_of(out, form)
    if out is not None:
        check_target(out, force, store)
    elif as_json:
        raise InvalidInput("--json says what was written, so it needs --out; for JSON, --format json")
    study = open_study(store, name)
    text = export_csv(study) if kind == "csv" else export_json(study)
    if out is None:
        print_text(text)
        return
    write_file(out, encoded(text))
    if as_json:
        print_json({"study": name, "format": kind, "trials": len(study.trials), "out": str(out)})
        return
    click.echo(f"{plain(name)}: {counted(len(study.trials), 'trial')} written to {plain(str(out))}")


@click.command("import")
@with_study
@click.argument("file", type=FILE)
@format_option
@click.option("--prior", is_flag=True, help="Known before the study: nobody moved, no trial is spent.")
@click.option("--again", is_flag=True, help="Add rows without a number although they are there already.")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@request_option
@json_option
def import_file(
    name: str,
    store: Path,
    file: Path,
    form: Format | None,
    prior: bool,
    again: bool,
    dry_run: bool,
    request: str | None,
    as_json: bool,
) -> None:
    """Add the rows of a CSV FILE to a study, or make one from JSON.

    A row with the number of an open trial gives it its outcome; one that has it already must say the same. A
    row with the next number, or with none, is a visit that was made. A row without a number that has the
    place and the value of a trial already there is refused: it was likely imported before. If it was
    measured once more, --again adds it. FILE may be - for standard input.
    """
    if format_of(file, form) == "json":
        if prior or again:
            option = "--prior" if prior else "--again"
            raise InvalidInput(f"{option} is for CSV; a JSON file holds a whole study")
        said, record = import_whole(store, name, file, dry_run)
    else:
        said, record = import_rows(store, name, file, prior, again, dry_run, request)
    if as_json:
        print_json({"study": name, **record, "dry_run": dry_run})
    else:
        click.echo(said)
    if dry_run:
        note("a dry run, nothing was written")


def import_rows(
    store: Path, name: str, file: Path, prior: bool, again: bool, dry_run: bool, request: str | None
) -> tuple[str, Record]:
    """Add the rows of a CSV file to a study; return what became of them."""
    from wayfare.exchange import import_csv
    from wayfare.exchange.csv import LARGEST

    study = open_study(store, name)
    text = read_text(file, LARGEST)
    try:
        done = import_csv(study, text, prior=prior, again=again, dry_run=dry_run, request=request)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error
    for number, said in done.beyond[:MOST_NOTES]:
        note_missed(name, number, said)
    if len(done.beyond) > MOST_NOTES:
        note(f"{len(done.beyond) - MOST_NOTES} more values are outside their bounds")
    keys = ("rows", "told", "failed", "skipped", "visits", "prior", "open", "same")
    return str(done), {key: getattr(done, key) for key in keys}


def import_whole(store: Path, name: str, file: Path, dry_run: bool) -> tuple[str, Record]:
    """Make a study from a JSON file; return what it has."""
    from wayfare.exchange import import_json
    from wayfare.exchange.archive import LARGEST
    from wayfare.store import MemoryStore, as_store

    check_name(name)
    kept = as_store(store)
    text = read_text(file, LARGEST)
    if dry_run and store.exists() and name in kept.names():
        raise Conflict(f"a study named {name!r} exists already; choose another name")
    try:
        study = import_json(MemoryStore() if dry_run else kept, text, name)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error
    trials, events = len(study.trials), study.state.version
    said = f"new study {plain(name)}: {counted(trials, 'trial')}, {counted(events, 'event')}"
    return said, {"trials": trials, "events": events}
