"""``wayfare export`` and ``wayfare import``: a study as CSV for spreadsheets, or whole as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import click

from wayfare.cli.files import STDIN, check_target, encoded, print_text, read_text, write_file
from wayfare.cli.options import open_study, request_option, with_study
from wayfare.cli.text import plain
from wayfare.cli.values import FILE
from wayfare.errors import Conflict, InvalidInput

Format: TypeAlias = Literal["csv", "json"]
FORMATS: tuple[Format, ...] = ("csv", "json")

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
def export(name: str, store: Path, form: Format | None, out: Path | None, force: bool) -> None:
    """Write down the study NAME.

    CSV has a row per trial and opens in a spreadsheet; fill in the open trials and import it again. JSON has
    the whole study, plans and corrections too.
    """
    from wayfare.exchange import export_csv, export_json

    kind = format_of(out, form)
    if out is not None:
        check_target(out, force, store)
    study = open_study(store, name)
    text = export_csv(study) if kind == "csv" else export_json(study)
    if out is None:
        print_text(text)
        return
    write_file(out, encoded(text))
    click.echo(f"{plain(name)}: {len(study.trials)} trials written to {plain(str(out))}", err=True)


@click.command("import")
@with_study
@click.argument("file", type=FILE)
@format_option
@click.option("--prior", is_flag=True, help="Known before the study: nobody moved, no trial is spent.")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@request_option
def import_file(
    name: str, store: Path, file: Path, form: Format | None, prior: bool, dry_run: bool, request: str | None
) -> None:
    """Add the rows of a CSV FILE to the study NAME; or make it from a JSON file.

    A row with the number of an open trial gives it its outcome. A row with the next number, or with none, is
    a visit that was made. A row that is there already changes nothing. FILE may be - for standard input.
    """
    if format_of(file, form) == "json":
        if prior:
            raise InvalidInput("--prior is for CSV; a JSON file holds a whole study")
        said = f"new study {plain(name)}: {import_whole(store, name, file, dry_run)}"
    else:
        said = import_rows(store, name, file, prior, dry_run, request)
    click.echo(f"dry run, nothing was written; {said}" if dry_run else said, err=True)


def import_rows(store: Path, name: str, file: Path, prior: bool, dry_run: bool, request: str | None) -> str:
    """Add the rows of a CSV file to a study; say what became of them."""
    from wayfare.exchange import import_csv
    from wayfare.exchange.lines import LARGEST

    study = open_study(store, name)
    text = read_text(file, LARGEST)
    try:
        return str(import_csv(study, text, prior=prior, dry_run=dry_run, request=request))
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error


def import_whole(store: Path, name: str, file: Path, dry_run: bool) -> str:
    """Make a study from a JSON file; say what it has."""
    from wayfare.exchange import import_json
    from wayfare.exchange.archive import LARGEST
    from wayfare.store import MemoryStore, as_store

    kept = as_store(store)
    text = read_text(file, LARGEST)
    if dry_run and store.exists() and name in kept.names():
        raise Conflict(f"a study named {name!r} exists already; choose another name")
    try:
        study = import_json(MemoryStore() if dry_run else kept, text, name)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error
    return f"{len(study.trials)} trials, {study.state.version} events"
