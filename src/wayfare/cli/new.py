"""``wayfare new`` begins a study from a TOML file; ``wayfare list`` names those a store keeps."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from wayfare._core.format import counted, in_words, side_by_side, with_unit
from wayfare.cli.input import DEFAULT, FILE, check_name, json_option, note, open_study, print_json, store_option
from wayfare.cli.output import columns, fits, listing, one_line, plain
from wayfare.cli.records import Record, counts, spec_record
from wayfare.errors import WayfareError


@click.command()
@click.argument("file", type=FILE)
@click.option("--name", help="What the study is called, instead of the name in the file.")
@store_option
@json_option
def new(file: Path, name: str | None, store: Path, as_json: bool) -> None:
    """Begin the study that a TOML file describes.

    docs/study-file.md has every key.
    """
    from wayfare.form import read_spec, read_study_file
    from wayfare.store import as_store

    form = read_study_file(file)
    spec = read_spec(form if name is None else {**form, "name": name}, folder=file.parent)
    check_name(spec.name)
    as_store(store).create(spec)
    record = spec_record(spec, store)
    if as_json:
        print_json(record)
        return
    entries = [
        ("study", record["name"]),
        ("axes", ", ".join(record["axes"])),
        *([("forbidden", regions_of(record))] if record["forbidden"] else []),
        ("trials", f"{record['trials']}, {record['direction']}"),
        ("method", record["method"]),
        ("unit", record["unit"] or "none given"),
        *([("also", ", ".join(one["unit"] for one in record["also"]))] if record["also"] else []),
        *limits_of(record),
        *([("shuffle", f"{100 * record['shuffle']:g}% of the stops")] if record["shuffle"] else []),
        ("store", record["store"]),
        ("next", next_command(spec.name, store)),
    ]
    click.echo(listing(entries))


def limits_of(record: Record) -> list[tuple[str, str]]:
    """Return what a study must keep to, and where it goes back to, as entries."""
    limits = ("limits" if record["budget"] is None else "budget", budget_of(record))
    return [entry for entry in (limits, ("anchor", anchor_of(record))) if entry[1]]


def budget_of(record: Record) -> str:
    """Return what legs and results may cost, and where the way must end; empty if nobody said."""
    said = []
    besides = [(one["unit"], one["dwell"]) for one in record["also"] if one["dwell"]]
    if record["budget"] is not None:
        said.append(with_unit(record["budget"], record["unit"]))
    if record["dwell"] or besides:
        said.append(f"{side_by_side(record['dwell'], record['unit'], besides)} for each result")
    if record["trip"] is not None:
        anew = f", {with_unit(record['trip_cost'], record['unit'])} between" if record["trip_cost"] else ""
        said.append(f"trips of {with_unit(record['trip'], record['unit'])}{anew}")
    if record["max_step"] is not None:
        said.append(f"no leg above {with_unit(record['max_step'], record['unit'])}")
    if record["home"] is not None:
        said.append(f"home is {in_words(record['home'])}")
    return ", ".join(said)


def anchor_of(record: Record) -> str:
    """Return where to go back to and how often; empty for nowhere."""
    anchor = record["anchor"]
    if anchor is None:
        return ""
    where = "the best place so far" if anchor == "best" else in_words(anchor)
    return f"{where}, after {record['anchor_every']} other visits at most"


def regions_of(record: Record) -> str:
    """Return how many regions are forbidden, and which."""
    return f"{counted(len(record['forbidden']), 'region')}: {'; '.join(record['forbidden'])}"


def next_command(name: str, store: Path) -> str:
    """Return how to ask for the first stop, as it is typed in a shell."""
    usual = Path(os.environ.get("WAYFARE_STORE") or DEFAULT)
    elsewhere = [] if store == usual else ["--store", str(store)]
    return shlex.join(["wayfare", "ask", name, *elsewhere])


@click.command("list")
@store_option
@json_option
@click.pass_context
def list_studies(context: click.Context, store: Path, as_json: bool) -> None:
    """List the studies in the store, oldest first."""
    from wayfare.store import as_store

    names = as_store(store).names()
    records = [record for name in names if (record := study_record(store, name)) is not None]
    if as_json:
        for record in records:
            print_json(record)
    elif records:
        click.echo(study_table(records))
    elif not names:
        note("no studies yet: new begins one")
    if len(records) < len(names):
        context.exit(1)


def study_table(records: list[Record]) -> str:
    """Return the studies as a table if it fits, else in a few lines each."""
    table = columns(list(records[0]), [[str(cell) for cell in record.values()] for record in records])
    if fits(table):
        return table
    return "\n\n".join(listing([(key, str(cell)) for key, cell in record.items()]) for record in records)


def study_record(store: Path, name: str) -> Record | None:
    """Return a study in short; None, with a line on stderr, if it cannot be read: the others can be."""
    from wayfare.form import method_name

    try:
        study = open_study(store, name)
        spec, state = study.spec, study.state
    except WayfareError as error:
        click.echo(f"Error: study {plain(repr(name))} cannot be read: {one_line(str(error))}", err=True)
        return None
    counted = counts(state)
    return {
        "name": name,
        "direction": spec.direction,
        "method": method_name(spec.method),
        "trials": spec.trials,
        **{key: counted[key] for key in ("told", "out", "left", "prior")},
    }
