"""``wayfare import``: the rows of a file into a study, or a whole study from JSON.

A file says by itself how it is to be read, or the options do; a dry run shows row by row what would happen.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from wayfare import exchange
from wayfare._core.format import cell, counted, setting, shown, with_unit
from wayfare._core.parse import read_number
from wayfare.cli.files import STDIN, format_of, format_option, naming, read_bytes, read_text
from wayfare.cli.input import FILE, move_options, options, split_settings, with_study
from wayfare.cli.moves import note_slip
from wayfare.cli.output import Record, busy, note, plain, print_json, table_or_lists
from wayfare.cli.studies import check_name, names_in, open_study, who
from wayfare.errors import Conflict, InvalidInput
from wayfare.exchange.imports import Preview, PreviewRow
from wayfare.exchange.match import Tolerance
from wayfare.exchange.records import imported_record, preview_row_record
from wayfare.exchange.table import DECIMALS, DELIMITERS, ENCODINGS, LARGEST, TableFormat
from wayfare.record.events import StudySpec, title_of
from wayfare.store import MemoryStore, as_store

READ = {"csv": ".csv", "json": ".json", "xlsx": ".xlsx"}
MOST_NOTES = 5  # on values outside their bounds; the rest is counted
LARGEST_MAP = 100_000  # bytes of a file of columns
format_options = options(
    click.option("--column", "columns", multiple=True, metavar="OURS=THEIRS", help="Name a column: value=Yield."),
    click.option("--ignore", multiple=True, metavar="COLUMN", help="Pass over a column; '*': all that are not known."),
    click.option("--map", "map_file", type=FILE, metavar="FILE", help="A TOML file of these: columns, ignore, ..."),
    click.option("--delimiter", type=click.Choice(list(DELIMITERS)), help="Between columns, if that is in doubt."),
    click.option("--decimal", type=click.Choice(list(DECIMALS)), help="The decimal mark, if that is in doubt."),
    click.option("--encoding", type=click.Choice(ENCODINGS), help="Of the text, if it is not UTF-8 or UTF-16."),
    click.option("--sheet", metavar="NAME", help="The sheet of a workbook, if several have a table."),
)
match_options = options(
    click.option(
        "--tolerance",
        multiple=True,
        metavar="AXIS=AMOUNT|COST|PERCENT",
        help="How far a row without a number may be from its open trial.  [default: half a step, or the digits given]",
    ),
    click.option("--extra", is_flag=True, help="Rows near no open trial were extra visits."),
    click.option("--average", is_flag=True, help="Several rows near one open trial are a run of results."),
)


@click.command("import")
@with_study
@click.argument("file", type=FILE)
@format_option(READ, ".")
@click.option("--prior", is_flag=True, help="Known before the study: no movement, no trial is spent.")
@click.option("--again", is_flag=True, help="Add rows without a number although they are there already.")
@match_options
@format_options
@click.option("--dry-run", is_flag=True, help="Only say what would happen, row by row.")
@move_options
def import_file(
    name: str, store: Path | str, file: Path, form: str | None, dry_run: bool, as_json: bool, **given: Any
) -> None:
    """Add the rows of a CSV or .xlsx FILE to a study, or make one from JSON.

    A row with the number of an open trial gives it its outcome; one that has it already must say the same. A
    row with the next number is a visit that was made. While trials are open, a row without a number, as of a
    logger, must be near one of them and is its result, at the place where it really was; --tolerance says how
    near, --dry-run shows which is taken for which, and --extra takes the others for extra visits. With no
    trial open, a row without a number is a visit. One that has the place and the value of a trial already
    there is refused: it was likely imported before; if it was measured once more, --again adds it. FILE may
    be - for standard input.
    """
    kind = format_of(None if file == STDIN else file, form, READ)
    take = _import_whole if kind == "json" else _import_rows
    said, record = take(store, name, file, dry_run=dry_run, **given)
    if as_json:
        print_json({"study": name, **record, "dry_run": dry_run})
    else:
        click.echo(said)
    if dry_run:
        note("a dry run, nothing was written")


def _import_rows(
    store: Path | str,
    name: str,
    file: Path,
    *,
    dry_run: bool,
    tolerance: Sequence[str],
    prior: bool,
    again: bool,
    extra: bool,
    average: bool,
    request: str | None,
    **reading: Any,
) -> tuple[str, Record]:
    """Add the rows of a file to a study; return how many there were of each kind, in words and as data."""
    study = open_study(store, name)
    spec = study.spec
    form, near = _format(spec, **reading), _tolerance(spec, tolerance)
    data = read_bytes(file, LARGEST)
    with naming(file), busy("reading"):
        preview = exchange.read_results(
            study,
            data,
            form=form,
            prior=prior,
            again=again,
            tolerance=near,
            extra=extra,
            average=average,
            request=request,
        )
        done = preview.summary if dry_run else preview.apply(study)
    for remark in preview.notes:
        note(f"{file}: {remark}")
    for label, said in done.beyond[:MOST_NOTES]:
        note_slip(title_of(label), said, "amend", name, label, "--actual")
    if len(done.beyond) > MOST_NOTES:
        note(f"{len(done.beyond) - MOST_NOTES} more values are outside their bounds")
    record: Record = dict(imported_record(done))
    if not dry_run:
        return str(done), record
    return f"{_shown(preview)}\n{done}", record | {"preview": [preview_row_record(row) for row in preview.rows]}


def _format(
    spec: StudySpec, columns: Sequence[str], ignore: Sequence[str], map_file: Path | None, **said: str | None
) -> TableFormat:
    """Return how the file is to be read: as the options say, else as the file of columns does."""
    base = TableFormat()
    if map_file is not None:
        text = read_text(map_file, LARGEST_MAP)
        with naming(map_file):
            base = exchange.read_format(text)
    named = split_settings(columns, spec.space.names, "--column", "OURS=THEIRS", "column ")
    return TableFormat(
        columns={**base.columns, **named},
        ignore=(*base.ignore, *ignore),
        **{key: getattr(base, key) if value is None else value for key, value in said.items()},
    )


def _tolerance(spec: StudySpec, given: Sequence[str]) -> Tolerance:
    """Return the tolerance as typed: a cost, a percentage, or amounts by axis."""
    if len(given) == 1 and "=" not in given[0]:
        (text,) = given
        return text if text.endswith("%") else read_number(text, "--tolerance")
    texts = split_settings(given, spec.space.names, "--tolerance", "AXIS=AMOUNT, or once a COST or a PERCENT%")
    return {axis: read_number(text, f"--tolerance: axis {axis!r}") for axis, text in texts.items()} or None


def _shown(preview: Preview) -> str:
    """Return what each row does, as a table."""
    rows = [[row.where, row.use, row.label, _value(row), _off(row)] for row in preview.rows]
    return table_or_lists(["row", "does", "trial", "value", "where it was"], rows, left=(0, 1, 4))


def _value(row: PreviewRow) -> str:
    if row.value is None:
        return ""
    return shown(row.value) + (f" (mean of {row.count})" if row.count > 1 else "")


def _off(row: PreviewRow) -> str:
    """Return how a row differs from the trial near which it was, else its place."""
    if row.near is None:
        return ", ".join(f"{axis}={setting(row.params, axis)}" for axis in row.params)
    near = row.near
    off = [
        f"{axis} {cell(near, axis)} → {setting(row.params, axis)}" for axis in near if near[axis] != row.params[axis]
    ]
    cost = "" if not row.cost else f" ({with_unit(row.cost, row.unit)} off)"
    return (", ".join(off) or "as asked") + cost


def _import_whole(store: Path | str, name: str, file: Path, dry_run: bool, **given: Any) -> tuple[str, Record]:
    """Make a study from a JSON file; return how much it has, in words and as data."""
    for option, value in given.items():
        if value and option != "request":
            said = {"columns": "column", "map_file": "map"}.get(option, option)
            raise InvalidInput(f"--{said} is for CSV and .xlsx; a JSON file holds a whole study")
    check_name(name)
    kept = as_store(store)
    text = read_text(file, exchange.archive.LARGEST)
    # A dry run goes to a store of its own, which does not know the names that are taken.
    if dry_run and name in names_in(store):
        raise Conflict(f"a study named {name!r} exists already; choose another name")
    with naming(file):
        now = exchange.import_json(MemoryStore() if dry_run else kept, text, name, by=who()["by"]).snapshot()
    trials, events = len(now.trials), now.state.version
    said = f"new study {plain(name)}: {counted(trials, 'trial')}, {counted(events, 'event')}"
    return said, {"trials": trials, "events": events}
