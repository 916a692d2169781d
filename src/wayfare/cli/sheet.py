"""``wayfare sheet``: the trials that are out, on paper or as a table to fill in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from wayfare._core.format import counted
from wayfare.cli.input import (
    COUNT,
    DEFAULT,
    FILE,
    check_target,
    encoded,
    json_option,
    note,
    open_study,
    print_json,
    print_text,
    with_study,
    write_file,
)
from wayfare.cli.moves import nothing_left
from wayfare.cli.output import plain, planning
from wayfare.errors import InvalidInput

if TYPE_CHECKING:
    from wayfare.space import AnySpace


Format: TypeAlias = Literal["html", "csv"]
FORMATS: tuple[Format, ...] = ("html", "csv")


@click.command()
@with_study
@click.option("--take", type=COUNT, metavar="N", help="First hand out stops until so many trials are out.")
@click.option("--worker", metavar="NAME", help="Only the trials of this worker; --take hands out to them.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Instead of what the file's ending says.  [default: html]"
)
@click.option("--axes", metavar="A,B", help="The two axes of the picture.  [default: a map, or the busiest]")
@click.option("--no-picture", is_flag=True, help="Leave the picture out.")
@click.option("--out", type=FILE, metavar="FILE", help="Where to, .html or .csv; else it is printed.")
@click.option("--force", is_flag=True, help="Write over the file if it is there.")
@json_option
def sheet(
    name: str,
    store: Path,
    take: int | None,
    worker: str | None,
    form: Format | None,
    axes: str | None,
    no_picture: bool,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a run sheet of the trials that are out.

    HTML is a page to print and fill in by hand. CSV is a table to fill in, which import takes back. --take
    goes on handing out stops although no results are in, as ask --no-wait does; those that are out already
    count, so the same command gives the same sheet again.
    """
    from wayfare.exchange import hand_out, run_sheet, sheet_csv
    from wayfare.exchange.runsheet import some_out, trials_out

    kind = format_of(out, form)
    if kind == "csv" and (axes is not None or no_picture):
        raise InvalidInput(f"{'--no-picture' if no_picture else '--axes'} is for --format html")
    if axes is not None and no_picture:
        raise InvalidInput("--axes and --no-picture contradict each other")
    if out is not None:
        check_target(out, force, store)
    elif as_json:
        raise InvalidInput("--json says what was written, so it needs --out")
    study = open_study(store, name)
    wanted = None if axes is None else two_axes(study.spec.space, axes)
    if take is not None:
        with planning():
            hand_out(study, take, worker)
        if study.state.trials_left and not trials_out(study.state, worker):
            raise click.ClickException(nothing_left(study))
    trials = some_out(study.state, worker)
    if take is not None and len(trials) < take:
        why = nothing_left(study) if study.state.trials_left else "no more are left"
        note(f"{counted(len(trials), 'trial')} out, not {take}: {why}")
    if kind == "csv":
        text = sheet_csv(study, worker=worker)
    else:
        usual = Path(os.environ.get("WAYFARE_STORE") or DEFAULT)
        text = run_sheet(
            study, worker=worker, picture=not no_picture, axes=wanted, store="" if store == usual else str(store)
        )
    if out is None:
        print_text(text)
        return
    write_file(out, encoded(text))
    numbers = [trial.number for trial in trials]
    if as_json:
        print_json({"study": name, "format": kind, "trials": numbers, "out": str(out)})
        return
    click.echo(f"{plain(name)}: {counted(len(numbers), 'trial')} written to {plain(str(out))}")


def two_axes(space: AnySpace, said: str) -> tuple[str, str]:
    """Return the two axes named, before anything is handed out for a picture that cannot be."""
    from wayfare.exchange.waypoints import number_axis

    names = [number_axis(space, axis.strip(), "--axes") for axis in said.split(",")]
    if len(set(names)) != 2 or len(names) != 2:
        raise InvalidInput(f"--axes: name two different axes, got {said!r}")
    return names[0], names[1]


def format_of(file: Path | None, said: Format | None) -> Format:
    """Return the format said, or that of the file's ending; HTML where there is no file."""
    if said is not None:
        return said
    if file is None:
        return "html"
    for form in FORMATS:
        if file.suffix.lower() == f".{form}":
            return form
    raise InvalidInput(f"{file}: ends neither in .html nor in .csv; say which with --format")
